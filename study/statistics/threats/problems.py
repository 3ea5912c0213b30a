"""The preference problem by problem: a rate for each, and how far they differ. A description, and
no threat: that problems differ is in the interval of the headline.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtr

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering, count, two_way
from study.statistics.inference import clustered_rate
from study.statistics.limits import Lack, Limit
from study.statistics.preference import Interval, wilson_interval
from study.statistics.threats.common import ALPHA, FINE, UNKNOWN, Judgement
from study.statistics.votes import Floats, Integers, VoteArrays

METHOD = "Wilson, votes divided by the design effect"


@dataclass(frozen=True)
class ProblemRate(PlainAtLevel):
    problem: str
    # pairs, raters: with a deciding vote
    pairs: int
    raters: int
    # lower, votes: for the lower EIC, and deciding
    lower: int
    votes: int
    # None without votes. Two-way clustered where the problem alone has pairs and raters enough;
    # else Wilson's, for as many votes as they are worth by the design effect of the whole study
    # within problems.
    interval: Interval | None
    # One-sided, by the same method: how likely so low a rate is if the true one is one half
    p_below: float | None = None

    _JSON = ("problem", "pairs", "raters", "lower", "votes", "rate", "interval")

    @property
    def rate(self) -> float | None:
        return self.lower / self.votes if self.votes else None


@dataclass(frozen=True)
class ProblemRates(PlainAtLevel):
    # In the order of names; problems without a deciding vote among them
    rates: tuple[ProblemRate, ...]
    design_effect: float  # Within problems, pair × rater clustered, at least 1
    # Σ votes · (rate - rate of all)² over problems, divided by all votes: the variance of the rates
    spread: float | None
    # Share of `draws` reshuffles of the pairs over the problems with so large a spread
    p_value: float | None
    draws: int
    seed: int
    level: float
    reason: Limit | None  # Why there is no test

    _JSON = (
        "problems=rates",
        "design_effect",
        "spread",
        "p_value",
        "draws",
        "seed",
        "level",
        "reason",
        "judgement",
    )

    @property
    def with_votes(self) -> tuple[ProblemRate, ...]:
        return tuple(each for each in self.rates if each.votes)

    @property
    def contradicting(self) -> tuple[ProblemRate, ...]:
        """Problems that speak against the lower EIC, more than the lowest of so many would."""
        asked = ALPHA / max(1, len(self.with_votes))
        return tuple(
            each for each in self.with_votes if each.p_below is not None and each.p_below < asked
        )

    @property
    def judgement(self) -> Judgement:
        return UNKNOWN if self.p_value is None else FINE


def problem_rates(
    table: VoteArrays, *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> ProblemRates:
    """The rate in each problem with an interval, and a permutation test of their differences. Row i
    of ``numpy.random.default_rng(seed).permuted(numpy.tile(problem_of_pair, (draws, 1)), axis=1)``
    deals the problems anew to the pairs with a deciding vote, in the order of their names; p = (1 +
    reshuffles with at least the observed spread) / (1 + draws).

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p:02}", problem="ab"[p % 2], position=1,
    ...               lower_side="left", choice="higher" if (p + r) % 3 < p % 2 else "lower")
    ...          for p in range(12) for r in range(12)]
    >>> found = problem_rates(VoteArrays.of(votes))
    >>> [round(each.rate, 2) for each in found.rates], found.p_value < 0.01
    ([1.0, 0.67], True)
    """
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    if draws < 1:
        raise UserError("a permutation test needs a draw")
    decided = table.decided()
    effect = _design_effect(decided)
    rates = tuple(
        _rate(name, decided.select(decided.problem == i), effect, level)
        for i, name in enumerate(decided.problems)
    )
    reason = _reason(decided)
    spread, p_value = (None, None) if reason else _permutation_test(decided, draws, seed)
    return ProblemRates(rates, effect, spread, p_value, draws, seed, level, reason)


def _reason(decided: VoteArrays) -> Limit | None:
    if not len(decided):
        return Lack.NO_PROBLEM_WITH_VOTE
    problems, pairs = count(decided.problem), count(decided.pair)
    if problems == 1:
        return Lack.ONE_PROBLEM
    if pairs == problems:
        return Lack.PAIR_OR_PROBLEM
    return Lack.ALL_AGREE if decided.lower.min() == decided.lower.max() else None


def _rate(name: str, votes: VoteArrays, effect: float, level: float) -> ProblemRate:
    n, lower = len(votes), int(votes.lower.sum())
    if not n:
        return ProblemRate(name, 0, 0, 0, 0, None)
    clustered = clustered_rate(votes, estimand="pairs like these")
    alone = not (clustered.reason or clustered.too_small)
    if alone:
        interval, two_sided = clustered.interval(level), clustered.p_two_sided or 0.0
        below = two_sided / 2 if 2 * lower < n else 1 - two_sided / 2
    else:
        interval = wilson_interval(lower / n, n / effect, level, METHOD)
        below = float(ndtr((2 * lower / n - 1) * sqrt(n / effect)))
    return ProblemRate(name, count(votes.pair), count(votes.rater), lower, n, interval, below)


def _design_effect(decided: VoteArrays) -> float:
    """Variance of the rate within problems, pair × rater clustered, over that of as many votes."""
    if not len(decided):
        return 1.0
    within = Clustering(decided, "pair", decided.pair, decided.problem, "pairs like these")
    votes = np.bincount(decided.problem).astype(np.float64)
    rates = np.bincount(decided.problem, decided.lower) / np.maximum(votes, 1)
    plain = float((votes * rates * (1 - rates)).sum()) / len(decided) ** 2
    if not plain or count(decided.rater) < 2 or count(decided.pair) <= within.strata:
        return 1.0
    return max(1.0, two_way(within.components()) / plain)


def _permutation_test(decided: VoteArrays, draws: int, seed: int) -> tuple[float, float]:
    _, first, pair = np.unique(decided.pair, return_index=True, return_inverse=True)
    votes = np.bincount(pair).astype(np.float64)
    lower = np.bincount(pair, decided.lower).astype(np.float64)
    problem = decided.problem[first]
    rng = np.random.default_rng(seed)
    dealt = rng.permuted(np.tile(problem, (draws, 1)), axis=1)
    observed = float(_spread(problem[None, :], votes, lower)[0])
    drawn = _spread(dealt, votes, lower)
    more = int((drawn >= observed * (1 - 1e-9)).sum())
    return observed, (1 + more) / (1 + draws)


def _spread(problems: Integers, votes: Floats, lower: Floats) -> Floats:
    """Variance of the problems' rates, weighted by votes; a row of `problems` each."""
    rows, most = len(problems), int(problems.max()) + 1
    cells = (problems + np.arange(rows)[:, None] * most).ravel()
    counts = np.bincount(cells, np.tile(votes, rows), rows * most).reshape(rows, most)
    chosen = np.bincount(cells, np.tile(lower, rows), rows * most).reshape(rows, most)
    rates = chosen / np.maximum(counts, 1)
    overall = lower.sum() / votes.sum()
    return (counts * (rates - overall) ** 2).sum(axis=1) / votes.sum()
