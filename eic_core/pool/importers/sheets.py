"""Makes a table of a text: of CSV, and of what is printed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from eic_core.errors import DataError, FormulaError
from eic_core.formula.syntax import read
from eic_core.measure.table import COMMA_DECIMAL
from eic_core.pool.importers.listed import MAX_ROWS, read_number, score_name
from eic_core.pool.importers.numerals import numerals_of, stored_numbers, unread_notes
from eic_core.pool.importers.prints import Printed, printed_by_pandas, printed_in_bars

FORMULA_NAMES = (
    "equation",
    "formula",
    "expression",
    "symbolic_model",
    "model",
    "program",
    "expr",
    "infix",
    "sympy_format",
    "solution",
    "best_expression",
    "best_program",
)
"""Headers under which tools write formulas, the likeliest first; in lower case."""

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
    delimiter: str = ","  # What stood between the cells; "" where the table was printed
    origin: str = ""  # Where it was printed, in words; "" for CSV
    notes: tuple[str, ...] = ()  # What was left out or assumed

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
        named = [self.column_index(name) for name in FORMULA_NAMES]
        first = [i for i in named if i >= 0 and self.shares[i] > 0]
        rest = sorted(
            (i for i, share in enumerate(self.shares) if share >= 0.3 and i not in first),
            key=lambda i: -self.shares[i],
        )
        weak = [i for i in named if i >= 0 and i not in first]
        return tuple(dict.fromkeys(self.columns[i] for i in [*first, *rest, *weak]))

    def whole_rows(self, formulas: int) -> list[tuple[str, ...]]:
        """The rows, each formula in one piece; `formulas` is the index of their column."""
        return [whole_row(row, formulas, self) for row in self.rows]

    def scores(self, formulas: int) -> tuple[list[dict[str, float]], tuple[str, ...]]:
        """The scores of each row, and a note on their form; the column `formulas` (an index) holds
        none.
        """
        places = {
            i: name
            for i, name in enumerate(self.columns)
            if i != formulas and score_name(name) and name.lower() not in _FLAGS
        }
        rows = self.whole_rows(formulas)
        cells = (cell_of(row, i) for row in rows for i in places)
        numerals, notes = numerals_of(cells, apart=self.delimiter == ";")
        flags = [i for i, name in enumerate(self.columns) if name.lower() in _FLAGS]
        found, unread = [], list[tuple[int, str, str]]()
        for number, row in enumerate(rows, start=1):
            pairs = [(self.columns[i], cell_of(row, i)) for i in (*places, *flags)]
            found.append(stored_numbers(pairs, numerals))
            unread += (
                (number, name, cell)
                for i, name in places.items()
                if (cell := cell_of(row, i)) and numerals.read(cell) is None
            )
        return found, (*notes, *unread_notes(unread))


_FLAGS = frozenset({"front"})
"""Columns of this program's own files that hold a word."""


def cell_of(row: tuple[str, ...], place: int) -> str:
    """The cell at a place of a row, "" where the row is too short or the place is -1.

    >>> [cell_of(("x", "2"), i) for i in (1, 2, -1)]
    ['2', '', '']
    """
    return row[place] if 0 <= place < len(row) else ""


def sheet_of(text: str, lines: Sequence[str]) -> Sheet | None:
    if printed := printed_by_pandas(lines, FORMULA_NAMES):
        _without_formulas(printed)
        return _of_print(printed, "printed by pandas")
    if (printed := printed_in_bars(lines)) and all(map(_names_a_column, printed.columns)):
        return _of_print(printed, "printed between bars")
    first = lines[0]
    delimiter = max(",;\t|", key=first.count)
    if not first.count(delimiter) or len(first) > csv.field_size_limit():
        return None
    header = next(csv.reader([first], delimiter=delimiter), [])
    if len(header) < 2 or not any(header):
        return None
    if not all(map(_names_a_column, header)) or _is_one_formula(header):
        return None
    return _sheet(text, delimiter)


def _is_one_formula(header: Sequence[str]) -> bool:
    """Whether a line is a formula with a comma behind it, as lists of programs have them."""
    named = [cell for cell in header if cell.strip()]
    return len(named) == 1 and _reads(named[0])


def _of_print(printed: Printed, origin: str) -> Sheet:
    if len(printed.rows) > MAX_ROWS:
        raise too_many()
    return Sheet(printed.columns, printed.rows, "", origin, printed.notes)


def _without_formulas(printed: Printed) -> None:
    lower = {name.lower() for name in printed.columns}
    if printed.gaps and lower.isdisjoint(FORMULA_NAMES):
        raise DataError(
            "printing has left out the column with the formulas",
            hint="save the table with to_csv, or print it with to_string()",
        )


def formulas_among_numbers(lines: Sequence[str]) -> list[str] | None:
    """The formulas of lines that hold numbers beside each, all behind as many commas or semicolons.

    >>> formulas_among_numbers(["0.9,x+1", "0.8,2*x"]), formulas_among_numbers(["2,5*x", "1,5*x"])
    (['x+1', '2*x'], None)
    """
    for delimiter in ",;":
        if lines and delimiter in lines[0] and (found := _between(lines, delimiter)):
            return found
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
    if any(_can_be_read(lines[i]) for i in sample):
        return None  # a comma inside a formula
    if sum(_can_be_read(rows[i][place]) for i in sample) * 2 < len(sample):
        return None
    return [row[place] for row in rows]


def _is_number(cell: str, delimiter: str) -> bool:
    text = cell.strip().removesuffix("%")
    return read_number(text) is not None or (
        delimiter != "," and COMMA_DECIMAL.match(text) is not None
    )


def _can_be_read(text: str) -> bool:
    try:
        read(text)
    except FormulaError:
        return False
    return True


def whole_row(row: tuple[str, ...], place: int, sheet: Sheet) -> tuple[str, ...]:
    """A row of a sheet, its formula in one piece if it holds what separates the cells.

    >>> sheet = Sheet(("formula", "r2"), (), ";")
    >>> whole_row(("max(1", "x)", "0.5"), 0, sheet), whole_row(("x", "0.5", "a note"), 0, sheet)
    (('max(1;x)', '0.5'), ('x', '0.5', 'a note'))
    """
    surplus = len(row) - len(sheet.columns)
    if surplus <= 0 or place >= len(row) or not any(cell.strip() for cell in row[-surplus:]):
        return row
    end = place + surplus + 1
    joined = sheet.delimiter.join(row[place:end])
    if _can_be_read(row[place]):
        return row
    if not _can_be_read(joined):
        return row[: place + 1]  # nothing tells where its numbers begin
    return (*row[:place], joined, *row[end:])


def _sheet(text: str, delimiter: str) -> Sheet:
    rows: list[tuple[str, ...]] = []
    columns: tuple[str, ...] = ()
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            if not columns:
                columns = tuple(cell.strip() for cell in row)
                continue
            rows.append(tuple(row))
            if len(rows) > MAX_ROWS:
                raise too_many()
    except csv.Error as error:
        raise DataError(f"cannot read the table: {error}", hint="save it as plain CSV") from error
    return Sheet(columns, tuple(rows), delimiter)


def too_many() -> DataError:
    return DataError(
        f"the list has more than {MAX_ROWS:,} formulas",
        hint="split it, or score it with python -m eic_core score",
    )


def _names_a_column(cell: str) -> bool:
    if len(cell) > _LONGEST_HEADER:
        return False
    text = _UNITS.sub("", cell.strip().strip('"'))
    if cell.strip() and not text.strip():
        return False
    return read_number(text) is None and _HEADER.fullmatch(text) is not None


def _share(cells: list[str]) -> float:
    full = [cell for cell in cells if cell.strip()]
    sample = full[:: max(1, len(full) // _SAMPLE)][:_SAMPLE]
    return sum(map(_reads, sample)) / len(sample) if sample else 0.0


def _reads(cell: str) -> bool:
    if read_number(cell) is not None or len(cell) > 5_000:
        return False
    try:
        reading = read(cell)
    except FormulaError:
        return False
    if not _SIGN.search(cell) and reading.syntax != "prefix":  # `GP` is a name here, not G·P
        return False
    return reading.formula.complexity > 1 and bool(reading.formula.variables)


_SIGN = re.compile(r"[^\w\s.,;:]")
"""A mark that no name holds."""
