"""A mixed logistic model beside the clustered rate: random intercepts of two kinds of clusters. A
sensitivity, for it supposes normal effects. Fitted by the Laplace approximation to the likelihood,
with the two standard deviations on a grid, so that equal votes give equal numbers everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, ndtr, ndtri

from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate
from study.statistics.limits import Kind
from study.statistics.preference import Interval
from study.statistics.votes import Floats, Integers, VoteArrays

GRID = (0.05, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
"""Standard deviations tried, on the log odds."""
MOST_STEPS = 60


@dataclass(frozen=True)
class MixedRate(PlainAtLevel):
    """The rate of a typical rater on a typical pair or problem."""

    kinds: tuple[Kind, Kind]  # What has an intercept of its own: "problem" or "pair", and "rater"
    spreads: tuple[float, ...]  # Their standard deviations on the log odds; empty without a fit
    # log_odds, standard_error: of the common intercept
    log_odds: float | None
    standard_error: float | None
    level: float

    _JSON = (
        "kinds",
        "spreads",
        "log_odds",
        "standard_error",
        "rate",
        "interval",
        "p_value",
        "level",
    )

    @property
    def rate(self) -> float | None:
        """For effects of zero."""
        return None if self.log_odds is None else float(expit(self.log_odds))

    def interval(self, level: float = 0.95) -> Interval | None:
        if self.log_odds is None or self.standard_error is None:
            return None
        half = float(ndtri((1 + level) / 2)) * self.standard_error
        low, high = expit(self.log_odds - half), expit(self.log_odds + half)
        return Interval(float(low), float(high), level, "mixed logistic model, Laplace")

    @property
    def p_value(self) -> float | None:
        if self.log_odds is None or not self.standard_error:
            return None
        return float(2 * ndtr(-abs(self.log_odds) / self.standard_error))


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
    decided = table.decided()
    grouped = Clustering.of(decided)
    kinds: tuple[Kind, Kind] = (grouped.item, "rater")
    nothing = MixedRate(kinds, (), None, None, level)
    if headline.reason or headline.lower in (0, headline.votes):
        return nothing
    first_codes, second_codes = (
        np.unique(each, return_inverse=True)[1].astype(np.intp)
        for each in (grouped.items, decided.rater)
    )
    codes = (first_codes, second_codes)
    found: tuple[float, tuple[float, ...], Floats, float] | None = None
    start = np.zeros(1 + sum(int(each.max()) + 1 for each in codes))
    start[0] = log(headline.lower / (headline.votes - headline.lower))
    for first in GRID:
        for second in GRID:
            likelihood, at, variance = laplace(decided.lower, codes, (first, second), start)
            if found is None or likelihood > found[0]:
                found = likelihood, (first, second), at, variance
    assert found is not None
    _, spreads, at, variance = found
    return MixedRate(kinds, spreads, float(at[0]), sqrt(variance), level)


def laplace(
    y: Floats, codes: tuple[Integers, Integers], spreads: tuple[float, float], start: Floats
) -> tuple[float, Floats, float]:
    """The approximate log likelihood, its mode, and the variance of the intercept. `y` of shape
    (n,) is 0 or 1; `codes`, shape (n,), number each kind's clusters from 0; `spreads` are their
    standard deviations; `start` has the intercept, then the effects of either kind.
    """
    sizes = [int(each.max()) + 1 for each in codes]
    first, second = slice(1, 1 + sizes[0]), slice(1 + sizes[0], 1 + sum(sizes))
    precision = np.zeros(1 + sum(sizes))
    precision[first], precision[second] = (spread**-2 for spread in spreads)
    cell = codes[0] * sizes[1] + codes[1]
    signs = 2 * y - 1

    def inner(at: Floats) -> tuple[Floats, float]:
        eta = at[0] + at[first][codes[0]] + at[second][codes[1]]
        fit = -np.logaddexp(0, -signs * eta).sum() - (precision * at**2).sum() / 2
        return eta, float(fit)

    def curvature(eta: Floats) -> Floats:
        fitted = expit(eta)
        weight = fitted * (1 - fitted)
        joint = np.bincount(cell, weight, sizes[0] * sizes[1]).reshape(sizes)
        hessian = np.diag(precision)
        hessian[0, 0] += weight.sum()
        hessian[0, first] = hessian[first, 0] = joint.sum(axis=1)
        hessian[0, second] = hessian[second, 0] = joint.sum(axis=0)
        hessian[first, first] += np.diag(joint.sum(axis=1))
        hessian[second, second] += np.diag(joint.sum(axis=0))
        hessian[first, second], hessian[second, first] = joint, joint.T
        return hessian

    at = start
    eta, now = inner(at)
    for _ in range(MOST_STEPS):
        rest = y - expit(eta)
        slope = -precision * at
        slope[0] += rest.sum()
        slope[first] += np.bincount(codes[0], rest, sizes[0])
        slope[second] += np.bincount(codes[1], rest, sizes[1])
        step = np.asarray(cho_solve(cho_factor(curvature(eta)), slope), dtype=np.float64)
        while inner(at + step)[1] < now - 1e-12 * abs(now) and np.abs(step).max() > 1e-11:
            step = step / 2
        at = at + step
        eta, now = inner(at)
        if np.abs(step).max() < 1e-11:
            break
    factor = cho_factor(curvature(eta))
    unit = np.zeros(len(at))
    unit[0] = 1.0
    likelihood = now + np.log(precision[1:]).sum() / 2 - np.log(np.diag(factor[0])).sum()
    return float(likelihood), at, float(cho_solve(factor, unit)[0])
