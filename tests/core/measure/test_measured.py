"""The measured loss against mpmath, by code that knows nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.measured import MeasuredLoss, measured_loss, measured_rows, quantiles_of

ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24}
MOST = {"float64": 15.95, "float32": 7.2}

Columns = dict[str, np.ndarray]


def spread(seed: int, low: float, high: float, count: int = 1000) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, count)


NEAR = spread(3, 1.0, 2.0)
CASES: dict[str, tuple[str, Columns, Callable[..., Any], Callable[..., Any]]] = {
    "a root near its zero": (
        "sqrt(1-x)",
        {"x": spread(1, 0.9999, 1.0)},
        lambda x: mpmath.sqrt(1 - x),
        lambda x: np.sqrt(1 - x),
    ),
    "roots that cancel": (
        "sqrt(x+1) - sqrt(x)",
        {"x": spread(2, 1e8, 2e8)},
        lambda x: mpmath.sqrt(x + 1) - mpmath.sqrt(x),
        lambda x: np.sqrt(x + 1) - np.sqrt(x),
    ),
    "a sum before the difference": (
        "x + y - z",
        {"x": NEAR, "y": spread(4, 1e-9, 1e-8), "z": NEAR * (1 + 1e-12)},
        lambda x, y, z: x + y - z,
        lambda x, y, z: x + y - z,
    ),
    "an exponential less 1": (
        "exp(x) - 1",
        {"x": 10 ** spread(5, -9, -3)},
        lambda x: mpmath.exp(x) - 1,
        lambda x: np.exp(x) - 1,
    ),
}


def independent(name: str, kind: str, rows: np.ndarray) -> np.ndarray:
    """Digits lost at some rows: of numpy in this type, against 60 digits of mpmath."""
    _, columns, exact, numeric = CASES[name]
    number = np.dtype(kind).type
    lost = []
    for row in rows:
        cells = [number(column[row]) for column in columns.values()]
        with mpmath.workdps(60):
            truth = exact(*[mpmath.mpf(float(cell)) for cell in cells])
            error = abs((mpmath.mpf(float(numeric(*cells))) - truth) / truth)
            digits = float(mpmath.log10(error / ROUNDOFF[kind])) if error else 0.0
        lost.append(min(max(0.0, digits), MOST[kind]))
    return np.array(lost)


def measure(name: str, kind: str = "float64") -> MeasuredLoss:
    text, columns, _, _ = CASES[name]
    return measured_loss(inspect(read(text).formula, Samples.from_columns(columns)), kind)


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_each_row_loses_what_mpmath_says(name: str, kind: str) -> None:
    loss = measure(name, kind)
    assert loss.rows == len(loss.positions) == 200 and loss.of == 1000
    compared = ~np.isnan(loss.lost)
    assert loss.lost[compared] == pytest.approx(
        independent(name, kind, loss.positions)[compared], abs=1e-6
    )


@pytest.mark.parametrize("name", CASES)
def test_the_quantiles_of_some_rows_are_those_of_all(name: str) -> None:
    every = np.sort(independent(name, "float64", np.arange(1000)))
    loss = measure(name)
    low, high = every[[449, 549]]
    assert low - 0.05 <= loss.typical <= high + 0.05
    low, high = every[[869, 929]]
    assert low - 0.05 <= loss.nine_in_ten <= high + 0.05
    assert every[-1] - 0.5 <= loss.worst <= every[-1] + 1e-6


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("a root near its zero", 0.0, 0.1),
        ("roots that cancel", 7.5, 8.7),
        ("a sum before the difference", 7.0, 9.0),
        ("an exponential less 1", 4.0, 7.0),
    ],
)
def test_a_program_loses_what_the_case_is_known_for(name: str, least: float, most: float) -> None:
    assert least <= measure(name).typical <= most


def test_a_decimal_counts_as_the_double_that_the_program_gets() -> None:
    samples = Samples.from_columns({"x": [0.9999999, 0.1, 0.3]})
    assert measured_loss(inspect(read("1 - x").formula, samples)).lost.tolist() == [0.0, 0.0, 0.0]


def test_rows_without_a_value_and_beyond_range_are_left_out() -> None:
    samples = Samples.from_columns({"x": [-1.0, 0.25, 4.0, 1e300]})
    loss = measured_loss(inspect(read("sqrt(x)*x**2").formula, samples))
    assert loss.positions.tolist() == [1, 2, 3] and loss.of == 3
    assert loss.rows == 2 and math.isnan(loss.lost[2])
    nothing = measured_loss(inspect(read("log(-x**2 - 1)").formula, samples))
    assert (nothing.rows, nothing.of) == (0, 0) and math.isnan(nothing.worst)
    assert nothing.to_json() == {
        "kind": "float64",
        "rows": 0,
        "of": 0,
        "typical": "nan",
        "nine_in_ten": "nan",
        "worst": "nan",
    }


def test_no_value_in_a_program_loses_every_digit() -> None:
    samples = Samples.from_columns({"x": [1.0, 800.0]})
    loss = measured_loss(inspect(read("exp(x)/(1 + exp(x))").formula, samples))
    assert loss.lost[0] < 1 and loss.lost[1] == MOST["float64"]


@pytest.mark.parametrize("count", [1, 19, 200, 201, 777, 10_000])
def test_each_row_stands_for_a_group_and_the_largest_is_there(count: int) -> None:
    s = np.random.default_rng(count).pareto(1.0, count)
    s[count // 2 :] = np.inf if count > 500 else 1.0
    worst = np.random.default_rng(count).permutation(count)
    places, weights = measured_rows(s, 200, worst)
    assert len(places) == min(count, 200) == len(set(places.tolist()))
    assert np.all(np.diff(places) > 0) and weights.sum() == count and weights.min() >= 1
    assert s[places].max() == s.max() and set(worst[:20]) <= set(places.tolist())


def test_the_interval_of_the_quantile_holds_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(34)
    draws = [quantiles_of(rng.exponential(size=300)) for _ in range(400)]
    held = sum(q.low <= math.log(10) <= q.high for q in draws)  # 90 % of an exponential
    assert 0.92 * len(draws) <= held <= 0.985 * len(draws)


def test_weights_count_as_rows() -> None:
    digits, weights = np.array([5.0, 1.0, 3.0, np.nan]), np.array([1, 5, 4, 9])
    weighted = quantiles_of(digits, weights)
    repeated = quantiles_of(np.repeat(digits, weights))
    assert (weighted.typical, weighted.nine_in_ten, weighted.worst) == (1.0, 3.0, 5.0)
    assert (repeated.typical, repeated.nine_in_ten, repeated.worst) == (1.0, 3.0, 5.0)


def test_the_mean_is_of_the_rows_that_the_measured_ones_stand_for() -> None:
    digits, weights = np.array([5.0, 1.0, 3.0, np.nan]), np.array([1.0, 5.0, 4.0, 9.0])
    loss = MeasuredLoss("float64", 19, np.arange(4), weights, digits)
    assert loss.mean == pytest.approx(np.mean(np.repeat(digits[:3], [1, 5, 4])))
    empty = MeasuredLoss("float64", 1, np.arange(1), np.ones(1), np.array([np.nan]))
    assert math.isnan(empty.mean)
