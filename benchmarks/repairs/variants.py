"""A case written otherwise: operands in another order, a factor before it, a minus moved.

A rule is a class if it also fires on these; `python -m benchmarks.repairs --variants` asks.
"""

from __future__ import annotations

import random
from dataclasses import replace

from benchmarks.repairs.cases import Case, Ranges
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import CONSTANT, Draft, Formula, variable

FACTORS = ("k", "kappa", "factor")
"""Names for the factor: the first that the formula lacks."""


def variant(case: Case, seed: int) -> Case | None:
    """The case written otherwise; None where its points are no ranges, or it is no infix formula.

    >>> from benchmarks.repairs.textbook import CASES
    >>> variant(CASES[0], 2).formula
    'k*(-sqrt(x) + sqrt(1 + x))'
    """
    points = case.points
    if not isinstance(points, Ranges) or case.syntax is not None:
        return None
    formula = case.read()
    factor = next(name for name in FACTORS if name not in formula.variables)
    rng = random.Random(f"{case.name} {seed}")
    product = Draft("mul", [variable(factor), _rewritten(formula.to_draft(), rng)])
    text = to_python(Formula.from_draft(product))
    return replace(
        case,
        formula=text,
        points=replace(points, texts=(*points.texts, f"{factor}=0.5:2")),
        known_forms=tuple(f"{factor}*({form})" for form in case.known_forms),
    )


def _rewritten(draft: Draft, rng: random.Random) -> Draft:
    children = [_rewritten(child, rng) for child in draft.children]
    operator = draft.operator
    if operator == "sub" and rng.random() < 0.5:
        return Draft("add", [_negated(children[1]), children[0]])
    if operator in ("add", "mul") and rng.random() < 0.5:
        children.reverse()
    return replace(draft, children=children)


def _negated(draft: Draft) -> Draft:
    if draft.operator == CONSTANT and draft.label[0].isdigit():
        return replace(draft, label=f"-{draft.label}")
    return Draft("neg", [draft])
