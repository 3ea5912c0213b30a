"""Plots, style sheets and scripts, written down once and sent as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator_singletons import get_dg_singleton_instance
from streamlit.elements.lib.form_utils import current_form_id
from streamlit.elements.lib.layout_utils import LayoutConfig
from streamlit.proto.Html_pb2 import Html
from streamlit.proto.PlotlyChart_pb2 import PlotlyChart


@dataclass(frozen=True)
class PreparedPlot:
    spec: str  # JSON of data and layout
    height: int  # pixels
    digest: str  # of `spec`: the browser keeps a figure whose id stays

    @classmethod
    def of(cls, figure: dict[str, Any]) -> PreparedPlot:
        """Write a figure down; its layout has its height.

        >>> PreparedPlot.of({"data": [], "layout": {"height": 270}}).height
        270
        """
        spec = json.dumps(figure, allow_nan=False, separators=(",", ":"))
        return cls(spec, int(figure["layout"]["height"]), sha256(spec.encode()).hexdigest()[:32])


def draw_prepared(plot: PreparedPlot, *, key: str, config: str, alt: str) -> None:
    """Draw it as `st.plotly_chart(..., theme=None)`; `config` is JSON."""
    # `st.plotly_chart` writes JSON at every rerun: more work than the rest of a ballot's page.
    main = st._main
    message = PlotlyChart(
        id=f"$$ID-{plot.digest}-{key}",
        spec=plot.spec,
        config=config,
        alt=alt,
        theme="",
        form_id=current_form_id(main),
    )
    layout = LayoutConfig(width="stretch", height=plot.height)
    main._enqueue("plotly_chart", message, layout_config=layout)


@cache
def _style(style_sheet: Path) -> Html:
    return Html(body=f"<style>{style_sheet.read_text(encoding='utf-8')}</style>")


def draw_style(style_sheet: Path) -> None:
    """Use a file of CSS, as `st.html` does; it is read once."""
    # `st.html` searches its text for indents, styles and comments: more work than twenty widgets.
    get_dg_singleton_instance().event_dg._enqueue("html", _style(style_sheet))


def draw_script(html: str) -> None:
    """Run a script, as `st.html(..., unsafe_allow_javascript=True)` does."""
    message = Html(body=html, unsafe_allow_javascript=True)
    st._main._enqueue("html", message, layout_config=LayoutConfig(width="stretch"))
