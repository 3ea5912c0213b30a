"""What a result does with a step that keeps no digit, held to many digits and moved inputs.

The truth evaluates the text itself at 50 digits, once as it is and with each input 10^-15 larger or
smaller.
"""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

from eic_core.explain.findings import OutOfRange, RangeCost, Way
from eic_core.explain.verdict import Level, verdict
from eic_core.measure.double_range import double_range
from eic_core.measure.following import following, moves_of
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.findings import causes_of, findings_of, rows_of, steps_of
from tests.inspections import inspect_columns

MP = mpmath.MPContext()
MP.dps = 50
NAMES = {
    "sqrt": MP.sqrt,
    "floor": MP.floor,
    "log": MP.log,
    "exp": MP.exp,
    "abs": abs,
    "sign": MP.sign,
    "where": lambda c, a, b: a if c else b,
}


def value(text, cells):
    return MP.mpf(eval(text, dict(NAMES), cells))  # noqa: S307


def moved(text, columns):
    """By how much of its larger value the result moves at each row."""
    found = []
    for row in zip(*columns.values(), strict=True):
        cells = [MP.mpf(repr(float(cell))) for cell in row]
        y = value(text, dict(zip(columns, cells, strict=True)))
        far = 0.0
        for signs in itertools.product((-1, 1), repeat=len(cells)):
            near = [c * (1 + s * MP.mpf("1e-15")) for c, s in zip(cells, signs, strict=True)]
            other = value(text, dict(zip(columns, near, strict=True)))
            if other != y:
                far = max(far, float(abs(other - y) / max(abs(other), abs(y))))
        found.append(far)
    return np.array(found)


X = {"x": [1, 2, 3, 4], "a": [1, 2, 2.5, 3], "y": [1, 2, 3, 1], "b": [1, 2, 2, 3]}
CASES = [
    ("sqrt((x-a)**2 + (y-b)**2)", X),
    ("(x-a)**2 + (y-b)**2", X),
    ("(x-a)*(y-b) + (x-a)**2", X),
    ("(x-a)**4 + 1e-3*(y-b)**2 + 0*x", X),
    ("(x-a)**2 - (y-b)**2*(x-a)", X),
    ("log(x)**2 + y", {"x": [1, 2, 1], "y": [0, 0, 3]}),
    ("where(floor(x) > 2, x, -x)", {"x": [1.5, 2.25, 3, 3.5, 4]}),
    ("where(floor(x) >= 2.5, x, -x)", {"x": [1, 2.5, 3, 3.5, 4]}),
    ("where(where(x > 1, 2, 0) > 1, x, -x)", {"x": [1, 2, 3]}),
    ("floor(1.5*floor(x))", {"x": [1.5, 2.5, 3, 3.5, 4]}),
    ("100 + (x - 3)", {"x": [3, 4, 5]}),
    ("10 + (x - a)**2", X),
    ("exp(x - a)", X),
    ("1/(1 + (x - a)**2)", X),
    ("where(x > 1, x, 2*x - 1)", {"x": [1, 2, 3]}),
]
"""The last five follow nothing."""


@pytest.mark.parametrize(("text", "columns"), CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_samples_at_which_the_result_keeps_no_digit_are_told(text, columns):
    inspection = inspect_columns(text, **columns)
    lost = set(np.flatnonzero(moved(text, columns) > 0.1).tolist())
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    first_order = set(np.flatnonzero(np.isinf(s)).tolist())
    found = set(following(inspection).rows.tolist())
    assert not found & first_order
    assert found <= lost <= found | first_order
    assert set(rows_of(inspection, Outcome.FOLLOWS)) == found
    assert sum(f.rows or 0 for f in findings_of(inspection, Outcome.FOLLOWS)) == len(found)
    if found:
        followed = {inspection.nodes[k].text for k in moves_of(inspection).by_step}
        assert steps_of(inspection, Outcome.FOLLOWS) <= followed
        share = sorted(outcomes(inspection).digits)[math.ceil(0.9 * len(s)) - 1]
        assert (verdict(inspection).level is Level.VERY_SENSITIVE) == (share > 2)
        result = outcomes(inspection).digits[[*found]]
        assert (result > math.log10(0.1 * 2**53)).all()  # no more than a digit is left


JUMPS = [
    ("1000000 + floor(x)", {"x": [1, 2, 3, 3.5, 2.5]}),
    ("floor(x*10)/10", {"x": [4.4, 1.6, 4.45]}),
    ("floor(x)", {"x": [1000, 7, 3.5]}),
    ("where(x > 2, x, x + 0.001)", {"x": [2, 3, 1]}),
    ("where(x > 2, x, -x)", {"x": [2, 3, 1]}),
    ("sign(x - 1)", {"x": [2, 1, 0.5]}),
    ("where(x - y > 0, x - y, 0)", {"x": [3, 2, 1], "y": [1, 2, 3]}),
    ("5 + sign(x - 1)", {"x": [2, 1, 0.5]}),
    ("x*0.001 + floor(y)", {"x": [1, 2, 3, 4e6, 5e20], "y": [1, 2, 3, 4, 5]}),
    ("x + sign(y - 1)", {"x": [1e3, 1e5, 1e18, 7], "y": [1, 1, 1, 2]}),
    ("where(x > 2, 50, x**3.7)", {"x": [0.5, 1, 2, 3]}),  # doubles miss 2**3.7 by a rounding
    ("where(x > 9.5, 50, exp(x))", {"x": [4.75, 9.5, 10.5]}),
    ("where(x > 2, 13, x**3.7)", {"x": [0.5, 1, 2, 3]}),
    ("floor(1e14*x)/1e14", {"x": [1.25, 1.5, 1.1]}),
    ("1 - exp(-2*floor(x/24))", {"x": [24 * k for k in range(2, 31)]}),
]


@pytest.mark.parametrize(("text", "columns"), JUMPS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_jump_is_said_to_cost_as_many_digits_as_it_does(text, columns):
    """Of 16 digits, as the value on the other side of the jump agrees in few of them or many."""
    inspection, far = inspect_columns(text, **columns), moved(text, columns)
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    at = np.isinf(s)
    jumps = rows_of(inspection, Outcome.DECIDED)
    # a jump by no more than ten roundings drowns among them
    clearly, at_most = (np.flatnonzero(at & (far < 0.1) & (far > k * 2.0**-53)) for k in (25, 10))
    assert {*clearly.tolist()} <= {*jumps} <= {*at_most.tolist()}
    assert rows_of(inspection, Outcome.NO_DIGIT) == np.flatnonzero(at & (far >= 0.1)).tolist()
    result = outcomes(inspection)
    ends = {Reason.JUMP, Reason.FIRST_ORDER, *([Reason.ZERO] if "x - y > 0" in text else ())}
    assert set(result.reasons[at].tolist()) <= ends
    with np.errstate(divide="ignore"):
        costs = np.minimum(np.log10(far[jumps] * 2**53), DOUBLE_DIGITS)
    assert result.digits[jumps] == pytest.approx(costs, abs=0.1)
    worst = [f.digits.worst for f in findings_of(inspection, Outcome.DECIDED)]
    assert max(worst, default=0) == pytest.approx(max(costs, default=0), abs=0.1)


RANGE = [
    # formula, row, what doubles hold of the exact values, by hand: normal, fewer digits, none
    ("x*y*z", {"x": [1e-200], "y": [1e-200], "z": [1e90]}, (0, 1, 0)),  # -310
    ("1/(x*y)", {"x": [1e200], "y": [1e110]}, (0, 1, 0)),  # 1e-310
    ("1/(x*y)", {"x": [1e200], "y": [1e150]}, (0, 0, 1)),  # 1e-350
    ("x*y*z", {"x": [1e-200], "y": [1e-200], "z": [1e99]}, (1, 0, 0)),  # 1e-301
    ("x*y*z", {"x": [1e-200] * 3, "y": [1e-200] * 3, "z": [1e90, 1e99, 1e10]}, (1, 1, 1)),
]


@pytest.mark.parametrize(("text", "columns", "held"), RANGE)
def test_what_a_double_holds_with_fewer_digits_is_in_range(text, columns, held):
    (cause,) = causes_of(inspect_columns(text, **columns), OutOfRange)
    assert (cause.in_range, cause.fewer, cause.beyond) == held


WAYS = [
    # what underflows, or overflows, without harm stands beside what does harm
    ("sqrt(x*x + y*y) + 1/(1 + exp(z))", 2e-162, 3e-162, 800, Way.UNDERFLOW),
    ("sqrt(x*x + y*y)*(1 + 1/exp(z))", 2e-162, 3e-162, 800, Way.UNDERFLOW),
    ("atan(x*y/1e308/100) + exp(-z)", 1e160, 1e150, 800, Way.OVERFLOW),
    ("atan(x*y/1e308/100)", 1e160, 1e150, 1, Way.OVERFLOW),
    ("sqrt(x*x + y*y)", 2e-162, 3e-162, 1, Way.UNDERFLOW),
]


@pytest.mark.parametrize(("text", "x", "y", "z", "way"), WAYS)
def test_what_costs_digits_is_an_overflow_or_an_underflow(text, x, y, z, way):
    columns = {"x": [x, 1.0], "y": [y, 1.0], "z": [z, 1.0]}
    inspection = inspect_columns(text, **columns)
    assert double_range(inspection).worn.rows.tolist() == [0]
    assert rows_of(inspection, Outcome.RANGE_LOSS) == [0]
    leading = verdict(inspection).leading
    assert leading is not None and isinstance(leading.cause, RangeCost)
    assert leading.cause.way is way


def test_a_branch_without_a_value_at_its_threshold_is_no_fault() -> None:
    found = inspect_columns("where(x > 1, log(x - 1), 0)", x=[1.0, 2.0, 3.0])
    assert found.counts.valid == 3
    # at 1 the branch taken is 0, and beside it the logarithm has no bound
    assert outcomes(found).kinds.tolist()[0] == Outcome.NO_DIGIT
