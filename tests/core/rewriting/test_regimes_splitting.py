"""Splits along one quantity, thresholds and the trees of both."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eic_core.formula.syntax import read
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.regimes.axes import SplitAxis
from eic_core.rewriting.regimes.conditionals import parts
from eic_core.rewriting.regimes.splitting import FEWEST, PRICE, best_splits
from eic_core.rewriting.regimes.thresholds import cuts, roundest
from eic_core.rewriting.regimes.trees import (
    ChoiceProblem,
    Cut,
    Guarded,
    Leaf,
    Solver,
    Tree,
    options_of,
    pruned,
)
from eic_core.rewriting.terms import Terms

DIGITS = st.floats(0, 16).map(lambda digits: round(digits, 1))


def cheapest_by_trying_all(lost: np.ndarray, values: np.ndarray, price: float, most: int) -> float:
    order = np.argsort(values, kind="stable")
    lost, values = lost[:, order], values[order]
    edges = [i for i in range(1, len(values)) if values[i] > values[i - 1]]
    least = np.inf
    for count in range(most + 1):
        for ends in combinations(edges, count):
            segments = list(zip([0, *ends], [*ends, len(values)], strict=True))
            if any(b - a < min(FEWEST, len(values)) for a, b in segments):
                continue
            cost = price * count + sum(lost[:, a:b].sum(axis=1).min() for a, b in segments)
            least = min(least, cost)
    return least


@settings(max_examples=150, deadline=None)
@given(data=st.data(), rows=st.integers(2, 9), options=st.integers(1, 4), price=st.floats(0, 8))
def test_splits_are_the_cheapest_of_all(
    data: st.DataObject, rows: int, options: int, price: float
) -> None:
    lost = data.draw(arrays(float, (options, rows), elements=DIGITS))
    values = data.draw(arrays(float, rows, elements=st.integers(-4, 4).map(float)))
    splits = best_splits(lost, values, price)
    assert splits.cost == pytest.approx(cheapest_by_trying_all(lost, values, price, 3))
    order = np.argsort(values, kind="stable")
    starts = (0, *splits.ends[:-1])
    own = sum(
        lost[option, order[a:b]].sum()
        for option, a, b in zip(splits.options, starts, splits.ends, strict=True)
    )
    assert splits.cost == pytest.approx(own + price * (len(splits.ends) - 1))


def test_equal_values_are_not_parted() -> None:
    lost = np.array([[0.0, 0, 9, 9], [9.0, 9, 0, 0]])
    assert best_splits(lost, np.zeros(4), 1.0).ends == (4,)
    assert best_splits(lost, np.array([0.0, 0, 1, 1]), 1.0).ends == (2, 4)


INTERVALS = st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)).filter(
    lambda pair: pair[0] < pair[1]
)


@given(INTERVALS)
def test_a_round_threshold_is_in_its_interval(interval: tuple[float, float]) -> None:
    low, high = interval
    assert low < float(roundest(low, high)) <= high


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-1e-300, 1e-300, "0"),
        (-5.0, 0.0, "0"),
        (0.0, 5.0, "1"),
        (3.1, 3.2, "3.2"),
        (3.1, 3.3, "3.2"),
        (2e-9, 7e-9, "4e-9"),
        (17.0, 23.0, "20"),
        (90.0, 1100.0, "100"),
        (-7.0, -3.0, "-5"),
        (1.0, float("inf"), "1e154"),
    ],
)
def test_thresholds_are_round(low: float, high: float, text: str) -> None:
    assert float(roundest(low, high)) == float(text)


def test_a_threshold_may_lie_where_both_sides_are_equally_good() -> None:
    values = np.linspace(-3, 6, 10)
    below, above = np.where(values > 4, 9.0, 0.0), np.where(values < -1, 9.0, 0.0)
    low, high = cuts(values, below, above, 0.01)
    assert low == -2 and high == 5
    assert roundest(low, high) == "0"


# --- trees


def problem(
    *lost: np.ndarray, guards: dict[int, str] | None = None, **axes: np.ndarray
) -> ChoiceProblem:
    """With options that lose so much, some of them under a guard, along columns."""
    terms = Terms()
    roots = {name: terms.add(read(name).formula) for name in axes}
    program = DoubleTable(terms, axes, [None] * lost[0].size)
    found, masks = [], {}
    for i in range(len(lost)):
        text = (guards or {}).get(i)
        guard = None
        if text is not None:
            guard = terms[terms.add(read(f"where({text}, 1, 0)").formula)].children[0]
            for truth in (guard, *parts(terms, guard)):
                masks[truth] = program.values(truth) == 1
        found.append(guard)
    table = np.array([np.where(masks[g], o, 16.0) if g is not None else o
                      for o, g in zip(lost, found, strict=True)])  # fmt: skip
    return ChoiceProblem(
        terms,
        table,
        tuple(found),
        masks,
        [SplitAxis(roots[name], column, 1) for name, column in axes.items()],
        np.ones(len(lost)),
    )


def solved(task: ChoiceProblem, rows: np.ndarray | None = None) -> Tree:
    return Solver(task, np.arange(task.lost.shape[1]) if rows is None else rows).solve()


RNG = np.random.default_rng(7)
X, Y = RNG.uniform(-10, 10, 200), RNG.uniform(-10, 10, 200)


def luck() -> np.ndarray:
    return RNG.uniform(0, 0.3, 200)


def test_a_split_is_where_one_form_turns_worse_than_the_other() -> None:
    tree = solved(problem(np.where(X < 3, 0.1, 8), np.where(X < 3, 8, 0.1), y=Y, x=X))
    assert isinstance(tree, Cut)
    assert tree.low == X[X < 3].max() and tree.high == X[X >= 3].min()
    assert (tree.below, tree.above) == (Leaf(0), Leaf(1))


def test_a_side_may_be_split_along_another_quantity() -> None:
    second = (X >= 3) & (Y < 0)
    third = (X >= 3) & (Y >= 0)
    task = problem(*[np.where(where, 0.1, 8.0) for where in (X < 3, second, third)], x=X, y=Y)
    assert task.lost_by(solved(task), np.arange(200)).max() == pytest.approx(0.1)


def test_nothing_is_split_where_one_form_is_good_everywhere() -> None:
    assert isinstance(solved(problem(luck(), luck(), luck(), x=X, y=Y)), Leaf)


def test_what_gains_less_than_its_price_is_not_split() -> None:
    few = np.isin(np.arange(200), np.argsort(X)[:3])
    gain = PRICE * 200 / 3
    assert isinstance(solved(problem(np.where(few, 0.9 * gain, 0.0), few * 0.0 + 5, x=X)), Leaf)
    task = problem(np.where(few, 1.2 * gain, 0.0), np.where(few, 0.0, 5.0), x=X)
    assert isinstance(solved(task), Cut)


def test_a_lucky_split_is_refused_on_rows_held_out() -> None:
    train, held_out = np.arange(100), np.arange(100, 200)
    lucky = np.where((np.arange(200) < 100) & (X > 8), 6.0, 0.1)  # bad in training alone
    task = problem(lucky, np.full(200, 1.5), x=X)
    tree = solved(task, train)
    assert isinstance(tree, Cut)
    assert pruned(task, tree, train, held_out, 100) == Leaf(0)
    real = problem(np.where(X > 8, 6.0, 0.1), np.full(200, 1.5), x=X)
    tree = solved(real, train)
    assert pruned(real, tree, train, held_out, 100) == tree


def test_a_form_with_a_guard_stands_under_it_alone() -> None:
    tree = solved(problem(np.full(200, 6.0), luck(), guards={1: "x >= 0"}, x=X))
    assert isinstance(tree, Guarded)
    assert (tree.held, tree.other) == (Leaf(1), Leaf(0))


def test_a_form_may_stand_where_the_opposite_of_its_guard_does_not_hold() -> None:
    task = problem(np.full(200, 6.0), luck(), luck(), guards={1: "x >= 0", 2: "x <= 0"}, x=X)
    tree = solved(task)
    assert isinstance(tree, Guarded)
    assert {tree.held, tree.other} == {Leaf(1), Leaf(2)}


def test_two_signs_part_the_rows_into_four() -> None:
    regions = [f"(x {one} 0) & (y {two} 0)" for one in (">=", "<") for two in (">=", "<")]
    lost = [np.full(200, 6.0), *[luck() for _ in regions]]
    tree = solved(problem(*lost, guards=dict(enumerate(regions, 1)), x=X, y=Y))
    assert isinstance(tree, Guarded)
    assert isinstance(tree.held, Guarded) and isinstance(tree.other, Guarded)
    assert set(options_of(tree)) == {1, 2, 3, 4}
