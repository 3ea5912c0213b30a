"""Bootstrap intervals of the rate. Whole clusters are drawn again with replacement, with all their
votes; percentile intervals (Efron and Tibshirani, 1993, An Introduction to the Bootstrap, ch. 13).
Problems are the clusters if there are ten or more; with fewer, pairs are drawn within their
problem.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import coo_array

from eic_core.errors import UserError
from study.statistics.clusters import Clustering
from study.statistics.preference import Interval
from study.statistics.votes import Floats, Integers, VoteArrays, numbered

METHOD = "pair bootstrap"
METHOD_PROBLEMS = "problem bootstrap"
METHOD_TWO_WAY = "two-way bootstrap"
DRAWS_AT_ONCE = 250


def pair_bootstrap(
    table: VoteArrays, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval | None:
    """Percentile interval of the rate when pairs (or problems) are drawn 100 times or more. Raters
    stay, so it is too narrow if votes of one rater go together; order and names change nothing.
    None if no draw can differ. Raises `UserError` for a wrong number of draws or level.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{rater}", pair=f"p{pair}", problem="q", lower_side="left",
    ...               choice="higher" if pair % 4 == 0 else "lower", position=1)
    ...          for pair in range(40) for rater in range(3)]
    >>> found = pair_bootstrap(VoteArrays.of(votes))
    >>> round(found.low, 2), round(found.high, 2)
    (0.6, 0.88)
    """
    _check(draws, level)
    grouped = Clustering.of(table)
    if not len(grouped.table):
        return None
    sums = _sums(grouped)
    weights = _weights(tuple(len(stratum) for stratum in sums), draws, seed)
    lower, votes = (weights @ np.array([item for stratum in sums for item in stratum])).T
    method = METHOD if grouped.item == "pair" else METHOD_PROBLEMS
    return _percentiles(lower, votes, level, method)


def two_way_bootstrap(
    table: VoteArrays, *, draws: int = 2000, seed: int = 0, level: float = 0.95
) -> Interval | None:
    """As `pair_bootstrap`, but raters are drawn again, too: the pigeonhole bootstrap of Owen (2007,
    Annals of Applied Statistics 1:386). A vote counts as often as its pair was drawn, times as
    often as its rater was. Conservative: its variance is about pair + rater + vote, the true one
    pair + rater - vote.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{rater}", pair=f"p{pair}", problem="q", lower_side="left",
    ...               choice="higher" if pair % 4 == 0 else "lower", position=1)
    ...          for pair in range(40) for rater in range(3)]
    >>> found = two_way_bootstrap(VoteArrays.of(votes))
    >>> round(found.low, 2), round(found.high, 2)
    (0.6, 0.88)
    """
    _check(draws, level)
    grouped = Clustering.of(table)
    if not len(grouped.table):
        return None
    order, sizes = _layout(grouped)
    items, raters = order[grouped.items], numbered(grouped.table.rater)
    shape = (int(items.max()) + 1, int(raters.max()) + 1)
    votes = coo_array((np.ones(len(items)), (items, raters)), shape).tocsr()
    lower = coo_array((grouped.table.lower, (items, raters)), shape).tocsr()
    by_item = _weights(sizes, draws, seed)
    by_rater = _weights((shape[1],), draws, seed + 1)
    counted, chosen = np.zeros(draws), np.zeros(draws)
    for some in np.array_split(np.arange(draws), -(-draws // DRAWS_AT_ONCE)):
        counted[some] = ((by_item[some] @ votes) * by_rater[some]).sum(axis=1)
        chosen[some] = ((by_item[some] @ lower) * by_rater[some]).sum(axis=1)
    return _percentiles(chosen, counted, level, METHOD_TWO_WAY)


def _check(draws: int, level: float) -> None:
    if draws < 100:
        raise UserError("a bootstrap interval needs at least 100 draws")
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")


def _sums(grouped: Clustering) -> list[list[tuple[float, float]]]:
    """Votes for lower, and all votes, of each item of each stratum, in an order free of names."""
    order, sizes = _layout(grouped)
    items = order[grouped.items]
    both = np.column_stack((np.bincount(items, grouped.table.lower), np.bincount(items)))
    parts = np.split(both, np.cumsum(sizes)[:-1])
    return sorted(sorted((low, votes) for low, votes in part.tolist()) for part in parts)


def _layout(grouped: Clustering) -> tuple[Integers, tuple[int, ...]]:
    """A new number for each item, stratum by stratum, and how many items each stratum has."""
    used, first = np.unique(grouped.items, return_index=True)
    stratum = numbered(grouped.fixed[first])
    order = np.zeros(int(used[-1]) + 1, dtype=np.intp)
    order[used[np.argsort(stratum, kind="stable")]] = np.arange(len(used))
    return order, tuple(np.bincount(stratum).tolist())


@lru_cache(maxsize=8)
def _weights(sizes: tuple[int, ...], draws: int, seed: int) -> Floats:
    """How often each item is drawn, shape (draws, items); as many of each stratum as it has."""
    rng = np.random.default_rng(seed)
    found = []
    for size in sizes:
        drawn = rng.integers(0, size, (draws, size)) + np.arange(draws)[:, None] * size
        counts = np.bincount(drawn.ravel(), minlength=draws * size)
        found.append(counts.reshape(draws, size).astype(np.float64))
    weights: Floats = np.hstack(found)
    weights.setflags(write=False)
    return weights


def _percentiles(lower: Floats, votes: Floats, level: float, method: str) -> Interval | None:
    some = votes > 0
    rates = lower[some] / votes[some]
    if not len(rates) or rates.min() == rates.max():
        return None
    low, high = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, method)
