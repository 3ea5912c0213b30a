"""Learning and fatigue: do rate and seconds change in the course of a session?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.exclusions import ExclusionRule, active_seconds
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.regression import (
    LinearFit,
    LogisticFit,
    RegressionTerm,
    least_squares,
    logistic,
)
from study.statistics.threats.common import (
    ALPHA,
    FINE,
    LOOK,
    RATE,
    UNKNOWN,
    Judgement,
    RatedVote,
    clusters_of,
    on_a_pair,
    rate_words,
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
class Ballots(PlainAtLevel):
    # Thirds of the ballot numbers 1 to the highest; empty ones are left out
    thirds: tuple[Stretch, ...]
    numbers: tuple[Stretch, ...]  # Each ballot number that has a valid vote
    trend: LogisticFit  # Log odds of a vote for the lower EIC on the number of the ballot
    # Natural logarithm of the active seconds on the number of the ballot, ties included, votes of
    # no active time left out; clustered by rater
    seconds_trend: LinearFit
    level: float

    _JSON = (
        "thirds",
        "numbers",
        "trend",
        "seconds_trend",
        "seconds_change",
        "level",
        "sentence",
        "judgement",
    )

    @property
    def p_value(self) -> float | None:
        term = self.trend.term(POSITION)
        return term.p_value if term else None

    @property
    def seconds_change(self) -> float | None:
        term = self.seconds_trend.term(POSITION)
        return term.ratio()[0] if term else None

    @property
    def judgement(self) -> Judgement:
        if self.p_value is None or self.trend.too_small:
            return UNKNOWN
        return LOOK if self.p_value < ALPHA else FINE

    @property
    def sentence(self) -> str:
        if not self.thirds:
            return "There are no valid votes."
        early, late = self.thirds[0], self.thirds[-1]
        if early is late:
            return "All votes are on ballots of one third, so no course of a session can be seen."
        if not any(third.rate.votes for third in self.thirds):
            return " ".join(filter(None, (early.rate.reason, self._seconds_words())))
        said = (
            f"In the {early.name} of the ballots {self._rate_of(early)}, in the {late.name} "
            f"{self._rate_of(late)}."
        )
        return " ".join(filter(None, (said, self._trend_words(), self._seconds_words())))

    def _rate_of(self, third: Stretch) -> str:
        if not third.rate.votes:
            return "nobody decided for either formula"
        return f"the rate is {rate_words(third.rate, self.level)}"

    def _trend_words(self) -> str:
        if self.p_value is None:
            return self.trend.reason
        verdict = (
            "The trend over ballots is no more than chance would give "
            f"({wording.p_clause(self.p_value)})."
            if self.p_value >= ALPHA
            else f"The rate changes in the course of a session ({wording.p_clause(self.p_value)})."
        )
        return f"{verdict} {self.trend.too_small}".strip()

    def _seconds_words(self) -> str:
        early, late = self.thirds[0].median_seconds, self.thirds[-1].median_seconds
        term = self.seconds_trend.term(POSITION)
        if early is None or late is None or term is None:
            return ""
        return (
            f"The median vote took {wording.seconds(early)} in the {self.thirds[0].name} and "
            f"{wording.seconds(late)} in the {self.thirds[-1].name}; {_pace(term)}."
        )


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
    codes, kinds = clusters_of(valid)
    trend = logistic(decided.lower, _column(decided), [POSITION], codes, kinds)
    timed = seconds > 0
    some = valid.select(timed)
    pace = least_squares(
        np.log(seconds[timed]), _column(some), [POSITION], (some.rater,), ("rater",)
    )
    return Ballots(thirds, numbers, trend, pace, level)


def _pace(term: RegressionTerm) -> str:
    change = abs(term.ratio()[0] - 1)
    if change < STEADY:
        return "raters keep their pace"
    faster = "faster" if term.estimate < 0 else "slower"
    by = f"by {'about ' if change >= 0.01 else ''}{wording.percent(change, 0)} a ballot"
    if term.p_value is None:
        return f"raters get {faster} {by}, each of them alike"
    sure = "" if term.p_value < ALPHA else ", which may be chance"
    return f"raters get {faster} {by}{sure} ({wording.p_clause(term.p_value)})"


def _column(table: VoteArrays) -> Floats:
    return table.position.astype(np.float64)[:, None]


def _stretch(
    name: str, first: int, last: int, valid: VoteArrays, seconds: Floats, rows: Flags
) -> Stretch:
    chosen = valid.select(rows)
    median = float(np.median(seconds[rows])) if rows.any() else None
    return Stretch(name, first, last, len(chosen), clustered_rate(chosen), median)
