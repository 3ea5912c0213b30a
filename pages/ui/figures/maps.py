"""Two variables: maps of the value and of log10 s, with the rows that carry the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import HIGH, LOW, SCALE, THEMES, Theme
from eic_core.explain.where import few_carriers
from eic_core.measure import Inspection
from pages.ui.figures.plotting import (
    MAP_POINTS,
    SECOND_LINE,
    TITLE,
    Array,
    GridAxis,
    axis_style,
    base_layout,
    build,
    evenly_spread_rows,
    label_of,
    listed,
    on_grid,
    panel_note,
    scale_style,
    value_limits,
)

ON_MAP = {"color": "rgba(255,255,255,0.8)", "line": {"width": 1.2, "color": "#000000"}}
"""A mark that stands out on light and on dark."""

_MOST = 400
"""Most marks drawn, the largest shares first."""


def carrier_marks(
    x: Array,
    y: Array,
    s: Array,
    theme: Theme,
    *,
    on_map: bool = False,
    narrow: bool = False,
    beyond: str = "",
) -> tuple[list[dict[str, Any]], str]:
    """Diamonds at the few rows that carry 99 % of a node's noise, and a sentence about them.

    `x`, `y` (places in the lower panel) and `s` have shape (N,); `beyond` names other inputs, safe
    as Plotly text, whose values differ from the picture's.
    """
    rows = few_carriers(s)
    if not rows:
        return [], ""
    drawn = np.array(rows[:_MOST])
    note = f"{wording.count(len(rows), 'row gives', 'rows give')} 99 % of the noise"
    hover = f"%{{x:.6g}}<br>{note}:<br>this is one of them"
    if narrow and len(rows) > 1:
        note = f"{wording.count(len(rows), 'row')}: 99 % of the noise"
    if beyond:
        hover += f",<br>at its own {beyond}"
        note += f", any {beyond}" if narrow else f", at any {beyond}"
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": x[drawn],
        "y": y[drawn],
        "yaxis": "y2",
        "name": "carriers",
        "customdata": drawn,
        "marker": ON_MAP | {"size": 8, "symbol": "diamond"}
        if on_map
        else {
            "size": 7,
            "symbol": "diamond-open",
            "color": theme.ink,
            "opacity": 0.8,
            "line": {"width": 1},
        },
        "hovertemplate": f"{hover}<extra></extra>",
    }
    return [trace], f"◇ {note}"


MAP_SAMPLES = 400
"""Most samples drawn on a map."""

_SPLIT = 0.5
_CELL = 0.5 / (MAP_POINTS - 1)
"""Half a cell, as a share of the axis."""


@dataclass(frozen=True)
class MapPair:
    """Value and s on a grid."""

    x: GridAxis
    y: GridAxis
    x_grid: Array  # shape (m,)
    y_grid: Array  # shape (n,)
    value: Array  # shape (n, m); nan where there is no real value
    s: Array  # shape (n, m); nan as the value, inf where singular


def map_pair(
    inspection: Inspection, node_id: int, x: GridAxis, y: GridAxis, held: Mapping[str, float]
) -> MapPair:
    """Evaluate on a grid over two variables; the others have the values in `held`."""
    x_grid, y_grid = x.grid(MAP_POINTS), y.grid(MAP_POINTS)
    across, up = np.meshgrid(x_grid, y_grid)
    columns = {name: np.full(across.size, value) for name, value in held.items()}
    columns |= {x.name: across.ravel(), y.name: up.ravel()}
    value, s = on_grid(inspection, node_id, columns, across.size)
    return MapPair(x, y, x_grid, y_grid, value.reshape(across.shape), s.reshape(across.shape))


def map_figure(
    inspection: Inspection,
    node_id: int,
    pair: MapPair,
    worst: int | None,
    dark: bool,
    narrow: bool,
    labels: Mapping[str, str] | None,
) -> go.Figure:
    """Draw a pair of maps, and the few rows that carry the noise; ring the `worst` sample."""
    theme = THEMES[dark]
    data = _heat_maps(inspection, pair, dark, labels)
    data += _singular_cells(pair, theme)
    if (
        len(inspection.formula.variables) == 2
    ):  # else samples have other values of the held variables
        data += _samples(inspection, pair, theme)
    columns = inspection.samples.columns
    x, y = columns[pair.x.name], columns[pair.y.name]
    _, s = inspection.amplification.trace(node_id)
    held = [name for name in inspection.formula.variables if name not in (pair.x.name, pair.y.name)]
    marks, carriers_note = carrier_marks(
        x, y, s, theme, on_map=True, narrow=narrow, beyond=listed(held, labels)
    )
    data += marks
    notes = []
    if worst is not None:
        data.append(_worst_ring(x[worst], y[worst], worst))
        notes.append(_worst_note(float(x[worst]), float(y[worst]), pair, theme))
    x_axis = (
        axis_style(theme)
        | scale_style(theme, pair.x.log, pair.x.limits(_CELL))
        | {
            "anchor": "y2",
            "title": {"text": label_of(pair.x.name, labels), "standoff": 6},
        }
    )
    y_axis = (
        axis_style(theme)
        | scale_style(theme, pair.y.log, pair.y.limits(_CELL))
        | {
            "title": {"text": label_of(pair.y.name, labels), "standoff": 4},
        }
    )
    layout = base_layout(dark) | {
        "height": 520 if narrow else 345,
        "margin": {"l": 56, "r": 76, "t": 12, "b": 48},
        "xaxis": x_axis,
        "yaxis": y_axis | {"domain": [_SPLIT + 0.05 + (SECOND_LINE if carriers_note else 0), 1]},
        "yaxis2": y_axis | {"domain": [0, _SPLIT - 0.04], "matches": "y"},
        "annotations": [
            panel_note(inspection, node_id, _SPLIT - 0.04, theme, carriers_note),
            *notes,
            *_blank_notes(pair, theme),
        ],
        "hovermode": "closest",
        "plot_bgcolor": "rgba(128,128,128,0.16)",
        "uirevision": f"{inspection.formula.source}|{pair.x.name}|{pair.y.name}",
    }
    return build(data, layout)


def _heat_maps(
    inspection: Inspection, pair: MapPair, dark: bool, labels: Mapping[str, str] | None
) -> list[dict[str, Any]]:
    """The upper map of values, the lower one of log10 s, each with its colour bar."""
    theme = THEMES[dark]
    limits = value_limits(pair.value.ravel())
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = np.where(np.isfinite(pair.s), np.log10(pair.s), np.nan)
    bar = {
        "thickness": 10,
        "outlinewidth": 0,
        "lenmode": "fraction",
        "len": 0.44,
        "x": 1.0,
        "xpad": 8,
        "tickfont": {"size": 12, "color": theme.muted},
        "exponentformat": "power",
    }
    name = inspection.samples.target_name if inspection.samples.target is not None else ""
    x_label, y_label = label_of(pair.x.name, labels), label_of(pair.y.name, labels)
    hover = f"{x_label} %{{x:.4g}}, {y_label} %{{y:.4g}}<br>"
    value_map = _heat(pair, np.where(np.isfinite(pair.value), pair.value, np.nan), "y") | {
        "colorscale": "Cividis",
        "hovertemplate": hover + "value %{z:.5g}<extra></extra>",
        "colorbar": bar
        | {
            "y": 0.5 + _SPLIT / 2 + 0.02,
            "title": {"text": name or "value", "side": "right", "font": TITLE},
        },
    }
    if limits is not None:
        value_map |= {"zmin": limits[0], "zmax": limits[1]}
    digits_map = _heat(pair, digits.astype(np.float32), "y2") | {
        "colorscale": SCALE[dark],
        "zmin": LOW,
        "zmax": HIGH,
        "hovertemplate": hover + "log₁₀ s %{z:.2f}<extra></extra>",
        "colorbar": bar
        | {
            "y": _SPLIT / 2 - 0.02,
            "dtick": 2,
            "title": {"text": "log₁₀ s", "side": "right", "font": TITLE},
        },
    }
    return [value_map, digits_map]


def _heat(pair: MapPair, z: Array, axis: str) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "x": pair.x_grid,
        "y": pair.y_grid,
        "z": z,
        "yaxis": axis,
        "hoverongaps": False,
    }


def _singular_cells(pair: MapPair, theme: Theme) -> list[dict[str, Any]]:
    rows, columns = np.nonzero(np.isinf(pair.s))
    if not len(rows) or len(rows) > pair.s.size / 2:
        return []
    some = evenly_spread_rows(len(rows), 200)
    return [
        {
            "type": "scatter",
            "mode": "text",
            "yaxis": "y2",
            "x": pair.x_grid[columns[some]],
            "y": pair.y_grid[rows[some]],
            "text": ["∞"] * len(some),
            "textfont": {"size": 12, "color": theme.ink},
            "hoverinfo": "skip",
        }
    ]


def _blank_notes(pair: MapPair, theme: Theme) -> list[dict[str, Any]]:
    """The meaning of an empty map."""
    notes = []
    note = {
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "showarrow": False,
        "font": {"size": 14, "color": theme.ink},
    }
    none = not np.isfinite(pair.value).any()
    if none:
        notes.append(note | {"y": 0.5 + _SPLIT / 2, "text": "no real value here"})
    if not none and np.isinf(pair.s).sum() > pair.s.size / 2:
        notes.append(note | {"y": _SPLIT / 2, "text": "∞: no digit is right on most of the map"})
    return notes


def _samples(inspection: Inspection, pair: MapPair, theme: Theme) -> list[dict[str, Any]]:
    x = inspection.samples.columns[pair.x.name]
    y = inspection.samples.columns[pair.y.name]
    rows = evenly_spread_rows(len(x), MAP_SAMPLES)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": x[rows],
            "y": y[rows],
            "yaxis": axis,
            "customdata": rows,
            "hoverinfo": "skip",
            "marker": {
                "size": 3,
                "color": "#ffffff",
                "opacity": 0.55,
                "line": {"width": 0.5, "color": "#000000"},
            },
        }
        for axis in ("y", "y2")
    ]


def _worst_ring(x: float, y: float, row: int) -> dict[str, Any]:
    """A ring on the lower map around the sample with the largest s."""
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": "y2",
        "name": "worst",
        "x": [float(x)],
        "y": [float(y)],
        "customdata": [row],
        "marker": ON_MAP | {"size": 14, "symbol": "circle", "line": {"width": 2.5}},
        "hovertemplate": "worst sample: %{x:.6g}, %{y:.6g}<extra></extra>",
    }


def _worst_note(x: float, y: float, pair: MapPair, theme: Theme) -> dict[str, Any]:
    """Its name, on the side where there is room."""
    at = [math.log10(v) if axis.log else v for v, axis in ((x, pair.x), (y, pair.y))]
    (left, right), (low, high) = pair.x.limits(), pair.y.limits()
    below = (at[1] - low) / (high - low) > 0.8
    share = (at[0] - left) / (right - left)
    return {
        "x": at[0],
        "y": at[1],
        "yref": "y2",
        "text": "<b>worst</b>",
        "showarrow": False,
        "xanchor": "left" if share < 0.1 else "right" if share > 0.9 else "center",
        "yanchor": "top" if below else "bottom",
        "yshift": -11 if below else 11,
        "font": {"size": 12, "color": theme.ink},
        "bgcolor": theme.paper,
        "borderpad": 1,
    }
