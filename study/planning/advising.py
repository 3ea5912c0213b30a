"""What would make a study sharp enough: more pairs, more raters, both, or more problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil, isfinite
from typing import Literal

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.planning.approximation import VerdictRule, approximate
from study.planning.simulating import Plan, Progress, can_simulate, plan
from study.statistics.simulation import LIMITS, StudyModel

# The approximation searches each way, for it takes no time, and its result is simulated. Where they
# disagree, their ratio corrects the approximation and the search is repeated.
TRIES = 3
"""How many designs of one way are simulated at most on the search for one that is enough."""

Way = Literal["pairs", "raters", "pairs and raters", "problems"]


@dataclass(frozen=True)
class Target:
    """What a study should reach: a half-width or a power.

    Raises `UserError` if not exactly one is given, or it is out of range.
    """

    # Half the width of the confidence interval, in shares: 0.05 is ± 5 points
    half_width: float | None = None
    power: float | None = None  # Probability that the test finds the preference

    def __post_init__(self) -> None:
        if (self.half_width is None) == (self.power is None):
            raise UserError("a plan aims at one thing: a half-width of the interval, or a power")
        if self.half_width is not None and not 0.005 <= self.half_width <= 0.45:
            raise UserError("the half-width wanted must be from 0.005 to 0.45")
        if self.power is not None and not 0.05 <= self.power <= 0.999:
            raise UserError("the power wanted must be from 0.05 to 0.999")

    def is_met_by(self, value: float) -> bool:
        return value <= self.half_width if self.half_width is not None else value >= self.goal

    @property
    def goal(self) -> float:
        return self.half_width if self.half_width is not None else self.power or 0.0


@dataclass(frozen=True)
class Route:
    # "pairs", "raters", "pairs and raters" or "problems": what grows: pairs, with the same raters
    # and votes in all; raters, on the same pairs; both, with as many votes on each pair as before;
    # problems, with as many pairs from each
    way: Way
    model: StudyModel | None  # The smallest design that gets there; None if this way does not
    # Half-width or power there by the approximation; where this way does not get there, of the
    # largest design tried: what it cannot get beyond
    approximate: float
    # What simulation says of `model`; None if there is none, or it is too large
    simulated: Plan | None
    # False if the search was given up while simulation still fell short of the target
    reached: bool = True

    _JSON = (
        "way",
        ("model", lambda route: asdict(route.model) if route.model else None),
        ("approximate", lambda route: _finite(route.approximate)),
        "simulated",
        "met=reached",
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


@dataclass(frozen=True)
class Grid:
    # pairs, raters: ascending
    pairs: tuple[int, ...]
    raters: tuple[int, ...]
    # In shares, a row for each number of raters and in it one for each of pairs; inf where there is
    # no interval
    half_width: tuple[tuple[float, ...], ...]

    _JSON = (
        "pairs",
        "raters",
        ("half_width", lambda grid: [[_finite(v) for v in row] for row in grid.half_width]),
    )


@dataclass(frozen=True)
class Advice(PlainAtLevel):
    model: StudyModel  # Where it starts
    target: Target
    start: Plan  # What simulation says of it
    reached: bool  # Whether it is there already
    routes: tuple[Route, ...]  # Empty if so
    grid: Grid

    _JSON = (("target", lambda advice: asdict(advice.target)), "reached", "routes", "grid")


_MOST = 20_000
"""Pairs, raters or problems: more than anybody has."""
_MOST_WORK = 3e8


def advise(
    model: StudyModel,
    target: Target,
    rule: VerdictRule | None = None,
    *,
    start: Plan | None = None,
    studies: int = 400,
    seed: int = 0,
    progress: Progress | None = None,
) -> Advice:
    """The smallest designs that reach a target, one for each way to grow.

    `studies` are simulated for each design that is tried. Raises `UserError` as `plan` does.

    >>> model = StudyModel(preference=0.7, kappa=0.37, pairs=60, problems=12, raters=60)
    >>> advice = advise(model, Target(half_width=0.07), studies=40)
    >>> {route.way: route.model is not None for route in advice.routes}
    {'pairs': True, 'raters': False, 'pairs and raters': True, 'problems': True}
    """
    if target.power is not None and model.preference <= 0.5:
        raise UserError(
            f"no design finds a preference that is {model.preference:g}, not above one half",
            hint="expect a larger preference, or aim at a half-width of the interval",
        )
    rule = rule or VerdictRule()
    total = most_studies(model, rule, studies)

    def step(place: int, done: int, _: int = 0) -> None:
        if progress is not None:
            progress(place * studies + done, total)

    def simulated(place: int, attempt: int, design: StudyModel) -> Plan | None:
        if not can_simulate(design, studies, _MOST_WORK):
            return None
        show = partial(step, place + attempt)
        return plan(design, rule, studies=studies, seed=seed, progress=show)

    first = start or plan(model, rule, studies=studies, seed=seed, progress=partial(step, 0))
    if _meets_target(target, first, 0.0):
        return Advice(model, target, first, True, (), width_grid(model, rule))
    routes, place = [], 1
    for way in _ways(model, rule):
        step(place, 0)
        routes.append(_route(model, way, target, first, partial(simulated, place)))
        place += TRIES
    step(place, 0)
    extra = [route.model.pairs for route in routes if route.model is not None]
    grid = width_grid(model, rule, extra=extra)
    return Advice(model, target, first, False, tuple(routes), grid)


def most_studies(model: StudyModel, rule: VerdictRule, studies: int = 400) -> int:
    """The total that `advise` tells its progress by.

    >>> most_studies(StudyModel(problems=5), VerdictRule(), 100)
    1000
    """
    return (1 + len(_ways(model, rule)) * TRIES) * studies


def grow_design(model: StudyModel, way: Way, size: int) -> StudyModel:
    """The model with `size` pairs (or raters, or problems), and what goes with them.

    >>> both = grow_design(StudyModel(pairs=50, raters=20), "pairs and raters", 100)
    >>> both.pairs, both.raters
    (100, 40)
    """
    if way == "pairs":
        return model.with_pairs(size)
    if way == "raters":
        return replace(model, raters=size)
    if way == "problems":
        return model.with_problems(size)
    raters = min(LIMITS["raters"], ceil(size * model.raters / model.pairs))
    return replace(model.with_pairs(size), raters=raters)


def doubled_widths(model: StudyModel, rule: VerdictRule) -> dict[Way, float]:
    """Half-widths with twice as many of what a way grows, by the approximation.

    >>> widths = doubled_widths(StudyModel(pairs=50, raters=20, problem_share=0.5), VerdictRule())
    >>> {way: round(100 * width) for way, width in widths.items()}
    {'pairs': 15, 'raters': 15, 'problems': 11}
    """
    sizes = {way: 2 * _size(model, way) for way in _ways(model, rule) if way != "pairs and raters"}
    return {
        way: approximate(grow_design(model, way, size), rule).half_width
        for way, size in sizes.items()
        if size <= LIMITS[way]
    }


def width_grid(
    model: StudyModel, rule: VerdictRule | None = None, *, extra: Sequence[int] = ()
) -> Grid:
    """Half-widths for a half to four times as many pairs and raters, by the approximation.

    `extra` adds numbers of pairs, up to eight times those of the model.

    >>> grid = width_grid(StudyModel(pairs=50, raters=20))
    >>> grid.pairs[0], grid.pairs[-1], grid.raters
    (25, 200, (10, 20, 40, 80))
    >>> grid.half_width[1][-1] < grid.half_width[1][0]
    True
    """
    least = max(model.ballots, model.problems)
    steps = {max(least, round(model.pairs * f)) for f in (0.5, 0.7, 1, 1.4, 2, 2.8, 4)}
    pairs = sorted(steps | {n for n in extra if least <= n <= 8 * model.pairs})
    raters = sorted({max(2, round(model.raters * f)) for f in (0.5, 1, 2, 4)})
    pairs = [n for n in pairs if n <= LIMITS["pairs"]]
    raters = [n for n in raters if n <= LIMITS["raters"]]
    designs = [model.with_pairs(each) for each in pairs]
    rows = tuple(
        tuple(approximate(replace(design, raters=r), rule).half_width for design in designs)
        for r in raters
    )
    return Grid(tuple(pairs), tuple(raters), rows)


# --- one way ---


def _ways(model: StudyModel, rule: VerdictRule) -> tuple[Way, ...]:
    # More problems help only where problems are the clusters.
    if rule.estimand_in(model) == "problems like these":
        return ("pairs", "raters", "pairs and raters", "problems")
    return ("pairs", "raters", "pairs and raters")


def _route(
    model: StudyModel,
    way: Way,
    target: Target,
    start: Plan,
    simulated: Callable[[int, StudyModel], Plan | None],
) -> Route:
    size, factor = _size(model, way), 1.0
    best: Route | None = None
    for attempt in range(TRIES):

        def value(size: int, factor: float = factor) -> float:
            result = approximate(grow_design(model, way, size), start.rule)
            result = replace(
                result,
                spread=result.spread * factor,
                reported_error=result.reported_error * factor,
            )
            return result.half_width if target.power is None else result.power

        if not target.is_met_by(value(_MOST)):
            return Route(way, None, value(_MOST, 1.0), None)
        size = _smallest(value, target, size)
        design = grow_design(model, way, size)
        result = simulated(attempt, design)
        reached = result is None or _meets_target(target, result, 1.0)
        best = Route(way, design, value(size, 1.0), result, reached)
        if result is None or reached:
            break
        # At least 3 % a try: a power gives no ratio to correct by.
        factor *= 1.03
        if target.power is None and result.half_width is not None:
            factor = max(factor, result.half_width.value / best.approximate)
    assert best is not None
    return best


def _size(model: StudyModel, way: Way) -> int:
    return {"raters": model.raters, "problems": model.problems}.get(way, model.pairs)


def _smallest(value: Callable[[int], float], target: Target, low: int) -> int:
    """The smallest size from `low` up that meets the target; `_MOST` does, and all above one do.

    >>> _smallest(lambda size: 1 / size, Target(half_width=0.01), 7)
    100
    """
    high = low
    while not target.is_met_by(value(high)):
        low, high = high, min(2 * high, _MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if target.is_met_by(value(middle)) else (middle, high)
    return high


def _meets_target(target: Target, result: Plan, margin: float) -> bool:
    if target.power is not None:
        return target.is_met_by(result.power.value + margin * result.power.error)
    width = result.half_width
    return width is not None and target.is_met_by(width.value - margin * width.error)
