"""The linear relaxation of the best matching: an upper bound on the total -L.

maximise Σ w_e x_e with Σ_{e at v} x_e ≤ 1 for each node v and x ≥ 0.  By duality
any prices y ≥ 0 with y_u + y_v ≥ w_e on all edges bound the total by Σ y_v.  The
programme is solved over a growing set of edges: those that the prices of the
last round undercut most at each node join, until none is undercut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from study.matching.edges import Edges, PairGraph, best_of_each

_PER_NODE = 3
_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The relaxed optimum.

    Attributes
    ----------
    bound : float
        No matching has a larger total; holds whether or not `converged`.
    prices : ndarray of float, shape (M,)
        y: at least 0, and y_u + y_v ≥ w_e on every edge.
    columns : Edges
        The edges that were considered.
    share : ndarray of float, shape (len(columns),)
        x of each of them, between 0 and 1.
    converged : bool
        Whether the bound is that of the linear relaxation itself.
    in_time : bool
        False if the solver ran out of time.
    """

    bound: float
    prices: np.ndarray
    columns: Edges
    share: np.ndarray
    converged: bool
    in_time: bool


def incidence(edges: Edges, size: int) -> csr_array:
    """The matrix of Σ_{e at v} x_e, shape (size, E)."""
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
    """Bound the best matching of a graph.

    Parameters
    ----------
    graph : PairGraph
    start : Edges
        A matching to begin with, so that the prices are sensible at once.
    seconds : float
        After this long the prices at hand are mended into valid ones.
    clock : callable () -> float
        Seconds.
    """
    deadline = clock() + seconds
    edges = graph.edges
    first = [best_of_each(n, edges.weight, _PER_NODE) for n in (edges.higher, edges.lower)]
    columns = _distinct([start, edges.take(np.union1d(*first))], graph.size)
    prices = _half_of_best([edges], graph.size)
    share = np.zeros(len(columns))
    converged = False
    while len(columns) and not converged:
        left = deadline - clock()
        if left <= 0:
            break
        solved = linprog(
            -columns.weight,
            A_ub=incidence(columns, graph.size),
            b_ub=np.ones(graph.size),
            method="highs",
            options={"time_limit": left},
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
                best_of_each(n[short], under[short], _PER_NODE)
                for n in (edges.higher, edges.lower)
            ]
            before = len(columns)
            columns = _distinct([columns, edges.take(short[np.union1d(*some)])], graph.size)
            share = np.concatenate([share, np.zeros(len(columns) - before)])
    prices = _mended(prices, graph.stream() if graph.thinned else [edges], graph.size)
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


def _mended(prices: np.ndarray, pieces: Iterable[Edges], size: int) -> np.ndarray:
    """Raise each higher node's price until no edge is undercut."""
    lift = np.zeros(size)
    for piece in pieces:
        np.maximum.at(
            lift, piece.higher, piece.weight - prices[piece.higher] - prices[piece.lower]
        )
    return prices + lift
