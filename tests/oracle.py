"""Operators by name with mpmath, at as many digits as are asked for: values only, no derivative.

It shares no code with the table of operators.  A number that can only be the rounding of what it
was made from is 0.  The usual precision is 340 digits; `mp.workdps` gives another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

mp = mpmath.MPContext()
mp.dps = 340

LARGEST_BITS, LEAST_BITS = 3_321_928, -(10**15)
"""A value beyond 10^(10^6) or below 10^(-3 10^14) is none, says the definition."""

FAIR_BITS = 150
"""A number is asked to be no nearer to a jump or an end than so many bits of it, or on it."""

GRIDDED = frozenset("floor ceil round asin acos acosh atanh gamma lgamma".split())
"""Operators that jump or end at half-integers."""

REMAINDERS = frozenset("mod fmod remainder".split())
"""Operators that jump where the quotient of their operands is a half-integer."""

Value = Callable[[Sequence[Any], Any], Any]
"""An operator's value from its operands and its parameter."""


class NoRealValue(Exception):
    """The operator is undefined here."""


class TooLarge(NoRealValue):
    """There is a value, but beyond these."""


class BeyondReach(Exception):
    """More digits than these would be needed to tell: not a fair question."""


def number(text: str) -> Any:
    """A literal's value."""
    if text in ("pi", "e"):
        return +getattr(mp, text)
    return _of_fraction(Fraction(text))


def apply(operator: str, a: Sequence[Any], parameter: Fraction | None = None) -> Any:
    """An operator's value.

    Raises
    ------
    NoRealValue
        Outside the domain, at a pole, or (`TooLarge`) beyond the sizes that are followed.
    BeyondReach
        Where it hangs on digits that these numbers do not have.
    """
    value = VALUES[operator](a, parameter)
    if value and not LEAST_BITS <= mp.mag(value) <= LARGEST_BITS:
        raise TooLarge
    return value


# --- what is rounding ---


def trusted_bits() -> int:
    """Further below what a number was made from, it is taken for a rounding."""
    return mp.prec * 5 // 6


def snapped(value: Any, bits: int) -> Any:
    """0 where a value of this size can only be the rounding of numbers of 2^bits."""
    return mp.zero if value and mp.mag(value) < bits - trusted_bits() else value


def bits_of(*values: Any) -> int:
    """The size of the largest."""
    return max((mp.mag(v) for v in values if v), default=0)


def gridded(x: Any) -> Any:
    """The half-integer that x differs from by rounding only, or x."""
    if not x or mp.mag(x) > mp.prec - 100:
        return x
    near = mp.nint(2 * x) / 2
    if not near or near == x:
        return x
    return x if snapped(x - near, bits_of(near)) else near


def check_fair(operator: str, a: Sequence[Any]) -> None:
    """Refuse an operand that differs from a jump, or an end, by less than is asked."""
    x = a[0] / a[1] if operator in REMAINDERS and a[1] else a[0]
    if operator in GRIDDED | REMAINDERS and x:
        near = mp.nint(2 * x) / 2
        gap = snapped(x - near, bits_of(near))
        if near and gap and mp.mag(gap) < mp.mag(near) - FAIR_BITS:
            raise BeyondReach


# --- operators ---


def _of_fraction(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def _need(holds: bool) -> None:
    if not holds:
        raise NoRealValue


def _need_size(fits: bool) -> None:
    if not fits:
        raise TooLarge


def _of_one(f: Callable[[Any], Any]) -> Value:
    return lambda a, p: f(a[0])


def _angle_fits(x: Any) -> Any:
    if x and mp.mag(x) > 9966:  # 10^3000: too large to be reduced, says the definition
        raise TooLarge
    if x and mp.mag(x) > mp.prec - 300:
        raise BeyondReach
    return x


def _sin(x: Any) -> Any:
    return snapped(mp.sin(_angle_fits(x)), bits_of(x))


def _cos(x: Any) -> Any:
    return snapped(mp.cos(_angle_fits(x)), max(0, bits_of(x)))


def _sum(a: Any, b: Any) -> Any:
    return snapped(a + b, bits_of(a, b))


def _over(a: Any, b: Any) -> Any:
    _need(b != 0)
    return a / b


def _exp(x: Any) -> Any:
    _need_size(LEAST_BITS * 0.693 < x < LARGEST_BITS * 0.693)
    return mp.exp(x)


def _log(x: Any, base: Fraction | None) -> Any:
    _need(x > 0)
    value = snapped(mp.log(x), 0)
    return value if base is None else value / mp.log(_of_fraction(base))


def _log1p(x: Any) -> Any:
    _need(x > -1)
    return mp.log1p(x)


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
    return _any_power(base, _of_fraction(p))


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


def _bounded(f: Callable[[Any], Any], least: float, most: float, *, ends: bool = True) -> Value:
    def value(a: Sequence[Any], p: Any) -> Any:
        x = gridded(a[0])
        _need(least <= x <= most and (ends or x not in (least, most)))
        return f(x)

    return value


def _grown(f: Callable[[Any], Any]) -> Value:
    def value(a: Sequence[Any], p: Any) -> Any:
        _need_size(abs(a[0]) < LARGEST_BITS * 0.693)
        return f(a[0])

    return value


def _saturated(f: Callable[[Any], Any], beyond: int) -> Value:
    return lambda a, p: f(a[0]) if abs(a[0]) < beyond else mp.sign(a[0])


def _expm1(a: Sequence[Any], p: Any) -> Any:
    return mp.expm1(a[0]) if a[0] < -1000 else _grown(mp.expm1)(a, p)


def _erfc(x: Any) -> Any:
    _need_size(x * x < -LEAST_BITS * 0.693 or x < 0)
    return mp.erfc(x) if x > -1000 else mp.mpf(2)


def _erfcx(x: Any) -> Any:
    _need_size(x > 0 or x * x < LARGEST_BITS * 0.693)
    with mp.workdps(mp.dps + 20):
        if x < 1000:
            return mp.exp(x * x) * mp.erfc(x)
        return mp.hyperu(0.5, 0.5, x * x) / mp.sqrt(mp.pi)


def _betaln(a: Sequence[Any], p: Any) -> Any:
    _need(a[0] > 0 and a[1] > 0)
    largest = bits_of(*a, *(1 / x for x in a))
    with mp.workprec(mp.prec + 2 * max(largest, 0) + 100):
        value = mp.loggamma(a[0]) + mp.loggamma(a[1]) - mp.loggamma(a[0] + a[1])
    return snapped(+value, 0)


def _logaddexp(a: Sequence[Any], p: Any) -> Any:
    larger, less = max(a), min(a)
    return larger + mp.log1p(_exp(less - larger)) if larger - less < -LEAST_BITS / 2 else larger


def _gamma(x: Any) -> Any:
    x = gridded(x)
    _need(x > 0 or x != mp.floor(x))
    _need_size(abs(x) < LARGEST_BITS)
    return mp.gamma(x)


def _log_gamma(x: Any) -> Any:
    x = gridded(x)
    _need(x > 0 or x != mp.floor(x))
    return snapped(mp.re(mp.loggamma(x)), 0)


def _floor(x: Any) -> Any:
    return mp.floor(gridded(x))


def _ceil(x: Any) -> Any:
    return mp.ceil(gridded(x))


def _round(x: Any) -> Any:
    x = gridded(x)
    low = mp.floor(x)
    rest = x - low
    if rest == 0.5:
        return low if int(low) % 2 == 0 else low + 1
    return low if rest < 0.5 else low + 1


def _towards_zero(x: Any) -> Any:
    return _floor(x) if x > 0 else _ceil(x)


def _rest(whole: Callable[[Any], Any]) -> Value:
    def value(a: Sequence[Any], p: Any) -> Any:
        quotient = gridded(_over(*a))
        if quotient and mp.mag(quotient) > mp.prec - 300:
            raise BeyondReach
        times = whole(quotient)
        return mp.zero if quotient == times else a[0] - a[1] * times

    return value


def _is_beyond(x: Any, edge: Any) -> bool:
    """Whether |x| exceeds an edge, and not by what may be rounding."""
    gap = snapped(abs(x) - edge, bits_of(edge)) if edge else x
    if edge and gap and mp.mag(gap) < mp.mag(edge) - FAIR_BITS:
        raise BeyondReach
    return bool(gap > 0 if edge else gap)


def _guarded(edge: str, f: Value, otherwise: int) -> Value:
    """A protected function: `f` where its last operand exceeds an edge."""
    return lambda a, p: f(a, p) if _is_beyond(a[-1], mp.mpf(edge)) else mp.mpf(otherwise)


def _compared(holds: Callable[[Any], bool]) -> Value:
    return lambda a, p: mp.mpf(holds(_sum(a[0], -a[1])))


COMPARED: dict[str, Value] = {
    "less_than": _compared(lambda ahead: ahead < 0),
    "less_equal": _compared(lambda ahead: ahead <= 0),
    "greater_than": _compared(lambda ahead: ahead > 0),
    "greater_equal": _compared(lambda ahead: ahead >= 0),
    "equal_to": _compared(lambda ahead: ahead == 0),
    "not_equal": _compared(lambda ahead: ahead != 0),
}
JOINED: dict[str, Value] = {
    "logical_and": lambda a, p: mp.mpf(all(a)),
    "logical_or": lambda a, p: mp.mpf(any(a)),
    "logical_not": lambda a, p: mp.mpf(not a[0]),
}
VALUES: dict[str, Value] = {
    **COMPARED,
    **JOINED,
    "conditional": lambda a, p: a[1] if a[0] else a[2],
    "add": lambda a, p: _sum(a[0], a[1]),
    "sub": lambda a, p: _sum(a[0], -a[1]),
    "mul": lambda a, p: a[0] * a[1],
    "div": lambda a, p: _over(a[0], a[1]),
    "fma": lambda a, p: _sum(a[0] * a[1], a[2]),
    "neg": lambda a, p: -a[0],
    "abs": lambda a, p: abs(a[0]),
    "power": lambda a, p: _exact_power(a[0], p),
    "sqrt": lambda a, p: _root(a[0], 2),
    "cbrt": lambda a, p: _root(a[0], 3),
    "root": lambda a, p: _root(a[0], int(p)),
    "pow": lambda a, p: _any_power(a[0], a[1]),
    "hypot": lambda a, p: mp.sqrt(a[0] * a[0] + a[1] * a[1]),
    "exp": _of_one(_exp),
    "expm1": _expm1,
    "log": lambda a, p: _log(a[0], p),
    "log1p": _of_one(_log1p),
    "sin": _of_one(_sin),
    "cos": _of_one(_cos),
    "tan": lambda a, p: _over(_sin(a[0]), _cos(a[0])),
    "cot": lambda a, p: _over(_cos(a[0]), _sin(a[0])),
    "sec": lambda a, p: _over(1, _cos(a[0])),
    "csc": lambda a, p: _over(1, _sin(a[0])),
    "asin": _bounded(mp.asin, -1, 1),
    "acos": _bounded(mp.acos, -1, 1),
    "atan": _of_one(mp.atan),
    "atan2": lambda a, p: _atan2(a[0], a[1]),
    "sinh": _grown(mp.sinh),
    "cosh": _grown(mp.cosh),
    "tanh": _saturated(mp.tanh, 10**4),
    "asinh": _of_one(mp.asinh),
    "acosh": _bounded(mp.acosh, 1, math.inf),
    "atanh": _bounded(mp.atanh, -1, 1, ends=False),
    "erf": _saturated(mp.erf, 10**3),
    "erfc": _of_one(_erfc),
    "erfcx": _of_one(_erfcx),
    "gamma": _of_one(_gamma),
    "lgamma": _of_one(_log_gamma),
    "betaln": _betaln,
    "logaddexp": _logaddexp,
    "mod": _rest(_floor),
    "fmod": _rest(_towards_zero),
    "remainder": _rest(_round),
    "min": lambda a, p: min(a),
    "max": lambda a, p: max(a),
    "sign": _of_one(mp.sign),
    "floor": _of_one(_floor),
    "ceil": _of_one(_ceil),
    "round": _of_one(_round),
    "gp_div": _guarded("0.001", lambda a, p: a[0] / a[1], 1),
    "deap_div": _guarded("0", lambda a, p: a[0] / a[1], 1),
    "gp_inv": _guarded("0.001", lambda a, p: 1 / a[0], 0),
    "gp_log": _guarded("0.001", lambda a, p: _log(abs(a[0]), None), 0),
}
