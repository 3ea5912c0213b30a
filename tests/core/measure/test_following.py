"""What a result does with a step that keeps no digit, held to many digits and moved inputs.

The truth evaluates the text itself at 50 digits, once as it is and with each input 10^-15 larger or
smaller.
"""

from __future__ import annotations

import itertools
import math
import re

import mpmath
import numpy as np
import pytest

from eic_core.explain.diagnosis import diagnose
from eic_core.explain.verdict import verdict
from eic_core.measure.double_range import double_range
from eic_core.measure.following import following
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
    said = verdict(inspection)
    assert ("follows" in said.sentence) == bool(found)
    notes = " ".join((*said.notes, *diagnose(inspection).writing.notes))
    if found:
        assert said.level == "infinite"
        assert "The result hides it" not in notes and "keeps all but" not in said.sentence
        if not first_order:
            assert f" at {len(found)} of {len(s)} samples" in said.sentence or len(found) == len(s)


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
    sentence = verdict(inspection).sentence
    costs = re.search(r"costs (?:up to )?(\d+\.\d) digits", sentence)
    assert ("result jumps" in sentence) == (costs is not None) == bool((far[at] < 0.1).any())
    assert costs is not None or f"loses every digit at {at.sum()} of" in sentence
    if costs is not None:
        assert float(costs[1]) == pytest.approx(math.log10(far[at].max() * 2**53), abs=0.1)


RANGE = [
    # formula, row, what a double could hold of the exact value, by hand
    ("x*y*z", {"x": [1e-200], "y": [1e-200], "z": [1e90]}, "in range, with fewer digits"),  # -310
    ("1/(x*y)", {"x": [1e200], "y": [1e110]}, "in range, with fewer digits"),  # 1e-310
    ("1/(x*y)", {"x": [1e200], "y": [1e150]}, "out of range, too"),  # 1e-350
    ("x*y*z", {"x": [1e-200], "y": [1e-200], "z": [1e99]}, "in range."),  # 1e-301
    (
        "x*y*z",
        {"x": [1e-200] * 3, "y": [1e-200] * 3, "z": [1e90, 1e99, 1e10]},
        "in range at 2 of them, with fewer digits at 1 of these.",
    ),
]


@pytest.mark.parametrize(("text", "columns", "said"), RANGE)
def test_what_a_double_holds_with_fewer_digits_is_in_range(text, columns, said):
    assert f"; the exact value is {said}" in verdict(inspect_columns(text, **columns)).sentence


WAYS = [
    # what underflows, or overflows, without harm stands beside what does harm
    ("sqrt(x*x + y*y) + 1/(1 + exp(z))", 2e-162, 3e-162, 800, "Underflow"),
    ("sqrt(x*x + y*y)*(1 + 1/exp(z))", 2e-162, 3e-162, 800, "Underflow"),
    ("atan(x*y/1e308/100) + exp(-z)", 1e160, 1e150, 800, "Overflow"),
    ("atan(x*y/1e308/100)", 1e160, 1e150, 1, "Overflow"),
    ("sqrt(x*x + y*y)", 2e-162, 3e-162, 1, "Underflow"),
]


@pytest.mark.parametrize(("text", "x", "y", "z", "way"), WAYS)
def test_what_costs_digits_is_an_overflow_or_an_underflow(text, x, y, z, way):
    columns = {"x": [x, 1.0], "y": [y, 1.0], "z": [z, 1.0]}
    inspection = inspect_columns(text, **columns)
    assert len(double_range(inspection).worn) == 1
    assert verdict(inspection).sentence.startswith(f"{way} costs")
