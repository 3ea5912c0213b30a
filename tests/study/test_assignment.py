"""Which pair comes next: balance, spread and sides."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.assignment import (
    PairIndex,
    PairToGive,
    RaterHistory,
    ReachGraph,
    Standing,
    check_positions,
    choose_pair,
    even_level,
    max_disjoint_pairs,
    reachable_evenness,
)
from study.balance import Balance, Changes, ReadMark, StoredBallot
from study.material import PairKind
from tests.effort import cases, examples

NOW = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)


def standing(
    pairs: list[PairToGive], votes: list[int] | None = None, lower_left: list[int] | None = None
) -> Standing:
    """With so many votes on the pairs, and nobody else at work."""
    none = [0] * len(pairs)
    counts = (np.array(votes or none), np.array(lower_left or none))
    return Standing(PairIndex(pairs), *counts, np.zeros(len(pairs)), 0)


@dataclass
class Person:
    number: int
    stop: int
    had: list[StoredBallot] = field(default_factory=list)

    @property
    def left(self) -> int:
        return sum(ballot.lower_left for ballot in self.had)


@dataclass
class Outcome:
    votes: list[int]
    pair_leans: list[int]
    rater_leans: list[int]
    sessions: list[list[int]]
    problems: list[str]

    @property
    def unevenness(self) -> int:
        return max(self.votes) - min(self.votes)


def simulate(
    sizes: list[int], raters: int, ballots: int, dropping: float, seed: int, at_once: int = 50
) -> Outcome:
    """Raters at work in random turns; some leave after a random number of ballots."""
    rng = random.Random(seed)
    problems = [f"q{q}" for q, size in enumerate(sizes) for _ in range(size)]
    pairs = [
        PairToGive(i, problem, frozenset((f"{i}a", f"{i}b"))) for i, problem in enumerate(problems)
    ]
    balance = Balance(PairIndex(pairs))
    at_work: list[Person] = []
    all_ballots: list[StoredBallot] = []
    outcome = Outcome([], [], [], [], problems)
    started = 0
    while at_work or started < raters:
        while len(at_work) < at_once and started < raters:
            leaves = rng.random() < dropping
            at_work.append(Person(started, rng.randrange(ballots) if leaves else ballots))
            started += 1
        person = rng.choice(at_work)
        if person.had:
            person.had[-1] = person.had[-1]._replace(voted=True)
        gone = len(person.had) >= person.stop
        if not gone:
            now = balance.standing(person.number, person.had, NOW)
            before = RaterHistory(tuple(ballot.pair_id for ballot in person.had), person.left)
            choice = choose_pair(now, before, ballots - len(person.had), rng)
            assert choice is not None and choice.pair_id not in before.places
            until = NOW + timedelta(minutes=30)
            person.had.append(
                StoredBallot(choice.pair_id, PairKind.MAIN, choice.lower_left, until, False)
            )
        # Whoever leaves is at work no more: the promised ballots are those that were given.
        total = len(person.had) if gone else ballots
        balance.follow(Changes(ReadMark(), False, {person.number: (total, [*person.had])}), NOW)
        if gone:
            at_work.remove(person)
            all_ballots += person.had
            outcome.rater_leans.append(2 * person.left - len(person.had))
            outcome.sessions.append([ballot.pair_id for ballot in person.had])
    votes = Counter(ballot.pair_id for ballot in all_ballots)
    left = Counter(ballot.pair_id for ballot in all_ballots if ballot.lower_left)
    outcome.votes = [votes[pair.pair_id] for pair in pairs]
    outcome.pair_leans = [2 * left[pair.pair_id] - votes[pair.pair_id] for pair in pairs]
    return outcome


@pytest.mark.parametrize("seed", range(cases(1, 3)))
def test_the_papers_study_is_even_with_thirty_percent_drop_outs(seed: int) -> None:
    outcome = simulate([9] * 19, raters=108, ballots=10, dropping=0.3, seed=seed)
    assert outcome.unevenness <= 1
    assert max(map(abs, outcome.pair_leans)) <= 2
    assert max(map(abs, outcome.rater_leans)) <= 2
    worst = [
        max(Counter(outcome.problems[i] for i in had).values()) for had in outcome.sessions if had
    ]
    assert max(worst) <= 2 and sum(worst) / len(worst) < 1.2  # 19 problems, 10 ballots


@settings(max_examples=examples(80))
@given(
    sizes=st.lists(st.integers(1, 6), min_size=3, max_size=8),
    raters=st.integers(1, 40),
    ballots=st.integers(1, 10),
    seed=st.integers(0, 10**6),
)
def test_votes_are_as_even_as_arithmetic_allows_when_all_finish(
    sizes: list[int], raters: int, ballots: int, seed: int
) -> None:
    ballots = min(ballots, sum(sizes) // 2)
    if ballots:
        outcome = simulate(sizes, raters, ballots, 0.0, seed)
        assert outcome.unevenness <= 1
        assert sum(outcome.votes) == raters * ballots
        assert set(map(abs, outcome.rater_leans)) == {ballots % 2}


@settings(max_examples=examples(30))
@given(
    sizes=st.lists(st.integers(2, 9), min_size=4, max_size=9),
    raters=st.integers(10, 60),
    seed=st.integers(0, 10**6),
)
def test_drop_outs_cost_at_most_one_vote_of_evenness(
    sizes: list[int], raters: int, seed: int
) -> None:
    assert simulate(sizes, raters, min(10, sum(sizes) // 2), 0.3, seed).unevenness <= 2


def test_everyone_rates_everything_where_there_are_as_many_pairs_as_ballots() -> None:
    assert simulate([5, 5], raters=12, ballots=10, dropping=0.0, seed=1).votes == [12] * 10


pairs_with_shared_formulas = st.lists(
    st.tuples(st.integers(0, 7), st.integers(8, 15)), min_size=1, max_size=25, unique=True
)


@settings(max_examples=examples(100))
@given(edges=pairs_with_shared_formulas, seed=st.integers(0, 10**6))
def test_a_rater_never_gets_a_pair_twice_nor_two_that_share_a_formula(
    edges: list[tuple[int, int]], seed: int
) -> None:
    rng = random.Random(seed)
    pairs = [PairToGive(i, "q", frozenset(map(str, edge))) for i, edge in enumerate(edges)]
    now = standing(pairs, [rng.randrange(3) for _ in pairs])
    reachable = max_disjoint_pairs(pairs)
    had: list[int] = []
    used: set[str] = set()
    while True:
        choice = choose_pair(now, RaterHistory(tuple(had)), reachable - len(had) or 1, rng)
        if choice is None:
            break
        assert not pairs[choice.pair_id].formulas & used
        had.append(choice.pair_id)
        used |= pairs[choice.pair_id].formulas
    assert len(had) >= min(reachable, 2)


@settings(max_examples=examples(100))
@given(
    leans=st.lists(st.integers(-4, 4), min_size=2, max_size=12),
    ballots=st.integers(1, 12),
    seed=st.integers(0, 10**6),
)
def test_whoever_answers_all_has_seen_both_sides_alike_however_the_pairs_lean(
    leans: list[int], ballots: int, seed: int
) -> None:
    rng = random.Random(seed)
    pairs = [PairToGive(i, "q", frozenset((f"{i}a", f"{i}b"))) for i in range(len(leans))]
    now = standing(pairs, [8] * len(pairs), [4 + lean for lean in leans])
    ballots = min(ballots, len(pairs))
    had: list[int] = []
    left = 0
    for to_come in range(ballots, 0, -1):
        choice = choose_pair(now, RaterHistory(tuple(had), left), to_come, rng)
        assert choice is not None
        had.append(choice.pair_id)
        left += choice.lower_left
    assert abs(2 * left - ballots) == ballots % 2


def test_a_hub_does_not_cut_a_session_short() -> None:
    hub = [PairToGive(i, "q", frozenset({"hub", str(i)})) for i in range(5)]
    now = standing([*hub, PairToGive(9, "q", frozenset({"1", "x"}))], [0, 0, 0, 0, 0, 5])
    choice = choose_pair(now, RaterHistory(), 2, random.Random(0))
    assert choice is not None and choice.pair_id != 1  # 1 would rule out both others


def test_a_reservation_counts_like_a_vote() -> None:
    pairs = PairIndex([PairToGive(1, "q", frozenset("ab")), PairToGive(2, "q", frozenset("cd"))])
    balance = Balance(pairs)
    given = StoredBallot(1, PairKind.MAIN, True, NOW + timedelta(minutes=1), False)
    balance.follow(Changes(ReadMark(), False, {7: (1, [given])}), NOW)
    for seed in range(20):
        choice = choose_pair(balance.standing(8, [], NOW), RaterHistory(), 1, random.Random(seed))
        assert choice is not None and choice.pair_id == 2


def test_sides_are_tossed_where_both_are_balanced() -> None:
    one = standing([PairToGive(1, "q", frozenset("ab"))])
    sides = [choose_pair(one, RaterHistory(), 1, random.Random(seed)) for seed in range(200)]
    assert 70 < sum(choice.lower_left for choice in sides if choice) < 130


def test_order_is_shuffled_between_raters() -> None:
    now = standing([PairToGive(i, f"q{i}", frozenset((f"{i}a", f"{i}b"))) for i in range(10)])
    first = Counter(
        choice.pair_id
        for seed in range(200)
        if (choice := choose_pair(now, RaterHistory(), 10, random.Random(seed)))
    )
    assert len(first) == 10


@given(st.integers(1, 30), st.integers(0, 3), st.integers(0, 10**6))
def test_attention_checks_never_come_first(total: int, checks: int, seed: int) -> None:
    places = check_positions(total + checks, checks, seed)
    assert len(places) == checks
    assert all((2 if total == 1 else 3) <= place <= total + checks for place in places)


def test_the_first_raters_meet_the_problems_in_different_orders():
    sizes = {"a": 8, "b": 4, "c": 4, "d": 2}
    pairs = [
        PairToGive(100 * i + k, problem, frozenset((f"{problem}{k}l", f"{problem}{k}h")))
        for i, (problem, size) in enumerate(sizes.items())
        for k in range(size)
    ]
    now = standing(pairs)
    problem_of = {pair.pair_id: pair.problem for pair in pairs}
    firsts = [
        problem_of[choose_pair(now, RaterHistory(), 10, random.Random(seed)).pair_id]
        for seed in range(400)
    ]
    share = {p: firsts.count(p) / 400 for p in sizes}
    assert all(abs(share[p] - size / 18) < 0.1 for p, size in sizes.items())


# --- What the raters at work can still do, against trying everything ---


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 40))
def test_the_even_level_is_where_votes_given_one_by_one_to_the_lowest_arrive(
    loads: list[int], to_come: int
) -> None:
    filled = list(loads)
    touched = set()
    for _ in range(to_come):
        lowest = filled.index(min(filled))
        filled[lowest] += 1
        touched.add(lowest)
    floor, ceiling = even_level(loads, to_come)
    assert floor == min(filled)
    if touched:
        assert ceiling == max(filled[i] for i in touched)


@settings(max_examples=examples(60))
@given(st.data())
def test_reach_is_the_best_of_all_ways_to_share_out_the_votes(data: st.DataObject) -> None:
    pairs = data.draw(st.integers(1, 4))
    raters = data.draw(st.integers(1, 3))
    loads = np.array(data.draw(st.lists(st.integers(0, 3), min_size=pairs, max_size=pairs)))
    cells = data.draw(st.lists(st.booleans(), min_size=raters * pairs, max_size=raters * pairs))
    open_to = np.array(cells).reshape(raters, pairs)
    remaining = np.array(data.draw(st.lists(st.integers(0, 3), min_size=raters, max_size=raters)))
    floor, ceiling = even_level(loads, int(remaining.sum()))
    ways = [
        [chosen for size in range(min(left, len(mine)) + 1) for chosen in combinations(mine, size)]
        for left, mine in zip(remaining, [np.flatnonzero(row) for row in open_to], strict=True)
    ]
    below = upto = 0
    for way in product(*ways):
        given_out = np.zeros(pairs, int)
        for chosen in way:
            given_out[list(chosen)] += 1
        below = max(below, int(np.minimum(given_out, np.maximum(ceiling - loads, 0)).sum()))
        upto = max(upto, int(np.minimum(given_out, np.maximum(floor - loads, 0)).sum()))
    found = reachable_evenness(loads, open_to, remaining, (floor, ceiling))
    assert (found.below, found.upto) == (below, upto)
    graph = ReachGraph(np.ones_like(open_to))
    for rater, pair in np.argwhere(~open_to):
        graph.let(rater, pair, False)
    assert graph.evenness(loads, remaining, (floor, ceiling)) == found
