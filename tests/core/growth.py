"""How the work on a text grows with its length, as a ratio."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from tests.effort import combined

FACTOR = 8
"""How many times as long as the short text the long one is."""
WORST = 25
"""Most that the work may grow by when a text grows by `FACTOR`.

Linear work grows by 8, n log n by less than 11, quadratic work by 64.  What lies between leaves
room for a machine that others use as well.
"""
Shape = tuple[str, ...]  # what stands before a run of units, these, and what stands behind
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


def shapes(units: Sequence[str], around: Sequence[tuple[str, str]]) -> list[Shape]:
    """A run of each unit between some of the pairs: of all, in a full run."""
    return [(before, unit, behind) for unit, (before, behind) in combined(units, around, 1)]


def text_of(shape: Shape, size: int) -> str:
    """A text of nearly that length, and half of it of each of two units."""
    before, *units, behind = shape
    return before + "".join(unit * (size // len(units) // len(unit)) for unit in units) + behind


def slow(work: Callable[[str], object], shapes: Iterable[Shape], length: int) -> dict[Shape, float]:
    """The shapes of a text on which the work grows faster than it may, with the ratio."""
    ratios = {shape: growth(work, partial(text_of, shape), length) for shape in shapes}
    return {shape: round(ratio, 1) for shape, ratio in ratios.items() if ratio > WORST}


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
