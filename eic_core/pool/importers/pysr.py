"""PySR: the hall of fame as a file, as it is printed in a run, and as `print(model)` shows it.

SymbolicRegression.jl writes ``hall_of_fame.csv`` and ``.bkup`` with the header
``Complexity,Loss,Equation`` and the equation in quotes (github.com/MilesCranmer/
SymbolicRegression.jl, ``src/SearchUtils.jl``, `save_to_file`); versions before 0.6 wrote
``Complexity|MSE|Equation``.  ``model.equations_.to_csv()`` has lower-case names, a ``score`` and
SymPy's form beside (astroautomata.com/PySR, "Examples").  A run prints the table ``Complexity
Loss Score Equation``; long equations end in ``...`` and go on in the next line.
"""

from __future__ import annotations

import re

from eic_core.pool.importers.rows import NO_FORMULA, Listed, stored_numbers
from eic_core.pool.importers.source import Sheet, Source
from eic_core.pool.importers.tables import listed_cells

_HEAD = re.compile(r"\s*Complexity\s+(?:Loss|MSE)(\s+Score)?\s+Equation\s*\Z", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d++\.?+\d*+(?:[eE][-+]?\d++)?+|inf|nan)"
_ROW = re.compile(rf"\s*+(\d++)\s++({_NUMBER})\s++(.*\S)", re.IGNORECASE)
_SCORE = re.compile(rf"({_NUMBER})\s+", re.IGNORECASE)
_HEAD_OF_EQUATION = re.compile(r"[A-Za-z_]\w*\s*=(?!=)\s*")
_REPR = re.compile(r"PySRRegressor\.equations_\s*=\s*\[")
_REPR_ROW = re.compile(
    rf"\s*+\d++\s++(?:>>>>\s++)?({_NUMBER})\s++(.*\S)\s++({_NUMBER})\s++(\d++)\s*+\Z", re.IGNORECASE
)
_GOES_ON = [".", ".", "."]
CUT = "printing has cut this equation short: take it from hall_of_fame.csv"


def recognise_file(sheet: Sheet) -> str:
    """What tells a hall of fame's file; "" if nothing does."""
    places = [sheet.place("complexity"), sheet.place("loss", "mse"), sheet.place("equation")]
    if min(places) < 0:
        return ""
    named = [f"`{sheet.columns[i]}`" for i in places]
    return f"the columns {named[0]}, {named[1]} and {named[2]} are those of PySR's hall of fame"


def listed_file(sheet: Sheet, column: str) -> list[Listed]:
    """The rows of the file."""
    return listed_cells(sheet, column, syntax="pysr", method="PySR")


def recognise_print(source: Source) -> str:
    """What tells a printed hall of fame; "" if nothing does."""
    if any(_HEAD.match(line) for line in source.lines):
        return "the heads Complexity, Loss and Equation are those that PySR prints"
    if any(_REPR.search(line) for line in source.lines):
        return "it begins like PySR's print(model)"
    return ""


def listed_print(source: Source) -> tuple[list[Listed], tuple[str, ...]]:
    """The rows of the last table that was printed, and what was left out."""
    lines = source.lines
    heads = [i for i, line in enumerate(lines) if _HEAD.match(line)]
    if not heads:
        return _listed_repr(lines), ()
    notes = () if len(heads) == 1 else (
        f"{len(heads)} tables were printed; the last is taken.",
    )  # fmt: skip
    head = _HEAD.match(lines[heads[-1]])
    scored = head is not None and head[1] is not None
    rows: list[Listed] = []
    letters: list[str] = []  # of an equation that may go on in the next line
    numbers = [("", "")]
    for line in [*lines[heads[-1] + 1 :], "==="]:
        found = _ROW.match(line)
        if found is None and letters[-3:] == _GOES_ON and not line.startswith(("=", "-")):
            del letters[-3:]
            letters.extend(line.strip())
            continue
        if letters:
            rows.append(_row(len(rows) + 1, "".join(letters), numbers))
            letters = []
        if found is None:
            if rows:
                break
            continue
        text, numbers = found[3], [("complexity", found[1]), ("loss", found[2])]
        if scored and (score := _SCORE.match(text)):
            text, numbers = text[score.end() :], [*numbers, ("score", score[1])]
        letters = list(text)
    return rows, notes


def _row(row: int, text: str, numbers: list[tuple[str, str]]) -> Listed:
    formula = _HEAD_OF_EQUATION.sub("", text, count=1) if _HEAD_OF_EQUATION.match(text) else text
    error = "" if formula else NO_FORMULA
    if "..." in formula:
        error = CUT
    return Listed(row, formula, "pysr", "PySR", stored=stored_numbers(numbers), error=error)


def _listed_repr(lines: tuple[str, ...]) -> list[Listed]:
    rows: list[Listed] = []
    for line in lines:
        if found := _REPR_ROW.match(line):
            numbers = [("score", found[1]), ("loss", found[3]), ("complexity", found[4])]
            rows.append(_row(len(rows) + 1, found[2].strip(), numbers))
    return rows
