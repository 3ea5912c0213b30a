"""Whether a series keeps the bound that was proved of it, at points that repair never saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flint import arb
from numpy.typing import NDArray

from benchmarks.repairs.cases import Columns
from eic_core.engine.exact import GREAT_DEPTH, ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure.observed import run_in
from eic_core.operators.balls import working
from eic_core.rewriting.pieces import Branch, Series

ACCURACY = 300
"""Bits to which both sides are known where they are compared."""

Rows = NDArray[np.bool_]


def rows_in_box(series: Series, columns: Columns) -> Rows:
    """Where each input is in the box, its ends included."""
    count = len(next(iter(columns.values())))
    inside = np.ones(count, dtype=bool)
    for name, low, high in series.box:
        inside &= (columns[name] >= low) & (columns[name] <= high)
    return inside


def rows_by_branch(branches: Sequence[Branch], columns: Columns) -> Iterator[tuple[Branch, Rows]]:
    """The rows that take each branch, as a program in double precision decides."""
    count = len(next(iter(columns.values())))
    left = np.ones(count, dtype=bool)
    for branch in branches:
        takes = left.copy()
        if branch.condition:
            condition = read(branch.condition, columns=tuple(columns)).formula
            with np.errstate(all="ignore"):
                takes &= run_in(tape_of(condition), columns, count, "float64")[-1] != 0
        left &= ~takes
        yield branch, takes


LEAST = 1e-30
"""A relative distance that counts as none."""


def beyond_bound(series: Series, columns: Columns) -> int:
    """At how many points of the box the series is farther from its term than its bound."""
    inside = np.flatnonzero(rows_in_box(series, columns))
    part = {name: column[inside] for name, column in columns.items()}
    names = tuple(columns)
    term, other = (
        _values(read(text, columns=names).formula, part)
        for text in (series.replaced, series.written)
    )
    with working(ACCURACY):
        return sum(
            not _is_within(left, right, series.bound)
            for left, right in zip(term, other, strict=True)
            if left is not None
        )


def _is_within(term: arb, other: arb | None, bound: float) -> bool:
    if other is None:
        return False
    least = max(bound, LEAST)  # A series that ends is its term, which balls do not tell
    return bool(abs(other - term) <= arb(least) * abs(term)) or term == other == 0


def _values(formula: Formula, columns: Columns) -> list[arb | None]:
    """The exact values; None where there is none."""
    evaluator = ExactEvaluator(tape_of(formula), ACCURACY, GREAT_DEPTH)
    names = formula.variables
    count = len(next(iter(columns.values())))
    rows = ({name: float(columns[name][i]) for name in names} for i in range(count))
    samples = map(evaluator.sample, rows)
    return [None if s.first_invalid is not None else s.y[-1] for s in samples]
