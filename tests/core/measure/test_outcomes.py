"""Each row has exactly one outcome: what becomes of it, held to NumPy and to many digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.explain.findings import ErrorKind, Place
from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.measure import Inspection, Samples, inspect
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.audit.draws import grammar_draw, law_draw
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.findings import counts, rows_of, steps_of
from tests.inspections import inspect_columns, settle_at_most

NO_VALUE = (Outcome.NOT_CHECKED, Outcome.NO_REAL_VALUE, Outcome.UNKNOWN)

REASONS = {
    Outcome.NOT_CHECKED: {Reason.LIMIT},
    Outcome.NO_REAL_VALUE: {Reason.DOMAIN},
    Outcome.UNKNOWN: {Reason.INDISTINCT, Reason.UNREDUCED, Reason.LEAVES},
    Outcome.NO_DOUBLE: {
        Reason.OVERFLOW,
        Reason.UNDERFLOW,
        Reason.ROUNDED_TO_ZERO,
        Reason.ROUNDED_OUT,
    },
    Outcome.NO_DIGIT: {Reason.FIRST_ORDER, Reason.ZERO, Reason.JUMP},
    Outcome.FOLLOWS: {Reason.ZERO, Reason.JUMP},
    Outcome.DECIDED: {Reason.ROUNDING, Reason.RANGE, Reason.JUMP},
    Outcome.STEEP: {Reason.SLOPE},
    Outcome.RANGE_LOSS: {Reason.OVERFLOW, Reason.UNDERFLOW},
    Outcome.FINITE: {Reason.FIRST_ORDER},
}


def drawn(kind: str, seed: int) -> Inspection:
    if kind == "special points":
        formula, table = random_case(seed)
        return inspect(formula, samples_of(table))
    draw = law_draw(seed) if kind == "law" else grammar_draw(seed)
    return inspect(draw.formula, draw.samples)


@settings(max_examples=examples(320), deadline=None)
@given(st.sampled_from(["grammar", "grammar", "law", "special points"]), st.integers(0, 10**6))
def test_each_row_has_one_outcome_and_the_findings_of_the_result_count_them(kind, seed):
    inspection = drawn(kind, seed)
    result, count = outcomes(inspection), len(inspection.samples)
    for array in (result.kinds, result.nodes, result.reasons, result.digits):
        assert array.shape == (count,) and not array.flags.writeable
    assert sum(result.count(kind) for kind in Outcome) == count
    for outcome, reason in {*zip(result.kinds.tolist(), result.reasons.tolist(), strict=True)}:
        assert Reason(reason) in REASONS[Outcome(outcome)]
    without = np.isin(result.kinds, NO_VALUE)
    assert (np.isnan(result.digits) == without).all() and (result.real == ~without).all()
    known = result.digits[~without]
    assert ((known >= 0) & (known <= DOUBLE_DIGITS)).all()
    lost = np.isin(result.kinds, (Outcome.NO_DOUBLE, Outcome.NO_DIGIT, Outcome.STEEP))
    assert (result.digits[lost] == DOUBLE_DIGITS).all()
    inner = inspection.amplification.evaluated
    for node in np.unique(result.nodes).tolist():
        there = (result.nodes == node) & ~without & (result.kinds != Outcome.NO_DOUBLE)
        assert inner(node)[there].all()  # a branch that is not taken has no say
    judged = verdict(inspection)
    groups = dict.fromkeys(Outcome, 0)
    for finding in judged.findings:
        assert finding.of == count
        if finding.rows is None:
            assert finding.noise is ErrorKind.ROUNDING
            continue
        assert 0 < finding.rows <= count
        if finding.place is Place.RESULT:
            groups[finding.outcome] += finding.rows
    for outcome in (*NO_VALUE, Outcome.NO_DOUBLE, Outcome.STEEP, Outcome.RANGE_LOSS):
        assert groups[outcome] == result.count(outcome)


@settings(max_examples=examples(160), deadline=None)
@given(st.sampled_from(["grammar", "law", "special points"]), st.integers(0, 10**6))
def test_every_row_with_an_outcome_of_its_own_is_in_a_finding(kind, seed):
    """A second cause of first order says more of the same rows."""
    inspection = drawn(kind, seed)
    result = outcomes(inspection)
    for outcome in (Outcome.NO_DIGIT, Outcome.FOLLOWS, Outcome.DECIDED):
        by_cause = [
            finding.rows
            for finding in verdict(inspection).findings
            if finding.outcome is outcome
            and finding.place is Place.RESULT
            and finding.noise is ErrorKind.INDEPENDENT
        ]
        assert len(result.rows(outcome)) <= sum(by_cause) <= 2 * len(result.rows(outcome))


ONE_OF_EACH = [
    # formula, rows, what becomes of each by hand, the step, the reason
    ("log(x)", {"x": [-1, 0, 2]}, ["NO_REAL_VALUE"] * 2 + ["FINITE"], "log(x)", "DOMAIN"),
    ("1/(1 - tanh(x))", {"x": [1e6, 1]}, ["UNKNOWN", "FINITE"], "1/(1 − tanh(x))", "INDISTINCT"),
    ("sin(exp(x))", {"x": [7e3, 1]}, ["UNKNOWN", "FINITE"], "sin(exp(x))", "UNREDUCED"),
    ("mod(1, exp(-x))", {"x": [1e4, 1]}, ["UNKNOWN", "FINITE"], "mod(1, exp(−x))", "UNREDUCED"),
    ("mod(1, x - 5)", {"x": [5, 1]}, ["NO_REAL_VALUE", "FINITE"], "mod(1, x − 5)", "DOMAIN"),
    ("1 + exp(-exp(x))", {"x": [40, 1]}, ["UNKNOWN", "FINITE"], "exp(−exp(x))", "LEAVES"),
    ("exp(x)", {"x": [710, 700]}, ["NO_DOUBLE", "FINITE"], "exp(x)", "OVERFLOW"),
    ("exp(x)", {"x": [1e7, 700]}, ["NO_DOUBLE", "FINITE"], "exp(x)", "OVERFLOW"),  # 10^(4 10^6)
    ("exp(x)", {"x": [-746, -700]}, ["NO_DOUBLE", "FINITE"], "exp(x)", "UNDERFLOW"),
    ("mod(exp(-x), 3)", {"x": [800, 1]}, ["NO_DOUBLE", "FINITE"], "exp(−x)", "UNDERFLOW"),
    ("fmod(0.5**x, 1e250)", {"x": [5e4, 1]}, ["NO_DOUBLE", "FINITE"], "0.5^x", "UNDERFLOW"),
    ("1/(1-cos(x))", {"x": [1e-9, 1]}, ["NO_DOUBLE", "FINITE"], "1 − cos(x)", "ROUNDED_TO_ZERO"),
    (
        "sqrt(x-y-z)",
        {"x": [0.3, 1], "y": [0.1, 0.2], "z": [0.2, 0.1]},
        ["NO_DOUBLE", "FINITE"],
        "x − y − z",
        "ROUNDED_OUT",
    ),
    ("x - 1", {"x": [1, 2]}, ["NO_DIGIT", "FINITE"], "x − 1", "ZERO"),
    ("floor(x)", {"x": [1, 1.5]}, ["NO_DIGIT", "FINITE"], "⌊x⌋", "JUMP"),
    ("mod(lgamma(x), 100)", {"x": [2, 3]}, ["NO_DIGIT", "FINITE"], "lgamma(x)", "JUMP"),
    (
        "remainder(0.1*x, 0.2)",  # half a divisor is left, which no ball shows
        {"x": [3, 3.5]},
        ["NO_DIGIT", "FINITE"],
        "remainder(0.1·x, 0.2)",
        "JUMP",
    ),
    ("sin(x)", {"x": [1e18, 1]}, ["NO_DIGIT", "FINITE"], "sin(x)", "FIRST_ORDER"),
    (
        "sqrt((x-1)**2 + (y-5)**2)",
        {"x": [1, 2], "y": [5, 4]},
        ["FOLLOWS", "FINITE"],
        "x − 1",
        "ZERO",
    ),
    ("100 + floor(x)", {"x": [1, 1.5]}, ["DECIDED", "FINITE"], "⌊x⌋", "JUMP"),
    (
        "1e6 + remainder(0.1*x, 0.2)",
        {"x": [3, 3.5]},
        ["DECIDED", "FINITE"],
        "remainder(0.1·x, 0.2)",
        "JUMP",
    ),
    (
        "3 + sign((x + 1e16) - 1e16 - 2)",
        {"x": [2.3, 7]},
        ["DECIDED", "FINITE"],
        "sign(x + 1e16 − 1e16 − 2)",
        "ROUNDING",
    ),
    ("where(x**2 > 0, 1, 2)", {"x": [1e-200, 1]}, ["DECIDED", "FINITE"], "x² > 0", "RANGE"),
    ("1 + sqrt(x - 1)", {"x": [1, 2]}, ["STEEP", "FINITE"], "√(x − 1)", "SLOPE"),
    ("sqrt(x*x)", {"x": [2e-162, 1]}, ["RANGE_LOSS", "FINITE"], "x·x", "UNDERFLOW"),
    ("atan(x*y/1e308)", {"x": [1e160, 1], "y": [1e149, 1]}, ["RANGE_LOSS", "FINITE"], "x·y", None),
]


@pytest.mark.parametrize(("text", "columns", "kinds", "step", "reason"), ONE_OF_EACH)
def test_what_becomes_of_a_row_with_its_step_and_reason(text, columns, kinds, step, reason):
    inspection = inspect_columns(text, **columns)
    result = outcomes(inspection)
    assert [Outcome(kind).name for kind in result.kinds.tolist()] == kinds
    assert steps_of(inspection, Outcome[kinds[0]]) == {step}
    assert Reason(int(result.reasons[0])).name == (reason or "OVERFLOW")
    assert result.nodes[-1] == inspection.formula.root.id
    assert result.digits[-1] < DOUBLE_DIGITS


PRECEDENCE = [
    # formula, row, the outcomes that are true of it, of which the first counts
    ("log(x) + exp(y) - y", {"x": -1, "y": 800}, "NO_REAL_VALUE"),  # exp(800) overflows, too
    ("(x - 1)*sqrt(y)", {"x": 1, "y": -1}, "NO_REAL_VALUE"),  # and 0 there
    ("(x - 1)*sin(exp(y))", {"x": 1, "y": 7e3}, "UNKNOWN"),
    ("exp(y)*floor(x)", {"x": 2, "y": 800}, "NO_DOUBLE"),  # and on a jump
    ("(x - 1) + floor(y)*0", {"x": 1, "y": 2}, "NO_DIGIT"),
    ("sqrt(x - 1)*floor(y)", {"x": 1, "y": 2}, "NO_DIGIT"),  # a zero of a root, and a jump
    ("50 + floor(y) + sqrt(x - 1)", {"x": 1, "y": 2}, "DECIDED"),  # and steep
    ("sin(1e17*x) + floor(x)", {"x": 3}, "NO_DIGIT"),
]


@pytest.mark.parametrize(("text", "row", "first"), PRECEDENCE)
def test_of_several_outcomes_the_first_counts(text, row, first):
    assert counts(inspect_columns(text, **{k: [v] for k, v in row.items()})) == {Outcome[first]: 1}


def test_the_order_of_precedence():
    names = "NOT_CHECKED NO_REAL_VALUE UNKNOWN NO_DOUBLE NO_DIGIT FOLLOWS DECIDED STEEP RANGE_LOSS"
    assert [kind.name for kind in sorted(Outcome)] == [*names.split(), "FINITE"]


def test_rows_that_the_exact_check_did_not_reach_come_before_all(monkeypatch):
    settle_at_most(monkeypatch, 1_000, "log(exp(x))")
    inspection = inspect_columns("log(exp(x))", x=np.linspace(990, 1000, 2_500))
    assert counts(inspection) == {Outcome.NOT_CHECKED: 1_500, Outcome.NO_DOUBLE: 1_000}
    assert rows_of(inspection, Outcome.NOT_CHECKED) == [*range(1_000, 2_500)]


FIRST_ORDER = [
    # formula, range, s^2 from its derivatives by hand
    ("sqrt(1-x)", (0.9999, 0.99999), lambda x: 1 + (1 + (1 + x**2) / (1 - x) ** 2) / 4),
    ("x**50", (1, 2), lambda x: 1 + 2500 + 0 * x),
    ("1/(x-1)", (0.5, 0.95), lambda x: 3 + (1 + x**2) / (x - 1) ** 2),
    ("tan(x)", (0.1, 1.5), lambda x: 1 + (2 * x / np.sin(2 * x)) ** 2),
    ("sin(3*x)", (0.1, 6), lambda x: 1 + 3 * (3 * x / np.tan(3 * x)) ** 2),
    ("sin(1e17*x)", (0.5, 10), None),
]


@pytest.mark.parametrize(("text", "ends", "s2"), FIRST_ORDER)
def test_digits_of_first_order_are_log10_of_s_and_at_most_those_of_a_double(text, ends, s2):
    x = np.linspace(*ends, 41)
    if s2 is None:
        with mpmath.workdps(60):
            angles = [mpmath.mpf(repr(float(v))) * 10**17 for v in x]
            s2_at = [float(1 + 3 * (a * mpmath.cot(a)) ** 2) for a in angles]
    else:
        s2_at = s2(x)
    expected = np.minimum(0.5 * np.log10(s2_at), DOUBLE_DIGITS)
    result = outcomes(inspect_columns(text, x=x))
    assert result.digits == pytest.approx(expected, abs=1e-6)
    drowned = np.flatnonzero(expected == DOUBLE_DIGITS)
    assert result.rows(Outcome.NO_DIGIT).tolist() == drowned.tolist()
    assert result.count(Outcome.FINITE) == len(x) - len(drowned)


JUMPS = [
    # formula, row on a jump, the result at it and on its other side, by hand
    ("1000000 + floor(x)", 2.0, 1000002, 1000001),
    ("where(x > 2, x, x + 0.001)", 2.0, 2.001, 2.0),
    ("5 + sign(x - 1)*1e-9", 1.0, 5.0, 5 + 1e-9),
    ("where(x > 2, 1, x - x) + 1e10", 2.0, 1e10, 1e10 + 1),
]


@pytest.mark.parametrize(("text", "x", "here", "there"), JUMPS)
def test_a_jump_costs_as_many_digits_as_the_result_moves(text, x, here, there):
    inspection = inspect_columns(text, x=[x, 7.5])
    assert rows_of(inspection, Outcome.DECIDED) == [0]
    digits = outcomes(inspection).digits[0]
    assert digits == pytest.approx(math.log10(abs(there - here) / abs(here) * 2**53), abs=0.1)


def test_a_guard_at_its_point_leaves_the_digits_that_the_limit_has():
    """(x**2 - 1)/(x - 1) is x + 1: at 1 the guard gives its limit 2."""
    x = np.linspace(0, 2, 21)
    assert counts(inspect_columns("where(x == 1, 2, (x**2-1)/(x-1))", x=x)) == {Outcome.FINITE: 21}
    for wrong in ("2.5", "3", "1.999"):  # a guard that gives another value is a jump
        jumps = inspect_columns(f"where(x == 1, {wrong}, (x**2-1)/(x-1))", x=x)
        assert rows_of(jumps, Outcome.NO_DIGIT, Outcome.DECIDED) == [10]


def test_what_a_branch_that_is_not_taken_does_has_no_say():
    x = np.linspace(-1000, 1000, 401)
    columns = {"x": x}
    sigmoid = inspect_columns("where(x >= 0, 1/(1+exp(-x)), exp(x)/(1+exp(x)))", **columns)
    with np.errstate(all="ignore"):
        program = np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))
    assert rows_of(sigmoid, Outcome.NO_DOUBLE) == np.flatnonzero(program == 0).tolist()
    result = outcomes(sigmoid)
    lost = result.rows(Outcome.NO_DOUBLE, Outcome.RANGE_LOSS)
    third = sigmoid.formula.root.children[2]
    below = range(sigmoid.formula.first[third], third + 1)
    assert set(result.nodes[lost].tolist()) <= set(below)
    assert set(result.reasons[lost].tolist()) == {Reason.UNDERFLOW}
    both = inspect_columns("where(x > 2, 1/x, exp(400*x))", x=np.linspace(0, 4, 401))
    with np.errstate(over="ignore"):
        inf = np.isinf(np.exp(400 * np.linspace(0, 4, 401))) & (np.linspace(0, 4, 401) <= 2)
    assert rows_of(both, Outcome.NO_DOUBLE) == np.flatnonzero(inf).tolist()
    assert steps_of(both, Outcome.NO_DOUBLE) == {"exp(400·x)"}


def test_copies_and_row_numbers_do_not_matter():
    samples = Samples.from_columns({"x": [1.0, 1.0, 800.0, -1.0, 2.0, 2.0]})
    result = outcomes(inspect(read("log(x) + exp(x)").formula, samples))
    assert result.kinds[0] == result.kinds[1] and result.kinds[4] == result.kinds[5]
    again = outcomes(inspect(read("log(x) + exp(x)").formula, samples.take(np.arange(6)[::-1])))
    assert again.kinds[::-1].tolist() == result.kinds.tolist()
    assert again.digits[::-1] == pytest.approx(result.digits, nan_ok=True)
