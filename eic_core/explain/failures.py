"""Why a node has no digit left at a sample, or no real value: a clause from its operator's row."""

from __future__ import annotations

import numpy as np

from eic_core.formula.tree import Node
from eic_core.measure.inspection import Inspection
from eic_core.operators import OPERATORS

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
    row = OPERATORS[n.node.operator]
    exact, nearly = row.words.singular, row.words.nearly
    if not nearly:
        return exact
    y, s = inspection.amplification.trace(node_id)
    rows = np.isinf(s)
    if not y[rows].any():
        return exact
    if row.period:
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
    if not node.children:
        return ""
    row = OPERATORS[node.operator]
    unsaid = f"`{row.name}` has no real value for what it is given" if row.has_gaps else ""
    return row.words.invalid or unsaid
