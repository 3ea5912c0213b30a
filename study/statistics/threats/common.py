"""What the threats share: votes with times, judgements, and the JSON form of rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from eic_core.exports import Key, PlainAtLevel, json_form
from study.statistics.exclusions import ExclusionRule, TimedVote, exclusion_reasons
from study.statistics.inference import ClusteredRate
from study.statistics.limits import Limit
from study.statistics.preference import Interval
from study.statistics.regression import LogisticFit
from study.statistics.votes import Flags, PairVote, Sampled, VoteArrays

Judgement = Literal["not flagged", "look closer", "cannot be told"]
FINE: Judgement = "not flagged"
LOOK: Judgement = "look closer"
UNKNOWN: Judgement = "cannot be told"

TESTED = 10
"""Tests of threats that a report makes: one for each but the problems, four for the raters."""
ALPHA = 0.05 / TESTED
"""A test of a threat below this asks for a closer look; none of them decides anything. Divided by
their number (Bonferroni), or one study in three that nothing is wrong with would have a look."""

Side = Literal["above", "below", "open", ""]


class RatedVote(TimedVote, PairVote, Protocol):
    """A vote with its times; see `study.report.exported.ExportedVote`."""


def on_a_pair(vote: RatedVote) -> bool:
    """Whether this is a vote on a pair: no practice ballot, no attention check."""
    return not (vote.is_practice or vote.is_attention)


def split_by_rule(
    votes: Sequence[RatedVote], rule: ExclusionRule, sampled: Sampled | None = None
) -> tuple[VoteArrays, Flags]:
    """The table of votes on pairs, and which of them the rule keeps; takes all votes cast."""
    reasons = exclusion_reasons(votes, rule)
    kept = [not why for vote, why in zip(votes, reasons, strict=True) if on_a_pair(vote)]
    table = VoteArrays.of((vote for vote in votes if on_a_pair(vote)), sampled)
    return table, np.array(kept, dtype=np.bool_)


def side_of_half(interval: Interval | None) -> Side:
    """Where an interval lies: above one half, below it, on both sides ("open"), or nowhere.

    >>> side_of_half(Interval(0.55, 0.7, 0.95, "")), side_of_half(Interval(0.4, 0.7, 0.95, ""))
    ('above', 'open')
    >>> side_of_half(None)
    ''
    """
    if interval is None:
        return ""
    return "above" if interval.low > 0.5 else "below" if interval.high < 0.5 else "open"


def contradicts(expected: Side, rate: ClusteredRate, level: float) -> bool:
    """Whether a rate counted otherwise leads to another conclusion than the headline, by more than
    what some convention or threshold does to one study of ten without a fault: by a p value that is
    smaller by the number of tests where the headline leaves one half open, else larger by it.
    """
    if expected == "open":
        return side_of_half(rate.interval(1 - (1 - level) / TESTED)) != expected
    return side_of_half(rate.interval(max(0.5, 1 - (1 - level) * TESTED))) != expected


def judged(p_value: float | None, too_small: Limit | None = None) -> Judgement:
    """By the test of a threat: whether it asks for a closer look.

    >>> judged(0.001), judged(0.02), judged(None)
    ('look closer', 'not flagged', 'cannot be told')
    """
    if p_value is None or too_small:
        return UNKNOWN
    return LOOK if p_value < ALPHA else FINE


@dataclass(frozen=True)
class Regressed(PlainAtLevel):
    """A threat that a regression of the votes judges."""

    fit: LogisticFit  # Log odds of a vote for the lower EIC
    level: float

    @property
    def p_value(self) -> float | None:
        """Two-sided, of "nothing that was looked at matters"."""
        return self.fit.p_value

    @property
    def judgement(self) -> Judgement:
        return judged(self.p_value, self.fit.too_small)


RATE: tuple[Key, ...] = (
    "votes",
    "rate",
    "standard_error",
    ("degrees_of_freedom", lambda rate: None if rate.reason else rate.degrees_of_freedom),
    "interval",
    "p_two_sided",
    "too_small",
    "reason",
)
"""The numbers of a rate, for results in which it is one of many."""


def rate_json(rate: ClusteredRate, level: float) -> dict[str, Any]:
    return json_form(rate, RATE, level)
