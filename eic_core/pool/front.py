"""Finds the points that no other beats in up to three quantities: the exact front."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from eic_core.errors import DataError

MOST_KEYS = 3


def front(keys: np.ndarray) -> np.ndarray:
    """Which points no other point dominates.

    A point is dominated if another is at most as large in every key and smaller in one.

    - `keys`, shape (N, K): smaller is better; infinite values count as largest or smallest.

    Returns equal points are on the front together, or none of them. A point with a nan is not on
    the front, and keeps no other from it (shape (N,)).
    Raises `DataError` if `keys` has another shape.

    Notes
    -----
    Points in lexicographic order can be dominated by earlier ones only, and are if and only if
    the staircase of the earlier ones' other two keys lies below them: N log N comparisons
    (Kung, Luccio and Preparata, "On finding the maxima of a set of vectors", 1975).

    >>> front(np.array([[0.1, 5, 1], [0.2, 3, 1], [0.2, 5, 1], [0.3, 3, np.nan]])).tolist()
    [True, True, False, False]
    """
    points = np.asarray(keys, dtype=float)
    if points.ndim != 2 or not 1 <= points.shape[1] <= MOST_KEYS:
        raise DataError(f"a front takes points with 1 to {MOST_KEYS} keys, not {points.shape}")
    on_front = np.zeros(len(points), dtype=bool)
    known = np.flatnonzero(~np.isnan(points).any(axis=1))
    if not len(known):
        return on_front
    padded = np.zeros((len(known), MOST_KEYS))
    padded[:, : points.shape[1]] = points[known]
    unique, place = np.unique(padded + 0.0, axis=0, return_inverse=True)
    on_front[known] = _sweep(unique)[place.reshape(-1)]
    return on_front


def _sweep(points: np.ndarray) -> np.ndarray:
    """The same for distinct points with three keys, in lexicographic order."""
    kept = np.zeros(len(points), dtype=bool)
    seconds: list[float] = []  # ascending, with the third keys descending: a staircase
    thirds: list[float] = []
    for i, (_, second, third) in enumerate(points.tolist()):
        before = bisect_right(seconds, second)
        if before and thirds[before - 1] <= third:
            continue
        kept[i] = True
        first = bisect_left(seconds, second)
        last = first
        while last < len(thirds) and thirds[last] >= third:
            last += 1
        seconds[first:last] = [second]
        thirds[first:last] = [third]
    return kept
