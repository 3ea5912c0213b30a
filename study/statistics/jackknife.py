"""Intervals of what is no mean of votes: agreement and correlations. Each item of the estimand (a
problem, or a pair), each rater, and each rater's votes on an item are left out in turn; the squared
changes are put together as those of the headline (`study.statistics.variance`). Every measure is a
function of a few sums over the pairs, so leaving out is a subtraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, stdtrit

from study.statistics.clusters import Clustering, Estimand, reason_of
from study.statistics.limits import Lack, Limit
from study.statistics.preference import Interval, upper_share
from study.statistics.variance import crossed, squared, sums_by
from study.statistics.votes import Floats, Integers, VoteArrays, numbered

METHOD = "jackknife by {item} and rater"
METHOD_THESE_PAIRS = "jackknife by rater, pairs held fixed"
NOTHING = 1e-24
"""A variance of this or less is rounding."""
MOST_TOO_LARGE = 3.0
"""How many times too large a jackknife's variance can be: of a sum of couples of four votes."""
FARTHEST = 8.0
"""Beyond this a ratio's interval has no end: its denominator may be 0."""

Terms = Callable[[Floats, Integers], Floats]
"""Of votes for lower and higher EIC on some pairs, shape (n, 2), and the places of these pairs,
shape (n,): what they add to the sums, shape (n, k); 0 for a pair of fewer than two votes."""
Measure = Callable[[Floats], Floats]
"""Of sums, shape (..., k): the measure, shape (...,), nan where it is not defined."""


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """How a measure changes without each item, each rater, and each rater's votes on an item. Where
    the pairs are held fixed, `both` is what two votes on a pair do that neither does alone.
    """

    items: Floats
    raters: Floats
    both: Floats
    bias: float = 0.0  # By which the measure is too high, as far as items tell

    @property
    def defined(self) -> bool:
        return all(np.isfinite(part).all() for part in (self.items, self.raters, self.both))


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums over the pairs with two deciding votes or more: of all votes, and with some left out."""

    grouped: Clustering  # The votes on those pairs
    terms: Terms

    @classmethod
    def of(cls, table: VoteArrays, terms: Terms, estimand: Estimand | None = None) -> PairSums:
        decided = table.decided()
        votes = np.bincount(decided.pair, minlength=len(table.pairs))
        return cls(Clustering.of(decided.select(votes[decided.pair] >= 2), estimand), terms)

    @property
    def reason(self) -> Limit | None:
        """Why there is no interval; None if there may be."""
        return reason_of(self.grouped, len(self.grouped.table))

    @cached_property
    def by_pair(self) -> Floats:
        return self.terms(self.grouped.table.counts().astype(np.float64), self._places)

    @cached_property
    def whole(self) -> Floats:
        return np.asarray(self.by_pair.sum(axis=0), dtype=np.float64)

    def changes(self, measure: Measure) -> LeaveOneOut:
        now = measure(self.whole)
        items, raters, both = (measure(self.whole - part) - now for part in self._parts)
        strata, bias = self._strata, 0.0
        if self.grouped.estimand != "these pairs":
            if self.grouped.strata == 1:
                bias = float((1 - self._weights) @ items)
            if self.grouped.item == "pair":
                sizes = np.bincount(strata)
                items = items - (np.bincount(strata, items) / np.maximum(sizes, 1))[strata]
        return LeaveOneOut(items, raters, both, bias)

    def variance(self, changes: LeaveOneOut) -> float:
        """Items + raters - both, with the corrections of the headline for their numbers."""
        raters, both = self.of_raters(changes), changes.both @ changes.both
        if self.grouped.estimand == "these pairs":
            return max(raters - float(both), raters / MOST_TOO_LARGE)
        items = squared(changes.items, 1 / len(changes.items), self.grouped.kinds[0].lost)
        return float(crossed((items, np.asarray(raters), np.asarray(both))))

    @staticmethod
    def of_raters(changes: LeaveOneOut) -> float:
        return float(squared(changes.raters, 1 / len(changes.raters), 1))

    def interval(
        self, measure: Measure, level: float, *, least: float = -1.0, spent: int = 1
    ) -> tuple[Interval | None, Limit | None]:
        """Of a measure from `least` to 1, symmetric on the scale of log((x - least)/(1 - x)) about
        the value less its bias; Fisher's scale of a correlation, and of one within classes.
        `spent` counts the numbers that are estimated from the items.
        """
        value = float(measure(self.whole))
        if self.reason or np.isnan(value):
            return None, self.reason
        changes = self.changes(measure)
        if not changes.defined:
            return None, Lack.RARE_CHOICE
        error = sqrt(self.variance(changes))
        if error**2 <= NOTHING:
            return None, Lack.SAME_AGREEMENT
        reach = self._quantile(changes, level, spent) * error
        centre = value - changes.bias
        if not least < centre < 1:
            centre = value
        if not least < centre < 1:
            ends = max(least, centre - reach), min(1.0, centre + reach)
        else:
            place = log((centre - least) / (1 - centre))
            half = reach * (1 - least) / ((centre - least) * (1 - centre))
            ends = _between(place - half, least), _between(place + half, least)
        return Interval(*ends, level, self.method), None

    def accepted(
        self, apart: Callable[[float], Measure], centre: float, level: float, *, spent: int = 1
    ) -> Interval | None:
        """All numbers whose `apart`, a measure that is 0 at the true one, is not told from 0;
        `centre` is among them. None if there is no end within `FARTHEST`.
        """

        def beyond(number: float) -> float:
            measure = apart(number)
            changes = self.changes(measure)
            reach = self._quantile(changes, level, spent) * sqrt(self.variance(changes))
            return abs(float(measure(self.whole)) - changes.bias) - reach

        if self.reason or not beyond(centre) < 0:
            return None
        ends = []
        for side in (-1.0, 1.0):
            steps = centre + side * np.geomspace(1e-3, FARTHEST, 30)
            outside = next((step for step in steps if beyond(float(step)) > 0), None)
            if outside is None:
                return None
            ends.append(float(brentq(beyond, centre, float(outside), xtol=1e-9)))
        return Interval(ends[0], ends[1], level, self.method)

    @property
    def method(self) -> str:
        if self.grouped.estimand == "these pairs":
            return METHOD_THESE_PAIRS
        return METHOD.format(item=self.grouped.item)

    def _quantile(self, changes: LeaveOneOut, level: float, spent: int) -> float:
        degrees = self.grouped.degrees_of_freedom + 1 - spent
        if self.grouped.estimand == "these pairs":
            degrees *= (self.variance(changes) / self.of_raters(changes)) ** 2
        elif self.grouped.item == "pair":  # of a dozen problems fourth powers tell too little
            degrees = min(degrees, spread_degrees(changes.items) + 1 - spent)
        return float(stdtrit(max(1.0, degrees), upper_share(level)))

    @property
    def _places(self) -> Integers:
        return np.arange(len(self.grouped.table.pairs))

    @cached_property
    def _used(self) -> tuple[Integers, Integers]:
        """The items that hold a vote, and a vote on each."""
        used, first = np.unique(self.grouped.items, return_index=True)
        return used, first

    @cached_property
    def _strata(self) -> Integers:
        """shape (items,): what is fixed about each."""
        return numbered(self.grouped.fixed[self._used[1]])

    @cached_property
    def _weights(self) -> Floats:
        """Each item's share of the pairs."""
        counted = np.bincount(self._item_of_pair[self.by_pair[:, 0] > 0])[self._used[0]]
        return np.asarray(counted / counted.sum(), dtype=np.float64)

    @cached_property
    def _item_of_pair(self) -> Integers:
        items = np.zeros(len(self.grouped.table.pairs), dtype=np.intp)
        items[self.grouped.table.pair] = self.grouped.items
        return items

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """What the sums lose, shape (clusters, k), without each item, rater, and both."""
        table, grouped = self.grouped.table, self.grouped
        counts = table.counts().astype(np.float64)[table.pair]
        votes = counts.sum(axis=1)
        left = counts - np.column_stack((table.lower, 1 - table.lower))
        lost = self.by_pair[table.pair] - self.terms(left, table.pair)
        fixed = grouped.estimand == "these pairs"
        if fixed:
            lost *= np.sqrt((votes - 1) / votes)[:, None]
        both = grouped.items * len(table.raters) + table.rater
        return (
            sums_by(self._item_of_pair, self.by_pair)[self._used[0]],
            sums_by(numbered(table.rater), lost),
            self._couples if fixed else sums_by(numbered(both), lost),
        )

    @property
    def _couples(self) -> Floats:
        """For each two votes on a pair of four or more, what their joint part adds too much to the
        jackknife's variance of a sum of couples (Efron and Stein, 1981, Annals of Statistics 9:586,
        whose Q this is), as its root; alike couples of a pair in one row.
        """
        pairs = np.flatnonzero(self.grouped.table.counts().sum(axis=1) >= 4)
        counts = self.grouped.table.counts()[pairs].astype(np.float64)
        m = counts.sum(axis=1)[:, None]
        one, other = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        rows = []
        for first, second in ((one, one), (one, other), (other, other)):
            alike = first is second
            couples = (counts @ first) * (counts @ second - alike) / (1 + alike)
            some = couples > 0
            without = [
                self.terms(np.maximum(counts - each, 0), pairs)
                for each in (0 * one, first, second, first + second)
            ]
            joint = m * without[0] - (m - 1) * (without[1] + without[2]) + (m - 2) * without[3]
            excess = couples[:, None] * (m - 3) / (m * (m - 1) * (m - 2))
            rows.append((np.sqrt(excess) * joint)[some])
        return np.concatenate(rows)


def spread_degrees(changes: Floats) -> float:
    """Degrees of freedom of a jackknife variance by Satterthwaite's method, from the fourth powers
    of the changes, less one: few where a few items make up the variance. The factor puts a bias
    right (Johnson and Rust, 1992, Journal of Educational Statistics 17:175).

    >>> round(spread_degrees(np.array([1.0, -1.0] * 8)), 1)
    38.5
    """
    squares = changes**2
    fourth = float(squares @ squares)
    if not fourth:
        return inf
    return (3.16 - 2.77 / sqrt(len(changes))) * float(squares.sum()) ** 2 / fourth - 1


def _between(place: float, least: float) -> float:
    """The number from `least` to 1 at this place of the scale."""
    return least + (1 - least) * float(expit(place))
