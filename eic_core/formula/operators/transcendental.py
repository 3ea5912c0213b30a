"""Exponentials, logarithms, trigonometric and hyperbolic functions.

A second sine or cosine costs ten times a product, so each kappa comes from the value itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.formula.operators.row import NUMPY, Array, Operands, Scratch


def sin_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    """(x/y)^2 (1 - y^2): the error near |y| = 1 is that of y itself, and never negative."""
    rest = scratch.take()
    np.multiply(y, y, rest)
    np.subtract(1.0, rest, rest)
    np.divide(x, y, out)
    np.multiply(out, out, out)
    np.multiply(out, rest, out)
    scratch.give(rest)
    return out


def cos_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    return sin_kernel(x, y, p, out, scratch)  # x^2 (1-y)(1+y) / y^2 in both


def tan_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out)
    np.multiply(x, y, rest)
    np.add(out, rest, out)
    scratch.give(rest)
    return np.multiply(out, out, out)


def sec_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.subtract(y, 1.0, out)
    np.multiply(out, x, out)
    np.add(y, 1.0, rest)
    np.multiply(rest, x, rest)
    np.multiply(out, rest, out)
    scratch.give(rest)
    return out


def sinh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out)
    np.multiply(out, out, out)
    np.multiply(x, x, rest)
    np.add(out, rest, out)
    scratch.give(rest)
    return out


def cosh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(1.0, y, rest)
    np.subtract(1.0, rest, out)
    np.add(1.0, rest, rest)
    np.multiply(out, rest, out)
    np.multiply(out, x, out)
    np.multiply(out, x, out)
    scratch.give(rest)
    return out


def tanh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out)
    np.multiply(x, y, rest)
    np.subtract(out, rest, out)
    scratch.give(rest)
    return np.multiply(out, out, out)


def exp_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    return np.multiply(x, x, out)


def expm1_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    np.divide(x, y, out)
    np.add(out, x, out)
    return np.multiply(out, out, out)


def log_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    np.divide(1.0 / p, y, out)
    return np.multiply(out, out, out)


def ratio_kernel(derivative: Callable[[Array, np.ndarray], Array]) -> Any:
    """kappa^2 = (x * e'(x) / y)^2 from e'(x), written to the buffer given."""

    def kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
        derivative(x, out)
        np.multiply(out, x, out)
        np.divide(out, y, out)
        return np.multiply(out, out, out)

    return kernel


def d_log1p(x: Array, out: np.ndarray) -> Array:
    return np.divide(1.0, np.add(1.0, x, out=out), out)


def d_asin(x: Array, out: np.ndarray) -> Array:
    np.sqrt(np.multiply(1.0 - np.asarray(x), 1.0 + np.asarray(x), out), out=out)
    return np.divide(1.0, out, out)


def d_atan(x: Array, out: np.ndarray) -> Array:
    np.add(1.0, np.multiply(x, x, out=out), out)
    return np.divide(1.0, out, out)


def d_asinh(x: Array, out: np.ndarray) -> Array:
    return np.divide(1.0, np.hypot(1.0, x, out=out), out)


def d_acosh(x: Array, out: np.ndarray) -> Array:
    np.multiply(np.sqrt(np.asarray(x) - 1.0), np.sqrt(np.asarray(x) + 1.0), out=out)
    return np.divide(1.0, out, out)


def d_atanh(x: Array, out: np.ndarray) -> Array:
    np.multiply(1.0 - np.asarray(x), 1.0 + np.asarray(x), out)
    return np.divide(1.0, out, out)


def d_erf(x: Array, out: np.ndarray) -> Array:
    np.exp(np.negative(np.multiply(x, x, out=out), out), out=out)
    return np.multiply(2.0 / math.sqrt(math.pi), out, out)


def atan2_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    radius = np.hypot(a[0], a[1], scratch.take())
    left = scratch.take()
    np.divide(a[0], radius, left)
    np.divide(a[1], radius, radius)
    np.multiply(left, radius, left)
    np.divide(left, y, left)
    np.multiply(left, left, left)
    np.copyto(radius, left)
    return left, radius


def atan2_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    value = np.arctan2(np.add(a[0], 0.0), a[1], out)  # the real 0 has no sign
    origin = np.equal(a[0], 0) & np.equal(a[1], 0)
    return np.where(origin, np.nan, value) if np.any(origin) else value


def atan2_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] == 0 and a[1] == 0:
        raise ValueError("atan2(0, 0)")
    return mp.pi if a[0] == 0 and a[1] < 0 else mp.atan2(*a)


def atan2_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    squared = a[0] * a[0] + a[1] * a[1]
    by_y, by_x = a[1] / squared, -a[0] / squared
    if B is NUMPY:
        return np.where(np.equal(a[0], 0) & np.less(a[1], 0), np.inf, by_y), by_x
    return (B.inf if a[0] == 0 and a[1] < 0 else by_y), by_x


def exact_log(mp: Any, a: Operands, p: Fraction | None) -> Any:
    value = mp.log(a[0])
    return value if p is None else value / mp.log(mp.mpf(p.numerator) / p.denominator)


def log_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    if p == LN2:
        return np.log2(a[0], out)
    if p == _LN10:
        return np.log10(a[0], out)
    value = np.log(a[0], out)
    return value if p == 1.0 else np.divide(value, p, out)


def log_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return (1.0 / (np.asarray(a[0]) * p),)
    scale = 1 if p is None else B.log(B.mpf(p.numerator) / p.denominator)
    return (1 / (a[0] * scale),)


def reciprocal(function: Callable[..., Array]) -> Any:
    def evaluate(a: Operands, p: float, out: np.ndarray | None) -> Array:
        return np.divide(1.0, function(a[0], out=out), out)

    return evaluate


STEEP_END = 1e9
"""Roundings: at the ends of asin, s is known to (roundings off the end)^-1 only."""

ERF_FLAT = 1600
"""Beyond it 1 - |erf| and the derivative are below 10^-(10^6)."""


def erf_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    return mp.erf(a[0]) if abs(a[0]) < ERF_FLAT else mp.sign(a[0])


def erf_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is not NUMPY and abs(a[0]) >= ERF_FLAT:
        return (B.mpf(0),)
    return (2 / B.sqrt(B.pi) * B.exp(-a[0] * a[0]),)


LN2, _LN10 = math.log(2), math.log(10)


def inverse_sqrt(B: Any, radicand: Any, sign: int) -> tuple[Any, ...]:
    if B is NUMPY:
        return (sign / np.sqrt(radicand),)
    return (sign * B.inf if radicand == 0 else sign / B.sqrt(radicand),)
