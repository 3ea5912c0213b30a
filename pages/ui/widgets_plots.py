"""The data plots of the selected node: curve, surface, slices, residuals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from eic_core.drawing.layout import focus_node
from eic_core.explain.origin import origin_of
from eic_core.measure import Inspection
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.figures.data import (
    curve_figure,
    residual_figure,
    slice_defaults,
    slice_figure,
    surface_figure,
)
from pages.ui.service import Result
from pages.ui.text import clean, code_label
from pages.ui.wiring import figure_cache

_MAX_SLIDERS = 12


def plots(result: Result, node: int) -> None:
    """One variable: curve and amplification; two: maps; more: slices."""
    inspection = result.inspection
    with st.container(
        horizontal=True, vertical_alignment="center", key="plot-toolbar", gap="small"
    ):
        st.html('<h3 class="eic-h">Data</h3>', width="stretch")
        view = "Values"
        if inspection.samples.target is not None:
            view = st.segmented_control(
                "What is plotted",
                ["Values", "Residuals"],
                key="plot-view",
                default="Values",
                required=True,
                label_visibility="collapsed",
                help=glossary.R2,
            )
    if view == "Residuals":
        _draw(result, ("residuals",), partial(residual_figure, inspection))
        return
    count = len(inspection.formula.variables)
    labels = dict(result.match.mapping) if result.match is not None else None
    if count <= 1:
        _draw(result, ("curve", node), partial(curve_figure, inspection, node, labels=labels))
    elif count == 2:
        _draw(result, ("surface", node), partial(surface_figure, inspection, node, labels=labels))
    else:
        _slices(result, node, labels)


def _draw(result: Result, what: tuple[Any, ...], make: Callable[..., go.Figure]) -> None:
    dark, narrow = is_dark(), is_narrow()
    key = (result.request, *what, dark, narrow)
    figure = figure_cache().get(key, lambda: make(dark=dark, narrow=narrow), lambda _: 1.0)
    st.plotly_chart(
        figure,
        key=f"plot-{what[0]}",
        theme=None,
        config=plotly_config("eic-data"),
        alt="The formula's value over the data, and the error amplification of the selected node",
    )


@st.fragment
def _slices(result: Result, node: int, labels: dict[str, str] | None) -> None:
    """A cut along one or two variables; sliders hold the others."""
    inspection = result.inspection
    variables = telling_first(inspection)
    left, right = st.columns(2, gap="small")
    x_name = left.selectbox("Across", variables, key="axis-x", format_func=clean)
    others = [name for name in variables if name != x_name]
    y_name = right.selectbox("Up", ["— curve —", *others], index=1, key="axis-y", format_func=clean)
    along = None if y_name == "— curve —" else y_name
    start = slice_defaults(inspection)
    fixed: dict[str, float] = {}
    held = [name for name in others if name != along]
    with st.container(horizontal=True, gap="small", key="sliders"):
        for name in held[:_MAX_SLIDERS]:
            column = inspection.samples.columns[name]
            low, high = float(column.min()), float(column.max())
            if not low < high or not (high - low) < 1e300:
                continue
            fixed[name] = st.slider(
                code_label(name, 20),
                low,
                high,
                min(max(start[name], low), high),
                step=(high - low) / 200,
                key=f"hold:{name}:{low!r}:{high!r}",
                format="%.4g",
                width=150,
                help="Held at this value in the picture below; starts at its median.",
            )
    if len(held) > _MAX_SLIDERS:
        st.html('<p class="eic-quiet">The other variables are held at their medians.</p>')
    _draw(
        result,
        ("slice", node, x_name, along, tuple(fixed.items())),
        partial(slice_figure, inspection, node, x_name, along, fixed, labels=labels),
    )


def telling_first(inspection: Inspection) -> list[str]:
    """The variables, those of the node to blame first."""
    formula = inspection.formula
    origin = origin_of(inspection, focus_node(inspection))
    below = formula.subtree(origin).variables
    return [*below, *(name for name in formula.variables if name not in below)]
