"""The robustness card beside the same numbers computed by hand."""

from __future__ import annotations

import math
import random
import re
from decimal import ROUND_HALF_EVEN, Context

import numpy as np
import pytest
from hypothesis import given, settings

from eic_core.errors import DataError
from eic_core.explain.robustness import (
    outer_rows,
    r2_in_float32,
    r2_of_outer_rows,
    r2_of_rows_left_out,
    r2_with_digits,
    resampled_r2,
    robustness_card,
)
from eic_core.formula.syntax import read
from eic_core.samples import Samples
from tests.core.formula.test_rendering import formulas
from tests.effort import examples


def r2_by_hand(predicted, target) -> float:
    predicted, target = np.asarray(predicted, float), np.asarray(target, float)
    return 1 - float(((target - predicted) ** 2).sum() / ((target - target.mean()) ** 2).sum())


def table(count: int, noise: float = 0.0, seed: int = 1, high: float = 4.0) -> Samples:
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(0.5, high, count), rng.uniform(1, 2, count)
    y = 2.345678 * np.exp(-0.7654321 * x) * z + 0.0123456 * x**2 + noise * rng.normal(size=count)
    return Samples.from_columns({"x": x, "z": z}, target=y)


LAW = "2.345678*exp(-0.7654321*x)*z + 0.0123456*x**2"


def test_single_precision_is_what_numpy_makes_of_float32() -> None:
    samples = table(70)
    x, z = (samples.columns[name].astype(np.float32) for name in "xz")
    a, b, c = np.float32(2.345678), np.float32(-0.7654321), np.float32(0.0123456)
    predicted = a * np.exp(b * x) * z + c * (x * x)
    assert predicted.dtype == np.float32
    assert r2_in_float32(read(LAW).formula, samples) == r2_by_hand(predicted, samples.target)
    big, formula = np.float32(1e9), read("(x + 1000000000) - 1000000000").formula
    expected = r2_by_hand((x + big) - big, samples.target)
    assert r2_in_float32(formula, samples) == pytest.approx(expected, rel=1e-12)


def test_what_leaves_the_range_of_float32_has_no_value_there() -> None:
    samples = Samples.from_columns({"x": [80.0, 90.0]}, target=[1.0, 2.0])
    formula = read("log(exp(x))").formula
    assert math.isnan(r2_in_float32(formula, samples))
    assert r2_with_digits(formula, samples) == r2_by_hand([80, 90], [1, 2])


@pytest.mark.parametrize("digits", [1, 2, 4])
def test_short_constants_are_rounded_as_decimals(digits: int) -> None:
    samples = table(50)
    x, z = samples.columns["x"], samples.columns["z"]
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    a, b, c = (float(context.create_decimal(n)) for n in re.findall(r"\d+\.\d+", LAW))
    expected = r2_by_hand(a * np.exp(-b * x) * z + c * x**2, samples.target)
    assert r2_with_digits(read(LAW).formula, samples, digits) == pytest.approx(expected, abs=1e-13)


def test_fractions_exponents_and_pi_are_not_shortened() -> None:
    samples = table(20)
    formula = read("Rational(12345, 67891)*x**2 + pi*z").formula
    predicted = 12345 / 67891 * samples.columns["x"] ** 2 + math.pi * samples.columns["z"]
    expected = r2_by_hand(predicted, samples.target)
    assert r2_with_digits(formula, samples, 1) == pytest.approx(expected, rel=1e-12)


def test_a_resampled_interval_is_that_of_draws_by_another_generator() -> None:
    samples = table(40, noise=0.2)
    x, z = samples.columns["x"], samples.columns["z"]
    predicted = 2.3 * np.exp(-0.8 * x) * z
    card = robustness_card(read("2.3*exp(-0.8*x)*z").formula, samples)
    draw, ours, rows = random.Random(7), [], range(40)
    for _ in range(4000):
        chosen = draw.choices(rows, k=40)
        ours.append(r2_by_hand(predicted[chosen], samples.target[chosen]))
    for share, end in ((0.025, card.resampled_low), (0.975, card.resampled_high)):
        below = np.mean(np.array(ours) < end)
        assert abs(below - share) < 4 * math.sqrt(0.025 * 0.975 * (1 / 1000 + 1 / 4000))


def test_draws_of_one_row_alone_have_no_r2() -> None:
    found = resampled_r2(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert 0.4 < np.isnan(found).mean() < 0.6 and np.nanmax(found) == np.nanmin(found) == 0.5


def test_left_out_one_by_one_a_line_misses_by_what_the_hat_matrix_says() -> None:
    x, y = np.array([0.0, 1.0, 2.5, 3.0, 7.0]), np.array([1.0, 2.9, 6.2, 6.8, 15.5])
    design = np.column_stack([x, np.ones(5)])
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    missed = (y - hat @ y) / (1 - np.diag(hat))
    expected = 1 - float(missed @ missed) / float(((y - y.mean()) ** 2).sum())
    samples = Samples.from_columns({"x": x}, target=y)
    formula = read("2.1*x + 0.9").formula
    assert r2_of_rows_left_out(formula, samples) == pytest.approx(expected, rel=1e-9)


def test_a_formula_without_constants_is_no_worse_on_rows_left_out() -> None:
    samples = table(33, noise=0.3)
    expected = r2_by_hand(samples.columns["x"] / samples.columns["z"], samples.target)
    assert r2_of_rows_left_out(read("x/z").formula, samples) == pytest.approx(expected, rel=1e-12)


def test_outer_rows_are_predicted_by_what_fits_the_inner_ones() -> None:
    x = np.linspace(-2, 3, 30) ** 3
    y = np.tanh(x) + 0.1 * x
    order = np.argsort(x)
    ends = [order[0], order[-1], order[1]] if x[0] > x[-1] else [*order[:2], *order[-2:]]
    inner = np.setdiff1d(np.arange(30), ends)
    line = np.polyfit(x[inner], y[inner], 1)
    samples = Samples.from_columns({"x": x}, target=y)
    r2, rows = r2_of_outer_rows(read("0.5*x + 0.1").formula, samples)
    assert rows == len(ends) == 4
    assert r2 == pytest.approx(r2_by_hand(np.polyval(line, x[ends]), y[ends]), rel=1e-9)


def test_outer_rows_are_at_the_ends_of_either_input_and_do_not_hang_on_the_order() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=200), rng.exponential(size=200) ** 3
    outer = outer_rows({"x": x, "z": z})
    assert 20 <= outer.sum() <= 21
    for column in (x, z):
        assert outer[[column.argmin(), column.argmax()]].all()
    assert np.median(np.abs(x[outer])) > np.median(np.abs(x[~outer]))
    shuffled = rng.permutation(200)
    assert (outer_rows({"z": z[shuffled], "x": x[shuffled]}) == outer[shuffled]).all()
    assert (outer_rows({"x": np.exp(x), "z": -z}) == outer).all()


def test_inputs_of_two_values_have_no_outer_rows() -> None:
    samples = Samples.from_columns({"x": [0.0, 1.0] * 10}, target=range(20))
    card = robustness_card(read("x").formula, samples)
    assert math.isnan(card.outer) and card.outer_count == 0


def test_a_held_out_table_is_predicted_by_the_formula_as_it_is() -> None:
    samples, other = table(40), table(25, noise=0.1, seed=2, high=5.0)
    x, z = other.columns["x"], other.columns["z"]
    card = robustness_card(read("2.3*exp(-0.8*x)*z").formula, samples, holdout=other)
    predicted = 2.3 * np.exp(-0.8 * x) * z
    assert card.holdout == pytest.approx(r2_by_hand(predicted, other.target), rel=1e-12)
    beyond = np.zeros(25, dtype=bool)
    for name, column in (("x", x), ("z", z)):
        beyond |= (column < min(samples.columns[name])) | (column > max(samples.columns[name]))
    assert card.holdout_rows == 25 and card.outside_rows == beyond.sum() > 1
    outside = r2_by_hand(predicted[beyond], other.target[beyond])
    assert card.outside == pytest.approx(outside, rel=1e-12)


def test_a_formula_that_cancels_breaks_and_the_same_function_without_does_not() -> None:
    samples = table(60)
    good = robustness_card(read(LAW).formula, samples)
    poor = robustness_card(read(f"{LAW} + 123456.7*x - 123456.7*x").formula, samples)
    long = f"{LAW} + 4321.64*(x + 1) - 4321.64*x - 4321.44 - 0.2"
    shifted = robustness_card(read(long).formula, samples)
    assert min(good.r2, poor.r2, shifted.r2) > 0.99999
    assert good.few_digits > 0.9999 and good.float32 > 0.9999999
    assert poor.float32 < 0.9999 < poor.few_digits
    assert shifted.few_digits < 0 and shifted.float32 > 0.99999


def test_too_many_constants_are_found_out_by_rows_left_out() -> None:
    rng = np.random.default_rng(3)
    x = np.linspace(-1, 1, 14)
    y = x + 0.4 * rng.normal(size=14)
    samples = Samples.from_columns({"x": x}, target=y)
    powers = np.polyfit(x, y, 9)
    text = " + ".join(f"({c!r})*x**{9 - i}" for i, c in enumerate(powers.tolist()))
    long, short = (robustness_card(read(t).formula, samples) for t in (text, "1.0*x + 0.1"))
    assert long.r2 > short.r2 and long.left_out < short.left_out and long.outer < short.outer


def test_the_table_has_what_the_card_has() -> None:
    card = robustness_card(read(LAW).formula, table(30), holdout=table(10, seed=4))
    shown = {str(line.name): line.r2 for line in card.lines}
    document = card.to_json()
    numbers = "r2 resampled_low resampled_high few_digits float32 left_out outer holdout outside"
    assert [document[name] for name in numbers.split()] == list(shown.values())
    assert document["formula"] == LAW and document["rows"] == 30


def test_a_card_needs_a_target_and_a_column_for_each_variable() -> None:
    without = Samples.from_columns({"x": [1.0, 2.0]})
    with pytest.raises(DataError, match="needs a target"):
        robustness_card(read("x").formula, without)
    samples = Samples.from_columns({"x": [1.0, 2.0]}, target=[1.0, 2.0])
    with pytest.raises(DataError, match="needs a target"):
        robustness_card(read("x").formula, samples, holdout=without)
    with pytest.raises(DataError, match="no data for `w`"):
        robustness_card(read("w").formula, samples)


@settings(max_examples=examples(100), deadline=None)
@given(formulas)
def test_every_formula_has_a_card(formula) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=12) for name in formula.variables}
    samples = Samples.from_columns(columns, target=rng.normal(size=12))
    card = robustness_card(formula, samples)
    assert all(math.isnan(line.r2) or line.r2 <= 1 for line in card.lines)
    assert card.to_json() == robustness_card(formula, samples).to_json()
