"""PAIRS.csv: matched pairs as a table; for organisers, never for raters."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from eic_core.errors import DataError
from study.matching.result import MatchedPair

PAIR_COLUMNS = (
    "pair", "problem", "loss",
    "lower_row", "higher_row", "lower_formula", "higher_formula",
    "lower_eic", "higher_eic", "lower_r2", "higher_r2", "lower_complexity", "higher_complexity",
    "same_function",
)  # fmt: skip
_FLAGS = {None: "", True: "true", False: "false"}


def pair_cells(pair: MatchedPair) -> list[str]:
    """One pair as cells in the order of `PAIR_COLUMNS`; numbers in full precision."""
    low, high = pair.lower, pair.higher
    return [
        pair.pair, pair.problem, repr(pair.loss),
        str(low.row), str(high.row), low.formula, high.formula,
        repr(low.eic), repr(high.eic), repr(low.r2), repr(high.r2),
        str(low.complexity), str(high.complexity), _FLAGS[pair.same_function],
    ]  # fmt: skip


def write_pairs(path: Path, pairs: Iterable[MatchedPair]) -> None:
    """Write PAIRS.csv.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(PAIR_COLUMNS)
            writer.writerows(pair_cells(pair) for pair in pairs)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
