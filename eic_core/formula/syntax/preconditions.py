"""The ranges that an FPCore's ``:pre`` states: ``(<= 1 x 10)``, ``(< 0 x)``, ``and`` of them.

Numbers bound the variables between them, in a chain of any length.  What else a precondition may
say, such as ``(< x y)`` or ``(or …)``, is no range of a variable.

Standard: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from eic_core.formula.syntax.tokens import DECIMAL

_NUMBER = re.compile(rf"[+-]?(?:{DECIMAL}|[0-9]{{1,400}}+/[0-9]{{1,400}}+)\Z")
_RISING, _FALLING = ("<", "<="), (">", ">=")
_KNOWN = {"PI": math.pi, "E": math.e}
_LONGEST = 400


class FormLike(Protocol):
    """An atom (`items` is None) or a bracketed list of an s-expression."""

    text: str

    @property
    def items(self) -> Sequence[FormLike] | None:
        """What a list holds."""

    @property
    def head(self) -> str:
        """The first atom of a list."""


@dataclass
class Ranges:
    """What a precondition says of each variable alone.

    Attributes
    ----------
    low, high : dict of str to float
        The largest lower and the smallest upper bound that is stated.
    complete : bool
        Whether it says nothing else.
    """

    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    complete: bool = True

    def bounded(self, names: Collection[str]) -> list[tuple[str, float, float]]:
        """Those of `names` that lie between two numbers, with these."""
        both = [(n, self.low[n], self.high[n]) for n in names if n in self.low and n in self.high]
        return [each for each in both if each[1] <= each[2]]


def read_ranges(condition: FormLike, arguments: Collection[str]) -> Ranges:
    """The ranges that a precondition states.

    Parameters
    ----------
    condition : FormLike
        What follows ``:pre``.
    arguments : collection of str
        The names that are variables.
    """
    found = Ranges()
    todo = [condition]
    while todo:
        form = todo.pop()
        items = form.items
        if items is None:
            found.complete &= form.text == "TRUE"
        elif form.head == "and":
            todo += items[1:]
        elif form.head in _RISING:
            _bound(found, items[1:], arguments)
        elif form.head in _FALLING:
            _bound(found, items[:0:-1], arguments)
        else:
            found.complete = False
    return found


def _bound(found: Ranges, rising: Sequence[FormLike], arguments: Collection[str]) -> None:
    """Take in a chain whose members grow from left to right."""
    values = [_value(form) for form in rising]
    names = [_variable(form, arguments) for form in rising]
    last = None
    for value, (name, _) in zip(values, names, strict=True):
        last = value if value is not None else last
        if name and last is not None:
            found.low[name] = max(found.low.get(name, last), last)
    last = None
    for value, (name, absolute) in zip(reversed(values), reversed(names), strict=True):
        last = value if value is not None else last
        if name and last is not None:
            found.high[name] = min(found.high.get(name, last), last)
            if absolute:
                found.low[name] = max(found.low.get(name, -last), -last)
    alone = sum(bool(name) for name, _ in names) == 1
    known = sum(value is not None for value in values)
    found.complete &= alone and known == len(values) - 1


def _variable(form: FormLike, arguments: Collection[str]) -> tuple[str, bool]:
    """The variable that a form is, or that it is the absolute value of; ("", False) for others."""
    if form.items is None:
        return (form.text, False) if form.text in arguments else ("", False)
    if form.head in ("fabs", "abs") and len(form.items) == 2 and form.items[1].text in arguments:
        return form.items[1].text, True
    return "", False


def _value(form: FormLike) -> float | None:
    """The number that a form is, if it is one in double range."""
    sign, items = 1.0, form.items
    if items is not None:
        if form.head != "-" or len(items) != 2:
            return None
        form, sign = items[1], -1.0
    text = form.text
    if form.items is None and text in _KNOWN:
        return sign * _KNOWN[text]
    if form.items is not None or len(text) > _LONGEST or not _NUMBER.match(text):
        return None
    try:
        value = float(Fraction(text)) if "/" in text else float(text)
    except (OverflowError, ZeroDivisionError):
        return None
    return sign * value if math.isfinite(value) else None
