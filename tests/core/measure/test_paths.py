"""The native engine, the reference and the passes over single nodes say the same."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from eic_core.engine.native.library import (
    DOUBT,
    EDGES,
    HIGH,
    INVALID,
    LOW,
    PRECISION,
    SHORTEST,
    SIGNS,
    library,
    pack,
)
from eic_core.engine.reference import evaluate_block
from eic_core.engine.tape import lay_out
from eic_core.engine.walked import RANGE, SUSPECT
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, amplify
from tests.core.measure import oracle
from tests.core.measure.agreement import disagreements, samples_of
from tests.core.measure.trees import NUMERIC
from tests.effort import cases, dear

# Where each operator is smooth and has no zero; (0.2, 0.9) serves most.
RANGES = {"acosh": (1.3, 4.0), "cos": (0.2, 1.2), "sec": (0.2, 1.2), "log": (1.3, 3.0)}


def applied(name: str, *children: Draft, parameter: Fraction | None = None) -> Draft:
    default = {"power": Fraction(5, 2), "root": Fraction(3)}.get(name)
    return Draft(name, list(children), parameter=parameter or default)


def clean_columns(name: str, rows: int) -> dict[str, np.ndarray]:
    low, high = RANGES.get(name, (0.2, 0.9))
    rng = np.random.default_rng(0)
    return {v: rng.uniform(low, high, rows) for v in "xyz"}


NATIVE = sorted(set(NUMERIC) - {"remainder", "fma"})  # NumPy has no functions of those
ULPS = {"erfcx": 4, "gamma": 16, "lgamma": 16}
"""How far values lie apart of what Python and the C library compute each in its own way."""
SAME = sorted(set(NATIVE) - set(ULPS))


def both(
    formula: Formula,
    columns: dict[str, np.ndarray],
    *,
    clean: bool = True,
    shortest: bool = True,
    ulps: int = 0,
) -> None:
    """Compare what the native engine and the NumPy reference say of the same samples."""
    tape = lay_out(formula)
    samples = Samples.from_columns(columns)
    rows = len(samples)
    assert library() is not None, "the tests need the native engine: make sets it up"
    packed = pack(tape)
    assert packed is not None
    y, s2 = np.empty((len(tape), rows)), np.empty((len(tape), rows))
    terms = np.empty((sum(map(len, tape.operands)), rows))
    kept = [(range(len(each)), each) for each in (y, s2, terms)]
    found = packed.run(
        samples.addresses,
        rows,
        mode=EDGES | SIGNS | shortest * SHORTEST,
        skip=INVALID,
        out=INVALID,
        keep_y=kept[0],
        keep_s2=kept[1],
        keep_terms=kept[2],
    )
    block = evaluate_block(tape, dict(samples.columns), rows, shortest=shortest)
    status = np.zeros(rows, dtype=np.uint8) if found.status is None else found.status
    dead = np.full(rows, -1) if found.dead is None else np.where(status & INVALID, found.dead, -1)
    # Beyond double range both leave the sample to others, and need not agree on what follows.
    beyond = (status & (HIGH | LOW)) != 0
    real, out_of_range = block.dead < 0, (block.status & RANGE) != 0
    suspect = (block.status & SUSPECT) != 0
    assert np.array_equal(beyond[real], out_of_range[real])
    inside = ~beyond & ~out_of_range
    assert np.array_equal(dead[inside], block.dead[inside])
    if clean:
        assert not status.any() and not suspect.any()
    alive = real & inside
    assert np.array_equal(((status & PRECISION) != 0)[alive], suspect[alive])
    settled = alive & ~suspect
    assert np.array_equal(
        ((status & DOUBT) != 0) & settled, ((block.status & DOUBT) != 0) & settled
    )
    operand = 0
    for step in tape.steps:
        mine, reference = y[step.slot][settled], block.y[step.slot][settled]
        assert np.all(np.abs(mine - reference) <= ulps * np.spacing(np.abs(reference)))
        ours, theirs = s2[step.slot][settled], block.s2[step.slot][settled]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        for term in block.terms[tape.edges[step.slot]]:
            np.testing.assert_allclose(terms[operand][settled], term[settled], 1e-11, 1e-12)
            operand += 1
    if clean:
        assert found.sums == pytest.approx([s.sum() for s in block.s2], rel=1e-12)
        assert found.edge_sums == pytest.approx(block.terms.sum(axis=1).tolist(), rel=1e-11)


@pytest.mark.parametrize("name", NATIVE)
def test_native_engine_equals_the_reference_for_the_operator(name: str) -> None:
    columns = clean_columns(name, 300)
    variables = [variable(v) for v in "xyz"]
    arity, ulps = NUMERIC[name].arity or 3, ULPS.get(name, 0)
    both(Formula.from_draft(applied(name, *variables[:arity])), columns, ulps=ulps)
    # noisy operands: s^2 an array, and then a number
    noisy = [applied("mul", v, applied("exp", v)) for v in variables[:arity]]
    scaled = {k: v / 3 if name not in RANGES else v for k, v in columns.items()}
    if name != "acosh" and name not in ("cos", "sec", "log"):
        both(Formula.from_draft(applied(name, *noisy)), scaled, ulps=ulps)
    flat = [applied("neg", applied("neg", v)) for v in variables[:arity]]
    both(Formula.from_draft(applied(name, *flat)), columns, ulps=ulps)
    if arity > 1:
        both(Formula.from_draft(applied(name, *noisy[:1], *flat[1:arity])), scaled)
        both(Formula.from_draft(applied(name, *flat[:1], *noisy[1:arity])), scaled)
        both(Formula.from_draft(applied(name, constant("0.7"), *variables[1:arity])), columns)
        both(
            Formula.from_draft(applied(name, variables[0], *[constant("0.7")] * (arity - 1))),
            columns,
        )


def test_large_formula_with_shared_and_constant_parts_is_the_same_in_both() -> None:
    text = (
        "exp(sin(x)*y) + sin(x)/(2 + y**2)*exp(sin(x)*y) - 3.5*max(x, y, 0.1*x)"
        " + atan2(y, x)**1.5 + log(2 + cos(x*y), 10)"
    )
    both(read(text).formula, clean_columns("", 500))


FORMULAS = (
    "log(x) + y",
    "1/(x-y)",
    "exp(x-y)",
    "x*y - y*x",
    "sqrt(x)*y + max(x, y)",
    "sin(x*y)/x",
    "(x-1)**2 + floor(y)",
    "exp(800*x)/exp(799*x)",
    "x**y - y**x",
    "2*pi + log(3)",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_blocks_do_not_show_in_the_result(text: str) -> None:
    """A few special samples at the seams: the whole equals one sample at a time."""
    formula = read(text).formula
    full = 512  # samples of a chunk
    for rows in (full - 1, full, full + 1, 2 * full + 1):
        rng = np.random.default_rng(rows)
        x, y = rng.uniform(1.1, 2, rows), rng.uniform(0.3, 0.9, rows)
        special = {0: (1.0, 1.0), 7: (0.0, 0.5), full - 2: (1.0, 2.0), rows - 1: (-1.0, 3.0)}
        for row, (a, b) in special.items():
            x[row], y[row] = a, b
        whole = amplify(formula, Samples.from_columns({"x": x, "y": y}), recheck=False, edges=True)
        plain = np.setdiff1d(np.arange(rows), list(special))
        parts = [
            amplify(
                formula,
                Samples.from_columns({"x": x[plain], "y": y[plain]}),
                recheck=False,
                edges=True,
            )
        ]
        parts += [
            amplify(formula, Samples.from_columns({"x": [a], "y": [b]}), recheck=False, edges=True)
            for a, b in special.values()
        ]
        assert whole.valid_count == sum(p.valid_count for p in parts)
        for k in range(len(formula)):
            assert whole.singular[k] == sum(p.singular[k] for p in parts)
            assert whole.finite_sum[k] == pytest.approx(sum(p.finite_sum[k] for p in parts))
            assert whole.first_invalid.get(k, 0) == sum(p.first_invalid.get(k, 0) for p in parts)


@pytest.mark.parametrize("text", FORMULAS)
def test_trace_of_a_node_holds_the_samples_behind_its_mean(text: str) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.uniform(0.5, 2, 500), rng.uniform(0.5, 2, 500)
    x[3], y[3], x[400], x[401] = 1.0, 1.0, 0.0, -1.0
    formula = read(text).formula
    result = amplify(formula, Samples.from_columns({"x": x, "y": y}))
    for node in formula.nodes:
        value, s = result.trace(node.id)
        assert np.array_equal(np.isnan(s), ~result.valid)
        assert np.array_equal(np.isnan(value), ~result.valid)
        assert np.count_nonzero(np.isinf(s)) == result.singular[node.id]
        finite = s[np.isfinite(s)] ** 2
        assert result.finite_sum[node.id] == pytest.approx(finite.sum(), rel=1e-9)


@pytest.mark.parametrize("text", [t for t in FORMULAS if t != "2*pi + log(3)"])
def test_edges_and_own_rounding_make_up_the_whole(text: str) -> None:
    rng = np.random.default_rng(6)
    x, y = rng.uniform(0.5, 2, 300), rng.uniform(0.5, 2, 300)
    x[3], y[3], x[200] = 1.0, 1.0, 0.0
    formula = read(text).formula
    result = amplify(formula, Samples.from_columns({"x": x, "y": y}), edges=True)
    for node in formula.nodes:
        if node.children and not math.isnan(sum(result.edge_sums[node.id])):
            own = result.valid_count - result.singular[node.id]
            parts = own + sum(result.edge_sums[node.id])
            assert parts == pytest.approx(result.finite_sum[node.id], rel=1e-9)


def test_equal_subtrees_share_a_slot_and_the_result() -> None:
    formula = read("sin(x)*sin(x) + exp(sin(x))/max(sin(x), y)").formula
    columns = clean_columns("", 200)
    shared, own = lay_out(formula), lay_out(formula, share=False)
    assert len(shared.steps) < len(own.steps) == len(formula)
    a, b = evaluate_block(shared, columns, 200), evaluate_block(own, columns, 200)
    for node in formula.nodes:
        left, right = a.s2[shared.slots[node.id]], b.s2[own.slots[node.id]]
        assert np.array_equal(left, right)


EXACT_CELLS = ("0", "1", "-1", "2", "-2", "0.5", "-0.5", "3", "4", "0.25")
EXACT_OPERATORS = (
    "add sub mul div neg abs power sqrt min max sign floor ceil round hypot pow exp sin tanh expm1 "
    "log1p atan sinh atan2 cosh cos acos log"
).split()


def exact_tree(rng: random.Random, depth: int) -> Draft:
    """Few levels over numbers whose sums and products are exact in double precision."""
    if depth <= 1 or rng.random() < 0.1:
        if rng.random() < 0.3:
            return constant(rng.choice(EXACT_CELLS))
        return variable(rng.choice("xy"))
    name = rng.choice(EXACT_OPERATORS if depth > 2 else EXACT_OPERATORS[:14])
    arity = NUMERIC[name].arity or rng.choice((2, 3))
    parameter = rng.choice((Fraction(2), Fraction(3))) if name == "power" else None
    children = [exact_tree(rng, depth - 1) for _ in range(arity)]
    if arity == 2 and rng.random() < 0.2:
        children[1] = children[0]
    return Draft(name, children, parameter=parameter)


def hangs_on_a_rounding(formula: Formula, samples: Samples) -> bool:
    """Whether double precision alone cannot be expected to meet every zero and jump."""
    tape = lay_out(formula)
    block = evaluate_block(tape, dict(samples.columns), len(samples))
    inexact = {s.slot for s in tape.steps if s.row is not None and s.row.name not in EXACT_NAMES}
    for step in tape.steps:  # what an inexact value feeds is inexact, too
        if inexact & set(step.operands):
            inexact.add(step.slot)
    near_zero = any((np.abs(block.y[slot]) < 1e-9).any() for slot in inexact)
    return near_zero or bool((block.status & (DOUBT | HIGH)).any())


EXACT_NAMES = set("add sub mul neg abs power min max sign floor ceil round".split())


def test_double_precision_alone_follows_the_same_rules() -> None:
    """`score` and the samples after the first thousand have no second look."""
    compared = singular = 0
    count = cases(150, 900)
    for seed in range(count):
        rng = random.Random(seed)
        formula = Formula.from_draft(exact_tree(rng, rng.choice((2, 3, 4))))
        table = {name: [rng.choice(EXACT_CELLS) for _ in range(4)] for name in "xy"}
        if hangs_on_a_rounding(formula, samples_of(table)):
            continue
        try:
            wrong, expected, _ = disagreements(formula, table, recheck=False)
        except oracle.BeyondReach:
            continue
        assert not wrong, (seed, wrong)
        compared += 1
        singular += any(expected.singular)
    assert compared > count // 2 and singular > count // 8


NASTY_CELLS = (
    0.0,
    1.0,
    -1.0,
    2.0,
    -0.5,
    0.5,
    3.0,
    0.1,
    0.3,
    710.0,
    -745.0,
    1e-300,
    1e300,
    1e160,
    -1e-170,
    5e-324,
    1e9,
    1.5707963267948966,
)


def nasty_tree(rng: random.Random, depth: int) -> Draft:
    """Any operator over leaves that meet zeros, jumps, ties, poles and both ends of the range."""
    if depth <= 1 or rng.random() < 0.1:
        if rng.random() < 0.25:
            return constant(rng.choice(("0", "1", "-2", "0.1", "pi", "1e400", "1e-310", "3")))
        return variable(rng.choice("xy"))
    name = rng.choice(SAME)
    arity = NUMERIC[name].arity or rng.choice((2, 3))
    parameter = None
    if name == "power":
        parameter = rng.choice([Fraction(p) for p in ("2", "3", "-1", "0.5", "-1.5", "0", "1")])
    elif name == "root":
        parameter = Fraction(rng.choice((3, 4, 5)))
    elif name == "log" and rng.random() < 0.3:
        parameter = Fraction(rng.choice((2, 10, 7)))
    children = [nasty_tree(rng, depth - 1) for _ in range(arity)]
    if arity == 2 and rng.random() < 0.2:
        children[1] = children[0]
    return Draft(name, children, parameter=parameter)


@pytest.mark.parametrize("name", sorted(ULPS))
def test_native_engine_equals_the_reference_but_for_last_bits_at_poles(name: str) -> None:
    columns = {"x": np.array([*NASTY_CELLS, *np.arange(-3.0, 4.0), -0.5, 170.5, 171.7])}
    both(Formula.from_draft(applied(name, variable("x"))), columns, clean=False, ulps=ULPS[name])


@dear(4)
@pytest.mark.parametrize("seed", range(40))
def test_native_engine_equals_the_reference_at_zeros_ties_poles_and_the_ends_of_range(
    seed: int,
) -> None:
    rng = random.Random(seed)
    pairs = [(x, y) for x in NASTY_CELLS for y in NASTY_CELLS]
    for _ in range(25):
        formula = Formula.from_draft(nasty_tree(rng, rng.choice((2, 3, 4, 5))))
        drawn = rng.sample(pairs, 200) * 3
        columns = {name: np.array([pair[i] for pair in drawn]) for i, name in enumerate("xy")}
        both(formula, columns, clean=False, shortest=bool(rng.getrandbits(1)))
