"""erf, gamma and their kin, which NumPy lacks: over arrays of doubles, and traced into C."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


def over_arrays(function: Callable[[Array], Array]) -> Callable[[Any], Any]:
    """Of numbers and arrays that are no longer than doubles, in their own type."""

    def wrapped(a: Any) -> Any:
        a = np.asarray(a)
        kind = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
        if kind.itemsize > 8:
            raise TypeError("there are digits for doubles only")
        y = function(a.astype(np.float64).ravel()).reshape(a.shape)
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


def digamma(B: Any, x: Any) -> Any:
    """To 2e-15 of 1 + |psi|; from ten steps above, by its asymptotic series."""
    z = B.where(x > 0.0, x, 1.0 - x)
    w = z + 10.0
    r = B.over(1.0, w * w)
    tail = 0.0
    for k in (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        tail = (tail + k) * r
    below = 0.0
    for k in range(10):
        below = below + B.over(1.0, z + float(k))
    angle = B.pi * B.where(x > 0.0, 0.25, x - B.nint(x))
    reflected = B.where(x > 0.0, 0.0, B.over(B.pi, B.tan(angle)))
    return B.log(w) - B.over(0.5, w) - tail - below - reflected


def erfcx(B: Any, x: Any) -> Any:
    """exp(x^2) erfc(x)."""
    near = B.where(x < 26.0, B.maximum(x, -30.0), 0.0)
    first = B.nint(near * 16.0) / 16.0  # its square is exact
    product = B.exp(first * first) * B.exp((near - first) * (near + first)) * B.erfc(near)
    far = B.where(x < 26.0, 26.0, x)
    r = B.over(0.5, far * far)
    series = 1.0
    for k in (13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = 1.0 - k * r * series
    return B.where(x < 26.0, product, B.over(series, far * B.sqrt(B.pi)))
