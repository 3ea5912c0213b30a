"""`repair`: equivalent forms of a formula that lose fewer digits, verified on the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.measure.observed import digits_lost_by_row
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.chosen_rows import FEWEST_MEASURED
from eic_core.rewriting.conditional_formulas import ConditionalRepair, has_conditions
from eic_core.rewriting.doubles import mean_digits
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import (
    NotSearched,
    Unsearched,
    advise_nowhere,
)
from eic_core.rewriting.measuring import Measurer, lost_rows
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
from eic_core.rewriting.work import NORMAL, BudgetSpent, Effort, Work, WorkBudget, units_of
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
        (`Repairs.missing` tells if it ended either). What comes out is the same on every machine.
    limit_seconds
        Seconds after which it is stopped, wherever it is (`Repairs.stopped`).
    limit_steps
        The most forms that are costed.
    limit_repairs
        The most repairs that are returned.
    progress
        Called with the share of `limit_steps` that is done, from 0 to 1.

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
    work, units = Work(limit_seconds), units_of(effort)
    found = _repaired(
        formula,
        samples,
        WorkBudget(units, work),
        limit_steps,
        limit_repairs,
        progress,
        target=target,
        branches=branches,
        series=series,
    )
    return replace(found, stopped=work.stopped, effort=units / NORMAL)


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
        measurer = Measurer(formula, samples, target, budget)
        _take_rows(measurer)
    except BudgetSpent:
        why = Unsearched.NO_TIME if budget.work.stopped else Unsearched.NO_EFFORT
        nothing = Repairs(
            formula, samples, (), None, math.nan, 0, 0, NotSearched(why), None, target
        )
        return replace(nothing, left_out=(Omission.SEARCH_TIME,))
    if has_conditions(formula):
        measurer.outcome = SearchOutcome.nothing(measurer.root)
        if all(value is None for value in measurer.values(measurer.rows.verified)):
            return _without_value(measurer)
        part_of = partial(_repaired, target=target, branches=branches, series=series)
        return ConditionalRepair(measurer, part_of, limit_steps).repairs(limit_repairs)
    share = SEARCHING_FIRST if branches or series else SEARCHING
    part, outcome = _search(measurer, Limits(limit_steps, budget=_until(measurer, share)), progress)
    if outcome is None:
        return _without_value(measurer)
    measurer.outcome = outcome
    repairs = measurer.repairs(limit_repairs)
    if (branches or series) and not measurer.leading.merit.is_enough:
        expand = series_options if series else None
        repairs = with_choices(measurer, repairs, branches=branches, expand=expand)
    return repairs if part is None else replace(repairs, part=measurer.terms.formula(part))


def _take_rows(measurer: Measurer) -> None:
    """As many rows as the budget allows, and the formula as written measured at these: what is dear
    is tried at a few first.
    """
    budget, work, rows = measurer.budget, measurer.terms.work, measurer.rows
    measurer.until(budget.part(BEFORE))

    def verify(count: int) -> None:
        measurer.verify_at(rows.verifying(count))
        measurer.values(measurer.rows.verified)

    def measure(count: int) -> None:
        measurer.budget.check()
        measurer.measure_at(measurer.rows.measuring(count))

    for attempt, share, few, most in (
        (verify, VERIFYING, len(rows.searched), len(rows.verified)),
        (measure, MEASURING, FEWEST_MEASURED, len(rows.measured)),
    ):
        count, took, fits = 0, 0.0, min(few, most)
        while fits > count:
            count, done = fits, work.done
            attempt(count)
            took = work.done - done
            fits = int(min(most, count * share * budget.units / took))
        measurer.work_a_form += took
    measurer.until(budget)


def _without_value(measurer: Measurer) -> Repairs:
    helps, reason = advise_nowhere(lost_rows(measurer.inspection)), NotSearched(Unsearched.NO_VALUE)
    asked = measurer.formula, measurer.samples
    return Repairs(*asked, reason=reason, helps=helps, target=measurer.target)


def _until(measurer: Measurer, share: float) -> WorkBudget:
    """The budget of the search: to a share of the whole, or so much less that enough is left to
    verify and measure some forms.
    """
    budget = measurer.budget
    most = min(budget.part(share).left, budget.left - FORMS_MEASURED * measurer.work_a_form)
    return budget.of(max(LEAST_SEARCHING * budget.left, most))


def _search(
    measurer: Measurer, limits: Limits, progress: Callable[[float], None] | None
) -> tuple[int | None, SearchOutcome | None]:
    """The part that was searched, if it is not the whole, and what was found there."""
    terms, whole, rows = measurer.terms, measurer.root, measurer.rows.searched
    cells = decimal_rows(measurer.samples, measurer.formula.variables, rows)
    table = ValueTable(terms, cells, budget=limits.budget)
    rewriter, program = Rewriter(Builder(terms), RULES, FAMILIES), measurer.on(rows)

    def loss(number: int) -> float:
        exact = measurer.values(rows, number)
        return mean_digits(digits_lost_by_row(exact, program.values(number), measurer.target))

    evaluated, finished = 0, True
    searched: list[tuple[int, SearchOutcome]] = []
    try:
        for part in parts_of(terms, whole, loss):
            left = replace(limits, evaluations=limits.evaluations - evaluated)
            search = Search(table, rewriter, left, progress, measurer.on(rows, part.root))
            outcome = search.run(part.root, part.places)
            if outcome is not None:
                evaluated += outcome.evaluated
                searched.append((part.root, outcome))
                if outcome.improves or evaluated >= limits.evaluations:
                    break
    except BudgetSpent:
        finished = False
    if not searched:
        return None, None if finished else SearchOutcome.nothing(whole)
    part_of, outcome = min(searched, key=lambda found: not found[1].improves)
    done = finished and all(found.finished for _, found in searched)
    outcome = replace(outcome, evaluated=evaluated, finished=done)
    return (
        (None, outcome)
        if part_of == whole
        else (part_of, _in_whole(terms, whole, part_of, outcome))
    )


def _in_whole(terms: Terms, whole: int, part: int, outcome: SearchOutcome) -> SearchOutcome:
    """The forms of a part in the place of it."""

    def put(number: int) -> int:
        return terms.replace(whole, part, number)[0]

    forms = [
        replace(
            form,
            root=put(form.root),
            steps=tuple(replace(step, whole=put(step.whole)) for step in form.steps),
        )
        for form in outcome.forms
    ]
    return replace(outcome, start=replace(outcome.start, root=whole), forms=tuple(forms))
