"""The work that one `repair` may do: counted, so that every machine ends at the same place."""

from __future__ import annotations

import math
import time

NORMAL = 5e6
"""Units of the normal budget: about four seconds of a quiet machine."""

# What a step costs in units: the microseconds that it took on a quiet machine, by least squares
# over the collected cases (`python -m benchmarks.repairs.work`)
TERM = 10.0
"""A term that is built or looked up, with what a rule did to come to it."""

WALK = 8.0
"""A term that a walk over those below one comes by."""

BALL = 2.0
"""A value in a ball of up to 512 bits."""

EXACT = 16.0
"""A step that `ExactEvaluator.work` counts."""

DOUBLES = 15.0
"""A step in double or single precision, on all rows of a table."""

WIDE = 60.0
"""A step with exponents beyond those of doubles, where a result is 0."""

COMPARED = 500.0
"""The digits that a program loses with a form, on all rows of a table."""

MEASURED = 4.0
"""The sensitivity of a step at a row, or of one that `ExactEvaluator.work` counts there."""

MODEL = 120.0
"""A step in Taylor models."""


class BudgetSpent(Exception):
    """Work was left where the budget ended; what was worked out before stays."""


class Work:
    """What one `repair` has done, in units; so many seconds after its start it is stopped."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.done = 0.0
        self.stopped = False  # Whether something was left undone for want of seconds
        self._end = time.monotonic() + seconds if seconds < math.inf else math.inf

    def spend(self, unit: float, count: float = 1) -> None:
        self.done += unit * count

    @property
    def seconds(self) -> float:
        """Those until it is stopped, from 0."""
        return math.inf if self._end == math.inf else max(0.0, self._end - time.monotonic())


class WorkBudget:
    """A number of units from now on; a part of it ends earlier.

    >>> budget = WorkBudget(10.0)
    >>> search = budget.part(0.5)
    >>> budget.work.spend(2.0, 3)
    >>> search.left, search.passed, budget.left
    (0.0, True, 4.0)
    """

    def __init__(self, units: float, work: Work | None = None) -> None:
        self.units = units
        self.work = Work() if work is None else work
        self.start = self.work.done

    def part(self, share: float) -> WorkBudget:
        """The budget that ends at a share of the whole, from the same start."""
        part = WorkBudget(share * self.units, self.work)
        part.start = self.start
        return part

    def of(self, units: float) -> WorkBudget:
        """So many of its units, from now on."""
        return WorkBudget(units, self.work)

    @property
    def left(self) -> float:
        """Units, from 0."""
        self.work.stopped |= self.work.seconds == 0
        return 0.0 if self.work.stopped else max(0.0, self.start + self.units - self.work.done)

    @property
    def passed(self) -> bool:
        return self.left == 0

    def check(self, *_: object) -> None:
        """Raise `BudgetSpent` if it has passed; what it is called with is not looked at."""
        if self.passed:
            raise BudgetSpent


ENDLESS = WorkBudget(math.inf)
