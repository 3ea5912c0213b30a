"""The time limit of one `repair`, that every part of it asks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class OutOfTime(Exception):
    """Work was left where the time was up; what was worked out before stays."""


class Deadline:
    """A number of seconds from now on; a part of it ends earlier.

    >>> deadline = Deadline(10.0, iter([100.0, 103.0, 106.0, 111.0]).__next__)
    >>> search = deadline.part(0.5)
    >>> search.left, search.passed, deadline.passed
    (2.0, True, True)
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self.start = clock()

    def part(self, share: float) -> Deadline:
        """The deadline at a share of the whole, from the same start."""
        part = object.__new__(Deadline)
        part.seconds, part.clock, part.start = share * self.seconds, self.clock, self.start
        return part

    @property
    def is_finite(self) -> bool:
        return self.seconds < math.inf

    @property
    def left(self) -> float:
        """Seconds, from 0."""
        return max(0.0, self.start + self.seconds - self.clock())

    @property
    def passed(self) -> bool:
        return self.is_finite and self.left == 0

    def check(self, *_: object) -> None:
        """Raise `OutOfTime` if it has passed; what it is called with is not looked at."""
        if self.passed:
            raise OutOfTime


NEVER = Deadline(math.inf, lambda: 0.0)
