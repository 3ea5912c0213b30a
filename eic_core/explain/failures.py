"""Why a node has no digit left at a sample, or no real value: a clause for each operator."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eic_core.formula.tree import Node
from eic_core.measure.inspection import Inspection

NO_ANGLE = 1e15
"""Arguments of a periodic function from which on double precision knows no angle."""

GIVEN = "what it is given has no digit left"


def singular_clause(inspection: Inspection, node_id: int) -> str:
    """What happened at a node whose amplification is infinite, or beyond 10^30.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [100.0, 200.0]})
    >>> for text in ("x - x", "(1e40 + x) - 1e40", "sin(exp(x))", "2*(x - x)"):
    ...     formula = read(text).formula
    ...     print(singular_clause(inspect(formula, samples), len(formula) - 1))
    the two terms cancel exactly
    the two terms cancel in more than 30 digits
    its argument is so large that no digit of the angle is left
    what it is given has no digit left
    """
    n = inspection.nodes[node_id]
    if any(inspection.nodes[child].singular >= n.singular for child in n.node.children):
        return GIVEN
    operator = n.node.operator
    exact = _SINGULAR.get(operator, "its value is 0 there, so that no digit of it is right")
    if operator not in _NEARLY:
        return exact
    y, s = inspection.amplification.trace(node_id)
    rows = np.isinf(s)
    if not y[rows].any():
        return exact
    nearly = _NEARLY[operator]
    if operator in _TURNING:
        x, _ = inspection.amplification.trace(n.node.children[0])
        if np.abs(x[rows]).max() >= NO_ANGLE:
            nearly = "its argument is so large that no digit of the angle is left"
    return nearly if y[rows].all() else f"{exact}, or {nearly}"


def invalid_clause(node: Node) -> str:
    """Why a node may have no real value; "" where it can only have left every range.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> invalid_clause(read("log(x)").formula.root), invalid_clause(read("x + 1").formula.root)
    ('the argument of a logarithm must be positive', '')
    """
    return _INVALID.get(node.operator, "")


_SINGULAR: Mapping[str, str] = {
    **dict.fromkeys(("add", "sub"), "the two terms cancel exactly"),
    "log": "its argument is exactly 1",
    **dict.fromkeys(
        ("sin", "cos", "tan", "cot", "sec", "csc"), "its argument lies exactly on a zero or a pole"
    ),
    **dict.fromkeys(("sign", "floor", "ceil", "round"), "its argument lies exactly on a jump"),
    **dict.fromkeys(("asin", "acos", "acosh", "atanh"), "its argument is at the end of its domain"),
    "atan2": "its argument lies exactly on the cut",
    "pow": "its base or its exponent leaves no digit right",
}

_TURNING = ("sin", "cos", "tan", "cot", "sec", "csc")

_NEARLY: Mapping[str, str] = {
    **dict.fromkeys(("add", "sub"), "the two terms cancel in more than 30 digits"),
    "log": "its argument agrees with 1 in more than 30 digits",
    **dict.fromkeys(_TURNING, "its argument agrees with a zero or a pole in more than 30 digits"),
}
"""The same where the value is not 0, and the amplification only beyond 10^30."""

_INVALID: Mapping[str, str] = {
    "log": "the argument of a logarithm must be positive",
    "log1p": "its argument must be greater than −1",
    "div": "division by zero",
    "sqrt": "the argument of a square root must not be negative",
    "root": "the argument of an even root must not be negative",
    "pow": "with an inexact exponent a negative base has no real power, nor has 0 unless the "
    "exponent is positive",
    "power": "the base is zero or negative where this exponent does not allow it",
    **dict.fromkeys(("asin", "acos"), "its argument must lie between −1 and 1"),
    "acosh": "its argument must be at least 1",
    "atanh": "its argument must lie strictly between −1 and 1",
    **dict.fromkeys(("tan", "cot", "sec", "csc"), "a sample lies on a pole"),
}
