"""The exact front: points that no other beats in up to three quantities."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from eic_core.errors import DataError

MOST_KEYS = 3


def front(keys: np.ndarray) -> np.ndarray:
    """The points, shape (N, K), that no other beats: none as small in every key and smaller in one.

    Equal points are on the front together or not at all; a point with a nan is not, and beats none.

    >>> front(np.array([[0.1, 5, 1], [0.2, 3, 1], [0.2, 5, 1], [0.3, 3, np.nan]])).tolist()
    [True, True, False, False]
    """
    points = np.asarray(keys, dtype=float)
    if points.ndim != 2 or not 1 <= points.shape[1] <= MOST_KEYS:
        raise DataError(f"a front takes points with 1 to {MOST_KEYS} keys, not {points.shape}")
    on_front = np.zeros(len(points), dtype=bool)
    complete = np.flatnonzero(~np.isnan(points).any(axis=1))
    if not len(complete):
        return on_front
    padded = np.zeros((len(complete), MOST_KEYS))
    padded[:, : points.shape[1]] = points[complete]
    # + 0.0 makes -0.0 equal to 0.0 in the lexicographic order, too
    unique, place = np.unique(padded + 0.0, axis=0, return_inverse=True)
    on_front[complete] = _sweep(unique)[place.reshape(-1)]
    return on_front


def _sweep(points: np.ndarray) -> np.ndarray:
    """The front of distinct points with three keys, in lexicographic order."""
    # In lexicographic order only earlier points dominate, and do so if and only if the staircase of
    # their other two keys lies below: N log N comparisons (Kung, Luccio and Preparata, "On finding
    # the maxima of a set of vectors", 1975)
    on_front = np.zeros(len(points), dtype=bool)
    seconds: list[float] = []  # ascending, with the third keys descending: a staircase
    thirds: list[float] = []
    for i, (_, second, third) in enumerate(points.tolist()):
        before = bisect_right(seconds, second)
        if before and thirds[before - 1] <= third:
            continue
        on_front[i] = True
        first = bisect_left(seconds, second)
        last = first
        while last < len(thirds) and thirds[last] >= third:
            last += 1
        seconds[first:last] = [second]
        thirds[first:last] = [third]
    return on_front
