"""A good matching of any size: the greedy one, improved by local exchange."""

from __future__ import annotations

import numpy as np

from study.matching.edges import Edges, PairGraph

_BLOCK = 1_000_000
_ROUNDS = 500


def greedy(edges: Edges, size: int, mate: np.ndarray | None = None) -> np.ndarray:
    """Take the heaviest edge whose ends are free, again and again.

    Parameters
    ----------
    edges : Edges
    size : int
        Number of nodes M.
    mate : ndarray of int, shape (M,), optional
        A matching to extend; not changed.

    Returns
    -------
    ndarray of int, shape (M,)
        The partner of each node, -1 if it has none.
    """
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


def rounded(columns: Edges, share: np.ndarray, size: int) -> np.ndarray:
    """A matching from a relaxed one: the largest shares first, then the heaviest edges."""
    order = np.lexsort((columns.lower, columns.higher, -columns.weight, -np.round(share, 6)))
    return _take(columns.take(order), size, None)


def improve(graph: PairGraph, edges: Edges, mate: np.ndarray) -> np.ndarray:
    """Exchange partners for as long as the total grows.

    A move takes an edge into the matching and frees the former partners of its
    ends; they are paired with each other, or one of them with a free node,
    whichever is best.  In each round all moves are weighed at once, and applied
    from the largest gain on where they do not touch one another.
    """
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
    """For each node the heaviest edge to a free node: its other end, and its weight."""
    other, weight = np.full(size, -1, dtype=np.int64), np.zeros(size)
    for near, far in ((edges.higher, edges.lower), (edges.lower, edges.higher)):
        some = np.flatnonzero(mate[far] < 0)
        some = some[np.lexsort((-far[some], edges.weight[some]))]
        better = edges.weight[some] > weight[near[some]]
        some = some[better]
        other[near[some]], weight[near[some]] = far[some], edges.weight[some]  # the last one wins
    return other, weight
