"""Means over problems, and intervals of paired differences.

Runs of one problem are no independent witnesses: they are averaged first, and the bootstrap draws
whole problems.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eic_core.operators.wide import Array

DRAWS = 10_000

Runs = Mapping[tuple[str, int], float]
"""A number of each run, by problem and seed."""


class Interval(NamedTuple):
    """A number with the interval that holds it with 95 % confidence."""

    value: float
    low: float
    high: float


def problem_means(runs: Runs, keys: Sequence[tuple[str, int]]) -> Array:
    """The mean of each problem over these runs, problems in order of their names."""
    by_problem: dict[str, list[float]] = {}
    for key in keys:
        by_problem.setdefault(key[0], []).append(runs[key])
    return np.array([np.mean(by_problem[name]) for name in sorted(by_problem)])


def mean(runs: Runs) -> float:
    """The mean of the problems' means; nan without any."""
    return float(np.mean(problem_means(runs, list(runs)))) if runs else math.nan


def half_width(runs: Runs) -> float:
    """Of the 95 % interval of the mean, from the spread of the problems' means."""
    means = problem_means(runs, list(runs))
    if len(means) < 2:
        return math.nan
    return float(1.96 * np.std(means, ddof=1) / math.sqrt(len(means)))


def change(new: Runs, old: Runs, *, relative: bool, draws: int = DRAWS) -> Interval:
    """How much larger a number is, by the runs that have it on both sides.

    Parameters
    ----------
    new, old : mapping of (problem, seed) to float
    relative : bool
        By what share of the old mean; else the difference.
    draws : int
        Of the bootstrap: percentiles of resampled problems.

    Examples
    --------
    >>> old = {("a", 0): 2.0, ("a", 1): 4.0, ("b", 0): 5.0}
    >>> change({("a", 0): 1.0, ("a", 1): 3.0, ("b", 0): 4.0, ("b", 1): 9.0}, old, relative=False)
    Interval(value=-1.0, low=-1.0, high=-1.0)
    >>> change({("a", 0): 1.0, ("b", 0): 6.0}, old, relative=True).value
    0.0
    """
    keys = sorted(new.keys() & old.keys())
    if not keys:
        return Interval(math.nan, math.nan, math.nan)
    after, before = problem_means(new, keys), problem_means(old, keys)
    chosen = np.random.default_rng(0).integers(0, len(after), (draws, len(after)))
    means = after[chosen].mean(axis=1), before[chosen].mean(axis=1)
    low, high = np.percentile(_changed(*means, relative), [2.5, 97.5])
    value = _changed(after.mean(), before.mean(), relative)
    return Interval(float(value), float(low), float(high))


def _changed(after: Array, before: Array, relative: bool) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return after / before - 1 if relative else after - before
