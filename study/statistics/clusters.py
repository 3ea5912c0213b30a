"""Which votes go together, and when clusters are too few. A vote shares its pair (and problem) with
some votes and its rater with others, so votes are crossed, not nested. Why these clusters:
docs/adr/0018-inference.md; the variance: `variance`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from study.statistics.limits import (
    FewClusters,
    FewDissenting,
    FewProblems,
    FewSharedProblems,
    Kind,
    Lack,
    Limit,
    NearlyOneProblem,
    OneCluster,
    SinglePairs,
)
from study.statistics.variance import Component, Estimating, Kindred, crossed
from study.statistics.votes import Floats, Integers, Sampled, VoteArrays

Estimand = Literal["problems like these", "pairs like these", "these pairs"]
SAMPLED: dict[Sampled, Estimand] = {"problems": "problems like these", "pairs": "pairs like these"}

ENOUGH_PROBLEMS = 10
"""A design of as many problems or more that declares nothing takes its problems for a sample; one
of fewer holds them fixed."""


def sampled_of(estimand: Estimand, problems: int) -> Sampled:
    """What a study samples beside its raters; the number of problems decides for "these pairs".

    >>> sampled_of("problems like these", 8), sampled_of("these pairs", 8)
    ('problems', 'pairs')
    """
    design = estimand_of(problems) if estimand == "these pairs" else estimand
    return "problems" if design == "problems like these" else "pairs"


def estimand_of(problems: int) -> Estimand:
    """What a design of so many problems estimates if it declares nothing.

    >>> estimand_of(10), estimand_of(9)
    ('problems like these', 'pairs like these')
    """
    return "problems like these" if problems >= ENOUGH_PROBLEMS else "pairs like these"


@dataclass(frozen=True, eq=False)
class Clustering:
    table: VoteArrays  # Deciding votes, or all votes
    item: Kind  # "pair" or "problem": what is sampled beside the raters
    items: Integers  # shape (n,): The item of each vote
    # shape (n,): What is held fixed, for each vote: one stratum, its problem, or its pair. The
    # strata partition the items, unless the pairs themselves are fixed.
    fixed: Integers
    estimand: Estimand
    copies: int = 1  # How many rows stand for one vote
    alike: bool = False  # Whether all problems weigh the same, else all votes

    @classmethod
    def of(
        cls,
        table: VoteArrays,
        estimand: Estimand | None = None,
        copies: int = 1,
        *,
        ties: bool = False,
    ) -> Clustering:
        """Problems as clusters, or pairs within these problems: by default as the design declares,
        whichever votes were cast or count. With `ties` they count as votes, for a regression of
        something else than the choice.
        """
        decided = table if ties else table.decided()
        if estimand is None:
            declared = table.sampled and SAMPLED[table.sampled]
            estimand = declared or estimand_of(len(table.problems))
        if estimand == "these pairs":
            return cls(decided, "pair", decided.pair, decided.pair, estimand, copies)
        if estimand == "pairs like these":
            return cls(decided, "pair", decided.pair, decided.problem, estimand, copies)
        nothing = np.zeros(len(decided), dtype=np.intp)
        return cls(decided, "problem", decided.problem, nothing, estimand, copies)

    @classmethod
    def crossed(cls, table: VoteArrays) -> Clustering:
        """Pairs and raters, nothing held fixed: for what is randomised over both, such as sides."""
        decided = table.decided()
        nothing = np.zeros(len(decided), dtype=np.intp)
        return cls(decided, "pair", decided.pair, nothing, "pairs like these")

    @property
    def sampled(self) -> tuple[tuple[Kind, int], ...]:
        """The sampled items, and how many of each kind have a deciding vote."""
        raters: tuple[Kind, int] = ("rater", count(self.table.rater))
        return (
            (raters,)
            if self.estimand == "these pairs"
            else ((self.item, count(self.items)), raters)
        )

    @property
    def problems(self) -> int:
        return count(self.table.problem)

    @property
    def effective_problems(self) -> float:
        """Kish's effective number of problems, (Σ n_g)²/Σ n_g² for n_g votes on problem g."""
        if self.alike:
            return float(self.problems)
        sizes = np.bincount(self.table.problem).astype(np.float64)
        return float(sizes.sum() ** 2 / (sizes @ sizes)) if len(self.table) else 0.0

    @property
    def weights(self) -> Floats:
        """shape (n,): 1 on average."""
        votes = np.bincount(self.table.problem)[self.table.problem]
        alike = len(self.table) / (self.problems * votes) if self.alike else np.ones(len(votes))
        return np.asarray(alike, dtype=np.float64)

    @property
    def value(self) -> float:
        return float(self.weights @ self.table.lower) / len(self.table)

    @property
    def strata(self) -> int:
        """How many rates the residuals are taken about: one, or one a problem, or one a pair."""
        return count(self.fixed)

    def about_fixed(self, values: Floats) -> Floats:
        """Values of shape (n,) or (n, k), each less the mean of the fixed items. About their own
        pair, residuals of m votes are too small by (m - 1)/m in variance, which is put right; a
        pair with one vote takes the mean of all.
        """
        table = values.reshape(len(values), -1)
        rows, weights = np.bincount(self.fixed)[self.fixed], self.weights
        whole = np.bincount(self.fixed, weights)[self.fixed]
        means = [np.bincount(self.fixed, weights * each)[self.fixed] / whole for each in table.T]
        about = np.stack(means, axis=1) if means else table
        if self.estimand == "these pairs":
            votes = (rows / self.copies)[:, None]
            alone = votes == 1
            about = np.where(alone, table.mean(axis=0), about)
            return ((table - about) * np.sqrt(votes / np.where(alone, 1, votes - 1))).reshape(
                values.shape
            )
        return (table - about).reshape(values.shape)

    @property
    def kinds(self) -> tuple[Kindred, ...]:
        """Items, raters, and votes that share both; or raters alone."""
        raters = Kindred("rater", self.table.rater, 1)
        if self.estimand == "these pairs":
            return (raters,)
        both = self.items * len(self.table.raters) + self.table.rater
        _, both = np.unique(both, return_inverse=True)
        return (
            Kindred(self.item, self.items, 0 if self.item == "problem" else self.strata),
            raters,
            Kindred(f"{self.item} x rater", both.astype(np.intp), self.strata),
        )

    def components(self) -> tuple[Component, ...]:
        """The one-way variances of the rate."""
        mean = self.mean()
        return tuple(Component(kind.name, float(mean.one_way(kind)[0])) for kind in self.kinds)

    @property
    def variance(self) -> float:
        return two_way(self.components())

    def mean(self) -> Estimating:
        return Estimating.mean(self.about_fixed(self.table.lower), self.weights)

    @property
    def degrees_of_freedom(self) -> float:
        """The fewest clusters less the rates that were estimated from them; may be 0 or less, or
        not whole: problems as clusters count by their effective number.
        """
        if not len(self.table):
            return 0
        mean = self.mean()
        least = min(float(mean.degrees(kind)[0]) for kind in self.kinds[:2])
        return round(least) if abs(least - round(least)) < 1e-9 else least

    def fewest_dissenting(self) -> int:
        """Clusters that hold the rarer choice: of the kind that has fewer of them."""
        lower = self.table.lower
        kinds = [self.table.rater]
        if self.estimand != "these pairs":
            kinds.append(self.items)
        return min(count(kind[lower == choice]) for kind in kinds for choice in (0.0, 1.0))


def two_way(components: tuple[Component, ...]) -> float:
    """One variance from the components: see `variance.crossed`."""
    return float(crossed(tuple(np.array([each.variance]) for each in components))[0])


def count(codes: Integers) -> int:
    """How many different codes (0, 1, …) there are.

    >>> count(np.array([3, 0, 3]))
    2
    """
    return int(np.count_nonzero(np.bincount(codes)))


FEW_CLUSTERS = 10
FEW_PROBLEMS = 6
"""Fewer effective problems than these: the interval covers more than 97 %, or is half as wide as
the whole scale (docs/adr/0018-inference.md)."""
FEW_DISSENTING = 5


def reason_of(grouped: Clustering, votes_cast: int) -> Limit | None:
    """Why there is neither interval nor test; None if there are."""
    if not len(grouped.table):
        return Lack.NOBODY_DECIDED if votes_cast else Lack.NO_VALID_VOTES
    # raters first, and what they saw after them
    for kind, number in reversed(grouped.sampled):
        if number == 1:
            return OneCluster(kind)
    if grouped.degrees_of_freedom < 1:
        alone = NearlyOneProblem if grouped.item == "problem" else SinglePairs
        return alone(grouped.problems)
    return None


def too_small_of(grouped: Clustering, variance: float) -> Limit | None:
    """Why the interval is not to be relied on; None if it is."""
    few = few_of(grouped)
    if few:
        return few
    fewest = grouped.fewest_dissenting()
    if fewest == 0:
        return Lack.UNANIMOUS
    if fewest < FEW_DISSENTING:
        return FewDissenting(fewest, FEW_DISSENTING)
    return None if variance else Lack.BALANCED


def few_of(grouped: Clustering) -> Limit | None:
    """Clusters too few for the spread between them to be measured well."""
    for kind, number in grouped.sampled:
        if kind == "problem":
            if grouped.effective_problems < FEW_PROBLEMS:
                return _few_problems(grouped)
        elif number < FEW_CLUSTERS:
            return FewClusters(kind, number, FEW_CLUSTERS)
    if grouped.item == "pair" and grouped.degrees_of_freedom < FEW_CLUSTERS - 1:
        return FewSharedProblems(dict(grouped.sampled)["pair"], grouped.problems)
    return None


def _few_problems(grouped: Clustering) -> FewProblems:
    sizes = np.bincount(grouped.table.problem)
    largest = round(100 * int(sizes.max()) / len(grouped.table))
    effective = round(grouped.effective_problems, 1)
    return FewProblems(grouped.problems, effective, largest, FEW_PROBLEMS)
