"""Does the result hang on the exclusion threshold? The rate at every threshold from 0 to 180 s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Estimand, count
from study.statistics.exclusions import ExclusionRule, RuleColumns, Unit
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval
from study.statistics.threats.common import (
    FINE,
    LOOK,
    RATE,
    UNKNOWN,
    Judgement,
    RatedVote,
    contradicts,
    on_a_pair,
    side_of_half,
)
from study.statistics.votes import Sampled, VoteArrays

THRESHOLDS = tuple(float(seconds) for seconds in range(0, 181, 10))
UNITS: tuple[Unit, ...] = ("session", "vote")


@dataclass(frozen=True)
class SensitivityPoint(PlainAtLevel):
    unit: Unit
    threshold_seconds: float
    valid: int  # Votes on pairs that count, ties included
    raters: int  # With a valid vote
    rate: ClusteredRate
    frozen: bool  # This is the rule of the frozen study

    _JSON = ("unit", "threshold_seconds", "valid", "raters", "frozen", *keys_within("rate", RATE))

    def interval(self, level: float = 0.95) -> Interval | None:
        return self.rate.interval(level)


@dataclass(frozen=True)
class Sensitivity(PlainAtLevel):
    rule: ExclusionRule  # As frozen; its limit on failed attention checks holds at every point
    points: tuple[SensitivityPoint, ...]  # Sessions first, thresholds ascending
    level: float

    _JSON = ("rule", "level", "points", "judgement")

    def of_unit(self, unit: Unit) -> tuple[SensitivityPoint, ...]:
        return tuple(point for point in self.points if point.unit == unit)

    @property
    def frozen(self) -> SensitivityPoint:
        return next(point for point in self.points if point.frozen)

    @property
    def comparable(self) -> tuple[SensitivityPoint, ...]:
        """Points with an interval that keep at least half as many deciding votes as the rule."""
        least = self.frozen.rate.votes / 2
        return tuple(p for p in self.points if not p.rate.reason and p.rate.votes >= least)

    @property
    def changing(self) -> tuple[SensitivityPoint, ...]:
        """Comparable points whose interval lies elsewhere about one half than the rule's."""
        expected = side_of_half(self.frozen.interval(self.level))
        return tuple(p for p in self.comparable if side_of_half(p.interval(self.level)) != expected)

    @property
    def contradicting(self) -> tuple[SensitivityPoint, ...]:
        """Comparable points that lead to another conclusion than the rule, see `contradicts`."""
        expected = side_of_half(self.frozen.interval(self.level))
        return tuple(p for p in self.comparable if contradicts(expected, p.rate, self.level))

    @property
    def judgement(self) -> Judgement:
        if self.frozen.rate.reason or self.frozen.rate.too_small:
            return UNKNOWN
        return LOOK if self.contradicting else FINE


def sensitivity(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    *,
    level: float = 0.95,
    estimand: Estimand | None = None,
    sampled: Sampled | None = None,
) -> Sensitivity:
    """The rate of all votes cast at thresholds 0, 10, … 180 s and the frozen one, for both units.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", lower_side="left", position=p + 1,
    ...               choice="higher" if (p + r) % 4 == 0 else "lower", seconds=5.0 + r,
    ...               idle_seconds=0.0, session_seconds=12 * (5.0 + r), is_practice=False,
    ...               is_attention=False, attention_ok=None)
    ...          for p in range(12) for r in range(12)]
    >>> found = sensitivity(votes, ExclusionRule())
    >>> len(found.points), found.frozen.valid, found.of_unit("vote")[1].valid
    (38, 144, 84)
    """
    table = VoteArrays.of((vote for vote in votes if on_a_pair(vote)), sampled)
    columns = RuleColumns.of(votes)
    points = []
    for unit in UNITS:
        ours = {rule.threshold_seconds} if unit == rule.unit else set()
        for threshold in sorted({*THRESHOLDS, *ours}):
            applied = ExclusionRule(threshold, unit, rule.max_failed_attention)
            left = table.select(columns.kept_by(applied))
            raters = count(left.rater) if len(left) else 0
            rate = clustered_rate(left, estimand=estimand)
            points.append(
                SensitivityPoint(unit, threshold, len(left), raters, rate, applied == rule)
            )
    return Sensitivity(rule, tuple(points), level)
