"""A mixed logistic model beside the clustered rate: normal random intercepts of raters, pairs, and
problems where these are a sample. A sensitivity, for it supposes normal effects. Fitted by the
Laplace approximation to the likelihood; the standard deviations of the effects lie on a fine
lattice, so that equal votes give equal numbers everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, inf, log, sqrt
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from study.statistics.clusters import Clustering
from study.statistics.estimates import Estimate, LogOdds
from study.statistics.inference import ClusteredMean, ClusteredRate
from study.statistics.limits import Kind
from study.statistics.threats.common import side_of_half
from study.statistics.votes import Floats, Integers, VoteArrays, numbered

LATTICE = (-300, 160)
"""Standard deviations are exp(k / 100) for whole k in this range: 0.05 to 5, in steps of 1 %."""
START = -64
STRIDES = (64, 16, 4, 1)
MOST_STEPS = 60
SETTLED = 1e-11
METHOD = "mixed logistic model, Laplace"

Apart = Literal["", "others", "weights", "suppositions"]
"""Why the model leads elsewhere than the headline; "" if it does not. "others": it speaks of other
pairs, too; "weights": so does the mean of the problems' rates, and the model weighs problems nearly
alike."""


@dataclass(frozen=True)
class MixedRate(Estimate):
    """The rate of a typical rater on a typical pair."""

    kinds: tuple[Kind, ...]  # What has an intercept of its own
    spreads: tuple[float, ...]  # Their standard deviations on the log odds; empty without a fit
    # log_odds, standard_error: of the common intercept
    log_odds: float | None
    standard_error: float | None
    degrees_of_freedom: int  # The fewest problems (or pairs) or raters - 1
    level: float

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
    """Fit the model without ties; nothing where the headline has no interval, or all votes agree.

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
    error = sqrt(variances[best])
    return MixedRate(kinds, _spreads(best), centres[best], error, freedom, level)


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
    """The approximate log likelihood, its mode, and the variance of the intercept. `y` of shape
    (n,) is 0 or 1; `codes`, each of shape (n,), number each kind's clusters from 0; `spreads` are
    their standard deviations; `start` has the intercept, then the effects of each kind.
    """
    sizes = [int(each.max()) + 1 for each in codes]
    ends = np.cumsum([1, *sizes])
    kinds = [
        (codes[i], size, slice(int(ends[i]), int(ends[i + 1]))) for i, size in enumerate(sizes)
    ]
    precision = np.concatenate([[0.0], np.repeat(np.power(spreads, -2.0), sizes)])
    signs = 2 * y - 1

    def inner(at: Floats) -> tuple[Floats, float]:
        eta = at[0] + sum(at[place][code] for code, _, place in kinds)
        fit = -np.logaddexp(0, -signs * eta).sum() - (precision * at**2).sum() / 2
        return eta, float(fit)

    def curvature(eta: Floats) -> Floats:
        fitted = expit(eta)
        weight = fitted * (1 - fitted)
        hessian = np.diag(precision)
        hessian[0, 0] += weight.sum()
        for code, size, place in kinds:
            sums = np.bincount(code, weight, size)
            hessian[0, place] = hessian[place, 0] = sums
            hessian[place, place] += np.diag(sums)
        for (code, size, place), (other, width, column) in combinations(kinds, 2):
            joint = np.bincount(code * width + other, weight, size * width).reshape(size, width)
            hessian[place, column], hessian[column, place] = joint, joint.T
        return hessian

    at = start
    eta, now = inner(at)
    for _ in range(MOST_STEPS):
        rest = y - expit(eta)
        slope = -precision * at
        slope[0] += rest.sum()
        for code, size, place in kinds:
            slope[place] += np.bincount(code, rest, size)
        step = np.asarray(cho_solve(cho_factor(curvature(eta)), slope), dtype=np.float64)
        while inner(at + step)[1] < now - 1e-12 * abs(now) and np.abs(step).max() > SETTLED:
            step = step / 2
        at = at + step
        eta, now = inner(at)
        if np.abs(step).max() < SETTLED:
            break
    factor = cho_factor(curvature(eta))
    unit = np.zeros(len(at))
    unit[0] = 1.0
    likelihood = now + np.log(precision[1:]).sum() / 2 - np.log(np.diag(factor[0])).sum()
    return float(likelihood), at, float(cho_solve(factor, unit)[0])
