"""erf, gamma and their kin, which NumPy lacks: over arrays of doubles, and traced into C."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
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


erf = over_arrays(each(math.erf))
erfc = over_arrays(each(math.erfc))
gamma = over_arrays(each(_gamma))


@over_arrays
def lgamma(x: Array) -> Array:
    """log |gamma|, with its digits beside its zeros, 1 and 2 among them, unlike `math.lgamma`."""
    y = np.empty_like(x)
    near = (x > -20.5) & (x < 4.5)
    y[~near] = each(_log_gamma)(x[~near])
    x = x[near]
    whole = np.rint(x)
    steps = 2.0 - whole
    ratio = np.ones_like(x)  # of gamma about 2 to gamma here; the sums are exact beside its zeros
    for k in range(int(steps.max(initial=0.0))):
        ratio *= np.where(k < steps, x + k, 1.0)
    for k in (1, 2):
        ratio /= np.where(-k >= steps, x - k, 1.0)
    about_2 = np.polynomial.polynomial.polyval(x - whole, _series())
    with np.errstate(divide="ignore"):
        y[near] = about_2 - np.log(np.abs(ratio))
    return y


@cache
def _series() -> Array:
    """Of log gamma(2 + z) to z^29, for |z| up to 1/2 (Abramowitz and Stegun 6.1.33)."""
    from flint import arb  # takes longer to load than NumPy

    later = [(-1) ** k * float((arb(k).zeta() - 1) / k) for k in range(2, 30)]
    return np.array([0.0, float(1 - arb.const_euler()), *later])


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
