"""The formula's value and a node's amplification s over the data, and the fit to its target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    Cells,
    Chart,
    ChartAxis,
    Guide,
    Label,
    Mark,
    Numbers,
    Panel,
    Points,
    Stroke,
    even_ticks,
)
from eic_core.drawing.curves import level_line
from eic_core.explain.where import shares_of
from eic_core.measure import Inspection
from eic_core.measure.fit import Fit, fit_of
from eic_core.measure.measured import program_rows
from pages.ui.figures.plotting import (
    CURVE_POINTS,
    FLOOR,
    MAP_POINTS,
    MAX_POINTS,
    Array,
    GridAxis,
    axis_of,
    digits_axis,
    digits_of,
    evenly_spread_rows,
    has_value,
    label_of,
    listed,
    on_grid,
    slice_defaults,
    value_limits,
)

HEIGHT = 344
"""Pixels of every figure of the data, its sliders and switches included."""

MOST_ROWS = 500
"""Most rows that are drawn with their numbers."""

PANEL, MAP = 124, 272
"""Pixels of each of two panels, and of a map, in a figure of `HEIGHT`."""

DIGITS = "error growth, digits"

_LEVELS = np.linspace(0.05, 0.95, 9)
_ROWS_OF_EFFECTS = 24


def worst_rows(s: Array) -> Array:
    """The hundredth of the rows with the largest s, the worst first; none if s is nearly even.

    >>> worst_rows(np.array([1.0, np.nan, 40.0, 2.0])), worst_rows(np.ones(300))
    (array([2]), array([], dtype=int64))
    """
    sizes = np.where(np.isnan(s), -1.0, s)
    count = int(np.count_nonzero(sizes >= 0))
    worst = np.argsort(-sizes, kind="stable")[: math.ceil(count / 100)]
    # A tenth of a digit more than the middle row loses is no mark.
    even = not count or sizes[worst[0]] < 1.25 * np.median(sizes[sizes >= 0])
    return worst[:0] if even else worst


def effects(inspection: Inspection, node_id: int) -> dict[str, float]:
    """The digits by which each variable alone moves log10 s of a node.

    At some rows the variable takes the values of its middle 90 %, the others keep theirs; the mean
    of the ranges of log10 s.
    """
    columns, names = inspection.samples.columns, inspection.formula.variables
    rows = evenly_spread_rows(len(inspection.samples), _ROWS_OF_EFFECTS)
    levels = {name: np.quantile(columns[name], _LEVELS, method="nearest") for name in names}
    shape = len(rows), len(_LEVELS)
    grids = {
        name: np.concatenate(
            [
                np.broadcast_to(
                    levels[name] if name == moved else columns[name][rows][:, None], shape
                ).ravel()
                for moved in names
            ]
        )
        for name in names
    }
    _, s = on_grid(inspection, node_id, grids, len(names) * shape[0] * shape[1])
    defined = ~np.isnan(s)
    digits = np.log10(np.clip(s, 1e-16, 1e16)).reshape(len(names), *shape)
    defined = defined.reshape(digits.shape)
    high = np.where(defined, digits, -np.inf).max(axis=2)
    low = np.where(defined, digits, np.inf).min(axis=2)
    ranges = np.where(defined.any(axis=2), high - low, 0.0).mean(axis=1)
    return dict(zip(names, ranges.tolist(), strict=True))


def telling_variables(inspection: Inspection, origin: int) -> tuple[str, ...]:
    """The variables below the node to blame, then the others; those that move s most first.

    The first two stand in the formula's order.
    """
    names, root = inspection.formula.variables, len(inspection.formula) - 1
    if len(names) < 2:
        return tuple(names)
    below = inspection.formula.subtree(origin).variables
    at_origin, at_root = effects(inspection, origin), effects(inspection, root)
    ranked = sorted(
        names, key=lambda n: (n not in below, -round(at_origin[n], 1), -round(at_root[n], 1))
    )
    # The first two make one picture, across and up; of almost equal ones chance would be first.
    return (*sorted(ranked[:2], key=names.index), *ranked[2:])


@dataclass(frozen=True)
class DataView:
    """A node of an inspection, over one or two variables; the others are held."""

    inspection: Inspection
    node_id: int
    along: tuple[str, ...]
    fixed: Mapping[str, float]
    labels: Mapping[str, str] | None = None

    @cached_property
    def digits(self) -> Array:
        return digits_of(self.inspection.amplification.trace(self.node_id)[1])

    @cached_property
    def value(self) -> Array:
        return self.inspection.amplification.trace(len(self.inspection.formula) - 1)[0]

    @cached_property
    def worst(self) -> Array:
        rows = worst_rows(self.inspection.amplification.trace(self.node_id)[1])
        return rows[evenly_spread_rows(len(rows), MAX_POINTS)] if len(rows) else rows

    @cached_property
    def rows(self) -> Array:
        """At most `MOST_ROWS` rows: the measured ones, the worst, and others."""
        chosen = np.union1d(program_rows(self.inspection).positions, self.worst[:100])
        return np.union1d(chosen, evenly_spread_rows(len(self.digits), MOST_ROWS - len(chosen)))

    @property
    def others(self) -> list[str]:
        return [name for name in self.inspection.formula.variables if name not in self.along]

    def axis(self, name: str) -> GridAxis:
        return axis_of(self.inspection.samples, name)

    def column(self, name: str) -> Array:
        return self.inspection.samples.columns[name]

    def at(self, columns: Mapping[str, Array]) -> tuple[Array, Array]:
        """The formula's value and the node's digits."""
        count = len(next(iter(columns.values())))
        held = slice_defaults(self.inspection) | dict(self.fixed)
        grids = {name: np.full(count, held[name]) for name in self.others} | dict(columns)
        value, s = on_grid(self.inspection, self.node_id, grids, count)
        return np.where(np.isfinite(value), value, np.nan), digits_of(s)

    def points(self, x: Array, y: Array, opacity: float, coloured: bool = False) -> Points:
        """Rows with their numbers."""
        own = f", at its own {listed(self.others, self.labels)}" if self.others else ""
        rows = self.rows[np.isfinite(y[self.rows])]
        numbers = self.inspection.samples.row_numbers[rows].tolist()
        each = zip(numbers, self.value[rows].tolist(), self.digits[rows].tolist(), strict=True)
        hints = [f"row {n:,}{own}\nvalue {v:.5g}\n{d:.2f} digits" for n, v, d in each]
        look: dict[str, Any] = {"digits": self.digits[rows]} if coloured else {}
        look |= {"opacity": opacity, "hints": hints, "keys": rows.tolist()}
        return Points(x[rows], y[rows], size=5, colour="data", **look)

    def diamonds(self, x: Array, y: Array) -> Points:
        """The worst rows."""
        return Points(x[self.worst], y[self.worst], "diamond-open", 7)

    def caption(self, *more: str) -> Label:
        """The node, the worst rows and what else is drawn, above the figure."""
        parts = [f"s at {wording.shorten(self.inspection.nodes[self.node_id].text, 20)}", *more]
        if len(self.worst):
            s = self.inspection.amplification.trace(self.node_id)[1]
            worst = worst_rows(s)
            singular = int(np.isinf(s[worst]).sum())
            share = wording.percent(float(shares_of(s)[worst].sum()))
            carries = f"{singular:,} without a digit" if singular else f"{share} of the noise"
            count = "worst row" if len(worst) == 1 else f"worst {len(worst):,} rows"
            parts.insert(0, f"◇ {count}: {carries}")
        return Label(" · ".join(parts), 0, 1, "xy", raised=True, colour="muted")


def data_figure(
    inspection: Inspection,
    node_id: int,
    along: Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
) -> Chart:
    """The formula's value and the digits of a node along one variable, or over two as a map; the
    others are `fixed` or at their medians.
    """
    names = inspection.formula.variables
    view = DataView(inspection, node_id, tuple(along or names[:2]), fixed or {}, labels)
    if not names:
        text = "The formula has no variable: every sample is the same."
        nothing = ChartAxis(limits=(0, 1), ticks=())
        panel = Panel((Label(text, 0.5, 0.5, "xy", "center"),), nothing, nothing, MAP)
        return Chart((panel,), text)
    if len(view.along) == 1:
        return _curves(view)
    return maps([view])


def _curves(view: DataView) -> Chart:
    """The value above, digits below; the rows of a cut have other held values."""
    inspection, axis, column = view.inspection, view.axis(view.along[0]), view.column(view.along[0])
    target = None if view.others else inspection.samples.target
    if inspection.counts.rechecked:  # double precision alone would draw something else
        x, y, digits = column, view.value, view.digits
    else:
        x = axis.grid(CURVE_POINTS)
        y, digits = view.at({axis.name: x})
    limits = value_limits(y, *([] if target is None else [target]))
    name = (inspection.samples.target_name or "value") if target is not None else "value"
    up = ChartAxis(name[:40], limits, even_ticks(*limits, 4))
    down = digits_axis(digits, view.digits)
    # A row of a cut has another value; one beyond the axis is marked at its edge.
    heights = np.full(len(column), np.nan) if view.others else np.clip(view.value, *limits)
    caption = view.caption(*(["points: all rows"] if view.others else []))
    above: list[Mark] = [caption]
    below: list[Mark] = [Guide(0, level=True, dash="dot", colour="muted")]
    if target is not None:
        rows = evenly_spread_rows(len(column), MAX_POINTS, *view.worst[:100].tolist())
        above.append(Points(column[rows], target[rows], size=4, colour="data", opacity=0.5))
    if inspection.counts.rechecked or len(x) == 1:
        above.append(Points(x, y, size=4, quantity="value"))
    else:
        value = axis.curve(lambda x: view.at({axis.name: x})[0], up)
        lost = axis.curve(lambda x: view.at({axis.name: x})[1], down)
        above.append(Stroke(*value, quantity="value"))
        below.append(Stroke(*lost, 4, colour="muted", quantity="digits"))
        below.append(Points(*lost, size=3, digits=lost[1]))
    if not np.isfinite(y).any():
        kind = "double-precision value" if inspection.counts.valid else "real value"
        above.append(Label(f"no {kind} on these samples", 0.5, 0.5, "xy", "center"))
    below += [
        view.points(column, view.digits, 0.35 if view.others else 0.9, True),
        *_rug(view, column, down),
    ]
    above += [view.points(column, heights, 0), view.diamonds(column, heights)]
    below.append(view.diamonds(column, view.digits))
    across = axis.chart_axis(label_of(axis.name, view.labels))
    panels = (
        Panel(tuple(above), across, up, PANEL),
        Panel(tuple(below), across, down, PANEL),
    )
    words = f"The formula's value and its {DIGITS}, over {across.title}. {caption.text}."
    return Chart(panels, words, joined=True, inputs=view.along, free=True)


def _rug(view: DataView, column: Array, axis: ChartAxis) -> list[Mark]:
    """Singular samples on the upper edge, invalid ones on the lower."""
    marks: list[Mark] = []
    floor, top = axis.limits or (FLOOR, 1.0)
    for rows, level, symbol, name in (
        (
            np.flatnonzero(np.isinf(view.digits) & (view.digits > 0)),
            top,
            "triangle-down",
            "singular",
        ),
        (np.flatnonzero(~has_value(view.inspection)), floor, "line-ns", "no real value"),
    ):
        if len(rows):
            x = column[rows[evenly_spread_rows(len(rows), 300)]]
            hints = [f"{name} at {each:.6g}" for each in x.tolist()]
            marks.append(Points(x, np.full(len(x), level), symbol, 9, hints=hints))
    return marks


def maps(views: Sequence[DataView], titles: Sequence[str] = ("",)) -> Chart:
    """A node's digits on a grid, lines of equal value and the rows; of several formulas side by
    side, with lines at the same values.
    """
    grids = []
    for view in views:
        x, y = (view.axis(name).grid(MAP_POINTS) for name in view.along)
        across, up = np.meshgrid(x, y)
        flat = view.at(dict(zip(view.along, (across.ravel(), up.ravel()), strict=True)))
        grids.append((x, y, *(each.reshape(across.shape) for each in flat)))
    levels, what = _levels([value for *_, value, _ in grids])
    panels, said = [], []
    for view, title, at, (x, y, value, digits) in zip(views, titles, levels, grids, strict=True):
        caption = view.caption(*([f"lines: {what}"] if len(at) else []))
        said.append(f"{title}{': ' * bool(title)}{caption.text}")
        caption = Label(title, 0.5, 1, "xy", "center", raised=True, bold=True) if title else caption
        marks: list[Mark] = [caption, Cells(x, y, digits, value), *_lines(x, y, value, at, what)]
        across, up = (view.column(name) for name in view.along)
        if not view.others:
            marks.append(view.points(across, up, 0.9))
        bright = Points(across[view.worst], up[view.worst], "diamond", 7, colour="paper")
        marks += [replace(bright, size=9, colour="ink"), bright]
        empty = "" if np.isfinite(value).any() else "no value in double precision here"
        marks += [Label(empty, 0.5, 0.5, "xy", "center")] if empty else []
        cell = 0.5 / (MAP_POINTS - 1)
        x_axis, y_axis = (
            view.axis(name).chart_axis(label_of(name, view.labels), cell) for name in view.along
        )
        panels.append(Panel(tuple(marks), x_axis, y_axis, MAP))
    names = wording.join([label_of(name, views[0].labels) for name in views[0].along])
    words = f"A map of the {DIGITS}, over {names}. {'; '.join(said)}."
    look: dict[str, Any] = {"columns": len(panels), "scale": f"{DIGITS} (log₁₀ s)"}
    return Chart(tuple(panels), words, inputs=views[0].along, free=True, **look)


def _levels(values: Sequence[Array]) -> tuple[list[Array], str]:
    """About six values for the lines of each map, and what they are; with one step for all, if
    each then has two.
    """
    finite = [each[np.isfinite(each)] for each in values]
    what = "value"
    if all(len(each) and 0 < 1e3 * each.min() < each.max() for each in finite):
        finite, what = [np.log10(each) for each in finite], "log₁₀ of the value"
    ends = [np.quantile(each, [0.05, 0.95]) if len(each) else np.zeros(2) for each in finite]
    steps = [_step(float(high - low)) for low, high in ends]

    def between(ends: Array, step: float) -> Array:
        low, high = ends.tolist()
        # Multiples of the step, despite rounding.
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return step * np.arange(first, last + 1) if high > low else np.empty(0)

    shared = [between(pair, max(steps)) for pair in ends]
    if any(len(each) < 2 for each in shared):
        shared = [between(pair, step) for pair, step in zip(ends, steps, strict=True)]
    return shared, what


def _step(span: float) -> float:
    power = 10.0 ** math.floor(math.log10(span / 7 or 1))
    return power * next(k for k in (1, 2, 5, 10) if k * power >= span / 7)


def _lines(x: Array, y: Array, value: Array, levels: Array, what: str) -> list[Mark]:
    """Lines of equal value on a light edge, each with its number, near the middle of the map."""
    marks: list[Mark] = []
    for level in levels.tolist():
        xs, ys = level_line(x, y, value, 10.0**level if what.startswith("log") else level)
        if len(xs):
            off = ((xs - x.mean()) / np.ptp(x)) ** 2 + ((ys - y.mean()) / np.ptp(y)) ** 2
            middle = int(np.nanargmin(off))
            marks += [Stroke(xs, ys, 3, colour="paper", opacity=0.55), Stroke(xs, ys, 1)]
            text = wording.significant(level, 4)
            marks.append(Label(text, float(xs[middle]), float(ys[middle]), side="center"))
    return marks


def residual_figure(inspection: Inspection) -> Chart:
    """Target against prediction, and the residual below; `DataError` without a target."""
    fit, target = fit_of(inspection), inspection.samples.target
    assert target is not None
    rows = np.flatnonzero(np.isfinite(fit.predicted))
    rows = rows[evenly_spread_rows(len(rows), MOST_ROWS)] if len(rows) else rows
    predicted, residual, actual = fit.predicted[rows], fit.residual[rows], target[rows]
    name, text = (inspection.samples.target_name or "target")[:40], fit_text(fit)
    ends: Numbers = [float(actual.min()), float(actual.max())] if len(actual) else []

    def points(y: Array, what: str) -> Points:
        look: dict[str, Any] = {"colour": "accent", "opacity": 0.55, "keys": rows.tolist()}
        return Points(predicted, y, size=5, quantity=what, **look)

    def scaled(title: str, values: Array) -> ChartAxis:
        limits = value_limits(values)
        return ChartAxis(title, limits, even_ticks(*limits, 5))

    x = scaled(f"predicted {name}", predicted)
    ideal = Stroke(ends, ends, 1, "dot", colour="muted")  # where a perfect prediction lies
    title = Label(text, 0, 1, "xy", raised=True)
    zero = Guide(0, level=True, dash="solid", colour="muted")
    panels = (
        Panel((points(actual, "target"), ideal, title), x, scaled(name, actual), 1.25 * PANEL),
        Panel((points(residual, "residual"), zero), x, scaled("residual", residual), 0.75 * PANEL),
    )
    words = f"{name} and the residual over the prediction: {text}"
    return Chart(panels, words, joined=True, inputs=(), free=True)


def fit_text(fit: Fit) -> str:
    """R² in words, with the rows that it leaves out.

    >>> import numpy as np
    >>> none = np.empty(0)
    >>> fit_text(Fit(none, none, 0.98765, 0.98765, ""))
    'R² = 0.988'
    """
    if not fit.reason:
        return f"R² = {wording.r_squared(fit.r2)}"
    if math.isnan(fit.r2_valid):
        return f"R² is undefined: {fit.reason}"
    return f"R² = {wording.r_squared(fit.r2_valid)} where defined: {fit.reason}"
