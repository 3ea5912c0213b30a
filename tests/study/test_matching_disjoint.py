"""Disjoint pairs: optimal on small graphs, bounded on large ones."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.matching import disjoint as disjoint_module
from study.matching.disjoint import (
    Disjoint,
    Edges,
    PairGraph,
    best_disjoint,
    greedy,
    improve,
    relax,
)
from study.matching.rules import MatchingRules
from study.matching.sweep import PairSweep
from tests.clocks import PacedClock
from tests.effort import examples

RULES = MatchingRules()
STILL = PacedClock(0.0)
NONE: frozenset[tuple[int, int]] = frozenset()
FORMULAS = st.lists(
    st.tuples(
        st.integers(1, 5),
        st.sampled_from([0.84, 0.86, 0.88, 0.9]) | st.floats(0.84, 0.92),
        st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.5, 6.2]) | st.floats(0, 7),
    ),
    min_size=1,
    max_size=12,
)


def sweep_of(formulas: list[tuple[int, float, float]]) -> PairSweep:
    c, r, e = (np.array(column) for column in zip(*formulas, strict=True))
    return PairSweep(c, r, e, RULES)


def optimum(sweep: PairSweep, forbidden: frozenset[tuple[int, int]] = NONE) -> float:
    """The largest total -L over all matchings, by trying them all."""
    higher, lower = sweep.pairs()
    weights = (-sweep.losses(higher, lower)).tolist()
    ends = [*zip(higher.tolist(), lower.tolist(), strict=True)]
    at: dict[int, list[tuple[int, float]]] = {}
    for (h, low), weight in zip(ends, weights, strict=True):
        if (h, low) not in forbidden:
            at.setdefault(h, []).append((low, weight))
            at.setdefault(low, []).append((h, weight))

    @cache
    def best(free: int) -> float:
        if not free:
            return 0.0
        node = (free & -free).bit_length() - 1
        rest = free & ~(1 << node)
        pairs = [w + best(rest & ~(1 << o)) for o, w in at.get(node, ()) if rest >> o & 1]
        return max([best(rest), *pairs])

    return best((1 << len(sweep)) - 1)


def assert_disjoint(found: Disjoint) -> None:
    used = [*found.higher.tolist(), *found.lower.tolist()]
    assert len(set(used)) == len(used)


@settings(max_examples=examples(150), deadline=None)
@given(FORMULAS, st.data())
def test_small_matchings_are_optimal(
    formulas: list[tuple[int, float, float]], data: st.DataObject
) -> None:
    sweep = sweep_of(formulas)
    higher, lower = sweep.pairs()
    pairs = [*zip(higher.tolist(), lower.tolist(), strict=True)]
    forbidden = frozenset(data.draw(st.sets(st.sampled_from(pairs)))) if pairs else NONE
    found = best_disjoint(sweep, forbidden, clock=STILL)
    assert found.exact
    assert found.total == pytest.approx(optimum(sweep, forbidden), abs=1e-6)
    assert_disjoint(found)
    assert not forbidden & {*zip(found.higher.tolist(), found.lower.tolist(), strict=True)}


@settings(max_examples=examples(150), deadline=None)
@given(FORMULAS)
def test_the_bound_of_the_greedy_way_holds(formulas: list[tuple[int, float, float]]) -> None:
    sweep = sweep_of(formulas)
    found = best_disjoint(sweep, exact_up_to=0)
    best = optimum(sweep)
    assert found.total <= best + 1e-9
    assert found.bound >= best - 1e-6
    assert_disjoint(found)


def odd_cycle() -> tuple[PairSweep, frozenset[tuple[int, int]]]:
    """Five formulas and the edges of a pentagon: the relaxation takes half of each edge."""
    eic = [0.0, 2.05, 4.1, 6.15, 3.08]
    sweep = PairSweep(np.full(5, 7), np.full(5, 0.9), np.array(eic), MatchingRules())
    cycle = {(1, 0), (2, 1), (3, 2), (3, 4), (4, 0)}
    higher, lower = sweep.pairs()
    pairs = {*zip(higher.tolist(), lower.tolist(), strict=True)}
    assert cycle <= pairs
    return sweep, frozenset(pairs - cycle)


def test_where_the_relaxation_is_fractional_integer_programming_settles_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweep, forbidden = odd_cycle()
    relaxed = relax(PairGraph(sweep, forbidden), Edges.join([]))
    best = optimum(sweep, forbidden)
    assert relaxed.converged and relaxed.bound > best + 0.1
    called = []
    real = disjoint_module._integer
    monkeypatch.setattr(disjoint_module, "_integer", lambda *args: called.append(1) or real(*args))
    found = best_disjoint(sweep, forbidden)
    assert called and found.exact
    assert found.total == pytest.approx(best, abs=1e-6)
    loose = best_disjoint(sweep, forbidden, exact_up_to=0)
    assert not loose.exact and loose.bound >= best


def test_a_known_small_optimum() -> None:
    found = best_disjoint(sweep_of([(7, 0.9, 0.0), (7, 0.9, 3.0), (8, 0.9, 3.5), (8, 0.9, 6.0)]))
    pairs = sorted(zip(found.higher.tolist(), found.lower.tolist(), strict=True))
    assert pairs == [(3, 0)]  # 36 - 1; 0-1 and 2-3 give 9 + 6.25, and 1-2 is no pair
    assert found.total == pytest.approx(35)


def test_exchange_improves_on_greed() -> None:
    # Greed takes the middle edge; two outer ones are worth more together.
    sweep = PairSweep(
        np.full(4, 7), np.array([0.90, 0.92, 0.94, 0.96]), np.array([0.1, 3.0, 0.0, 2.9]), RULES
    )
    graph = PairGraph(sweep)
    first = greedy(graph.edges, 4)
    assert first.tolist() == [-1, 2, 1, -1]
    assert improve(graph, graph.edges, first).tolist() == [1, 0, 3, 2]


def large(size: int) -> PairSweep:
    rng = np.random.default_rng(3)
    return PairSweep(
        rng.integers(5, 30, size), rng.uniform(0.85, 1, size), rng.gamma(1, 1.2, size), RULES
    )


def test_a_large_matching_is_close_to_its_bound() -> None:
    found = best_disjoint(large(3_000), clock=STILL)
    assert_disjoint(found)
    assert found.total <= found.bound
    assert (found.bound - found.total) / found.bound < 0.01


def test_the_bound_holds_when_the_time_is_up_and_when_edges_are_left_out() -> None:
    sweep = large(400)
    best = best_disjoint(sweep, clock=STILL)
    assert best.exact
    hurried = relax(PairGraph(sweep), Edges.join([]), clock=PacedClock(100.0))
    assert not hurried.converged and hurried.bound >= best.total
    thin = PairGraph(sweep, max_edges=sweep.total // 8)
    assert thin.thinned and len(thin.edges) < sweep.total
    assert relax(thin, Edges.join([]), clock=STILL).bound >= best.total - 1e-6


def test_a_choice_that_ran_out_of_time_says_so_and_is_settled_once_there_is_time() -> None:
    sweep = large(400)
    hurried = best_disjoint(sweep, clock=PacedClock(100.0))
    assert not hurried.in_time and hurried.bound >= hurried.total
    assert_disjoint(hurried)
    patient = best_disjoint(sweep, seconds=math.inf, clock=PacedClock(100.0))
    quick = best_disjoint(sweep, clock=STILL)
    assert patient.in_time and patient.exact and patient.total == quick.total
