"""Pictures that several pages show."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from eic_core.drawing.chart import Chart
from eic_core.drawing.layout import WIDTH
from eic_core.drawing.svg import title_of, tree_svg
from eic_core.measure import Inspection
from pages.ui.figures.screen import draw
from pages.ui.kit.browser import is_dark, is_narrow, plotly_config
from pages.ui.kit.text import clean, escape
from pages.ui.kit.wiring import figure_cache


def show_chart(
    make: Callable[[], Chart],
    *,
    key: str,
    what: Hashable = None,
    file_name: str = "",
    **options: Any,
) -> None:
    """A chart, made and drawn once for each `what` if that is not None.

    With a `file_name` it has Plotly's tools; `options` go to Streamlit.
    """
    dark, narrow = is_dark(), is_narrow()

    def drawn() -> tuple[go.Figure, str]:
        chart = make()
        return draw(chart, dark=dark, narrow=narrow), clean(chart.words, 2_000)

    place = "chart", what, dark, narrow
    figure, words = drawn() if what is None else figure_cache().get(place, drawn)
    config = plotly_config(file_name) if file_name else {"displayModeBar": False}
    st.plotly_chart(figure, key=key, theme=None, config=config, alt=words, **options)


def show_tree(
    inspection: Inspection,
    what: Hashable,
    *,
    width: float | None = None,
    height: float | None = None,
    small: bool = False,
) -> None:
    """Draw the coloured tree of a formula; `what` is the formula on its samples, for the cache.

    `small` is for a place as narrow as a phone.
    """
    dark, narrow = is_dark(), small or is_narrow()
    room = WIDTH[narrow] if width is None or is_narrow() else width
    picture = figure_cache().get(
        ("tree", what, dark, narrow, room, height),
        lambda: tree_svg(
            inspection,
            selected=inspection.worst_step,
            dark=dark,
            narrow=narrow,
            width=room,
            height=height,
        ),
    )
    # `st.html` takes the tags of an SVG away, and `st.image` gives a picture no text instead
    source = b64encode(picture.encode()).decode()
    st.html(
        f'<img src="data:image/svg+xml;base64,{source}" alt="{escape(title_of(inspection), 200)}" '
        'style="display:block;max-width:100%;margin:auto">'
    )
