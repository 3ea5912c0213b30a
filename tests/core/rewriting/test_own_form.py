"""A form that the user proposes is equal or not, and its numbers are those that repairs have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.rewriting import compare_own_form, repair
from eic_core.samples import Samples

X = Samples.from_columns({"x": np.geomspace(1.0, 1e8, 60)})
ROOTS = read("sqrt(x+1) - sqrt(x)").formula


def test_a_form_that_repair_finds_has_the_same_numbers_when_it_is_proposed() -> None:
    best = repair(ROOTS, X, limit_seconds=math.inf).best
    assert best is not None
    found = compare_own_form(ROOTS, read(best.text).formula, X)
    assert found.before is not None and found.after is not None
    assert (found.after.q, found.after.eic) == (best.after.q, best.after.eic)
    assert found.after.float32 == best.after.float32 and found.after.float64 == best.after.float64
    assert (found.before.q, found.before.eic) == (best.before.q, best.before.eic)
    assert found.after.eic == inspect(read(best.text).formula, X).eic
    assert found.verification is not None and found.verification.digits >= 60
    assert "equal to the formula: the same to 30 digits at 60 rows" in str(found.sentence)


def test_a_form_that_is_nearly_equal_is_told_from_the_formula_at_its_first_row() -> None:
    found = compare_own_form(ROOTS, read("0.5/sqrt(x + 0.5)").formula, X)
    assert found.verification is None and found.before is None
    difference = found.difference
    assert difference is not None and difference.row == 0
    assert float(difference.before) == pytest.approx(math.sqrt(2) - 1, rel=1e-15)
    assert float(difference.after) == pytest.approx(0.5 / math.sqrt(1.5), rel=1e-15)
    assert "not equal to the formula: at row 1 (`x = 1.0`)" in str(found.sentence)
    assert difference.before in str(found.sentence) and difference.after in str(found.sentence)


def test_a_form_that_differs_at_a_single_row_differs() -> None:
    samples = Samples.from_columns({"x": [-2.0, 3.0, 5.0]})
    found = compare_own_form(read("abs(x)").formula, read("x").formula, samples)
    assert found.difference is not None
    assert (found.difference.row, found.difference.before, found.difference.after) == (
        0,
        "2.0",
        "-2.0",
    )


def test_a_form_without_a_value_where_the_formula_has_one_is_not_equal() -> None:
    samples = Samples.from_columns({"x": [4.0, 0.0, 5.0]})
    found = compare_own_form(read("x").formula, read("x**2/x").formula, samples)
    assert found.difference is not None and found.difference.row == 1
    assert str(found.sentence).endswith("yours gives no value.")


def test_equality_is_told_beyond_the_digits_of_a_double() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0]})
    other = read("x + 1e-25").formula
    assert compare_own_form(read("x").formula, other, samples).verification is None


@pytest.mark.parametrize(
    ("text", "message"),
    [("x + y", "variable `y`"), ("where(x > 1, x, 2)", "your form has conditions")],
)
def test_what_cannot_be_compared_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        compare_own_form(ROOTS, read(text).formula, X)
