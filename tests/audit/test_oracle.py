"""The oracle of the sentences, and the product, held to numbers taken by hand with mpmath."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.losses import correlated_eic
from eic_core.formula.syntax import read
from eic_core.measure import Domain, sample_domains
from eic_core.samples import Samples
from tests.audit.oracle import Truth

TEXT = "sqrt(floor(x))*asinh(log(sin(7.389) + y/y))"


def value(x, y):
    """The same by hand."""
    return mp.sqrt(mp.floor(x)) * mp.asinh(mp.log(mp.sin(mpf("7.389")) + y / y))


def drawn_on_jumps() -> Samples:
    """A double of 10^200 is a whole number: each row stands on a jump."""
    wide = Domain("loguniform", 1e200, 1e300)
    return sample_domains({"x": wide, "y": wide}, count=60, seed=187790)


def test_a_jump_of_a_large_number_is_amplified_without_a_bound():
    samples, formula = drawn_on_jumps(), read(TEXT).formula
    with mp.workdps(1000):
        for x, y in zip(samples.columns["x"], samples.columns["y"], strict=True):
            result, step = value(mpf(float(x)), mpf(float(y))), mpf(10) ** -600
            beside = value(mpf(float(x)) * (1 - step), mpf(float(y)))
            assert abs(beside / result - 1) / step > mpf(10) ** 200
    found, truth = correlated_eic(formula, samples), Truth(formula, samples)
    assert found.q_eic == found.root_eic == math.inf and found.singular == 60
    assert np.all(np.isinf(truth.q2)) and np.all(np.isinf(truth.own2))


def test_between_two_jumps_shared_noise_is_finite():
    """No noise of `x` arrives; that of `y` cancels in `y/y`, which has one of its own."""
    formula = read(TEXT).formula
    samples = Samples.from_columns({"x": [1e10 + 0.5], "y": [1e250]})
    with mp.workdps(40):
        c = mpf("7.389")
        sine, inner = mp.sin(c), mp.log(mp.sin(c) + 1)
        of_log = inner / mp.sqrt(1 + inner**2) / mp.asinh(inner)
        of_sum = of_log / inner
        of_sine, of_ratio = of_sum * sine / (sine + 1), of_sum / (sine + 1)
        of_constant = of_sine * c * mp.cos(c) / sine
        # floor; sqrt, asinh, their product; log; sum; sine; ratio; 7.389
        gains = [mpf(1) / 2, 1, 1, 1, of_log, of_sum, of_sine, of_ratio, of_constant]
        exact = float(mp.log10(mp.fsum(g * g for g in gains)) / 2)
    assert exact == pytest.approx(0.5570, abs=5e-5)
    assert correlated_eic(formula, samples).q_eic == pytest.approx(exact, rel=1e-12)
    assert 0.5 * math.log10(Truth(formula, samples).q2[0]) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "arrives"),
    [
        ("sqrt(floor(x))", 1e250, True),
        ("sqrt(floor(x))", 1e80, True),
        ("log(floor(x))", 1e250, True),
        ("1+1/floor(x)", 1e250, True),
        ("atan(floor(x))", 1e250, True),
        ("exp(-floor(x))", 1e3, True),
        ("2+sqrt(floor(x)-3)", 3.0, True),
        ("abs(floor(x)-3)+1", 3.0, True),
        ("cos(floor(x)-3)", 3.0, False),
        ("2+(floor(x)-3)**3", 3.0, False),
        ("2+abs(floor(x)-3)**1.5", 3.0, False),
    ],
)
def test_a_jump_arrives_where_the_slope_is_not_zero_however_small(text, x, arrives):
    formula, samples = read(text).formula, Samples.from_columns({"x": [x]})
    truth, found = Truth(formula, samples), correlated_eic(formula, samples)
    losses = (truth.s2[-1, 0], truth.q2[0], found.root_eic, found.q_eic)
    assert [math.isinf(loss) for loss in losses] == [arrives] * 4


@pytest.mark.parametrize("large", [1e200, 1e250, 1e300])
def test_a_function_of_a_large_number_that_stands_twice_jumps_where_its_floor_does(large):
    """Beside 10^200 even a step of 10^-83 passes over all jumps, as if there were a slope."""
    samples = Samples.from_columns({"x": [1000.25], "y": [large]})
    x, y, step = mpf("1000.25"), mpf(large), mpf(10) ** -600
    with mp.workdps(1500):

        def moved(by):
            z = y * (1 + by)
            return mp.floor(z) + mpf("1.001") / z - x**2 * (x - z)

        assert abs(moved(-step) / moved(0) - 1) / step > mpf(10) ** 200
    formula = read("floor(y) + 1.001/y - x**2*(x - y)").formula
    assert own_conditioning(formula, samples).own == math.inf
    assert np.isinf(Truth(formula, samples).own2).all()


def test_a_large_number_without_a_jump_is_conditioned_as_its_derivative_says():
    samples = Samples.from_columns({"x": [1000.5], "y": [1e250]})
    formula = read("floor(x) + 1/y - x**2*(x - y)").formula
    with mp.workdps(600):
        x, y = mpf("1000.5"), mpf(1e250)
        f = mp.floor(x) + 1 / y - x**2 * (x - y)
        by_x, by_y = x * (-2 * x * (x - y) - x**2) / f, y * (-1 / y**2 + x**2) / f
        exact = float(mp.log10(1 + by_x**2 + by_y**2) / 2)
    assert own_conditioning(formula, samples).own == pytest.approx(exact, rel=1e-9)
