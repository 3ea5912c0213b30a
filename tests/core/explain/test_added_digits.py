"""The digits that a writing adds, row by row, beside their mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.explain.correlated import correlated_trace
from eic_core.explain.writing import writing_loss
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.measured import quantiles_of


def split(text: str, **columns):
    return writing_loss(inspect(read(text).formula, Samples.from_columns(columns)))


def test_rows_that_are_alike_add_what_the_mean_adds():
    added = split("10000*x - 9999*x", x=[1.0, 2.0, 4.0])
    assert added.added.typical == pytest.approx(added.loss)
    assert added.added.worst == pytest.approx(added.loss)


def test_the_digits_of_each_row_are_q_over_the_functions_own():
    x = np.geomspace(1.0, 1e8, 400)
    result = split("sqrt(x + 1) - sqrt(x)", x=x)
    # x f'/f of the function itself, at most one half in size
    own2 = 1 + np.square(0.5 * np.sqrt(x / (x + 1)))
    q = correlated_trace(read("sqrt(x + 1) - sqrt(x)").formula, Samples.from_columns({"x": x}))
    digits = np.log10(q) - 0.5 * np.log10(own2)
    expected = quantiles_of(digits)
    assert result.added.typical == pytest.approx(expected.typical, abs=1e-6)
    assert result.added.nine_in_ten == pytest.approx(expected.nine_in_ten, abs=1e-6)
    assert result.added.worst == pytest.approx(expected.worst, abs=1e-6)


@pytest.mark.parametrize("text", ["sqrt(x + 1) - sqrt(x)", "x*x - x*x*(1 - 1/x)", "(x - 1)**2"])
def test_the_mean_lies_between_the_least_and_the_most_that_a_row_adds(text):
    x = np.linspace(2.0, 900.0, 60)
    result = split(text, x=x)
    by_row = [split(text, x=[value]).loss for value in x.tolist()]
    assert min(by_row) - 1e-9 <= result.loss <= max(by_row) + 1e-9
    assert result.added.worst == pytest.approx(max(by_row), abs=1e-6)
    assert result.added.typical == pytest.approx(quantiles_of(np.array(by_row)).typical, abs=1e-6)


def test_a_row_at_which_the_writing_alone_keeps_no_digit_adds_infinitely_many():
    added = split("(x + 1e35) - 1e35", x=[1.0, 2.0]).added
    assert added.worst == math.inf


def test_rows_at_which_the_function_itself_keeps_no_digit_add_none():
    added = split("x - 1", x=[1.0, 2.0]).added
    assert added.worst == pytest.approx(split("x - 1", x=[2.0]).loss, abs=1e-9)


def test_without_values_nothing_is_added():
    assert math.isnan(split("log(x)", x=[-1.0]).added.worst)
