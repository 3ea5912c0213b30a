"""The formula's value and a node's amplification s over the data, and the fit to its target."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import END, GAUGE, LOW, THEMES, Theme
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
    axis_style,
    base_layout,
    break_at_poles,
    build,
    evenly_spread_rows,
    has_value,
    label_of,
    listed,
    on_grid,
    plain_text,
    rug_traces,
    s_ceiling,
    scale_style,
    slice_defaults,
    value_limits,
    worst_row,
)

HEIGHT = 344
"""Pixels of every figure of the data, its sliders and switches included."""

MOST_ROWS = 500
"""Most rows that a click can choose."""

_LEVELS = np.linspace(0.05, 0.95, 9)
_ROWS_OF_EFFECTS = 24

_MARGIN = {"l": 58, "r": 10, "t": 24, "b": 42}
_SPLIT = 0.5


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
class _View:
    """What all figures of one node have in common."""

    inspection: Inspection
    node_id: int
    dark: bool
    narrow: bool
    labels: Mapping[str, str] | None

    @property
    def theme(self) -> Theme:
        return THEMES[self.dark]

    @cached_property
    def s(self) -> Array:
        return self.inspection.amplification.trace(self.node_id)[1]

    @cached_property
    def value(self) -> Array:
        return self.inspection.amplification.trace(len(self.inspection.formula) - 1)[0]

    @cached_property
    def worst(self) -> Array:
        return worst_rows(self.s)

    @cached_property
    def rows(self) -> Array:
        """At most `MOST_ROWS` rows: the measured ones, the worst, and others."""
        chosen = np.union1d(program_rows(self.inspection).positions, self.worst[:100])
        return np.union1d(chosen, evenly_spread_rows(len(self.s), MOST_ROWS - len(chosen)))

    def column(self, name: str) -> Array:
        return self.inspection.samples.columns[name]

    def label(self, name: str) -> str:
        return label_of(name, self.labels)

    def row_names(self, rows: Array) -> list[str]:
        return [f"{number:,}" for number in self.inspection.samples.row_numbers[rows].tolist()]

    def points(self, rows: Array, y: Array, axis: str, x: Array, more: str) -> dict[str, Any]:
        """Rows as points whose click tells the row's position."""
        return {
            "type": "scatter",
            "mode": "markers",
            "name": "rows",
            "x": x[rows],
            "y": y[rows],
            "yaxis": axis,
            "customdata": rows,
            "text": self.row_names(rows),
            "hovertext": [
                f"value {a:.5g}<br>s = {b:.4g}"
                for a, b in zip(self.value[rows].tolist(), self.s[rows].tolist(), strict=True)
            ],
            "hovertemplate": f"row %{{text}}{more}<br>%{{hovertext}}<extra></extra>",
            "marker": {"size": 7, "opacity": 0},
        }

    def marks(self, x: Array, y: Array, axis: str, look: dict[str, Any]) -> list[dict[str, Any]]:
        """Diamonds at the worst rows."""
        rows = self.worst[np.isfinite(y[self.worst])]
        rows = rows[evenly_spread_rows(len(rows), MAX_POINTS)] if len(rows) else rows
        mark = {
            "type": "scatter",
            "mode": "markers",
            "name": "worst",
            "x": x[rows],
            "y": y[rows],
            "yaxis": axis,
            "customdata": rows,
            "hoverinfo": "skip",
            "cliponaxis": False,
            "marker": {"symbol": "diamond-open", "size": 7} | look,
        }
        return [mark] if len(rows) else []

    def caption(self, *more: str) -> dict[str, Any]:
        """The node, the worst rows and what else is drawn, above the figure."""
        node = self.inspection.nodes[self.node_id].text
        parts = ["s at " + plain_text(wording.shorten(node, 14 if self.narrow else 30))]
        if len(self.worst):
            singular = int(np.isinf(self.s[self.worst]).sum())
            share = wording.percent(float(shares_of(self.s)[self.worst].sum()))
            carries = f"{singular:,} without a digit" if singular else f"{share} of the noise"
            count = "worst row" if len(self.worst) == 1 else f"worst {len(self.worst):,} rows"
            parts.append(f"◇ {count}: {carries}")
        return {
            "xref": "paper",
            "yref": "paper",
            "x": 0,
            "y": 1,
            "yshift": 4,
            "xshift": -50 if self.narrow else 0,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 12, "color": self.theme.muted},
            "text": " · ".join([*parts, *(() if self.narrow else filter(None, more))]),
        }

    def blank(self, text: str, y: float) -> dict[str, Any]:
        """The meaning of an empty panel."""
        font = {"size": 14, "color": self.theme.ink}
        paper = {"xref": "paper", "yref": "paper", "showarrow": False}
        return paper | {"x": 0.5, "y": y, "text": text, "font": font}


def curve_figure(
    inspection: Inspection,
    node_id: int,
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """The formula of one variable over the data, and the amplification s of a node below."""
    variables = inspection.formula.variables
    view = _View(inspection, node_id, dark, narrow, labels)
    if not variables:
        none = view.blank("The formula has no variable: every sample is the same.", 0.5)
        hidden = {"xaxis": {"visible": False}, "yaxis": {"visible": False}, "annotations": [none]}
        nothing = {"type": "scatter", "x": [], "y": []}
        return build([nothing], base_layout(dark) | hidden | {"height": HEIGHT})
    axis = axis_of(inspection.samples, variables[0])
    if inspection.counts.rechecked:  # double precision alone would draw something else
        column = view.column(axis.name)
        rows = evenly_spread_rows(len(column), MAX_POINTS, worst_row(view.s))
        rows = rows[np.argsort(column[rows], kind="stable")]
        return _two_panels(view, axis, column[rows], view.value[rows], view.s[rows])
    x = axis.grid(CURVE_POINTS)
    return _two_panels(view, axis, x, *on_grid(inspection, node_id, {axis.name: x}, len(x)))


def slice_figure(
    inspection: Inspection,
    node_id: int,
    x_name: str,
    y_name: str | None,
    fixed: Mapping[str, float],
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """A cut along one variable, or along two as a map; the others are `fixed` or at medians."""
    view = _View(inspection, node_id, dark, narrow, labels)
    held = slice_defaults(inspection) | dict(fixed)
    axis = axis_of(inspection.samples, x_name)
    if y_name is not None and y_name != x_name:
        return _map(view, axis, axis_of(inspection.samples, y_name), held)
    x = axis.grid(CURVE_POINTS)
    columns = {name: np.full(len(x), value) for name, value in held.items()} | {x_name: x}
    return _two_panels(view, axis, x, *on_grid(inspection, node_id, columns, len(x)))


def surface_figure(
    inspection: Inspection,
    node_id: int,
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """A map of a node's log10 s over two variables, with contours of the value and the rows."""
    x, y = (axis_of(inspection.samples, name) for name in inspection.formula.variables[:2])
    return _map(_View(inspection, node_id, dark, narrow, labels), x, y, {})


def _two_panels(view: _View, axis: GridAxis, x: Array, y: Array, s: Array) -> go.Figure:
    """The value above, s below, on one x axis; the rows of a cut have other held values."""
    inspection, theme, column = view.inspection, view.theme, view.column(axis.name)
    others = [name for name in inspection.formula.variables if name != axis.name]
    own = f", at its own {listed(others, view.labels)}" if others else ""
    target = None if others else inspection.samples.target
    top = s_ceiling(s, view.s)
    rows = view.rows[np.isfinite(view.s[view.rows])]
    limits = value_limits(y) if target is None else value_limits(target, y)
    # A row of a cut has another value; one beyond the axis is marked at its edge.
    heights = np.full(len(column), np.nan) if others else view.value
    heights = heights if limits is None else np.clip(heights, *limits)
    edge = {"width": 0.4, "color": theme.muted}
    marker = {"size": 5, "opacity": 0.3 if others else 0.9, "line": edge}
    data = [
        _line(x, break_at_poles(np.where(np.isfinite(y), y, np.nan)), "formula", "y"),
        _line(x, np.where(np.isfinite(s), s, np.nan), "s", "y2"),
        view.points(view.rows, heights, "y", column, own),
        view.points(rows, view.s, "y2", column, own) | {"marker": marker},
        *rug_traces(column, view.s, has_value(inspection), top, theme),
        *view.marks(column, heights, "y", {}),
        *view.marks(column, view.s, "y2", {}),
    ]
    data[0]["line"]["color"], data[1]["line"]["color"] = theme.ink, theme.muted
    data[1]["marker"] |= _scaled(s, view.dark)
    data[3]["marker"] |= _scaled(view.s[rows], view.dark)
    for trace in data:
        if trace["name"] == "worst":
            trace["marker"] |= {"color": theme.ink, "line": {"width": 1}}
    if target is not None:
        data.insert(0, _target(view, column, target))
    step = max(1, math.ceil((top - FLOOR) / 4))
    ticks = list(range(0, math.ceil(top), step))
    kind = "double-precision value" if inspection.counts.valid else "real value"
    none = [] if np.isfinite(y).any() else [view.blank(f"no {kind} on these samples", 0.78)]
    name = inspection.samples.target_name if target is not None else ""
    layout = base_layout(view.dark) | {
        "height": HEIGHT,
        "margin": _MARGIN,
        "xaxis": axis_style(theme)
        | scale_style(theme, axis.log, axis.limits())
        | {"anchor": "y2", "title": {"text": view.label(axis.name), "standoff": 4}},
        "yaxis": axis_style(theme)
        | {
            "domain": [_SPLIT + 0.04, 1],
            "title": {"text": plain_text(name[:40]) or "value", "standoff": 4},
            "tickformat": "~g",
            "exponentformat": "power",
            "nticks": 5,
        }
        | ({} if limits is None else {"range": list(limits)}),
        "yaxis2": axis_style(theme)
        | {
            "domain": [0, _SPLIT - 0.04],
            "type": "log",
            "range": [FLOOR, top],
            "tickvals": [10.0**k for k in ticks],
            "ticktext": ["1" if k == 0 else "10" if k == 1 else f"10<sup>{k}</sup>" for k in ticks],
            "title": {"text": "error growth s", "standoff": 4},
        },
        "annotations": [view.caption("points: all rows" if others else ""), *none],
        "shapes": [
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": 1, "y1": 1}
            | {"line": {"color": theme.muted, "width": 1, "dash": "dot"}}
        ],
        "hovermode": "closest",
        "uirevision": f"{inspection.formula.source}|{axis.name}|{axis.low}|{axis.high}",
        "meta": {"axes": [axis.name]},
    }
    return build(data, layout)


def _line(x: Array, y: Array, name: str, axis: str) -> dict[str, Any]:
    single = len(x) < 3 or x[0] == x[-1]
    return {
        "type": "scatter",
        "mode": "markers" if single else "lines" if axis == "y" else "lines+markers",
        "x": x,
        "y": y,
        "yaxis": axis,
        "name": name,
        "connectgaps": False,
        "line": {"width": 2 if axis == "y" else 4},
        "marker": {"size": 9 if single else 3},
        "hovertemplate": f"%{{x:.5g}}<br>{name} = %{{y:.5g}}<extra></extra>",
    }


def _scaled(s: Array, dark: bool) -> dict[str, Any]:
    """The colours of the scale for s."""
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = np.where(np.isfinite(s), np.log10(s), np.nan).astype(np.float32)
    return {"color": digits, "colorscale": GAUGE[dark], "cmin": LOW, "cmax": END}


def _target(view: _View, x: Array, target: Array) -> dict[str, Any]:
    rows = evenly_spread_rows(len(x), MAX_POINTS, *view.worst[:100].tolist())
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[rows],
        "y": target[rows],
        "name": view.inspection.samples.target_name or "data",
        "marker": {"size": 4, "color": view.theme.data, "opacity": 0.5},
        "hoverinfo": "skip",
    }


def _map(view: _View, x: GridAxis, y: GridAxis, held: Mapping[str, float]) -> go.Figure:
    """log10 s on a grid, contours of the value, and the rows; those of a cut are not seen."""
    inspection, theme = view.inspection, view.theme
    x_grid, y_grid = x.grid(MAP_POINTS), y.grid(MAP_POINTS)
    across, up = np.meshgrid(x_grid, y_grid)
    columns = {name: np.full(across.size, value) for name, value in held.items()}
    columns |= {x.name: across.ravel(), y.name: up.ravel()}
    grids = on_grid(inspection, view.node_id, columns, across.size)
    value, s = (grid.reshape(across.shape) for grid in grids)
    others = [name for name in held if name not in (x.name, y.name)]
    own = f", at its own {listed(others, view.labels)}" if others else ""
    rows = view.points(view.rows, view.column(y.name), "y", view.column(x.name), own)
    if not others:
        edge = {"width": 0.5, "color": "#000000"}
        rows["marker"] = {"size": 3, "color": "#ffffff", "opacity": 0.5, "line": edge}
    lines, drawn = _contours(view, x_grid, y_grid, value)
    bright = {"symbol": "diamond", "size": 7, "color": "rgba(255,255,255,0.85)"}
    bright["line"] = {"width": 1.2, "color": "#000000"}
    data = [_heat(view, x, y, x_grid, y_grid, value, s), *lines]
    data += _singular_cells(x_grid, y_grid, s, theme)
    data += view.marks(view.column(x.name), view.column(y.name), "y", bright)
    data.append(rows)
    some = np.isfinite(value).any()
    blank = "" if some else "no value in double precision here"
    if some and np.isinf(s).sum() > s.size / 2:
        blank = "∞: no digit is right on most of the map"
    cell = 0.5 / (MAP_POINTS - 1)
    x_axis, y_axis = (
        axis_style(theme)
        | scale_style(theme, axis.log, axis.limits(cell))
        | {"title": {"text": view.label(axis.name), "standoff": 4}}
        for axis in (x, y)
    )
    layout = base_layout(view.dark) | {
        "height": HEIGHT,
        "margin": _MARGIN | {"r": 64},
        "xaxis": x_axis,
        "yaxis": y_axis,
        "annotations": [view.caption(drawn), *([view.blank(blank, 0.5)] if blank else [])],
        "hovermode": "closest",
        "hoverdistance": 8,
        "plot_bgcolor": "rgba(128,128,128,0.16)",
        "uirevision": f"{inspection.formula.source}|{x.name}|{y.name}",
        "meta": {"axes": [x.name, y.name]},
    }
    return build(data, layout)


def _heat(
    view: _View, x: GridAxis, y: GridAxis, x_grid: Array, y_grid: Array, value: Array, s: Array
) -> dict[str, Any]:
    scaled, muted = _scaled(s, view.dark), {"size": 12, "color": view.theme.muted}
    return {
        "type": "heatmap",
        "name": "log₁₀ s",
        "x": x_grid,
        "y": y_grid,
        "z": scaled["color"],
        "customdata": value,
        "colorscale": scaled["colorscale"],
        "zmin": LOW,
        "zmax": END,
        "hoverongaps": False,
        "hovertemplate": f"{view.label(x.name)} %{{x:.4g}}, {view.label(y.name)} %{{y:.4g}}<br>"
        "value %{customdata:.5g}<br>log₁₀ s %{z:.2f}<extra></extra>",
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "x": 1.0,
            "xpad": 8,
            "dtick": 4,
            "tickfont": muted,
            "title": {"text": "error growth, digits (log₁₀ s)", "side": "right", "font": muted},
        },
    }


def _contours(
    view: _View, x_grid: Array, y_grid: Array, value: Array
) -> tuple[list[dict[str, Any]], str]:
    """About six lines of equal value with their labels, on a light edge, and what they are."""
    z = np.where(np.isfinite(value), value, np.nan)
    values = z[np.isfinite(z)]
    what = "lines: value"
    if len(values) and values.min() > 0 and values.max() > 1e3 * values.min():
        z, values, what = np.log10(z), np.log10(values), "lines: log₁₀ of the value"
    if not len(values) or np.ptp(np.quantile(values, [0.05, 0.95])) == 0 or min(z.shape) < 2:
        return [], ""
    low, high = np.quantile(values, [0.05, 0.95]).tolist()
    step = (high - low) / 7
    power = 10.0 ** math.floor(math.log10(step))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= step)
    line: dict[str, Any] = {
        "type": "contour",
        "x": x_grid,
        "y": y_grid,
        "z": z.astype(np.float32),
        "name": "edge",
        "autocontour": False,
        "contours": {
            "coloring": "none",
            "start": math.ceil(low / step) * step,
            "end": math.floor(high / step) * step,
            "size": step,
        },
        "line": {"color": view.theme.paper, "width": 3},
        "opacity": 0.55,
        "hoverinfo": "skip",
        "showscale": False,
    }
    ink = view.theme.ink
    labels = {"showlabels": True, "labelfont": {"size": 12, "color": ink}, "labelformat": "~g"}
    own = {"name": "value", "opacity": 1, "line": {"color": ink, "width": 1}}
    return [line, line | own | {"contours": line["contours"] | labels}], what


def _singular_cells(x: Array, y: Array, s: Array, theme: Theme) -> list[dict[str, Any]]:
    rows, columns = np.nonzero(np.isinf(s))
    if not len(rows) or len(rows) > s.size / 2:
        return []
    some = evenly_spread_rows(len(rows), 200)
    mark = {"type": "scatter", "mode": "text", "text": ["∞"] * len(some), "hoverinfo": "skip"}
    font = {"textfont": {"size": 12, "color": theme.ink}}
    return [mark | font | {"x": x[columns[some]], "y": y[rows[some]]}]


def residual_figure(
    inspection: Inspection, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """Target against prediction, and the residual below; `DataError` without a target."""
    theme, fit, target = THEMES[dark], fit_of(inspection), inspection.samples.target
    assert target is not None
    rows = np.flatnonzero(np.isfinite(fit.predicted))
    rows = rows[evenly_spread_rows(len(rows), MOST_ROWS)] if len(rows) else rows
    predicted, residual, actual = fit.predicted[rows], fit.residual[rows], target[rows]
    name = plain_text((inspection.samples.target_name or "target")[:40])
    point = {
        "type": "scatter",
        "mode": "markers",
        "name": "rows",
        "x": predicted,
        "customdata": rows,
        "marker": {"size": 5, "color": theme.accent, "opacity": 0.55},
    }
    data: list[dict[str, Any]] = [
        point
        | {
            "y": y,
            "yaxis": axis,
            "hovertemplate": f"predicted %{{x:.5g}}<br>{what} %{{y:.5g}}<extra></extra>",
        }
        for y, axis, what in ((actual, "y", "target"), (residual, "y2", "residual"))
    ]
    if len(actual):  # where a perfect prediction lies
        ends = [float(actual.min()), float(actual.max())]
        line = {"color": theme.muted, "width": 1, "dash": "dot"}
        ideal = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line}
        data.append(ideal | {"x": ends, "y": ends})
    style = axis_style(theme) | {"exponentformat": "power", "nticks": 6}
    zero = {"zeroline": True, "zerolinecolor": theme.muted, "zerolinewidth": 1}
    layout = base_layout(dark) | {
        "height": HEIGHT,
        "margin": _MARGIN,
        "title": {"text": fit_text(fit), "x": 0, "xref": "paper", "y": 0.99, "yanchor": "top"}
        | {"font": {"size": 12}},
        "xaxis": style
        | _limited(predicted)
        | {"anchor": "y2", "title": {"text": f"predicted {name}", "standoff": 4}},
        "yaxis": style | {"domain": [0.44, 1], "title": {"text": name, "standoff": 4}},
        "yaxis2": style
        | _limited(residual)
        | zero
        | {"domain": [0, 0.36], "title": {"text": "residual", "standoff": 4}},
        "hovermode": "closest",
        "uirevision": inspection.formula.source,
        "meta": {"axes": []},
    }
    return build(data, layout)


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


def _limited(values: Array) -> dict[str, Any]:
    limits = value_limits(values)
    if limits is None:
        if not len(values) or values.min() == values.max():
            return {}
        margin = 0.04 * float(values.max() - values.min())
        limits = float(values.min()) - margin, float(values.max()) + margin
    return {"range": list(limits)}
