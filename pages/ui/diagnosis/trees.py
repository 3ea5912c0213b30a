"""A formula's tree beside that of another form, on one scale of colours."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from eic_core.drawing.layout import focus_node
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection
from pages.ui.device import is_dark, plotly_config
from pages.ui.figures import tree_figure
from pages.ui.service import Result
from pages.ui.text import number
from pages.ui.wiring import diagnosis_service, figure_cache

_WIDTH = 280.0
"""Pixels of each tree, about: half of an answer's width, and a phone's."""

_SCALE = 230
"""Pixels of the colour bar below it."""


def both_trees(result: Result, form: Formula, key: str) -> None:
    """Before and after, side by side; one above the other on a phone."""
    after = diagnosis_service().repaired(result, form)
    left, right = st.columns(2, gap="small")
    with left:
        _tree(result, result.inspection, "As written", f"{key}-before")
    with right:
        _tree(result, after, "Instead", f"{key}-after")


def _tree(result: Result, inspection: Inspection, name: str, key: str) -> None:
    st.html(f'<h4 class="eic-h">{name}: EIC {number(inspection.eic)}</h4>')
    dark = is_dark()
    figure = figure_cache().get(
        ("form tree", result.request, inspection.formula.source, dark),
        lambda: _figure(inspection, dark),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key=f"tree-{key}",
        theme=None,
        config=plotly_config("eic-tree"),
        alt=f"{name}: the tree, coloured by the digits lost on the scale from 0 to 8",
    )


def _figure(inspection: Inspection, dark: bool) -> go.Figure:
    figure = tree_figure(
        inspection, selected=focus_node(inspection), dark=dark, narrow=True, width=_WIDTH
    )
    for trace in figure.data:
        if trace.marker.showscale:
            trace.marker.colorbar.len = _SCALE
    return figure
