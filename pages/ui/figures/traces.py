"""What is drawn over one variable: curves, target, samples, and where s is infinite or missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eic_core.drawing.scale import Theme
from pages.ui.figures.grids import Array, Axis, thinned, value_limits

FLOOR = -0.25
"""log10 of the bottom of the s axis."""


def line_trace(x: Array, y: Array, name: str, theme: Theme, axis: str) -> dict[str, Any]:
    single = len(x) < 3 or x[0] == x[-1]
    shown = np.where(np.isfinite(y), y, np.nan)
    if axis == "y":
        shown = torn(shown)
    return {
        "type": "scatter", "mode": "markers" if single else "lines", "x": x, "y": shown,
        "yaxis": axis, "name": name, "connectgaps": False,
        "line": {"width": 2, "color": theme.ink if axis == "y" else theme.accent},
        "marker": {"size": 9, "color": theme.accent},
        "hovertemplate": f"%{{x:.5g}}<br>{name} = %{{y:.5g}}<extra></extra>",
    }  # fmt: skip


def torn(y: Array) -> Array:
    """The curve without the strokes that would join the two sides of a pole."""
    limits = value_limits(y)
    if limits is None or len(y) < 3:
        return y
    with np.errstate(invalid="ignore", over="ignore"):
        jump = np.abs(np.diff(y)) > 2 * (limits[1] - limits[0])
        jump &= np.sign(y[1:]) != np.sign(y[:-1])
    torn = y.copy()
    torn[1:][jump] = np.nan
    return torn


def target_points(x: Array, y: Array, name: str, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "markers", "x": x, "y": y, "name": name,
        "marker": {"size": 5, "color": theme.data, "opacity": 0.55},
        "hovertemplate": "%{x:.5g}<br>target = %{y:.5g}<extra></extra>",
    }  # fmt: skip


def worst_marker(x: float, s: float, axis: Axis, theme: Theme) -> dict[str, Any]:
    low, high = axis.limits()
    share = ((math.log10(x) if axis.log else x) - low) / (high - low)
    side = "right" if share < 0.2 else "left" if share > 0.8 else "center"
    return {
        "type": "scatter", "mode": "markers+text", "x": [x], "y": [s], "yaxis": "y2",
        "text": ["worst sample"], "textposition": f"top {side}", "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.muted},
        "marker": {"size": 11, "symbol": "circle-open", "color": theme.ink, "line": {"width": 2}},
        "hovertemplate": "worst sample: %{x:.6g}<br>s = %{y:.4g}<extra></extra>",
    }  # fmt: skip


def sampled_trace(x: Array, s: Array, theme: Theme) -> dict[str, Any]:
    """s at some of the samples, those with the largest s among them."""
    finite = np.flatnonzero(np.isfinite(s))
    largest = finite[np.argsort(s[finite])[-60:]]
    rows = np.union1d(finite[thinned(len(finite), 240)], largest) if len(finite) else finite
    return {
        "type": "scatter", "mode": "markers", "x": x[rows], "y": s[rows], "yaxis": "y2",
        "marker": {"size": 4, "color": theme.data, "opacity": 0.5},
        "hovertemplate": "sample %{x:.6g}<br>s = %{y:.4g}<extra></extra>",
    }  # fmt: skip


def s_ceiling(*values: Array) -> float:
    """log10 of the top of the s axis."""
    top = 1.0
    for s in values:
        finite = s[np.isfinite(s)]
        if len(finite):
            top = max(top, math.log10(float(finite.max())) * 1.12 + 0.4)
    return top


def rug_traces(x: Array, s: Array, valid: Array, top: float, theme: Theme) -> list[dict[str, Any]]:
    """Singular samples on the upper edge of the s panel, invalid ones on the lower."""
    rugs = []
    for rows, level, symbol, name in (
        (np.flatnonzero(np.isinf(s)), top, "triangle-down", "singular: s is infinite"),
        (np.flatnonzero(~valid), FLOOR, "line-ns-open", "no real value"),
    ):
        if len(rows):
            shown = x[rows[thinned(len(rows), 300)]]
            rugs.append(edge_trace(shown, level, symbol, name, theme) | {"yaxis": "y2"})
    return rugs


def edge_trace(x: Array, level: float, symbol: str, name: str, theme: Theme) -> dict[str, Any]:
    """Marks along an edge of a logarithmic panel, at 10 to the `level`."""
    return {
        "type": "scatter", "mode": "markers", "cliponaxis": False,
        "x": x, "y": np.full(len(x), 10.0**level),
        "marker": {"symbol": symbol, "size": 9, "color": theme.ink,
                   "line": {"width": 1, "color": theme.muted}},
        "hovertemplate": f"{name} at %{{x:.6g}}<extra></extra>",
    }  # fmt: skip
