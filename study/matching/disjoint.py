"""The default matching of one problem: each formula at most once, total -L maximal, with a bound.

maximise Σ w_e x_e with Σ_{e at v} x_e ≤ 1 for each node v and x ≥ 0. By duality any prices y ≥ 0
with y_u + y_v ≥ w_e on all edges bound the total by Σ y_v. The programme is solved over a growing
set of edges: those that the last prices undercut most at each node join, until none is undercut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from study.matching.sweep import PairSweep, units

MAX_EDGES = 20_000_000
"""Edges held in memory; of larger graphs each node keeps its best ones."""


@dataclass(frozen=True, eq=False)
class Edges:
    # higher, lower: shape (E,)
    higher: np.ndarray
    lower: np.ndarray
    weight: np.ndarray  # shape (E,): -L, above 0: other pairs add nothing to a total

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, which: np.ndarray) -> Edges:
        return Edges(self.higher[which], self.lower[which], self.weight[which])

    @staticmethod
    def join(parts: list[Edges]) -> Edges:
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
        for higher, lower in self.sweep.chunks():
            weight = -self.sweep.losses(higher, lower)
            positive = (weight > 0) & self._allowed(higher, lower)
            yield Edges(
                higher[positive].astype(np.int32),
                lower[positive].astype(np.int32),
                weight[positive],
            )

    @cached_property
    def edges(self) -> Edges:
        if not self.thinned:
            return Edges.join([*self.stream()])
        each = max(4, self._max_edges // (4 * self.size))
        # Thinned piece by piece, so that memory never holds all edges.
        held = Edges.join([])
        for piece in self.stream():
            held = Edges.join([held, piece])
            nodes = [best_of_each(n, held.weight, each) for n in (held.higher, held.lower)]
            held = held.take(np.union1d(*nodes))
        return held

    def weight_of(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
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

    def edges_of(self, mate: np.ndarray) -> Edges:
        """A matching's edges, in numbers of the sweep's formulas."""
        return self.pairs_of(mate)

    def pairs_of(self, mate: np.ndarray) -> Edges:
        """A matching's edges, in numbers of this graph's nodes."""
        one = np.flatnonzero(mate > np.arange(self.size))
        other = mate[one]
        swap = self.sweep.eic[one] < self.sweep.eic[other]
        higher, lower = np.where(swap, other, one), np.where(swap, one, other)
        weight = -self.sweep.losses(higher, lower)
        return Edges(higher.astype(np.int32), lower.astype(np.int32), weight)


class ClassGraph(PairGraph):
    """Nodes are classes of formulas; at most one formula of a class is used, once."""

    def __init__(
        self,
        sweep: PairSweep,
        forbidden: frozenset[tuple[int, int]],
        classes: np.ndarray,
        max_edges: int = MAX_EDGES,
    ) -> None:
        # Only the heaviest of the edges between two classes can be in an optimum.
        self._rows = PairGraph(sweep, forbidden, max_edges)
        super().__init__(sweep, max_edges=max_edges)
        self._classes = classes.astype(np.int32)
        self.size = int(classes.max(initial=-1)) + 1

    def stream(self) -> Iterator[Edges]:
        for piece in self._rows.stream():
            yield self._between(piece)

    def _between(self, edges: Edges) -> Edges:
        higher, lower = self._classes[edges.higher], self._classes[edges.lower]
        across = higher != lower
        return Edges(higher[across], lower[across], edges.weight[across])

    @cached_property
    def _heaviest(self) -> tuple[np.ndarray, Edges]:
        held = self._rows.edges
        held = held.take(self._classes[held.higher] != self._classes[held.lower])
        key = self._key(self._classes[held.higher], self._classes[held.lower])
        by = np.lexsort((held.lower, held.higher, -held.weight, key))
        keys, first = np.unique(key[by], return_index=True)
        return keys, held.take(by[first])

    def _key(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.minimum(one, other).astype(np.int64) * self.size + np.maximum(one, other)

    @cached_property
    def edges(self) -> Edges:
        return self._between(self._heaviest[1])

    def _find(self, one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        keys = self._heaviest[0]
        key = self._key(one, other)
        at = np.searchsorted(keys, key)
        at[at == len(keys)] = 0
        return at, (keys[at] == key if len(keys) else np.zeros(len(key), dtype=bool))

    def weight_of(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        at, there = self._find(one, other)
        if not len(self._heaviest[0]):
            return np.zeros(len(one))
        return np.where(there, self._heaviest[1].weight[at], 0.0)

    def edges_of(self, mate: np.ndarray) -> Edges:
        one = np.flatnonzero(mate > np.arange(self.size))
        return self._heaviest[1].take(self._find(one, mate[one])[0])

    def pairs_of(self, mate: np.ndarray) -> Edges:
        return self._between(self.edges_of(mate))


_BLOCK = 1_000_000
_ROUNDS = 500


def greedy(edges: Edges, size: int, mate: np.ndarray | None = None) -> np.ndarray:
    """Take the heaviest edge whose ends are free, again and again; -1 is no partner."""
    order = np.lexsort((edges.lower, edges.higher, -edges.weight))
    return _take(edges.take(order), size, mate)


def _take(edges: Edges, size: int, mate: np.ndarray | None) -> np.ndarray:
    mate = np.full(size, -1, dtype=np.int64) if mate is None else mate.copy()
    for begin in range(0, len(edges), _BLOCK):
        higher, lower = edges.higher[begin : begin + _BLOCK], edges.lower[begin : begin + _BLOCK]
        free = (mate[higher] < 0) & (mate[lower] < 0)
        for h, low in zip(higher[free].tolist(), lower[free].tolist(), strict=True):
            if mate[h] < 0 and mate[low] < 0:
                mate[h], mate[low] = low, h
    return mate


def round_relaxation(columns: Edges, share: np.ndarray, size: int) -> np.ndarray:
    """A matching from a relaxed one: the largest shares first, then the heaviest edges."""
    order = np.lexsort((columns.lower, columns.higher, -columns.weight, -np.round(share, 6)))
    return _take(columns.take(order), size, None)


def improve(graph: PairGraph, edges: Edges, mate: np.ndarray) -> np.ndarray:
    """Exchange partners for as long as the total grows; each round weighs all moves at once."""
    for _ in range(_ROUNDS):
        mate = greedy(edges, graph.size, mate)
        changed = _exchange(graph, edges, mate)
        if changed is None:
            break
        mate = changed
    return mate


def _exchange(graph: PairGraph, edges: Edges, mate: np.ndarray) -> np.ndarray | None:
    size = graph.size
    nodes = np.arange(size)
    held = np.where(mate >= 0, graph.weight_of(nodes, np.where(mate >= 0, mate, nodes)), 0.0)
    most = held.max(initial=0.0)
    new = np.flatnonzero(edges.weight > held[edges.higher] + held[edges.lower] - most)
    new = new[mate[edges.higher[new]] != edges.lower[new]]
    u, v = edges.higher[new].astype(np.int64), edges.lower[new].astype(np.int64)
    # A move frees the former partners of its ends; they are paired with each other, or one of them
    # with a free node, whichever is best.
    p, q = mate[u], mate[v]
    base = edges.weight[new] - held[u] - held[v]
    spare, spare_weight = _best_free(edges, mate, size)
    options = np.stack(
        [
            np.zeros(len(new)),
            np.where((p >= 0) & (q >= 0), graph.weight_of(p, q), 0.0),
            np.where((p >= 0) & (spare[p] != v), spare_weight[p], 0.0),
            np.where((q >= 0) & (spare[q] != u), spare_weight[q], 0.0),
        ]
    )
    choice = options.argmax(axis=0)
    gain = base + options.max(axis=0)
    useful = np.flatnonzero(gain > 1e-9)
    if not len(useful):
        return None
    mate, touched = mate.copy(), np.zeros(size, dtype=bool)
    for i in useful[np.argsort(-gain[useful], kind="stable")].tolist():
        a, b, c, d = int(u[i]), int(v[i]), int(p[i]), int(q[i])
        extra = {2: int(spare[c]), 3: int(spare[d])}.get(int(choice[i]), -1)
        involved = [n for n in (a, b, c, d, extra) if n >= 0]
        if touched[involved].any():
            continue
        touched[involved] = True
        mate[involved] = -1
        mate[a], mate[b] = b, a
        pairs = {1: (c, d), 2: (c, extra), 3: (d, extra)}.get(int(choice[i]))
        if pairs is not None:
            mate[pairs[0]], mate[pairs[1]] = pairs[1], pairs[0]
    return mate


def _best_free(edges: Edges, mate: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    other, weight = np.full(size, -1, dtype=np.int64), np.zeros(size)
    for near, far in ((edges.higher, edges.lower), (edges.lower, edges.higher)):
        some = np.flatnonzero(mate[far] < 0)
        some = some[np.lexsort((-far[some], edges.weight[some]))]
        better = edges.weight[some] > weight[near[some]]
        some = some[better]
        other[near[some]], weight[near[some]] = far[some], edges.weight[some]  # the last one wins
    return other, weight


_PER_NODE = 3
_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Relaxation:
    bound: float  # No matching has a larger total; holds whether or not `converged`
    prices: np.ndarray  # shape (M,): y: at least 0, and y_u + y_v ≥ w_e on every edge
    columns: Edges  # The edges that were considered
    share: np.ndarray  # shape (len(columns), ): x of each of them, between 0 and 1
    converged: bool  # Whether the bound is that of the linear relaxation itself
    in_time: bool  # False if the solver ran out of time


def incidence(edges: Edges, size: int) -> csr_array:
    n = len(edges)
    rows = np.concatenate([edges.higher, edges.lower])
    columns = np.concatenate([np.arange(n), np.arange(n)])
    return csr_array((np.ones(2 * n), (rows, columns)), shape=(size, n))


def relax(
    graph: PairGraph,
    start: Edges,
    *,
    seconds: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Relaxation:
    """Bound the best matching of a graph from above; out of time, the prices at hand must do."""
    deadline = clock() + seconds
    edges = graph.edges
    first = [best_of_each(n, edges.weight, _PER_NODE) for n in (edges.higher, edges.lower)]
    columns = _distinct([start, edges.take(np.union1d(*first))], graph.size)
    prices = _half_of_best([edges], graph.size)
    share = np.zeros(len(columns))
    converged = False
    while len(columns) and not converged:
        remaining = deadline - clock()
        if remaining <= 0:
            break
        solved = linprog(
            -columns.weight,
            A_ub=incidence(columns, graph.size),
            b_ub=np.ones(graph.size),
            method="highs",
            options={"time_limit": remaining},
        )
        if solved.status != 0:
            break
        share = np.asarray(solved.x)
        prices = np.maximum(-np.asarray(solved.ineqlin.marginals), 0.0)
        under = edges.weight - prices[edges.higher] - prices[edges.lower]
        short = np.flatnonzero(under > _TOLERANCE)
        converged = not len(short)
        if not converged:
            some = [
                best_of_each(n[short], under[short], _PER_NODE) for n in (edges.higher, edges.lower)
            ]
            before = len(columns)
            columns = _distinct([columns, edges.take(short[np.union1d(*some)])], graph.size)
            share = np.concatenate([share, np.zeros(len(columns) - before)])
    prices = _feasible_prices(prices, graph.stream() if graph.thinned else [edges], graph.size)
    finished = converged or not len(columns)
    return Relaxation(
        float(prices.sum()), prices, columns, share, finished and not graph.thinned, finished
    )


def _distinct(parts: list[Edges], size: int) -> Edges:
    """All edges once each, those of earlier parts first and in their order."""
    joined = Edges.join(parts)
    key = joined.higher.astype(np.int64) * size + joined.lower
    return joined.take(np.sort(np.unique(key, return_index=True)[1]))


def _half_of_best(pieces: Iterable[Edges], size: int) -> np.ndarray:
    """Prices that need no solver: half of the best weight at each node."""
    prices = np.zeros(size)
    for piece in pieces:
        np.maximum.at(prices, piece.higher, piece.weight / 2)
        np.maximum.at(prices, piece.lower, piece.weight / 2)
    return prices


def _feasible_prices(prices: np.ndarray, pieces: Iterable[Edges], size: int) -> np.ndarray:
    """Raise each higher node's price until no edge is undercut."""
    lift = np.zeros(size)
    for piece in pieces:
        np.maximum.at(lift, piece.higher, piece.weight - prices[piece.higher] - prices[piece.lower])
    return prices + lift


EXACT_UP_TO = 2000
"""Candidates with at least one partner, up to which the matching is exact."""

_EQUAL = 1e-6


@dataclass(frozen=True, eq=False)
class Disjoint:
    # higher, lower: shape (n,)
    higher: np.ndarray
    lower: np.ndarray
    total: float  # Their -L, summed
    bound: float  # No set of disjoint pairs has a larger total
    exact: bool  # Whether `total` is the optimum, within 10^-6 of it
    # False if time ran out: the choice then depends on the speed of the machine, and is none to be
    # kept as the answer
    in_time: bool = True


def best_disjoint(
    sweep: PairSweep,
    forbidden: frozenset[tuple[int, int]] = frozenset(),
    *,
    classes: np.ndarray | None = None,
    exact_up_to: int = EXACT_UP_TO,
    seconds: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Disjoint:
    """Choose disjoint pairs of the largest total -L; pairs with L ≥ 0 are never chosen.

    Up to `exact_up_to` formulas with a partner, integer programming gives the optimum (and may take
    twice `seconds`). Above, the better of an improved greedy matching and an improved rounding of
    the relaxation is taken, and the relaxation bounds its distance from the optimum. At most one
    formula of each of the `classes`, shape (M,), is in a pair. Among several optima the choice is
    deterministic.

    >>> from study.matching.rules import MatchingRules
    >>> eic = [0.0, 0.5, 3.0, 6.0]
    >>> best = best_disjoint(PairSweep([7] * 4, [0.9] * 4, eic, MatchingRules()))
    >>> sorted(zip(best.higher.tolist(), best.lower.tolist())), best.total, best.exact
    ([(2, 1), (3, 0)], 42.25, True)
    """
    graph = (
        PairGraph(sweep, forbidden) if classes is None else ClassGraph(sweep, forbidden, classes)
    )
    edges = graph.edges
    start = greedy(edges, graph.size)
    relaxed = relax(graph, graph.pairs_of(start), seconds=seconds, clock=clock)
    mate, total = start, _total(graph, start)
    for first in (round_relaxation(relaxed.columns, relaxed.share, graph.size), start):
        if relaxed.bound - total <= _EQUAL / 10:
            break
        other = greedy(edges, graph.size, improve(graph, relaxed.columns, first))
        if _total(graph, other) > total:
            mate, total = other, _total(graph, other)
    nodes = len(np.union1d(edges.higher, edges.lower))
    if relaxed.bound - total <= _EQUAL / 10 or nodes > exact_up_to or graph.thinned:
        return _result(graph, mate, relaxed.bound, relaxed.in_time)
    return _integer(graph, relaxed, mate, total, 2 * seconds)


def _integer(
    graph: PairGraph, relaxed: Relaxation, mate: np.ndarray, total: float, seconds: float
) -> Disjoint:
    edges, prices = graph.edges, relaxed.prices
    slack = prices[edges.higher] + prices[edges.lower] - edges.weight
    # A matching that uses e falls short of the bound by at least slack(e).
    possible = edges.take(np.flatnonzero(slack <= relaxed.bound - total + 1e-6))
    solved = milp(
        -possible.weight,
        integrality=np.ones(len(possible)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(incidence(possible, graph.size), ub=1),
        options={"mip_rel_gap": 0.0, "time_limit": seconds},
    )
    bound = relaxed.bound
    if solved.mip_dual_bound is not None:
        bound = min(bound, max(total, -float(solved.mip_dual_bound)))
    if solved.x is not None:
        chosen = possible.take(np.flatnonzero(solved.x > 0.5))
        if float(chosen.weight.sum()) > total:
            mate = np.full(graph.size, -1, dtype=np.int64)
            mate[chosen.higher], mate[chosen.lower] = chosen.lower, chosen.higher
    return _result(graph, mate, bound, relaxed.in_time and solved.status != 1)


def _total(graph: PairGraph, mate: np.ndarray) -> float:
    return float(graph.pairs_of(mate).weight.sum())


def _result(graph: PairGraph, mate: np.ndarray, bound: float, in_time: bool) -> Disjoint:
    chosen = graph.edges_of(mate)
    total = float(chosen.weight.sum())
    return Disjoint(
        chosen.higher.astype(np.int64),
        chosen.lower.astype(np.int64),
        total,
        max(bound, total),
        bound - total <= _EQUAL * max(1.0, 1e-6 * abs(bound)),
        in_time,
    )
