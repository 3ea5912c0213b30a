"""`python -m eic_core card FORMULA --data DATA.csv`: R² with short constants and on other rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import (
    EXPONENTS_OPTION,
    FORMULA_ARGUMENT,
    HOLDOUT,
    INDEX_BASE,
    JSON,
    SYNTAX,
    TARGET,
    read_data,
    target_column,
)
from eic_core.cli.command_table import FORMULA, Command, OptionRow, Options, show
from eic_core.errors import DataError
from eic_core.explain.phrases.fit_card import no_value
from eic_core.explain.robustness import RobustnessCard, robustness_card
from eic_core.formula.syntax import read
from eic_core.formula.syntax.languages import notation_called
from eic_core.formula.tree import Formula
from eic_core.measure.table import NoColumn, Table, match_variables
from eic_core.pool.scoring import measure_formula
from eic_core.samples import Samples

NAME_WIDTH, COLUMN_WIDTH = 26, 14


def run(options: Options) -> None:
    table = read_data(options.data)
    target = target_column(table, options.target)
    inputs = [name for name in table.names if name != target]
    formulas, mappings = [], []
    for text in [options.formula, *([options.beside] if options.beside is not None else [])]:
        reading = read(
            text,
            syntax=notation_called(options.syntax),
            columns=inputs,
            exponents=options.exponents,
        )
        chosen = options.index_base is not None
        base = options.index_base if chosen else reading.index_base
        formulas.append(reading.formula)
        mappings.append(columns_of(reading.formula, inputs, base, chosen))
    cards = cards_beside(formulas, mappings, CardRows(table, target, options.holdout))

    def document() -> dict[str, Any]:
        first, *beside = [card_document(card, at) for card, at in cards]
        return first | {"target": target, "beside": beside[0] if beside else None}

    show(options, lambda: card_lines(cards, ["formula", "beside"][: len(cards)]), document)


def columns_of(
    formula: Formula, inputs: Sequence[str], index_base: int | None, chosen: bool
) -> Mapping[str, str]:
    """The column of each variable; `chosen` if the user set the `index_base`."""
    match = match_variables(formula.variables, inputs, index_base=index_base, chosen=chosen)
    if match.missing:
        raise NoColumn(match.missing, inputs)
    return match.mapping


class CardRows:
    """The rows of cards: of a table, and of a held-out one, which must be another (DataError)."""

    def __init__(self, table: Table, target: str, holdout: Path | None) -> None:
        self.tables = [table]
        self.target = target
        if holdout is not None:
            other = read_data(holdout)
            if other.digest == table.digest:
                raise DataError(
                    f"{holdout} is the same table as the data",
                    hint="a held-out table has rows that nothing was fitted to",
                )
            self.tables.append(other)

    def samples(self, mapping: Mapping[str, str], columns: Sequence[str]) -> list[Samples]:
        """Samples for a formula; `columns` are those of the formulas beside it."""
        # rows complete in the columns of all formulas: else each formula would have rows of its own
        sources = {f"column {name}": name for name in columns} | dict(mapping)
        return [table.samples(sources, self.target) for table in self.tables]


def cards_beside(
    formulas: Sequence[Formula], mappings: Sequence[Mapping[str, str]], rows: CardRows
) -> list[tuple[RobustnessCard, Samples]]:
    """The cards of some formulas on the same rows, each with its samples."""
    used = list(dict.fromkeys(name for mapping in mappings for name in mapping.values()))
    cards = []
    for formula, mapping in zip(formulas, mappings, strict=True):
        samples, *held_out = rows.samples(mapping, used)
        card = robustness_card(formula, samples, holdout=held_out[0] if held_out else None)
        cards.append((card, samples))
    return cards


def card_document(card: RobustnessCard, samples: Samples) -> dict[str, Any]:
    score = measure_formula(card.formula, samples)
    return card.to_json() | {
        "complexity": score.complexity,
        "exponents": card.formula.exponents,
        "eic": score.eic,
        "eic_finite": score.eic_finite,
    }


def card_lines(cards: Sequence[tuple[RobustnessCard, Samples]], heads: Sequence[str]) -> list[str]:
    """Cards side by side below their `heads`, and the meaning of each line."""
    scores = [measure_formula(card.formula, samples) for card, samples in cards]
    lines = [_line("", heads)]
    lines.append(_line("nodes", [f"{score.complexity}" for score in scores]))
    lines.append(_line("EIC", [wording.number(score.eic_finite) for score in scores]))
    rows = list(zip(*[card.lines for card, _ in cards], strict=True))
    lines += [_line(f"R² {row[0].name}", [cell.text for cell in row]) for row in rows]
    meanings = [f"{row[0].name}: {row[0].meaning}" for row in rows]
    if any(math.isnan(cell.r2) for row in rows for cell in row):
        meanings.append(str(no_value()))
    return [*lines, "", *meanings]


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<{NAME_WIDTH}}" + "".join(f" {cell:>{COLUMN_WIDTH}}" for cell in cells)


COMMAND = Command(
    "card",
    "what remains of a formula's R² with short constants, in float32, on other rows",
    (
        FORMULA_ARGUMENT,
        OptionRow("--data", "DATA.csv", "the table that it was fitted to", required=True),
        TARGET,
        OptionRow("--beside", FORMULA, "another one, on the same rows"),
        HOLDOUT,
        SYNTAX,
        EXPONENTS_OPTION,
        INDEX_BASE,
        JSON,
    ),
    run,
    "Robustness card: R² of a formula as given, with constants of 4 digits, in float32, on "
    "resampled rows, on rows left out, on the outer rows, on a held-out table.",
)
