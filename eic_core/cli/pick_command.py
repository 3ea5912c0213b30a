"""`python -m eic_core pick FRONT.csv --data DATA.csv`: which formula of a list to take."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import read_data
from eic_core.cli.card_command import (
    CardRows,
    add_holdout_argument,
    card_document,
    card_lines,
    cards_beside,
)
from eic_core.errors import DataError
from eic_core.explain.robustness import RobustnessCard
from eic_core.exports import plain_value
from eic_core.measure.table import Table
from eic_core.pool.candidate import read_candidate
from eic_core.pool.importers import FORMATS, Imported, Listed, import_formulas
from eic_core.pool.listing import ListedScore, TableData, column_notes, score_listing
from eic_core.pool.picking import READABLE, Pick, pick
from eic_core.pool.table_check import check_table
from eic_core.samples import Samples

SHOWN = 10
"""Formulas that are printed, the best first."""

FORMULA_WIDTH = 60


def add_parser(commands: Any) -> None:
    """Register the command with an ``argparse`` sub-parser collection."""
    parser = commands.add_parser(
        "pick",
        help="which formula of a front to take, with regard to its digits",
        description="Weigh what a search has found again: accuracy, nodes, and digits (EIC).",
    )
    parser.add_argument(
        "front",
        metavar="FRONT.csv",
        type=Path,
        help="a hall of fame, a front or a list, as PySR, Operon, gplearn, SRBench or a person "
        "wrote it",
    )
    parser.add_argument(
        "--data",
        metavar="DATA.csv",
        type=Path,
        required=True,
        help="the table that the formulas were fitted to",
    )
    parser.add_argument("--target", metavar="COLUMN", help="default: the last column")
    parser.add_argument(
        "--alpha",
        metavar="A",
        type=float,
        default=READABLE,
        help="what a digit costs; 0 leaves digits out of account; default: %(default)s",
    )
    parser.add_argument("--problem", metavar="NAME", help="where the list is about several")
    parser.add_argument(
        "--format", choices=("auto", *FORMATS), default="auto", help="default: %(default)s"
    )
    parser.add_argument(
        "--index-base", type=int, choices=(0, 1), help="whether x1 is the second or first column"
    )
    parser.add_argument(
        "--card",
        action="store_true",
        help="print what remains of R² with short constants, in float32 and on other rows, beside "
        "the choice without regard to EIC",
    )
    add_holdout_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read, score, choose, print."""
    try:
        content = options.front.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {options.front}: {error.strerror}") from error
    imported = import_formulas(content, name=options.front.name, format=options.format)
    table = read_data(options.data)
    target = options.target or table.names[-1]
    if target not in table.names:
        listed = ", ".join(f"`{name}`" for name in table.names)
        raise DataError(f"the table has no column `{target}`", hint=f"it has {listed}")
    rows = _rows_of_problem(imported, options.problem, options.data.stem)
    scores = score_listing(rows, TableData(table, target, options.index_base))
    found = pick(scores, options.alpha)
    problem = rows[0].problem
    doubts = check_table(scores, table, problem, imported.problems, target).reasons
    cards = _cards(found, CardRows(table, target, options.holdout)) if _with_card(options) else []
    if options.json:
        document = found.to_json() | {"target": target, "doubts": list(doubts)}
        if cards:
            document["cards"] = [card_document(*card) for card in cards]
        print(json.dumps(plain_value(document), allow_nan=False, ensure_ascii=False))
    else:
        lines = [*_lines(found, table, target, doubts), *column_notes(scores)]
        if cards:
            lines += ["", *card_lines(cards, _heads(found))]
        print("\n".join(lines))


def _with_card(options: argparse.Namespace) -> bool:
    """Whether a card is wanted: it is what a held-out table is for."""
    return bool(options.card or options.holdout)


def _cards(found: Pick, rows: CardRows) -> list[tuple[RobustnessCard, Samples]]:
    """The card of what is picked, and beside it that of the choice without regard to EIC."""
    inputs = [name for name in rows.tables[0].names if name != rows.target]
    formulas, mappings = [], []
    for scored in _compared(found):
        reading = read_candidate(scored.listed.candidate(), inputs)
        assert not isinstance(reading, str), reading  # it has been scored
        formulas.append(reading.formula)
        mappings.append(scored.columns)
    return cards_beside(formulas, mappings, rows)


def _compared(found: Pick) -> list[ListedScore]:
    return [found.picked] if found.plain is found.picked else [found.picked, found.plain]


def _heads(found: Pick) -> list[str]:
    marks = {id(found.plain): ", plain", id(found.picked): ""}  # where both are one, no mark
    return [f"row {scored.listed.row}{marks[id(scored)]}" for scored in _compared(found)]


def _rows_of_problem(imported: Imported, wanted: str | None, stem: str) -> list[Listed]:
    """The rows about one problem: the one that is asked for, or that the table is named after."""
    problems = imported.problems
    if wanted is not None and wanted not in problems:
        listed = ", ".join(f"`{name}`" for name in problems[:12]) or "none"
        raise DataError(f"the list has no problem `{wanted}`", hint=f"it names {listed}")
    if wanted is None and len(problems) > 1:
        if stem not in problems:
            listed = ", ".join(f"`{name}`" for name in problems[:12])
            raise DataError(
                f"the list is about {len(problems)} problems: {listed}",
                hint="say which of them these data belong to, with --problem NAME",
            )
        wanted = stem
    return [row for row in imported.rows if wanted is None or row.problem == wanted]


def _lines(found: Pick, table: Table, target: str, doubts: tuple[str, ...]) -> list[str]:
    """The choice, why, and the formulas that come next, as lines of text."""
    lines = [
        found.picked.listed.formula,
        "",
        found.sentence,
        *(f"Doubtful: {reason}" for reason in doubts),
        "",
        f"fitness = {found.eta:g}^nodes/(2 − R²) − {found.alpha:g}·EIC, on "
        f"{wording.count(table.rows, 'row')} of {table.source}, target `{target}`",
        f"{'row':>6} {'fitness':>9} {'R²':>9} {'nodes':>6} {'EIC':>6}  formula",
    ]
    for weight, scored in found.ranked[:SHOWN]:
        score = scored.score
        formula = wording.shorten(" ".join(scored.listed.formula.split()), FORMULA_WIDTH)
        mark = "" if scored is not found.plain else "   <- without regard to EIC"
        lines.append(
            f"{scored.listed.row:>6} {weight:9.5f} {score.r2:9.5f} {score.complexity:>6} "
            f"{wording.number(score.eic_finite):>6}  {formula}{mark}"
        )
    more = len(found.ranked) - SHOWN
    if more > 0:
        lines.append(f"{'':>6} and {more:,} more")
    if found.left_out:
        lines.append(f"left out: {found.left_out:,}, refused or without a value at some row")
    return lines
