"""Constants fitted anew, beside SciPy's least squares, on few rows and on many."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure.refitting import MATRIX, constants_of, refitted
from eic_core.samples import Samples


@pytest.mark.parametrize("rows", [12, 300, 5000])
def test_constants_are_those_of_least_squares_for_any_number_of_rows(rows: int) -> None:
    rng = np.random.default_rng(5)
    x, z = rng.uniform(0, 3, rows), rng.uniform(1, 2, rows)
    y = 2.4 * np.exp(-1.6 * x) + 0.7 * z**2 - 0.3 * np.sin(1.1 * z) + 0.05 * rng.normal(size=rows)
    samples = Samples.from_columns({"x": x, "z": z}, target=y)
    found = refitted(read("2*exp(-1.5*x) + 0.8*z**2 - 0.1*sin(1.1*z)").formula, samples, steps=200)
    assert (5 * rows > MATRIX) == (rows == 5000)

    def missed(c) -> np.ndarray:
        return c[0] * np.exp(c[1] * x) + c[2] * z**2 - c[3] * np.sin(c[4] * z) - y

    best = least_squares(missed, [2, -1.5, 0.8, 0.1, 1.1], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    ours = float(np.sum(np.square(missed(constants_of(found)))))
    assert ours == pytest.approx(2 * best.cost, rel=1e-6)
    slope = constants_of(refitted(read("3*x").formula, samples))
    assert slope == pytest.approx([x @ y / (x @ x)])


def test_what_is_no_decimal_number_stays_as_it_is() -> None:
    x = np.linspace(1, 2, 50)
    samples = Samples.from_columns({"x": x}, target=5 * np.pi * x**2 / 3 + 7)
    found = refitted(read("2*pi*x**2*Rational(1, 3) + e**x*0 + 1").formula, samples)
    assert "*pi*x**2*Rational(1, 3)" in to_python(found)
    assert constants_of(found) == pytest.approx([5, 0, 7], abs=1e-9)
