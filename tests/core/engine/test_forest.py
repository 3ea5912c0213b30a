"""Formulas as arrays are measured as their trees are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.corpora.clusters import random_tables
from eic_core.corpora.growing import Grower
from eic_core.corpora.recipes import E2ESR
from eic_core.engine.amplify import amplify
from eic_core.engine.forest import Alphabet, Forest
from eic_core.engine.native import library as native
from eic_core.engine.values import plain_values
from eic_core.formula.syntax import read
from tests.effort import cases

COUNT, VARIABLES, ROWS = cases(60, 600), 4, 40


@pytest.fixture(scope="module")
def forest() -> Forest:
    return Grower(E2ESR).grow(np.full(COUNT, VARIABLES), np.random.default_rng(5))


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return random_tables(COUNT, VARIABLES, ROWS, 9, np.random.default_rng(6))


def prefix(formula) -> list[str]:
    """Operators and labels from the root on, by recursion over the tree."""

    def walk(place: int) -> list[str]:
        node = formula.nodes[place]
        return [node.operator + node.label, *[w for child in node.children for w in walk(child)]]

    return walk(len(formula) - 1)


def test_a_tree_has_the_symbols_of_its_array_in_the_same_order(forest):
    for number in range(len(forest)):
        symbols = forest.symbols[forest.starts[number] : forest.starts[number + 1]]
        nodes = [forest.alphabet.nodes[symbol] for symbol in symbols]
        assert prefix(forest.formula(number)) == [node.operator + node.label for node in nodes]


def test_parents_are_those_of_the_trees(forest):
    for number in range(len(forest)):
        formula, first = forest.formula(number), int(forest.starts[number])

        def walk(place: int, above: int, at: list[int], formula=formula, first=first) -> None:
            own = first + at[0]
            at[0] += 1
            assert forest.parent[own] == above
            for child in formula.nodes[place].children:
                walk(child, own, at)

        walk(len(formula) - 1, -1, [0])


def test_values_are_those_of_each_formula_alone(forest, rows):
    with np.errstate(all="ignore"):
        found = forest.values(rows)
        alone = np.array(
            [plain_values(forest.formula(i), forest.samples(i, rows)) for i in range(COUNT)]
        )
    valid = np.isfinite(alone).all(axis=1)
    assert COUNT / 3 < valid.sum() < COUNT
    assert (found[valid] == alone[valid]).all() and np.isnan(found[~valid]).all()


def measured_alone(forest, rows, number):
    return amplify(forest.formula(number), forest.samples(number, rows), recheck=False)


def test_digits_lost_are_those_of_each_formula_alone(forest, rows):
    with np.errstate(all="ignore"):
        values, found = forest.measure(rows)
        plain = forest.values(rows)
        alone = np.array([measured_alone(forest, rows, i).eic for i in range(COUNT)])
    np.testing.assert_array_equal(values, plain)
    valid = np.isfinite(plain).all(axis=1)
    np.testing.assert_allclose(found[valid], alone[valid], rtol=1e-12, atol=1e-12)
    assert np.isnan(found[~valid]).all()
    assert len({round(value, 3) for value in found if math.isfinite(value)}) > COUNT / 3


def test_the_quantile_is_of_each_nodes_s2_over_the_rows(forest, rows):
    with np.errstate(all="ignore"):
        _, found = forest.measure(rows, 0.9)
    for number in range(COUNT):
        alone = measured_alone(forest, rows, number)
        if alone.valid_count < ROWS or not math.isfinite(alone.eic):
            continue
        s2 = np.array([alone.valid_s2(node) for node in alone.tape.nodes])
        wanted = np.quantile(s2, 0.9, axis=1, method="inverted_cdf").max()
        assert found[number] == pytest.approx(0.5 * math.log10(wanted), abs=1e-12)


def test_without_the_native_engine_the_numbers_are_the_same(forest, rows, monkeypatch):
    few, table = forest.take(np.arange(8)), rows[:8].copy()
    with np.errstate(all="ignore"):
        values, (_, eic) = few.values(table), few.measure(table)
        _, quantile = few.measure(table, 0.9)
        monkeypatch.setattr(native, "library", lambda: None)
        slow = forest.take(np.arange(8))
        for fast, plain in (
            (values, slow.values(table)),
            (eic, slow.measure(table)[1]),
            (quantile, slow.measure(table, 0.9)[1]),
        ):
            np.testing.assert_allclose(plain, fast, rtol=1e-9)


def test_formulas_with_singular_and_invalid_rows_are_measured_by_their_rules():
    x, *_ = read("x").formula.nodes
    nodes = [read(text).formula.root for text in ("x - x", "log(x)", "x**2")]
    alphabet = Alphabet((*nodes, x, *read("1").formula.nodes))
    # x - x, log x, x**2 - 1
    forest = Forest(alphabet, np.array([0, 3, 3, 1, 3, 0, 2, 3, 4]), np.array([0, 3, 5, 9]))
    rows = np.array([[[1.0, 2.0]], [[-1.0, 2.0]], [[1.0, 3.0]]])
    for share in (None, 0.9):
        values, eic = forest.measure(rows, share)
        assert np.isnan(values[1]).all() and values[[0, 2]].tolist() == [[0, 0], [0, 8]]
        assert np.isnan(eic[1]) and np.isinf(eic[[0, 2]]).all()
    assert math.isfinite(forest.measure(rows, 0.5)[1][0]) is False
