"""The quantities along which a form may choose: inputs, their sizes, steps of the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from eic_core.formula.tree import VARIABLE
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.terms import Terms

MOST_AXES = 20

LARGEST_AXIS = 12
"""Nodes of a condition's left side: a longer one says nothing to its reader."""


@dataclass(frozen=True, eq=False)
class SplitAxis:
    root: int
    values: Array = field(repr=False)  # In the target, at every row
    size: int  # Nodes


def axes_of(terms: Terms, table: DoubleTable, forms: Sequence[int]) -> list[SplitAxis]:
    """The inputs of the first form, their sizes, and steps of the forms, the simplest first.
    Of those that order the rows in one way the simplest; none without a value at some row.
    """
    inputs = [n for n in terms.subterms(forms[0]) if terms[n].operator == VARIABLE]
    inputs.sort(key=lambda number: terms[number].label)
    sizes = [terms.intern("abs", (number,)) for number in inputs]
    steps = {n: None for form in forms for n in terms.subterms(form) if _is_step(terms, n)}
    ranked = sorted(steps, key=terms.size)
    axes: list[SplitAxis] = []
    orders: set[bytes] = set()
    for number in (*inputs, *sizes, *ranked):
        values = np.asarray(table.values(number), np.float64)
        if np.isnan(values).any():
            continue
        ranks = np.unique(values, return_inverse=True)[1]
        if not ranks.any():
            continue
        order, reverse = ranks.tobytes(), (ranks.max() - ranks).tobytes()
        if order in orders or reverse in orders:
            continue
        orders.add(order)
        axes.append(SplitAxis(number, values, terms.size(number)))
        if len(axes) == MOST_AXES:
            break
    return axes


def _is_step(terms: Terms, number: int) -> bool:
    term = terms[number]
    return (
        bool(term.children)
        and OPERATORS[term.operator].numeric
        and terms.has_variables(number)
        and terms.size(number) <= LARGEST_AXIS
    )
