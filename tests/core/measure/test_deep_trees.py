"""Trees of 10,000 nodes: no recursion, and still the right numbers."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, amplify, inspect

TERMS = 5000


def left_chain() -> Formula:
    draft = variable("x")
    for _ in range(TERMS):
        draft = Draft("add", [draft, variable("x")])
    return Formula.from_draft(draft)


def right_chain() -> Formula:
    draft = variable("x")
    for _ in range(TERMS):
        draft = Draft("add", [variable("x"), draft])
    return Formula.from_draft(draft)


def unary_chain() -> Formula:
    draft = variable("x")
    for _ in range(2 * TERMS):
        draft = Draft("neg", [draft])
    return Formula.from_draft(draft)


def balanced() -> Formula:
    layer = [Draft("mul", [variable("x"), constant(f"{k}.5")]) for k in range(1, 2049)]
    while len(layer) > 1:
        layer = [Draft("add", [a, b]) for a, b in zip(layer[::2], layer[1::2], strict=True)]
    return Formula.from_draft(layer[0])


def sum_of_equal_terms(terms: int) -> float:
    """s^2 of x + x + ... by hand: s_n^2 = 1 + ((n-1)/n)^2 s_(n-1)^2 + 1/n^2."""
    s2 = 1.0
    for n in range(2, terms + 1):
        s2 = 1 + ((n - 1) / n) ** 2 * s2 + 1 / n**2
    return s2


@pytest.mark.parametrize("build", (left_chain, right_chain))
def test_chain_of_ten_thousand_nodes_has_the_value_of_its_recurrence(build: object) -> None:
    formula = build()  # type: ignore[operator]
    assert len(formula) == 2 * TERMS + 1 > sys.getrecursionlimit()
    samples = Samples.from_columns({"x": np.random.default_rng(0).uniform(1, 2, 20)})
    result = amplify(formula, samples, edges=True)
    assert result.mean_s2(len(formula) - 1) == pytest.approx(sum_of_equal_terms(TERMS + 1))
    y, s = result.trace(len(formula) - 1)
    assert np.allclose(y, (TERMS + 1) * samples.columns["x"])
    assert s == pytest.approx(np.sqrt(sum_of_equal_terms(TERMS + 1)))


def test_unary_chain_adds_one_each() -> None:
    formula = unary_chain()
    result = amplify(formula, Samples.from_columns({"x": [1.0, -2.0]}))
    assert result.mean_s2(len(formula) - 1) == pytest.approx(2 * TERMS + 1)


def test_balanced_tree_is_inspected_whole() -> None:
    formula = balanced()
    result = inspect(formula, Samples.from_columns({"x": [1.0, 3.0]}))
    assert len(result.nodes) == len(formula) > 8000
    assert result.eic == max(node.local_eic for node in result.nodes)
    assert len(result.to_json()["nodes"]) == len(formula)


def test_deep_tree_goes_through_balls() -> None:
    draft = Draft("mul", [constant("2"), variable("x")])
    for _ in range(2):
        draft = Draft("sub", [draft, variable("x")])
    for _ in range(TERMS):
        draft = Draft("add", [draft, variable("x")])
    result = amplify(Formula.from_draft(draft), Samples.from_columns({"x": [1.0, 0.1]}))
    assert result.rechecked == 2
    assert result.singular[6] == 2 and result.singular[8] == 0
    assert result.mean_s2(8) == pytest.approx(17)  # 1 + 15 from 2*x - x - x + 1 from x
