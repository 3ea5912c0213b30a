"""The formula and a node's amplification over the data, and the fit to its target."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import THEMES, Theme
from eic_core.measure import Inspection
from eic_core.measure.fit import Fit, fit_of
from pages.ui.figures.maps import carrier_marks, map_figure, map_pair
from pages.ui.figures.plotting import (
    CURVE_POINTS,
    FLOOR,
    MAX_POINTS,
    SECOND_LINE,
    Array,
    GridAxis,
    axis_of,
    axis_style,
    base_layout,
    build,
    evenly_spread_rows,
    has_value,
    label_of,
    line_trace,
    listed,
    on_grid,
    panel_note,
    rug_traces,
    s_ceiling,
    sampled_trace,
    scale_style,
    slice_defaults,
    target_points,
    value_limits,
    worst_marker,
    worst_row,
    worst_sample,
)


def residual_figure(
    inspection: Inspection, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """Target against prediction, and the residual below; `DataError` without a target."""
    theme = THEMES[dark]
    fit = fit_of(inspection)
    target = inspection.samples.target
    assert target is not None
    rows = np.flatnonzero(np.isfinite(fit.predicted))
    rows = rows[evenly_spread_rows(len(rows), MAX_POINTS)] if len(rows) else rows
    predicted, residual, actual = fit.predicted[rows], fit.residual[rows], target[rows]
    data = _fit_traces(predicted, residual, actual, theme)
    style = axis_style(theme) | {"exponentformat": "power"}
    name = (inspection.samples.target_name or "target")[:40].replace("<", "&lt;")
    layout = base_layout(dark) | {
        "height": 400,
        "margin": {"l": 62, "r": 10, "t": 40, "b": 48},
        "title": {"text": fit_text(fit), "x": 0, "xref": "paper", "font": {"size": 14}},
        "xaxis": style
        | _limited(predicted)
        | {
            "anchor": "y2",
            "title": {"text": f"predicted {name}", "standoff": 6},
        },
        "yaxis": style | {"domain": [0.42, 1], "title": {"text": name, "standoff": 4}},
        "yaxis2": style
        | _limited(residual)
        | {
            "domain": [0, 0.34],
            "title": {"text": "residual", "standoff": 4},
            "zeroline": True,
            "zerolinecolor": theme.muted,
            "zerolinewidth": 1,
        },
        "hovermode": "closest",
        "uirevision": inspection.formula.source,
    }
    return build(data, layout)


def _fit_traces(
    predicted: Array, residual: Array, actual: Array, theme: Theme
) -> list[dict[str, Any]]:
    """Points of both panels, and the line on which a perfect prediction lies."""
    marker = {"size": 5, "color": theme.accent, "opacity": 0.55}
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": predicted,
            "y": actual,
            "marker": marker,
            "hovertemplate": "predicted %{x:.5g}<br>target %{y:.5g}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": predicted,
            "y": residual,
            "yaxis": "y2",
            "marker": marker,
            "hovertemplate": "predicted %{x:.5g}<br>residual %{y:.5g}<extra></extra>",
        },
    ]
    if len(actual):
        ends = [float(actual.min()), float(actual.max())]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": ends,
                "y": ends,
                "hoverinfo": "skip",
                "line": {"color": theme.muted, "width": 1, "dash": "dot"},
            }
        )
    return data


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


__all__ = [
    "curve_figure",
    "residual_figure",
    "slice_defaults",
    "slice_figure",
    "surface_figure",
    "worst_sample",
]

_SPLIT = 0.42
"""Share of the height up to which the lower panel reaches."""


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
    if not variables:
        return _message("The formula has no variable: every sample is the same.", dark)
    samples, amplification = inspection.samples, inspection.amplification
    axis = axis_of(samples, variables[0])
    column = samples.columns[axis.name]
    _, s = amplification.trace(node_id)
    worst = worst_row(s)
    if inspection.counts.rechecked:  # double precision alone would draw something else
        y_all, _ = amplification.trace(len(inspection.nodes) - 1)
        rows = evenly_spread_rows(len(column), MAX_POINTS, worst)
        rows = rows[np.argsort(column[rows], kind="stable")]
        x, y, s_line = column[rows], y_all[rows], s[rows]
    else:
        x = axis.grid(CURVE_POINTS)
        y, s_line = on_grid(inspection, node_id, {axis.name: x}, len(x))
    data: list[dict[str, Any]] = []
    theme = THEMES[dark]
    target = samples.target
    if target is not None:
        rows = evenly_spread_rows(len(column), MAX_POINTS, worst)
        data.append(target_points(column[rows], target[rows], samples.target_name or "data", theme))
    data.append(line_trace(x, y, "formula", theme, "y"))
    data.append(line_trace(x, s_line, "s", theme, "y2"))
    top = s_ceiling(s_line, s)
    data.append(sampled_trace(column, s, theme))
    data += rug_traces(column, s, has_value(inspection), top, theme)
    marks, note = carrier_marks(column, s, s, theme, narrow=narrow)
    data += marks
    if worst is not None and math.isfinite(float(s[worst])):
        data.append(worst_marker(float(column[worst]), float(s[worst]), axis, theme))
    return _two_rows(inspection, node_id, axis, data, y, target, top, dark, narrow, labels, note)


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
    held = slice_defaults(inspection) | dict(fixed)
    axis = axis_of(inspection.samples, x_name)
    if y_name is not None and y_name != x_name:
        other = axis_of(inspection.samples, y_name)
        pair = map_pair(inspection, node_id, axis, other, held)
        return map_figure(inspection, node_id, pair, None, dark, narrow, labels)
    x = axis.grid(CURVE_POINTS)
    columns = {name: np.full(len(x), value) for name, value in held.items()} | {x_name: x}
    y, s = on_grid(inspection, node_id, columns, len(x))
    theme = THEMES[dark]
    column = inspection.samples.columns[x_name]
    _, measured = inspection.amplification.trace(node_id)
    others = [name for name in inspection.formula.variables if name != x_name]
    # The marks stand at their own s, which is not on the cut.
    marks, note = carrier_marks(
        column, measured, measured, theme, narrow=narrow, beyond=listed(others, labels)
    )
    top = s_ceiling(s, *(trace["y"] for trace in marks))
    data = [line_trace(x, y, "formula", theme, "y"), line_trace(x, s, "s", theme, "y2")]
    data += [*rug_traces(x, s, ~np.isnan(s), top, theme), *marks]
    return _two_rows(inspection, node_id, axis, data, y, None, top, dark, narrow, labels, note)


def surface_figure(
    inspection: Inspection,
    node_id: int,
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """Maps of the formula's value and of a node's log10 s over two variables, with samples."""
    x_name, y_name = inspection.formula.variables[:2]
    samples = inspection.samples
    pair = map_pair(
        inspection,
        node_id,
        axis_of(samples, x_name),
        axis_of(samples, y_name),
        slice_defaults(inspection),
    )
    worst = worst_sample(inspection, node_id)
    return map_figure(inspection, node_id, pair, worst, dark, narrow, labels)


def _two_rows(
    inspection: Inspection,
    node_id: int,
    axis: GridAxis,
    data: list[dict[str, Any]],
    y: Array,
    target: Array | None,
    top: float,
    dark: bool,
    narrow: bool,
    labels: Mapping[str, str] | None,
    carriers: str = "",
) -> go.Figure:
    theme = THEMES[dark]
    limits = value_limits(y) if target is None else value_limits(target, y)
    step = max(1, math.ceil((top - FLOOR) / 6))
    ticks = list(range(0, math.ceil(top), step))
    values = axis_style(theme) | {
        "domain": [_SPLIT + 0.06 + (SECOND_LINE if carriers else 0), 1],
        "title": {"text": _value_title(inspection), "standoff": 4},
        "tickformat": "~g",
        "exponentformat": "power",
    }
    if limits is not None:
        values["range"] = list(limits)
    blank = [] if np.isfinite(y).any() else [_blank(inspection, theme)]
    layout = base_layout(dark) | {
        "height": 460 if narrow else 335,
        "margin": {"l": 62, "r": 10, "t": 12, "b": 48},
        "xaxis": axis_style(theme)
        | scale_style(theme, axis.log, axis.limits())
        | {
            "anchor": "y2",
            "title": {"text": label_of(axis.name, labels), "standoff": 6},
        },
        "yaxis": values,
        "yaxis2": axis_style(theme)
        | {
            "domain": [0, _SPLIT - 0.02],
            "type": "log",
            "range": [FLOOR, top],
            "tickvals": [10.0**k for k in ticks],
            "ticktext": ["1" if k == 0 else "10" if k == 1 else f"10<sup>{k}</sup>" for k in ticks],
            "title": {"text": "amplification s", "standoff": 4},
        },
        "annotations": [panel_note(inspection, node_id, _SPLIT - 0.02, theme, carriers), *blank],
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "yref": "y2",
                "y0": 1,
                "y1": 1,
                "line": {"color": theme.muted, "width": 1, "dash": "dot"},
            }
        ],
        "hovermode": "closest",
        "uirevision": f"{inspection.formula.source}|{axis.name}|{axis.low}|{axis.high}",
    }
    return build(data, layout)


def _value_title(inspection: Inspection) -> str:
    name = inspection.samples.target_name if inspection.samples.target is not None else ""
    return name or "value"


def _blank(inspection: Inspection, theme: Theme) -> dict[str, Any]:
    kind = "double-precision value" if inspection.counts.valid else "real value"
    return {
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": 0.5 + _SPLIT / 2,
        "showarrow": False,
        "text": f"no {kind} on these samples",
        "font": {"size": 14, "color": theme.muted},
    }


def _message(text: str, dark: bool) -> go.Figure:
    note = {
        "text": text,
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": 0.5,
        "font": {"size": 14, "color": THEMES[dark].muted},
    }
    hidden = {"visible": False}
    layout = base_layout(dark) | {
        "height": 160,
        "xaxis": hidden,
        "yaxis": hidden,
        "annotations": [note],
    }
    return build([{"type": "scatter", "x": [], "y": []}], layout)
