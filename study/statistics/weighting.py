"""The rate with all problems weighed alike: the mean of their own rates, another estimand than the
headline, in which a problem counts by its votes. Variance, degrees of freedom and scale are those
of the headline, with weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering, Estimand, reason_of, too_small_of
from study.statistics.limits import Limit
from study.statistics.preference import Interval, LogOdds
from study.statistics.variance import Estimating, crossed
from study.statistics.votes import VoteArrays

METHOD = "two-way clustered t on the log odds, problems weighed alike"


@dataclass(frozen=True)
class ClusteredMean(PlainAtLevel):
    """The mean of the problems' rates of votes for the lower EIC."""

    value: float
    standard_error: float
    degrees_of_freedom: float
    problems: int  # With a deciding vote
    too_small: Limit | None  # Why not to rely on interval and test

    _JSON = (
        "value",
        "standard_error",
        "degrees_of_freedom",
        "problems",
        "interval",
        "p_two_sided",
        "too_small",
    )

    @property
    def log_odds(self) -> LogOdds | None:
        """None where no two clusters differ, or all problems are unanimous."""
        return LogOdds.of(self.value, self.standard_error, self.degrees_of_freedom)

    def interval(self, level: float = 0.95) -> Interval | None:
        return self.log_odds.interval(level, METHOD) if self.log_odds else None

    @property
    def p_two_sided(self) -> float | None:
        """Of "the mean of the problems' rates is one half"."""
        return self.log_odds.p_two_sided if self.log_odds else None


class _Alike(Clustering):
    @property
    def effective_problems(self) -> float:
        return float(self.problems)


def equal_problems(table: VoteArrays, *, estimand: Estimand | None = None) -> ClusteredMean | None:
    """The rate with problems weighed alike; None where the headline has no interval, or all votes
    are on one problem. The estimand says what is sampled, as for `clustered_rate`.

    A problem with ten times the votes counts for no more than the other five:

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"{q}{p}", problem=q, lower_side="left", position=1,
    ...               choice="higher" if r % 5 < (3 if q == "a" else 1) else "lower")
    ...          for q in "abcdef" for p in range(10 if q == "a" else 1) for r in range(20)]
    >>> table = VoteArrays.of(votes)
    >>> float(round(table.lower.mean(), 3)), round(equal_problems(table).value, 3)
    (0.533, 0.733)
    """
    grouped = _Alike.of(table, estimand)
    if reason_of(grouped, len(table)) or grouped.problems < 2:
        return None
    decided = grouped.table
    weights = 1.0 / np.bincount(decided.problem)[decided.problem]
    value = float(np.average(decided.lower, weights=weights))
    sampled = grouped.item == "problem"
    residuals = decided.lower - value if sampled else grouped.about_fixed(decided.lower)
    mean = Estimating((weights * residuals)[:, None], np.sqrt(weights)[:, None], np.ones((1, 1)))
    variance = float(crossed(tuple(mean.one_way(kind) for kind in grouped.kinds))[0])
    freedom = float(grouped.degrees(mean)[0])
    small = too_small_of(grouped, variance)
    return ClusteredMean(value, sqrt(variance), freedom, grouped.problems, small)
