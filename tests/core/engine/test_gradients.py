"""Derivatives by the constants are difference quotients, and those of dual numbers.

Neither oracle shares code with the engine: `tests.core.measure.oracle.apply` evaluates operators
by name with mpmath, and the dual numbers below are Python's own fractions and floats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.engine import walked as module
from eic_core.engine.sweep import gradients
from eic_core.engine.tape import lay_out, lay_out_population
from eic_core.errors import DataError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft, Formula, constant, variable
from eic_core.measure import Samples, amplify
from tests.core.measure.agreement import rows_of, samples_of
from tests.core.measure.oracle import MoreDigits, NoRealValue, apply, mp, number
from tests.core.measure.trees import random_case
from tests.effort import cases, examples

STEPS = tuple(mp.mpf(10) ** -digits for digits in (50, 100))


def apart(formula: Formula, samples: Samples) -> module.Gradients:
    """Each constant of the tree by itself."""
    return gradients(lay_out(formula, share=False), samples)


# --- difference quotients


def value(
    formula: Formula, cells: Mapping[str, str], moved: Mapping[int, Any], shaken: Sequence[Any] = ()
) -> Any:
    """The root, constants moved by so much, and every node shaken by a relative amount."""
    y: list[Any] = []
    for node in formula.nodes:
        if node.operator in (VARIABLE, CONSTANT):
            y.append(number(cells[node.label] if node.operator == VARIABLE else node.label))
            y[-1] = y[-1] + moved.get(node.id, 0)
        else:
            y.append(apply(node.operator, [y[i] for i in node.children], node.parameter))
        if shaken:
            y[-1] = y[-1] * (1 + shaken[node.id])
    return y[-1]


def slopes(
    formula: Formula, cells: Mapping[str, str], node: int, shaken: Sequence[Any] = ()
) -> tuple[Any, Any] | None:
    """Quotients to the right and to the left, settled to 40 digits; None without them."""
    here = value(formula, cells, {}, shaken)
    found = []
    for sign in (1, -1):
        coarse, fine = (
            (value(formula, cells, {node: sign * step}, shaken) - here) / (sign * step)
            for step in STEPS
        )
        if abs(coarse - fine) > mp.mpf(10) ** -40 * max(1, abs(fine)):
            return None  # a jump, a vertical tangent, or a sine of 1e200
        found.append(fine)
    return found[0], found[1]


def quotient(
    formula: Formula, cells: Mapping[str, str], node: int, rng: random.Random
) -> tuple[float, float] | None:
    """The derivative and what double precision may make of it; None at a kink."""
    try:
        both = slopes(formula, cells, node)
        if both is None or abs(both[0] - both[1]) > mp.mpf(10) ** -40 * max(1, abs(both[0])):
            return None
        moved = mp.mpf(0)
        for _ in range(3):
            shaken = [rng.choice((1, -1)) * mp.mpf("1e-13") for _ in formula.nodes]
            there = slopes(formula, cells, node, shaken)
            if there is None:
                return None
            moved = max(moved, abs(there[0] - both[0]))
    except (NoRealValue, MoreDigits):
        return None
    return float(both[0]), float(1e-9 * abs(both[0]) + moved + mp.mpf(10) ** -40)


def test_gradients_are_difference_quotients_on_random_trees():
    """Zeros and huge numbers in the tables; what double precision cannot settle is left out."""
    compared = beyond = 0
    for seed in range(cases(100, 800)):
        formula, table = random_case(seed)
        places = [n.id for n in formula.nodes if n.operator == CONSTANT]
        if not places or len(formula) > 40:
            continue
        samples, rng = samples_of(table), random.Random(seed)
        amplification, found = amplify(formula, samples), apart(formula, samples)
        assert list(found.slots) == places
        for row, cells in enumerate(rows_of(table)):
            if row in amplification.exact.rows:
                continue
            if not amplification.valid[row]:
                assert np.isnan(found.jacobian[row]).all() and math.isnan(found.values[row])
                continue
            for column, place in enumerate(places):
                expected = quotient(formula, cells, place, rng)
                if expected is None:
                    continue
                slope, allowed = expected
                got = found.jacobian[row, column]
                if not math.isfinite(got):  # 1e208 / 1e-200 on the way down
                    beyond += 1
                    continue
                assert abs(got - slope) <= allowed, (seed, to_python(formula), cells, place)
                compared += 1
    assert compared > cases(125, 1000) and beyond < 10


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("abs(x - 2)", {"x": "2"}, [-1.0]),  # as x - 2, which is the branch from the right
        ("max(x, 2)", {"x": "2"}, [0.0]),  # x, the first operand, is taken
        ("min(2, x)", {"x": "2"}, [1.0]),
        ("max(2*x, 3, 6)", {"x": "3"}, [3.0, 0.0, 0.0]),
        ("3*x", {"x": "0"}, [0.0]),
        ("sin(2*x)", {"x": "0"}, [0.0]),
        ("(x - 2)**2", {"x": "2"}, [0.0]),
        ("cbrt(x - 2)*x", {"x": "10"}, [-10 / 12]),
    ],
)
def test_at_a_kink_or_a_zero_the_derivative_is_one_of_the_two_quotients(text, cells, expected):
    formula = read(text).formula
    found = apart(formula, samples_of({name: [cell] for name, cell in cells.items()}))
    assert found.jacobian[0].tolist() == pytest.approx(expected, rel=1e-12)
    for place, got in zip(found.slots, expected, strict=True):
        both = slopes(formula, cells, place)
        assert both is not None and any(abs(got - s) < 1e-12 for s in both)


def test_what_is_not_taken_says_nothing_however_steep():
    """sqrt has a vertical tangent at 0; max does not look at it."""
    samples = Samples.from_columns({"x": [5.0, -5.0], "y": [2.0, 2.0]})
    found = apart(read("max(x, sqrt(2 - y))").formula, samples)
    assert found.jacobian[:, 0].tolist() == [0.0, math.inf]


def test_jumps_and_vertical_tangents_are_infinite_and_a_zero_times_them_is_open():
    samples = Samples.from_columns({"x": [2.0, 2.5]})
    assert apart(read("floor(x*2)").formula, samples).jacobian[:, 0].tolist() == [math.inf] * 2
    assert apart(read("floor(x*0.3)").formula, samples).jacobian[:, 0].tolist() == [0.0, 0.0]
    found = apart(read("(x - 2)*sqrt(x - 2)").formula, samples)
    assert math.isnan(found.jacobian[0, 1]) and np.isfinite(found.jacobian[1]).all()


# --- dual numbers


class Dual:
    """A number and its derivatives, by Python's own arithmetic."""

    def __init__(self, value: Any, slopes: Sequence[Any]) -> None:
        self.value, self.slopes = value, list(slopes)

    def by(self, value: Any, *pairs: tuple[Any, Dual]) -> Dual:
        places = range(len(self.slopes))
        return Dual(value, [sum(k * d.slopes[i] for k, d in pairs) for i in places])


def dual(formula: Formula, cells: Mapping[str, Any]) -> Dual:
    """The root by forward differentiation."""
    places = [n.id for n in formula.nodes if n.operator == CONSTANT]
    y: list[Dual] = []
    for node in formula.nodes:
        if node.operator in (VARIABLE, CONSTANT):
            leaf = cells[node.label] if node.operator == VARIABLE else Fraction(node.label)
            y.append(Dual(leaf, [1 if k == node.id else 0 for k in places]))
            continue
        a = [y[i] for i in node.children]
        x = a[0].value
        match node.operator:
            case "add":
                y.append(a[0].by(x + a[1].value, (1, a[0]), (1, a[1])))
            case "sub":
                y.append(a[0].by(x - a[1].value, (1, a[0]), (-1, a[1])))
            case "mul":
                y.append(a[0].by(x * a[1].value, (a[1].value, a[0]), (x, a[1])))
            case "div":
                b = a[1].value
                y.append(a[0].by(x / b, (1 / b, a[0]), (-x / (b * b), a[1])))
            case "neg":
                y.append(a[0].by(-x, (-1, a[0])))
            case "abs":
                y.append(a[0].by(abs(x), (-1 if x < 0 else 1, a[0])))
            case "power":
                n = int(node.parameter)
                y.append(a[0].by(x**n, (n * x ** (n - 1), a[0])))
            case "min" | "max":
                best = (min if node.operator == "min" else max)(d.value for d in a)
                y.append(next(d for d in a if d.value == best))
            case "sin":
                y.append(a[0].by(math.sin(x), (math.cos(x), a[0])))
            case "exp":
                y.append(a[0].by(math.exp(x), (math.exp(x), a[0])))
            case "tanh":
                y.append(a[0].by(math.tanh(x), (1 / math.cosh(x) ** 2, a[0])))
            case other:
                raise KeyError(other)
    return y[-1]


def tree(rng: random.Random, operators: Sequence[str], leaves: Sequence[str], depth: int) -> Draft:
    """A tree of at most so many levels over x, y and the leaves given."""
    if depth <= 1 or rng.random() < 0.1:
        return variable(rng.choice("xy")) if rng.random() < 0.5 else constant(rng.choice(leaves))
    name = rng.choice(operators)
    count = 1 if name in ("neg", "abs", "power", "sin", "exp", "tanh") else 2
    parameter = Fraction(rng.choice((1, 2, 3))) if name == "power" else None
    children = [tree(rng, operators, leaves, depth - 1) for _ in range(count)]
    return Draft(name, children, parameter=parameter)


WHOLE = ("add", "sub", "mul", "neg", "abs", "min", "max", "power")
SMOOTH = ("add", "sub", "mul", "neg", "sin", "exp", "tanh", "power")


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 10**6))
def test_on_whole_numbers_gradients_are_those_of_dual_fractions_to_the_last_bit(seed):
    """Zeros, ties and kinks throughout; doubles hold these numbers exactly."""
    rng = random.Random(seed)
    formula = Formula.from_draft(tree(rng, WHOLE, ("0", "1", "-1", "2", "0.5", "3"), 4))
    cells = [{name: rng.choice((-2, -1, 0, 1, 2, 3)) for name in "xy"} for _ in range(5)]
    found = apart(formula, Samples.from_columns({name: [c[name] for c in cells] for name in "xy"}))
    for row, cell in enumerate(cells):
        expected = dual(formula, {name: Fraction(number) for name, number in cell.items()})
        if abs(expected.value) < 2**20 and all(abs(s) < 2**20 for s in expected.slopes):
            assert found.values[row] == expected.value
            assert found.jacobian[row].tolist() == expected.slopes, to_python(formula)


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 10**6))
def test_smooth_formulas_agree_with_dual_floats(seed):
    rng = random.Random(seed)
    formula = Formula.from_draft(tree(rng, SMOOTH, ("0.5", "-1.25", "2"), 4))
    cell = {name: rng.uniform(-1, 1) for name in "xy"}
    found = apart(formula, Samples.from_columns({name: [v] for name, v in cell.items()}))
    try:
        expected = dual(formula, cell)
    except OverflowError:
        return
    size = max([1.0, abs(expected.value), *map(abs, expected.slopes)])
    if size < 1e3:
        assert found.jacobian[0].tolist() == pytest.approx(
            [float(s) for s in expected.slopes], rel=1e-8, abs=1e-10 * size
        )


# --- the shape of the answer


def test_equal_constants_share_a_derivative_unless_they_are_laid_out_apart():
    formula, samples = read("2*x + 2*y").formula, Samples.from_columns({"x": [3.0], "y": [5.0]})
    together = gradients(lay_out(formula), samples)
    assert (together.labels, together.jacobian.tolist()) == (("2",), [[8.0]])
    assert apart(formula, samples).jacobian.tolist() == [[3.0, 5.0]]


def test_each_formula_of_a_population_can_be_the_root():
    tape = lay_out_population([read("3*x + 2").formula, read("exp(2*x)").formula])
    samples = Samples.from_columns({"x": [1.0, 0.5]})
    first = gradients(tape, samples, tape.roots[0])
    assert (first.labels, first.jacobian.tolist()) == (("3", "2"), [[1.0, 1.0], [0.5, 1.0]])
    last = gradients(tape, samples)
    assert last.labels == ("2",) and last.values[1] == math.exp(1)


def test_blocks_make_no_difference(monkeypatch):
    formula = read("1.5*sin(2*x) + max(x, 0.5)*exp(-0.3*x)").formula
    samples = Samples.from_columns({"x": np.linspace(-3, 3, 300)})
    whole = apart(formula, samples)
    monkeypatch.setattr(module, "MOST_ROWS", 64)
    parts = apart(formula, samples)
    np.testing.assert_array_equal(whole.jacobian, parts.jacobian)
    np.testing.assert_array_equal(whole.values, parts.values)


def test_without_constants_there_are_no_columns_and_without_variables_all_rows_are_alike():
    samples = Samples.from_columns({"x": [1.0, 2.0]})
    assert apart(read("x*x").formula, samples).jacobian.shape == (2, 0)
    assert apart(read("2*3").formula, samples).jacobian.tolist() == [[3.0, 2.0]] * 2
    assert apart(read("7").formula, samples).jacobian.tolist() == [[1.0], [1.0]]


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match="`y`"):
        apart(read("2*y").formula, Samples.from_columns({"x": [1.0]}))
