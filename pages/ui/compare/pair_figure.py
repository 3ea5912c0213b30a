"""Two formulas on one pair of axes.

Formulas may call the same column by different names (``X1`` counts from 1, ``x0`` from 0), so axes
are columns, and each formula brings its mapping.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES, Theme
from eic_core.measure import Inspection
from pages.ui.figures.plotting import (
    CURVE_POINTS,
    MAX_POINTS,
    Array,
    GridAxis,
    axis_of,
    axis_style,
    base_layout,
    break_at_poles,
    build,
    evenly_spread_rows,
    label_of,
    on_grid,
    scale_style,
    value_limits,
)

# Colours of A and B, by `dark`; B is dashed as well.
INKS = {False: ("#1f5fd0", "#c2410c"), True: ("#7db2ff", "#ff9d5c")}

# A toolbar that does not cover the legend with a grey bar, by `dark`.
MODEBAR = {
    dark: {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.ink}
    for dark, theme in THEMES.items()
}

_SPLIT = 0.44
_TOP = 14.0


@dataclass(frozen=True)
class Side:
    inspection: Inspection
    # The column of each variable; a variable that is missing has its own name
    columns: Mapping[str, str] = field(default_factory=dict)

    def column(self, variable: str) -> str:
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
    """A cut along one column, the others held at their medians."""
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
        y, s = values_along(side, {along: x})
        values.append(y)
        tops.append(s)
        data += [_line(x, y, name, ink, dash, "y"), _line(x, s, name, ink, dash, "y2")]
        data.append(_ticks(x, s, name, ink))
    layout = base_layout(dark) | {
        "height": 380 if narrow else 420,
        "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
        "xaxis": axis_style(theme)
        | scale_style(theme, axis.log, axis.limits())
        | {
            "anchor": "y2",
            "title": {"text": label_of(along, None), "standoff": 6},
        },
        "yaxis": _value_axis(values, a, b, theme),
        "yaxis2": axis_style(theme)
        | scale_style(theme, True, [-0.15, _ceiling(tops)])
        | {
            "domain": [0, _SPLIT - 0.04],
            "title": {"text": "s at the worst step", "standoff": 4},
        },
        "showlegend": True,
        "modebar": MODEBAR[dark],
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "x unified" if not narrow else "closest",
    }
    return build(data, layout)


def axis_along(a: Side, b: Side, column: str) -> GridAxis:
    """The axis of a column, from the samples of A or else of B."""
    for side in (a, b):
        for variable in side.inspection.formula.variables:
            if side.column(variable) == column:
                axis = axis_of(side.inspection.samples, variable)
                return GridAxis(column, axis.low, axis.high, axis.log)
    return GridAxis(column, 0.0, 1.0, False)


def values_along(side: Side, grids: Mapping[str, Array]) -> tuple[Array, Array]:
    """Value and s at the worst step, each of shape (N,), over `grids`; other columns are held at
    their medians.
    """
    inspection = side.inspection
    count = len(next(iter(grids.values())))
    columns: dict[str, Array] = {}
    for variable in inspection.formula.variables:
        held = float(np.median(inspection.samples.columns[variable]))
        grid = grids.get(side.column(variable))
        columns[variable] = np.full(count, held) if grid is None else grid
    return on_grid(inspection, inspection.worst_step, columns, count)


def _target(a: Side, b: Side, along: str, theme: Theme) -> dict[str, Any] | None:
    for side in (a, b):
        samples, column = side.inspection.samples, side.samples_of(along)
        if samples.target is None or column is None:
            continue
        rows = evenly_spread_rows(len(column), MAX_POINTS)
        return {
            "type": "scatter",
            "mode": "markers",
            "x": column[rows],
            "y": samples.target[rows],
            "name": label_of(samples.target_name or "target", None),
            "marker": {"size": 5, "color": theme.data, "opacity": 0.5},
            "hoverinfo": "skip",
        }
    return None


def _line(x: Array, y: Array, name: str, ink: str, dash: str, axis: str) -> dict[str, Any]:
    drawn = np.where(np.isfinite(y), y, np.nan)
    if axis == "y":
        drawn = break_at_poles(drawn)
    what = name if axis == "y" else f"s of {name}"
    return {
        "type": "scatter",
        "mode": "lines" if len(x) > 2 else "markers",
        "x": x,
        "y": drawn,
        "yaxis": axis,
        "name": name,
        "showlegend": axis == "y",
        "connectgaps": False,
        "line": {"width": 2.2, "color": ink, "dash": dash},
        "marker": {"size": 9, "color": ink},
        "hovertemplate": f"{what} = %{{y:.5g}}<extra></extra>",
    }


def _ticks(x: Array, s: Array, name: str, ink: str) -> dict[str, Any]:
    """Ticks at the lower edge where s is infinite."""
    rows = np.isinf(s)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[rows],
        "y": np.full(int(rows.sum()), 0.8),
        "yaxis": "y2",
        "name": f"{name} singular",
        "showlegend": False,
        "marker": {"symbol": "line-ns", "size": 9, "line": {"width": 1.5, "color": ink}},
        "hovertemplate": f"{name} keeps no digit here<extra></extra>",
    }


def _value_axis(values: list[Array], a: Side, b: Side, theme: Theme) -> dict[str, Any]:
    targets = [
        s.inspection.samples.target for s in (a, b) if s.inspection.samples.target is not None
    ]
    axis = axis_style(theme) | {
        "domain": [_SPLIT + 0.04, 1],
        "exponentformat": "power",
        "title": {"text": "value", "standoff": 4},
    }
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


def share_lines(maps: Sequence[go.Figure]) -> None:
    """Draw the lines of equal value of all maps at the same values, if each then has two."""
    lines = [t.contours for figure in maps for t in figure.select_traces({"type": "contour"})]
    step = max((each.size for each in lines), default=1.0)
    # Multiples of the step, despite rounding.
    ends = [
        (math.ceil(each.start / step - 1e-9), math.floor(each.end / step + 1e-9)) for each in lines
    ]
    if all(first < last for first, last in ends):
        for each, (first, last) in zip(lines, ends, strict=True):
            each.update(start=first * step, end=last * step, size=step)
