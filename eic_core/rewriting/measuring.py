"""Measures the forms that a search found, on chosen rows, and keeps those worth proposing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.correlated import correlated_eic, correlated_trace
from eic_core.explain.writing import writing_loss
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.double_range import has_no_value, leaves_range
from eic_core.measure.following import following
from eic_core.measure.inspection import Inspection, inspect
from eic_core.measure.jumps import undecided
from eic_core.measure.measured import binary_rows, measured_loss, program_rows
from eic_core.measure.observed import ObservedError, digits_lost_by_row, run_in
from eic_core.measure.reasons import DOUBLE_DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.deadline import NEVER, Deadline, OutOfTime
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.gains import (
    DOUBLE_GAIN,
    RMS_SCATTER,
    SCATTER,
    Advice,
    Gain,
    LostRows,
    Measured,
    NothingBetter,
    RowComparison,
    advise,
)
from eic_core.rewriting.results import Repair, Repairs, RepairStep
from eic_core.rewriting.rows import Rows
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import SIZE_WEIGHT, WORST_WEIGHT, Cost, FoundForm, SearchOutcome
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Values, ValueTable
from eic_core.rewriting.verify import Verifier
from eic_core.samples import Samples

OBSERVED_SINGLE = 50

DISPUTED = 40
"""Rows at which double precision gives two forms other results that are settled exactly."""

GAIN = 0.1
"""Digits that a form must save, at the root or at its worst node, to be proposed."""

OPERATIONS_GAIN = 0.5
"""Digits that it must save when the inputs are taken as exact, if it saves no others."""

TOLERANCE = 0.02
"""Digits by which q at the root may rise: less than one rounding more of a sum."""

RANGE_TOLERANCE, RANGE_WORST = 0.2, 0.5
"""The same, and at the worst node, for a form that brings values back into double range."""


DOUBLE_TOLERANCE = 0.3
"""By so many digits a form may look worse in double precision on the search's few rows."""

DOUBLE_RANK = 3.0
"""How much more a digit counts that double precision loses than one that noise would take."""

DISPUTE = 1e-15
"""Relative difference of two results that more than the last roundings explains."""


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
        deadline: Deadline = NEVER,
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
            exact = ValueTable(terms, known, GREAT_DEPTH, deadline).values(original)
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

    def lost(self, root: int) -> Array:
        """The digits that one form loses at each row; nan where nothing can be compared."""
        return digits_lost_by_row(self.exact, self._computed(root), self.kind)

    def _computed(self, root: int) -> Array:
        found: Array = run_in(self.terms.tape(root), self.inputs, len(self.exact), self.kind)[-1]
        return found


class Truth:
    """The exact values of a formula at the inputs of the verified rows, and who needs them."""

    def __init__(
        self, terms: Terms, root: int, samples: Samples, rows: Rows, deadline: Deadline = NEVER
    ) -> None:
        self.terms = terms
        self.root = root
        self.deadline = deadline
        self.rows = rows
        self.columns = {name: samples.columns[name] for name in self.terms.variables(root)}
        self.samples = samples
        checked = ValueTable(terms, self.cells(rows.verified), GREAT_DEPTH, deadline)
        self.verifier = Verifier(checked, root, samples, rows.verified, rows.scanned)
        self._place = {row: place for place, row in enumerate(rows.verified)}

    def until(self, deadline: Deadline) -> Truth:
        """Itself, with another deadline from now on."""
        self.deadline = self.verifier.table.deadline = deadline
        return self

    def cells(self, rows: Sequence[int]) -> Sequence[Mapping[str, float]]:
        """The inputs whose exact values count: the doubles that a program gets."""
        return binary_rows(self.columns, rows, "float64")[1]

    def values(self, rows: Sequence[int], of: int | None = None) -> Values:
        """Of the formula, or of a part of it."""
        known = self.verifier.table.values(self.root if of is None else of)
        return tuple([known[self._place[row]] for row in rows])

    def on(self, rows: Sequence[int], of: int | None = None) -> DoubleTable:
        columns = {name: column[list(rows)] for name, column in self.columns.items()}
        return DoubleTable(self.terms, columns, self.values(rows, of))

    def observer(self, rows: Sequence[int], dtype: Any) -> Observer:
        exact = self.values(rows) if dtype is np.float64 else None
        return Observer(self.terms, self.root, self.columns, rows, dtype, exact, self.deadline)


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
    def __init__(self, formula: Formula, samples: Samples, rows: Rows, truth: Truth) -> None:
        single = rows.observed[:: max(1, len(rows.observed) // OBSERVED_SINGLE)]
        self.observers = [
            truth.observer(single, np.float32),
            truth.observer(rows.observed, np.float64),
        ]
        self.measured = measured_samples(formula, samples, rows)
        self.inspection = inspect(formula, self.measured, edges=False)
        self.truth = truth

    def measure(self, root: int, formula: Formula) -> Measured:
        single, double = (observer.of(root) for observer in self.observers)
        is_original = root == self.truth.root
        known = self.inspection.amplification if is_original else None
        amplification = correlated_eic(formula, self.measured, amplification=known)
        if is_original:
            loss = measured_loss(self.inspection)
        else:
            loss = program_rows(self.inspection).loss(self.truth.terms.tape(root))
        return Measured(amplification, formula.complexity, single, double, loss)


class Measurer:
    def __init__(
        self,
        formula: Formula,
        samples: Samples,
        outcome: SearchOutcome,
        truth: Truth,
        meter: FormMeter,
        before: Measured,
        seconds_a_form: float = 0.0,
    ) -> None:
        self.formula = formula
        self.samples = samples
        self.outcome = outcome
        self.terms = truth.terms
        self.root = truth.root
        self.truth = truth
        self.verifier = truth.verifier
        self.meter = meter
        self.before = before
        self.deadline = truth.deadline
        self.seconds_a_form = seconds_a_form  # What one more takes, as far as is known
        self.measured = self.meter.measured
        self.everywhere = truth.on(truth.rows.verified)

    def repairs(self, limit: int) -> Repairs:
        before = self.before
        repairs: list[Repair] = []
        finished = self.outcome.finished
        for form in self._promising():
            if len(repairs) == limit:
                break
            try:
                repaired = self._in_time(form, before)
            except OutOfTime:
                finished = False
                break
            if repaired is not None and repaired.text not in {r.text for r in repairs}:
                repairs.append(repaired)
        repairs.sort(key=_rank)
        own = self._own(repairs)
        reason = NothingBetter(before, own, max(0, self.outcome.evaluated - 1), finished)
        return Repairs(
            self.formula,
            self.samples,
            tuple(repairs),
            before,
            own,
            len(self.measured),
            self.outcome.evaluated,
            finished,
            None if repairs else reason,
            self._advice(before, own) if finished and not repairs else None,
        )

    def _own(self, repairs: Sequence[Repair]) -> float:
        """The function's own sensitivity; on the search's few rows where the time is up."""
        if self.deadline.left < self.seconds_a_form:
            return self.outcome.own
        compared = self.measured
        if repairs:
            return own_conditioning(repairs[0].formula, compared).own_finite
        if self.before.amplification.singular:  # where the result keeps a digit
            keeps = np.isfinite(correlated_trace(self.formula, compared))
            if keeps.any():
                return own_conditioning(
                    self.formula, compared.take(np.flatnonzero(keeps))
                ).own_finite
        known = self.meter.inspection.amplification
        return own_conditioning(self.formula, compared, amplification=known).own_finite

    def _advice(self, before: Measured, own: float) -> Advice:
        inspection = self.meter.inspection
        decided = undecided(inspection)
        jump = int(decided.nodes[0]) if len(decided.rows) else None
        in_time = self.deadline.left >= self.seconds_a_form
        return advise(before, own, jump, lost_rows(inspection) if in_time else LostRows())

    def _promising(self) -> list[FoundForm]:
        start = self.outcome.start.cost
        kept: list[FoundForm] = []
        for form in self.outcome.forms:
            if not _saves_digits(start, form.cost):
                continue
            if not any(_dominates(other.cost, form.cost) for other in kept):
                kept.append(form)
        return kept[:12]

    def _in_time(self, form: FoundForm, before: Measured) -> Repair | None:
        """The repair by a form, if it is one; raises `OutOfTime` if one more takes too long."""
        left = self.deadline.left
        if self.deadline.passed or left < self.seconds_a_form:
            raise OutOfTime
        repaired = self._repair(form, before)
        if self.deadline.is_finite:
            self.seconds_a_form = max(self.seconds_a_form, left - self.deadline.left)
        return repaired

    def _repair(self, form: FoundForm, before: Measured) -> Repair | None:
        root = self.terms.with_quotients(form.root)
        lost = [self.everywhere.lost(number) for number in (self.root, root)]
        if RowComparison.of(*lost).is_worse:
            return None
        assumptions = [a for step in form.steps for a in step.assumptions]
        verification = self.verifier.verify(root, assumptions)
        if verification is None:
            return None
        disputed = self._lost_where_disputed(root)
        pairs = zip(lost, disputed, strict=True)
        compared = RowComparison.of(*(np.concatenate(pair) for pair in pairs))
        if RowComparison.of(*disputed).is_worse or compared.is_worse:
            return None
        bare = self.terms.formula(root)
        formula = replace(bare, source=to_python(bare))
        after = self.meter.measure(root, formula)
        if not _measurably_better(before, after):
            return None
        gain = Gain(before, after, compared)
        if not gain.is_worth_offering:
            return None
        steps = tuple(
            RepairStep(
                s.rule,
                short_text(self.terms.formula(s.before)),
                short_text(self.terms.formula(s.after)),
                tuple(self._assumption(a) for a in s.assumptions),
            )
            for s in form.steps
        )
        return Repair(formula, steps, gain, verification)

    def _lost_where_disputed(self, form: int) -> tuple[Array, Array]:
        """The digits that both forms lose at the rows where their double results differ most."""
        before, after = self.verifier.doubles(self.root), self.verifier.doubles(form)
        with np.errstate(all="ignore"):
            apart = np.abs(before - after) / np.maximum(np.abs(before), np.abs(after))
        apart[(before == after) | (~np.isfinite(before) & ~np.isfinite(after))] = 0.0
        apart[np.isnan(apart)] = np.inf
        apart[np.isin(self.verifier.scanned, self.verifier.rows)] = 0.0
        chosen = np.argsort(-apart, kind="stable")[:DISPUTED]
        chosen = chosen[apart[chosen] > DISPUTE]
        rows = self.verifier.scanned[chosen].tolist()
        table = ValueTable(self.terms, self.truth.cells(rows), GREAT_DEPTH, self.deadline)
        exact = table.values(self.root)
        return (
            digits_lost_by_row(exact, before[chosen], "float64"),
            digits_lost_by_row(exact, after[chosen], "float64"),
        )

    def _assumption(self, assumption: Assumption) -> str:
        relation = {">": ">", ">=": "≥", "!=": "≠"}[assumption.relation]
        return f"{short_text(self.terms.formula(assumption.term))} {relation} 0"


def lost_rows(inspection: Inspection) -> LostRows:
    if not inspection.counts.singular:
        return LostRows()
    found = writing_loss(inspection)
    others = found.singular - found.singular_function - found.nothing - found.unsettled
    followed = len(following(inspection).rows)
    return LostRows(
        found.singular_function + followed, found.nothing, max(0, others), found.unsettled
    )


def _saves_digits(before: Cost, after: Cost) -> bool:
    if after.double > before.double + DOUBLE_TOLERANCE:
        return False
    regained = before.double - after.double >= DOUBLE_GAIN
    if regained or before.out_of_range > after.out_of_range:
        return (
            after.q <= before.q + 2 * RANGE_TOLERANCE
            and after.worst <= before.worst + 2 * RANGE_WORST
        )
    if after.q > before.q + TOLERANCE or after.worst > before.worst + TOLERANCE:
        return False
    return (
        before.q - after.q >= GAIN
        or before.worst - after.worst >= GAIN
        or before.operations - after.operations >= OPERATIONS_GAIN
    )


def _dominates(one: Cost, other: Cost) -> bool:
    return (
        one.q <= other.q + TOLERANCE
        and one.worst <= other.worst + TOLERANCE
        and one.operations <= other.operations + TOLERANCE
        and one.out_of_range <= other.out_of_range
        and one.double <= other.double + TOLERANCE
        and one.size <= other.size
    )


def _measurably_better(before: Measured, after: Measured) -> bool:
    """Whether digits at the root or bottleneck, or missing results, are gained, without a larger
    error in either precision.
    """
    if after.amplification.singular > before.amplification.singular:
        return False
    pairs = ((before.float64, after.float64), (before.float32, after.float32))
    if any(_more_is_lost(*pair) for pair in pairs):
        return False
    q_before, q_after = _capped(before.q), _capped(after.q)
    eic_before, eic_after = _capped(before.eic), _capped(after.eic)
    fewer = before.float64.mean_digits_lost - after.float64.mean_digits_lost
    failed = [(m.float64.failed, m.float32.failed) for m in (before, after)]
    if failed[1] < failed[0] or fewer >= DOUBLE_GAIN:
        return q_after <= q_before + RANGE_TOLERANCE and eic_after <= eic_before + RANGE_WORST
    if q_after > q_before + TOLERANCE:
        return False
    if eic_after > eic_before + TOLERANCE and q_after > q_before - GAIN:
        return False
    return (
        q_before - q_after >= GAIN / 2
        or eic_before - eic_after >= GAIN / 2
        or before.float64.digits_lost - after.float64.digits_lost >= OPERATIONS_GAIN
    )


def _more_is_lost(before: ObservedError, after: ObservedError) -> bool:
    if math.isnan(before.mean_digits_lost) or math.isnan(after.mean_digits_lost):
        return False
    fewer = before.mean_digits_lost - after.mean_digits_lost
    if fewer < -SCATTER or after.failed > before.failed:
        return True
    return fewer < DOUBLE_GAIN and after.digits_lost > before.digits_lost + RMS_SCATTER


def _capped(digits: float) -> float:
    return DOUBLE_DIGITS if math.isnan(digits) else min(digits, DOUBLE_DIGITS)


def _rank(r: Repair) -> float:
    """The order of repairs: digits really lost in double precision, then the effect of noise."""
    measured = r.after.float64.mean_digits_lost
    return (
        DOUBLE_RANK * (0.0 if math.isnan(measured) else measured)
        + _capped(r.after.q)
        + WORST_WEIGHT * _capped(r.after.eic)
        + SIZE_WEIGHT * r.after.complexity
    )
