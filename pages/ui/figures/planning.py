"""The half-width of a planned study's interval over pairs, a line for each number of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES, Theme
from pages.ui.figures.plotting import axis_style, base_layout, build
from study.planning import Grid

COLOURS = {
    False: ("#c25400", THEMES[False].blue, "#007d5c", "#a3468a"),
    True: (THEMES[True].orange, THEMES[True].blue, "#3cc79b", "#e08cc4"),
}
"""Colours by `dark`, from few raters to many; dashes tell them apart, too."""
DASHES = ("dot", "solid", "dash", "longdashdot")

LINE, NAME_WIDTH = 0.062, 0.1
"""Height of a line of text, of the height of the figure, and half the width of a name, of its
width."""


@dataclass(frozen=True)
class Point:
    """A simulated design: its size, half-width and Monte-Carlo error in shares, and its name."""

    pairs: int
    raters: int
    half_width: float
    error: float
    name: str


def planning_figure(
    grid: Grid,
    points: Sequence[Point],
    goal: float | None = None,
    *,
    dark: bool = False,
    narrow: bool = False,
) -> go.Figure:
    """Half-width against pairs: lines by arithmetic, points by simulation, the design first."""
    theme = THEMES[dark]
    drawn = [p for p in points if p.pairs <= max(grid.pairs)]
    widths = [100 * w for row in grid.half_width for w in row if isfinite(w)]
    widths += [100 * p.half_width for p in drawn] + ([100 * goal] if goal else [])
    top = 1.08 * max(widths, default=10.0)
    right = max([*grid.pairs, *(p.pairs for p in drawn)])
    names = [] if narrow else _names(grid, drawn, top, theme)
    top = max([top, *(name["ay"] + LINE * top for name in names)])
    layout = base_layout(dark) | {
        "height": 340 if narrow else 380,
        "margin": {"l": 52, "r": 84, "t": 14, "b": 48},
        "dragmode": False,
        "annotations": _labels(grid, goal, dark) + names,
        "xaxis": axis_style(theme)
        | {
            "title": {"text": "pairs", "standoff": 6},
            "fixedrange": True,
            "range": [0.9 * min(grid.pairs), 1.02 * right],
            "type": "linear",
        },
        "yaxis": axis_style(theme)
        | {
            "title": {"text": "half-width, ± points", "standoff": 6},
            "fixedrange": True,
            "range": [0, top],
        },
    }
    if goal is not None:
        layout["shapes"] = [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 100 * goal,
                "y1": 100 * goal,
                "line": {"color": theme.muted, "width": 1, "dash": "dash"},
            }
        ]
    return build(_lines(grid, dark) + _marks(drawn, theme), layout)


def _lines(grid: Grid, dark: bool) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"{raters:,} raters",
            "x": list(grid.pairs),
            "y": [100 * w if isfinite(w) else None for w in row],
            "line": {"color": COLOURS[dark][i % 4], "width": 2, "dash": DASHES[i % 4]},
            "hovertemplate": f"{raters:,} raters, %{{x:,}} pairs: ± %{{y:.1f}} points "
            "(approximation)<extra></extra>",
        }
        for i, (raters, row) in enumerate(zip(grid.raters, grid.half_width, strict=True))
    ]


def _labels(grid: Grid, goal: float | None, dark: bool) -> list[dict[str, Any]]:
    """What each line is, at its right end, apart from one another."""
    ends = [
        (100 * row[-1], f"{raters:,} raters", COLOURS[dark][i % 4])
        for i, (raters, row) in enumerate(zip(grid.raters, grid.half_width, strict=True))
        if isfinite(row[-1])
    ]
    if goal is not None:
        ends.append((100 * goal, "wanted", THEMES[dark].muted))
    top = max((100 * w for row in grid.half_width for w in row if isfinite(w)), default=1.0)
    labels, last = [], float("-inf")
    for height, text, colour in sorted(ends):
        last = max(height, last + LINE * top)
        labels.append(
            {
                "xref": "paper",
                "x": 1,
                "y": last,
                "text": text,
                "showarrow": False,
                "xanchor": "left",
                "xshift": 4,
                "font": {"size": 12, "color": colour},
            }
        )
    return labels


def _names(grid: Grid, points: Sequence[Point], top: float, theme: Theme) -> list[dict[str, Any]]:
    """The name of each point above all that is drawn there, and a thin line down to the point."""
    names: list[dict[str, Any]] = []
    half = NAME_WIDTH * max([*grid.pairs, *(p.pairs for p in points)])
    for point in sorted(points, key=lambda p: p.pairs):
        at = point.pairs - half, point.pairs, point.pairs + half
        below = [100 * (point.half_width + 1.96 * point.error)]
        for row in grid.half_width:
            heights = 100 * np.interp(at, grid.pairs, row)
            below += heights[np.isfinite(heights)].tolist()
        below += [name["ay"] + LINE * top for name in names if name["x"] > point.pairs - 2 * half]
        names.append(
            {
                "text": point.name,
                "x": point.pairs,
                "y": 100 * point.half_width,
                "ax": 0,
                "ay": max(below) + LINE * top,
                "ayref": "y",
                "standoff": 6,
                "arrowhead": 0,
                "arrowwidth": 1,
                "arrowcolor": theme.muted,
                "font": {"size": 12, "color": theme.ink},
            }
        )
    return names


def _marks(points: Sequence[Point], theme: Theme) -> list[dict[str, Any]]:
    if not points:
        return []
    symbols = ["circle"] + ["diamond-open"] * (len(points) - 1)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "simulated",
            "x": [p.pairs for p in points],
            "y": [100 * p.half_width for p in points],
            "error_y": {
                "type": "data",
                "array": [196 * p.error for p in points],
                "width": 3,
                "color": theme.ink,
                "thickness": 1,
            },
            "marker": {
                "symbol": symbols,
                "size": 10,
                "color": theme.ink,
                "line": {"color": theme.ink, "width": 2},
            },
            "text": [p.name for p in points],
            "cliponaxis": False,
            "customdata": [f"{p.pairs:,} pairs and {p.raters:,} raters" for p in points],
            "hovertemplate": "%{text}, %{customdata}: ± %{y:.1f} points (simulated)<extra></extra>",
        }
    ]
