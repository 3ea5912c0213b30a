"""Raters in haste, raters who answer like a coin or press one place, two accounts of one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import gammaincc, stdtr

from eic_core.exports import Plain
from study.statistics.exclusions import ExclusionRule, active_seconds
from study.statistics.regression import least_p
from study.statistics.threats.common import (
    ALPHA,
    Judgement,
    RatedVote,
    judged,
    on_a_pair,
    split_by_rule,
)
from study.statistics.threats.sides import ENOUGH_VOTES, OneSided, chose_left, one_sided_raters
from study.statistics.votes import Flags, Floats, Integers, Sampled, VoteArrays

QUICK = 0.5
"""Raters below this part of the typical pace are quick: their answers are compared as a group."""
SLIP = 0.1
"""How often one person gives two answers to one pair."""
NEVER = 1e-12
MOST_COUPLES = 10
NOTHING = 1e-9
MAD_EFFICIENCY = 0.37
"""A spread by the median of absolute deviations tells as much as one of this part of the values."""


@dataclass(frozen=True)
class RaterScreen(Plain):
    """What one rater's valid votes look like beside the others'. Each p is one-sided and that of
    this rater alone.
    """

    rater: str
    votes: int  # Deciding
    seconds: float | None  # Median active seconds of a vote; None without any
    agreement: float | None  # Share of the others' votes on the same pairs that say the same
    left: float  # Share of votes for the formula on the left
    haste_p: float | None  # So quick, if of the others' pace
    # 1 over the odds that it was a coin, to one of the others' mind: no less than the p of these
    # odds (Markov)
    coin_p: float

    _JSON = ("rater", "votes", "seconds", "agreement", "left", "haste_p", "coin_p")


@dataclass(frozen=True)
class Couple(Plain):
    """Two raters who answer alike."""

    first: str
    second: str
    pairs: int  # That both decided
    alike: int  # On which they chose the same formula
    # How much likelier these answers are if one person gave them than if two did who agree no more
    # than other raters on these pairs
    odds: float

    _JSON = ("first", "second", "pairs", "alike", "odds")


@dataclass(frozen=True)
class RaterScreens(Plain):
    """Each p is corrected for the number of raters or couples that it is the least of."""

    # With `ENOUGH_VOTES` deciding votes or more, in the order of names
    raters: tuple[RaterScreen, ...]
    couples: tuple[Couple, ...]  # The likeliest of one person first, `MOST_COUPLES` at most
    compared: int  # Couples that have a pair in common
    most_shared: int  # Pairs that a couple has in common, at most
    one_sided: OneSided
    quick: tuple[str, ...]  # Raters of less than `QUICK` of the typical pace
    quick_coin_p: float | None  # Likewise of these as a group; None without any
    spread_p: float | None  # Sides so unequal from rater to rater, were they dealt by chance

    _JSON = (
        "raters",
        "couples",
        "compared",
        "most_shared",
        "quick",
        "haste_p",
        "coin_p",
        "place_p",
        "likeness_p",
        "judgement",
    )

    @property
    def haste_p(self) -> float | None:
        return least_p([each.haste_p for each in self.raters])

    @property
    def coin_p(self) -> float | None:
        """Of the rater least like the others, or of the quick ones together."""
        return least_p([least_p([each.coin_p for each in self.raters]), self.quick_coin_p])

    @property
    def place_p(self) -> float | None:
        """By the number of raters who always press one side, or the spread of all of them."""
        return least_p([self.one_sided.p_value, self.spread_p])

    @property
    def likeness_p(self) -> float | None:
        """Of the likeliest couple, by its odds as above."""
        if not self.couples:
            return None
        return min(1.0, self.compared / self.couples[0].odds)

    @property
    def hasty(self) -> tuple[RaterScreen, ...]:
        return tuple(each for each in self.raters if self._flags(each.haste_p))

    @property
    def coins(self) -> tuple[RaterScreen, ...]:
        return tuple(each for each in self.raters if self._flags(each.coin_p, 2))

    @property
    def alike(self) -> tuple[Couple, ...]:
        return tuple(each for each in self.couples if self.compared / each.odds < ALPHA)

    @property
    def couples_comparable(self) -> bool:
        """Whether some couple has pairs enough to be seen as one, where others are of two minds."""
        most = self.most_shared * log(2 * (1 - SLIP))
        return self.compared > 0 and most >= log(self.compared / ALPHA)

    def _flags(self, p_value: float | None, tests: int = 1) -> bool:
        return p_value is not None and p_value * len(self.raters) * tests < ALPHA

    @property
    def judgement(self) -> Judgement:
        p_values = (self.haste_p, self.coin_p, self.place_p, self.likeness_p)
        return judged(min((p for p in p_values if p is not None), default=None))


def rater_screens(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    *,
    level: float = 0.95,
    sampled: Sampled | None = None,
) -> RaterScreens:
    """Screens of the valid votes, from all votes cast.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r:02}", pair=f"p{p:02}", problem="q", position=p + 1,
    ...               choice="higher" if (p * (r % 11 + 7)) % 13 < 5 else "lower",
    ...               lower_side="left" if (p + r) % 2 else "right", seconds=20.0 + p % 7 + r,
    ...               idle_seconds=0.0, session_seconds=999.0, is_practice=False,
    ...               is_attention=False, attention_ok=None)
    ...          for p in range(24) for r in range(12)]
    >>> found = rater_screens(votes, ExclusionRule())
    >>> [(each.first, each.second, each.pairs, each.alike) for each in found.alike]
    [('r00', 'r11', 24, 24)]
    """
    table, valid = split_by_rule(votes, rule, sampled)
    seconds = np.array([active_seconds(vote) for vote in votes if on_a_pair(vote)])
    decides = valid & ~np.isnan(table.lower)
    decided, seconds = table.select(decides), seconds[decides]
    counts = np.bincount(decided.rater, minlength=len(table.raters))
    rows = np.flatnonzero(counts >= ENOUGH_VOTES)
    median = np.array([np.median(seconds[decided.rater == r]) for r in rows])
    pace = np.log(np.where(median > 0, median, np.nan))
    others = _Others.of(decided)
    gains = others.coin_gains(decided, len(table.raters))[rows]
    haste = _outlying(pace)
    agreement = others.agreement(decided, len(table.raters))[rows]
    left = np.bincount(decided.rater, chose_left(decided), len(table.raters))[rows] / counts[rows]
    screens = tuple(
        RaterScreen(
            table.raters[r],
            int(counts[r]),
            float(median[i]),
            _number(agreement[i]),
            float(left[i]),
            _number(haste[i]),
            _markov(gains[i]),
        )
        for i, r in enumerate(rows)
    )
    quick: Flags = median < QUICK * (np.median(median) if len(rows) else 0.0)
    couples, compared, shared = _couples(decided, others)
    return RaterScreens(
        screens,
        couples,
        compared,
        shared,
        one_sided_raters(table.select(valid), level=level),
        tuple(table.raters[r] for r in rows[quick]),
        _markov(gains[quick].sum()) if quick.any() else None,
        _spread_of_sides(decided),
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _markov(log_odds: float) -> float:
    """Odds of x or more have at most a chance of 1/x."""
    return float(np.exp(-max(0.0, log_odds)))


def _outlying(values: Floats) -> Floats:
    """One-sided p of each value, low if it is low: t by median and median absolute deviation."""
    finite = values[np.isfinite(values)]
    if len(finite) < ENOUGH_VOTES:
        return np.full(len(values), np.nan)
    centre = np.median(finite)
    spread = 1.4826 * np.median(np.abs(finite - centre))
    if not spread:
        return np.full(len(values), np.nan)
    p: Floats = stdtr(MAD_EFFICIENCY * (len(finite) - 1), (values - centre) / spread)
    return p


@dataclass(frozen=True, eq=False)
class _Others:
    """What the other raters of a pair make likely: a beta distribution of the pairs' rates, with
    the mean and the agreement of the study.
    """

    lower: Floats  # shape (pairs,): Votes for the lower EIC
    votes: Floats  # shape (pairs,): Deciding
    mean: float
    worth: float  # Of the beta distribution, in votes

    @classmethod
    def of(cls, decided: VoteArrays) -> _Others:
        lower, higher = decided.counts().T.astype(np.float64)
        votes = lower + higher
        mean = (lower.sum() + 0.5) / (votes.sum() + 1)
        chance = mean**2 + (1 - mean) ** 2
        couples = (votes * (votes - 1)).sum() or 1.0
        agreeing = (lower * (lower - 1) + higher * (higher - 1)).sum() / couples
        kappa = min(0.95, max(0.01, float((agreeing - chance) / (1 - chance))))
        return cls(lower, votes, float(mean), (1 - kappa) / kappa)

    def expected(self, pair: Integers, without: Floats) -> Floats:
        """Probability of a vote for the lower EIC, by all votes on the pair but some: `without`, of
        shape (2, n), counts those for the lower EIC and all that are left out.
        """
        votes = np.maximum(0, self.votes[pair] - without[1])
        lower = np.clip(self.lower[pair] - without[0], 0, votes)  # where no such vote is: unused
        p: Floats = (self.worth * self.mean + lower) / (self.worth + votes)
        return p

    def coin_gains(self, decided: VoteArrays, raters: int) -> Floats:
        """Of each rater the log odds of answers like a coin's to answers like the others'."""
        y = decided.lower
        p = self.expected(decided.pair, np.stack([y, np.ones(len(y))]))
        gains: Floats = np.log(0.5 / np.where(y == 1, p, 1 - p))
        return np.bincount(decided.rater, gains, raters).astype(np.float64)

    def agreement(self, decided: VoteArrays, raters: int) -> Floats:
        votes = self.votes[decided.pair] - 1
        lower = self.lower[decided.pair] - decided.lower
        same = np.where(decided.lower == 1, lower, votes - lower)
        with np.errstate(invalid="ignore"):
            return np.bincount(decided.rater, same, raters) / np.bincount(
                decided.rater, votes, raters
            )


def _couples(decided: VoteArrays, others: _Others) -> tuple[tuple[Couple, ...], int, int]:
    """The couples likeliest to be one person, how many have a pair in common, and most of these."""
    raters = len(decided.raters)
    voted = np.zeros((raters, len(decided.pairs)))
    answer = voted.copy()
    voted[decided.rater, decided.pair] = 1
    answer[decided.rater, decided.pair] = decided.lower
    shared = voted @ voted.T
    every = np.arange(len(decided.pairs))
    # Of the second answer, given the first and all others: the joint chance is symmetric
    zero, one = (
        # where nobody answered so, the number is of no meaning, and multiplied by 0
        others.expected(every, np.stack([np.full(len(every), y), np.ones(len(every))])).clip(
            NEVER, 1 - NEVER
        )
        for y in (0.0, 1.0)
    )
    low, high = answer, voted - answer
    gain = (
        low @ (np.log((1 - SLIP) / one) * low).T
        + high @ (np.log((1 - SLIP) / (1 - zero)) * high).T
        + low @ (np.log(SLIP / (1 - zero)) * high).T
        + high @ (np.log(SLIP / one) * low).T
    )
    same = low @ low.T + high @ high.T
    first, second = np.triu_indices(raters, 1)
    there = shared[first, second] > 0
    first, second = first[there], second[there]
    order = np.argsort(-gain[first, second], kind="stable")[:MOST_COUPLES]
    couples = tuple(
        Couple(
            decided.raters[first[i]],
            decided.raters[second[i]],
            int(shared[first[i], second[i]]),
            int(same[first[i], second[i]]),
            float(np.exp(min(700.0, gain[first[i], second[i]]))),
        )
        for i in order
    )
    return couples, len(first), int(shared[first, second].max(initial=0.0))


def _spread_of_sides(decided: VoteArrays) -> float | None:
    """p of Σ z² over raters, z the standardised number of left choices were sides dealt by chance:
    hypergeometric, as in `one_sided_raters`; a gamma distribution of the same mean and variance.
    """
    n = np.bincount(decided.rater).astype(np.float64)
    shown = np.bincount(decided.rater, decided.on_left)
    lower = np.bincount(decided.rater, decided.lower)
    both = np.bincount(decided.rater, decided.on_left * decided.lower)
    free = (n > 3) & (shown > 0) & (shown < n) & (lower > 0) & (lower < n)
    if not free.any():
        return None
    n, a, b, both = n[free], lower[free], shown[free], both[free]
    variance = a * b * (n - a) * (n - b) / (n**2 * (n - 1))
    excess = (
        (n - 1) * n**2 * (n * (n + 1) - 6 * a * (n - a) - 6 * b * (n - b))
        + 6 * a * b * (n - a) * (n - b) * (5 * n - 6)
    ) / (a * b * (n - a) * (n - b) * (n - 2) * (n - 3))
    total = float(((both - a * b / n) ** 2 / variance).sum())
    mean, spread = float(len(n)), float((2 + excess).sum())
    if spread <= NOTHING * mean:  # every deal gives the same
        return None
    return float(gammaincc(mean**2 / spread, total * mean / spread))
