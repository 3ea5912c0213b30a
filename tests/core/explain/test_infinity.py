"""Where a result keeps no digit: the step, and what it costs, against both sides of it by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.explain.verdict import Level, verdict
from eic_core.formula.rendering import short_text
from eic_core.measure.following import MOST_WORK, sources_of_infinity
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import Outcome, Reason
from tests.findings import counts, findings_of, rows_of, step_of, steps_of
from tests.inspections import inspect_columns

JUMP = [
    # formula, data, the step that turns, the result before and behind it: exact arithmetic
    ("where(x > 2, 1, x - x) + 1e10", {"x": [1, 2, 3]}, "1 if x > 2 else x − x", 1e10, 1e10 + 1),
    ("where(x >= 2, x - 2, x*x) + 1000", {"x": [1, 2, 3]}, "x − 2 if x ≥ 2 else x·x", 1000, 1004),
    ("where(x < 0, 50 + floor(x), 2)", {"x": [-1, 1, 2]}, "⌊x⌋", 49, 48),
    ("(floor(x) > 2) + 99", {"x": [0.5, 2.2, 1.5]}, "⌊x⌋ > 2", 99, 100),
]


@pytest.mark.parametrize(("text", "columns", "step", "here", "there"), JUMP)
def test_a_jump_is_named_whatever_its_branch_has_lost(text, columns, step, here, there):
    inspection = inspect_columns(text, **columns)
    digits = math.log10(abs(there - here) / here * 2**53)
    (finding,) = findings_of(inspection, Outcome.DECIDED)
    assert step_of(inspection, finding) == step and finding.rows == 1
    result, (row,) = outcomes(inspection), rows_of(inspection, Outcome.DECIDED)
    assert result.reasons[row] == Reason.JUMP
    assert result.digits[row] == finding.digits.worst == pytest.approx(digits, abs=0.06)


SOURCES = [
    # formula, data, (kind, step, rows): by what an error of each step does to the result
    (
        "where(x > 2, 5, log(x - 1)) + 1",
        {"x": [1.5, 2, 3]},
        [(Reason.JUMP, "5 if x > 2 else log(x − 1)", [1])],
    ),
    ("0*floor(x) + log(y)", {"x": [2, 3, 4], "y": [1, 2, 3]}, [(Reason.ZERO, "log(y)", [0])]),
    ("(1 + (x - 2))**ceil(4e45)", {"x": [2, 2]}, [(Reason.ZERO, "(1 + (x − 2))^⌈4e45⌉", [0, 1])]),
    (
        "sqrt(1 - x) + sqrt(1 + x)",
        {"x": [1, 1, -1, 0.5]},
        [(Reason.SLOPE, "√(1 − x)", [0, 1]), (Reason.SLOPE, "√(1 + x)", [2])],
    ),
    (
        "where(x > 2, 3, 1) + sqrt(1 - y)",
        {"x": [2, 2, 1], "y": [1, 0.5, 1]},
        [(Reason.JUMP, "3 if x > 2 else 1", [0, 1]), (Reason.SLOPE, "√(1 − y)", [2])],
    ),
    (
        "where(x < 0, 50 + floor(x), acos(x))",
        {"x": [-1, -2, 1, 0.5]},
        [(Reason.JUMP, "⌊x⌋", [0, 1]), (Reason.ZERO, "acos(x)", [2])],
    ),
    (
        "round(x)*1e-9 + floor(y)",
        {"x": [0.5, 1.5, 3.1], "y": [1.5, 2, 3]},
        [(Reason.JUMP, "⌊y⌋", [1, 2]), (Reason.JUMP, "round(x)", [0])],
    ),
    (
        "where(x - y > 0, x - y, 0)",
        {"x": [3, 2], "y": [1, 2]},
        [(Reason.ZERO, "x − y if x − y > 0 else 0", [1])],
    ),
    ("(floor(x) > 2) + 10", {"x": [0.5, 2, 1.5, 2.2]}, [(Reason.JUMP, "⌊x⌋ > 2", [1, 3])]),
    ("x - x", {"x": [1, 2]}, [(Reason.ZERO, "x − x", [0, 1])]),
]


@pytest.mark.parametrize(("text", "columns", "wanted"), SOURCES)
def test_each_sample_has_the_step_that_moves_the_result_without_bound(text, columns, wanted):
    inspection = inspect_columns(text, **columns)
    sources = sources_of_infinity(inspection)
    found: dict[tuple[int, str], list[int]] = {}
    for row, kind, node in zip(sources.rows, sources.reasons, sources.nodes, strict=True):
        found.setdefault((int(kind), short_text(inspection.formula, int(node))), []).append(
            int(row)
        )
    assert found == {(kind, step): rows for kind, step, rows in wanted}


def test_what_two_steps_do_is_told_of_each():
    jumps = inspect_columns("where(x < 0, 50 + floor(x), acos(x))", x=[-1, -2, 1, 0.5])
    assert counts(jumps) == {Outcome.NO_DIGIT: 1, Outcome.DECIDED: 2, Outcome.FINITE: 1}
    assert steps_of(jumps, Outcome.DECIDED) == {"⌊x⌋"}
    assert steps_of(jumps, Outcome.NO_DIGIT) == {"acos(x)"}
    steep = inspect_columns("sqrt(1-x) + sqrt(1+x)", x=[1, 1, -1, 0.5])
    found = {step_of(steep, f): f.rows for f in findings_of(steep, Outcome.STEEP)}
    assert found == {"√(1 − x)": 2, "√(1 + x)": 1}


def test_many_samples_are_like_those_that_are_alike():
    """More than are looked at one by one."""
    inspection = inspect_columns("(x - x) + 0*x", x=np.linspace(1, 2, 9000))
    sources = sources_of_infinity(inspection)
    assert len({*zip(sources.reasons.tolist(), sources.nodes.tolist(), strict=True)}) == 1
    assert len(sources.rows) == inspection.nodes[-1].singular > MOST_WORK / 7


def test_a_long_sum_of_nothings_is_no_deep_recursion():
    inspection = inspect_columns("+".join(["(x - x)"] * 400), x=[1.0, 2.0])
    assert counts(inspection) == {Outcome.NO_DIGIT: 2}
    assert verdict(inspection).level is Level.VERY_SENSITIVE
