"""The number at which a form turns to another: where both are about equally good, and round."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from eic_core.operators.wide import Array
from eic_core.rewriting.terms import number_text

SLACK = 0.01
"""Digits, in the mean over all rows, that a round threshold may cost."""

WIDE = 1.1
"""Where the two numbers between which a threshold lies differ by more, points between are tried."""

MOST_DIGITS = 17


def cuts(values: Array, below: Array, above: Array, slack: float) -> tuple[float, float]:
    """Between which two numbers a threshold may lie: over the first, at most the second.

    `below` and `above` are the digits that each row loses under the threshold and from it on;
    every cut in the interval costs at most `slack` more, in sum, than the best.

    >>> values = np.array([1.0, 2, 3, 4, 5])
    >>> cuts(values, np.array([0.0, 0, 1, 4, 4]), np.array([5.0, 5, 1, 0, 0]), 0.5)
    (2.0, 4.0)
    """
    order = np.argsort(values, kind="stable")
    values, below, above = values[order], below[order], above[order]
    inner = np.flatnonzero(values[1:] > values[:-1]) + 1
    before = np.concatenate([[0.0], np.cumsum(below)])
    after = np.concatenate([[0.0], np.cumsum(above)])
    cost = before[inner] + after[-1] - after[inner]
    best = int(np.argmin(cost))
    fits = cost <= cost[best] + slack
    first = last = best
    while first > 0 and fits[first - 1]:
        first -= 1
    while last + 1 < len(inner) and fits[last + 1]:
        last += 1
    return float(values[inner[first] - 1]), float(values[inner[last]])


def refined(
    low: float,
    high: float,
    rows: tuple[Array, Array, Array],
    between: Callable[[float, float], tuple[Array, Array, Array] | None],
    slack: float,
    rounds: int = 2,
) -> tuple[float, float]:
    """The interval of a threshold after bisection: `between` gives further points in an interval,
    their values of the quantity and what both sides lose there; `rows` are those of the data.
    """
    values, below, above = rows
    for _ in range(rounds):
        if not _is_wide(low, high):
            break
        further = between(low, high)
        if further is None:
            break
        values = np.concatenate([values, further[0]])
        below, above = np.concatenate([below, further[1]]), np.concatenate([above, further[2]])
        narrower = cuts(values, below, above, slack)
        low, high = max(low, narrower[0]), min(high, narrower[1])
    return low, high


def _is_wide(low: float, high: float) -> bool:
    if low < 0 <= high:
        return False  # 0 is the roundest number
    small, large = sorted((abs(low), abs(high)))
    return small == 0 or large / small > WIDE


def roundest(low: float, high: float) -> str:
    """The roundest number over the first and at most the second: 0, a power of ten, a number of
    one digit, of two, and so on; of those equally round the one nearest to the middle.

    >>> roundest(-3.0, 8.0), roundest(0.02, 40.0), roundest(0.2, 0.9), roundest(2.4, 2.5)
    ('0', '1', '0.4', '2.5')
    >>> roundest(-41.0, -12.0), roundest(3.0, 3.0000000000000004), roundest(1e-200, 1e-100)
    ('-30', '3.0000000000000004', '1e-150')
    """
    if low < 0 <= high:
        return "0"
    low, high = max(low, -1.7e308), min(high, 1.7e308)
    if high <= 0:  # the other way round, with the other end included
        return _text(_rounded(Fraction(-high), Fraction(-low), -1), high)
    return _text(_rounded(Fraction(low), Fraction(high), 1), high)


def _rounded(low: Fraction, high: Fraction, sign: int) -> Fraction | None:
    """Of positive numbers, the end that is included being the upper, or with sign -1 the lower."""

    def fits(number: Fraction) -> bool:
        double = Fraction(float(number))  # What the rows are compared with: 2.4 is not over 2.4
        return low < double <= high if sign > 0 else low <= double < high

    middle = _middle(low, high)
    powers = range(
        _exponent(low) if low else _exponent(high) - 6, _exponent(high) + 1 if high else 1
    )
    tens = [ten for power in powers if fits(ten := Fraction(10) ** power)]
    if tens:
        return sign * min(tens, key=lambda ten: abs(math.log10(ten / middle)))
    for digits in range(1, MOST_DIGITS + 1):
        unit = Fraction(10) ** (_exponent(middle) - digits + 1)
        nearest = round(middle / unit)
        near = [number for k in (0, 1, -1) if fits(number := (nearest + k) * unit)]
        if near:
            return sign * near[0]
    return None


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Of their logarithms, where they are decades apart."""
    if low > 0 and high / low <= 4:
        return (low + high) / 2
    if not low:
        return high / 10
    exponent = (_log10(low) + _log10(high)) / 2
    whole = math.floor(exponent)
    return Fraction(10.0 ** (exponent - whole)) * Fraction(10) ** whole


def _log10(number: Fraction) -> float:
    return math.log10(number.numerator) - math.log10(number.denominator)


def _exponent(number: Fraction) -> int:
    return math.floor(_log10(number))


def _text(number: Fraction | None, high: float) -> str:
    if number is None:
        return repr(high)
    text = number_text(number)
    if text is not None and float(number) == float(text) and len(text) < 8:
        return text
    return (
        f"{float(number):.16g}"
        if float(f"{float(number):.16g}") == float(number)
        else repr(float(number))
    )
