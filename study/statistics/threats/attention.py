"""Attention checks: who failed them, and whether those raters prefer otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from study.statistics.clusters import Clustering
from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.regression import logistic
from study.statistics.threats.common import (
    FINE,
    LOOK,
    UNKNOWN,
    Judgement,
    RatedVote,
    Regressed,
    rate_json,
    split_by_rule,
)
from study.statistics.votes import Sampled

FAILED = "a failed attention check"
MANY_FAILED = 0.2
"""Failing more than this share of all checks asks for a look, whatever the difference."""


@dataclass(frozen=True)
class RaterChecks:
    rater: str
    answered: int
    passed: int

    _JSON = ("rater", "answered", "passed")

    @property
    def failed(self) -> int:
        return self.answered - self.passed


@dataclass(frozen=True)
class AttentionChecks(Regressed):
    """The regression is on whether the rater failed a check."""

    # Those who answered a check, in the order of names, valid votes or not
    raters: tuple[RaterChecks, ...]
    # with_failure, without_failure: of the valid votes of raters who failed a check, and of all
    # others
    with_failure: ClusteredRate
    without_failure: ClusteredRate
    _JSON = (
        "answered",
        "passed",
        "failed_raters",
        "raters",
        ("with_failure", lambda checks: rate_json(checks.with_failure, checks.level)),
        ("without_failure", lambda checks: rate_json(checks.without_failure, checks.level)),
        "difference=fit",
        "judgement",
    )

    @property
    def answered(self) -> int:
        return sum(rater.answered for rater in self.raters)

    @property
    def passed(self) -> int:
        return sum(rater.passed for rater in self.raters)

    @property
    def failed_raters(self) -> int:
        return sum(rater.failed > 0 for rater in self.raters)

    @property
    def many_failed(self) -> bool:
        """Whether more than one check in five was failed."""
        return self.answered - self.passed > MANY_FAILED * self.answered

    @property
    def judgement(self) -> Judgement:
        if not self.answered:
            return UNKNOWN
        if self.many_failed:
            return LOOK
        # Too few failures to compare are no reason to doubt the attention of the others.
        return LOOK if super().judgement == LOOK else FINE


def attention(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    *,
    level: float = 0.95,
    sampled: Sampled | None = None,
) -> AttentionChecks:
    """Checks by rater, from all votes cast; the rate of the votes that the rule keeps, with and
    without a failure.

    >>> from types import SimpleNamespace as Vote
    >>> base = dict(pair="", problem="", lower_side="left", position=3, seconds=9.0, idle_seconds=0,
    ...             choice="lower", session_seconds=99.0, is_practice=False, is_attention=True)
    >>> votes = [Vote(rater="a", attention_ok=True, **base),
    ...          Vote(rater="b", attention_ok=False, **base)]
    >>> found = attention(votes, ExclusionRule())
    >>> found.passed, found.answered, found.failed_raters, found.many_failed
    (1, 2, 1, True)
    """
    passed: dict[str, list[bool]] = {}
    for vote in votes:
        if vote.is_attention and not vote.is_practice:
            passed.setdefault(vote.rater, []).append(vote.attention_ok is True)
    raters = tuple(
        RaterChecks(name, len(checks), sum(checks)) for name, checks in sorted(passed.items())
    )
    table, kept = split_by_rule(votes, rule, sampled)
    valid = table.select(kept)
    failing = {rater.rater for rater in raters if rater.failed}
    failed = np.array([name in failing for name in valid.raters], dtype=np.bool_)[valid.rater]
    decided = valid.decided()
    column = failed[~np.isnan(valid.lower)].astype(np.float64)[:, None]
    return AttentionChecks(
        logistic(decided.lower, column, [FAILED], Clustering.of(valid)),
        level,
        raters,
        clustered_rate(valid.select(failed)),
        clustered_rate(valid.select(~failed)),
    )
