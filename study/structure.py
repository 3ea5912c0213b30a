"""What the eye sees of a formula beside its size: calls of functions, nesting, depth, length."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from typing import Any

from eic_core.errors import FormulaError
from eic_core.formula.syntax import Reading, read
from eic_core.formula.syntax.protected import PLAIN
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.operators import OPERATORS
from eic_core.operators.writing import ATOM


@dataclass(frozen=True)
class VisibleStructure:
    calls: int  # Operators that are written as a function of their operands, such as a root
    nesting: int  # The most of them on one way from the root to a leaf
    depth: int  # Nodes on the longest way from the root to a leaf, less one
    length: int  # Symbols: one for an operator or a variable, the digits for a number
    digits: int  # Digits of all numbers, zeros before the first other digit left out

    def less(self, other: VisibleStructure) -> tuple[int, ...]:
        return tuple(a - b for a, b in zip(astuple(self), astuple(other), strict=True))


def structure_of(formula: Formula) -> VisibleStructure:
    """The visible structure of a tree.

    >>> structure_of(read("2.50*sqrt(x + exp(y)^2)").formula)
    VisibleStructure(calls=2, nesting=2, depth=5, length=10, digits=3)
    """
    within: list[int] = []
    calls = length = digits = 0
    for node in formula:
        called = node.operator not in (CONSTANT, VARIABLE) and _is_call(node.operator)
        calls += called
        within.append(max((within[child] for child in node.children), default=0) + called)
        if node.operator == CONSTANT:
            width = digits_of(node.label)
            digits += width
            length += width
        else:
            length += 1
    return VisibleStructure(calls, within[-1], max(formula.depths), length, digits)


def digits_of(label: str) -> int:
    """Digits of a number as written, at least one; a named number is one symbol.

    >>> digits_of("-0.0250"), digits_of("1e-3"), digits_of("pi"), digits_of("0")
    (3, 1, 1, 1)
    """
    mantissa = re.split(r"[eE]", label)[0] if label[:1] not in ("e", "p") else ""
    return max(1, len(re.sub(r"\D", "", mantissa).lstrip("0")))


def read_with_functions(functions: Mapping[str, str], text: str, **options: Any) -> Reading:
    """A formula with others than a tool's own functions; `functions` says which, by tool.

    >>> from eic_core.formula.syntax.protected import DRAWN
    >>> from eic_core.formula.rendering import to_latex
    >>> to_latex(read_with_functions(DRAWN, "div(X0, sqrt(X1))", syntax="gplearn").formula)
    '\\\\frac{x_{0}}{\\\\sqrt{\\\\left|x_{1}\\\\right|}}'
    """
    reading = read(text, **options)
    other = functions.get(reading.policy.protected)
    if other is None:
        return reading
    policy = replace(reading.policy, protected=other)
    return read(text, **{**options, "syntax": reading.syntax}, policy=policy)


@lru_cache(maxsize=20_000)
def structure_as_written(text: str, syntax: str = "auto") -> VisibleStructure | None:
    """The visible structure of a formula's text; None if it cannot be read.

    >>> structure_as_written("x0 + 2*") is None, structure_as_written("x0 + 2").calls
    (True, 0)
    """
    try:
        return structure_of(read_with_functions(PLAIN, text, syntax=syntax or "auto").formula)
    except FormulaError:
        return None


def _is_call(operator: str) -> bool:
    return OPERATORS[operator].form.precedence == ATOM


def differences(lower: VisibleStructure | None, higher: VisibleStructure | None) -> Sequence[float]:
    """Counts of the formula of lower EIC less those of the other; nan where one is unknown."""
    if lower is None or higher is None:
        return (float("nan"),) * 5
    return lower.less(higher)
