"""What the answers share: the sentence, quiet notes, and charts that are drawn once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.ui.kit.browser import is_dark, is_narrow, plotly_config
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import prose
from pages.ui.kit.wiring import figure_cache


def answer(text: object) -> None:
    """The sentence that answers the question."""
    st.html(f'<p class="eic-answer">{prose(str(text))}</p>')


def note(*texts: object) -> None:
    """Quiet sentences, each in a line of its own; none for an empty text."""
    for text in filter(None, map(str, texts)):
        st.html(f'<p class="eic-quiet">{prose(text)}</p>')


def chart(
    result: InspectionResult,
    what: tuple[object, ...],
    make: Callable[..., go.Figure],
    alt: str,
    *,
    key: str,
    file_name: str = "",
    **options: Any,
) -> None:
    """The figure of `make(dark=, narrow=)`, which a result and `what` tell from all others.

    A chart with a `file_name` has Plotly's tools; `options` go to Streamlit.
    """
    dark, narrow = is_dark(), is_narrow()
    figure = figure_cache().get(
        (result.request, *what, dark, narrow),
        lambda: make(dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    config = plotly_config(file_name) if file_name else {"displayModeBar": False}
    st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **options)
