"""Plots of a pair, drawn in two sizes, and what its curves do in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from study.rating_types import BallotFigure, FormulaCard
from study.stimulus.shapes import PLOT, PlotShape

Values = Callable[[tuple[np.ndarray, ...]], np.ndarray]
"""Of inputs of shape (N,) each the values, shape (N,), nan where there is none."""


@dataclass(frozen=True)
class Plots:
    narrow: PlotShape
    wide: PlotShape
    scale: str
    lower_behaviour: str
    higher_behaviour: str


def draw_plots(figure: BallotFigure, lower: Values, higher: Values) -> Plots:
    grid = tuple(np.linspace(axis.low, axis.high, 200) for axis in figure.inputs)
    return _plots(figure, *(_line(figure, grid[0], values(grid)) for values in (lower, higher)))


def draw_stored_plots(figure: BallotFigure, lower: FormulaCard, higher: FormulaCard) -> Plots:
    """The same from the points that ballots of before have stored."""
    grid = np.array(figure.grids[0])
    curves = [np.array(card.curve or card.surface[0], float) for card in (lower, higher)]
    return _plots(figure, *(_line(figure, grid, curve) for curve in curves))


def _line(figure: BallotFigure, x: np.ndarray, y: np.ndarray) -> str:
    across, up = figure.inputs[0], figure.target
    points = " ".join(
        f"{100 * (a - across.low) / (across.high - across.low):.2f},"
        f"{100 - 100 * (b - up.low) / (up.high - up.low):.2f}"
        for a, b in zip(x, y, strict=True)
        if np.isfinite(b)
    )
    return f'<polyline class="curve-{{side}}" points="{points}"/>'


def _plots(figure: BallotFigure, lower: str, higher: str) -> Plots:
    shapes = [
        PlotShape(
            f'<svg width="{width}" height="240" viewBox="0 0 100 100">{{marks}}</svg>',
            lower,
            higher,
            True,
        )
        for width in PLOT.values()
    ]
    return Plots(shapes[0], shapes[1], "", "", "")
