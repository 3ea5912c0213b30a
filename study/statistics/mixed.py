"""A mixed logistic model beside the clustered rate: normal random intercepts of raters, pairs, and
problems where these are a sample. A sensitivity, for it supposes normal effects. Fitted by the
Laplace approximation to the likelihood; the standard deviations of the effects lie on a fine
lattice, so that equal votes give equal numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log, sqrt
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from study.statistics.clusters import Clustering
from study.statistics.estimates import IntervalEstimate, LogOdds
from study.statistics.inference import ClusteredMean, ClusteredRate
from study.statistics.limits import Kind
from study.statistics.threats.common import side_of_half
from study.statistics.votes import Floats, Integers, VoteArrays, numbered

LATTICE = (-300, 160)
"""Standard deviations are exp(k / 100) for whole k in this range: 0.05 to 5, in steps of 1 %."""
START = -64
STRIDES = (64, 16, 4, 1)
MOST_STEPS = 60
SETTLED = 1e-10
MOST_MOVED = 2.0
APART = 10
"""Steps of the lattice over which slopes and curvatures by the spreads are taken."""
LEAST_CURVED = 1.0
"""A spread whose logarithm the votes leave open by more than 1 does not move the intercept."""
LEAST_SHARE = 0.2
"""Of the rarer choice: below it the approximation takes pairs for too different, and its interval
covers two thirds (ADR 0018)."""
METHOD = "mixed logistic model, Laplace"

Apart = Literal["", "others", "weights", "suppositions"]
"""Why the model leads elsewhere than the headline; "" if it does not. "others": it speaks of other
pairs, too; "weights": so does the mean of the problems' rates, and the model weighs problems nearly
alike."""


@dataclass(frozen=True)
class MixedRate(IntervalEstimate):
    """The rate of a typical rater on a typical pair."""

    kinds: tuple[Kind, ...]  # What has an intercept of its own
    spreads: tuple[float, ...]  # Their standard deviations on the log odds; empty without a fit
    # log_odds, standard_error: of the common intercept
    log_odds: float | None
    standard_error: float | None
    degrees_of_freedom: int  # The fewest problems (or pairs) or raters - 1
    level: float
    lopsided: bool = False  # The votes agree so far that the approximation is off

    _JSON = (
        "kinds",
        "spreads",
        "log_odds",
        "standard_error",
        "degrees_of_freedom",
        "rate",
        "interval",
        "p_value=p_two_sided",
        "level",
        "lopsided",
    )

    @property
    def rate(self) -> float | None:
        """For effects of zero."""
        return None if self.log_odds is None else float(expit(self.log_odds))

    @property
    def distribution(self) -> LogOdds | None:
        if self.log_odds is None or not self.standard_error:
            return None
        return LogOdds(self.log_odds, self.standard_error, self.degrees_of_freedom, METHOD)

    def apart(self, headline: ClusteredRate, alike: ClusteredMean | None) -> Apart:
        """Whether one interval holds one half and the other does not, and why."""
        side = side_of_half(self.interval(self.level))
        if not side or side == side_of_half(headline.interval(self.level)):
            return ""
        if headline.estimand == "these pairs":
            return "others"
        weights = alike is not None and side == side_of_half(alike.interval(self.level))
        return "weights" if weights else "suppositions"


def mixed_rate(table: VoteArrays, headline: ClusteredRate, *, level: float = 0.95) -> MixedRate:
    """Fit the model without ties; nothing where the headline has no interval, or most votes agree.

    >>> from types import SimpleNamespace as Vote
    >>> from study.statistics.inference import clustered_rate
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p:02}", problem="q", lower_side="left", position=1,
    ...               choice="higher" if (p + r) % 3 == 0 else "lower")
    ...          for p in range(12) for r in range(12)]
    >>> table = VoteArrays.of(votes)
    >>> round(mixed_rate(table, clustered_rate(table)).rate, 3)
    0.667
    """
    grouped = Clustering.of(table)
    decided = grouped.table
    by_problem = grouped.item == "problem"
    kinds: tuple[Kind, ...] = ("problem", "pair", "rater") if by_problem else ("pair", "rater")
    columns = (*((decided.problem,) if by_problem else ()), decided.pair, decided.rater)
    codes = tuple(numbered(each) for each in columns)
    sizes = [int(each.max(initial=-1)) + 1 for each in codes]
    freedom = min(sizes[0], sizes[-1]) - 1
    # one pair that is held fixed has a headline, and no spread between pairs
    if headline.reason or headline.lower in (0, headline.votes) or freedom < 1:
        return MixedRate(kinds, (), None, None, 0, level)
    if min(headline.lower, headline.votes - headline.lower) < LEAST_SHARE * headline.votes:
        return MixedRate(kinds, (), None, None, 0, level, lopsided=True)
    at = np.zeros(1 + sum(sizes))
    at[0] = log(headline.lower / (headline.votes - headline.lower))
    variances: dict[tuple[int, ...], float] = {}
    centres: dict[tuple[int, ...], float] = {}

    def likelihood(place: tuple[int, ...]) -> float:
        nonlocal at
        value, at, variances[place] = laplace(decided.lower, codes, _spreads(place), at)
        centres[place] = float(at[0])
        return value

    best = _highest(likelihood, len(kinds))
    error = sqrt(variances[best] + _by_spreads(likelihood, centres, best))
    return MixedRate(kinds, _spreads(best), centres[best], error, freedom, level)


def _by_spreads(
    value: Callable[[tuple[int, ...]], float],
    centres: Mapping[tuple[int, ...], float],
    best: tuple[int, ...],
) -> float:
    """The variance of the intercept that comes from not knowing the spreads, to first order: its
    slopes by their logarithms, and the curvature of the likelihood that they are at.
    """
    free = [
        axis for axis in range(len(best)) if LATTICE[0] + APART <= best[axis] <= LATTICE[1] - APART
    ]
    slopes, curvature = np.zeros(len(free)), np.zeros((len(free), len(free)))
    step = APART / 100

    def moved(*steps: tuple[int, int]) -> tuple[int, ...]:
        place = best
        for axis, sign in steps:
            place = _moved(place, axis, sign * APART)
        return place

    top = value(best)
    for i, axis in enumerate(free):
        up, down = moved((axis, 1)), moved((axis, -1))
        curvature[i, i] = (2 * top - value(up) - value(down)) / step**2
        slopes[i] = (centres[up] - centres[down]) / (2 * step)
        for j, other in enumerate(free[:i]):
            both = sum(
                value(moved((axis, s), (other, t))) * s * t for s in (1, -1) for t in (1, -1)
            )
            curvature[i, j] = curvature[j, i] = -both / (4 * step**2)
    sure = np.diag(curvature) > LEAST_CURVED
    slopes, curvature = slopes[sure], curvature[np.ix_(sure, sure)]
    return max(0.0, float(slopes @ np.linalg.solve(curvature, slopes))) if len(slopes) else 0.0


def _spreads(place: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(exp(each / 100) for each in place)


def _highest(value: Callable[[tuple[int, ...]], float], axes: int) -> tuple[int, ...]:
    """Where no neighbour along an axis is higher: a compass search with ever shorter strides."""
    values: dict[tuple[int, ...], float] = {}

    def at(place: tuple[int, ...]) -> float:
        if place not in values:
            within = all(LATTICE[0] <= each <= LATTICE[1] for each in place)
            values[place] = value(place) if within else -inf
        return values[place]

    best = (START,) * axes
    for stride in STRIDES:
        before = None
        while before != best:
            before = best
            for axis in range(axes):
                for step in (stride, -stride):
                    while at(new := _moved(best, axis, step)) > at(best):
                        best = new
    return best


def _moved(place: tuple[int, ...], axis: int, step: int) -> tuple[int, ...]:
    return (*place[:axis], place[axis] + step, *place[axis + 1 :])


def laplace(
    y: Floats, codes: Sequence[Integers], spreads: Sequence[float], start: Floats
) -> tuple[float, Floats, float]:
    """The approximate log likelihood, where it is highest, and the variance of the intercept. `y`
    of shape (n,) is 0 or 1; `codes`, each of shape (n,), number each kind's clusters from 0;
    `spreads` are their standard deviations; `start` has the intercept, then the effects of each
    kind.

    The effects are the mode at the intercept, and the intercept is where the approximation itself
    is highest: at their common mode it is drawn towards one half.
    """
    sizes = [int(each.max()) + 1 for each in codes]
    ends = np.cumsum([1, *sizes])
    places = [ends[i] + code for i, code in enumerate(codes)]
    precision = np.concatenate([[0.0], np.repeat(np.power(spreads, -2.0), sizes)])
    largest = int(np.argmax(sizes))
    last = slice(int(ends[largest]), int(ends[largest + 1]))
    at = start.copy()
    for _ in range(MOST_STEPS):
        eta = at[0] + sum(at[place] for place in places)
        fitted = expit(eta)
        weight = fitted * (1 - fitted)
        inverse = _Inverse(_curvature(weight, places, precision), last)
        rest = y - fitted
        slope = -precision * at
        # The effects' uncertainty moves with the intercept, and the votes' weights with both
        turn = 1 + sum(inverse.by_intercept[place] for place in places)
        moved = weight * (1 - 2 * fitted) * turn
        slope[0] += rest.sum() - moved @ inverse.of_votes(places) / 2
        for place in places:
            slope += np.bincount(place, rest, len(at))
        step = inverse.solve(slope)
        size = float(np.abs(step).max())
        at = at + step * min(1.0, MOST_MOVED / max(size, SETTLED))
        if size < SETTLED:
            break
    eta = at[0] + sum(at[place] for place in places)
    fit = -np.logaddexp(0, -(2 * y - 1) * eta).sum() - (precision * at**2).sum() / 2
    likelihood = fit + np.log(precision[1:]).sum() / 2 - inverse.log_determinant / 2
    return float(likelihood), at, inverse.variance


def _curvature(weight: Floats, places: Sequence[Integers], precision: Floats) -> Floats:
    """Less the second derivatives of the log likelihood by intercept and effects."""
    size = len(precision)
    curvature = np.diag(precision)
    columns = [np.zeros_like(places[0]), *places]
    for one, other in product(columns, columns):
        curvature += np.bincount(one * size + other, weight, size * size).reshape(size, size)
    return curvature


class _Inverse:
    """Of a curvature whose block `last` is diagonal, which is eliminated: the largest kind."""

    def __init__(self, curvature: Floats, last: slice) -> None:
        self.last = last
        self.others = np.delete(np.arange(len(curvature)), last)
        diagonal = np.diag(curvature)[last]
        self.scaled = curvature[self.others, last] / diagonal
        reduced = curvature[np.ix_(self.others, self.others)]
        factor = cho_factor(reduced - self.scaled @ curvature[self.others, last].T)
        self.diagonal = diagonal
        self.block = cho_solve(factor, np.eye(len(reduced)))
        self.across = -self.block @ self.scaled
        self.variance = float(self.block[0, 0])
        self.log_determinant = 2 * float(
            np.log(np.diag(factor[0])).sum() + np.log(diagonal).sum() / 2
        )
        self.by_intercept = np.zeros(len(curvature))
        self.by_intercept[self.others] = self.block[0] / self.variance
        self.by_intercept[last] = self.across[0] / self.variance

    def solve(self, slope: Floats) -> Floats:
        step = np.zeros(len(slope))
        step[self.others] = self.block @ slope[self.others] + self.across @ slope[self.last]
        step[self.last] = slope[self.last] / self.diagonal - self.scaled.T @ step[self.others]
        return step

    def of_votes(self, places: Sequence[Integers]) -> Floats:
        """The variance of the sum of each vote's effects, the intercept being fixed."""
        position = np.empty(len(self.by_intercept), dtype=np.int64)
        position[self.others] = np.arange(len(self.others))
        position[self.last] = np.arange(len(self.diagonal))
        spread = 1 / self.diagonal - (self.scaled * self.across).sum(axis=0)
        variance = np.zeros(len(places[0]))
        for one, other in product(places, places):
            a, b = position[one], position[other]
            inside = (
                self.last.start <= one[0] < self.last.stop,
                self.last.start <= other[0] < self.last.stop,
            )
            if all(inside):
                variance += spread[a]
            elif any(inside):
                variance += self.across[b, a] if inside[0] else self.across[a, b]
            else:
                variance += self.block[a, b]
        turn = sum(self.by_intercept[place] for place in places)
        return np.asarray(variance - self.variance * turn**2)
