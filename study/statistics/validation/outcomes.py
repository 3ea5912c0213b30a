"""What a method says in one study beside the truth, and counts of it over studies."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from study.statistics.preference import Interval

LEVEL = 0.95
ALPHA = 0.05


@dataclass(frozen=True)
class Judged:
    """An interval with the truth that it should hold, and a p value."""

    interval: Interval | None = None
    truth: float = math.nan
    p_value: float | None = None  # None too where the null hypothesis is not true
    # Whether the method says that the study is too small, or has neither interval nor test
    too_small: bool = False


@dataclass(frozen=True)
class Tally:
    """Counts over studies, which add up; shares are None where there is nothing to share."""

    # studies, flagged: all, and those that the method calls too small
    studies: int = 0
    flagged: int = 0
    # intervals, covered, truth_below, missed_unflagged: with an interval; that hold the truth; that
    # lie above it; that miss it and are not flagged
    intervals: int = 0
    covered: int = 0
    truth_below: int = 0
    missed_unflagged: int = 0
    width: float = 0.0  # Sum of the widths
    # tests, rejected, rejected_unflagged: of a null that is true; that reject at 5 %; that reject
    # and are not flagged
    tests: int = 0
    rejected: int = 0
    rejected_unflagged: int = 0

    @property
    def coverage(self) -> float | None:
        return share(self.covered, self.intervals)

    @property
    def missed(self) -> float | None:
        return share(self.missed_unflagged, self.intervals)

    @property
    def mean_width(self) -> float | None:
        return share(self.width, self.intervals)

    @property
    def type_one(self) -> float | None:
        return share(self.rejected, self.tests)

    @property
    def claimed(self) -> float | None:
        return share(self.rejected_unflagged, self.tests)

    @property
    def flagged_part(self) -> float:
        return self.flagged / self.studies

    def __add__(self, other: Tally) -> Tally:
        names = [field.name for field in fields(self)]
        return Tally(*(getattr(self, name) + getattr(other, name) for name in names))

    @classmethod
    def of(cls, found: Judged) -> Tally:
        interval, p_value, flagged = found.interval, found.p_value, found.too_small
        some = interval is not None
        covered = interval is not None and interval.low <= found.truth <= interval.high
        rejected = p_value is not None and p_value <= ALPHA
        return cls(
            studies=1,
            flagged=flagged,
            intervals=some,
            covered=covered,
            truth_below=interval is not None and found.truth < interval.low,
            missed_unflagged=some and not covered and not flagged,
            width=interval.high - interval.low if interval else 0.0,
            tests=p_value is not None,
            rejected=rejected,
            rejected_unflagged=rejected and not flagged,
        )


def share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def monte_carlo_error(share: float | None, count: int) -> float | None:
    """Monte-Carlo standard error of a share of `count` studies, with the two successes and two
    failures of Agresti and Coull (1998, American Statistician 52:119) added, so that a share of 0
    or 1 has an error too.

    >>> round(monte_carlo_error(0.95, 2000), 4), round(monte_carlo_error(1.0, 2000), 4)
    (0.0049, 0.0007)
    """
    if share is None:
        return None
    near = (share * count + 2) / (count + 4)
    return math.sqrt(near * (1 - near) / (count + 4))
