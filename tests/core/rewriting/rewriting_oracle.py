"""Values of trees by mpmath's own functions: shares no code with the operator table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eic_core.formula.tree import CONSTANT, VARIABLE, Draft
from tests.oracle import VALUES, NoRealValue, TooLarge, apply, mp, number

__all__ = ["FUNCTIONS", "MP", "NoValue", "TooFar", "number", "same", "value"]

MP, FUNCTIONS, NoValue, TooFar = mp, VALUES, NoRealValue, TooLarge

LARGEST_BITS, PHASE_BITS = 3000, 40
"""A value beyond these, or the argument of a function that turns, is too far out for most texts."""

TURNS = frozenset(("sin", "cos", "tan", "cot", "sec", "csc", "floor", "ceil"))


def value(
    draft: Draft,
    bindings: Mapping[str, Any],
    *,
    largest: int = LARGEST_BITS,
    phase: int = PHASE_BITS,
) -> Any:
    """The value of a tree; of a branch that is not taken none is asked.

    Raises
    ------
    NoValue
        Outside its real domain, or (`TooFar`) too far out.
    """
    if draft.operator == VARIABLE:
        return bindings[draft.label]
    if draft.operator == CONSTANT:
        return number(draft.label)

    def of(child: Draft) -> Any:
        return value(child, bindings, largest=largest, phase=phase)

    if draft.operator == "conditional":
        condition, held, other = draft.children
        return of(held if of(condition) else other)
    operands = [of(child) for child in draft.children]
    most = phase if draft.operator in TURNS else largest
    if any(operand and MP.mag(operand) > most for operand in operands):
        raise TooFar
    return apply(draft.operator, operands, draft.parameter)


def same(left: Any, right: Any) -> bool:
    """Equal to 40 digits, or both 0 as far as 120 digits tell: half as many under a root."""
    return bool(
        abs(left - right) <= MP.mpf(10) ** -40 * max(abs(left), abs(right))
        or max(abs(left), abs(right)) < MP.mpf(10) ** -55
    )
