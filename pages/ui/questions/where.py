""" "Where?": the data with s(x)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from eic_core.drawing.chart import Chart
from eic_core.measure import Inspection
from pages.ui.figures.data import (
    HEIGHT,
    data_figure,
    residual_figure,
    telling_variables,
)
from pages.ui.figures.plotting import slice_defaults
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean, code_label
from pages.ui.kit.wiring import figure_cache
from pages.ui.questions.answer_parts import chart, note

_MAX_SLIDERS = 12

# Pixels of a gap, the line of switches with one, and the line of sliders, which scrolls inside.
_GAP, _SWITCHES, _SLIDERS = 8, 45, 68

_CURVE = "— curve —"


@st.fragment
def plots(result: InspectionResult, node: int) -> None:
    """The data of one variable as curves, of more as a map of the two that matter."""
    with st.container(key="data-plot", gap="xsmall"):
        _plots(result, node)


def _plots(result: InspectionResult, node: int) -> None:
    inspection = result.inspection
    names = inspection.formula.variables
    labels = dict(result.match.mapping) if result.match is not None else None
    target, several = inspection.samples.target is not None, len(names) > 2
    height, view, along = HEIGHT, "Values", [_CURVE]
    if target or several:
        height -= _SWITCHES
        with st.container(
            horizontal=True, vertical_alignment="center", key="plot-toolbar", gap="small"
        ):
            if target:
                view = st.segmented_control(
                    "What is plotted",
                    ["Values", "Residuals"],
                    key="plot-view",
                    default="Values",
                    required=True,
                    label_visibility="collapsed",
                    help=glossary.R2,
                )
            if several and view == "Values":
                along = _axes(blamed_variables_first(result))
    if view == "Residuals":
        return _draw(result, ("residuals",), partial(residual_figure, inspection), height)
    if not several:
        make = partial(data_figure, inspection, node, labels=labels)
        return _draw(result, ("surface" if len(names) == 2 else "curve", node), make, height)
    picture = st.container()
    fixed = _held_values(inspection, [name for name in names if name not in along])
    shown = tuple(name for name in along if name != _CURVE)
    what = ("slice", node, shown, tuple(fixed.items()))
    make = partial(data_figure, inspection, node, shown, fixed, labels=labels)
    with picture:
        _draw(result, what, make, height - _SLIDERS - _GAP)
    return None


def _axes(names: Sequence[str]) -> list[str]:
    """The variables chosen across and up, the two that matter most to begin with."""
    x_name = _axis("across", "axis-x", names, 0)
    others = [name for name in names if name != x_name]
    return [x_name, _axis("up", "axis-y", [_CURVE, *others], 1)]


def _axis(way: str, key: str, options: Sequence[str], first: int) -> str:
    return st.selectbox(
        way,
        options,
        index=first,
        key=key,
        format_func=lambda name: f"{way}: {clean(name)}",
        label_visibility="collapsed",
        width=150,
    )


def _held_values(inspection: Inspection, names: Sequence[str]) -> dict[str, float]:
    """Sliders of the variables that no axis shows, from their medians."""
    start, fixed = slice_defaults(inspection), {}
    with st.container(horizontal=True, gap="small", key="sliders", height=_SLIDERS, border=False):
        for name in names[:_MAX_SLIDERS]:
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
        if len(names) > _MAX_SLIDERS:
            note("The other variables are held at their medians.")
    return fixed


def _draw(
    result: InspectionResult, what: tuple[object, ...], make: Callable[[], Chart], height: int
) -> None:
    chart(
        result,
        what,
        make,
        key=f"plot-{what[0]}",
        file_name="eic-data",
        height=height,
    )


def blamed_variables_first(result: InspectionResult) -> tuple[str, ...]:
    """The variables, the ones below the node to blame first, those that move s most first."""
    return figure_cache().get(
        ("telling variables", result.request),
        lambda: telling_variables(result.inspection, result.origin),
    )


def number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
