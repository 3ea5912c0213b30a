"""The rate with all problems weighed alike: the mean of their own rates, another estimand than the
headline, in which a problem counts by its votes. Variance, degrees of freedom and scale are those
of the headline, with weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from study.statistics.clusters import (
    Clustering,
    Estimand,
    count,
    reason_of,
    too_small_of,
    two_way,
)
from study.statistics.estimates import Estimate, LogOdds
from study.statistics.limits import Limit
from study.statistics.variance import Estimating
from study.statistics.votes import Floats, VoteArrays

METHOD = "two-way clustered t on the log odds, problems weighed alike"


@dataclass(frozen=True)
class ClusteredMean(Estimate):
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
    def distribution(self) -> LogOdds | None:
        """None where no two clusters differ, or all problems are unanimous."""
        return LogOdds.of(self.value, self.standard_error, self.degrees_of_freedom, METHOD)


class _Alike(Clustering):
    """Votes with weights that add up to the same for each problem, 1 on average."""

    @property
    def effective_problems(self) -> float:
        return float(self.problems)

    @property
    def weights(self) -> Floats:
        votes = np.bincount(self.table.problem)
        weights: Floats = len(self.table) / (self.problems * votes[self.table.problem])
        return weights

    @property
    def value(self) -> float:
        return float(self.weights @ self.table.lower) / len(self.table)

    def mean(self) -> Estimating:
        lower = self.table.lower
        nothing_fixed = self.item == "problem"
        about = lower - self.value if nothing_fixed else self.about_fixed(lower)
        return Estimating.mean(about, self.weights)


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
    usual = Clustering.of(table, estimand)
    grouped = _Alike(usual.table, usual.item, usual.items, usual.fixed, usual.estimand)
    if reason_of(grouped, len(table)) or count(grouped.table.problem) < 2:
        return None
    variance = two_way(grouped.components())
    return ClusteredMean(
        grouped.value,
        variance**0.5,
        grouped.degrees_of_freedom,
        grouped.problems,
        too_small_of(grouped, variance),
    )
