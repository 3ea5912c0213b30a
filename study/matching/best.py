"""The K pairs of least L among the candidates of one problem, without listing all pairs."""

from __future__ import annotations

import numpy as np

from study.matching.sweep import Pairs, PairSweep, Windows

_SLACK = 1e-9
_AT_ONCE = 1 << 22


def best_pairs(sweep: PairSweep, k: int) -> Pairs:
    """The `k` pairs of least L; ties go to the lower (higher, lower) indices.

    For each window the lowest EIC in it bounds L from below.  Windows are opened
    in the order of that bound until it passes the k-th best L found so far.

    Parameters
    ----------
    sweep : PairSweep
    k : int
        1 or more; fewer pairs come back if there are no more.

    Returns
    -------
    (higher, lower) : ndarrays of int64
        Sorted by L, then by index.

    Examples
    --------
    >>> from study.matching.rules import MatchingRules
    >>> sweep = PairSweep([7, 7, 7], [0.9, 0.9, 0.9], [0.0, 3.0, 6.0], MatchingRules())
    >>> [each.tolist() for each in best_pairs(sweep, 2)]
    [[2, 1], [0, 0]]
    """
    kept = _first_of_equals(sweep, k)
    if len(kept) < len(sweep):
        fewer = PairSweep(sweep.complexity[kept], sweep.r2[kept], sweep.eic[kept], sweep.rules)
        higher, lower = _best(fewer, k)
        return kept[higher], kept[lower]
    return _best(sweep, k)


def _first_of_equals(sweep: PairSweep, k: int) -> np.ndarray:
    """The first `k` of each set of candidates with equal numbers: no other can be in the best k."""
    order = np.lexsort((sweep.eic, sweep.r2, sweep.complexity))
    columns = [each[order] for each in (sweep.eic, sweep.r2, sweep.complexity)]
    starts = np.ones(len(order), dtype=bool)
    if len(order):
        starts[1:] = np.any([each[1:] != each[:-1] for each in columns], axis=0)
    first = np.flatnonzero(starts)[np.cumsum(starts) - 1] if len(order) else order
    return np.sort(order[np.arange(len(order)) - first < k])


def _best(sweep: PairSweep, k: int) -> Pairs:
    windows = sweep.hits
    bound = sweep.least_losses(windows)
    # The k-th least upper bound: beyond it no window can matter, so sort the rest only.
    worst = np.inf
    if len(bound) > k:
        worst = float(np.partition(bound, k - 1)[k - 1]) + sweep.rules.max_r2_gap**2 + _SLACK
    useful = np.flatnonzero(bound <= worst)
    useful = useful[np.argsort(bound[useful], kind="stable")]
    windows, bound = windows.take(useful), bound[useful]
    higher = lower = np.empty(0, dtype=np.int64)
    losses = np.empty(0)
    worst, begin, size = np.inf, 0, 1
    while begin < len(windows) and bound[begin] <= worst + _SLACK:
        end = min(_some(windows, begin, size), len(windows))
        new_higher, new_lower = sweep.window_pairs(windows.take(slice(begin, end)))
        new_losses = sweep.losses(new_higher, new_lower)
        new = new_losses <= worst
        higher = np.concatenate([higher, new_higher[new]])
        lower = np.concatenate([lower, new_lower[new]])
        losses = np.concatenate([losses, new_losses[new]])
        if len(losses) > k:
            near = np.flatnonzero(losses <= np.partition(losses, k - 1)[k - 1])
            higher, lower, losses = higher[near], lower[near], losses[near]
            kept = np.lexsort((lower, higher, losses))[:k]
            higher, lower, losses = higher[kept], lower[kept], losses[kept]
            worst = float(losses[-1])
        begin, size = end, size * 2
    by = np.lexsort((lower, higher, losses))
    return higher[by], lower[by]


def _some(windows: Windows, begin: int, size: int) -> int:
    """The end of a batch of at most `size` windows that look at about `_AT_ONCE` members."""
    length = windows.stop[begin : begin + size] - windows.start[begin : begin + size]
    return begin + max(1, int(np.searchsorted(np.cumsum(length), _AT_ONCE, "right")))
