"""gplearn: printed programs, below its table of generations or alone.

The table that ``verbose=1`` prints and `run_details_` hold lengths and fitness but no formula
(github.com/trevorstephens/gplearn, ``gplearn/genetic.py``, `_verbose_reporter`); the programs are
what ``print(est._program)`` or printing a SymbolicTransformer gives.
"""

from __future__ import annotations

import re

from eic_core.errors import DataError
from eic_core.pool.importers.plain import listed_lines
from eic_core.pool.importers.rows import Listed
from eic_core.pool.importers.source import Sheet, Source

_HEAD = re.compile(r"\s*+(?:\|\s*+)?Population Average\s*\|\s*Best Individual")
_NAMES = re.compile(r"\s*Gen\s+Length\s+Fitness")
_GENERATION = re.compile(r"\s*\d+\s+[\d.]+\s+[-+\d.einfa]+\s+\d+\s+[-+\d.einfa]+(?:\s+\S+)*\s*\Z")
_PROGRAM = re.compile(r"\s*\[?(?:add|sub|mul|div|sqrt|log|abs|neg|inv|max|min|sin|cos|tan)\(")
_DETAILS = ("generation", "average_length", "best_length", "best_fitness")


def recognise(source: Source) -> str:
    """What tells gplearn's print; "" if nothing does."""
    if any(_HEAD.match(line) for line in source.lines):
        return "it holds the table of generations that gplearn prints"
    if all(_PROGRAM.match(line) for line in source.lines) and re.search(r"\bX\d", source.text):
        return "every line is a program of gplearn, add(X0, …)"
    return ""


def recognise_details(sheet: Sheet) -> str:
    """What tells a saved `run_details_`; "" if nothing does."""
    return "its columns are those of gplearn's run_details_" if all(
        sheet.place(name) >= 0 for name in _DETAILS
    ) else ""  # fmt: skip


def listed(source: Source) -> list[Listed]:
    """The programs among the lines.

    Raises
    ------
    DataError
        If there is none: the table alone says how long the programs are, not what they are.
    """
    lines = [line for line in source.lines if not _of_the_table(line)]
    rows = listed_lines(lines, syntax="gplearn") if lines else []
    if not rows:
        raise no_programs()
    return [
        Listed(r.row, r.formula, r.syntax, "gplearn", stored=r.stored, error=r.error) for r in rows
    ]


def no_programs() -> DataError:
    """What is said of gplearn's table where the programs themselves are missing."""
    return DataError(
        "this is gplearn's table of generations, which holds no formula",
        hint="paste what print(est._program) says, or the programs of the last generation: "
        "for p in est._programs[-1]: print(p)",
    )


def _of_the_table(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_HEAD, _NAMES, _GENERATION)) or not line.strip(
        "-|= "
    )
