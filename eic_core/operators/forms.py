"""The sign of an operator's value, and whether it may jump, from its form alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

CONTINUOUS = frozenset(
    "neg abs cbrt hypot exp expm1 sin cos atan sinh cosh tanh asinh erf erfc erfcx logaddexp min"
    " max".split()
)
"""Operators with a value at all real operands, and without a jump; others may do anything."""

NEVER_NEGATIVE = frozenset(("abs", "hypot"))

ALWAYS_POSITIVE = frozenset(("exp", "cosh", "erfc", "erfcx"))


class ValueForm(NamedTuple):
    """What holds at any operands of given forms."""

    sign: int  # 1 or -1 if the value has no other sign and is not 0; else 0
    negative: bool  # Whether it may be negative
    smooth: bool  # Whether it has a value everywhere and never jumps, its operands being so


def form_of(operator: str, operands: Sequence[ValueForm], parameter: Fraction | None) -> ValueForm:
    """The form of an operator's value; `parameter` is an exact exponent.

    >>> positive, any_sign = ValueForm(1, False, True), ValueForm(0, True, True)
    >>> form_of("add", (positive, positive), None).sign
    1
    >>> [form_of("sqrt", (operand,), None).smooth for operand in (positive, any_sign)]
    [True, False]
    """
    first, last = operands[0], operands[-1]
    sign, smooth = 0, operator in CONTINUOUS
    if operator == "power" and parameter is not None:
        whole = parameter.denominator == 1
        even = whole and parameter % 2 == 0
        sign = 1 if even else first.sign if whole else int(first.sign == 1)
        sign = sign if first.sign else 0
        smooth = (whole or not first.negative) and (parameter > 0 or first.sign != 0)
    elif operator in ("add", "sub"):
        other = last.sign if operator == "add" else -last.sign
        sign, smooth = first.sign if first.sign == other else 0, True
    elif operator in ("mul", "div"):
        sign, smooth = first.sign * last.sign, operator == "mul" or last.sign != 0
    elif operator in ("sqrt", "log", "pow"):
        sign = int(first.sign == 1 and operator != "log")
        smooth = not first.negative and (first.sign == 1 or operator == "sqrt")
    elif operator == "neg":
        sign = -first.sign
    elif operator == "abs":
        sign = first.sign * first.sign
    elif operator in ALWAYS_POSITIVE:
        sign = 1
    negative = sign != 1 and operator not in NEVER_NEGATIVE
    return ValueForm(sign, negative, smooth)
