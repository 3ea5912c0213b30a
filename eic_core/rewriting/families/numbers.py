"""Functions of numbers as one number, where that is exact."""

from __future__ import annotations

import math
from fractions import Fraction

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import MAX_EXPONENT, Builder
from eic_core.rewriting.matching import exponent_of
from eic_core.rewriting.rules import Named

VALUES = {
    Fraction(0): dict.fromkeys(
        "sin tan asin atan sinh tanh asinh atanh erf expm1 log1p sqrt cbrt root abs sign floor"
        " ceil".split(),
        0,
    )
    | dict.fromkeys("exp cos sec cosh erfc".split(), 1),
    Fraction(1): dict.fromkeys("log acos acosh".split(), 0),
}
"""Of functions at 0 and at 1."""

TURNS: dict[str, dict[Fraction, int | Fraction]] = {
    "sin": {Fraction(1, 6): Fraction(1, 2), Fraction(1, 2): 1, Fraction(5, 6): Fraction(1, 2)},
    "tan": {Fraction(1, 4): 1, Fraction(3, 4): -1},
}
"""Rational values beside 0, by the argument in half turns below 1."""


def folded_numbers(build: Builder, number: int) -> Named:
    """A function of numbers as one number.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> def folded(text):
    ...     terms = Terms()
    ...     found = folded_numbers(Builder(terms), terms.add(read(text).formula))
    ...     return "".join(to_python(terms.formula(term)) for _, term in found)
    >>> [folded(t) for t in ("sin(pi)", "cos(pi/3)", "tan(-5*pi/4)", "log10(1000)", "cbrt(8)")]
    ['0', '0.5', '-1', '3', '2']
    >>> [folded(t) for t in ("log(1)", "exp(0)", "2**10", "hypot(3, 4)", "sqrt(2)", "x**0")]
    ['0', '1', '1024', '5', '', '1']
    """
    value = folded_value(build, number)
    folded = None if value is None else build.number(value)
    if folded is not None and folded != number:
        yield "merging numbers", folded


def folded_value(build: Builder, number: int) -> Fraction | None:
    """The rational value of an operator over numbers, where one is known."""
    term = build.terms[number]
    if term.operator == "power" and term.parameter == 0:
        return Fraction(1)
    values = [build.terms.number(child) for child in term.children]
    if term.operator == "pow" and values[1] == 0:
        return Fraction(1)
    if len(values) == 1:
        turns = _half_turns(build, term.children[0])
        if turns is not None and term.operator in ("sin", "cos", "tan", "cot", "sec", "csc"):
            return _of_half_turns(term.operator, turns)
        if term.operator == "log" and build.terms[term.children[0]].label == "e":
            return Fraction(1) if term.parameter is None else None
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    value = known[0]
    at_value = VALUES.get(value, {})
    if len(known) == 1 and term.operator in at_value:
        return Fraction(at_value[term.operator])
    exponent = known[1] if term.operator == "pow" else exponent_of(term.operator, term.parameter)
    if exponent is not None:
        return rational_power(value, exponent)
    if term.operator == "log" and term.parameter is not None:
        return _logarithm(value, term.parameter)
    if term.operator == "hypot":
        return rational_power(known[0] ** 2 + known[1] ** 2, Fraction(1, 2))
    if term.operator == "abs":
        return abs(value)
    return None


def _half_turns(build: Builder, number: int) -> Fraction | None:
    """The angle as a multiple of pi."""
    if build.terms.number(number) == 0:
        return Fraction(0)
    weight, rest = build.coefficient(number)
    term = build.terms[rest]
    return weight if term.operator == CONSTANT and term.label == "pi" else None


def _of_half_turns(function: str, turns: Fraction) -> Fraction | None:
    reciprocal = {"csc": "sin", "sec": "cos", "cot": "tan"}.get(function)
    if reciprocal is not None:
        under = _of_half_turns(reciprocal, turns)
        if function == "cot" and turns % 1 == Fraction(1, 2):
            return Fraction(0)
        return 1 / under if under else None
    if function == "cos":
        function, turns = "sin", turns + Fraction(1, 2)
    whole, part = divmod(turns, 1)
    sign = -1 if function == "sin" and whole % 2 else 1
    value = Fraction(0) if part == 0 else TURNS[function].get(part)
    return None if value is None else Fraction(sign * value)


def rational_power(value: Fraction, exponent: Fraction) -> Fraction | None:
    """A rational power that is rational."""
    if abs(exponent) > MAX_EXPONENT or value == 0 and exponent <= 0:
        return None
    degree = exponent.denominator
    if value < 0 and degree % 2 == 0:
        return None
    over, under = (_root(abs(part), degree) for part in (value.numerator, value.denominator))
    if over is None or under is None:
        return None
    return Fraction(over if value > 0 else -over, under) ** exponent.numerator


def _root(value: int, degree: int) -> int | None:
    near = value if degree == 1 else math.isqrt(value) if degree == 2 else None
    if near is None:
        near = round(value ** (1 / degree)) if value < 10**15 else 0
    return near if near**degree == value else None


def _logarithm(value: Fraction, base: Fraction) -> Fraction | None:
    if value <= 0:
        return None
    near = round(math.log(value) / math.log(base))
    return Fraction(near) if abs(near) <= 400 and base**near == value else None
