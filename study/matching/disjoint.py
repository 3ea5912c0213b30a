"""The default matching of one problem: each formula at most once, the total -L maximal."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from study.matching.edges import Edges, PairGraph
from study.matching.greedy import greedy, improve, rounded
from study.matching.relaxation import Relaxation, incidence, relax
from study.matching.sweep import PairSweep

EXACT_UP_TO = 2000
"""Candidates with at least one partner, up to which the matching is exact."""

_EQUAL = 1e-6


@dataclass(frozen=True, eq=False)
class Disjoint:
    """A set of disjoint pairs.

    Attributes
    ----------
    higher, lower : ndarray of int64, shape (n,)
    total : float
        Their -L, summed.
    bound : float
        No set of disjoint pairs has a larger total.
    exact : bool
        Whether `total` is the optimum, within 10^-6 of it.
    in_time : bool
        False if time ran out: the choice then depends on the speed of the machine, and is none
        to be kept as the answer.
    """

    higher: np.ndarray
    lower: np.ndarray
    total: float
    bound: float
    exact: bool
    in_time: bool = True


def best_disjoint(
    sweep: PairSweep,
    forbidden: frozenset[tuple[int, int]] = frozenset(),
    *,
    exact_up_to: int = EXACT_UP_TO,
    seconds: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Disjoint:
    """Choose disjoint pairs of the largest total -L.

    Up to `exact_up_to` formulas that have a partner, the optimum is found by
    integer programming (`scipy.optimize.milp`) over the edges that the linear
    relaxation leaves possible.  Above that, the better of an improved greedy
    matching and an improved rounding of the relaxation is taken, and the
    relaxation bounds its distance from the optimum.

    Parameters
    ----------
    sweep : PairSweep
    forbidden : set of (higher, lower)
    exact_up_to : int
    seconds : float
        Time for the relaxation; beyond it the bound is looser, and still valid.  Integer
        programming may take twice as long.
    clock : callable () -> float
        Seconds.

    Notes
    -----
    A pair with L ≥ 0 adds nothing to the total and is never chosen.  Among
    several optima the choice is deterministic.

    Examples
    --------
    >>> from study.matching.rules import MatchingRules
    >>> eic = [0.0, 0.5, 3.0, 6.0]
    >>> best = best_disjoint(PairSweep([7] * 4, [0.9] * 4, eic, MatchingRules()))
    >>> sorted(zip(best.higher.tolist(), best.lower.tolist())), best.total, best.exact
    ([(2, 1), (3, 0)], 42.25, True)
    """
    graph = PairGraph(sweep, forbidden)
    edges = graph.edges
    start = greedy(edges, graph.size)
    relaxed = relax(graph, _edges_of(graph, start), seconds=seconds, clock=clock)
    mate, total = start, _total(graph, start)
    for first in (rounded(relaxed.columns, relaxed.share, graph.size), start):
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
    """The optimum by integer programming over the edges that can be in it."""
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


def _edges_of(graph: PairGraph, mate: np.ndarray) -> Edges:
    one = np.flatnonzero(mate > np.arange(graph.size))
    other = mate[one]
    swap = graph.sweep.eic[one] < graph.sweep.eic[other]
    higher, lower = np.where(swap, other, one), np.where(swap, one, other)
    weight = -graph.sweep.losses(higher, lower)
    return Edges(higher.astype(np.int32), lower.astype(np.int32), weight)


def _total(graph: PairGraph, mate: np.ndarray) -> float:
    return float(_edges_of(graph, mate).weight.sum())


def _result(graph: PairGraph, mate: np.ndarray, bound: float, in_time: bool) -> Disjoint:
    chosen = _edges_of(graph, mate)
    total = float(chosen.weight.sum())
    return Disjoint(
        chosen.higher.astype(np.int64),
        chosen.lower.astype(np.int64),
        total,
        max(bound, total),
        bound - total <= _EQUAL * max(1.0, 1e-6 * abs(bound)),
        in_time,
    )
