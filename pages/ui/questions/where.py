""" "Where?": the data with s(x)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.ui.figures.data import curve_figure, residual_figure, slice_figure, surface_figure
from pages.ui.figures.plotting import slice_defaults
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_dark, is_narrow, plotly_config
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean, code_label
from pages.ui.kit.wiring import figure_cache

_MAX_SLIDERS = 12


def plots(result: InspectionResult, node: int) -> None:
    """The data of one variable as curves, of two as maps, of more as slices."""
    inspection = result.inspection
    with st.container(
        horizontal=True, vertical_alignment="center", key="plot-toolbar", gap="small"
    ):
        st.html('<h3 class="eic-h">Data</h3>', width="content")
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


def _draw(result: InspectionResult, what: tuple[Any, ...], make: Callable[..., go.Figure]) -> None:
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
def _slices(result: InspectionResult, node: int, labels: dict[str, str] | None) -> None:
    inspection = result.inspection
    variables = blamed_variables_first(result)
    with st.container(horizontal=True, gap="small", key="axes"):
        x_name = st.selectbox(
            "Across",
            variables,
            key="axis-x",
            format_func=lambda name: f"across: {clean(name)}",
            label_visibility="collapsed",
            width=170,
        )
        others = [name for name in variables if name != x_name]
        y_name = st.selectbox(
            "Up",
            ["— curve —", *others],
            index=1,
            key="axis-y",
            format_func=lambda name: f"up: {clean(name)}",
            label_visibility="collapsed",
            width=170,
        )
    along = None if y_name == "— curve —" else y_name
    start = slice_defaults(inspection)
    fixed: dict[str, float] = {}
    held = [name for name in others if name != along]
    picture = st.container()
    with st.container(horizontal=True, gap="small", key="sliders"):
        for name in held[:_MAX_SLIDERS]:
            column = inspection.samples.columns[name]
            low, high = float(column.min()), float(column.max())
            # A slider cannot hold a constant column, nor a range near the limit of doubles.
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
                help="Held at this value in the picture above; starts at its median.",
            )
    if len(held) > _MAX_SLIDERS:
        st.html('<p class="eic-quiet">The other variables are held at their medians.</p>')
    with picture:
        _draw(
            result,
            ("slice", node, x_name, along, tuple(fixed.items())),
            partial(slice_figure, inspection, node, x_name, along, fixed, labels=labels),
        )


def blamed_variables_first(result: InspectionResult) -> list[str]:
    """The variables, the ones below the node to blame first."""
    formula = result.inspection.formula
    below = formula.subtree(result.origin).variables
    return [*below, *(name for name in formula.variables if name not in below)]


def number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
