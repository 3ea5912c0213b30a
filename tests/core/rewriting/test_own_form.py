"""A form that the user proposes is equal or not, and its numbers are those that repairs have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.rewriting import compare_own_form
from eic_core.samples import Samples
from tests.repairs import repaired_on

X = Samples.from_columns({"x": np.geomspace(1.0, 1e8, 60)})
ROOTS = read("sqrt(x+1) - sqrt(x)").formula


def test_a_form_that_repair_finds_has_the_same_numbers_when_it_is_proposed() -> None:
    best = repaired_on(ROOTS.source, X).best
    found = compare_own_form(ROOTS, read(best.text).formula, X)
    assert (found.after.q, found.after.eic) == (best.after.q, best.after.eic)
    assert found.after.float32 == best.after.float32 and found.after.float64 == best.after.float64
    assert (found.before.q, found.before.eic) == (best.before.q, best.before.eic)
    assert found.after.eic == inspect(read(best.text).formula, X).eic
    assert found.verification.digits >= 60
    assert "equal to the formula: the same to 30 digits at 60 rows" in str(found.sentence)


def test_a_form_that_is_nearly_equal_is_told_from_the_formula_at_its_first_row() -> None:
    found = compare_own_form(ROOTS, read("0.5/sqrt(x + 0.5)").formula, X)
    assert found.verification is None and found.before is None
    difference = found.difference
    assert difference.row == 0
    assert float(difference.before) == pytest.approx(math.sqrt(2) - 1, rel=1e-15)
    assert float(difference.after) == pytest.approx(0.5 / math.sqrt(1.5), rel=1e-15)
    assert "not equal to the formula: at row 1 (`x = 1.0`)" in str(found.sentence)
    assert difference.before in str(found.sentence) and difference.after in str(found.sentence)


def test_a_form_that_differs_at_a_single_row_differs() -> None:
    samples = Samples.from_columns({"x": [-2.0, 3.0, 5.0]})
    difference = compare_own_form(read("abs(x)").formula, read("x").formula, samples).difference
    assert (difference.row, difference.before, difference.after) == (0, "2.0", "-2.0")


def test_a_form_without_a_value_where_the_formula_has_one_is_not_equal() -> None:
    samples = Samples.from_columns({"x": [4.0, 0.0, 5.0]})
    found = compare_own_form(read("x").formula, read("x**2/x").formula, samples)
    assert found.difference.row == 1
    assert str(found.sentence).endswith("yours gives no value.")


def test_equality_is_told_beyond_the_digits_of_a_double() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0]})
    other = read("x + 1e-25").formula
    assert compare_own_form(read("x").formula, other, samples).verification is None


def test_a_form_with_a_condition_is_compared_by_the_branch_that_each_row_takes() -> None:
    """The branch that no row takes need not have a value there."""
    samples = Samples.from_columns(
        {"x": np.concatenate([-np.geomspace(1, 1e8, 30), X.columns["x"]])}
    )
    formula = read("sqrt(x**2 + 1) - x").formula
    good = "where(x > 0, 1/(sqrt(x**2 + 1) + x), sqrt(x**2 + 1) - x)"
    found = compare_own_form(formula, read(good).formula, samples)
    assert found.is_equal and not found.is_near and found.before and found.after
    assert found.before.loss.worst > 12 and found.after.loss.worst < 1
    root = compare_own_form(
        formula,
        read(f"where(x < 0, {formula.source}, sqrt(x)**2*0 + {formula.source})").formula,
        samples,
    )
    assert root.is_equal
    wrong = "where(x > 5, 1/(sqrt(x**2 + 1) + x), sqrt(x**2 + 2) - x)"
    other = compare_own_form(formula, read(wrong).formula, samples)
    assert not other.is_equal and other.difference is not None and other.difference.row == 0


def test_an_approximation_is_named_with_its_largest_difference_and_its_row() -> None:
    samples = Samples.from_columns({"x": np.geomspace(1e-6, 1e-2, 40)})
    formula = read("sin(x) - x").formula
    series = read("x**3*(-1/6 + x**2*(1/120 - x**2/5040))").formula
    found = compare_own_form(formula, series, samples)
    assert not found.is_equal and found.is_near
    assert found.difference.row == 39
    # the first term left out, x**9/362880, against x**3/6
    assert found.distance == pytest.approx(1e-2**6 * 6 / 362880, rel=1e-3)
    assert found.after is not None and found.after.loss.worst < 1
    text = str(found.sentence)
    assert "an approximation of the formula, not equal to it" in text
    assert "1.7·10⁻¹⁷" in text and found.difference.before in text
    assert found.difference.before[:17] == found.difference.after[:17]
    assert found.difference.before != found.difference.after
    rough = compare_own_form(formula, read("-x**3/6").formula, samples)
    assert not rough.is_near and rough.after is None


def test_a_form_that_is_not_zero_where_the_formula_is_approximates_nothing() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0]})
    found = compare_own_form(read("x - 1").formula, read("x - 1 + 1e-20").formula, samples)
    assert not found.is_near and found.difference is not None


@pytest.mark.parametrize(
    ("formula", "text", "message"),
    [
        ("sqrt(x+1) - sqrt(x)", "x + y", "variable `y`"),
        ("where(x > 1, x, 2)", "x", "the formula has conditions"),
    ],
)
def test_what_cannot_be_compared_is_refused(formula: str, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        compare_own_form(read(formula).formula, read(text).formula, X)
