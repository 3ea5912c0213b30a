"""Zeros that doubles decide need no exact check, and the numbers are those of balls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.engine.exact import ExactEvaluator, ExactSample
from eic_core.engine.native import library as native
from eic_core.engine.sweep import node_units, sweep
from eic_core.engine.tape import SINGULAR_S2, tape_of
from eic_core.engine.walked import signs_of
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Amplification, Samples, amplify
from tests.effort import examples

CELLS = ["0", "1", "-1", "2", "3", "-3", "5", "0.1", "-0.1", "0.3", "0.7", "2.5"]
LONGER = {"0.1": "0.10000000000000000001", "3": "3.00000000000000000002"}
LEAVES = ["0", "1", "2", "-3", "0.1", "0.30", "1/3", "2.5", "pi"]
ROWS = 8


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Draft:
    if depth <= 1 or draw(st.integers(0, 5)) == 0:
        if draw(st.integers(0, 3)) == 0:
            return constant(draw(st.sampled_from(LEAVES)))
        return variable(draw(st.sampled_from("xy")))
    name = draw(st.sampled_from("sub sub sub add mul div power sqrt abs neg".split()))
    first = draw(trees(depth=depth - 1))
    if name == "power":
        return Draft(name, [first], parameter=draw(st.sampled_from([Fraction(2), Fraction(3)])))
    if name in ("sqrt", "abs", "neg"):
        return Draft(name, [first], parameter=None)
    second = first if draw(st.integers(0, 4)) == 0 else draw(trees(depth=depth - 1))
    return Draft(name, [first, second], parameter=None)


@st.composite
def tables(draw: st.DrawFn) -> Samples:
    cells = {v: [draw(st.sampled_from(CELLS)) for _ in range(ROWS)] for v in "xy"}
    for row in range(ROWS):
        if draw(st.booleans()):
            cells["y"][row] = cells["x"][row]
    exact: dict[str, dict[int, str]] = {}
    if draw(st.integers(0, 2)) == 0:
        name = draw(st.sampled_from("xy"))
        exact[name] = {row: LONGER[text] for row, text in enumerate(cells[name]) if text in LONGER}
    columns = {name: [float(text) for text in own] for name, own in cells.items()}
    return Samples.from_columns(columns, exact=exact)


def in_balls(formula: Formula, samples: Samples) -> list[ExactSample]:
    tape = tape_of(formula)
    evaluator = ExactEvaluator(tape)
    return [
        evaluator.sample({name: samples.decimal(name, row) for name in tape.variables})
        for row in range(len(samples))
    ]


def near(ours: float, theirs: float) -> bool:
    """Equal to what doubles promise of an s^2 or of a sum of them."""
    return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-9 + 1e-15 * math.sqrt(theirs))


def compare(found: Amplification, rows: Sequence[ExactSample]) -> None:
    formula, tape = found.formula, found.tape
    valid = [row.first_invalid is None for row in rows]
    assert found.valid.tolist() == valid
    dead = [row.first_invalid for row in rows if row.first_invalid is not None]
    assert found.first_invalid == {node: dead.count(node) for node in {*dead}}
    alive = [row for row in rows if row.first_invalid is None]
    if not alive:
        return
    for node in formula.nodes:
        slot = tape.slots[node.id]
        step = tape.steps[slot]
        s2 = np.array([row.s2[slot] for row in alive])
        singular = ~(s2 <= SINGULAR_S2)
        assert found.singular[node.id] == np.count_nonzero(singular)
        assert near(found.finite_sum[node.id], float(s2[~singular].sum()))
        terms = np.array([row.contributions[slot] for row in alive]).reshape(len(alive), -1)
        for ours, theirs in zip(found.edge_sums[node.id], terms.T, strict=True):
            assert math.isclose(
                ours,
                float(theirs[~singular].sum()),
                rel_tol=1e-6,
                abs_tol=1e-9 * s2[~singular].sum(),
            )
        y, s = found.trace(node.id)
        for ours, theirs in zip(s[found.valid], np.where(singular, math.inf, s2), strict=True):
            assert near(float(ours) ** 2, float(theirs))
        if step.row is not None and step.row.crossing:
            values = np.array([row.doubles for row in alive])
            ok = np.ones(len(alive), dtype=bool)
            expected = signs_of(step, values.T, ok)
            assert found.signs[node.id] == expected


@pytest.mark.parametrize("compiled", (True, False))
@settings(max_examples=examples(250), deadline=None)
@given(trees(), tables())
def test_zeros_that_doubles_decide_are_as_balls_say(
    compiled: bool, draft: Draft, samples: Samples
) -> None:
    formula = Formula.from_draft(draft)
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(native, "library", lambda: None)
        found = amplify(formula, samples, edges=True)
    compare(found, in_balls(formula, samples))


@settings(max_examples=examples(100), deadline=None)
@given(trees(), tables())
def test_the_noise_that_arrives_is_as_balls_say(draft: Draft, samples: Samples) -> None:
    formula = Formula.from_draft(draft)
    tape = tape_of(formula)
    every, alone = [], []
    for block in sweep(tape, node_units(formula), samples):
        every.append(np.where(block.usable, block.arrived, 0.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eic_core.engine.reference.surely_zero", lambda *_, **__: False)
        for block in sweep(tape, node_units(formula), samples):
            alone.append(np.where(block.usable, block.arrived, 0.0))
    np.testing.assert_allclose(np.concatenate(every, 1), np.concatenate(alone, 1), rtol=1e-7)


TIES = Samples.from_columns({"x": [0.0, 1.0, 0.1, 3.0], "y": [0.0, 1.0, 0.1, 2.0]})


@pytest.mark.parametrize(
    ("text", "rechecked"),
    [
        ("(x - y)/(x + 2)", 0),
        ("sqrt(abs(x - y))*x**2", 0),
        ("x - 0.10", 0),
        ("3*x - 3*x", 0),
        ("x*(2 - 2)", 0),
        ("3*x - 3*y", 2),  # roundings may have met by chance; 0 has none
        ("sign(x - y)", 2),
        ("x - 1/3", 0),
        ("1/(x - y)", 0),
    ],
)
def test_which_zeros_doubles_decide(text: str, rechecked: int) -> None:
    assert amplify(read(text).formula, TIES).rechecked == rechecked


def test_a_cell_with_more_digits_than_doubles_hold_is_looked_at() -> None:
    longer = Samples.from_columns({"x": [0.1], "y": [0.1]}, exact={"x": {0: LONGER["0.1"]}})
    found = amplify(read("x - y").formula, longer)
    assert (found.rechecked, found.singular[2]) == (1, 0)
    assert amplify(read("x - x").formula, longer).rechecked == 0
    third = Samples.from_columns({"x": [float(Fraction(1, 3)), math.pi]})
    for text in ("x - 1/3", "x - pi"):
        found = amplify(read(text).formula, third)
        assert (found.rechecked, found.singular[2]) == (1, 0)
