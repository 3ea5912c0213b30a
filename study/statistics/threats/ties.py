"""Ties: "cannot decide" left out, split, or counted for one of the formulas."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Estimand
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval
from study.statistics.threats.common import (
    FINE,
    LOOK,
    RATE,
    UNKNOWN,
    Judgement,
    contradicts,
    side_of_half,
)
from study.statistics.votes import Floats, VoteArrays

Convention = Literal["left out", "half", "against", "for"]
CONVENTIONS: dict[Convention, str] = {
    "left out": "ties are no votes (the headline)",
    "half": "half of each tie goes to either formula",
    "against": "ties count for the formula of higher EIC",
    "for": "ties count for the formula of lower EIC",
}


@dataclass(frozen=True)
class TiesCounted(PlainAtLevel):
    convention: Convention
    votes: int  # Votes that enter the rate
    rate: float | None
    # With the interval. Under "half" every vote stands in it twice, each tie once for either
    # formula, which leaves rate and clustered variance as they are.
    clustered: ClusteredRate

    _JSON = (
        "convention",
        ("meaning", lambda counted: CONVENTIONS[counted.convention]),
        *keys_within("clustered", RATE),
        "votes",
    )

    def interval(self, level: float = 0.95) -> Interval | None:
        return self.clustered.interval(level)


@dataclass(frozen=True)
class Ties(PlainAtLevel):
    # ties, votes: ties, and all valid votes with them
    ties: int
    votes: int
    counted: tuple[TiesCounted, ...]  # In the order of `CONVENTIONS`
    level: float

    _JSON = ("ties", "votes", "level", "conventions=counted", "judgement")

    @property
    def judgement(self) -> Judgement:
        if not self.votes:
            return UNKNOWN
        headline, *others = self.counted
        expected = side_of_half(headline.interval(self.level))
        if self.ties and not expected:
            return UNKNOWN
        changed = any(contradicts(expected, each.clustered, self.level) for each in others)
        return LOOK if changed else FINE


def ties(table: VoteArrays, *, level: float = 0.95, estimand: Estimand | None = None) -> Ties:
    """The rate with ties left out, split, counted against and counted for the lower EIC.

    >>> from types import SimpleNamespace as Vote
    >>> choices = ("lower", "lower", "higher", "tie")
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", position=1, lower_side="left",
    ...               choice=choices[(p + r) % 4]) for p in range(12) for r in range(12)]
    >>> [round(each.rate, 3) for each in ties(VoteArrays.of(votes)).counted]
    [0.667, 0.625, 0.5, 0.75]
    """
    tied = np.isnan(table.lower)
    doubled = table.select(np.repeat(np.arange(len(table)), 2))
    halves = np.tile([1.0, 0.0], len(table))
    tables: dict[Convention, VoteArrays] = {
        "left out": table,
        "half": _with(doubled, np.where(np.isnan(doubled.lower), halves, doubled.lower)),
        "against": _with(table, np.where(tied, 0.0, table.lower)),
        "for": _with(table, np.where(tied, 1.0, table.lower)),
    }
    found = []
    for convention, recoded in tables.items():
        copies = 2 if convention == "half" else 1
        rate = clustered_rate(recoded, estimand=estimand, copies=copies)
        votes = len(table) if convention == "half" else rate.votes
        found.append(TiesCounted(convention, votes, rate.rate, rate))
    return Ties(table.ties, len(table), tuple(found), level)


def _with(table: VoteArrays, lower: Floats) -> VoteArrays:
    return replace(table, lower=lower)
