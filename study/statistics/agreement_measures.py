"""Coefficients of agreement as functions of a few sums over the pairs.

A weighting says how often each pair counts, so a bootstrap is a product of a matrix of weights
with those sums.  Sources: `study.statistics.coefficients`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.errors import UserError
from study.statistics.votes import Floats

Counts = Sequence[Sequence[int]] | npt.NDArray[Any]
"""Votes for each category, shape (pairs, categories)."""


@dataclass(frozen=True, eq=False)
class PairSums:
    """What the coefficients need of each pair with two votes or more, in the order of its counts.

    Attributes
    ----------
    counts : ndarray of float, shape (pairs, categories)
    votes : ndarray of float, shape (pairs,)
    agreeing : ndarray of float, shape (pairs,)
        Share of the couples of votes on the pair that agree.
    left_out : int
        Pairs with fewer than two votes.
    """

    counts: Floats
    votes: Floats
    agreeing: Floats
    left_out: int

    @classmethod
    def of(cls, counts: Counts) -> PairSums:
        """Check counts, shape (pairs, categories), and keep the pairs with two votes.

        Raises
        ------
        UserError
            If the rows are of different lengths, of fewer than two categories, or negative.
        """
        if not isinstance(counts, np.ndarray) and len({len(row) for row in counts}) > 1:
            raise UserError("rows of counts must be of one length, a count for each category")
        table = np.asarray(counts, dtype=np.float64) if len(counts) else np.zeros((0, 2))
        if table.ndim != 2 or table.shape[1] < 2 or (table < 0).any():
            raise UserError("a row of counts needs two or more counts of 0 or more")
        votes = table.sum(axis=1)
        used = table[votes >= 2]
        used = used[np.lexsort(used.T[::-1])]
        votes = used.sum(axis=1)
        agreeing = (used * (used - 1)).sum(axis=1) / (votes * (votes - 1))
        return cls(used, votes, agreeing, len(table) - len(used))

    def __len__(self) -> int:
        return len(self.votes)


Measured = tuple[Floats, Floats, Floats]
"""Value (nan where it is not defined), observed and expected agreement, one for each weighting.

Expected is nan where no chance is taken off.
"""
Measure = Callable[[PairSums, Floats], Measured]


def _means(sums: PairSums, weights: Floats) -> tuple[Floats, Floats]:
    """Mean agreement of a pair, and mean share of each category (last axis)."""
    total = weights.sum(axis=1)
    shares = weights @ (sums.counts / sums.votes[:, None]) / total[:, None]
    return weights @ sums.agreeing / total, shares


def _beyond(observed: Floats, expected: Floats) -> Measured:
    room = 1 - expected
    defined = room > 1e-12
    value = np.where(defined, (observed - expected) / np.where(defined, room, 1), np.nan)
    return value, observed, expected


def fleiss(sums: PairSums, weights: Floats) -> Measured:
    """Fleiss' kappa: chance is the mean shares of the categories, squared."""
    observed, shares = _means(sums, weights)
    return _beyond(observed, (shares**2).sum(axis=1))


def gwet(sums: PairSums, weights: Floats) -> Measured:
    """AC1: chance is (1/(K-1)) sum of p(1 - p) over the K categories."""
    observed, shares = _means(sums, weights)
    return _beyond(observed, (shares * (1 - shares)).sum(axis=1) / (shares.shape[1] - 1))


def krippendorff(sums: PairSums, weights: Floats) -> Measured:
    """Nominal alpha: pairs weigh as their votes, and chance draws without replacement."""
    votes = weights @ sums.votes
    observed = weights @ (sums.votes * sums.agreeing) / votes
    totals = weights @ sums.counts
    expected = (totals * (totals - 1)).sum(axis=1) / (votes * (votes - 1))
    return _beyond(observed, expected)


def raw(sums: PairSums, weights: Floats) -> Measured:
    """The mean agreement of a pair; no chance is taken off."""
    observed, _ = _means(sums, weights)
    return observed, observed, np.full_like(observed, np.nan)
