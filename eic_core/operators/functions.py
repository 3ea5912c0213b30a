"""The formulas that rows of the table are made of, where one line does not hold them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators.row import Operands, Program, Y, square

LN2, LN10 = math.log(2), math.log(10)

STEEP_END = 1e9
"""Roundings: at the ends of asin, s is known to (roundings off the end)^-1 only."""

ERF_FLAT = 1600
"""Beyond it 1 - |erf| and the derivative are below 10^-(10^6)."""


# --- sums, powers and roots ---


def add_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """kappa_a = y_a / y and kappa_b = 1 - kappa_a; for sub the sign is lost in the square.

    The difference costs kappa_b at most a rounding of kappa_a, less than the operands' own noise
    makes of it.
    """
    left = a[0] / y
    return square(left), square(1.0 - left)


_POWERS: dict[float, Program] = {
    0.5: ((np.sqrt, 0),),
    -1.0: ((np.reciprocal, 0),),
    2.0: ((np.multiply, 0, 0),),
    3.0: ((np.multiply, 0, 0), (np.multiply, Y, 0)),
    4.0: ((np.multiply, 0, 0), (np.multiply, Y, Y)),
}


def power_program(p: float, count: int) -> Program:
    return _POWERS.get(p) or ((np.power, 0, p),)


def power_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    if p.denominator == 1:
        return a[0] ** p.numerator
    root = mp.sqrt(a[0])
    return root**p.numerator


def power_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    general = p * B.pow(a[0], p - 1)
    return (B.where(p == 0, 0.0, B.where(p == 1, 1.0, general)),)


def root_program(p: float, count: int) -> Program:
    if p % 2 == 0:
        return ((np.power, 0, 1.0 / p),)  # flags negative operands as invalid
    return ((np.abs, 0), (np.power, Y, 1.0 / p), (np.copysign, Y, 0))


def root_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    index = p.numerator
    if a[0] < 0 and index % 2:
        return -mp.root(-a[0], index)
    return mp.root(a[0], index)


def root_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.where(a[0] == 0, B.inf, B.over(y, p * a[0])),)


def pow_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] < 0 or (a[0] == 0 and a[1] <= 0):
        raise ValueError("negative base under a noisy exponent")
    return a[0] ** a[1]


def pow_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    by_exponent = B.where(base == 0, 0.0, y * B.log(B.where(base == 0, 1.0, base)))
    return exponent * B.pow(base, exponent - 1), by_exponent


def pow_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    return square(exponent), square(exponent * B.log(base))


def hypot_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return tuple(square(square(operand / y)) for operand in a)


def hypot_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """At the origin, where the direction is open, the bound 1."""
    return tuple(B.where(y == 0, 1.0, B.over(operand, y)) for operand in a)


def sign_of(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """-1 below 0, else 1."""
    return (B.where(a[0] < 0, -1.0, 1.0),)


def is_zero(B: Any, a: Operands, p: Any) -> Any:
    return a[0] == 0


def either_zero(B: Any, a: Operands, p: Any) -> Any:
    return (a[0] == 0) | (a[1] == 0)


def nowhere(B: Any, a: Operands, p: Any) -> Any:
    return a[0] != a[0]


# --- exponentials, logarithms, trigonometry: a second sine or cosine costs ten times a product, so
# --- each kappa comes from the value itself


def log_program(p: float, count: int) -> Program:
    if p == LN2:
        return ((np.log2, 0),)
    if p == LN10:
        return ((np.log10, 0),)
    return ((np.log, 0),) if p == 1.0 else ((np.log, 0), (np.divide, Y, p))


def log_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    value = mp.log(a[0])
    return value if p is None else value / mp.log(mp.mpf(p.numerator) / p.denominator)


def log_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.over(1.0, a[0] * p),)


def log_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(1.0 / (y * p)),)


def wave_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """(x/y)^2 (1 - y^2): the error near |y| = 1 is that of y itself, and never negative."""
    return (square(a[0] / y) * (1.0 - square(y)),)


def tan_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y + a[0] * y),)


def sec_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (((y - 1.0) * a[0]) * ((y + 1.0) * a[0]),)


def sinh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y) + square(a[0]),)


def cosh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    inverse = 1.0 / y
    return ((1.0 - inverse) * (1.0 + inverse) * a[0] * a[0],)


def tanh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y - a[0] * y),)


def exp_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0]),)


def expm1_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y + a[0]),)


def inverse_sqrt(sign: float) -> Any:
    """The derivative of asin (1) and acos (-1)."""

    def partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
        return (B.over(sign, B.sqrt((1.0 - a[0]) * (1.0 + a[0]))),)

    return partials


def acosh_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.over(1.0, B.sqrt(a[0] - 1.0) * B.sqrt(a[0] + 1.0)),)


def atanh_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.over(1.0, (1.0 - a[0]) * (1.0 + a[0])),)


def erf_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    return mp.erf(a[0]) if abs(a[0]) < ERF_FLAT else mp.sign(a[0])


def erf_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    near = B.where(B.abs(a[0]) < ERF_FLAT, a[0], 0.0)
    slope = 2.0 / B.sqrt(B.pi) * B.exp(-square(near))
    return (B.where(B.abs(a[0]) < ERF_FLAT, slope, 0.0),)


def atan2_origin(B: Any, a: Operands, p: Any) -> Any:
    return (a[0] == 0) & (a[1] == 0)


def atan2_program(p: float, count: int) -> Program:
    return ((np.add, 0, 0.0), (np.arctan2, Y, 1))  # the real 0 has no sign


def atan2_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] == 0 and a[1] == 0:
        raise ValueError("atan2(0, 0)")
    return mp.pi if a[0] == 0 and a[1] < 0 else mp.atan2(*a)


def atan2_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """Infinite across the cut."""
    radius = B.hypot(a[0], a[1])
    by_y, by_x = B.over(a[1] / radius, radius), B.over(-a[0] / radius, radius)
    return on_jump(B, (a[0] == 0) & (a[1] < 0), by_y), by_x


def atan2_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    radius = B.hypot(a[0], a[1])
    both = square((a[0] / radius) * (a[1] / radius) / y)
    return both, both


# --- min, max and the functions with jumps ---


def on_jump(B: Any, jump: Any, slope: Any) -> Any:
    """The derivative of a function with jumps: infinite where the operand stands on one."""
    return B.where(jump, B.inf, slope)


def attained(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """1 for the operands that are the value, else 0."""
    return tuple(B.where(operand == y, 1.0, 0.0) for operand in a)


def fold(function: Any) -> Any:
    """A program of a binary ufunc over any number of operands."""

    def program(p: float, count: int) -> Program:
        return ((function, 0, 1), *((function, Y, i) for i in range(2, count)))

    return program


def integer_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (on_jump(B, a[0] - B.floor(a[0]) == 0, 0.0),)


def half_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    fraction = a[0] - B.floor(a[0])  # not x + 0.5: a large number swallows the half
    return (on_jump(B, fraction == 0.5, 0.0),)


def sign_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (on_jump(B, a[0] == 0, 0.0),)


def step_kappa(partials: Any) -> Any:
    """kappa^2 of a function that is flat between its jumps: 0 or infinite."""

    def kappa2(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
        result: tuple[Any, ...] = partials(B, a, y, p)
        return result

    return kappa2


def to_integer(B: Any, x: Any) -> Any:
    return B.abs(x - B.nint(x))


def to_half_integer(B: Any, x: Any) -> Any:
    return B.abs(x - B.floor(x) - 0.5)


def to_unit(B: Any, x: Any) -> Any:
    return B.abs(B.abs(x) - 1.0)
