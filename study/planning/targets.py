"""What a plan aims at, and the answer: ways to get there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal

from eic_core.errors import UserError
from study.planning.simulating import Plan
from study.statistics.simulation import StudyModel

TRIES = 3
"""How many designs of one way are simulated at most on the search for one that is enough."""

Way = Literal["pairs", "raters", "pairs and raters", "problems"]


@dataclass(frozen=True)
class Target:
    """What a study should reach; exactly one of both.

    Attributes
    ----------
    half_width : float or None
        Of the confidence interval, in shares: 0.05 is ± 5 points.
    power : float or None
        Probability that the test finds the preference.

    Raises
    ------
    UserError
        If not exactly one is given, or it is out of range.

    Examples
    --------
    >>> Target(half_width=0.05).sentence
    'an interval of ± 5.0 points'
    """

    half_width: float | None = None
    power: float | None = None

    def __post_init__(self) -> None:
        if (self.half_width is None) == (self.power is None):
            raise UserError("a plan aims at one thing: a half-width of the interval, or a power")
        if self.half_width is not None and not 0.005 <= self.half_width <= 0.45:
            raise UserError("the half-width wanted must be from 0.005 to 0.45")
        if self.power is not None and not 0.05 <= self.power <= 0.999:
            raise UserError("the power wanted must be from 0.05 to 0.999")

    @property
    def sentence(self) -> str:
        """The target in words."""
        if self.half_width is not None:
            return f"an interval of ± {100 * self.half_width:.1f} points"
        return f"a power of {100 * (self.power or 0):.0f} %"

    def met(self, value: float) -> bool:
        """Whether this half-width, or power, is good enough."""
        return value <= self.half_width if self.half_width is not None else value >= self.goal

    @property
    def goal(self) -> float:
        """The number aimed at."""
        return self.half_width if self.half_width is not None else self.power or 0.0


@dataclass(frozen=True)
class Route:
    """One way to the target.

    Attributes
    ----------
    way : {"pairs", "raters", "pairs and raters", "problems"}
        What grows: pairs, with the same raters and votes in all; raters, on the same pairs; both,
        with as many votes on each pair as before; problems, with as many pairs from each.
    model : StudyModel or None
        The smallest design that gets there; None if this way does not.
    approximate : float
        Half-width or power there by the approximation; where this way does not get there, of the
        largest design tried: what it cannot get beyond.
    simulated : Plan or None
        What simulation says of `model`; None if there is none, or it is too large.
    met : bool
        False if the search was given up while simulation still fell short of the target.
    """

    way: Way
    model: StudyModel | None
    approximate: float
    simulated: Plan | None
    met: bool = True


@dataclass(frozen=True)
class Grid:
    """Half-widths by the approximation.

    Attributes
    ----------
    pairs, raters : tuple of int
        Ascending.
    half_width : tuple of tuple of float
        In shares, a row for each number of raters and in it one for each of pairs; inf where
        there is no interval.
    """

    pairs: tuple[int, ...]
    raters: tuple[int, ...]
    half_width: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Advice:
    """How a study gets to its target.

    Attributes
    ----------
    model : StudyModel
        Where it starts.
    target : Target
    start : Plan
        What simulation says of it.
    reached : bool
        Whether it is there already.
    routes : tuple of Route
        Empty if so.
    grid : Grid
    """

    model: StudyModel
    target: Target
    start: Plan
    reached: bool
    routes: tuple[Route, ...]
    grid: Grid

    def to_json(self) -> dict[str, Any]:
        """As plain values; null where there is none."""
        return {
            "target": asdict(self.target),
            "reached": self.reached,
            "routes": [
                {
                    "way": route.way,
                    "model": asdict(route.model) if route.model else None,
                    "approximate": route.approximate if isfinite(route.approximate) else None,
                    "simulated": route.simulated.to_json() if route.simulated else None,
                    "met": route.met,
                }
                for route in self.routes
            ],
            "grid": {
                "pairs": self.grid.pairs,
                "raters": self.grid.raters,
                "half_width": [
                    [value if isfinite(value) else None for value in row]
                    for row in self.grid.half_width
                ],
            },
        }
