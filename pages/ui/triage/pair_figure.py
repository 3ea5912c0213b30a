"""Two formulas on one pair of axes: values and target above, s of both bottlenecks below.

Pure: from two inspections to a Plotly figure.  Formulas may call the same column by different
names (``X1`` counts from 1, ``x0`` from 0), so axes are columns, and each formula brings its
mapping.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.layout import focus_node
from eic_core.drawing.scale import THEMES, Theme
from eic_core.measure import Inspection
from pages.ui.figures.grids import (
    CURVE_POINTS,
    MAX_POINTS,
    Array,
    Axis,
    axis_of,
    on_grid,
    thinned,
    value_limits,
)
from pages.ui.figures.panels import axis_style, label_of, scale_style
from pages.ui.figures.plotting import base_layout, build
from pages.ui.figures.traces import torn

INKS = {False: ("#1f5fd0", "#c2410c"), True: ("#7db2ff", "#ff9d5c")}
"""Colours of A and B, by `dark`; B is dashed as well."""

MODEBAR = {
    dark: {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.ink}
    for dark, theme in THEMES.items()
}
"""A toolbar that does not cover the legend with a grey bar, by `dark`."""

_SPLIT = 0.44
_TOP = 14.0


@dataclass(frozen=True)
class Side:
    """One of the two formulas.

    Attributes
    ----------
    inspection : Inspection
    columns : mapping of variable to column
        What each variable is called in the data; the variable itself where nothing is said.
    """

    inspection: Inspection
    columns: Mapping[str, str] = field(default_factory=dict)

    def column(self, variable: str) -> str:
        """The column of a variable."""
        return self.columns.get(variable, variable)

    def samples_of(self, column: str) -> Array | None:
        """The samples of a column, None if the formula does not use it."""
        for variable in self.inspection.formula.variables:
            if self.column(variable) == column:
                return self.inspection.samples.columns[variable]
        return None


def shared_columns(a: Side, b: Side) -> tuple[str, ...]:
    """All columns of two formulas, those of both first."""
    first = [a.column(v) for v in a.inspection.formula.variables]
    second = [b.column(v) for v in b.inspection.formula.variables]
    both = [c for c in first if c in second]
    return tuple(dict.fromkeys([*both, *first, *second]))


def pair_figure(
    a: Side, b: Side, along: str, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """A cut along one column, the others held at their medians.

    Parameters
    ----------
    a, b : Side
    along : str
        One of `shared_columns`.
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    axis = axis_along(a, b, along)
    x = axis.grid(CURVE_POINTS)
    data: list[dict[str, Any]] = []
    target = _target(a, b, along, theme)
    if target is not None:
        data.append(target)
    values, tops = [], []
    for name, side, ink, dash in zip(
        ("A", "B"), (a, b), INKS[dark], ("solid", "dash"), strict=True
    ):
        y, s = cut(side, {along: x})
        values.append(y)
        tops.append(s)
        data += [_line(x, y, name, ink, dash, "y"), _line(x, s, name, ink, dash, "y2")]
        data.append(_ticks(x, s, name, ink))
    layout = base_layout(dark) | {
        "height": 460 if narrow else 500,
        "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
        "xaxis": axis_style(theme) | scale_style(theme, axis.log, axis.limits()) | {
            "anchor": "y2", "title": {"text": label_of(along, None), "standoff": 6},
        },
        "yaxis": _value_axis(values, a, b, theme),
        "yaxis2": axis_style(theme) | scale_style(theme, True, [-0.15, _ceiling(tops)]) | {
            "domain": [0, _SPLIT - 0.04], "title": {"text": "s at the bottleneck", "standoff": 4},
        },
        "showlegend": True,
        "modebar": MODEBAR[dark],
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "x unified" if not narrow else "closest",
    }  # fmt: skip
    return build(data, layout)


def axis_along(a: Side, b: Side, column: str) -> Axis:
    """The axis of a column, as the samples of A or else of B have it."""
    for side in (a, b):
        for variable in side.inspection.formula.variables:
            if side.column(variable) == column:
                found = axis_of(side.inspection.samples, variable)
                return Axis(column, found.low, found.high, found.log)
    return Axis(column, 0.0, 1.0, False)


def cut(side: Side, grids: Mapping[str, Array]) -> tuple[Array, Array]:
    """Value and s at the bottleneck where some columns vary and the others are held.

    Parameters
    ----------
    side : Side
    grids : mapping of column to ndarray, shape (N,)
        The columns that vary.

    Returns
    -------
    y, s : ndarray, shape (N,)
        As `pages.ui.figures.grids.on_grid`.
    """
    inspection = side.inspection
    count = len(next(iter(grids.values())))
    columns: dict[str, Array] = {}
    for variable in inspection.formula.variables:
        held = float(np.median(inspection.samples.columns[variable]))
        grid = grids.get(side.column(variable))
        columns[variable] = np.full(count, held) if grid is None else grid
    return on_grid(inspection, focus_node(inspection), columns, count)


def _target(a: Side, b: Side, along: str, theme: Theme) -> dict[str, Any] | None:
    for side in (a, b):
        samples, column = side.inspection.samples, side.samples_of(along)
        if samples.target is None or column is None:
            continue
        rows = thinned(len(column), MAX_POINTS)
        return {
            "type": "scatter", "mode": "markers", "x": column[rows], "y": samples.target[rows],
            "name": label_of(samples.target_name or "target", None),
            "marker": {"size": 5, "color": theme.data, "opacity": 0.5}, "hoverinfo": "skip",
        }  # fmt: skip
    return None


def _line(x: Array, y: Array, name: str, ink: str, dash: str, axis: str) -> dict[str, Any]:
    shown = np.where(np.isfinite(y), y, np.nan)
    if axis == "y":
        shown = torn(shown)
    what = name if axis == "y" else f"s of {name}"
    return {
        "type": "scatter", "mode": "lines" if len(x) > 2 else "markers", "x": x, "y": shown,
        "yaxis": axis, "name": name, "showlegend": axis == "y", "connectgaps": False,
        "line": {"width": 2.2, "color": ink, "dash": dash},
        "marker": {"size": 9, "color": ink},
        "hovertemplate": f"{what} = %{{y:.5g}}<extra></extra>",
    }  # fmt: skip


def _ticks(x: Array, s: Array, name: str, ink: str) -> dict[str, Any]:
    """Where s is infinite: ticks at the lower edge."""
    rows = np.isinf(s)
    return {
        "type": "scatter", "mode": "markers", "x": x[rows], "y": np.full(int(rows.sum()), 0.8),
        "yaxis": "y2", "name": f"{name} singular", "showlegend": False,
        "marker": {"symbol": "line-ns", "size": 9, "line": {"width": 1.5, "color": ink}},
        "hovertemplate": f"{name} loses every digit here<extra></extra>",
    }  # fmt: skip


def _value_axis(values: list[Array], a: Side, b: Side, theme: Theme) -> dict[str, Any]:
    targets = [
        s.inspection.samples.target for s in (a, b) if s.inspection.samples.target is not None
    ]
    axis = axis_style(theme) | {
        "domain": [_SPLIT + 0.04, 1], "exponentformat": "power",
        "title": {"text": "value", "standoff": 4},
    }  # fmt: skip
    limits = value_limits(*values, *targets[:1])
    if limits is not None:
        return axis | {"range": list(limits)}
    pooled = np.concatenate([v[np.isfinite(v)] for v in values])
    if len(pooled) and pooled.min() > 0 and pooled.max() / pooled.min() > 1000 and not targets:
        return axis | {"type": "log", "nticks": 6}
    return axis


def _ceiling(values: list[Array]) -> float:
    pooled = np.concatenate([v[np.isfinite(v)] for v in values])
    largest = float(pooled.max()) if len(pooled) else 10.0
    return min(_TOP, max(1.0, math.log10(max(largest, 1.0)) + 0.3))
