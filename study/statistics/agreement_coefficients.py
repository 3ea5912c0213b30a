"""Coefficients of agreement beside Fleiss' kappa, and one bootstrap for all of them
(`study.statistics.bootstrap` describes its interval). Each coefficient is a function of a few sums
over the pairs, so a bootstrap is a product of a matrix of weights with those sums: no loop over
draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.bootstrap import bias_corrected, resampling_weights
from study.statistics.limits import FewPairsOfRarerChoice, Lack, Limit
from study.statistics.preference import Interval
from study.statistics.votes import Floats

Counts = Sequence[Sequence[int]] | npt.NDArray[Any]
"""Votes for each category, shape (pairs, categories)."""


@dataclass(frozen=True, eq=False)
class PairSums:
    """What the coefficients need of each pair with two votes or more, in order of its counts."""

    counts: Floats  # shape (pairs, categories)
    votes: Floats  # shape (pairs,)
    agreeing: Floats  # shape (pairs,): Share of the couples of votes on the pair that agree
    left_out: int  # Pairs with fewer than two votes

    @classmethod
    def of(cls, counts: Counts) -> PairSums:
        """Check counts, shape (pairs, categories), and keep the pairs with two votes. Raises
        `UserError` if rows differ in length, have fewer than two categories, or are negative.
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


FEW_PAIRS = 20
"""With fewer pairs that hold the rarer choice, intervals of kappa and alpha cover too little."""
FEW_PAIRS_RAW = 10
"""The same for raw agreement and AC1, which hang less on the rarer choice."""


@dataclass(frozen=True)
class Coefficient(PlainAtLevel):
    """Agreement of raters on nominal categories, 1 at most."""

    name: str
    value: float | None  # None if it is not defined; `reason` says why
    reason: Limit | None
    # observed, expected: agreement of two votes on a pair, and what this coefficient takes for
    # chance (None for raw agreement, which takes nothing off)
    observed: float | None
    expected: float | None
    # pairs, left_out, votes: pairs with two votes or more, which count; the other pairs; votes on
    # those that count
    pairs: int
    left_out: int
    votes: int
    interval: Interval | None
    interval_reason: Limit | None  # Why there is no interval
    too_small: Limit | None  # Why the interval is not to be relied on

    _JSON = (
        "name",
        "value",
        "reason",
        "observed",
        "expected",
        "pairs",
        "left_out",
        "votes",
        "interval",
        "interval_reason",
        "too_small",
    )


def raw_agreement(
    counts: Counts, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """How often two votes on a pair agree: the mean over pairs of `counts`, shape (pairs,
    categories), with two votes or more. Raises `UserError` if an argument makes no sense.

    >>> round(raw_agreement([[4, 1], [0, 3], [2, 2], [5, 0]]).value, 4)
    0.7333
    """
    return coefficient("raw agreement", raw, counts, draws, seed, level, FEW_PAIRS_RAW)


def gwet_ac1(
    counts: Counts, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """Gwet's AC1, which does not fall when almost all votes are for one category (Gwet, 2008,
    British Journal of Mathematical and Statistical Psychology 61:29). Chance is Σ_j π_j (1 - π_j) /
    (q - 1) with π_j the mean share of category j of q; pairs with one vote count nowhere, while
    Gwet lets them into π_j. Arguments as for `raw_agreement`.

    >>> round(gwet_ac1([[9, 1], [10, 0], [10, 0], [8, 2]]).value, 4)
    0.8387
    """
    return coefficient("Gwet's AC1", gwet, counts, draws, seed, level, FEW_PAIRS_RAW)


def krippendorff_alpha(
    counts: Counts, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """Krippendorff's alpha for nominal data, 1 - D_o/D_e; pairs weigh as their votes (2018, Content
    Analysis, 4th ed., ch. 12). Arguments as for `raw_agreement`.

    >>> round(krippendorff_alpha([[4, 1], [0, 3], [2, 2], [5, 0]]).value, 4)
    0.4343
    """
    return coefficient("Krippendorff's alpha", krippendorff, counts, draws, seed, level, FEW_PAIRS)


def fleiss_coefficient(
    counts: Counts, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """Fleiss' kappa as a `Coefficient`; arguments as for `raw_agreement`.

    The value is that of `study.statistics.agreement.fleiss_kappa`.

    >>> round(fleiss_coefficient([[4, 1], [0, 3], [2, 2], [5, 0]]).value, 4)
    0.4544
    """
    return coefficient("Fleiss' kappa", fleiss, counts, draws, seed, level, FEW_PAIRS)


def fleiss_interval(
    counts: Counts, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval | None:
    """Interval of Fleiss' kappa, pairs drawn again: a bias-corrected bootstrap of 100 draws or
    more, about a millisecond for 172 pairs. The weights are
    ``numpy.random.default_rng(seed).multinomial(m, [1/m] * m, size=draws)`` for the m pairs with
    two votes, in ascending order of their rows of counts. None if kappa or its spread is not
    defined; `fleiss_coefficient` says why.

    >>> found = fleiss_interval([[4, 1], [0, 3], [2, 2], [5, 0]] * 10)
    >>> round(found.low, 2), round(found.high, 2)
    (0.26, 0.64)
    """
    return fleiss_coefficient(counts, draws=draws, seed=seed, level=level).interval


def coefficient(
    name: str, measure: Measure, counts: Counts, draws: int, seed: int, level: float, few: int
) -> Coefficient:
    """A coefficient with its interval, or with the reason why there is none. `measure` maps
    `PairSums` and weights, shape (draws, pairs), to values, observed and expected agreement, each
    of shape (draws,), nan where not defined. With fewer than `few` pairs that hold the rarer choice
    the interval is not to be relied on. Raises `UserError` for fewer than 100 draws, or a level
    outside (0, 1).
    """
    sums = PairSums.of(counts)
    if draws < 100:
        raise UserError("a bootstrap interval needs at least 100 draws")
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    pairs, votes = len(sums), int(sums.votes.sum())
    if not pairs:
        reason = Lack.NO_PAIR_OF_TWO_VOTES if sums.left_out else Lack.NO_VOTES
        return Coefficient(name, None, reason, None, None, 0, sums.left_out, 0, None, reason, None)
    values, observed, expected = (found[0] for found in measure(sums, np.ones((1, pairs))))
    value = None if np.isnan(values) else float(values)
    undefined = Lack.ONE_CATEGORY if value is None else None
    interval: Interval | None = None
    why: Lack | None = undefined or Lack.ONE_PAIR
    if value is not None and pairs > 1:
        drawn = measure(sums, resampling_weights(pairs, draws, seed))[0]
        interval, why = bias_corrected(value, drawn, pairs, level)
    return Coefficient(
        name,
        value,
        undefined,
        float(observed),
        None if np.isnan(expected) else float(expected),
        pairs,
        sums.left_out,
        votes,
        interval,
        why,
        _too_small(sums, few) if interval else None,
    )


def _too_small(sums: PairSums, few: int) -> Limit | None:
    holding = np.sort((sums.counts > 0).sum(axis=0))[:-1]
    rarest = int(holding[-1])  # of two categories the rarer one, of more the second
    return None if rarest >= few else FewPairsOfRarerChoice(rarest, few)
