"""The tree of a Monte-Carlo tree search: where it goes, what it is told, what it forgets."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from eic_core.engine.values import values
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure.fit import r_squared
from eic_core.samples import Samples
from eic_core.search import tree_search
from eic_core.search.fitting import Fitted, Individual, fitted_formula
from eic_core.search.problem import SearchProblem, problem_of
from eic_core.search.tree_search import SearchTree, TreeState


@pytest.fixture(scope="module")
def problem() -> SearchProblem:
    rng = np.random.default_rng(5)
    x, y = rng.uniform(1, 4, (2, 50))
    samples = Samples.from_columns({"x": x, "y": y}, target=x * np.sin(y) + 0.1 * rng.random(50))
    return problem_of(samples, method="mcts", max_complexity=25)


def formula(term: str, fitness: float) -> Individual:
    return Individual(((term, "sin"),), Fitted((1.0,), 0.0, 0.5), 2, 0.0, fitness)


def by_hand(problem: SearchProblem) -> SearchTree:
    """A root with three children, the first with one of its own."""
    formulas = [None, *(formula(f"${name}", 0.5) for name in "abcd")]
    state = TreeState(
        1,
        None,
        formulas,
        parents=[-1, 0, 0, 0, 1],
        visits=[100, 50, 40, 10, 30],
        mutations=[1000, 1000, 0, 0, 0],
        rewards=[86.8, 45.0, 35.2, 8.0, 27.0],
        best=[],
    )
    return SearchTree(problem, random.Random(0), state)


@pytest.mark.parametrize(
    ("exploration", "ends"),
    [
        # .900 + .1 √(ln 100/50) = .930, .880 + .1 √(ln 100/40) = .914, .8 + .1 √(ln 100/10) = .868;
        # below the first its only child; then, with 20 visits that wait,
        # .900 + .1 √(ln 120/70) = .926, .880 + .1 √(ln 120/40) = .915, .869
        (0.1, [4, 4]),
        # .900 + .152, .880 + .170, .800 + .339: the third; then, with 20 visits that wait,
        # .900 + .5 √(ln 120/50) = 1.055, .880 + .173, .8 + .5 √(ln 120/30) = 1.000: the first
        (0.5, [3, 4]),
    ],
)
def test_a_descent_takes_the_child_of_the_highest_upper_bound(
    problem: SearchProblem, monkeypatch, exploration: float, ends: list[int]
) -> None:
    monkeypatch.setattr(tree_search, "EXPLORATION", exploration)
    monkeypatch.setattr(tree_search, "CHILDREN", 20)
    assert by_hand(problem)._descents()[:2] == ends


def test_a_node_has_as_many_children_as_its_visits_allow(problem, monkeypatch) -> None:
    monkeypatch.setattr(tree_search, "WIDENING", 2.0)
    tree = by_hand(problem)
    tree.mutations[0] = 20  # of 2 √100
    assert tree._descents()[0] != 0
    tree.mutations[0] = 19
    assert tree._descents()[0] == 0


def test_a_reward_is_told_to_all_nodes_above_and_to_no_other(problem: SearchProblem) -> None:
    tree = by_hand(problem)
    tree._add_reward(4, 3, 2.5)
    assert tree.visits.tolist() == [103, 53, 40, 10, 33]
    assert tree.rewards == pytest.approx([89.3, 47.5, 35.2, 8.0, 29.5])


def grown(problem: SearchProblem, count: int, number: int = 1) -> SearchTree:
    tree = SearchTree(problem, random.Random(1), TreeState.first(1, number))
    tree.grow(count)
    return tree


def test_visits_are_those_of_the_node_and_of_all_that_was_made_below(problem, monkeypatch) -> None:
    monkeypatch.setattr(tree_search, "MOST_NODES", 10_000)
    tree = grown(problem, 1500)
    assert tree.evaluations == 1500 and len(tree.formulas) > 700
    for node, below in enumerate(tree.children):
        own = 1 if node else 0  # of the root's formula, the constant, none is told
        further = sum(tree.visits[child] - 1 for child in below)
        assert tree.visits[node] == own + tree.mutations[node] + further
        assert tree.mutations[node] >= len(below)
    assert tree.visits[0] == tree.mutations.sum() >= 1500


def test_every_reward_is_a_fitness_and_a_formula_without_value_is_worth_the_constant(
    problem: SearchProblem, monkeypatch
) -> None:
    """With a fitness of 1/4 for all, every node's mean is 1/4; with none, the root's is that of y
    = c, which is eta/2.
    """

    def a_quarter(genomes: Sequence, ages: Sequence[int], *_: object) -> list[Individual]:
        return [
            Individual(genome, Fitted((1.0,) * len(genome), 0.0, 1.0), 3, 0.0, 0.25, age)
            for genome, age in zip(genomes, ages, strict=True)
            if genome
        ]

    monkeypatch.setattr(tree_search, "weigh", a_quarter)
    tree = SearchTree(problem, random.Random(1), TreeState.first(1, 1))
    tree.least_reward = 0.25  # for a child that lost all its terms
    tree.grow(1500)
    assert len(tree.formulas) > 700 and (tree.rewards == 0.25 * tree.visits).all()
    monkeypatch.setattr(tree_search, "weigh", lambda *_: [])
    tree = grown(problem, 600)
    assert len(tree.formulas) == 1 and tree.rewards[0] == pytest.approx(0.4995 * tree.visits[0])


def test_a_reward_is_the_fitness_of_the_formula_as_it_is_printed(problem: SearchProblem) -> None:
    tree, training = grown(problem, 700), problem.training
    for node in np.flatnonzero(tree.visits == 1)[:60].tolist():
        candidate = tree.formulas[node]
        assert candidate is not None
        text = to_python(fitted_formula(candidate.genome, candidate.fitted))
        printed = read(text, columns=("x", "y")).formula
        r2 = r_squared(values(printed, training), training.target)
        expected = 0.999**printed.complexity / (2 - r2) - 0.01 * candidate.digits
        assert tree.rewards[node] == pytest.approx(expected, rel=1e-9), text


def test_no_formula_is_two_nodes(problem: SearchProblem) -> None:
    tree = grown(problem, 2000, number=0)  # single terms of two variables come up often
    marks = [frozenset(c.genome) for c in tree.formulas if c is not None]
    assert len(set(marks)) == len(marks)
    assert tree.visits[0] > tree.evaluations  # and what came up again was told


def test_a_tree_forgets_the_leaves_of_the_least_reward_and_hangs_together(
    problem: SearchProblem, monkeypatch
) -> None:
    monkeypatch.setattr(tree_search, "MOST_NODES", 400)
    tree = grown(problem, 3000)
    assert len(tree.formulas) <= 400 and tree.visits[0] > 3000
    parents = tree.parents.tolist()
    assert parents[0] == -1 and all(0 <= parent < i for i, parent in enumerate(parents) if i)
    assert all(parents[child] == node for node, kids in enumerate(tree.children) for child in kids)
    assert sum(map(len, tree.children)) == len(tree.formulas) - 1

    def leaves() -> dict[frozenset, float]:
        return {
            frozenset(tree.formulas[i].genome): tree.rewards[i] / tree.visits[i]
            for i, below in enumerate(tree.children)
            if i and not below
        }

    before = leaves()
    monkeypatch.setattr(tree_search, "MOST_NODES", len(tree.formulas) - 20)
    tree._forget()
    after = {frozenset(c.genome) for c in tree.formulas if c is not None}
    gone = [mean for mark, mean in before.items() if mark not in after]
    assert gone and max(gone) <= min(mean for mark, mean in before.items() if mark in after)


def test_an_epoch_leaves_the_state_before_it_alone(problem: SearchProblem) -> None:
    state = TreeState.first(3, 2).after(problem, 400)
    before = TreeState.read(2, state.document(), problem)
    state.after(problem, 400)
    assert state == before


def test_polished_formulas_are_children_of_the_root(problem: SearchProblem) -> None:
    tree = grown(problem, 300)
    best = Individual((("$x", 1.25, "mul", "sin"),), Fitted((1.0,), 0.0, 0.1), 5, 0.3, 0.9)
    told = tree.visits[0]
    tree.plant([best, best])
    assert tree.formulas[-1] is best and tree.parents[-1] == 0 and tree.visits[0] == told + 1
    assert math.isclose(tree.rewards[-1], 0.9)
