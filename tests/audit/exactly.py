"""Operators by name at 170 digits and more, with mpmath: values only, no derivative."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from eic_core.formula.tree import Node

mp = mpmath.MPContext()
DIGITS, MOST_DIGITS = 170, 900
STEP = mp.mpf(2) ** -233
"""About 10^-70."""

LARGEST_BITS, LEAST_BITS = 3_321_928, -(10**15)
"""A value beyond 10^(10^6) or below 10^(-3 10^14) is none, says the definition."""

SINGULAR_S2 = 1e60
"""Above s = 10^30 no digit is left, says the definition."""


FAIR_BITS = 150
"""A number is asked to be no nearer to a jump or an end than so many bits of it, or on it."""


class NoRealValue(Exception):
    """The operator is undefined here."""


class TooLarge(NoRealValue):
    """There is a value, but beyond these."""


class Unfair(Exception):
    """More digits than this oracle has would be needed to tell."""


def snapped(value: Any, bits: int) -> Any:
    """0 where a value of this size can only be the rounding of numbers of 2^bits."""
    return mp.zero if value and mp.mag(value) < bits - mp.prec + 60 else value


def bits_of(*values: Any) -> int:
    return max((mp.mag(v) for v in values if v), default=0)


def gridded(x: Any) -> Any:
    """The half-integer that x differs from by rounding only, or x."""
    if not x or mp.mag(x) > mp.prec - 100:
        return x
    near = mp.nint(2 * x) / 2
    if not near or near == x:
        return x
    return x if snapped(x - near, bits_of(near)) else near


GRIDDED = frozenset("floor ceil round asin acos acosh atanh gamma lgamma".split())


def check_fair(node: Node, a: Sequence[Any]) -> None:
    """Refuse an operand that differs from a jump, or an end, by less than is asked."""
    if node.operator in GRIDDED and a[0]:
        near = mp.nint(2 * a[0]) / 2
        gap = snapped(a[0] - near, bits_of(near))
        if near and gap and mp.mag(gap) < mp.mag(near) - FAIR_BITS:
            raise Unfair


def _need(holds: bool) -> None:
    if not holds:
        raise NoRealValue


def _need_size(fits: bool) -> None:
    if not fits:
        raise TooLarge


def _angle_fits(x: Any) -> Any:
    if x and mp.mag(x) > 9966:  # 10^3000: too large to be reduced, says the definition
        raise TooLarge
    if x and mp.mag(x) > mp.prec - 300:
        raise Unfair
    return x


def _sin(x: Any) -> Any:
    return snapped(mp.sin(_angle_fits(x)), bits_of(x))


def _cos(x: Any) -> Any:
    return snapped(mp.cos(_angle_fits(x)), max(0, bits_of(x)))


def _over(a: Any, b: Any) -> Any:
    _need(b != 0)
    return a / b


def _exp(x: Any) -> Any:
    _need_size(LEAST_BITS * 0.693 < x < LARGEST_BITS * 0.693)
    return mp.exp(x)


def _log(x: Any, base: Fraction | None) -> Any:
    _need(x > 0)
    value = snapped(mp.log(x), 0)
    return value if base is None else value / mp.log(mp.mpf(base.numerator) / base.denominator)


def _any_power(base: Any, exponent: Any) -> Any:
    if base == 0 and exponent > 0:
        return mp.zero
    _need(base > 0)
    return _exp(exponent * mp.log(base))


def _exact_power(base: Any, p: Fraction) -> Any:
    if base == 0:
        _need(p >= 0)
        return mp.one if p == 0 else mp.zero
    if p.denominator == 1:
        _need_size(LEAST_BITS < p * mp.mag(base) < 2 * LARGEST_BITS)
        return base**p.numerator
    if p.denominator == 2:
        _need(base > 0)
        return mp.sqrt(base) ** p.numerator
    return _any_power(base, mp.mpf(p.numerator) / p.denominator)


def _root(x: Any, index: int) -> Any:
    if x == 0:
        return mp.zero
    if x < 0:
        _need(index % 2 == 1)
        return -_root(-x, index)
    return mp.sqrt(x) if index == 2 else mp.root(x, index)


def _atan2(y: Any, x: Any) -> Any:
    _need(bool(y) or bool(x))
    return mp.atan2(y, x)


def _bounded(f: Callable[[Any], Any], least: float, most: float, ends: bool) -> Any:
    def value(a: Sequence[Any], p: Any) -> Any:
        x = gridded(a[0])
        _need(least <= x <= most and (ends or x not in (least, most)))
        return f(x)

    return value


def _round(x: Any) -> Any:
    low = mp.floor(x)
    rest = x - low
    if rest == 0.5:
        return low if int(low) % 2 == 0 else low + 1
    return low if rest < 0.5 else low + 1


def _grown(f: Callable[[Any], Any]) -> Any:
    def value(a: Sequence[Any], p: Any) -> Any:
        _need_size(abs(a[0]) < LARGEST_BITS * 0.693)
        return f(a[0])

    return value


def _gamma(x: Any) -> Any:
    _need(x > 0 or x != mp.floor(x))
    _need_size(abs(x) < LARGEST_BITS)
    return mp.gamma(x)


def _log_gamma(x: Any) -> Any:
    _need(x > 0 or x != mp.floor(x))
    return snapped(mp.re(mp.loggamma(x)), 0)


def _erfc(x: Any) -> Any:
    _need_size(x * x < -LEAST_BITS * 0.693 or x < 0)
    return mp.erfc(x) if x > -1000 else mp.mpf(2)


def _sum(a: Any, b: Any) -> Any:
    return snapped(a + b, bits_of(a, b))


def _compared(holds: Callable[[Any], bool]) -> Callable[[Sequence[Any], Any], Any]:
    return lambda a, p: mp.mpf(holds(_sum(a[0], -a[1])))


COMPARED: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "less_than": _compared(lambda ahead: ahead < 0),
    "less_equal": _compared(lambda ahead: ahead <= 0),
    "greater_than": _compared(lambda ahead: ahead > 0),
    "greater_equal": _compared(lambda ahead: ahead >= 0),
    "equal_to": _compared(lambda ahead: ahead == 0),
    "not_equal": _compared(lambda ahead: ahead != 0),
}
JOINED: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "logical_and": lambda a, p: mp.mpf(all(a)),
    "logical_or": lambda a, p: mp.mpf(any(a)),
    "logical_not": lambda a, p: mp.mpf(not a[0]),
}
EXACT: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    **COMPARED,
    **JOINED,
    "conditional": lambda a, p: a[1] if a[0] else a[2],
    "add": lambda a, p: _sum(a[0], a[1]),
    "sub": lambda a, p: _sum(a[0], -a[1]),
    "mul": lambda a, p: a[0] * a[1],
    "div": lambda a, p: _over(a[0], a[1]),
    "neg": lambda a, p: -a[0],
    "abs": lambda a, p: abs(a[0]),
    "power": lambda a, p: _exact_power(a[0], p),
    "sqrt": lambda a, p: _root(a[0], 2),
    "cbrt": lambda a, p: _root(a[0], 3),
    "root": lambda a, p: _root(a[0], int(p)),
    "pow": lambda a, p: _any_power(a[0], a[1]),
    "hypot": lambda a, p: mp.sqrt(a[0] * a[0] + a[1] * a[1]),
    "exp": lambda a, p: _exp(a[0]),
    "expm1": lambda a, p: mp.expm1(a[0]) if a[0] < -1000 else _grown(mp.expm1)(a, p),
    "log": lambda a, p: _log(a[0], p),
    "log1p": lambda a, p: _over(mp.log1p(a[0]), 1) if a[0] > -1 else _over(1, 0),
    "sin": lambda a, p: _sin(a[0]),
    "cos": lambda a, p: _cos(a[0]),
    "tan": lambda a, p: _over(_sin(a[0]), _cos(a[0])),
    "cot": lambda a, p: _over(_cos(a[0]), _sin(a[0])),
    "sec": lambda a, p: _over(1, _cos(a[0])),
    "csc": lambda a, p: _over(1, _sin(a[0])),
    "asin": _bounded(mp.asin, -1, 1, True),
    "acos": _bounded(mp.acos, -1, 1, True),
    "atan": lambda a, p: mp.atan(a[0]),
    "atan2": lambda a, p: _atan2(a[0], a[1]),
    "sinh": _grown(mp.sinh),
    "cosh": _grown(mp.cosh),
    "tanh": lambda a, p: mp.tanh(a[0]) if abs(a[0]) < 10**4 else mp.sign(a[0]),
    "asinh": lambda a, p: mp.asinh(a[0]),
    "acosh": _bounded(mp.acosh, 1, math.inf, True),
    "atanh": _bounded(mp.atanh, -1, 1, False),
    "erf": lambda a, p: mp.erf(a[0]) if abs(a[0]) < 10**3 else mp.sign(a[0]),
    "erfc": lambda a, p: _erfc(a[0]),
    "gamma": lambda a, p: _gamma(gridded(a[0])),
    "lgamma": lambda a, p: _log_gamma(gridded(a[0])),
    "min": lambda a, p: min(a),
    "max": lambda a, p: max(a),
    "sign": lambda a, p: mp.sign(a[0]),
    "floor": lambda a, p: mp.floor(gridded(a[0])),
    "ceil": lambda a, p: mp.ceil(gridded(a[0])),
    "round": lambda a, p: _round(gridded(a[0])),
}

STEPS = frozenset("sign floor ceil round".split())


def on_jump(name: str, x: Any) -> bool:
    if name == "sign":
        return not x
    if x and mp.mag(x) > mp.prec - 300:
        raise Unfair
    x = gridded(x)
    return bool(mp.frac(x) == (0.5 if name == "round" else 0))


ROUGH = frozenset(
    "abs min max sign floor ceil round atan2 sqrt root asin acos acosh pow power hypot cbrt".split()
)
"""Where a move to one side may show what a move to the other does not."""

ONES = dict.fromkeys("neg abs sin tan asin atan sinh tanh asinh atanh expm1 log1p erf".split(), 1)


def limit_at_zero(name: str, a: Sequence[Any], p: Any, i: int) -> float | None:
    """The one finite limit other than 0 of the i-th condition number where the value is 0."""
    if name in ("mul", "div") and not (name == "mul" and not any(a)):
        return -1.0 if name == "div" and i else 1.0
    if name == "mul":
        return 1.0
    if name in ONES:
        return 1.0 if a[0] == 0 else None
    if name == "power":
        return float(p)
    if name == "pow":
        return float(a[1]) if i == 0 else None
    if name in ("sqrt", "cbrt", "root"):
        return 1 / {"sqrt": 2, "cbrt": 3}.get(name, int(p or 1))
    if name == "atan2" and a[1] > 0:
        return -1.0 if i else 1.0
    return None


def number(text: str) -> Any:
    """A literal's value."""
    if text in ("pi", "e"):
        return +getattr(mp, text)
    fraction = Fraction(text)
    return mp.mpf(fraction.numerator) / fraction.denominator


def apply(node: Node, a: Sequence[Any]) -> Any:
    value = EXACT[node.operator](a, node.parameter)
    if value and not LEAST_BITS <= mp.mag(value) <= LARGEST_BITS:
        raise TooLarge
    return value
