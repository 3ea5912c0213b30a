"""The exact values of a formula on chosen rows, and what programs and noise make of it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.exact import GREAT_DEPTH
from eic_core.explain.losses import correlated_eic
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.measure.measured import MeasuredLoss, binary_rows, program_rows
from eic_core.rewriting.chosen_rows import Rows
from eic_core.rewriting.costs import nanoseconds
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.gains import Measured
from eic_core.rewriting.precision import TARGETS, Target
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Values, ValueTable
from eic_core.rewriting.verify import Verifier
from eic_core.rewriting.work import ENDLESS, MEASURED, WorkBudget
from eic_core.samples import Samples

OBSERVED_ELSEWHERE = 50
"""Rows on which the other precision is measured: it is told, and decides nothing."""


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

    def on(
        self, rows: Sequence[int], of: int | None = None, kind: Target | None = None
    ) -> DoubleTable:
        """Programs in the target at some of the verified rows; in another precision or at others
        those for the formula, where the precision has a number for every input.
        """
        columns, cells = binary_rows(self.columns, rows, kind or self.target)
        if kind in (None, self.target) and self._place.keys() >= set(rows):
            return DoubleTable(self.terms, columns, self.values(rows, of), self.target)
        usable = np.all([np.ones(len(rows)), *map(np.isfinite, columns.values())], axis=0)
        columns = {name: column[usable] for name, column in columns.items()}
        known = [cell for cell, is_usable in zip(cells, usable, strict=True) if is_usable]
        exact = ValueTable(self.terms, known, GREAT_DEPTH, self.budget).values(self.root)
        return DoubleTable(self.terms, columns, exact, kind or self.target)


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
        self.programs = {
            kind: truth.on(some if kind == self.target else few, kind=kind) for kind in TARGETS
        }
        self.measured = measured_samples(formula, samples, rows)
        self.inspection = inspect(formula, self.measured, edges=False)
        self.truth = truth
        program = program_rows(self.inspection, self.target)
        self.as_written = program.loss()
        self.told = DoubleTable(truth.terms, program.inputs, program.exact, self.target)
        self._amplifications = {truth.root: self.inspection.amplification}

    def loss(self, root: int) -> MeasuredLoss:
        """At the rows that are told."""
        return replace(self.as_written, lost=self.told.lost(root))

    def amplification(self, root: int, formula: Formula) -> Amplification:
        """At the measured rows, for something that looks at each step there."""
        self.truth.terms.work.spend(MEASURED, len(self.measured) * len(formula))
        if root not in self._amplifications:
            self._amplifications[root] = amplify(formula, self.measured)
        return self._amplifications[root]

    def measure(self, root: int, formula: Formula, shares: Sequence[float] = ()) -> Measured:
        known = self.amplification(root, formula)
        self.truth.terms.work.spend(MEASURED, known.exact.work)
        return Measured(
            correlated_eic(formula, self.measured, amplification=known),
            formula.complexity,
            self.programs["float32"].error(root),
            self.programs["float64"].error(root),
            self.loss(root),
            nanoseconds(self.truth.terms, root, shares),
        )
