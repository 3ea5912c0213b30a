"""FPCore expressions in double precision, on columns of numbers: preconditions and known forms.

Standard: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html; without loops, and with the `sqr`
and `cube` that older versions of Herbie print.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

Expression = str | list["Expression"]

_ATOM = re.compile(r"[()\[\]]|[^\s()\[\]]+")

_CONSTANTS = {
    "PI": math.pi,
    "E": math.e,
    "INFINITY": math.inf,
    "NAN": math.nan,
    "TRUE": True,
    "FALSE": False,
    "LN2": math.log(2),
    "SQRT2": math.sqrt(2),
}


def _fma(x: Any, y: Any, z: Any) -> Any:
    return np.vectorize(_fused, otypes=[np.float64])(x, y, z)


def _fused(x: float, y: float, z: float) -> float:
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z
    total = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


_OPERATORS: dict[str, Callable[..., Any]] = {
    "/": np.divide,
    "fabs": np.abs,
    "sqr": np.square,
    "cube": lambda x: x * x * x,
    "pow": np.power,
    "fma": _fma,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "not": np.logical_not,
    **{
        name: getattr(np, name)
        for name in (
            "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh hypot"
            " copysign fmin fmax fmod floor ceil trunc remainder"
        ).split()
    },
}
_FOLDED = {"+": np.add, "*": np.multiply, "and": np.logical_and, "or": np.logical_or}
_COMPARED = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def parse(text: str) -> Expression:
    """The nested lists of an s-expression.

    >>> parse("(+ x (* 2 y))")
    ['+', 'x', ['*', '2', 'y']]
    """
    levels: list[list[Expression]] = [[]]
    for atom in _ATOM.findall(text):
        if atom in "([":
            levels.append([])
        elif atom in ")]":
            closed = levels.pop()
            levels[-1].append(closed)
        else:
            levels[-1].append(atom)
    if len(levels) != 1 or len(levels[0]) != 1:
        raise ValueError(f"not one expression: {text}")
    return levels[0][0]


def evaluate(expression: Expression, columns: Mapping[str, Any]) -> Any:
    """Its values in double precision, or truth values.

    >>> evaluate(parse("(let ((d (fma x x -1))) (if (<= 0 d 5) d (- d)))"), {"x": np.array([2, 3])})
    array([ 3., -8.])
    """
    with np.errstate(all="ignore"):
        return _value(expression, columns)


def _value(expression: Expression, bindings: Mapping[str, Any]) -> Any:
    if isinstance(expression, str):
        return _atom(expression, bindings)
    head, *operands = expression
    if head == "!":  # annotations, then the expression
        return _value(operands[-1], bindings)
    if head in ("let", "let*"):
        return _bound(str(head), operands, bindings)
    values = [_value(operand, bindings) for operand in operands]
    if head == "if":
        return np.where(*values)
    if head == "-":
        return -values[0] if len(values) == 1 else reduce(np.subtract, values)
    if head in _FOLDED:
        return reduce(_FOLDED[str(head)], values)
    if head in _COMPARED:
        pairs = [_COMPARED[str(head)](*pair) for pair in pairwise(values)]
        return reduce(np.logical_and, pairs)
    return _OPERATORS[str(head)](*values)


def _atom(text: str, bindings: Mapping[str, Any]) -> Any:
    if text in bindings:
        return np.asarray(bindings[text], dtype=np.float64)
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return np.float64(Fraction(text))


def _bound(head: str, operands: Sequence[Expression], bindings: Mapping[str, Any]) -> Any:
    pairs, body = operands
    inner = dict(bindings)
    for pair in pairs:
        inner[str(pair[0])] = _value(pair[1], inner if head == "let*" else bindings)
    return _value(body, inner)
