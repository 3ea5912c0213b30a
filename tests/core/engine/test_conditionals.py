"""Formulas with conditions, held to an oracle that shares no code with the engine (ADR 0004).

The oracle walks the tree at one sample in 60 digits: it evaluates a condition, then the branch that
is taken and no other, and follows the noise by derivatives that mpmath takes numerically.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.native import library as native
from eic_core.engine.population import Population
from eic_core.engine.sweep import gradients, node_units, step_units, sweep
from eic_core.engine.tape import lay_out, tape_of
from eic_core.engine.values import values
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import inspect
from eic_core.measure.perturbation import estimate
from eic_core.samples import Samples
from tests.effort import cases

mp = mpmath.mp.clone()
mp.dps = 60

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": mp.sin,
    "cos": mp.cos,
    "exp": mp.exp,
    "log": lambda a: mp.log(a) if a > 0 else None,
    "abs": abs,
    "sqrt": lambda a: mp.sqrt(a) if a >= 0 else None,
}
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "less_than": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater_than": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "equal_to": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
}


class Zero(Exception):
    """A value of 0 or a threshold, to which other rules apply: no formula for the oracle."""


class NoValue(Exception):
    """A node that is needed has no real value; `args[0]` is its id."""


def oracle(formula: Formula, row: dict[str, float]) -> dict[int, tuple[Any, Any]]:
    """Value and s^2 of every node that is needed at one sample, none of them on a threshold."""
    found: dict[int, tuple[Any, Any]] = {}

    def visit(k: int) -> tuple[Any, Any]:
        node = formula.nodes[k]
        if not node.children:
            if node.label == "nan":
                raise NoValue(k)
            text = repr(row[node.label]) if node.operator == "variable" else node.label
            found[k] = +mp.pi if text == "pi" else mp.mpf(text), mp.mpf(1)
        elif node.operator == "conditional":
            condition, held, other = node.children
            y, s2 = visit(held if visit(condition)[0] else other)
            found[k] = y, 1 + s2
        else:
            below = [visit(child) for child in node.children]
            a = [y for y, _ in below]
            if node.operator in RELATIONS:
                if a[0] == a[1]:
                    raise Zero
                found[k] = mp.mpf(RELATIONS[node.operator](*a)), mp.mpf(1)
            elif node.operator.startswith("logical"):
                whole = {"and": all, "or": any, "not": lambda b: not b[0]}[node.operator[8:]]
                found[k] = mp.mpf(whole([bool(x) for x in a])), mp.mpf(1)
            else:
                found[k] = ordinary(k, node.operator, a, [s2 for _, s2 in below])
        return found[k]

    def ordinary(k: int, name: str, a: list[Any], s2: list[Any]) -> tuple[Any, Any]:
        function = FUNCTIONS[name]
        try:
            y = function(*a)
        except ZeroDivisionError:
            y = None
        if y is None:
            raise NoValue(k)
        if not y or not all(a):
            raise Zero
        total = mp.mpf(1)
        for i, x in enumerate(a):
            slope = mp.diff(lambda t, i=i: function(*a[:i], t, *a[i + 1 :]), x, h=mp.mpf(10) ** -25)
            total += (slope * x / y) ** 2 * s2[i]
        return y, total

    visit(len(formula) - 1)
    return found


NUMBERS = ("x", "y", "0.7", "1.9", "pi")


def draw_number(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(NUMBERS)
    kind = rng.random()
    if kind < 0.3:
        a, b = draw_number(rng, depth - 1), draw_number(rng, depth - 1)
        return f"where({draw_truth(rng, depth - 1)}, {a}, {b})"
    if kind < 0.4:
        return f"({draw_number(rng, depth - 1)} if {draw_truth(rng, depth - 1)} else nan)"
    if kind < 0.7:
        sign = rng.choice("+-*/")
        return f"({draw_number(rng, depth - 1)} {sign} {draw_number(rng, depth - 1)})"
    name = rng.choice(("sin", "cos", "exp", "log", "sqrt", "abs"))
    return f"{name}({draw_number(rng, depth - 1)})"


def draw_truth(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth > 0 and kind < 0.2:
        a, b = draw_truth(rng, depth - 1), draw_truth(rng, depth - 1)
        return f"(({a}) {rng.choice(('and', 'or', '&', '|'))} ({b}))"
    if depth > 0 and kind < 0.3:
        return f"(not ({draw_truth(rng, depth - 1)}))"
    sign = rng.choice(("<", "<=", ">", ">=", "==", "!="))
    return f"{draw_number(rng, min(depth, 2))} {sign} {draw_number(rng, min(depth, 1))}"


def rows(seed: int, count: int = 12) -> Samples:
    rng = np.random.default_rng(seed)
    return Samples.from_columns({name: rng.uniform(-3, 3, count) for name in "xy"})


def cells(samples: Samples, row: int) -> dict[str, float]:
    return {name: float(column[row]) for name, column in samples.columns.items()}


def drawn(seed: int) -> Formula:
    """A random formula with a condition, on no threshold and without zeros at `rows(seed)`."""
    rng = random.Random(seed)
    while True:
        formula = read(draw_number(rng, 3), columns=("x", "y")).formula
        if "conditional" not in {node.operator for node in formula} or len(formula) > 60:
            continue
        if not any(oracle_is_silent(formula, rows(seed), row) for row in range(12)):
            return formula


def oracle_is_silent(formula: Formula, samples: Samples, row: int) -> bool:
    """Whether a zero or a threshold makes the oracle's rules too few."""
    try:
        oracle(formula, cells(samples, row))
    except NoValue:
        return False
    except Zero:
        return True
    return False


@pytest.mark.parametrize("seed", range(cases(30, 600)))
def test_random_formulas_agree_with_the_oracle_at_every_node(seed: int) -> None:
    formula, samples = drawn(seed), rows(seed)
    by_row: list[dict[int, tuple[Any, Any]] | int] = []
    for row in range(len(samples)):
        try:
            by_row.append(oracle(formula, cells(samples, row)))
        except NoValue as error:
            by_row.append(error.args[0])
    alive = [found for found in by_row if isinstance(found, dict)]
    for recheck in (True, False):
        result = inspect(formula, samples, recheck=recheck)
        assert result.counts.valid == len(alive), formula.source
        for node in result.nodes:
            here = [found[node.node.id] for found in alive if node.node.id in found]
            assert node.evaluated == len(here), formula.source
            assert node.invalid == by_row.count(node.node.id)
            if not here:
                assert math.isnan(node.s_bar)
                continue
            expected = float(mp.fsum([s2 for _, s2 in here]) / len(here))
            assert node.s_bar**2 == pytest.approx(expected, rel=1e-6), (formula.source, node.text)
        if alive:
            worst = max(n.local_eic for n in result.nodes if n.evaluated)
            assert result.eic == result.nodes[result.bottleneck].local_eic == worst
    got = values(formula, samples)
    assert got is not None
    for value, found in zip(got.tolist(), by_row, strict=True):
        if isinstance(found, dict):
            assert value == pytest.approx(float(found[len(formula) - 1][0]), rel=1e-6)
        else:
            assert math.isnan(value)


@pytest.mark.parametrize("seed", range(cases(20, 300)))
def test_the_noise_that_arrives_adds_up_to_s_squared(seed: int) -> None:
    formula, samples = drawn(seed), rows(seed)
    _, s = amplify(formula, samples).trace(len(formula) - 1)
    for block in sweep(tape_of(formula), node_units(formula), samples):
        total = np.sum([np.square(g) for g in block.arrived], axis=0)
        assert np.array_equal(block.ok, ~np.isnan(s))
        finite = block.ok & np.isfinite(s)
        assert total[finite] == pytest.approx(np.square(s)[finite], rel=1e-6)


@pytest.mark.parametrize("seed", range(cases(20, 300)))
def test_gradients_are_those_of_the_branch_taken(seed: int) -> None:
    formula, samples = drawn(seed), rows(seed)
    found = gradients(lay_out(formula, share=False), samples)
    constants = [n.id for n in formula if n.operator == "constant" and n.label not in ("pi", "nan")]
    root = len(formula) - 1
    places = {slot: place for place, slot in enumerate(found.slots)}
    step = mp.mpf(10) ** -20
    for row in range(len(samples)):
        cell = cells(samples, row)
        try:
            base = oracle(formula, cell)
        except NoValue:
            assert math.isnan(found.values[row])
            continue
        for k in constants:
            moved = with_label(formula, k, mp.nstr(mp.mpf(formula.nodes[k].label) + step, 50))
            try:
                slope = (oracle(moved, cell)[root][0] - base[root][0]) / step
            except NoValue:
                continue
            got = found.jacobian[row, places[k]]
            assert got == pytest.approx(float(slope), rel=1e-6, abs=1e-9), formula.source


def with_label(formula: Formula, k: int, label: str) -> Formula:
    nodes = list(formula.nodes)
    nodes[k] = nodes[k]._replace(label=label)
    return Formula(tuple(nodes), formula.source)


# --- thresholds, by hand

INF = math.inf
THRESHOLDS: tuple[tuple[str, dict[str, float], float], ...] = (
    # the sides are equal and one of them moves: infinite if the branches differ
    ("where(x > 1, 2, 3)", {"x": 1.0}, INF),
    ("where(x >= 1, 2, 3)", {"x": 1.0}, INF),
    ("where(x == 1, 2, 3)", {"x": 1.0}, INF),
    ("where(x < y, 2, 3)", {"x": 0.5, "y": 0.5}, INF),
    ("where(x - y > 0, 2, 3)", {"x": 0.5, "y": 0.5}, INF),
    # a zero on a leaf does not move: no noise turns the condition
    ("where(x > 0, 2, 3)", {"x": 0.0}, 2.0),
    ("where(x >= 0, 2, 3)", {"x": 0.0}, 2.0),
    ("where(2*x > 0, 2, 3)", {"x": 0.0}, 2.0),
    ("where(x == 0, 1, sin(x)/x)", {"x": 0.0}, 2.0),
    # the branches agree: the noisier of the two
    ("where(x > 1, x**2, 2*x - 1)", {"x": 1.0}, 2.0 + 4.0 * 3 + 1.0),  # 2x: 3; 2x - 1: 1 + 12 + 1
    ("where(x < 1, x**2, 2*x - 1)", {"x": 1.0}, 15.0),
    ("where(x < y, x, y)", {"x": 0.5, "y": 0.5}, 2.0),
    ("where(x > 0.3, 0.3, 0.1 + 0.2)", {"x": 0.3}, 2.0 + 1 / 9 + 4 / 9),  # equal as real numbers
    # the branch that is not taken has no value there: it differs
    ("where(x >= 1, 2, log(x - 1))", {"x": 1.0}, INF),
    # both are 0: no jump, and above them counts what moves
    ("where(x > 1, y - z, 0) + y*0", {"x": 1.0, "y": 3.0, "z": 3.0}, INF),
    ("where(x > 1, y - z, 0) + 5", {"x": 1.0, "y": 3.0, "z": 3.0}, 2.0 + 18 / 25),
    # conditions that others decide
    ("where(x > 1 and y > 0, 2, 3)", {"x": 1.0, "y": -1.0}, 2.0),
    ("where(x > 1 and y > 0, 2, 3)", {"x": 1.0, "y": 1.0}, INF),
    ("where(x > 1 or y > 0, 2, 3)", {"x": 1.0, "y": 1.0}, 2.0),
    ("where(x > 1 or y > 0, 2, 3)", {"x": 1.0, "y": -1.0}, INF),
    ("where(not x > 1, 2, 3)", {"x": 1.0}, INF),
    ("where(x > 1 and x < 1, 2, 3)", {"x": 1.0}, 2.0 + INF),
    ("where((x > 1) == (y > 1), 2, 3)", {"x": 2.0, "y": 3.0}, 2.0),
    ("where((x > 1) == (y > 1), 2, 3)", {"x": 2.0, "y": 1.0}, 2.0),
    ("where((x > 1) == (y > 1), 2, 3)", {"x": 2.0, "y": 0.0}, 2.0),
    ("where((x > 1) == 1, 2, 3)", {"x": 1.0}, 2.0),  # x > 1 counts as a number: it is the jump
    # truth values that count as numbers
    ("x > 1", {"x": 1.0}, INF),
    ("x > 1", {"x": 2.0}, 1.0),
    ("(x > 1)*y", {"x": 2.0, "y": 3.0}, 3.0),
    ("(x > 1)*y", {"x": 1.0, "y": 3.0}, INF),
    ("(x > 0)*x + (x <= 0)*x**2", {"x": 0.5}, 1.0 + 3.0),  # 0·x² moves nothing
    # rows beside a threshold do not feel it
    ("where(x > 1, 2, 3)", {"x": 1.0000001}, 2.0),
    # sizes beyond double range
    ("where(exp(x) > exp(2*x), 2, exp(-x))", {"x": 1000.0}, 1.0 + 2.0 + 1000.0**2 * 2 - 1.0),
)


@pytest.mark.parametrize(("text", "cell", "expected"), THRESHOLDS)
def test_thresholds(text: str, cell: dict[str, float], expected: float) -> None:
    samples = Samples.from_columns({name: [value] for name, value in cell.items()})
    formula = read(text).formula
    for recheck in (True, False):
        if not recheck and "0.1 + 0.2" in text:
            continue  # double precision takes the two for different numbers
        found = amplify(formula, samples, recheck=recheck)
        assert found.valid_count == 1
        assert found.mean_s2(len(formula) - 1) == pytest.approx(expected, rel=1e-9), recheck


@pytest.mark.parametrize(("text", "cell", "expected"), THRESHOLDS)
def test_the_sweep_follows_thresholds(text: str, cell: dict[str, float], expected: float) -> None:
    samples = Samples.from_columns({name: [value] for name, value in cell.items()})
    tape = tape_of(read(text).formula)
    (block,) = sweep(tape, step_units(tape), samples)
    total = float(np.sum([np.square(g) for g in block.arrived], axis=0)[0])
    assert block.s2[0] == pytest.approx(expected, rel=1e-9)
    assert total == pytest.approx(expected, rel=1e-9)


# --- what is not taken does not count

UNTAKEN = (
    ("where(x > 0, log(x), 0)", [-1.0, -2.0, 2.0]),
    ("where(x > 0, 1/(x - x), x)", [-1.0, -2.0, -3.0]),
    ("where(x < 0, x, exp(exp(1000*x)))", [-1.0, -2.0, -3.0]),
    ("where(x < 0, x, sin(1e300*x))", [-1.0, -2.0, -3.0]),
    ("where(x != 0, sin(x)/x, 1)", [0.0, 1.0, 2.0]),
    ("where(x < 0, x, 1e400)", [-1.0, -2.0, -3.0]),
    ("Piecewise((x, x < 0), (nan, True))", [-1.0, -2.0, -3.0]),
)


@pytest.mark.parametrize(("text", "column"), UNTAKEN)
def test_a_branch_not_taken_makes_no_sample_invalid(text: str, column: list[float]) -> None:
    samples = Samples.from_columns({"x": column})
    for recheck in (True, False):
        result = inspect(read(text).formula, samples, recheck=recheck)
        assert result.counts.valid == len(column) and result.counts.singular == 0
        assert math.isfinite(result.eic) and math.isfinite(result.eic_finite)
        assert result.counts.rechecked == result.counts.unresolved == 0
        assert result.amplification.out_of_range == 0


def test_a_branch_taken_does() -> None:
    samples = Samples.from_columns({"x": [-1.0, 2.0, 3.0]})
    result = inspect(read("where(x > 2.5, 1, log(x))").formula, samples)
    assert (result.counts.valid, result.counts.invalid) == (2, 1)
    assert {n.text for n in result.nodes if n.invalid} == {"log(x)"}


def test_a_condition_without_value_is_invalid() -> None:
    samples = Samples.from_columns({"x": [-1.0, 2.0]})
    assert inspect(read("where(log(x) > 0, 1, 2)").formula, samples).counts.invalid == 1


def test_an_overflow_in_the_branch_taken_is_followed() -> None:
    samples = Samples.from_columns({"x": [800.0, -1.0]})
    formula = read("where(x > 0, log(exp(x)), x)").formula
    for recheck in (True, False):
        result = inspect(formula, samples, recheck=recheck)
        assert result.counts.valid == 2 and result.amplification.out_of_range == 1
        s2 = 1 + 1 + (1 + 800.0**2) / 800.0**2  # log(exp(x)): 1 + (1 + x²)/x²; the choice: 1 more
        expected = (s2 + 2) / 2
        assert result.nodes[-1].s_bar ** 2 == pytest.approx(expected, rel=1e-9)


# --- properties

finite = st.floats(-50, 50).filter(lambda x: abs(x) > 1e-6)
columns = st.lists(st.tuples(finite, finite), min_size=1, max_size=8)
INNER = ("sin(x) + y", "x*y - 2", "exp(x/10)", "sqrt(abs(x)) - y/3", "log(x)")


def trace(text: str, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    formula = read(text).formula
    return amplify(formula, samples).trace(len(formula) - 1)


def table(pairs: list[tuple[float, float]], scale: float = 1.0) -> Samples:
    x, y = (np.array(column) for column in zip(*pairs, strict=True))
    return Samples.from_columns({"x": x * scale, "y": y * scale})


@given(pairs=columns, inner=st.sampled_from(INNER))
def test_equal_branches_are_that_branch_everywhere(
    pairs: list[tuple[float, float]], inner: str
) -> None:
    samples = table(pairs)
    y, s = trace(inner, samples)
    chosen_y, chosen_s = trace(f"where(x > y, {inner}, {inner})", samples)
    assert np.array_equal(y, chosen_y, equal_nan=True)
    assert np.square(chosen_s) == pytest.approx(1 + np.square(s), rel=1e-9, nan_ok=True)


@given(pairs=columns)
def test_a_choice_by_sign_has_the_amplification_of_abs(pairs: list[tuple[float, float]]) -> None:
    samples = table(pairs)
    y, s = trace("abs(x - y)", samples)
    chosen_y, chosen_s = trace("where(x - y > 0, x - y, y - x)", samples)
    assert np.array_equal(y, chosen_y)
    assert chosen_s == pytest.approx(s, rel=1e-9)


@given(pairs=columns)
def test_the_smaller_of_two_has_the_amplification_of_min(pairs: list[tuple[float, float]]) -> None:
    samples = table(pairs)
    y, s = trace("min(x, y)", samples)
    chosen_y, chosen_s = trace("where(x < y, x, y)", samples)
    assert np.array_equal(y, chosen_y) and np.array_equal(s, chosen_s)


@given(pairs=columns, exponent=st.integers(-20, 20))
def test_units_do_not_matter(pairs: list[tuple[float, float]], exponent: int) -> None:
    text = "where(x > 2*y, x*y + y**2, where(x < y, x**2, y*(x - y)))"
    _, s = trace(text, table(pairs))
    _, other = trace(text, table(pairs, 2.0**exponent))
    assert other == pytest.approx(s, rel=1e-12)


@given(pairs=columns, order=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    pairs: list[tuple[float, float]], order: random.Random
) -> None:
    mixed = list(pairs)
    order.shuffle(mixed)
    formula = read("where(x > y, log(x), x - y)").formula
    first, second = (inspect(formula, table(each)) for each in (pairs, mixed))
    assert [n.evaluated for n in first.nodes] == [n.evaluated for n in second.nodes]
    for a, b in zip(first.nodes, second.nodes, strict=True):
        assert b.s_bar == pytest.approx(a.s_bar, rel=1e-12, nan_ok=True)


# --- the other paths

SEVERAL = ("where(x > 0, log(x), -x)", "x*y - 2", "(x > y)*x", "where(x > 100, x, nan)")


def test_a_population_scores_conditionals_beside_other_formulas() -> None:
    samples = rows(3, 50)
    formulas = [read(text).formula for text in SEVERAL]
    scores = Population(formulas).amplify(samples, keep_values=True)
    for i, formula in enumerate(formulas):
        alone = amplify(formula, samples, recheck=False)
        assert scores.eic[i] == pytest.approx(alone.eic, nan_ok=True)
        assert scores.invalid[i] == len(samples) - alone.valid_count
        assert scores.values is not None
        assert np.array_equal(scores.values[i], values(formula, samples), equal_nan=True)


@pytest.mark.parametrize("text", SEVERAL)
def test_more_rows_than_a_block_holds(text: str) -> None:
    samples = rows(1, 40_000)
    formula = read(text).formula
    found = amplify(formula, samples, edges=True)
    y, s = found.trace(len(formula) - 1)
    valid = ~np.isnan(y)
    assert found.valid_count == np.count_nonzero(valid)
    if valid.any():
        assert found.mean_s2(len(formula) - 1) == pytest.approx(np.mean(np.square(s[valid])))
    for node in formula:
        assert np.count_nonzero(found.evaluated(node.id)) == found.evaluated_count(node.id)


def test_formulas_without_conditions_know_nothing_of_them() -> None:
    found: Amplification = amplify(read("sin(x) - y").formula, rows(0))
    assert not found.chooses and found.evaluated_count(0) == found.valid_count
    engine = native.library()
    if engine is not None:
        assert engine.pack(tape_of(read("where(x > 0, 1, 2)").formula)) is None
        assert engine.pack(tape_of(read("max(x, 0, 1)").formula)) is not None


@pytest.mark.parametrize(
    "text", ["where(x > 0, log(x), 2)", "where(x > 1.5, x**3 - x, sin(x) + y)", "(x > y)*(x - 10)"]
)
def test_shaking_agrees_with_the_recursion(text: str) -> None:
    formula, samples = read(text).formula, rows(5, 40)
    result = inspect(formula, samples)
    shaken = estimate(formula, samples, repeats=4000, seed=1)
    assert shaken.valid == result.counts.valid
    for known, found in zip(result.nodes, shaken.nodes, strict=True):
        if not np.nanmax(np.abs(result.amplification.trace(known.node.id)[0])):
            continue  # relative noise does not show in a 0
        assert found.local_eic == pytest.approx(known.local_eic, abs=0.02), known.text


def test_noise_that_turns_a_condition_is_no_estimate_of_a_slope() -> None:
    """A row within some sigma of the threshold is left out of Algorithm 2, as on any jump."""
    samples = Samples.from_columns({"x": [1.0 + 1e-12, 3.0]})
    found = estimate(read("where(x > 1, 5, 2)").formula, samples, sigma=1e-9, repeats=200)
    assert found.nodes[-1].left_out == 1 and found.limited_by_curvature
    assert found.nodes[-1].local_eic == pytest.approx(0.5 * math.log10(2), abs=0.05)
    calm = estimate(read("where(x > 1, x, x)").formula, samples, sigma=1e-9, repeats=200)
    assert calm.nodes[-1].left_out == 0


def test_noise_that_turns_a_condition_in_every_repeat_is_no_estimate_either() -> None:
    samples = Samples.from_columns({"x": [1.0, 3.0, 7.0]})
    found = estimate(read("where(x == x, 5, 2)").formula, samples, sigma=1e-9, repeats=200)
    assert found.nodes[-1].left_out == 3 and found.limited_by_curvature
    assert math.isnan(found.nodes[-1].local_eic) and math.isnan(found.nodes[-1].low)
