"""Finds the pairs that the rules allow, all or the best, without looking at all pairs.

Candidates stand sorted by complexity, then R²: the partners of a formula at one complexity are a
contiguous window, and a merge-sort tree over the positions finds those with a low enough EIC: at
level l, blocks of 2^l positions are sorted by EIC, and a window falls into at most two. Time is
O(M log² M + pairs), memory O(M log M).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from study.matching.rules import SCALE, MatchingRules, loss

Prefix = tuple[int, np.ndarray, np.ndarray, np.ndarray]

CHUNK = 2_000_000
_SLAB = 1 << 17

Pairs = tuple[np.ndarray, np.ndarray]
"""Positions of the members of higher and of lower EIC, int64, shape (n,) each."""


def units(values: np.ndarray) -> np.ndarray:
    """R² or EIC in units of 10^-12, int64."""
    # Comparisons are of integers, so that the result equals the naive join exactly.
    return np.rint(np.asarray(values, dtype=float) * SCALE).astype(np.int64)


@dataclass(frozen=True)
class Windows:
    """Where the partners of some formulas stand, one window a (formula, complexity)."""

    query: np.ndarray  # shape (w,): The formula of higher EIC, a position in sorted order
    # start, stop: shape (w,): Sorted positions of formulas of one complexity within the R² gap
    start: np.ndarray
    stop: np.ndarray
    limit: np.ndarray  # shape (w,): Partners are those in the window whose EIC rank is below it

    def __len__(self) -> int:
        return len(self.query)

    def take(self, which: np.ndarray | slice) -> Windows:
        return Windows(self.query[which], self.start[which], self.stop[which], self.limit[which])


class PairSweep:
    """The allowed pairs among the candidates of one problem; arrays have shape (M,), EIC is finite.

    Pairs are indices into these arrays, and indices break ties: sort the candidates by content
    first if the result must not depend on their order.

    >>> sweep = PairSweep([7, 8, 30], [0.95, 0.96, 0.95], [0.4, 5.0, 9.0], MatchingRules())
    >>> higher, lower = sweep.pairs()
    >>> higher.tolist(), lower.tolist(), sweep.losses(higher, lower).round(4).tolist()
    ([1], [0], [-20.1599])
    """

    def __init__(
        self, complexity: np.ndarray, r2: np.ndarray, eic: np.ndarray, rules: MatchingRules
    ) -> None:
        self.rules = rules
        self.complexity = np.asarray(complexity, dtype=np.int64)
        self.r2 = np.asarray(r2, dtype=float)
        self.eic = np.asarray(eic, dtype=float)
        r2_units, eic_units = units(self.r2), units(self.eic)
        self.order = np.lexsort((np.arange(len(self.r2)), eic_units, r2_units, self.complexity))
        self._complexity = self.complexity[self.order]
        self._r2_units, self._eic_units = r2_units[self.order], eic_units[self.order]
        self._eic_values, self._eic_rank = np.unique(self._eic_units, return_inverse=True)
        self._r2_values, r2_rank = np.unique(self._r2_units, return_inverse=True)
        self._buckets, bucket = np.unique(self._complexity, return_inverse=True)
        self._key = bucket.astype(np.int64) * (len(self._r2_values) + 1) + r2_rank

    @staticmethod
    def r2_too_low(r2: np.ndarray, rules: MatchingRules) -> np.ndarray:
        return units(r2) + rules.r2_gap_units <= rules.best_r2_units

    def __len__(self) -> int:
        return len(self.r2)

    def losses(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
        return np.asarray(
            loss(
                (self.complexity[higher] - self.complexity[lower]).astype(float),
                self.r2[higher] - self.r2[lower],
                self.eic[higher] - self.eic[lower],
            )
        )

    def windows(self, *, like_only: bool = False) -> Windows:
        """The non-empty windows; `like_only` ignores the EIC gap and includes the formula."""
        rules, n = self.rules, len(self._r2_values)
        first = np.searchsorted(self._r2_values, self._r2_units - rules.r2_gap_units, "left")
        last = np.searchsorted(self._r2_values, self._r2_units + rules.r2_gap_units, "right")
        good = int(np.searchsorted(self._r2_values, rules.best_r2_units, "right"))
        low = self._r2_units <= rules.best_r2_units  # then the partner's R² must be above
        first[low] = np.maximum(first[low], good)
        if like_only:
            limit = np.full(len(self), len(self._eic_values), dtype=np.int64)
        else:
            limit = np.searchsorted(
                self._eic_values, self._eic_units - rules.eic_gap_units, "right"
            ).astype(np.int64)
        asking = np.flatnonzero((limit > 0) & (first < last))
        parts: list[Windows] = []
        gap = rules.max_complexity_gap
        reach = int(self._buckets[-1] - self._buckets[0]) if len(self._buckets) else 0
        for shift in range(-min(gap, reach), min(gap, reach) + 1):
            complexity = self._complexity[asking] + shift
            bucket = np.searchsorted(self._buckets, complexity)
            bucket[bucket == len(self._buckets)] = 0
            query = asking[self._buckets[bucket] == complexity]
            base = bucket[self._buckets[bucket] == complexity] * (n + 1)
            start = np.searchsorted(self._key, base + first[query], "left")
            stop = np.searchsorted(self._key, base + last[query], "left")
            full = start < stop
            parts.append(Windows(query[full], start[full], stop[full], limit[query][full]))
        if not parts:
            none = np.empty(0, dtype=np.int64)
            return Windows(none, none, none, none)
        columns = zip(*((w.query, w.start, w.stop, w.limit) for w in parts), strict=True)
        return Windows(*(np.concatenate(each) for each in columns))

    @cached_property
    def _minima(self) -> list[np.ndarray]:
        """Sparse table: level l holds the least EIC rank of 2^l positions from each."""
        levels = [self._eic_rank.astype(np.int32)]
        while 2 << (len(levels) - 1) <= len(self):
            half = 1 << (len(levels) - 1)
            levels.append(np.minimum(levels[-1][:-half], levels[-1][half:]))
        return levels

    def lowest(self, windows: Windows) -> np.ndarray:
        length = windows.stop - windows.start
        level = np.frexp(length.astype(float))[1] - 1
        least = np.empty(len(windows), dtype=np.int64)
        for each in np.unique(level):
            chosen = np.flatnonzero(level == each)
            table = self._minima[each]
            left, right = windows.start[chosen], windows.stop[chosen] - (1 << int(each))
            least[chosen] = np.minimum(table[left], table[right])
        return least

    @cached_property
    def partner_windows(self) -> Windows:
        windows = self.windows()
        windows = windows.take(self.lowest(windows) < windows.limit)
        return windows.take(np.argsort(windows.query, kind="stable"))

    def has_like(self) -> np.ndarray:
        windows = self.windows(like_only=True)
        others = np.zeros(len(self), dtype=np.int64)
        np.add.at(others, self.order[windows.query], windows.stop - windows.start)
        itself = self.r2_above()
        return others > itself

    def r2_above(self) -> np.ndarray:
        return units(self.r2) > self.rules.best_r2_units

    def has_partner(self) -> np.ndarray:
        paired = np.zeros(len(self), dtype=bool)
        # With EIC negated, the formula of lower EIC asks for its partners.
        mirror = PairSweep(self.complexity, self.r2, -self.eic, self.rules)
        for sweep in (self, mirror):
            paired[sweep.order[sweep.partner_windows.query]] = True
        return paired

    @cached_property
    def _levels(self) -> list[np.ndarray]:
        """The merge-sort tree, as one sorted array of integers a level."""
        windows = self.partner_windows
        longest = int((windows.stop - windows.start).max()) if len(windows) else 0
        position = np.arange(len(self), dtype=np.int64)
        ranks = len(self._eic_values) + 1
        levels = []
        for level in range(longest.bit_length()):
            key = ((position >> level) * ranks + self._eic_rank) << level
            levels.append(np.sort(key | (position & ((1 << level) - 1))))
        return levels

    def _prefixes(self, windows: Windows) -> Iterator[Prefix]:
        """Level, window, block and number of partners in it, level by level."""
        ranks = len(self._eic_values) + 1
        which = np.arange(len(windows))
        start, stop = windows.start.copy(), windows.stop.copy()
        for level, keys in enumerate(self._levels):
            for odd, block in ((start & 1, start), (stop & 1, stop - 1)):
                some = np.flatnonzero((odd == 1) & (start < stop))
                blocks = block[some]
                end = (blocks * ranks + windows.limit[which[some]]) << level
                count = np.searchsorted(keys, end) - (blocks << level)
                some_partners = count > 0
                yield level, which[some][some_partners], blocks[some_partners], count[some_partners]
                if block is start:
                    start = start + odd
            start, stop = start >> 1, stop >> 1
            alive = start < stop
            which, start, stop = which[alive], start[alive], stop[alive]

    def counts(self, windows: Windows) -> np.ndarray:
        total = np.zeros(len(windows), dtype=np.int64)
        for _, which, _, count in self._prefixes(windows):
            total[which] += count
        return total

    @cached_property
    def total(self) -> int:
        windows = self.partner_windows
        slabs = range(0, len(windows), _SLAB)
        return sum(int(self.counts(windows.take(slice(s, s + _SLAB))).sum()) for s in slabs)

    def chunks(self, size: int = CHUNK) -> Iterator[Pairs]:
        """All pairs, about `size` at a time; those of one higher formula come together."""
        for first in range(0, len(self.partner_windows), _SLAB):
            slab = self.partner_windows.take(slice(first, first + _SLAB))
            running = np.cumsum(self.counts(slab))
            begin = 0
            while begin < len(slab):
                done = int(running[begin - 1]) if begin else 0
                end = max(begin + 1, int(np.searchsorted(running, done + size, "right")))
                yield self._list(slab.take(slice(begin, end)))
                begin = end

    def _list(self, windows: Windows) -> Pairs:
        highers, lowers = [], []
        for level, which, blocks, count in self._prefixes(windows):
            keys = self._levels[level]
            offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
            block = np.repeat(blocks, count)
            inside = keys[(block << level) + offset] & ((1 << level) - 1)
            lowers.append(self.order[(block << level) + inside])
            highers.append(np.repeat(self.order[windows.query[which]], count))
        if not highers:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return np.concatenate(highers), np.concatenate(lowers)

    def pairs(self) -> Pairs:
        parts = [*self.chunks()]
        if not parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        higher = np.concatenate([h for h, _ in parts])
        lower = np.concatenate([low for _, low in parts])
        by = np.argsort(higher * len(self) + lower)
        return higher[by], lower[by]

    def window_pairs(self, windows: Windows) -> Pairs:
        length = windows.stop - windows.start
        offset = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        position = np.repeat(windows.start, length) + offset
        low = self._eic_rank[position] < np.repeat(windows.limit, length)
        query = np.repeat(windows.query, length)
        return self.order[query[low]], self.order[position[low]]

    def least_losses(self, windows: Windows) -> np.ndarray:
        """A lower bound on L for each window; reached if the lowest EIC has the same R²."""
        lowest = self._eic_values[self.lowest(windows)] / SCALE
        gap = self._eic_units[windows.query] / SCALE - lowest
        away = self._complexity[windows.query] - self._complexity[windows.start]
        return away.astype(float) ** 2 - gap**2


_SLACK = 1e-9
_AT_ONCE = 1 << 22


def best_pairs(sweep: PairSweep, k: int) -> Pairs:
    """The `k` pairs of least L (fewer if there are no more); ties go to the lower indices.

    >>> from study.matching.rules import MatchingRules
    >>> sweep = PairSweep([7, 7, 7], [0.9, 0.9, 0.9], [0.0, 3.0, 6.0], MatchingRules())
    >>> [each.tolist() for each in best_pairs(sweep, 2)]
    [[2, 1], [0, 0]]
    """
    first = _first_of_equals(sweep, k)
    if len(first) < len(sweep):
        fewer = PairSweep(sweep.complexity[first], sweep.r2[first], sweep.eic[first], sweep.rules)
        higher, lower = _best(fewer, k)
        return first[higher], first[lower]
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
    windows = sweep.partner_windows
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
    # Windows are opened in the order of their bound, until it passes the k-th best L so far.
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
            best = np.lexsort((lower, higher, losses))[:k]
            higher, lower, losses = higher[best], lower[best], losses[best]
            worst = float(losses[-1])
        begin, size = end, size * 2
    by = np.lexsort((lower, higher, losses))
    return higher[by], lower[by]


def _some(windows: Windows, begin: int, size: int) -> int:
    length = windows.stop[begin : begin + size] - windows.start[begin : begin + size]
    return begin + max(1, int(np.searchsorted(np.cumsum(length), _AT_ONCE, "right")))
