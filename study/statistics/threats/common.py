"""What the threats share: votes with times, judgements, and the JSON form of rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from eic_core.exports import Key, json_form
from study.statistics.exclusions import ExclusionRule, TimedVote, exclusion_reasons
from study.statistics.inference import ClusteredRate
from study.statistics.preference import Interval
from study.statistics.votes import Flags, PairVote, Sampled, VoteArrays

Judgement = Literal["no sign of a problem", "look closer", "cannot be told"]
FINE: Judgement = "no sign of a problem"
LOOK: Judgement = "look closer"
UNKNOWN: Judgement = "cannot be told"

TESTED = 9
"""Threats that a report looks at with a test."""
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
    """Whether a rate counted otherwise leads to another conclusion than the headline. A clear
    headline is contradicted by a rate that is not clear, or clear the other way. One that leaves
    one half open is contradicted by a rate that is clear beyond the number of threats: some
    convention or threshold crosses a nominal 5 % in one study of ten without a fault.
    """
    asked = 1 - (1 - level) / TESTED if expected == "open" else level
    return side_of_half(rate.interval(asked)) != expected


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
