"""Do raters in front of small screens prefer otherwise than those in front of large ones?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Clustering
from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.regression import logistic
from study.statistics.threats.common import (
    RATE,
    RatedVote,
    Regressed,
    on_a_pair,
    split_by_rule,
)
from study.statistics.votes import Sampled

WINDOWS = {"narrow": "a phone's width", "medium": "a tablet's width", "wide": "a desk's width"}
"""Classes of window, as votes have them, in words."""


@dataclass(frozen=True)
class ScreenRate(PlainAtLevel):
    viewport: str  # "narrow", "medium" or "wide"
    votes: int  # Valid, ties included
    raters: int  # Who cast them
    rate: ClusteredRate

    _JSON = ("viewport", "valid=votes", "raters", *keys_within("rate", RATE))


@dataclass(frozen=True)
class Screens(Regressed):
    """The regression is on each class but that of the most deciding votes."""

    classes: tuple[ScreenRate, ...]  # Those that have a valid vote, narrow first
    unknown: int  # Valid votes that do not say

    _JSON = ("classes", "unknown", "fit", "p_value", "level", "judgement")


def screens(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    *,
    level: float = 0.95,
    sampled: Sampled | None = None,
) -> Screens:
    """Rates by class of window, and a regression that compares them, from all votes cast; older
    votes have no `viewport`.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{(p + r) % 12}", problem="q", lower_side="left",
    ...               position=p + 1, choice="higher" if (p * r) % 5 == 0 else "lower",
    ...               seconds=30.0, idle_seconds=0.0, session_seconds=99.0, is_practice=False,
    ...               is_attention=False, attention_ok=None, viewport="wide" if r % 3 else "narrow")
    ...          for p in range(12) for r in range(12)]
    >>> found = screens(votes, ExclusionRule())
    >>> [(each.viewport, each.votes, each.raters) for each in found.classes], found.judgement
    ([('narrow', 48, 4), ('wide', 96, 8)], 'not flagged')
    """
    table, kept = split_by_rule(votes, rule, sampled)
    where = np.array([getattr(vote, "viewport", "") for vote in votes if on_a_pair(vote)])[kept]
    valid = table.select(kept)
    known = where != ""
    there = [name for name in WINDOWS if (where == name).any()]
    classes = tuple(
        ScreenRate(name, len(chosen), len(set(chosen.rater.tolist())), clustered_rate(chosen))
        for name in there
        for chosen in (valid.select(where == name),)
    )
    some, where = valid.select(known), where[known]
    decides = ~np.isnan(some.lower)
    decided, where = some.select(decides), where[decides]
    most = Counter(where.tolist()).most_common(1)
    names = [name for name in there if not most or name != most[0][0]]
    columns = np.array([where == name for name in names], dtype=np.float64)
    matrix = columns.reshape(len(names), len(decided)).T
    fit = logistic(decided.lower, matrix, names, Clustering.of(decided))
    return Screens(fit, level, classes, int(np.count_nonzero(~known)))
