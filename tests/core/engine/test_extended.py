"""Beyond double range: what `score` says there is what balls say, or nan."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.extended import _decimal, evaluate
from eic_core.engine.native.library import DOUBT
from eic_core.engine.tape import tape_of
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.operators.wide import Wide, add, exponential, logarithm, multiply, power, subtract
from eic_core.samples import Samples
from tests.core.measure.test_paths import NASTY_CELLS, nasty_tree

KNOWN = (  # formula, samples of x, how many of them leave double range
    ("exp(-x**2)", (1, 40, 100), 2),
    ("sqrt(x**2 + x**2)", (1e200, 1e250, 1e300), 3),
    ("log(exp(x))", (1000, -1200, 3), 2),
    ("exp(x)/(1 + exp(x))", (-800, 0.5, 800), 2),
    ("1/(1 + exp(-x))", (-800, 1, 900), 2),
    ("tanh(exp(x))", (800, -800), 2),
    ("sin(exp(-x)) + cos(exp(-x))", (1000, 2), 1),
    ("exp(x) - exp(x - 1)", (1000, 2), 1),
    ("x**200 * x**-200", (1e10, 3), 1),
    ("max(exp(x), exp(2*x))", (1000, 1), 1),
    ("min(exp(-x), exp(-2*x), 3)", (1000, 1), 1),
    ("log(x**300)", (1e5, 2), 1),
    ("1/exp(-x**2)", (40, 1), 1),
    ("cosh(x) - 1", (800, 3), 1),
    ("sinh(x)*expm1(x)", (-800, 900, 2), 2),
    ("x*1e-320", (1, 2), 2),
    ("1e400*x/1e399", (2, 3), 2),
    ("x**x", (200, 3), 1),
    ("erf(exp(-x)) * atan(exp(x))", (800, 1), 1),
    ("hypot(exp(x), exp(x/2))", (900, 1), 1),
)


@pytest.mark.parametrize(("text", "cells", "beyond"), KNOWN)
def test_score_says_what_balls_say_where_the_lost_value_is_not_needed(
    text: str, cells: tuple[float, ...], beyond: int
) -> None:
    formula, samples = read(text).formula, Samples.from_columns({"x": cells})
    quick, exact = amplify(formula, samples, recheck=False), amplify(formula, samples)
    assert quick.out_of_range == exact.out_of_range == beyond
    assert exact.rechecked >= beyond and quick.rechecked == 0
    assert quick.valid_count == exact.valid_count
    assert quick.finite_sum == pytest.approx(exact.finite_sum, rel=1e-9)
    assert quick.eic == pytest.approx(exact.eic, abs=1e-9)


def test_what_needs_a_lost_value_is_nan_and_never_a_smaller_number() -> None:
    samples = Samples.from_columns({"x": [1000.0, 2.0]})
    found = amplify(read("sin(exp(x)) + x").formula, samples, recheck=False)
    assert math.isnan(found.eic) and math.isnan(found.eic_finite)
    assert (found.out_of_range, found.valid_count) == (1, 2)


def test_what_is_beyond_a_million_digits_is_invalid_as_in_balls() -> None:
    formula = read("exp(exp(x))").formula
    samples = Samples.from_columns({"x": [20.0, 3.0]})
    quick, exact = amplify(formula, samples, recheck=False), amplify(formula, samples)
    assert quick.first_invalid == exact.first_invalid == {2: 1}
    assert quick.eic == exact.eic


@pytest.mark.parametrize("text", ("sqrt(-exp(-x))", "log(-exp(x))", "acosh(exp(-x))"))
def test_a_lost_value_outside_the_domain_has_no_real_value(text: str) -> None:
    formula, samples = read(text).formula, Samples.from_columns({"x": [1000.0, 2.0]})
    quick, exact = amplify(formula, samples, recheck=False), amplify(formula, samples)
    assert quick.first_invalid == exact.first_invalid
    assert quick.valid_count == exact.valid_count == 0


def test_random_formulas_at_the_ends_of_range_agree_or_say_that_they_do_not_know() -> None:
    compared = unknown = 0
    for seed in range(1500):
        rng = random.Random(seed)
        formula = Formula.from_draft(nasty_tree(rng, rng.choice((2, 3, 4))))
        columns = {name: np.array([rng.choice(NASTY_CELLS) for _ in range(3)]) for name in "xy"}
        samples = Samples.from_columns(columns)
        quick = amplify(formula, samples, recheck=False)
        if not quick.out_of_range:
            continue
        exact = amplify(formula, samples)
        hangs = (quick.status & DOUBT).any()  # of one beyond range, too
        if hangs or exact.rechecked != exact.out_of_range:
            continue  # some sample hangs on a rounding, which only balls settle
        if quick.eic > 12 or exact.eic > 12:
            continue  # double precision has no digits left there, wherever its range ends
        if math.isnan(quick.eic) and quick.valid_count:
            unknown += 1
            continue
        assert quick.valid_count == exact.valid_count, (seed, to_python(formula))
        if quick.valid_count:
            promised = max(1e-9, 10 ** (exact.eic - 15.5))
            assert quick.eic == pytest.approx(exact.eic, abs=promised), seed
            compared += 1
    assert compared > 100 and unknown < compared


def test_wide_numbers_compute_as_real_numbers_do() -> None:
    x = Wide.of(np.array([1e-200, 3.0, -2.5, 0.0]))
    square = multiply((x, x), 0.0)
    assert square.log2[1:3] == pytest.approx(np.log2([9.0, 6.25]))
    assert float(square.log2[0]) == pytest.approx(-400 * math.log2(10))
    assert subtract((square, square), 0.0).m.tolist() == [0.0] * 4
    assert add((square, square), 0.0).over(square)[:3].tolist() == [2.0] * 3
    assert power((square,), 0.5).doubles == pytest.approx([1e-200, 3.0, 2.5, 0.0], rel=1e-12)
    far = exponential((Wide.of(np.array([1e5])),), 0.0)
    assert logarithm((far,), 1.0).doubles.tolist() == pytest.approx([1e5], rel=1e-14)


def test_edges_beyond_range_make_up_the_whole() -> None:
    tape = tape_of(read("exp(x)/(1 + exp(x)) - x").formula)
    found = evaluate(tape, {"x": np.array([900.0, -900.0])}, 2)
    first = 0
    for slot, operands in enumerate(tape.operands):
        own = sum(found.terms[first : first + len(operands)], np.zeros(2))
        assert (1 + own).tolist() == found.s2[slot].tolist()
        first += len(operands)


@pytest.mark.parametrize(
    "text", ["1e-310", "3.7e-320", "-2.5e-315", "1e300", "7.123456789e400", "1/3"]
)
def test_a_decimal_of_any_size_is_the_nearest_to_half_a_rounding(text):
    """Against exact fractions; 10^-310 by a logarithm is off by 10^-13."""
    found = _decimal(text)
    value = Fraction(float(found.m[0])) * Fraction(2) ** int(found.e[0])
    assert abs(value / Fraction(text) - 1) <= Fraction(1, 2**53)
