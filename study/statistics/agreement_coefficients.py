"""Coefficients of agreement, each a function of a few sums over the pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.clusters import too_small_of
from study.statistics.jackknife import PairSums
from study.statistics.limits import FewPairsOfRarerChoice, Lack, Limit
from study.statistics.preference import Interval
from study.statistics.votes import Floats, Integers

Counts = Sequence[Sequence[int]] | npt.NDArray[Any]
"""Votes for each category, shape (pairs, categories)."""
PAIRS, AGREEING, VOTES, VOTES_AGREEING = range(4)
"""Places of the sums; after them the shares of the categories, then the votes for each."""


def checked(counts: Counts) -> Floats:
    """Counts as an array. Raises `UserError` if rows differ in length, have fewer than two
    categories, or are negative.
    """
    if not isinstance(counts, np.ndarray) and len({len(row) for row in counts}) > 1:
        raise UserError("rows of counts must be of one length, a count for each category")
    table = np.asarray(counts, dtype=np.float64) if len(counts) else np.zeros((0, 2))
    if table.ndim != 2 or table.shape[1] < 2 or (table < 0).any():
        raise UserError("a row of counts needs two or more counts of 0 or more")
    return table


def terms(counts: Floats, pairs: Integers | None = None) -> Floats:
    """What each pair adds to the sums, shape (pairs, 4 + 2 · categories); 0 with one vote."""
    votes = counts.sum(axis=1)
    some = np.maximum(votes, 2)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (some * (some - 1))
    columns = np.stack((np.ones(len(votes)), agreeing, votes, votes * agreeing), axis=1)
    all_terms = np.hstack((columns, counts / some[:, None], counts))
    return np.asarray(all_terms * (votes >= 2)[:, None], dtype=np.float64)


Measured = tuple[Floats, Floats, Floats]
"""Value (nan where it is not defined), observed and expected agreement, shape (...,). Expected is
nan where no chance is taken off."""
AgreementMeasure = Callable[[Floats], Measured]
"""Of sums, shape (..., 4 + 2 · categories)."""


def _means(sums: Floats) -> tuple[Floats, Floats]:
    """Mean agreement of a pair, and mean share of each category (last axis)."""
    categories = (sums.shape[-1] - 4) // 2
    with np.errstate(invalid="ignore"):
        observed = sums[..., AGREEING] / sums[..., PAIRS]
        return observed, sums[..., 4 : 4 + categories] / sums[..., PAIRS, None]


def _beyond(observed: Floats, expected: Floats) -> Measured:
    room = 1 - expected
    defined = room > 1e-12
    value = np.where(defined, (observed - expected) / np.where(defined, room, 1), np.nan)
    return value, observed, expected


def fleiss(sums: Floats) -> Measured:
    """Fleiss' kappa: chance is the mean shares of the categories, squared. With equal numbers of
    votes that of Fleiss (1971, Psychological Bulletin 76:378), else of Gwet (2014, Handbook of
    Inter-Rater Reliability, 4th ed., ch. 2), but pairs with one vote count nowhere.
    """
    observed, shares = _means(sums)
    return _beyond(observed, (shares**2).sum(axis=-1))


def gwet(sums: Floats) -> Measured:
    """AC1, which does not fall when almost all votes are for one category (Gwet, 2008, British
    Journal of Mathematical and Statistical Psychology 61:29): chance is the sum of p(1 - p) over
    the K categories, divided by K - 1. Pairs with one vote count nowhere; Gwet lets them into p.
    """
    observed, shares = _means(sums)
    return _beyond(observed, (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1))


def krippendorff(sums: Floats) -> Measured:
    """Nominal alpha, 1 - D_o/D_e (2018, Content Analysis, 4th ed., ch. 12): pairs weigh as their
    votes, and chance draws without replacement.
    """
    votes = sums[..., VOTES]
    totals = sums[..., (sums.shape[-1] + 4) // 2 :]
    with np.errstate(invalid="ignore"):
        expected = (totals * (totals - 1)).sum(axis=-1) / (votes * (votes - 1))
        return _beyond(sums[..., VOTES_AGREEING] / votes, expected)


def raw(sums: Floats) -> Measured:
    """The mean agreement of a pair; no chance is taken off."""
    observed, _ = _means(sums)
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


def measured(measure: AgreementMeasure, counts: Counts) -> tuple[float, float, float]:
    """Value, observed and expected agreement of `counts`; nan where not defined.

    >>> kappa, alpha, ac1 = (measured(m, [[4, 1], [0, 3], [2, 2], [5, 0]])[0]
    ...                      for m in (fleiss, krippendorff, gwet))
    >>> round(kappa, 4), round(alpha, 4), round(ac1, 4)
    (0.4544, 0.4343, 0.4784)
    """
    value, observed, expected = measure(terms(checked(counts)).sum(axis=0))
    return float(value), float(observed), float(expected)


def coefficient(
    name: str, measure: AgreementMeasure, sums: PairSums, level: float, few: int
) -> Coefficient:
    """A coefficient with its interval, or with the reason why there is none; with fewer than `few`
    pairs that hold the rarer choice it is not to be relied on.
    """
    value, observed, expected = (float(each) for each in measure(sums.whole))
    pairs, votes = int(sums.whole[PAIRS]), int(sums.whole[VOTES])
    left_out = len(sums.grouped.table.pairs) - pairs
    if not pairs:
        reason = Lack.NO_PAIR_OF_TWO_VOTES if left_out else Lack.NO_VOTES
        return Coefficient(name, None, reason, None, None, 0, left_out, 0, None, reason, None)
    undefined = Lack.ONE_CATEGORY if np.isnan(value) else None
    plain = np.isnan(expected)
    interval, why = sums.interval(
        lambda some: measure(some)[0],
        level,
        least=lowest(sums, chance_taken_off=not plain),
        spent=1 if plain else 2,
    )
    return Coefficient(
        name,
        None if undefined else value,
        undefined,
        observed,
        None if plain else expected,
        pairs,
        left_out,
        votes,
        interval,
        undefined or why,
        too_small(sums, few) if interval else None,
    )


def lowest(sums: PairSums, *, chance_taken_off: bool) -> float:
    """The least that agreement can come to with these numbers of votes, if all categories are
    chosen equally often on every pair: -1/(n - 1) beyond chance, n votes a pair.
    """
    votes = sums.grouped.table.counts().sum(axis=1)
    below = float((1 / (votes[votes >= 2] - 1)).mean())
    return -below if chance_taken_off else (1 - below) / 2


def too_small(sums: PairSums, few: int) -> Limit | None:
    """Why an interval is not to be relied on: fewer than `few` pairs hold the rarer choice, or
    there are too few clusters."""
    counts = sums.grouped.table.counts()[sums.by_pair[:, PAIRS] > 0]
    rarest = int((counts > 0).sum(axis=0).min())
    if rarest < few:
        return FewPairsOfRarerChoice(rarest, few)
    return too_small_of(sums.grouped, 1.0)
