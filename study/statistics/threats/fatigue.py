"""Learning and fatigue: do rate and seconds change in the course of a session?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Clustering
from study.statistics.exclusions import ExclusionRule, active_seconds
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.regression import (
    LinearFit,
    least_squares,
    logistic,
)
from study.statistics.threats.common import (
    RATE,
    RatedVote,
    Regressed,
    on_a_pair,
    split_by_rule,
)
from study.statistics.votes import Flags, Floats, Sampled, VoteArrays

POSITION = "the number of the ballot"
STEADY = 1e-9
"""A change of the seconds by less than this part is rounding."""
THIRDS = ("first third", "middle third", "last third")


@dataclass(frozen=True)
class Stretch(PlainAtLevel):
    name: str
    # first, last: ballot numbers, both included; the session's first ballot is 1
    first: int
    last: int
    votes: int  # Valid, ties included
    rate: ClusteredRate
    median_seconds: float | None  # Active seconds of its valid votes; None without one

    _JSON = (
        "name",
        "first",
        "last",
        "valid=votes",
        "median_seconds",
        *keys_within("rate", RATE),
    )


@dataclass(frozen=True)
class Pace:
    raters_get: Literal["faster", "slower", "steady"]
    change: float  # Of the seconds, from ballot to ballot, as a part of them
    p_value: float | None  # None where raters change alike, or not at all


@dataclass(frozen=True)
class Ballots(Regressed):
    """The regression is on the number of the ballot."""

    # Thirds of the ballot numbers 1 to the highest; empty ones are left out
    thirds: tuple[Stretch, ...]
    numbers: tuple[Stretch, ...]  # Each ballot number that has a valid vote
    # Natural logarithm of the active seconds on the number of the ballot, ties included, votes of
    # no active time left out
    seconds_trend: LinearFit

    _JSON = (
        "thirds",
        "numbers",
        "trend=fit",
        "seconds_trend",
        "seconds_change",
        "level",
        "judgement",
    )

    @property
    def seconds_change(self) -> float | None:
        term = self.seconds_trend.term(POSITION)
        return term.ratio()[0] if term else None

    @property
    def pace(self) -> Pace | None:
        """How the seconds change from ballot to ballot; None if no regression tells."""
        term = self.seconds_trend.term(POSITION)
        if term is None:
            return None
        change = abs(term.ratio()[0] - 1)
        if change < STEADY:
            return Pace("steady", change, None)
        return Pace("faster" if term.estimate < 0 else "slower", change, term.p_value)


def ballots(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    *,
    level: float = 0.95,
    sampled: Sampled | None = None,
) -> Ballots:
    """Rate and seconds by ballot number: thirds, each number, and trends. Takes all votes cast:
    attention checks keep their ballot numbers, and enter nothing.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{(p + r) % 12}", problem="q", lower_side="left",
    ...               position=p + 1, choice="higher" if (p * r) % 5 == 0 else "lower",
    ...               seconds=30.0 - p, idle_seconds=0.0, session_seconds=99.0, is_practice=False,
    ...               is_attention=False, attention_ok=None)
    ...          for p in range(12) for r in range(12)]
    >>> found = ballots(votes, ExclusionRule())
    >>> [(third.first, third.last, third.median_seconds) for third in found.thirds]
    [(1, 4, 28.5), (5, 8, 24.5), (9, 12, 20.5)]
    """
    table, kept = split_by_rule(votes, rule, sampled)
    seconds = np.array([active_seconds(vote) for vote in votes if on_a_pair(vote)])
    valid, seconds = table.select(kept), seconds[kept]
    most = int(valid.position.max(initial=0))
    third = -(-3 * valid.position // most) if most else valid.position
    thirds = tuple(
        _stretch(name, (i * most) // 3 + 1, ((i + 1) * most) // 3, valid, seconds, third == i + 1)
        for i, name in enumerate(THIRDS)
        if (third == i + 1).any()
    )
    numbers = tuple(
        _stretch(f"ballot {at}", at, at, valid, seconds, valid.position == at)
        for at in sorted(set(valid.position.tolist()))
    )
    decided = valid.decided()
    trend = logistic(decided.lower, _column(decided), [POSITION], Clustering.of(valid))
    timed = seconds > 0
    some = valid.select(timed)
    pace = least_squares(
        np.log(seconds[timed]), _column(some), [POSITION], Clustering.of(some, ties=True)
    )
    return Ballots(trend, level, thirds, numbers, pace)


def _column(table: VoteArrays) -> Floats:
    return table.position.astype(np.float64)[:, None]


def _stretch(
    name: str, first: int, last: int, valid: VoteArrays, seconds: Floats, rows: Flags
) -> Stretch:
    chosen = valid.select(rows)
    median = float(np.median(seconds[rows])) if rows.any() else None
    return Stretch(name, first, last, len(chosen), clustered_rate(chosen), median)
