"""erf, gamma and their kin against mpmath and SciPy: digits, edges, types, compiled twins."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

from eic_core.engine.native.library import library
from eic_core.operators import NUMPY

mp = mpmath.MPContext()
mp.dps = 50

# Their truth; SciPy's name; the intervals with how many units in the last place may be wrong
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], str, list[tuple[float, float, float]]]] = {
    "erf": (mp.erf, "erf", [(-6, 6, 2), (-0.1, 0.1, 2)]),
    "erfc": (mp.erfc, "erfc", [(-6, 3, 4), (3, 26, 4)]),
    "erfcx": (
        lambda x: mp.exp(x * x) * mp.erfc(x),
        "erfcx",
        [(-26, 3, 8), (3, 26, 8), (25.9, 30, 8), (30, 1e6, 8)],
    ),
    "gamma": (mp.gamma, "gamma", [(-20, 0, 10), (0, 3, 10), (3, 171, 10)]),
    "lgamma": (
        lambda x: mp.loggamma(x).real,
        "gammaln",
        [
            (-0.5, 0.5, 8),
            (0.5, 1.5, 8),
            (1.5, 2.5, 8),
            (2.5, 4.5, 8),
            (4.5, 50, 8),
            (50, 1e6, 8),
            (-100, -20.5, 40),
        ],
    ),
    "digamma": (mp.digamma, "psi", [(1e-9, 0.1, 8), (0.1, 1, 16), (3, 20, 8), (20, 1e6, 4)]),
}

Ends = tuple[float, float]
OF_TWO: dict[str, tuple[Callable[[Any, Any], Any], list[tuple[Ends, Ends]]]] = {
    "betaln": (
        lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
        [
            ((0.1, 10), (0.1, 10)), ((1e-8, 10), (10, 1e8)), ((1e-8, 10), (8, 12)),
            ((10, 1e8), (10, 1e8)), ((8, 12), (8, 12)), ((1e-300, 1e-200), (1e-5, 1e9)),
            ((1e3, 1e300), (1e3, 1e300)), ((0.1, 10), (1e200, 1e300)),
        ],
    ),
    "digamma_rise": (
        lambda x, h: mp.digamma(x + h) - mp.digamma(x),
        [
            ((0.1, 10), (0.1, 10)), ((1e-8, 10), (10, 1e8)), ((1e8, 1e12), (1e-8, 1e3)),
            ((1, 100), (1e-10, 1e-5)), ((1e-100, 1e-50), (1e-60, 1)),
        ],
    ),
}  # fmt: skip
"""Functions of two operands, with ranges of both."""


@pytest.mark.parametrize("name", OF_TWO)
def test_nothing_cancels_in_those_of_two_operands(name: str) -> None:
    truth, ranges = OF_TWO[name]
    rng = np.random.default_rng(12)
    for ends in ranges:
        a, b = (np.exp(rng.uniform(*np.log(pair), 150)) for pair in ends)
        for y, at in zip(getattr(NUMPY, name)(a, b).tolist(), zip(a, b, strict=True), strict=True):
            with mp.workdps(150 if max(at) < 1e100 else 350):
                exact = truth(*map(mp.mpf, at))
            size = abs(float(exact))
            # log beta has zeros, and is a difference of logarithms of gamma below 10
            most = 16 * math.ulp(max(size, 1.0)) if name == "betaln" else 8 * math.ulp(size)
            assert abs(y - exact) <= most, at


def test_the_condition_number_of_erfcx_keeps_its_digits_to_minus_1() -> None:
    x = np.concatenate([np.linspace(-25, 60, 300), [1e-9, 25.999, 26.0, 1e9, 1e300]])
    for y, at in zip(NUMPY.erfcx_kappa(x, NUMPY.erfcx(x)).tolist(), x.tolist(), strict=True):
        with mpmath.workdps(60 if abs(at) < 1e3 else 700):
            z = mpmath.mpf(at)
            u = [mpmath.hyperu(n, 0.5, z * z) for n in (1, 0.5)]
            exact = -z * u[0] / u[1]
            if at < 1:
                value = mpmath.exp(z * z) * mpmath.erfc(z)
                exact = 2 * z * (z - 1 / (mpmath.sqrt(mpmath.pi) * value))
        assert abs(y - exact) <= 2e-12 * abs(exact), at


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_but_the_last_bits_are_those_of_mpmath(name: str) -> None:
    truth, _, intervals = FUNCTIONS[name]
    rng = np.random.default_rng(11)
    for low, high, most in intervals:
        x = rng.uniform(low, high, 400)
        for y, at in zip(getattr(NUMPY, name)(x).tolist(), x.tolist(), strict=True):
            exact = truth(mp.mpf(at))
            off = abs(mp.mpf(y) - exact) / math.ulp(float(exact))
            assert off <= most, (at, y, float(off))


def test_log_gamma_has_its_digits_beside_its_zeros() -> None:
    for zero in (1.0, 2.0):
        for step in (2.0**-52, 1e-12, 1e-7, -1e-9, -1e-4):
            x = zero + step
            exact = mp.loggamma(mp.mpf(x)).real
            assert abs(NUMPY.lgamma(x) - exact) <= 4 * math.ulp(float(exact)), x


def test_log_gamma_is_off_by_few_roundings_beside_the_zeros_below_0() -> None:
    x = np.append(np.random.default_rng(7).uniform(-20.5, 0, 800), [-2.457024738, 1e-310, -1e-310])
    for y, at in zip(NUMPY.lgamma(x).tolist(), x.tolist(), strict=True):
        exact = mp.loggamma(mp.mpf(at)).real
        assert abs(y - exact) <= 1e-15 * (1 + abs(exact)), at


def test_log_gamma_has_its_digits_beside_the_zeros_below_0() -> None:
    """By mpmath with 60 digits."""
    for x, exact in (
        (-2.4570247382208006, 5.6191923589500964509e-17),
        (-2.747682646727413, 1.0234931857070283713e-15),
        (-3.955294284858598, -4.1438275075770499507e-16),
        (-3.1435808883499799, 1.6978655906121084302e-15),
    ):
        assert abs(NUMPY.lgamma(x) - exact) <= 4 * math.ulp(exact), x


def test_digamma_is_off_by_little_beside_its_own_size_or_1() -> None:
    x = np.random.default_rng(5).uniform(-30, 3, 500)
    for y, at in zip(NUMPY.digamma(x).tolist(), x.tolist(), strict=True):
        exact = mp.digamma(mp.mpf(at))
        assert abs(y - exact) <= 2e-15 * (1 + abs(exact)), at


@pytest.mark.parametrize("name", FUNCTIONS)
def test_at_the_edges_they_are_scipys(name: str) -> None:
    x = np.array(
        "nan inf 0 1 2 3 4 5 0.5 -0.5 1.5 -1.5 1e-300 -1e-9 1e300 3e305"
        " 171 172 -170.5 -180.5 -181.5 26 25.999 27 30 -26.3 -27.1 -40.2".split(),
        float,
    )
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(
            getattr(NUMPY, name)(x),
            getattr(special, FUNCTIONS[name][1])(x),
            rtol=1e-12,
            atol=1e-307,
        )


def test_at_poles_and_minus_infinity_they_are_those_of_the_c_library() -> None:
    edges = np.array([-np.inf, -0.0])
    assert NUMPY.erf(edges).tolist() == [-1, 0] and NUMPY.erfc(edges).tolist() == [2, 1]
    assert math.isnan(NUMPY.gamma(-np.inf)) and NUMPY.gamma(-0.0) == -np.inf
    assert NUMPY.lgamma(edges).tolist() == [np.inf, np.inf]
    poles = np.array([-1.0, -2.0, -7.0, -1e20])
    assert np.isnan(NUMPY.gamma(poles)).all() and np.isnan(special.gamma(poles)).all()
    assert np.isposinf(NUMPY.lgamma(poles)).all() and np.isposinf(special.gammaln(poles)).all()


@pytest.mark.parametrize("name", ["erf", "erfc", "gamma", "lgamma", "erfcx"])
def test_shape_and_type_of_the_operand_are_kept(name: str) -> None:
    function = getattr(NUMPY, name)
    table = np.linspace(0.5, 3, 6).reshape(2, 3)
    assert function(table).shape == (2, 3) and function(table).dtype == np.float64
    assert function(table.astype(np.float32)).dtype == np.float32
    assert function(np.array([], float)).shape == (0,)
    assert function(np.array([[]], float)).shape == (1, 0)
    assert function(2).shape == () and function(1.5) == function(np.array([1.5]))[0]
    strided = np.arange(1.0, 13.0).reshape(3, 4).T[::2]
    assert function(strided).tolist() == function(strided.copy()).tolist()
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(TypeError, match="doubles only"):
            function(np.longdouble(1.5))


def test_singles_have_the_digits_of_doubles() -> None:
    a, b = np.linspace(0.1, 30, 300, dtype=np.float32), np.float32(1e30)
    for name, operands in (("erfcx", (a,)), ("betaln", (a, b)), ("betaln", (a, 2.0))):
        function = getattr(NUMPY, name)
        double = function(*[np.asarray(x, np.float64) for x in operands])
        assert function(*operands).dtype == np.float32
        np.testing.assert_array_equal(function(*operands), double.astype(np.float32))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_compiled_loop_gives_what_numpy_gives(name: str) -> None:
    engine = library()
    assert engine is not None
    loop = getattr(engine._library, f"values_{name}")
    x = np.concatenate([np.linspace(-8, 30, 777), [np.nan, np.inf, 1e-310, 1e300, 1e5]])
    y = np.empty_like(x)
    ends = (ctypes.c_void_p * 2)(x.ctypes.data, y.ctypes.data)
    loop(ends, (ctypes.c_ssize_t * 1)(len(x)), (ctypes.c_ssize_t * 2)(8, 8), None)
    with np.errstate(all="ignore"):
        other = getattr(NUMPY, name)(x)
    if name in ("erf", "erfc", "gamma", "lgamma"):  # the C library's own in both
        np.testing.assert_array_equal(y, other)
    np.testing.assert_allclose(y, other, rtol=2e-12, atol=1e-14)
