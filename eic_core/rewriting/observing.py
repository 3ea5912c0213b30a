"""The exact values of a formula on chosen rows, and what programs and noise make of it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import amplify
from eic_core.engine.exact import GREAT_DEPTH
from eic_core.explain.losses import correlated_eic
from eic_core.formula.tree import Formula
from eic_core.measure.double_range import has_no_value, leaves_range
from eic_core.measure.inspection import inspect
from eic_core.measure.measured import MeasuredLoss, binary_rows, program_rows
from eic_core.measure.observed import (
    NO_NUMBER,
    ROUNDOFF,
    ObservedError,
    RoundedTruth,
    digits_lost_by_row,
    run_in,
)
from eic_core.operators.wide import Array
from eic_core.rewriting.chosen_rows import Rows
from eic_core.rewriting.costs import nanoseconds
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.gains import (
    Measured,
)
from eic_core.rewriting.precision import TARGETS, Target
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Values, ValueTable
from eic_core.rewriting.verify import Verifier
from eic_core.rewriting.work import ENDLESS, MEASURED, WorkBudget
from eic_core.samples import Samples

OBSERVED_ELSEWHERE = 50
"""Rows on which the other precision is measured: it is told, and decides nothing."""


class Observer:
    """Compares forms of one formula with its exact values in one precision.
    `original` gives the exact values, unless `exact` holds them (each input is then in range).
    """

    def __init__(
        self,
        terms: Terms,
        original: int,
        columns: Mapping[str, Any],
        rows: Sequence[int],
        dtype: Any,
        exact: Values | None = None,
        budget: WorkBudget = ENDLESS,
    ) -> None:
        self.terms = terms
        self.kind = np.dtype(dtype).name
        self.inputs, cells = binary_rows(columns, rows, self.kind)
        usable = np.ones(len(rows), dtype=bool)
        for column in self.inputs.values():
            usable &= np.isfinite(column)
        self.inputs = {name: column[usable] for name, column in self.inputs.items()}
        known = [cell for cell, ok in zip(cells, usable.tolist(), strict=True) if ok]
        if exact is None:
            exact = ValueTable(terms, known, GREAT_DEPTH, budget).values(original)
        self.exact = exact

    def of(self, root: int) -> ObservedError:
        computed = self._computed(root)
        return ObservedError.of(
            self.exact, computed.tolist(), self.kind, self._has_no_value(root, computed)
        )

    def _has_no_value(self, root: int, computed: Array) -> npt.NDArray[np.bool_]:
        is_zero = np.array([true is not None and true == 0 for true in self.exact], dtype=bool)
        leaves = np.zeros(len(computed), dtype=bool)
        rows = np.flatnonzero((computed == 0) & ~is_zero)
        if len(rows):
            columns = {name: column[rows] for name, column in self.inputs.items()}
            leaves[rows] = leaves_range(self.terms.tape(root), columns, len(rows), self.kind)
        return has_no_value(computed, is_zero, leaves)

    def failed(self, root: int) -> npt.NDArray[np.bool_]:
        """The rows at which a form has no value, though the type could hold the exact one."""
        computed = self._computed(root)
        held = RoundedTruth(self.exact, self.kind).held() != NO_NUMBER
        real = np.array([true is not None for true in self.exact], dtype=bool)
        failed: npt.NDArray[np.bool_] = real & held & self._has_no_value(root, computed)
        return failed

    def right(self, root: int) -> npt.NDArray[np.bool_]:
        """The rows at which a form has a value of which a bit at least is right."""
        errors = RoundedTruth(self.exact, self.kind).errors(self._computed(root))
        with np.errstate(invalid="ignore"):
            right: npt.NDArray[np.bool_] = np.abs(errors) * ROUNDOFF[self.kind] < 0.5
        return right

    def lost(self, root: int) -> Array:
        """The digits that one form loses at each row; nan where nothing can be compared."""
        return digits_lost_by_row(self.exact, self._computed(root), self.kind)

    def _computed(self, root: int) -> Array:
        found: Array = run_in(self.terms.tape(root), self.inputs, len(self.exact), self.kind)[-1]
        return found


class Truth:
    """The exact values of a formula at the inputs of the verified rows, and who needs them."""

    def __init__(
        self,
        terms: Terms,
        root: int,
        samples: Samples,
        rows: Rows,
        target: Target = "float64",
        budget: WorkBudget = ENDLESS,
    ) -> None:
        self.target = target
        self.terms = terms
        self.root = root
        self.budget = budget
        self.rows = rows
        self.columns = {name: samples.columns[name] for name in self.terms.variables(root)}
        self.samples = samples
        checked = ValueTable(terms, self.cells(rows.verified), GREAT_DEPTH, budget)
        self.verifier = Verifier(checked, root, samples, rows.verified, rows.scanned)
        self._place = {row: place for place, row in enumerate(rows.verified)}
        self._results: dict[int, Array] = {}

    def until(self, budget: WorkBudget) -> Truth:
        """Itself, with another budget from now on."""
        self.budget = self.verifier.table.budget = budget
        return self

    def cells(self, rows: Sequence[int]) -> Sequence[Mapping[str, float]]:
        """The inputs whose exact values count: the numbers that a program gets."""
        return binary_rows(self.columns, rows, self.target)[1]

    def values(self, rows: Sequence[int], of: int | None = None) -> Values:
        """Of the formula, or of a part of it."""
        known = self.verifier.table.values(self.root if of is None else of)
        return tuple([known[self._place[row]] for row in rows])

    def on(self, rows: Sequence[int], of: int | None = None) -> DoubleTable:
        columns = binary_rows(self.columns, rows, self.target)[0]
        return DoubleTable(self.terms, columns, self.values(rows, of), self.target)

    def observer(self, rows: Sequence[int], kind: Target) -> Observer:
        exact = self.values(rows) if kind == self.target else None
        return Observer(self.terms, self.root, self.columns, rows, kind, exact, self.budget)

    def observer_of(self, rows: Sequence[int]) -> Observer:
        """The same of any rows, in the target."""
        return Observer(self.terms, self.root, self.columns, rows, self.target, budget=self.budget)

    def results(self, number: int) -> Array:
        """What a program makes of a term at the scanned rows."""
        if self.target == "float64":
            return np.asarray(self.verifier.doubles(number))
        if number not in self._results:
            columns, count = self.verifier.columns, len(self.verifier.scanned)
            computed = run_in(self.terms.tape(number), columns, count, self.target)[-1]
            self._results[number] = computed.astype(np.float64)
        return self._results[number]


def rows_within(rows: Rows, formula: Formula, samples: Samples, target: Target) -> Rows:
    """The rows at which the target has a number for every input."""
    if target == "float64":
        return rows
    largest = float(np.finfo(target).max)
    within = np.ones(len(samples), dtype=bool)
    for name in formula.variables:
        within &= np.abs(samples.columns[name]) <= largest
    kept = {
        part.name: tuple(row for row in getattr(rows, part.name) if within[row])
        for part in fields(rows)
        if part.name != "measured"
    }
    return replace(rows, **kept)


def measured_samples(formula: Formula, samples: Samples, rows: Rows) -> Samples:
    """The rows on which EIC and q are told, as they were written."""
    measured = list(rows.measured)
    return Samples.from_columns(
        {name: samples.columns[name][measured] for name in formula.variables},
        count=len(measured),
        exact={
            name: {i: cells[row] for i, row in enumerate(measured) if row in cells}
            for name, cells in samples.exact.items()
        },
    )


class FormMeter:
    """Measures forms of one formula: their sensitivity, and what a program loses."""

    def __init__(self, formula: Formula, samples: Samples, rows: Rows, truth: Truth) -> None:
        self.target, some = truth.target, rows.observed
        few = some[:: max(1, len(some) // OBSERVED_ELSEWHERE)]
        self.observers = {
            kind: truth.observer(some if kind == self.target else few, kind) for kind in TARGETS
        }
        self.measured = measured_samples(formula, samples, rows)
        self.inspection = inspect(formula, self.measured, edges=False)
        self.truth = truth

    def loss(self, root: int) -> MeasuredLoss:
        return program_rows(self.inspection, self.target).loss(self.truth.terms.tape(root))

    def measure(self, root: int, formula: Formula, shares: Sequence[float] = ()) -> Measured:
        is_original, steps = root == self.truth.root, len(self.measured) * len(formula)
        known = self.inspection.amplification if is_original else amplify(formula, self.measured)
        self.truth.terms.work.spend(MEASURED, steps + known.exact.work)
        return Measured(
            correlated_eic(formula, self.measured, amplification=known),
            formula.complexity,
            self.observers["float32"].of(root),
            self.observers["float64"].of(root),
            self.loss(root),
            nanoseconds(self.truth.terms, root, shares),
        )
