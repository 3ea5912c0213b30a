"""Constants: fitted to the optimum, and printed as short as their fit allows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from eic_core.engine.values import values
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure.fit import r_squared
from eic_core.measure.refitting import constants_of, refitted, with_constants
from eic_core.samples import Samples
from eic_core.search.fitting import Fitted, Individual, fitted_formula
from eic_core.search.keeping import best_of, finish, polish, shorten_constants


def decaying(noise: float) -> Samples:
    rng = np.random.default_rng(7)
    x = rng.uniform(0, 3, 120)
    y = 2.37 * np.exp(-1.62 * x) + 0.45 + noise * rng.normal(size=120)
    return Samples.from_columns({"x": x}, target=y)


def test_constants_are_fitted_as_scipy_fits_them() -> None:
    at = decaying(0.02)
    found = constants_of(refitted(read("1*exp(-1*x) + 0.1").formula, at))
    x, y = at.columns["x"], at.target
    best = least_squares(lambda c: c[0] * np.exp(c[1] * x) + c[2] - y, [1, -1, 0.1], xtol=1e-14)
    np.testing.assert_allclose(found, best.x, rtol=1e-5)


def test_a_factor_of_one_is_not_written() -> None:
    """x0*x1 with some noise: what is fitted rounds to 1."""
    rng = np.random.default_rng(3)
    x = rng.uniform(1, 5, (2, 200))
    at = Samples.from_columns(
        {"x0": x[0], "x1": x[1]}, target=x[0] * x[1] * (1 + 1e-4 * rng.normal(size=200))
    )
    start = Individual((("$x0", "$x1", "mul"),), Fitted((0.9,), 0.0, 0.1), 5, 0.0, 0.0)
    [found] = finish([start], at, 0.1)
    assert found.text == "x0*x1" and (found.formula.complexity, found.digits_needed) == (3, 0)


def test_constants_inside_a_term_are_fitted_and_stay_in_their_place() -> None:
    at = decaying(0.0)
    term = ("$x", -1.4, "mul", "exp")
    start = Individual((("$x",), term), Fitted((-0.01, 2.0), 0.5, 0.1), 12, 0.0, 0.0)
    linear, inner = polish(start, at, 30)
    assert linear == ("$x",) and inner[0] == "$x" and inner[2:] == ("mul", "exp")
    assert inner[1] == pytest.approx(-1.62, abs=1e-6)


def test_a_formula_that_cannot_be_fitted_better_is_given_back() -> None:
    at = Samples.from_columns({"x": [1.0, 2.0, 3.0]}, target=[1.0, 2.0, 3.0])
    assert to_python(refitted(read("x").formula, at)) == "x"
    assert to_python(refitted(read("sqrt(-1 - x)*2").formula, at)) == "sqrt(-1 - x)*2"


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-3, 0.1])
def test_shortened_constants_keep_the_fit_and_shorter_ones_would_not(noise, tolerance) -> None:
    at = decaying(noise)
    fitted = refitted(read("2*exp(-1.5*x) + 0.5").formula, at)
    short = shorten_constants(fitted, at, tolerance)

    def error(formula) -> float:
        return 1 - r_squared(values(formula, at), at.target)

    assert error(short) <= error(fitted) + max(tolerance * error(fitted), 1e-12) * (1 + 1e-9)
    if noise:
        assert len(to_python(short)) < len(to_python(fitted)) - 10
    again = read(to_python(short)).formula
    assert again.structure() == short.structure() and error(again) == error(short)


def test_a_law_keeps_its_constants() -> None:
    at = decaying(0.0)
    exact = with_constants(read("1*exp(1*x) + 1").formula, [2.37 + 1e-9, -1.62, 0.45 - 1e-10])
    assert to_python(shorten_constants(exact, at, 1e-3)) == "2.37*exp(-1.62*x) + 0.45"


def test_what_is_kept_is_beaten_by_nothing_that_was_given() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 20, 300)
    given = [
        Individual((("$x",),), Fitted((1.0,), 0.0, float(e / n)), int(n), float(1 + d), float(-e))
        for e, n, d in zip(0.5 + rng.random(300), sizes, rng.random(300), strict=True)
    ]
    kept = best_of(given)
    assert 5 < len(kept) < 100 and best_of(kept) == kept
    for one in given:
        assert any(
            k.nodes <= one.nodes
            and k.fitted.nmse <= one.fitted.nmse * 1.001
            and k.digits <= one.digits + 0.05
            for k in kept
        )


def test_a_written_candidate_has_no_sign_or_factor_too_many() -> None:
    terms = (("$x",), ("$y",), ("$z", "sin"))
    assert to_python(fitted_formula(terms, Fitted((1.0, -1.0, -2.0), 0.0, 0.0))) == (
        "x - y - 2*sin(z)"
    )
