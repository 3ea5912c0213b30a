"""The pairs of one problem as weighted edges of a graph: weight -L, formulas are nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from study.matching.sweep import PairSweep, units

MAX_EDGES = 20_000_000
"""Edges held in memory; of larger graphs each node keeps its best ones."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges of positive weight.

    Attributes
    ----------
    higher, lower : ndarray of int32, shape (E,)
    weight : ndarray of float, shape (E,)
        -L, above 0: other pairs add nothing to a total.
    """

    higher: np.ndarray
    lower: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, which: np.ndarray) -> Edges:
        """Some of the edges."""
        return Edges(self.higher[which], self.lower[which], self.weight[which])

    @staticmethod
    def join(parts: list[Edges]) -> Edges:
        """Several sets of edges as one."""
        if not parts:
            none = np.empty(0, dtype=np.int32)
            return Edges(none, none, np.empty(0))
        return Edges(
            np.concatenate([p.higher for p in parts]),
            np.concatenate([p.lower for p in parts]),
            np.concatenate([p.weight for p in parts]),
        )


def best_of_each(nodes: np.ndarray, score: np.ndarray, count: int) -> np.ndarray:
    """Indices of the `count` largest scores of each node, ascending."""
    by = np.lexsort((-score, nodes))
    grouped = nodes[by]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]]) if len(by) else by
    rank = np.arange(len(by)) - np.repeat(starts, np.diff(np.r_[starts, len(by)]))
    return np.sort(by[rank < count])


class PairGraph:
    """All pairs that the rules allow, less some that are forbidden.

    Parameters
    ----------
    sweep : PairSweep
    forbidden : iterable of (int, int)
        Pairs (higher, lower) that must not be chosen.
    max_edges : int
        How many edges to hold in memory.
    """

    def __init__(
        self,
        sweep: PairSweep,
        forbidden: frozenset[tuple[int, int]] = frozenset(),
        max_edges: int = MAX_EDGES,
    ) -> None:
        self.sweep = sweep
        self.size = len(sweep)
        self._forbidden = np.sort(
            np.array([h * self.size + low for h, low in forbidden], dtype=np.int64)
        )
        self._max_edges = max_edges
        self._r2_units, self._eic_units = units(sweep.r2), units(sweep.eic)

    @property
    def thinned(self) -> bool:
        """Whether `edges` holds only the best edges of each node."""
        return self.sweep.total > self._max_edges

    def _allowed(self, higher: np.ndarray, lower: np.ndarray) -> np.ndarray:
        key = higher.astype(np.int64) * self.size + lower
        at = np.searchsorted(self._forbidden, key)
        at[at == len(self._forbidden)] = 0
        return self._forbidden[at] != key if len(self._forbidden) else np.ones(len(key), bool)

    def stream(self) -> Iterator[Edges]:
        """All edges, in pieces."""
        for higher, lower in self.sweep.chunks():
            weight = -self.sweep.losses(higher, lower)
            kept = (weight > 0) & self._allowed(higher, lower)
            yield Edges(
                higher[kept].astype(np.int32), lower[kept].astype(np.int32), weight[kept]
            )

    @cached_property
    def edges(self) -> Edges:
        """The edges held in memory."""
        if not self.thinned:
            return Edges.join([*self.stream()])
        each = max(4, self._max_edges // (4 * self.size))
        held = Edges.join([])
        for piece in self.stream():
            held = Edges.join([held, piece])
            nodes = [best_of_each(n, held.weight, each) for n in (held.higher, held.lower)]
            held = held.take(np.union1d(*nodes))
        return held

    def weight_of(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """-L of any pairs, in either order; 0 where no edge is."""
        swap = self._eic_units[one] < self._eic_units[other]
        higher, lower = np.where(swap, other, one), np.where(swap, one, other)
        rules = self.sweep.rules
        away = np.abs(self.sweep.complexity[higher] - self.sweep.complexity[lower])
        apart = np.abs(self._r2_units[higher] - self._r2_units[lower])
        best = np.maximum(self._r2_units[higher], self._r2_units[lower])
        good = (
            (away <= rules.max_complexity_gap)
            & (apart <= rules.r2_gap_units)
            & (self._eic_units[higher] - self._eic_units[lower] >= rules.eic_gap_units)
            & (best > rules.best_r2_units)
            & self._allowed(higher, lower)
        )
        return np.where(good, np.maximum(-self.sweep.losses(higher, lower), 0.0), 0.0)
