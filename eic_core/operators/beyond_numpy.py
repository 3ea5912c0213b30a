"""erf, gamma and their kin, which NumPy lacks: over arrays of doubles, and traced into C."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def over_arrays(function: Callable[..., Array]) -> Callable[..., Any]:
    """Of numbers and arrays that are no longer than doubles, in their own type."""

    def wrapped(*operands: Any) -> Any:
        kind = np.result_type(*operands)
        kind = kind if kind.kind == "f" else np.dtype(np.float64)
        if kind.itemsize > 8:
            raise TypeError("there are digits for doubles only")
        a = np.broadcast_arrays(*operands)
        y = function(*[x.astype(np.float64).ravel() for x in a]).reshape(a[0].shape)
        with np.errstate(over="ignore", under="ignore"):
            return y.astype(kind)[()]

    return wrapped


def each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda x: np.fromiter(map(function, x.tolist()), np.float64, len(x))


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.copysign(math.inf, x)
    except ValueError:
        return math.nan if x else math.copysign(math.inf, x)


def _log_gamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def _of_c(name: str, otherwise: Callable[[float], float]) -> Callable[[Any], Any]:
    """The C library's function, which compiled code calls: both engines give the same bits.

    Python's own gamma and log gamma are others, and lose all digits beside zeros below 0.
    """
    try:
        function = ctypes.PyDLL("ucrtbase" if sys.platform == "win32" else None)[name]
    except (OSError, AttributeError):
        return over_arrays(each(otherwise))
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    return over_arrays(each(function))


erf = _of_c("erf", math.erf)
erfc = _of_c("erfc", math.erfc)
gamma = _of_c("tgamma", _gamma)
lgamma = _of_c("lgamma", _log_gamma)


_OF_DIGAMMA = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
"""B(2k)/(2k), from k = 7 down."""

_OF_LOG_GAMMA = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
"""B(2k)/(2k(2k - 1)), from k = 7 down."""

_FAR = 26.0
"""From here on erfcx is its asymptotic series: before, erfc is no subnormal number."""


def digamma(B: Any, x: Any) -> Any:
    """To 2e-15 of 1 + |psi|; from ten steps above, by its asymptotic series."""
    z = B.where(x > 0.0, x, 1.0 - x)
    w = z + 10.0
    r = B.over(1.0, w * w)
    tail = 0.0
    for k in _OF_DIGAMMA:
        tail = (tail + k) * r
    below = 0.0
    for k in range(10):
        below = below + B.over(1.0, z + float(k))
    angle = B.pi * B.where(x > 0.0, 0.25, x - B.nint(x))
    reflected = B.where(x > 0.0, 0.0, B.over(B.pi, B.tan(angle)))
    return B.log(w) - B.over(0.5, w) - tail - below - reflected


def digamma_rise(B: Any, x: Any, h: Any) -> Any:
    """psi(x + h) - psi(x) for positive numbers: nothing of it cancels."""
    w = x + 10.0
    v = w + h
    r, s, share = B.over(1.0, w * w), B.over(1.0, v * v), B.over(h, v)
    series = divided = 0.0  # of 1/w^2 without that factor, and its divided difference
    for k in _OF_DIGAMMA:
        series, divided = k + r * series, series + s * divided
    slope = r * (1.0 + B.over(w, v)) * (series + s * divided)
    rise = B.log1p(B.over(h, w)) + share * (B.over(0.5, w) + slope)
    for k in range(10):
        z = x + float(k)
        rise = rise + B.over(B.over(h, z + h), z)
    return rise


def betaln(B: Any, a: Any, b: Any) -> Any:
    """log gamma(a) + log gamma(b) - log gamma(a + b) for positive numbers.

    From 10 on by Stirling's formula, without what cancels there (DiDonato and Morris, TOMS 18).
    """
    p, q = B.where(a < b, a, b), B.where(a < b, b, a)
    near = B.lgamma(p) + (B.lgamma(q) - B.lgamma(p + q))
    one, other = B.where(p < 10.0, 10.0, p), B.where(q < 10.0, 10.0, q)
    less = _stirling(B, other) - _stirling(B, p + other)
    grown = (other - 0.5) * B.log1p(B.over(p, other)) + p * (B.log(p + other) - 1.0)
    far = 0.5 * B.log(B.over(2.0 * B.pi, other)) + (_stirling(B, one) + less)
    far = far - (one - 0.5) * B.log1p(B.over(other, one)) - other * B.log1p(B.over(one, other))
    return B.where(q < 10.0, near, B.where(p < 10.0, B.lgamma(p) - (grown - less), far))


def _stirling(B: Any, x: Any) -> Any:
    """log gamma(x) less (x - 1/2) log x - x + log(2 pi)/2, from 10 on."""
    r = B.over(1.0, x)
    series = 0.0
    for k in _OF_LOG_GAMMA:
        series = k + r * r * series
    return r * series


def log_sum(B: Any, a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b))."""
    return B.maximum(a, b) + B.log1p(B.exp(-B.abs(a - b)))


def _less_than_one(B: Any, x: Any) -> tuple[Any, Any]:
    """r = 1/(2 x^2) and (1 - sqrt(pi) x erfcx(x))/r, from `_FAR` on."""
    r = B.over(0.5, x * x)
    series = 1.0
    for k in (13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        series = 1.0 - k * r * series
    return r, series


def erfcx(B: Any, x: Any) -> Any:
    """exp(x^2) erfc(x)."""
    near = B.where(x < _FAR, B.maximum(x, -30.0), 0.0)
    first = B.floor(near * 16.0 + 0.5) / 16.0  # its square is exact
    product = B.exp(first * first) * B.exp((near - first) * (near + first)) * B.erfc(near)
    far = B.where(x < _FAR, _FAR, x)
    r, less = _less_than_one(B, far)
    return B.where(x < _FAR, product, B.over(1.0 - r * less, far * B.sqrt(B.pi)))


def erfcx_kappa(B: Any, x: Any, y: Any) -> Any:
    """x y'/y for y = erfcx(x), which is -1 in the end."""
    near = 2.0 * x * (x - B.over(1.0, B.sqrt(B.pi) * y))
    r, less = _less_than_one(B, B.where(x < _FAR, _FAR, x))
    return B.where(x < _FAR, near, B.over(-less, 1.0 - r * less))
