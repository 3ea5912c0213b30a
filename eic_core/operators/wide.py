"""Numbers beyond double range, a mantissa and an exponent, for the column ``widely`` of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.operators.backend import NUMPY

Array = np.ndarray[Any, np.dtype[np.float64]]

_LN2 = math.log(2)
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # fdlibm's split of ln 2


@dataclass(frozen=True)
class Wide:
    """Numbers m 2^e with 0.5 <= |m| < 1, or m = 0; nan where unknown or not real.

    >>> tiny = exponential([Wide.of(np.array([-1600.0]))], 1.0)
    >>> tiny.doubles.tolist(), bool(tiny.lost[0]), round(float(tiny.log2[0]) * math.log10(2))
    ([0.0], True, -695)
    """

    m: Array  # shape (n,)
    e: Array  # shape (n,)

    @classmethod
    def of(cls, values: Any) -> Wide:
        doubles = np.asarray(values, dtype=np.float64)
        m, e = np.frexp(doubles)
        numbers = cls(m, e.astype(np.float64))
        numbers.__dict__["doubles"] = doubles
        return numbers

    @classmethod
    def scaled(cls, m: Array, e: Array) -> Wide:
        mantissa, shift = np.frexp(m)
        return cls(mantissa, np.where(mantissa == 0, 0.0, e + shift))

    @cached_property
    def doubles(self) -> Array:
        return _shifted(self.m, self.e)  # infinite above their range, 0 or subnormal below

    @cached_property
    def lost(self) -> Any:
        return (self.m != 0) & ((self.e > 1024) | (self.e < -1021))

    @property
    def log2(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.log2(np.abs(self.m)) + self.e

    def over(self, other: Wide) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return _shifted(self.m / other.m, self.e - other.e)

    def where(self, condition: Any, other: Wide) -> Wide:
        return Wide(np.where(condition, self.m, other.m), np.where(condition, self.e, other.e))


def _shifted(m: Array, e: Array) -> Array:
    # 3000 is past both ends of double range, and within the int that ldexp takes
    return np.ldexp(m, np.minimum(np.maximum(e, -3000), 3000).astype(np.int64))


Widely = Callable[[Sequence[Wide], float], Wide]
"""A value from operands and the exact parameter, whatever their size."""


def add(a: Sequence[Wide], p: float) -> Wide:
    left, right = a
    e = np.where(left.m == 0, right.e, np.where(right.m == 0, left.e, np.maximum(left.e, right.e)))
    return Wide.scaled(_shifted(left.m, left.e - e) + _shifted(right.m, right.e - e), e)


def subtract(a: Sequence[Wide], p: float) -> Wide:
    return add((a[0], negative(a[1:], p)), p)


def multiply(a: Sequence[Wide], p: float) -> Wide:
    return Wide.scaled(a[0].m * a[1].m, a[0].e + a[1].e)


def fused(a: Sequence[Wide], p: float) -> Wide:
    return add((multiply(a[:2], p), a[2]), p)


def divide(a: Sequence[Wide], p: float) -> Wide:
    return Wide.scaled(a[0].m / a[1].m, a[0].e - a[1].e)


def negative(a: Sequence[Wide], p: float) -> Wide:
    return Wide(-a[0].m, a[0].e)


def absolute(a: Sequence[Wide], p: float) -> Wide:
    return Wide(np.abs(a[0].m), a[0].e)


def _raised(base: Wide, p: Any, sign: Any) -> Wide:
    log2 = base.log2 * p
    e = np.floor(log2)
    with np.errstate(invalid="ignore", divide="ignore"):
        m, at_zero = sign * np.exp2(log2 - e), np.power(0.0, p)
    return Wide.scaled(np.where(base.m == 0, at_zero, m), np.where(base.m == 0, 0.0, e))


def power(a: Sequence[Wide], p: float) -> Wide:
    """An exact power; nan for a root of a negative number."""
    below = -1.0 if p % 2 == 1 else 1.0 if p % 1 == 0 else math.nan
    return _raised(a[0], p, np.where(a[0].m < 0, below, 1.0))


def square_root(a: Sequence[Wide], p: float) -> Wide:
    return power(a, 0.5)


def root(a: Sequence[Wide], p: float) -> Wide:
    """The p-th root; a negative number has one if p is odd."""
    return _raised(a[0], 1.0 / p, np.where(a[0].m < 0, -1.0 if p % 2 else math.nan, 1.0))


def cube_root(a: Sequence[Wide], p: float) -> Wide:
    return root(a, 3.0)


def noisy_power(a: Sequence[Wide], p: float) -> Wide:
    return _raised(a[0], a[1].doubles, np.where(a[0].m < 0, math.nan, 1.0))


def noisy_power_kappa2(a: Sequence[Wide], y: Wide) -> tuple[Array, Array]:
    return np.square(a[1].doubles), np.square(y.log2 * _LN2)


def exponential(a: Sequence[Wide], p: float) -> Wide:
    x = np.clip(a[0].doubles, -1e300, 1e300)  # of two infinite exponents no difference is known
    k = np.rint(x / _LN2)
    rest = (x - k * _LN2_HIGH) - k * _LN2_LOW
    return Wide.scaled(np.exp(np.where(np.abs(x) < 1e8, rest, 0.0)), k)  # beyond, k says enough


# sinh, cosh and expm1 hold for operands that are tiny or large: doubles have the rest
def _half(sign: float, a: Sequence[Wide]) -> Wide:
    size = exponential((absolute(a, 0.0),), 0.0)
    return Wide(size.m * np.where(a[0].m < 0, sign, 1.0), size.e - 1)


def hyperbolic_sine(a: Sequence[Wide], p: float) -> Wide:
    return a[0].where(a[0].e < 0, _half(-1.0, a))


def hyperbolic_cosine(a: Sequence[Wide], p: float) -> Wide:
    return Wide.of(np.ones_like(a[0].m)).where(a[0].e < 0, _half(1.0, a))


def exponential_less_one(a: Sequence[Wide], p: float) -> Wide:
    far = Wide.of(np.full_like(a[0].m, -1.0)).where(a[0].m < 0, exponential(a, p))
    return a[0].where(a[0].e < 0, far)


def logarithm(a: Sequence[Wide], p: float) -> Wide:
    return Wide.of((np.log(a[0].m) + a[0].e * _LN2) / p)


def angle(a: Sequence[Wide], p: float) -> Wide:
    """The angle of (a[1], a[0])."""
    # a common factor does not change the angle, and keeps both within double range
    e = np.where(a[0].m == 0, a[1].e, np.where(a[1].m == 0, a[0].e, np.maximum(a[0].e, a[1].e)))
    y, x = (_shifted(w.m, w.e - e) for w in a)
    origin = (y == 0) & (x == 0)
    plain = Wide.of(np.where(origin, math.nan, np.arctan2(y + 0.0, x)))
    # far below the diagonal the angle is the quotient, which plain doubles may lose
    return divide(a, p).where((a[1].m > 0) & (a[0].e < a[1].e - 60), plain)


def hypotenuse(a: Sequence[Wide], p: float) -> Wide:
    return power((add((power(a[:1], 2.0), power(a[1:], 2.0)), p),), 0.5)


def log_gamma(a: Sequence[Wide], p: float) -> Wide:
    """log |gamma| of operands that are tiny or large: -log |x|, and x log x - x."""
    (x,) = a
    log = np.log(np.abs(x.m)) + x.e * _LN2
    large = multiply((x, Wide.of(log - 1.0)), p)
    far = large.where(x.m > 0, Wide.of(np.full_like(x.m, math.nan)))  # whole below 0: poles
    return Wide.of(-log).where(x.e < 0, far)


def log_gamma_kappa2(a: Sequence[Wide], y: Wide) -> tuple[Array]:
    (x,) = a
    log = np.log(np.abs(x.m)) + x.e * _LN2
    times = np.where(x.e < 0, -1.0 / y.doubles, log / (log - 1.0))
    inside = np.where(x.e > 200, 1.0, x.doubles)
    plain = x.doubles * NUMPY.digamma(inside) / y.doubles
    return (np.square(np.where(x.lost | (x.e > 200), times, plain)),)


def gamma_kappa2(a: Sequence[Wide], y: Wide) -> tuple[Array]:
    inside = np.where(a[0].lost, 1.0, a[0].doubles)
    # beside the pole at 0 the value is 1/x
    return (np.where(a[0].lost & (a[0].e < 0), 1.0, np.square(inside * NUMPY.digamma(inside))),)


def gamma(a: Sequence[Wide], p: float) -> Wide:
    (x,) = a
    inside = np.where(x.lost, 1.0, x.doubles)
    size = exponential((Wide.of(NUMPY.lgamma(inside)),), p)
    below = (inside < 0) & (np.floor(inside) % 2 == 1)
    value = Wide(np.where(below, -size.m, size.m), size.e)
    far = exponential((log_gamma(a, p),), p)
    beyond = divide((Wide.of(np.ones_like(x.m)), x), p).where(x.e < 0, far)
    return beyond.where(x.lost, value)


def log_beta(a: Sequence[Wide], p: float) -> Wide:
    """log B(x, y) of an operand that is tiny or one that is large; a negative one has none."""
    first = subtract(a, p).m < 0
    less, more = a[0].where(first, a[1]), a[1].where(first, a[0])
    share, log, other = less.over(more), less.log2 * _LN2, more.log2 * _LN2
    apart = np.where(
        share < 1e-300, other - log + 1.0, np.log1p(1 / share) + np.log1p(share) / share
    )
    small = Wide.of(np.log1p(share) - log)
    plain = Wide.of(NUMPY.lgamma(np.where(less.lost, 1.0, less.doubles)) - less.doubles * other)
    grown = multiply((less, Wide.of(-apart)), p)
    value = small.where(less.e < -200, grown.where(less.e > 200, plain))
    return Wide(np.where(less.m < 0, math.nan, value.m), value.e)


def _bell(x: Array, sign: float) -> Wide:
    """exp(sign x^2), with x^2 in two parts, the first exact."""
    first = np.rint(np.where(np.abs(x) < 1e6, x, 0.0) * 16) / 16
    rest = np.where(np.isinf(x), np.abs(x), (x - first) * (x + first))
    parts = [exponential((Wide.of(sign * part),), 0.0) for part in (first * first, rest)]
    return multiply(parts, 0.0)


def complementary_error(a: Sequence[Wide], p: float) -> Wide:
    """erfc(x) = erfcx(x) exp(-x^2) above 0, where it may underflow."""
    x = a[0].doubles
    small = multiply((_bell(x, -1.0), Wide.of(NUMPY.erfcx(np.minimum(x, 1e300)))), p)
    return small.where(x > 0, Wide.of(NUMPY.erfc(x)))


def scaled_error(a: Sequence[Wide], p: float) -> Wide:
    """erfcx(x): 2 exp(x^2) far below 0, 1/(x sqrt(pi)) far above."""
    x = a[0].doubles
    twice = multiply((Wide.of(np.full_like(x, 2.0)), _bell(x, 1.0)), p)
    over = divide((Wide.of(np.full_like(x, math.pi**-0.5)), a[0]), p)
    return twice.where(x < -20, over.where(x > 1e9, Wide.of(NUMPY.erfcx(x))))


def log_sum(a: Sequence[Wide], p: float) -> Wide:
    """log(exp(x) + exp(y))."""
    ahead = subtract(a, p)
    small = exponential((negative((absolute((ahead,), p),), p),), p)
    rest = small.where(small.e < -60, Wide.of(np.log1p(small.doubles)))
    return add((a[0].where(ahead.m > 0, a[1]), rest), p)


def log_sum_kappa2(a: Sequence[Wide], y: Wide) -> tuple[Array, ...]:
    one = Wide.of(np.ones_like(y.m))
    others = [exponential((subtract(pair, 0.0),), 0.0) for pair in (a[::-1], a)]
    shares = [divide((one, add((one, other), 0.0)), 0.0) for other in others]
    return tuple(
        np.square(multiply((x, share), 0.0).over(y)) for x, share in zip(a, shares, strict=True)
    )
