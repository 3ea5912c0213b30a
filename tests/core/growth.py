"""How the work on a text grows with its length, as a ratio."""

from __future__ import annotations

import time
from collections.abc import Callable

WORST = 10
"""Most that the work may grow by when a text grows fourfold.

Linear work grows by 4, n log n by less than 5, quadratic work by 16.  What lies between leaves room
for a machine that others use as well.
"""
_TOO_SHORT = 0.03
"""Seconds of work that say nothing about growth, the clock being coarser than a ratio."""


def growth(work: Callable[[str], object], text_of: Callable[[int], str], length: int) -> float:
    """How much more work a text of four times `length` is than one of `length`.

    This claims nothing about how long anything takes: a slower machine takes longer for both.  The
    clock is that of this process and not the wall's, and the best of several tries counts.  Where
    even the long text is next to no work, its growth cannot be bad, and is given as 0.
    """
    long, short = text_of(4 * length), text_of(length)
    if (much := _work(work, long, tries=1)) < _TOO_SHORT:
        return 0.0
    little = _work(work, short, tries=3)
    ratio = much / little
    return ratio if ratio <= WORST else _work(work, long, tries=3) / _work(work, short, tries=5)


def _work(work: Callable[[str], object], text: str, tries: int) -> float:
    best = float("inf")
    for _ in range(tries):
        started = time.process_time()
        work(text)
        best = min(best, time.process_time() - started)
    return best
