"""Values of trees by mpmath's own functions: shares no code with the operator table."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

from eic_core.formula.tree import CONSTANT, VARIABLE, Draft

MP = mpmath.MPContext()
MP.dps = 120


LARGEST_BITS = 3000
TURNS = frozenset(("sin", "cos", "tan", "cot", "sec", "csc", "floor", "ceil"))
PHASE_BITS = 40


class NoValue(Exception):
    """The expression has no real value here."""


class TooFar(NoValue):
    """A value is too far out for 120 digits to say anything."""


def _real(value: Any) -> Any:
    if isinstance(value, MP.mpc) or not MP.isfinite(value):
        raise NoValue
    return value


def _power(base: Any, exponent: Any) -> Any:
    if base <= 0:
        raise NoValue
    raised = exponent * MP.log(base)
    if abs(raised) > 10**5:
        raise TooFar
    return MP.exp(raised)


def _exp(x: Any) -> Any:
    if abs(x) > 1000:
        raise TooFar
    return MP.exp(x)


def _sinh(x: Any) -> Any:
    return (_exp(x) - _exp(-x)) / 2


def _cosh(x: Any) -> Any:
    return (_exp(x) + _exp(-x)) / 2


def _exact_power(base: Any, exponent: Fraction) -> Any:
    if exponent.denominator == 1:
        return base**exponent.numerator
    if base < 0 or (base == 0 and exponent < 0):
        raise NoValue
    return MP.sqrt(base) ** exponent.numerator


FUNCTIONS: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": abs,
    "pow": _power,
    "min": min,
    "max": max,
    "fma": lambda a, b, c: a * b + c,
    "hypot": lambda a, b: MP.sqrt(a * a + b * b),
    "cbrt": lambda a: MP.sign(a) * MP.cbrt(abs(a)),
    "exp": _exp,
    "sinh": _sinh,
    "cosh": _cosh,
    "expm1": lambda a: _exp(a) - 1,
    "log1p": lambda a: MP.log(1 + a),
    "atan2": lambda a, b: MP.arg(MP.mpc(b, a)),
    "cot": lambda a: MP.cos(a) / MP.sin(a),
    "sec": lambda a: 1 / MP.cos(a),
    "csc": lambda a: 1 / MP.sin(a),
    "lgamma": lambda a: MP.log(abs(MP.gamma(a))),
    "remainder": lambda a, b: a - b * MP.nint(a / b),
    **{
        name: getattr(MP, name)
        for name in (
            "sqrt",
            "log",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "erf",
            "erfc",
            "gamma",
            "sign",
            "floor",
            "ceil",
        )
    },
}


def number(text: str) -> Any:
    """A constant's text as a number."""
    if text in ("pi", "e"):
        return +getattr(MP, text)
    value = Fraction(text)
    return MP.mpf(value.numerator) / value.denominator


RELATIONS = {
    "less_than": operator.lt,
    "less_equal": operator.le,
    "greater_than": operator.gt,
    "greater_equal": operator.ge,
    "logical_and": lambda left, right: bool(left and right),
}


def value(draft: Draft, bindings: Mapping[str, Any]) -> Any:
    """The value of a tree.

    Raises
    ------
    NoValue
        Outside its real domain.
    """
    if draft.operator == VARIABLE:
        return bindings[draft.label]
    if draft.operator == CONSTANT:
        return number(draft.label)
    if draft.operator == "conditional":
        condition, held, other = draft.children
        return value(held if value(condition, bindings) else other, bindings)
    operands = [value(child, bindings) for child in draft.children]
    largest = PHASE_BITS if draft.operator in TURNS else LARGEST_BITS
    if any(operand and MP.mag(operand) > largest for operand in operands):
        raise TooFar
    if draft.operator in RELATIONS:
        return RELATIONS[draft.operator](*operands)
    try:
        if draft.operator == "power":
            assert draft.parameter is not None
            return _real(_exact_power(operands[0], draft.parameter))
        if draft.operator == "root":
            assert draft.parameter is not None
            index = draft.parameter.numerator
            if operands[0] < 0 and index % 2 == 0:
                raise NoValue
            return _real(MP.sign(operands[0]) * MP.root(abs(operands[0]), index))
        result = _real(FUNCTIONS[draft.operator](*operands))
        if draft.operator == "log" and draft.parameter is not None:
            result /= MP.log(number(str(draft.parameter)))
        return result
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise NoValue from error


def same(left: Any, right: Any) -> bool:
    """Equal to 40 digits, or both 0 as far as 120 digits tell: half as many under a root."""
    return bool(
        abs(left - right) <= MP.mpf(10) ** -40 * max(abs(left), abs(right))
        or max(abs(left), abs(right)) < MP.mpf(10) ** -55
    )
