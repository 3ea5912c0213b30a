"""Progress on standard error."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable


class ProgressLine:
    """One line that moves on a terminal; elsewhere a line now and then.

    Parameters
    ----------
    every
        Seconds from one text to the next on a terminal.
    elsewhere
        The same where there is no terminal; inf: no text.
    first
        Seconds without any.
    clock
        Seconds since some moment.
    """

    def __init__(
        self,
        *,
        every: float = 0.0,
        elsewhere: float = 10.0,
        first: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._terminal = sys.stderr.isatty()
        self._every = every if self._terminal else elsewhere
        self._next = clock() + first if math.isfinite(self._every) else math.inf
        self._step = -1
        self._width = 0

    def show(self, text: str, *, last: bool = False) -> None:
        """Another text, if it is time for one; the `last` is shown where any may be."""
        now = self._clock()
        if now < self._next and not (last and math.isfinite(self._next)):
            return
        self._next = now + self._every
        self._print(text, last=last)

    def count(self, done: int, total: int) -> None:
        """Each hundredth on a terminal, each tenth elsewhere."""
        step = 100 * done // total if self._terminal else 10 * (10 * done // total)
        if step != self._step:
            self._step = step
            self._print(f"{step:3d} %  {done} of {total}", last=done >= total)

    def end(self) -> None:
        """Leave the line on which a text stands."""
        if self._width:
            self._width = 0
            print(file=sys.stderr)

    def _print(self, text: str, *, last: bool) -> None:
        if not self._terminal:
            print(text, file=sys.stderr, flush=True)
            return
        print("\r", text.ljust(self._width), sep="", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(text))
        if last:
            self.end()
