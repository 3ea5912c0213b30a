"""A table of cells, as CSV and every other form of a file is read into, and CSV itself."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from eic_core.errors import DataError, FormulaError
from eic_core.formula.syntax import Reading, read
from eic_core.measure.table import COMMA_DECIMAL
from eic_core.pool.importers.listed import MAX_ROWS, is_no_formula, read_number, score_name
from eic_core.pool.importers.numerals import stored_scores

FORMULA_NAMES = frozenset(
    "equation formula expression symbolic_model model program expr infix sympy_format solution"
    " best_expression best_program function".split()
)
"""Headers under which tools write formulas; in lower case."""

MAX_COLUMNS = 500
"""Most columns that a list may have: some scores and constants beside its formulas."""

_SAMPLE = 40
_MAX_COLUMNS = 60
_LONGEST_HEADER = 400
_HEADER = re.compile(r"[^()+*/=\\<>]{0,80}")
_UNITS = re.compile(r"\s*[(\[][^()]*[)\]]\s*\Z")


@dataclass(frozen=True)
class Sheet:
    columns: tuple[str, ...]
    # Without the header and empty lines; a row may be shorter or longer than the header
    rows: tuple[tuple[str, ...], ...]
    form: str = "CSV"  # How the table was written, in words
    notes: tuple[str, ...] = ()  # What was left out or assumed
    delimiter: str = ""  # What stood between the cells of CSV
    syntax: str = ""  # The notation of its formulas, where the form gives it
    method: str = ""  # The tool, where the form gives it

    def column_index(self, *names: str) -> int:
        """Index of the first of these columns (in lower case) that is there, or -1."""
        lower = [column.strip().lower() for column in self.columns]
        return next((lower.index(name) for name in names if name in lower), -1)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Per column, which share of a sample of its cells reads as a formula with an operation."""
        return tuple(
            _share([cell_of(row, i) for row in self.rows]) if i < _MAX_COLUMNS else 0.0
            for i in range(len(self.columns))
        )

    @cached_property
    def formula_columns(self) -> tuple[str, ...]:
        """The columns whose cells read as formulas, or else those that are called so."""
        shares = dict(zip(reversed(self.columns), reversed(self.shares), strict=True))
        shares = {name: share for name, share in shares.items() if not score_name(name)}
        called = [name for name in shares if name.strip().lower() in FORMULA_NAMES]
        likely = [n for n, share in shares.items() if share >= 0.3 or (share and n in called)]
        return tuple((likely or called)[::-1])

    def whole_rows(self, formulas: int) -> list[tuple[str, ...]]:
        """The rows, each formula in one piece; `formulas` is the index of their column."""
        return [whole_row(row, formulas, self) for row in self.rows]

    def scores(self, formulas: int) -> tuple[list[dict[str, float]], tuple[str, ...]]:
        """The scores of each row, and notes on them; the column `formulas` (an index) has none."""
        names = [(i, n) for i, n in enumerate(self.columns) if i != formulas and score_name(n)]
        rows = self.whole_rows(formulas)
        table = [[(name, cell_of(row, i)) for i, name in names] for row in rows]
        return stored_scores(table, apart=self.delimiter == ";")


def cell_of(row: tuple[str, ...], place: int) -> str:
    """The cell at a place of a row, "" where the row is too short or the place is -1.

    >>> [cell_of(("x", "2"), i) for i in (1, 2, -1)]
    ['2', '', '']
    """
    return row[place] if 0 <= place < len(row) else ""


def reading_of(text: str, syntax: str = "") -> Reading | None:
    """How a text reads, None if it does not."""
    try:
        return read(text, syntax=syntax or "auto")
    except FormulaError:
        return None


def sheet_of_csv(text: str, first: str) -> Sheet | None:
    """The table of a text of CSV, if its first line is a header."""
    delimiter = max(",;\t|", key=first.count)
    if not first.count(delimiter) or len(first) > csv.field_size_limit():
        return None
    header = next(csv.reader([first], delimiter=delimiter), [])
    named = [cell for cell in header if cell.strip()]
    if len(header) < 2 or not named or not all(map(names_a_column, header)):
        return None
    if len(named) == 1 and _is_formula(named[0]):  # a comma behind it, as in lists of programs
        return None
    try:
        cells = csv.reader(io.StringIO(text), delimiter=delimiter)
        rows = [tuple(row) for row in cells if row]
    except csv.Error as error:
        raise DataError(f"cannot read the table: {error}", hint="save it as plain CSV") from error
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows.pop()
    return Sheet(tuple(map(str.strip, rows[0])), tuple(rows[1:]), delimiter=delimiter)


def formulas_among_numbers(lines: Sequence[str]) -> list[str] | None:
    """The formulas of lines that hold numbers beside each, all behind as many commas or semicolons.

    >>> formulas_among_numbers(["0.9,x+1", "0.8,2*x"]), formulas_among_numbers(["2,5*x", "1,5*x"])
    (['x+1', '2*x'], None)
    """
    for delimiter in ",;":
        if lines and delimiter in lines[0] and (formulas := _between(lines, delimiter)):
            return formulas
    return None


def _between(lines: Sequence[str], delimiter: str) -> list[str] | None:
    try:
        rows = [tuple(row) for row in csv.reader(lines, delimiter=delimiter, strict=True)]
    except csv.Error:
        return None
    width = len(rows[0])
    if not 1 < width <= _MAX_COLUMNS or any(len(row) != width for row in rows):
        return None
    others = [i for i in range(width) if not all(_is_number(row[i], delimiter) for row in rows)]
    if len(others) != 1:
        return None
    (place,) = others
    sample = range(0, len(rows), max(1, len(rows) // _SAMPLE))
    if any(reading_of(lines[i]) for i in sample):
        return None  # a comma inside a formula
    if sum(reading_of(rows[i][place]) is not None for i in sample) * 2 < len(sample):
        return None
    return [row[place] for row in rows]


def _is_number(cell: str, delimiter: str) -> bool:
    text = cell.strip().removesuffix("%")
    return read_number(text) is not None or (
        delimiter != "," and COMMA_DECIMAL.match(text) is not None
    )


def whole_row(row: tuple[str, ...], place: int, sheet: Sheet) -> tuple[str, ...]:
    """A row of a sheet, its formula in one piece if it holds what separates the cells.

    >>> sheet = Sheet(("formula", "r2"), (), delimiter=";")
    >>> whole_row(("max(1", "x)", "0.5"), 0, sheet), whole_row(("x", "0.5", "a note"), 0, sheet)
    (('max(1;x)', '0.5'), ('x', '0.5', 'a note'))
    """
    surplus = len(row) - len(sheet.columns)
    if surplus <= 0 or place >= len(row) or not any(cell.strip() for cell in row[-surplus:]):
        return row
    end = place + surplus + 1
    joined = sheet.delimiter.join(row[place:end])
    if reading_of(row[place]):
        return row
    if not reading_of(joined):
        return row[: place + 1]  # nothing tells where its numbers begin
    return (*row[:place], joined, *row[end:])


def too_many() -> DataError:
    return DataError(
        f"the list has more than {MAX_ROWS:,} formulas",
        hint="split it, or score it with python -m eic_core score",
    )


def too_wide() -> DataError:
    return DataError(
        f"the list has more than {MAX_COLUMNS} columns",
        hint="keep the column with the formulas and those with scores",
    )


def names_a_column(cell: str) -> bool:
    if len(cell) > _LONGEST_HEADER:
        return False
    text = _UNITS.sub("", cell.strip().strip('"'))
    if cell.strip() and not text.strip():
        return False
    return read_number(text) is None and _HEADER.fullmatch(text) is not None


def _share(cells: list[str]) -> float:
    full = [cell for cell in cells if cell.strip()]
    sample = full[:: max(1, len(full) // _SAMPLE)][:_SAMPLE]
    return sum(map(_is_formula, sample)) / len(sample) if sample else 0.0


def _is_formula(cell: str) -> bool:
    if len(cell) > 5_000 or read_number(cell) is not None or is_no_formula(cell):
        return False
    reading = reading_of(cell)
    if reading is None or not (_SIGN.search(cell) or reading.syntax == "prefix"):
        return False  # `GP` is a name, not G·P
    return reading.formula.complexity > 1 and bool(reading.formula.variables)


_SIGN = re.compile(r"[^\w\s.,;:]")
"""A mark that no name holds."""
