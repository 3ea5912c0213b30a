"""Two formulas over two variables: values on one scale, and s of both bottlenecks on the fixed one.

Pure: from two inspections to a Plotly figure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import HIGH, LOW, SCALE, THEMES, Theme
from pages.ui.figures.grids import MAP_POINTS, Array, Axis, value_limits
from pages.ui.figures.panels import axis_style, label_of
from pages.ui.figures.plotting import base_layout, build
from pages.ui.triage.pair_figure import MODEBAR, Side, axis_along, cut


def pair_maps(
    a: Side, b: Side, x_name: str, y_name: str, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """Four maps: the values of A and B, and log10 s at the bottleneck of each.

    Parameters
    ----------
    a, b : Side
    x_name, y_name : str
        Columns across and up; others are held at their medians.
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    x, y = axis_along(a, b, x_name), axis_along(a, b, y_name)
    across, up = np.meshgrid(x.grid(MAP_POINTS), y.grid(MAP_POINTS))
    grids = {x_name: across.ravel(), y_name: up.ravel()}
    pairs = [cut(side, grids) for side in (a, b)]
    limits = _limits([value for value, _ in pairs])
    data: list[dict[str, Any]] = []
    layout = base_layout(dark) | {
        "height": 620 if narrow else 640,
        "margin": {"l": 8, "r": 8, "t": 26, "b": 8},
        "plot_bgcolor": "rgba(128,128,128,0.16)",
        "annotations": [],
        "modebar": MODEBAR[dark],
    }
    for k, (value, s) in enumerate(pairs):
        with np.errstate(divide="ignore", invalid="ignore"):
            digits = np.where(np.isfinite(s), np.log10(s), np.nan)
        shown = np.where(np.isfinite(value), value, np.nan)
        heats = ((shown, "Cividis", limits, "value"), (digits, SCALE[dark], (LOW, HIGH), "log₁₀ s"))
        for row, (z, scale, ends, name) in enumerate(heats):
            place = 2 * row + k + 1
            data.append(_heat(x, y, z.reshape(across.shape), scale, ends, name, place, theme))
            _axes(layout, place, row, k, x, y, theme)
            layout["annotations"].append(_title(f"{'AB'[k]}: {name}", place, theme))
    return build(data, layout)


def _limits(values: list[Array]) -> tuple[float, float]:
    """One scale for both values."""
    limits = value_limits(*values)
    if limits is not None:
        return limits
    pooled = np.concatenate([v[np.isfinite(v)] for v in values])
    return (float(pooled.min()), float(pooled.max())) if len(pooled) else (0.0, 1.0)


def _heat(
    x: Axis, y: Axis, z: Array, scale: Any, ends: tuple[float, float], name: str, place: int,
    theme: Theme,
) -> dict[str, Any]:  # fmt: skip
    suffix = "" if place == 1 else str(place)
    bar = {
        "thickness": 10, "outlinewidth": 0, "len": 0.42, "y": 0.77 if place <= 2 else 0.22,
        "xpad": 6, "exponentformat": "power", "tickfont": {"size": 11, "color": theme.muted},
    }  # fmt: skip
    return {
        "type": "heatmap", "x": x.grid(MAP_POINTS), "y": y.grid(MAP_POINTS), "z": z,
        "xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "colorscale": scale,
        "zmin": ends[0], "zmax": ends[1], "showscale": place in (2, 4), "colorbar": bar,
        "hoverongaps": False,
        "hovertemplate": f"%{{x:.4g}}, %{{y:.4g}}<br>{name} %{{z:.4g}}<extra></extra>",
    }  # fmt: skip


def _axes(
    layout: dict[str, Any], place: int, row: int, k: int, x: Axis, y: Axis, theme: Theme
) -> None:
    suffix = "" if place == 1 else str(place)
    across = [0.0, 0.46] if k == 0 else [0.54, 1.0]
    up = [0.56, 1.0] if row == 0 else [0.0, 0.44]
    style = axis_style(theme) | {"exponentformat": "power", "automargin": True}
    layout[f"xaxis{suffix}"] = style | {
        "domain": across, "anchor": f"y{suffix}", "type": "log" if x.log else "linear",
        "range": x.limits(0.004), "showticklabels": row == 1,
        "title": {"text": label_of(x.name, None) if row == 1 else "", "standoff": 4},
    }  # fmt: skip
    layout[f"yaxis{suffix}"] = style | {
        "domain": up, "anchor": f"x{suffix}", "type": "log" if y.log else "linear",
        "range": y.limits(0.004), "showticklabels": k == 0,
        "title": {"text": label_of(y.name, None) if k == 0 else "", "standoff": 4},
    }  # fmt: skip


def _title(text: str, place: int, theme: Theme) -> dict[str, Any]:
    suffix = "" if place == 1 else str(place)
    return {
        "text": text, "showarrow": False, "xref": f"x{suffix} domain", "yref": f"y{suffix} domain",
        "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom",
        "font": {"size": 12, "color": theme.muted},
    }  # fmt: skip
