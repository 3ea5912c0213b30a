"""A chart as data: what is drawn where. Pens draw it: `inline` and `paper` here, Plotly on
a page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from eic_core import wording

Array = npt.NDArray[Any]
Numbers = Sequence[float] | Array
Colour = Literal[
    "ink", "muted", "faint", "paper", "accent", "data", "blue", "orange", "green", "violet"
]  # fmt: skip
"""A colour by its part: a field of `Theme`."""
Dash = Literal["solid", "dash", "dot", "dashdot"]
Ticks = tuple[tuple[float, str], ...]
"""Where an axis is marked, and how."""

SHARES: Ticks = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    colour: Colour = "ink"
    opacity: float = 1.0  # At 0 it is there for who points at it alone
    name: str = ""  # In the legend; "" for none
    hints: Sequence[str] = ()  # Of each value, for who points at it; the first line is its name
    keys: Sequence[Any] = ()  # Of each value, for who presses it
    quantity: str = ""  # What stands upwards: with its numbers it is a hint


MANY = 60
"""Points from which on they have no light edge."""


@dataclass(frozen=True)
class Points(_Drawn):
    x: Numbers
    y: Numbers
    symbol: str = "circle"  # By Plotly's names: a row of `paper.SYMBOLS`
    size: float = 7.0
    digits: Numbers | None = None  # Each has the colour of its loss

    @property
    def crowded(self) -> bool:
        """Whether a light edge of each would cover the others."""
        return len(self.x) > MANY


@dataclass(frozen=True)
class Stroke(_Drawn):
    """A line through points, with a gap at each nan; or, `filled`, the area inside it."""

    x: Numbers
    y: Numbers
    width: float = 2.0
    dash: Dash = "solid"
    steps: bool = False
    filled: bool = False


@dataclass(frozen=True)
class Bars(_Drawn):
    """Bars from `low` to `high`, upright over `at` or lying beside it."""

    at: Numbers
    high: Numbers
    thick: float = 0.8
    low: Numbers | float = 0.0
    lying: bool = False
    hatch: str = ""  # "/", "." or "x"


@dataclass(frozen=True)
class Guide(_Drawn):
    """A line through the whole panel, at a value across or, `level`, at one upwards."""

    at: float
    level: bool = False
    dash: Dash = "dash"


@dataclass(frozen=True)
class Label(_Drawn):
    text: str
    x: float
    y: float
    within: Literal["", "x", "y", "xy"] = ""  # What is a share of the panel, and no value
    side: Literal["left", "center", "right"] = "left"  # Where the text is fixed
    raised: bool = False  # Above its place
    bold: bool = False


@dataclass(frozen=True)
class Cells(_Drawn):
    """An area of colours: the digits of each cell around its place, nan where there is none."""

    x: Array  # Even steps on the axis, as `y`
    y: Array
    digits: Array  # Shape (len(y), len(x))
    values: Array  # Of the same shape, for who points at it


Mark = Points | Stroke | Bars | Guide | Label | Cells


@dataclass(frozen=True)
class ChartAxis:
    title: str = ""
    limits: tuple[float, float] | None = None  # None: as far as the marks reach
    ticks: Ticks | None = None  # None: the pen chooses
    log: bool = False


@dataclass(frozen=True)
class Panel:
    marks: tuple[Mark, ...]
    x: ChartAxis = field(default_factory=ChartAxis)
    y: ChartAxis = field(default_factory=ChartAxis)
    height: float = 240.0  # Pixels of the plotting area on a screen


@dataclass(frozen=True)
class Chart:
    panels: tuple[Panel, ...]
    words: str  # All that it shows, for those who do not see it
    columns: int = 1  # Where there is room; else the panels stand under one another
    joined: bool = False  # They stand under one another over the axis of the last
    scale: str = "digits"  # What the colours of points stand for
    inputs: tuple[str, ...] | None = None  # The variables across and up, where axes have them
    free: bool = False  # On a screen it is dragged and enlarged


SHADES = (0, 1, 2, 4, 8)
"""Digits whose colours a legend shows."""


def shaded(chart: Chart) -> bool:
    """Whether colours stand for digits."""
    marks = (mark for panel in chart.panels for mark in panel.marks)
    return any(isinstance(mark, Points | Cells) and mark.digits is not None for mark in marks)


def whole_ticks(
    high: float, most: int = 5, low: float = 0, steps: Sequence[int] = (1, 2, 5)
) -> Ticks:
    """About `most` whole numbers, none where nothing is counted.

    >>> [text for _, text in whole_ticks(105)], whole_ticks(1), whole_ticks(0)
    (['0', '50', '100'], ((0, '0'), (1, '1')), ())
    """
    span = high - low
    ladder = (step * 10**power for power in range(16) for step in steps)
    step = next(step for step in ladder if step * most >= span)
    first, last = math.ceil(low / step), math.floor(high / step)
    return tuple((k * step, f"{k * step:,}") for k in range(first, last + 1)) if span else ()


def even_ticks(low: float, high: float, most: int) -> Ticks:
    """About `most` numbers between two others.

    >>> even_ticks(-0.31, 0.4, 4), even_ticks(2.0, 2.0, 4)
    (((-0.2, '−0.2'), (0.0, '0'), (0.2, '0.2'), (0.4, '0.4')), ((2.0, '2'),))
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most or 1))
    step = next(k * power for k in (1, 2, 5, 10) if k * power * most >= high - low)
    first, last = math.ceil(low / step), math.floor(high / step)
    ticks = [float(f"{k * step:.12g}") for k in range(first, last + 1)]
    return tuple((tick, wording.significant(tick, 3)) for tick in ticks)


def log_ticks(low: float, high: float) -> Ticks:
    """Ticks between the exponents `low` and `high`: powers of ten, else 1-2-5, else even steps.

    >>> [[at for at, _ in log_ticks(*ends)] for ends in ((-3.1, 0.3), (-0.4, 0.8))]
    [[0.001, 0.01, 0.1, 1.0], [0.5, 1.0, 2.0, 5.0]]
    >>> log_ticks(-1.7, -1.68)[-2:]
    ((0.0207, '0.0207'), (0.0208, '0.0208'))
    """
    if high - low <= 0.8:
        return tuple(
            (at, wording.significant(at, 6)) for at, _ in even_ticks(10.0**low, 10.0**high, 10)
        )
    # Beyond two and a half decades the ticks are powers alone.
    every = math.ceil((high - low) / 8)
    steps, each = ((1,), every) if high - low > 2.5 else ((1, 2, 5), 1)
    exponents = range(math.ceil(low) if each > 1 else math.floor(low), math.floor(high) + 1, each)
    ticks = [float(f"{step}e{k}") for k in exponents for step in steps]
    between = (at for at in ticks if 10.0**low <= at <= 10.0**high)
    return tuple((at, wording.significant(at, 6)) for at in between)


def pieces(ends: Sequence[tuple[float, float]]) -> list[float]:
    """Both ends of each of several strokes, for one line with gaps."""
    return np.array([(a, b, math.nan) for a, b in ends]).ravel().tolist()
