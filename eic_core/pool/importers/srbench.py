"""SRBench results: one JSON object a run, or the collected table.

A run's file has ``dataset``, ``algorithm``, ``symbolic_model``, ``r2_test`` and more
(github.com/cavalab/srbench, ``experiment/evaluate_model.py``); collected results are the same
columns as CSV, or as JSON: a list of runs or a run in each line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from eic_core.pool.importers.rows import MAX_ROWS, NO_FORMULA, Listed, stored_numbers
from eic_core.pool.importers.source import FORMULA_NAMES, Sheet, Source, too_many
from eic_core.pool.importers.tables import listed_cells, notation_of

_MODEL = "symbolic_model"
_NONE = ("not implemented", "none", "nan", "")


def recognise_file(sheet: Sheet) -> str:
    """What tells a table of SRBench; "" if nothing does."""
    if sheet.place(_MODEL) < 0:
        return ""
    return "the column `symbolic_model` is SRBench's"


def listed_file(sheet: Sheet, column: str) -> list[Listed]:
    """The rows of the table."""
    return listed_cells(sheet, column, rename=notation_of)


def recognise_json(source: Source) -> str:
    """What tells JSON with formulas in it; "" if nothing does."""
    runs = list(_runs(source, limit=20))
    if any(_MODEL in run for run in runs):
        return "JSON with `symbolic_model`, as SRBench writes"
    if any(_key(run) for run in runs):
        return "JSON with a formula in each object"
    return ""


def listed_json(source: Source) -> list[Listed]:
    """A row for each run.

    Raises
    ------
    DataError
        If there are too many.
    """
    rows: list[Listed] = []
    for run in _runs(source, limit=MAX_ROWS + 1):
        if len(rows) >= MAX_ROWS:
            raise too_many()
        key = _key(run)
        text = str(run.get(key) or "").strip() if key else ""
        method = str(run.get("algorithm") or run.get("method") or "")
        numbers = [(k, repr(v)) for k, v in run.items() if _is_number(v)]
        rows.append(
            Listed(
                len(rows) + 1,
                text,
                syntax=str(run.get("syntax") or "") or notation_of(method),
                method=method,
                problem=str(run.get("dataset") or run.get("problem") or ""),
                stored=stored_numbers(numbers),
                error=NO_FORMULA if text.lower() in _NONE else "",
            )
        )
    return rows


def _key(run: Mapping[str, Any]) -> str:
    lower = {key.lower(): key for key in run}
    for name in (_MODEL, *FORMULA_NAMES):
        if name in lower and isinstance(run[lower[name]], str):
            return lower[name]
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _runs(source: Source, limit: int) -> Iterator[Mapping[str, Any]]:
    """The objects in a JSON text: one, a list of them, or one in each line."""
    text = source.text.strip()
    if text[:1] not in "[{":
        return
    try:
        content = json.loads(text)
        found = content if isinstance(content, list) else [content]
    except (ValueError, RecursionError):
        found = []
        for line in source.lines[:limit]:
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                return
    for item in found[:limit]:
        if isinstance(item, str):
            yield {"formula": item}
        elif isinstance(item, dict):
            yield item
