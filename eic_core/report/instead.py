"""The section "What to write instead": forms, their branches and series, and what rows lose."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eic_core import wording
from eic_core.drawing.chart import Chart
from eic_core.explain.judgement import VerdictNumbers
from eic_core.markup import Cell, Piece
from eic_core.report.error_curves import error_curves, ways_along
from eic_core.report.findings import Findings
from eic_core.report.report_table import NONE, ReportTable, code, count, digits, lost
from eic_core.report.rulers import letters
from eic_core.rewriting import FrontForm, Repair, Repairs
from eic_core.rewriting.phrases import (
    NUMBER_NAMES,
    bound_text,
    box_phrase,
    numbers_caption,
    precision_name,
    series_name,
)
from eic_core.rewriting.pieces import Branch
from eic_core.rewriting.profile import profile


def offered(repairs: Repairs) -> tuple[Repair, ...]:
    """All forms, the one that is offered first on top; none if nothing was measured."""
    if repairs.before is None:
        return ()
    forms = (*repairs.repairs, *repairs.approximations)
    return tuple(sorted(forms, key=lambda form: form is not repairs.leading))


def verified(form: Repair) -> tuple[str, str]:
    checked = form.verification
    holds = "where such a branch is taken" if form.branches else "on the data"
    needs = (
        f"It needs {', '.join(f'`{a}`' for a in form.assumptions)}; that holds {holds}."
        if form.assumptions
        else "It needs no assumption."
    )
    if not form.is_exact:
        return (
            "It is an approximation: where a series stands for a term it is within the proved "
            "bound of that, elsewhere it is the formula exactly. Checked at "
            f"{checked.rows:,} rows, computed with {checked.digits} digits.",
            needs,
        )
    rules = f"By {', then '.join(form.rules)}. " if form.rules else ""
    return (
        f"{rules}The same value to 1e-{checked.agreement} at "
        f"{checked.rows:,} rows, computed with {checked.digits} digits; no row loses its value.",
        needs,
    )


def before_and_after(form: Repair) -> ReportTable:
    elsewhere = form.before.elsewhere
    return ReportTable(
        ("", *NUMBER_NAMES, "nodes", f"mean, {precision_name(elsewhere.precision)}"),
        [
            (
                name,
                *_numbers(numbers),
                count(measured.complexity),
                lost(measured.elsewhere.mean_digits_lost),
            )
            for name, numbers, measured in (
                ("as written", form.written, form.before),
                ("instead", form.instead, form.after),
            )
        ],
        f"{numbers_caption(form.written)}. Sensitivity: errors of inputs and steps grow by so many "
        f"digits up to the result. The last column is measured at {elsewhere.rows} rows.",
        numbers=(1, 2, 3, 4, 5, 6, 7, 8),
    )


def _numbers(numbers: VerdictNumbers) -> tuple[Cell, ...]:
    """Under `NUMBER_NAMES`."""
    measured = numbers.measured
    return (
        *map(lost, (measured.typical, measured.nine_in_ten, measured.worst)),
        count(numbers.without_value),
        lost(numbers.sensitivity.nine_in_ten),
        digits(numbers.eic),
    )


def branches(form: Repair) -> ReportTable | None:
    """Which form is computed where, and what it gains there; None where nothing is chosen."""
    if not form.branches:
        return None
    return ReportTable(
        ("branch", "where", "computed there", "rows", "digits lost as written", "with this form"),
        [
            (
                letter,
                code(branch.condition) if branch.condition else "elsewhere",
                _computed(branch),
                count(branch.rows),
                lost(branch.before),
                lost(branch.after),
            )
            for letter, branch in _lettered(form)
        ],
        "Conditions are asked in this order. Rows: those compared that take the branch; digits "
        "lost in the mean over them.",
        numbers=(3, 4, 5),
        words=True,
    )


def _lettered(form: Repair) -> Sequence[tuple[str, Branch]]:
    return list(zip(letters(len(form.branches)), form.branches, strict=True))


def _computed(branch: Branch) -> Cell:
    if branch.series is not None:
        return (code(branch.text), " an approximation")
    return code(branch.text) if branch.steps else (code(branch.text), " as written")


def series(form: Repair) -> ReportTable | None:
    """The series of an approximation, each with its bound; None of an exact form."""
    rows = [
        (
            letter,
            str(series_name(each)),
            code(each.replaced),
            code(each.written),
            bound_text(each.bound),
            str(box_phrase(each)),
        )
        for letter, each in ((letter, branch.series) for letter, branch in _lettered(form))
        if each is not None
    ]
    if not rows:
        return None
    return ReportTable(
        ("branch", "series", "stands for", "is", "relative error at most", "proved for"),
        rows,
        "The bound is proved in ball arithmetic for all numbers of the box, rounding of the "
        "program left out.",
        numbers=(4,),
        words=True,
    )


def derivation(form: Repair, repairs: Repairs) -> ReportTable:
    """What each rule exchanges, and what the whole formula loses after it."""
    before = repairs.before
    written = math.nan if before is None else before.loss.mean
    rows = 0 if before is None else before.loss.rows
    steps = [("", step) for step in form.steps]
    if form.branches:
        steps = [(letter, step) for letter, branch in _lettered(form) for step in branch.steps]
    several = len({letter for letter, _ in steps}) > 1
    return ReportTable(
        ("rule", "digits lost", "before", "after"),
        [
            ("as written", lost(written), NONE, NONE),
            *[
                (
                    f"{letter}: {step.rule}" if several else step.rule,
                    lost(step.digits),
                    code(step.before),
                    code(step.after),
                )
                for letter, step in steps
            ],
        ],
        "How it follows. Digits lost: by the whole formula after the step, in the mean over "
        f"{wording.count(rows, 'row')}.",
        numbers=(1,),
        words=True,
    )


def front(repairs: Repairs) -> ReportTable:
    """What each form loses and costs; what is offered first is marked."""
    leading = repairs.leading
    texts = [form.text for form in repairs.forms]
    marked = leading is not None and leading.text in texts
    return ReportTable(
        ("form", *NUMBER_NAMES, "ns a call, NumPy", "ns, C"),
        [
            (
                _form(form),
                *_numbers(form.numbers),
                *[wording.significant(cost, 2) for cost in form.nanoseconds],
            )
            for form in repairs.forms
        ],
        "What is written now, and the forms that no cheaper one matches in digits. "
        f"{numbers_caption(repairs.written)}. Nanoseconds of "
        "a call, in NumPy for each element of an array: added up from operators measured on one "
        "machine (x86-64); the ratios matter.",
        numbers=(1, 2, 3, 4, 5, 6, 7, 8),
        marked=frozenset({texts.index(leading.text)} if leading and marked else ()),
    )


def _form(form: FrontForm) -> Cell:
    if form.is_original:
        return "as written"
    cell: list[Piece] = [code(form.text)]
    if form.assumptions:
        cell.append(f" needs {', '.join(form.assumptions)}")
    if any(branch.series is not None for branch in form.branches):
        cell.append(" an approximation")
    return tuple(cell)


# Row by row


def lost_by_row(findings: Findings, form: Repair) -> tuple[Chart, str] | None:
    """A picture of what rows lose as written and with a form, and its caption."""
    repairs = findings.repairs
    target = "float64" if repairs is None else repairs.target
    rows = profile(findings.inspection, form.formula, target)
    if not len(rows) or not rows.inputs:
        return None
    along = ways_along(rows)[0]
    conditions = zip(letters(len(rows.conditions)), rows.conditions, strict=True)
    legend = " ".join(f"{letter}: {_where(condition)}." for letter, condition in conditions)
    over = "the darker the more" if along.kind == "map" else f"over `{along.name}`"
    caption = f"Digits lost at each row measured, {over}: as written and with this form. {legend}"
    return error_curves(rows, along), caption


def _where(condition: str) -> str:
    return f"`{condition}`" if condition else "elsewhere"
