"""`python -m eic_core pick FRONT.csv --data DATA.csv`: which formula of a list to take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import (
    EXPONENTS_OPTION,
    HOLDOUT,
    INDEX_BASE,
    JSON,
    STRICT,
    TARGET,
    read_data,
    target_column,
)
from eic_core.cli.card_command import CardRows, card_document, card_lines, cards_beside
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.exits import fault_of_file
from eic_core.errors import DataError
from eic_core.explain.robustness import RobustnessCard
from eic_core.formula.syntax import SYNTAXES
from eic_core.formula.syntax.languages import notation_called
from eic_core.measure.table import Table
from eic_core.pool import pick_phrases
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.importers import ALIASES, FORMATS, Imported, Listed, import_formulas
from eic_core.pool.left_out import left_out_lines, refuse_left_out
from eic_core.pool.listing import ListedScore, TableData, column_notes, score_listing
from eic_core.pool.picking import READABLE, Pick, pick
from eic_core.pool.table_check import check_table
from eic_core.pool.tool_functions import protected_note, with_plain_functions
from eic_core.samples import Samples

MOST_PRINTED = 10
"""Formulas that are printed, the best first."""

FORMULA_WIDTH = 60


def run(options: Options) -> None:
    with fault_of_file("read", options.front):
        content = options.front.read_bytes()
    imported = import_formulas(
        content, name=options.front.name, format=options.format, column=options.column
    )
    table = read_data(options.data)
    target = target_column(table, options.target)
    _refuse_numbers(imported.rows, options.front.name)
    rows = _as_asked(_rows_of_problem(imported, options.problem, options.data.stem), options)
    scores = score_listing(rows, TableData(table, target, options.index_base))
    choice = pick(scores, options.alpha)
    doubts = check_table(scores, table, rows[0].problem, imported.problems, target).reasons
    cards = []
    if options.card or options.holdout:  # a held-out table is for the card alone
        cards = _cards(choice, CardRows(table, target, options.holdout))
    note = protected_note(scores)

    def lines() -> list[str]:
        lines = [*_lines(choice, table, target, doubts), *column_notes(scores)]
        if note:
            lines[3:3] = [f"{note} With --reading plain: the plain functions."]
        beside = ["", *card_lines(cards, _heads(choice))] if cards else []
        return [*lines, *imported.notes, *beside]

    def document() -> dict[str, Any]:
        return choice.to_json() | {
            "target": target,
            "exponents": options.exponents,
            "doubts": doubts,
            "notes": [*filter(None, [note]), *imported.notes],
            **({"cards": [card_document(*card) for card in cards]} if cards else {}),
        }

    show(options, lines, document)
    if options.strict:
        refuse_left_out(choice.left_out, len(rows))


def _refuse_numbers(rows: Sequence[Listed], name: str) -> None:
    """DataError if the list is a table of data: below its header stand numbers alone."""
    cells = [re.split(r"[,;\t]", row.formula) for row in rows[1:]]
    if cells and all(len(line) > 1 and all(map(_NUMBER.fullmatch, line)) for line in cells):
        raise DataError(
            f"{name} is a table of numbers, and no list of formulas",
            hint="the list comes first, the table behind --data: pick FRONT.csv --data DATA.csv",
        )


_NUMBER = re.compile(r"\s*([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|nan|NaN|NA|)\s*")
"""A cell of a table of data, which may be empty."""


def _as_asked(rows: Sequence[Listed], options: Options) -> Sequence[Listed]:
    """The rows, in the notation and with the exponents that the options name."""
    rows = [replace(row, exponents=options.exponents) for row in rows]
    if options.syntax not in (None, "auto"):
        name = notation_called(options.syntax)
        rows = [replace(row, syntax=name) for row in rows]
    return with_plain_functions(rows) if options.reading == "plain" else rows


def _cards(choice: Pick, rows: CardRows) -> list[tuple[RobustnessCard, Samples]]:
    """Of the pick, and beside it of the choice without regard to EIC."""
    inputs = [name for name in rows.tables[0].names if name != rows.target]
    formulas, mappings = [], []
    for scored in _compared_formulas(choice):
        reading = read_candidate(scored.listed.candidate(), inputs)
        assert not isinstance(reading, Refused), reading  # it has been scored
        formulas.append(reading.formula)
        mappings.append(scored.columns)
    return cards_beside(formulas, mappings, rows)


def _compared_formulas(choice: Pick) -> list[ListedScore]:
    return [choice.picked] if choice.plain is choice.picked else [choice.picked, choice.plain]


def _heads(choice: Pick) -> list[str]:
    marks = {id(choice.plain): ", plain", id(choice.picked): ""}  # where both are one, no mark
    return [f"row {scored.listed.row}{marks[id(scored)]}" for scored in _compared_formulas(choice)]


def _rows_of_problem(imported: Imported, name: str | None, stem: str) -> list[Listed]:
    """The rows of the problem of this name, or of the one that the table is named after."""
    problems = imported.problems
    if name is not None and name not in problems:
        listed = ", ".join(f"`{problem}`" for problem in problems[:12]) or "none"
        raise DataError(f"the list has no problem `{name}`", hint=f"it names {listed}")
    if name is None and len(problems) > 1:
        if stem not in problems:
            listed = ", ".join(f"`{problem}`" for problem in problems[:12])
            raise DataError(
                f"the list is about {len(problems)} problems: {listed}",
                hint="say which of them these data belong to, with --problem NAME",
            )
        name = stem
    return [row for row in imported.rows if name is None or row.problem == name]


def _r_squared(value: float) -> str:
    return wording.number(value, 5) if value > -100 else wording.significant(value)


def _lines(choice: Pick, table: Table, target: str, doubts: tuple[str, ...]) -> list[str]:
    lines = [
        choice.picked.listed.formula,
        "",
        str(choice.sentence),
        *(f"Doubtful: {reason}" for reason in doubts),
        "",
        f"fitness = {choice.eta:g}^nodes/(2 − R²) − {choice.alpha:g}·EIC, on "
        f"{_rows_measured(choice, table)} of {table.source}, target `{target}`",
        f"{'row':>6} {'fitness':>9} {'R²':>9} {'nodes':>6} {'EIC':>6}  formula",
    ]
    printed = choice.ranked[:MOST_PRINTED]
    fits_best = choice.better_fit
    for weight, scored in choice.ranked[MOST_PRINTED:]:
        if scored is choice.plain or scored is fits_best:  # the sentence names them
            printed = (*printed, (weight, scored))
    for weight, scored in printed:
        score = scored.score
        formula = wording.shorten(" ".join(scored.listed.formula.split()), FORMULA_WIDTH)
        mark = "" if scored is not choice.plain else "   <- without regard to EIC"
        if rows := choice.twins.get(scored.listed.row):
            mark = f"   ({pick_phrases.also_rows(rows)}){mark}"
        lines.append(
            f"{scored.listed.row:>6} {wording.number(weight, 5):>9} {_r_squared(score.r2):>9} "
            f"{score.complexity:>6} {pick_phrases.eic_in_table(score):>6}  {formula}{mark}"
        )
    more = len(choice.ranked) - len(printed)
    if more > 0:
        lines.append(f"{'':>6} and {more:,} more")
    lines += [str(line) for _, each in printed for line in pick_phrases.program_alone(each)]
    lines += left_out_lines(choice.left_out, len(choice.ranked) + len(choice.left_out))
    return lines


def _rows_measured(choice: Pick, table: Table) -> str:
    counts = [scored.rows for _, scored in choice.ranked]
    of = wording.count(table.rows, "row")
    if min(counts) == table.rows:
        return of
    few = (
        f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    )
    return f"{few} of {of} (those with a number in each column that a formula uses)"


COMMAND = Command(
    "pick",
    "which formula of a front to take, with regard to its digits",
    (
        OptionRow(
            "front",
            "FRONT.csv",
            "a hall of fame, a front or a list, as PySR, Operon, gplearn, SRBench or a person "
            "wrote it",
        ),
        OptionRow(
            "--data", "DATA.csv", "the table that the formulas were fitted to", required=True
        ),
        TARGET,
        OptionRow(
            "--alpha",
            "A",
            "what a digit costs; 0 leaves digits out of account",
            default=READABLE,
        ),
        OptionRow("--problem", "NAME", "where the list is about several"),
        OptionRow(
            "--format",
            "NAME",
            f"auto, {', '.join(FORMATS)}",
            default="auto",
            choices=("auto", *FORMATS, *ALIASES),
        ),
        OptionRow("--column", "NAME", "the column of the list that holds the formulas"),
        OptionRow(
            "--syntax",
            "NAME",
            f"the notation of all formulas: {', '.join(SYNTAXES)}",
            words=SYNTAXES,
        ),
        OptionRow(
            "--reading",
            help="whether functions that a tool protects are those of the tool",
            default="tool",
            choices=("tool", "plain"),
        ),
        INDEX_BASE,
        OptionRow(
            "--card",
            help="print what remains of R² with short constants, in float32 and on other rows, "
            "beside the choice without regard to EIC",
        ),
        HOLDOUT,
        EXPONENTS_OPTION,
        STRICT,
        JSON,
    ),
    run,
    "Weigh what a search has found again: accuracy, nodes, and digits (EIC).",
)
