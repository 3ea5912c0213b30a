"""Which votes go together, how far the rate spreads because of it, and when clusters are too few. A
vote shares its pair (and problem) with some votes and its rater with others, so votes are crossed,
not nested, and the variance is that of Cameron, Gelbach and Miller (2011, Journal of Business and
Economic Statistics 29:238). Why these clusters: docs/adr/0018-inference.md.
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
from study.statistics.votes import Floats, Integers, Sampled, VoteArrays

Estimand = Literal["problems like these", "pairs like these", "these pairs"]

ENOUGH_PROBLEMS = 10
"""A design of as many problems or more that declares nothing takes its problems for a sample; one
of fewer holds them fixed."""


def sampled_of(estimand: Estimand, problems: int) -> Sampled:
    """What a study samples beside its raters; the number of problems decides for "these pairs".

    >>> sampled_of("problems like these", 8), sampled_of("these pairs", 8)
    ('problems', 'pairs')
    """
    if estimand == "these pairs":
        return "problems" if problems >= ENOUGH_PROBLEMS else "pairs"
    return "problems" if estimand == "problems like these" else "pairs"


def estimand_of(problems: int) -> Estimand:
    """What a design of so many problems estimates if it declares nothing.

    >>> estimand_of(10), estimand_of(9)
    ('problems like these', 'pairs like these')
    """
    return "problems like these" if problems >= ENOUGH_PROBLEMS else "pairs like these"


ROUNDING = 1e-12
"""What is left of a sum that cancels, below this part of its terms."""


@dataclass(frozen=True)
class Component:
    """The variance of the rate if only the votes of one kind of cluster went together."""

    name: str  # "pair", "problem", "rater", "pair x rater" or "problem x rater"
    clusters: int  # How many hold a deciding vote
    # Σ over the clusters of (sum of residuals)² / votes², times the correction for small samples
    variance: float


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
            estimand = estimand_of(len(table.problems))
            if table.sampled is not None:
                problems = table.sampled == "problems"
                estimand = "problems like these" if problems else "pairs like these"
        if estimand == "these pairs":
            return cls(decided, "pair", decided.pair, decided.pair, estimand, copies)
        if estimand == "problems like these":
            nothing = np.zeros(len(decided), dtype=np.intp)
            return cls(decided, "problem", decided.problem, nothing, estimand, copies)
        return cls(decided, "pair", decided.pair, decided.problem, estimand, copies)

    @classmethod
    def crossed(cls, table: VoteArrays) -> Clustering:
        """Pairs and raters, nothing held fixed: for what is randomised over both, such as sides."""
        decided = table.decided()
        nothing = np.zeros(len(decided), dtype=np.intp)
        return cls(decided, "pair", decided.pair, nothing, "pairs like these")

    @property
    def codes(self) -> tuple[Integers, ...]:
        """The clusters of each vote, in the order of `sampled`."""
        raters = (self.table.rater,)
        return raters if self.estimand == "these pairs" else (self.items, *raters)

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
        sizes = np.bincount(self.table.problem).astype(np.float64)
        return float(sizes.sum() ** 2 / (sizes @ sizes)) if len(self.table) else 0.0

    @property
    def strata(self) -> int:
        """How many rates the residuals are taken about: one, or one a problem, or one a pair."""
        return count(self.fixed)

    def residuals(self) -> Floats:
        """Each vote less the rate of the fixed items. About their own pair, residuals of m votes
        are too small by (m - 1)/m in variance, which is put right; a pair with one vote takes the
        rate of all.
        """
        lower = self.table.lower
        rows = np.bincount(self.fixed)[self.fixed]
        rates = np.bincount(self.fixed, lower)[self.fixed] / rows
        votes = rows / self.copies
        if self.estimand != "these pairs":
            return lower - rates
        alone = votes == 1
        about = np.where(alone, lower.mean(), rates)
        return (lower - about) * np.sqrt(votes / np.where(alone, 1, votes - 1))

    def components(self) -> tuple[Component, ...]:
        """The one-way variances: items, raters, and votes that share both; or raters alone. The
        corrections are G/(G - H) for G items in H fixed problems (H = 1 if none are fixed),
        likewise for the intersection, and G/(G - 1) for raters, who cross the problems. For
        problems as clusters the sum of each one's residuals is divided by 1 - its share of the
        votes (CR3), for a large one has pulled the rate towards itself.
        """
        residuals = self.residuals()
        by_rater = _one_way("rater", residuals, self.table.rater, 1)
        if self.estimand == "these pairs":
            return (by_rater,)
        both = self.items * len(self.table.raters) + self.table.rater
        _, both = np.unique(both, return_inverse=True)
        lost = self.strata
        by_item = (
            _leave_one_out(self.item, residuals, self.items)
            if self.item == "problem"
            else _one_way(self.item, residuals, self.items, lost)
        )
        return (
            by_item,
            by_rater,
            _one_way(f"{self.item} x rater", residuals, both, lost),
        )

    @property
    def degrees_of_freedom(self) -> float:
        """The fewest clusters less the rates that were estimated from them; may be 0 or less, or
        not whole: problems as clusters count by their effective number.
        """
        raters = count(self.table.rater) - 1
        if self.estimand == "these pairs":
            return raters
        if self.item == "problem":
            near = round(self.effective_problems, 9)
            return min(raters, int(near) - 1 if near == int(near) else self.effective_problems - 1)
        return min(raters, count(self.items) - self.strata)

    def fewest_dissenting(self) -> int:
        """Clusters that hold the rarer choice: of the kind that has fewer of them."""
        lower = self.table.lower
        kinds = [self.table.rater]
        if self.estimand != "these pairs":
            kinds.append(self.items)
        return min(count(kind[lower == choice]) for kind in kinds for choice in (0.0, 1.0))


def two_way(components: tuple[Component, ...]) -> float:
    """Items + raters - both, and no less than the smaller of the first two: the difference is
    smaller, even negative, only if votes in neither kind of cluster agree more than by chance. A
    floor at the larger would cover 97.4 % instead of 95 % where votes are independent
    (docs/adr/0018-inference.md).

    >>> two_way((Component("pair", 40, 4.0), Component("rater", 20, 2.0),
    ...          Component("pair x rater", 400, 1.0)))
    5.0
    >>> two_way((Component("pair", 40, 4.0), Component("rater", 20, 2.0),
    ...          Component("pair x rater", 400, 5.0)))
    2.0

    Where the three cancel, nothing is left, not even the rounding:

    >>> two_way((Component("pair", 40, 0.3), Component("rater", 20, 0.0),
    ...          Component("pair x rater", 400, 0.1 + 0.2)))
    0.0
    """
    if len(components) == 1:
        return components[0].variance
    item, rater, both = (component.variance for component in components)
    joint = item + rater - both
    if joint <= ROUNDING * (item + rater):
        joint = 0.0
    return max(joint, min(item, rater))


def count(codes: Integers) -> int:
    """How many different codes (0, 1, …) there are.

    >>> count(np.array([3, 0, 3]))
    2
    """
    return int(np.count_nonzero(np.bincount(codes)))


def _one_way(name: str, residuals: Floats, codes: Integers, lost: int) -> Component:
    clusters = count(codes)
    if clusters <= lost:
        return Component(name, clusters, 0.0)
    sums = np.bincount(codes, residuals)
    sums[np.abs(sums) <= ROUNDING * np.bincount(codes, np.abs(residuals))] = 0.0
    variance = float(sums @ sums) / len(residuals) ** 2
    return Component(name, clusters, variance * clusters / (clusters - lost))


def _leave_one_out(name: str, residuals: Floats, codes: Integers) -> Component:
    """Σ (sum of a cluster's residuals / (1 - its share of the votes))² / votes²."""
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, residuals)
    sums[np.abs(sums) <= ROUNDING * np.bincount(codes, np.abs(residuals))] = 0.0
    rest = 1.0 - sizes / len(residuals)
    sums = np.divide(sums, rest, out=np.zeros_like(sums), where=rest > 0)
    return Component(name, count(codes), float(sums @ sums) / len(residuals) ** 2)


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
    for kind, number in grouped.sampled:
        if kind == "problem":
            if grouped.effective_problems < FEW_PROBLEMS:
                return _few_problems(grouped)
        elif number < FEW_CLUSTERS:
            return FewClusters(kind, number, FEW_CLUSTERS)
    if grouped.item == "pair" and grouped.degrees_of_freedom < FEW_CLUSTERS - 1:
        return FewSharedProblems(dict(grouped.sampled)["pair"], grouped.problems)
    fewest = grouped.fewest_dissenting()
    if fewest == 0:
        return Lack.UNANIMOUS
    if fewest < FEW_DISSENTING:
        return FewDissenting(fewest, FEW_DISSENTING)
    return None if variance else Lack.BALANCED


def _few_problems(grouped: Clustering) -> FewProblems:
    sizes = np.bincount(grouped.table.problem)
    largest = round(100 * int(sizes.max()) / len(grouped.table))
    effective = round(grouped.effective_problems, 1)
    return FewProblems(grouped.problems, effective, largest, FEW_PROBLEMS)
