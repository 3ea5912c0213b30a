"""`repair`: equivalent forms of a formula that lose fewer digits, verified on the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from eic_core.effort import Effort, factor_of
from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, inspect
from eic_core.measure.observed import digits_lost_by_row
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.chosen_rows import FEWEST_MEASURED, choose_rows
from eic_core.rewriting.conditional_formulas import ConditionalRepair, RepairPart, has_conditions
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import (
    Advice,
    Measured,
    NotSearched,
    advise_nowhere,
)
from eic_core.rewriting.measuring import Measurer, lost_rows
from eic_core.rewriting.observing import FormMeter, Truth, rows_within
from eic_core.rewriting.parts import parts_of
from eic_core.rewriting.pieces import Omission
from eic_core.rewriting.precision import Target
from eic_core.rewriting.regimes.choosing import with_choices
from eic_core.rewriting.results import Repairs
from eic_core.rewriting.rules import Rewriter
from eic_core.rewriting.search import Limits, Search, SearchOutcome
from eic_core.rewriting.series.options import series_options
from eic_core.rewriting.tables import RULES
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.verify import decimal_rows
from eic_core.rewriting.work import NORMAL, BudgetSpent, Work, WorkBudget
from eic_core.samples import Samples

BEFORE = 0.4
"""The share of the budget after which nothing begins that comes before the search."""

VERIFYING, MEASURING = 0.08, 0.1
"""The shares of the budget that may be taken by the exact values of one form, and by its numbers:
on fewer rows where all would take more."""

SEARCHING, LEAST_SEARCHING = 0.6, 0.35
"""The share of the budget at which the search ends, and of what is left that it has at least."""

SEARCHING_FIRST = 0.5
"""The share at which it ends where its forms may be combined or expanded then."""

FORMS_MEASURED = 3
"""For so many forms enough is left to verify and measure them, if the search has its least."""


def repair(
    formula: Formula,
    samples: Samples,
    *,
    target: Target = "float64",
    branches: bool = True,
    series: bool = True,
    effort: Effort = "normal",
    limit_seconds: float = math.inf,
    limit_steps: int = 700,
    limit_repairs: int = 3,
    progress: Callable[[float], None] | None = None,
    inspection: Inspection | None = None,
) -> Repairs:
    """Equivalent forms of a formula that lose fewer digits on a data set.

    Parameters
    ----------
    formula
        The formula as written.
    samples
        With a column for each variable.
    target
        The precision of the program, which decides what is offered: its inputs are the nearest
        numbers of it. What a form does in the other precision is told.
    branches
        Whether forms that choose between others are offered, where one form loses digits here and
        another there.
    series
        Whether approximations by a series are offered, where no exact form keeps the digits.
    effort
        How much work all of it may take: "quick", "normal" (some four seconds at most), "thorough",
        or a multiple of normal; ``math.inf`` lets it come to its end. Rows are fewer where they are
        dear, the search ends where enough is left to verify and measure what it has
        (`Repairs.stop` tells if it ended either). What comes out is the same on every machine.
    limit_seconds
        Seconds after which it is stopped, wherever it is (`Repairs.stopped`).
    limit_steps
        The most forms that are costed.
    limit_repairs
        The most repairs that are returned.
    progress
        Called with the share of `limit_steps` that is done, from 0 to 1.
    inspection
        The formula's on these samples, if it is known.

    Returns
    -------
    Repairs
        The best first, with the reason if there is none.

    Raises
    ------
    DataError
        If a variable has no column.
    UserError
        If `formula` is no tree, or `effort` none.

    Notes
    -----
    Of a formula with conditions each part without one is repaired on the rows that evaluate it;
    the conditions stay. Of one with more than 120 nodes a part is searched (`Repairs.part`).

    A form is offered if it loses at least 0.3 digits fewer in the target or in sensitivity, has a
    value at more rows, or is shorter and a little better; if its values agree to 1e-30 at high
    precision on up to 200 rows, and no row loses its value. See ADR 0011.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1e3, 1e5, 1e7]})
    >>> found = repair(read("sqrt(x+1) - sqrt(x)").formula, samples)
    >>> found.best.text
    '1/(sqrt(x + 1) + sqrt(x))'
    >>> found.best.rules
    ('conjugate roots',)
    """
    require(formula, Formula)
    require(samples, Samples)
    samples.require(formula.variables)
    work, factor = Work(limit_seconds), factor_of(effort)
    found = _repaired(
        formula,
        samples,
        WorkBudget(NORMAL * factor, work),
        limit_steps,
        limit_repairs,
        progress,
        target=target,
        branches=branches,
        series=series,
    )
    stopped = limit_seconds if work.stopped else math.inf
    found = replace(found, stopped=stopped, effort=factor)
    return found.on_rows_of(inspection or inspect(formula, samples, effort=effort))


def _repaired(
    formula: Formula,
    samples: Samples,
    budget: WorkBudget,
    limit_steps: int,
    limit_repairs: int = 3,
    progress: Callable[[float], None] | None = None,
    *,
    target: Target,
    branches: bool,
    series: bool,
) -> Repairs:
    try:
        task = _Task(formula, samples, target, budget)
    except BudgetSpent:
        return replace(_none(formula, samples, target, None), left_out=(Omission.SEARCH_TIME,))
    if has_conditions(task.terms, task.root):
        part = partial(_repaired, target=target, branches=branches, series=series)
        return task.repairs_by_branch(part, limit_steps, limit_repairs)
    return task.repairs(limit_steps, limit_repairs, progress, branches=branches, series=series)


class _Task:
    """A formula with its exact values, measured as written; raises `BudgetSpent`.

    What is dear is tried on a few rows first: all are taken if they are within its share.
    """

    def __init__(
        self, formula: Formula, samples: Samples, target: Target, budget: WorkBudget
    ) -> None:
        budget.check()
        self.formula, self.samples, self.budget = formula, samples, budget
        self.target: Target = target
        self.terms = Terms(formula.exponents, budget.work)
        self.root = self.terms.add(formula)
        self.rows = rows_within(choose_rows(formula, samples, target), formula, samples, target)
        self.truth, of_truth = self._truth()
        self.meter, self.before, of_meter = self._measure()
        self.work_a_form = of_truth + of_meter

    def _truth(self) -> tuple[Truth, float]:
        """The exact values of the verified rows, and what they took."""
        most, rows = len(self.rows.verified), self.rows.verifying(0)
        while True:
            before, count = self.terms.work.done, len(rows.verified)
            truth = Truth(
                self.terms, self.root, self.samples, rows, self.target, self.budget.part(BEFORE)
            )
            truth.values(rows.verified)
            took = self.terms.work.done - before
            more = self.rows.verifying(int(min(most, count * VERIFYING * self.budget.units / took)))
            if rows in (self.rows, more):
                self.rows = rows
                return truth.until(self.budget), took
            rows = self.rows = more

    def _measure(self) -> tuple[FormMeter, Measured, float]:
        """The formula as written, and what it took."""
        most = len(self.rows.measured)
        count = min(most, FEWEST_MEASURED)
        while True:
            self.budget.part(BEFORE).check()
            done = self.terms.work.done
            meter = FormMeter(self.formula, self.samples, self.rows.measuring(count), self.truth)
            before = meter.measure(self.root, self.formula)
            took = self.terms.work.done - done
            fits = count * MEASURING * self.budget.units / took
            if count == most or fits < 2 * count:
                return meter, before, took
            count = int(min(most, fits))

    def repairs(
        self,
        limit_steps: int,
        limit_repairs: int,
        progress: Callable[[float], None] | None,
        *,
        branches: bool,
        series: bool,
    ) -> Repairs:
        share = SEARCHING_FIRST if branches or series else SEARCHING
        limits = Limits(limit_steps, budget=self._until(share))
        part, outcome = self._search(limits, progress)
        if outcome is None:
            return self._without_value()
        measurer = self._measurer(outcome)
        repairs = measurer.repairs(limit_repairs)
        if (branches or series) and not measurer.leading.merit.is_enough:
            expand = series_options if series else None
            repairs = with_choices(measurer, repairs, branches=branches, expand=expand)
        return repairs if part is None else replace(repairs, part=self.terms.formula(part))

    def repairs_by_branch(
        self, repair_part: RepairPart, limit_steps: int, limit_repairs: int
    ) -> Repairs:
        """Those of a formula with conditions."""
        if all(value is None for value in self.truth.values(self.rows.verified)):
            return self._without_value()
        measurer = self._measurer(SearchOutcome.nothing(self.root))
        task = ConditionalRepair(measurer, self.samples, self.budget, repair_part, limit_steps)
        return task.repairs(limit_repairs)

    def _without_value(self) -> Repairs:
        lost = lost_rows(self.meter.inspection)
        return _none(self.formula, self.samples, self.target, advise_nowhere(lost))

    def _measurer(self, outcome: SearchOutcome) -> Measurer:
        return Measurer(
            self.formula,
            self.samples,
            outcome,
            self.truth,
            self.meter,
            self.before,
            self.work_a_form,
        )

    def _until(self, share: float) -> WorkBudget:
        """The budget of the search: to a share of the whole, or so much less that enough is left
        to verify and measure some forms.
        """
        left = self.budget.left
        most = min(self.budget.part(share).left, left - FORMS_MEASURED * self.work_a_form)
        return self.budget.of(max(LEAST_SEARCHING * left, most))

    def _search(
        self, limits: Limits, progress: Callable[[float], None] | None
    ) -> tuple[int | None, SearchOutcome | None]:
        """The part that was searched, if it is not the whole, and what was found there."""
        rewriter = Rewriter(Builder(self.terms), RULES, FAMILIES)
        searched, variables = self.rows.searched, self.formula.variables
        cells = decimal_rows(self.samples, variables, searched)
        table = ValueTable(self.terms, cells, budget=limits.budget)
        evaluated, candidates, finished = 0, 0, True
        tried: list[tuple[int | None, SearchOutcome]] = []
        try:
            for part in parts_of(self.terms, self.root, self._loss_at_steps()):
                left = replace(limits, evaluations=limits.evaluations - evaluated)
                doubles = self.truth.on(searched, part.root)
                search = Search(table, rewriter, left, progress, doubles)
                outcome = search.run(part.root, part.places)
                if outcome is None:
                    continue
                evaluated += outcome.evaluated
                candidates += outcome.candidates
                tried.append((None if part.root == self.root else part.root, outcome))
                if outcome.improves or evaluated >= limits.evaluations:
                    break
        except BudgetSpent:
            finished = False
        if finished and not tried:
            return None, None
        if not tried:
            return None, SearchOutcome.nothing(self.root)
        number, outcome = min(tried, key=lambda found: not found[1].improves)
        if number is not None:
            outcome = self._in_whole(number, outcome)
        done = finished and all(found.finished for _, found in tried)
        total = replace(outcome, evaluated=evaluated, candidates=candidates, finished=done)
        return number, total

    def _loss_at_steps(self) -> Callable[[int], float]:
        """The mean of the digits that a program has lost at a step, on the rows searched."""
        rows = self.rows.searched
        program = self.truth.on(rows)

        def loss(number: int) -> float:
            exact = self.truth.values(rows, number)
            lost = digits_lost_by_row(exact, program.values(number), self.target)
            lost = lost[~np.isnan(lost)]
            return float(np.mean(lost)) if len(lost) else 0.0

        return loss

    def _in_whole(self, part: int, outcome: SearchOutcome) -> SearchOutcome:
        """The forms of a part in the place of it."""

        def in_whole(number: int) -> int:
            return self.terms.replace(self.root, part, number)[0]

        forms = [
            replace(
                form,
                root=in_whole(form.root),
                steps=tuple(replace(step, whole=in_whole(step.whole)) for step in form.steps),
            )
            for form in outcome.forms
        ]
        start = replace(outcome.start, root=self.root)
        return replace(outcome, start=start, forms=tuple(forms))


def _none(formula: Formula, samples: Samples, target: Target, helps: Advice | None) -> Repairs:
    return Repairs(formula, samples, (), None, math.nan, 0, 0, NotSearched(), helps, target)
