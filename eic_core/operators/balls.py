"""Arb's balls: numbers with a proved error, at a working precision that one thread owns at a time.

`flint.ctx.prec` belongs to the whole process. Whoever reckons with balls does so inside `working`,
which holds a lock.
"""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
from flint import arb, fmpq

Ball = Any
"""A `flint.arb`."""

EXACT_BITS = 1 << 62
"""`rel_accuracy_bits` of a ball without an error is larger."""

HALF, LARGEST = arb(0.5), arb("1e1000000")

BEYOND = arb(math.inf) + arb(0, 1)
"""Larger than every number, and no digit of it is known."""

_MOST_PLACES = 1000
"""Longer numbers are left to Arb."""

_LOCK = threading.RLock()


class working:
    """Reckon with so many bits; other threads wait.

    >>> with working(64):
    ...     third = arb(1) / 3
    >>> third.rel_accuracy_bits() >= 62
    True
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _LOCK.acquire()
        self._before = flint.ctx.prec
        flint.ctx.prec = self._bits

    def __exit__(self, *error: object) -> None:
        flint.ctx.prec = self._before
        _LOCK.release()


def rational(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)


@lru_cache(maxsize=1024)
def _power_of_ten(exponent: int) -> Ball:
    return arb(10**exponent)


def read_number(text: str) -> Ball:
    """The ball of a number's text, a decimal or a fraction, at the working precision.

    >>> [read_number(text) == value for text, value in (("-2.5e1", -25), ("1/4", 0.25))]
    [True, True]
    """
    if "/" in text:
        return arb(rational(Fraction(text)))
    digits, _, exponent = text.partition("e")  # several times as fast as Arb's own reading
    whole, _, rest = digits.partition(".")
    try:
        mantissa, places = int(whole + rest), int(exponent or 0) - len(rest)
    except ValueError:
        return arb(text)
    if not -_MOST_PLACES < places < _MOST_PLACES:
        return arb(text)
    power = _power_of_ten(abs(places))
    return mantissa * power if places > 0 else mantissa / power if places else arb(mantissa)


def magnitude(x: Ball) -> int:
    """The binary exponent of |x|, of its midpoint: 2^(e - 1) <= |x| < 2^e; very small for 0.

    >>> magnitude(arb(1)), magnitude(arb(0.75)), magnitude(arb(0)) < -(10**12)
    (1, 0, True)
    """
    if x == 0 or not x.is_finite():
        return EXACT_BITS if x != 0 else -EXACT_BITS
    mantissa, exponent = x.mid().man_exp()
    return int(mantissa).bit_length() + int(exponent) if mantissa else -EXACT_BITS


def contains_zero(x: Ball) -> bool:
    """Whether a ball may be 0; so may one without a value."""
    return not (x < 0 or x > 0)


class Balls:
    """What a row's formulas may call, over balls at the working precision; as `NUMPY` over arrays.

    A value is *decided* before a rule asks for it: 0 exactly, or a ball without 0. Comparisons of
    others have no answer that holds.
    """

    inf, nan = arb(math.inf), arb(math.nan)

    def __getattr__(self, name: str) -> Any:
        method = getattr(arb, name)  # sin, exp, gamma: whatever Arb has by the same name

        def function(x: Any, *others: Any) -> Ball:
            return method(_ball(x), *others)

        setattr(self, name, function)
        return function

    @property
    def pi(self) -> Ball:
        return arb.pi()

    @staticmethod
    def number(value: Fraction) -> Ball:
        return arb(rational(value))

    @staticmethod
    def sign(x: Any) -> Ball:
        return _ball(x).sgn()

    @staticmethod
    def abs(x: Any) -> Ball:
        return abs(_ball(x))

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        return a if condition else b  # both have been computed, as for arrays

    @staticmethod
    def isnan(x: Any) -> bool:
        return bool(_ball(x).is_nan())

    @staticmethod
    def isfinite(x: Any) -> bool:
        return bool(_ball(x).is_finite())

    @staticmethod
    def log(x: Any) -> Ball:
        return Balls.inf * -1 if x == 0 else _ball(x).log()

    @staticmethod
    def over(a: Any, b: Any) -> Ball:
        """a / b; infinite where b alone is 0, nan where both are."""
        if b != 0:
            return a / b
        a = _ball(a)
        return Balls.inf * a.sgn() if b == 0 and a != 0 else Balls.nan

    @staticmethod
    def pow(a: Any, b: Any) -> Ball:
        return Balls.inf if a == 0 and b < 0 else _ball(a) ** b

    @staticmethod
    def hypot(a: Any, b: Any) -> Ball:
        return (_ball(a) ** 2 + _ball(b) ** 2).sqrt()

    @staticmethod
    def atan2(y: Any, x: Any) -> Ball:
        return arb.atan2(_ball(y), _ball(x))

    @staticmethod
    def nint(x: Any) -> Ball:
        """The nearest integer, of two the even one; a wide ball where it is not decided."""
        whole = x.floor()
        rest = x - whole
        if rest < 0.5 or rest > 0.5:
            return whole + (1 if rest > 0.5 else 0)
        if rest == 0.5:
            return whole + (whole.unique_fmpz() or 0) % 2
        return (x + 0.5).floor()

    @staticmethod
    def erfc(x: Any) -> Ball:
        y = x.erfc()
        if contains_zero(y):  # Arb's bound at a ball of 10^6 is 10^3000 times too wide
            return x.lower().erfc().union(x.upper().erfc())
        return y

    @staticmethod
    def erfcx(x: Any) -> Ball:
        if x > 1:
            return (x * x).hypgeom_u(HALF, HALF) / arb.pi().sqrt()
        value = (x * x).exp() * Balls.erfc(x)
        return BEYOND if x < 0 and not 0 < value < LARGEST else value

    @staticmethod
    def erfcx_kappa(x: Any, y: Any) -> Ball:
        if x > 1:
            return -x * (x * x).hypgeom_u(arb(1), HALF) / (x * x).hypgeom_u(HALF, HALF)
        return 2 * x * (x - 1 / (arb.pi().sqrt() * y))

    @staticmethod
    def digamma_rise(x: Any, h: Any) -> Ball:
        return (x + h).digamma() - x.digamma()

    @staticmethod
    def maximum(x: Any, y: Any) -> Ball:
        return x.max(y)

    @staticmethod
    def lgamma(x: Any) -> Ball:
        """log |gamma(x)|, on both sides of 0."""
        return x.lgamma() if x > 0 else abs(x.gamma()).log()


def _ball(x: Any) -> Ball:
    return x if x.__class__ is arb else arb(x)


BALLS = Balls()
