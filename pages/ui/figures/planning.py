"""The half-width of a planned study's interval over pairs, a line for each number of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from eic_core.drawing.chart import (
    Chart,
    ChartAxis,
    Colour,
    Dash,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    even_ticks,
    whole_ticks,
)
from study.planning import Grid

LOOKS: tuple[tuple[Colour, Dash], ...] = (
    ("orange", "dot"),
    ("blue", "solid"),
    ("green", "dash"),
    ("violet", "dashdot"),
)
"""From few raters to many."""

LINE, NAME_WIDTH = 0.062, 0.14
"""Height of a line of text, of the height of the figure, and half the width of a name, of its
width."""
MARGIN = 1.24
"""Of the largest number of pairs: for the names of lines."""


@dataclass(frozen=True)
class Point:
    """A simulated design: its size, half-width and Monte-Carlo error in shares, and its name."""

    pairs: int
    raters: int
    half_width: float
    error: float
    name: str


def planning_figure(grid: Grid, points: Sequence[Point], goal: float | None = None) -> Chart:
    """Half-width against pairs: lines by arithmetic, points by simulation, the design first."""
    drawn = [p for p in points if p.pairs <= max(grid.pairs)]
    lines = [
        (f"{raters:,} raters", [100 * w if isfinite(w) else np.nan for w in row], look)
        for raters, row, look in zip(grid.raters, grid.half_width, LOOKS, strict=False)
    ]
    heights = [100 * p.half_width for p in drawn]
    goals = [100 * goal] if goal else []
    most = max([w for _, row, _ in lines for w in row if isfinite(w)], default=1.0)
    top = 1.08 * max([most, *heights, *goals])
    marks: list[Mark] = [Guide(each, level=True, colour="muted") for each in goals]
    ends = [(row[-1], text, look[0]) for text, row, look in lines if isfinite(row[-1])]
    for text, row, (colour, dash) in lines:
        hint = f"{text}, by arithmetic: ± points"
        marks.append(Stroke(grid.pairs, row, dash=dash, colour=colour, quantity=hint))
    last = -np.inf
    for height, text, _ in sorted([*ends, *((each, "wanted", "muted") for each in goals)]):
        last = max(height, last + LINE * top)
        marks.append(Label(text, 1.01 * grid.pairs[-1], last))
    names = _names(grid, drawn, top)
    for place, (p, height, name) in enumerate(zip(drawn, heights, names, strict=True)):
        error = 196 * p.error
        bar = Stroke([p.pairs] * 2, [height - error, height + error], 1)
        marks += [bar, Stroke([p.pairs] * 2, [height, name], 1, colour="muted")]
        hint = f"{p.name}\n{p.pairs:,} pairs and {p.raters:,} raters: ± {height:.1f} points"
        symbol = "diamond-open" if place else "circle"
        marks.append(Points([p.pairs], [height], symbol, 10, hints=[f"{hint} (simulated)"]))
        marks.append(Label(p.name, p.pairs, name, side="center", raised=True))
    top = max([top, *(name + LINE * top for name in names)])
    low, high = 0.9 * min(grid.pairs), max(grid.pairs)
    ticks = whole_ticks(high, low=low)
    x = ChartAxis("pairs", (low, MARGIN * high), ticks)
    y = ChartAxis("half-width, ± points", (0, top), even_ticks(0, top, 5))
    said = [f"{p.name} ± {height:.1f} points" for p, height in zip(drawn, heights, strict=True)]
    said += [f"{text} at {grid.pairs[-1]:,} pairs ± {end:.1f}" for end, text, _ in ends]
    words = f"Half-width of the interval against pairs: {'; '.join(said)}."
    return Chart((Panel(tuple(marks), x, y, 300),), words)


def _names(grid: Grid, points: Sequence[Point], top: float) -> list[float]:
    """The height of the name of each point, above all that is drawn there."""
    pairs = [p.pairs for p in points]
    heights: dict[int, float] = {}
    half = NAME_WIDTH * MARGIN * max(grid.pairs)
    for k in sorted(range(len(points)), key=pairs.__getitem__):
        point, at = points[k], (pairs[k] - half, pairs[k], pairs[k] + half)
        below = [100 * (point.half_width + 1.96 * point.error)]
        for row in grid.half_width:
            crossed = 100 * np.interp(at, grid.pairs, row)
            below += crossed[np.isfinite(crossed)].tolist()
        below += [high + LINE * top for j, high in heights.items() if pairs[j] > at[0] - half]
        heights[k] = max(below) + LINE * top
    return [heights[k] for k in range(len(points))]
