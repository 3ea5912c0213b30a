"""`python -m eic_core repair FORMULA`: what to write instead."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import cast

from eic_core import wording
from eic_core.cli.arguments import INDEX_BASE, JSON, LIMITS, SOURCE
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.inspect_command import read_input, reading_document, reading_lines
from eic_core.errors import UserError
from eic_core.formula.copying import is_own_name
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.rewriting import Branch, Repair, Repairs, RepairStep, repair
from eic_core.rewriting.phrases import (
    NUMBER_NAMES,
    bound_text,
    box_phrase,
    number_cells,
    numbers_caption,
    series_name,
)
from eic_core.rewriting.precision import TARGETS, Target
from eic_core.rewriting.profile import arms_of

WIDTH = 80
"""Columns of a terminal."""


def run(options: Options) -> None:
    precisions = [name for name in options.target if name in TARGETS]
    columns = [name for name in options.target if name not in TARGETS]
    options.target = columns[-1] if columns else None
    if options.target is not None and options.data is None:
        raise UserError(
            f"`--target {options.target}` is no precision, and without a table no column",
            hint=f"give {' or '.join(TARGETS)}",
        )
    reading, samples, mapping = read_input(options)
    if not options.seconds > 0:
        raise UserError(
            f"the search cannot take {options.seconds:g} seconds", hint="give more than 0"
        )
    repairs = repair(
        reading.formula,
        samples,
        target=cast(Target, precisions[-1]) if precisions else TARGETS[0],
        branches=not options.no_branches,
        series=not options.no_series,
        effort=options.effort,
        limit_seconds=options.seconds,
    )
    notes = [*reading_lines(reading), *_variable_lines(reading.formula)]
    show(
        options,
        lambda: [*describe(repairs), *notes],
        lambda: repairs.to_json() | {"variables": mapping, "reading": reading_document(reading)},
    )


def _variable_lines(formula: Formula) -> list[str]:
    """What `eic write` has to be told, which reads the forms without the data."""
    names = [name for name in formula.variables if not is_own_name(name, "infix", name)]
    if not names:
        return []
    listed = wording.join([f"`{name}`" for name in names])
    many = "are variables" if len(names) > 1 else "is a variable"
    text = f"{listed} {many} here, which `eic write` learns from `--variables {','.join(names)}`"
    return _hanging("note         ", text)


def describe(repairs: Repairs) -> list[str]:
    """The repairs for a terminal of 80 columns, what was left out with the option for it."""
    stop = _hanging("", f"{repairs.stop} {repairs.more_effort}") if repairs.stop else []
    lines = [text for text in map(str, (repairs.offer or "", repairs.advice or "")) if text]
    if repairs.before is None:
        return lines + stop
    lines += [line for why in repairs.left_out_sentences for line in _hanging("", str(why))]
    lines += ["", *_table(repairs)]
    for form, follows in _derived(repairs):
        conditions = [line for why in form.conditions for line in _hanging("", str(why))]
        lines += ["", *conditions, follows, *_derivation(form)]
    return [*lines, "", f"{wording.count(repairs.evaluated, 'form')} looked at", *stop]


def _table(repairs: Repairs) -> list[str]:
    """The formula as written, the best form, then the others that no cheaper one matches: each
    above its numbers.
    """
    lines = [
        *_hanging("", f"{numbers_caption(repairs.written)}; nanoseconds a call:"),
        "  ".join(["", *NUMBER_NAMES, " NumPy", "   C"]),
    ]
    below = [form.text for form, _ in _derived(repairs)]  # with what they need
    for form in repairs.forms:
        texts = ["as written"] if form.is_original else _lines_of(form.formula)
        lines += [line for part in texts for line in _hanging("", part)]
        if form.assumptions and form.text not in below:
            lines += _hanging("  ", f"needs {', '.join(form.assumptions)}")
        if form.bound:
            lines += _hanging("  ", f"≈ relative error at most {bound_text(form.bound)}")
        numbers = zip(NUMBER_NAMES, number_cells(form.numbers), strict=True)
        cells = [cell.rjust(len(name)) for name, cell in numbers]
        cost = [wording.significant(value, 2) for value in form.nanoseconds]
        lines.append("  ".join(["", *cells, f"{cost[0]:>6}", f"{cost[1]:>4}"]))
    return lines


def _lines_of(form: Formula) -> list[str]:
    """The text of a form in lines, one for each branch; together they are its text."""
    text, arms = to_python(form), arms_of(form)
    if any(len(arm.conditions) > 1 for arm in arms[:1]):
        return [text]
    *conditional, last = [to_python(form, arm.node) for arm in arms] or [text]
    conditions = [to_python(form, arm.conditions[0]) for arm in arms[:-1]]
    lines = [f"where({c}, {held}," for c, held in zip(conditions, conditional, strict=True)]
    lines.append(last + ")" * len(conditional))
    return lines if " ".join(lines) == text else [text]


def _derived(repairs: Repairs) -> list[tuple[Repair, str]]:
    """What is offered first, and the best exact form beside an approximation, with a heading."""
    leading, best = repairs.leading, repairs.best
    forms = [(leading, "How it follows")] if leading is not None else []
    if best is not None and best is not leading:
        forms.append((best, "How the best exact form follows"))
    rows = 0 if repairs.before is None else repairs.before.loss.rows
    after = f"with the mean digits lost at {wording.count(rows, 'row')} after each step:"
    return [(form, f"{head}, {after}") for form, head in forms]


def _derivation(form: Repair) -> list[str]:
    lines = [] if form.branches else _steps(form.steps)
    for branch in form.branches:
        lines += _branch(branch, sum(each.rows for each in form.branches))
    checked = form.verification
    needs = ", ".join(form.assumptions)
    equal = "equal" if form.is_exact else "the same"
    checks = f"{equal} to 1e-{checked.agreement} at {wording.count(checked.rows, 'row')}"
    checks = f"{checks}; needs {needs}" if needs else checks
    if form.branches:  # at the margin, for it is about all branches, not about the last
        return lines + _hanging("", f"the whole form: {checks}")
    return lines + _hanging(" " * 7, checks)


def _branch(branch: Branch, rows: int) -> list[str]:
    where = f"where {branch.condition}" if branch.condition else "elsewhere"
    before, after = wording.number(branch.before, 1), wording.number(branch.after, 1)
    heading = f"{where} ({branch.rows:,} of {wording.count(rows, 'row')}): "
    series = branch.series
    if not branch.steps and series is None:
        return _hanging("", f"{heading}as written, {after} digits lost")
    lines = _hanging("", f"{heading}{after} digits lost, as written {before}")
    lines += _steps(branch.steps)
    if series is not None:
        lines += _hanging(" " * 7, f"a series, {series_name(series)}, for `{series.replaced}`")
        off = f"relative error at most {bound_text(series.bound)}, proved for {box_phrase(series)}"
        lines += _hanging(" " * 7, off)
    return lines


def _steps(steps: Sequence[RepairStep]) -> list[str]:
    lines: list[str] = []
    for step in steps:
        digits = f"{wording.number(step.digits, 1):>5}  "
        parts = [f"{step.rule}: {step.before}", f"→ {step.after}"]
        if len(digits) + len(" ".join(parts)) <= WIDTH:
            parts = [" ".join(parts)]
        lines += _hanging(digits, parts[0])
        lines += [line for part in parts[1:] for line in _hanging(" " * 7, part)]
    return lines


def _hanging(first: str, text: str) -> list[str]:
    """Text beside a first column, in lines of the terminal's width."""
    rest = " " * len(first)
    whole = textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return whole.splitlines()


KINDS = (
    OptionRow(
        "--no-branches", help="offer no form that chooses by a condition, where(b >= 0, …, …)"
    ),
    OptionRow("--no-series", help="offer no approximation by a series"),
)
"""Kinds of forms that are not wanted."""

COMMAND = Command(
    "repair",
    "equivalent forms that lose fewer digits",
    (
        *SOURCE,
        INDEX_BASE,
        JSON,
        *LIMITS,
        *KINDS,
        OptionRow(
            "--target",
            "|".join([*TARGETS, "COLUMN"]),
            "the precision of the program, which decides what is offered (default: float64), or "
            "the column that is no input; may be given twice",
            default=[],
            words=TARGETS,
            settings={"action": "append"},
        ),
    ),
    run,
    "Search for equivalent forms that lose fewer digits, verified on the data; for forms that "
    "choose between branches, and, named as such, for approximations by a series with a proved "
    "bound.",
)
