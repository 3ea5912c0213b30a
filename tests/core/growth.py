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
_TELLS_APART = 100 * time.get_clock_info("process_time").resolution
"""Seconds of work that this process's clock measures to a hundredth."""


def growth(
    work: Callable[[str], object],
    text_of: Callable[[int], str],
    length: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """How much more work a text of `FACTOR` times `length` is than one of `length`.

    This claims nothing about how long anything takes: a slower machine takes longer for both, and
    no amount of work is too small to be compared.  The clock is that of this process and not the
    wall's, for it counts what a regular expression does, too, which no hook sees.  A ratio that is
    too large is measured again, and the least amount of either work counts.
    """
    long, short = text_of(FACTOR * length), text_of(length)
    little, much = _work(work, short, clock), _work(work, long, clock)
    for _ in range(4):
        if much <= WORST * little:
            break
        little = min(_work(work, short, clock) for _ in range(3))
        much = min(much, _work(work, long, clock))
    return much / little


def _work(work: Callable[[str], object], text: str, clock: Callable[[], float]) -> float:
    """What one run takes, of as many as the clock needs to tell."""
    collects = gc.isenabled()
    gc.disable()  # what it costs depends on what the tests before have left in memory
    try:
        started, runs = clock(), 0
        while True:
            work(text)
            runs += 1
            took = clock() - started
            if took >= _TELLS_APART:
                return took / runs
    finally:
        if collects:
            gc.enable()
