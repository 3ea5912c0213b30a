"""How the work on a text grows with its length, as a ratio."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

FACTOR = 8
"""How many times as long as the short text the long one is."""
WORST = 25
"""Most that the work may grow by when a text grows by `FACTOR`.

Linear work grows by 8, n log n by less than 11, quadratic work by 64.  What lies between leaves
room for a machine that others use as well.
"""
_TOO_LITTLE = 0.06
"""Seconds of work that say nothing about growth: the clock is too coarse for a ratio of them."""


def growth(work: Callable[[str], object], text_of: Callable[[int], str], length: int) -> float:
    """How much more work a text of `FACTOR` times `length` is than one of `length`.

    This claims nothing about how long anything takes: a slower machine takes longer for both.  The
    clock is that of this process and not the wall's, and a ratio that is too large is measured
    again.  Where even the long text is next to no work, its growth cannot be bad, and is given
    as 0.
    """
    long, short = text_of(FACTOR * length), text_of(length)
    much = _work(work, long)
    if much < _TOO_LITTLE:
        return 0.0
    ratio = much / _work(work, short)
    for _ in range(3):
        if ratio <= WORST:
            break
        ratio = min(ratio, _work(work, long) / min(_work(work, short) for _ in range(3)))
    return ratio


def _work(work: Callable[[str], object], text: str) -> float:
    collects = gc.isenabled()
    gc.disable()  # what it costs depends on what the tests before have left in memory
    try:
        started = time.process_time()
        work(text)
        return time.process_time() - started
    finally:
        if collects:
            gc.enable()
