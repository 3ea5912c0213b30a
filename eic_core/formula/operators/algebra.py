"""Sums, products, powers and roots: values, derivatives and condition numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.formula.operators.row import NUMPY, Array, KappaSquared, Operands, Scratch


def add_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    """kappa_a = y_a / y and kappa_b = 1 - kappa_a; for sub the sign is lost in the square.

    The difference costs kappa_b at most a rounding of kappa_a, less than the
    operands' own noise makes of it.
    """
    left, right = scratch.take(), scratch.take()
    np.divide(a[0], y, left)
    np.subtract(1.0, left, right)
    np.multiply(left, left, left)
    np.multiply(right, right, right)
    return left, right


def power_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    x = a[0]
    if p == 2:
        return np.multiply(x, x, out)
    if p == 3:
        return np.multiply(np.multiply(x, x, out=out), x, out)
    if p == 4:
        square = np.multiply(x, x, out)
        return np.multiply(square, square, out)
    if p == 0.5:
        return np.sqrt(x, out)
    if p == -1:
        return np.divide(1.0, x, out)
    return np.power(x, p, out)


def power_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    if p.denominator == 1:
        return a[0] ** p.numerator
    root = mp.sqrt(a[0])
    return root**p.numerator


def power_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if p == 0:
        return (0 * a[0],)
    if p == 1:
        return (0 * a[0] + 1,)
    if B is NUMPY:
        return (p * np.power(a[0], p - 1),)
    q = p - 1
    if a[0] == 0:
        return (B.inf if q < 0 else 0 * a[0],)
    return (B.mpf(p.numerator) / p.denominator * y / a[0],)


def constant_kappa(square: Callable[[float], float]) -> KappaSquared:
    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (square(p),)

    kappa_squared.fixed = True  # type: ignore[attr-defined]
    return kappa_squared


def root_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    index = p.numerator
    if a[0] < 0 and index % 2:
        return -mp.root(-a[0], index)
    return mp.root(a[0], index)


def root_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return (np.where(np.equal(a[0], 0), np.inf, y / (p * np.asarray(a[0]))),)
    return (B.inf if a[0] == 0 else y / (p * a[0]),)


def pow_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    value = np.power(a[0], a[1], out)
    outside = np.less(a[0], 0) | (np.equal(a[0], 0) & np.less_equal(a[1], 0))
    if np.any(outside):
        value = np.where(outside, np.nan, value)
        if out is not None:
            np.copyto(out, value)
            return out
    return value


def pow_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] < 0 or (a[0] == 0 and a[1] <= 0):
        raise ValueError("negative base under a noisy exponent")
    return a[0] ** a[1]


def pow_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    if B is NUMPY:
        with np.errstate(all="ignore"):
            by_base = exponent * np.power(base, np.asarray(exponent) - 1)
            by_exponent = np.where(np.equal(base, 0), 0.0, y * np.log(base))
        return by_base, by_exponent
    if base == 0:
        by_base = B.inf if exponent < 1 else (B.mpf(1) if exponent == 1 else B.mpf(0))
        return by_base, B.mpf(0)
    return exponent * y / base, y * B.log(base)


def pow_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    base, exponent = a
    if np.ndim(exponent):
        by_base: Array = np.multiply(exponent, exponent, scratch.take())
    else:
        by_base = float(exponent) ** 2
    by_exponent = scratch.take()
    np.multiply(exponent, np.log(base, out=by_exponent), by_exponent)
    np.multiply(by_exponent, by_exponent, by_exponent)
    return by_base, by_exponent


def hypot_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    terms = []
    for operand in a:
        term = np.divide(operand, y, scratch.take())
        np.multiply(term, term, term)
        terms.append(np.multiply(term, term, term))
    return tuple(terms)


def hypot_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """At the origin, where the direction is open, the bound 1."""
    if B is NUMPY:
        safe = np.where(np.equal(y, 0), 1.0, y)
        return tuple(np.where(np.equal(y, 0), 1.0, operand / safe) for operand in a)
    return tuple(operand / y if y else B.mpf(1) for operand in a)


def numpy_sign_root(a: Array, index: float, out: np.ndarray | None) -> Array:
    if index % 2 == 0:
        return np.power(a, 1.0 / index, out)  # flags negative operands as invalid
    return np.copysign(np.power(np.abs(a), 1.0 / index, out), a, out=out)


def is_zero(a: Operands, p: float) -> Array:
    return np.equal(a[0], 0)


def either_zero(a: Operands, p: float) -> Array:
    return np.equal(a[0], 0) | np.equal(a[1], 0)


def nowhere(a: Operands, p: float) -> Array:
    return np.zeros(np.shape(a[0]), dtype=bool)
