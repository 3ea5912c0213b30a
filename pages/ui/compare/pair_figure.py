"""Two formulas on one pair of axes.

Formulas may call the same column by different names (``X1`` counts from 1, ``x0`` from 0), so axes
are columns, and each formula brings its mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eic_core.drawing.chart import (
    Chart,
    ChartAxis,
    Colour,
    Dash,
    Mark,
    Panel,
    Points,
    Stroke,
    even_ticks,
    log_ticks,
)
from eic_core.measure import Inspection
from pages.ui.figures.data import DataView, maps
from pages.ui.figures.plotting import (
    CURVE_POINTS,
    FLOOR,
    MAX_POINTS,
    Array,
    GridAxis,
    axis_of,
    digits_axis,
    digits_of,
    evenly_spread_rows,
    label_of,
    on_grid,
    value_limits,
)

LOOKS: tuple[tuple[str, Colour, Dash], ...] = (("A", "blue", "solid"), ("B", "orange", "dash"))


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


def pair_figure(a: Side, b: Side, along: str) -> Chart:
    """A cut along one column, the others held at their medians."""
    axis, sides = axis_along(a, b, along), (a, b)
    x = axis.grid(CURVE_POINTS)
    coarse = [values_along(side, {along: x}) for side in sides]
    target = next((each for side in sides if (each := _target(side, along)) is not None), None)
    up = _value_axis([y for y, _ in coarse], target)
    down = digits_axis(*(digits for _, digits in coarse))
    above: list[Mark] = [] if target is None else [target]
    below: list[Mark] = []
    for side, (name, colour, dash), (y, digits) in zip(sides, LOOKS, coarse, strict=True):
        single = len(x) == 1
        value, lost = (
            _line_along(side, along, axis, to, part) for part, to in enumerate((up, down))
        )
        parts = (above, value, y, name), (below, lost, digits, f"digits of {name}")
        for marks, line, point, what in parts:
            look: dict[str, Any] = {"colour": colour, "quantity": what, "opacity": int(single)}
            marks.append(Points(x[::3], point[::3], size=9, **look))
            legend = name if marks is above else ""
            marks.append(Stroke(*line, 2.2, dash, colour=colour, name=legend, quantity=what))
        rows = np.isposinf(digits)
        floor = np.full(int(rows.sum()), FLOOR)
        hints = [f"{name} keeps no digit here"] * len(floor)
        below.append(Points(x[rows], floor, "line-ns", 9, colour=colour, hints=hints))
    across = axis.chart_axis(label_of(along, None))
    panels = Panel(tuple(above), across, up, 170), Panel(tuple(below), across, down, 140)
    words = f"The values of A and B and the digits lost at the worst step of each, over {along}."
    return Chart(panels, words, joined=True, free=True)


def pair_maps(a: Inspection, b: Inspection) -> Chart:
    """Maps of both over the two variables, with lines at the same values."""
    views = [DataView(each, each.worst_step, tuple(each.formula.variables), {}) for each in (a, b)]
    return maps(views, "AB")


def axis_along(a: Side, b: Side, column: str) -> GridAxis:
    """The axis of a column, from the samples of A or else of B."""
    for side in (a, b):
        for variable in side.inspection.formula.variables:
            if side.column(variable) == column:
                axis = axis_of(side.inspection.samples, variable)
                return GridAxis(column, axis.low, axis.high, axis.log)
    return GridAxis(column, 0.0, 1.0, False)


def values_along(side: Side, grids: Mapping[str, Array]) -> tuple[Array, Array]:
    """Value and digits at the worst step, each of shape (N,); other columns are held at their
    medians.
    """
    inspection = side.inspection
    count = len(next(iter(grids.values())))
    columns: dict[str, Array] = {}
    for variable in inspection.formula.variables:
        held = float(np.median(inspection.samples.columns[variable]))
        grid = grids.get(side.column(variable))
        columns[variable] = np.full(count, held) if grid is None else grid
    value, s = on_grid(inspection, inspection.worst_step, columns, count)
    return np.where(np.isfinite(value), value, np.nan), digits_of(s)


def _line_along(
    side: Side, along: str, axis: GridAxis, up: ChartAxis, part: int
) -> tuple[Array, Array]:
    return axis.curve(lambda x: values_along(side, {along: x})[part], up)


def _target(side: Side, along: str) -> Points | None:
    samples, column = side.inspection.samples, side.samples_of(along)
    if samples.target is None or column is None:
        return None
    rows = evenly_spread_rows(len(column), MAX_POINTS)
    name = label_of(samples.target_name or "target", None)
    look: dict[str, Any] = {"colour": "data", "opacity": 0.5, "name": name}
    return Points(column[rows], samples.target[rows], size=5, **look)


def _value_axis(values: list[Array], target: Points | None) -> ChartAxis:
    pooled = np.concatenate([v[np.isfinite(v)] for v in values])
    if target is None and len(pooled) and 0 < 1e3 * pooled.min() < pooled.max():
        low, high = np.log10([pooled.min(), pooled.max()]).tolist()
        low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
        return ChartAxis("value", (10.0**low, 10.0**high), log_ticks(low, high), log=True)
    limits = value_limits(*values, *([] if target is None else [np.asarray(target.y)]))
    return ChartAxis("value", limits, even_ticks(*limits, 4))
