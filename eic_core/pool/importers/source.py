"""Makes a table of what was pasted or uploaded: bytes to text, text to columns, cells to rows."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from eic_core import wording
from eic_core.errors import DataError, FormulaError
from eic_core.formula.syntax import read
from eic_core.formula.syntax.languages import language
from eic_core.pool.candidate import Candidate
from eic_core.pool.importers.listed import (
    MAX_BYTES,
    MAX_ROWS,
    NO_FORMULA,
    Listed,
    read_number,
    stored_numbers,
)

FORMULA_NAMES = (
    "equation", "formula", "expression", "symbolic_model", "model", "program", "expr", "infix",
    "sympy_format", "solution", "best_expression", "best_program",
)  # fmt: skip
"""Headers under which tools write formulas, the likeliest first; in lower case."""

_SAMPLE = 40
_MAX_COLUMNS = 60
_LONGEST_HEADER = 400
_HEADER = re.compile(r"[^()+*/=\\<>]{0,80}")
_UNITS = re.compile(r"\s*[(\[][^()]*[)\]]\s*\Z")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Sheet:
    """A table of text cells.

    Attributes
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
        Without the header and empty lines; a row may be shorter or longer than the header.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

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
        """Columns that may hold formulas, the likeliest first."""
        named = [self.column_index(name) for name in FORMULA_NAMES]
        first = [i for i in named if i >= 0 and self.shares[i] > 0]
        rest = sorted(
            (i for i, share in enumerate(self.shares) if share >= 0.3 and i not in first),
            key=lambda i: -self.shares[i],
        )
        weak = [i for i in named if i >= 0 and i not in first]
        return tuple(dict.fromkeys(self.columns[i] for i in [*first, *rest, *weak]))


@dataclass(frozen=True)
class PastedList:
    """A list's text and the name of its file ("" if pasted)."""

    name: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are not blank, without their ends."""
        return tuple(line.rstrip() for line in self.text.splitlines() if line.strip())

    @cached_property
    def sheet(self) -> Sheet | None:
        """The text as a table with a header, or None."""
        first = self.lines[0]
        delimiter = max(",;\t|", key=first.count)
        if not first.count(delimiter):
            return None
        if len(first) > csv.field_size_limit():
            return None
        header = next(csv.reader([first], delimiter=delimiter), [])
        if len(header) < 2 or not any(header) or not all(map(_names_a_column, header)):
            return None
        return _sheet(self.text, delimiter)


def cell_of(row: tuple[str, ...], place: int) -> str:
    """The cell at a place of a row, "" where the row is too short or the place is -1.

    Examples
    --------
    >>> [cell_of(("x", "2"), i) for i in (1, 2, -1)]
    ['2', '', '']
    """
    return row[place] if 0 <= place < len(row) else ""


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
    return Sheet(columns, tuple(rows))


def source_of(data: bytes | str, name: str = "") -> PastedList:
    """Unpack and decode what was pasted or uploaded.

    Parameters
    ----------
    data : bytes or str
        gzipped or not; UTF-8, UTF-16 with a mark, or Latin-1.
    name : str
        The file's.

    Raises
    ------
    DataError
        If it is too large, empty or no text.

    Examples
    --------
    >>> source_of(b"x+1\\n\\nsin(x)\\n").lines
    ('x+1', 'sin(x)')
    """
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if raw[:2] == _GZIP:
        raw = _unpacked(raw)
    if len(raw) > MAX_BYTES:
        raise too_large()
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw.decode("utf-16", "replace")
    elif b"\0" in raw[:4096]:
        raise DataError(
            "this is not a text file", hint="save the list as CSV, or paste one formula a line"
        )
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
    if not text.strip():
        raise DataError("the list is empty", hint="give at least one formula, one a line")
    return PastedList(name, text)


def _unpacked(raw: bytes) -> bytes:
    """All members of a gzip file, as far as they are allowed to go."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            text = file.read(MAX_BYTES + 1)
    except EOFError as error:
        raise DataError("cannot unpack the file: it is cut short", hint="gzip it again") from error
    except (OSError, zlib.error) as error:
        raise DataError(f"cannot unpack the file: {error}", hint="gzip it again") from error
    if len(text) > MAX_BYTES:
        raise too_large()
    return text


def too_large() -> DataError:
    """What is said of a list that is too large."""
    return DataError(
        f"the list is larger than {MAX_BYTES // 1_000_000} MB",
        hint="split it, or score it with python -m eic_core score",
    )


def too_many() -> DataError:
    """What is said of a list with too many rows."""
    return DataError(
        f"the list has more than {MAX_ROWS:,} formulas",
        hint="split it, or score it with python -m eic_core score",
    )


def _names_a_column(cell: str) -> bool:
    if len(cell) > _LONGEST_HEADER:
        return False
    text = _UNITS.sub("", cell.strip().strip('"'))
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
_METHODS = ("method", "algorithm", "tool", "model_name", "regressor")
_PROBLEMS = ("problem", "dataset")
_SPREADSHEET = tuple("=+-@＝＋－＠'")


def recognise_table(sheet: Sheet) -> str:
    """What tells that a table has a column of formulas; "" if nothing does."""
    if not sheet.formula_columns:
        return ""
    chosen = sheet.formula_columns[0]
    share = sheet.shares[sheet.columns.index(chosen)]
    return f"the cells of column `{chosen}` read as formulas ({wording.percent(share)} of a sample)"


def chosen_column(sheet: Sheet, requested: str | None, likely: str = "") -> str:
    """The column to take the formulas from.

    Parameters
    ----------
    sheet : Sheet
    requested : str or None
        The column that the user named.
    likely : str
        The one that the format names; taken if it is there.

    Returns
    -------
    str
        A name in ``sheet.columns``.

    Raises
    ------
    DataError
        If the one that is wanted is not there, or none can be found.
    """
    if requested is not None:
        if requested in sheet.columns:
            return requested
        raise DataError(f"there is no column `{requested}`", hint="there are " + _names(sheet))
    if likely in sheet.columns:
        return likely
    if sheet.formula_columns:
        return sheet.formula_columns[0]
    raise DataError(
        "no column of this table reads as formulas",
        hint="choose the column by hand; there are " + _names(sheet),
    )


def read_table_rows(
    sheet: Sheet,
    column: str,
    *,
    syntax: str = "",
    method: str = "",
    rename: Callable[[str], str] = str,
) -> list[Listed]:
    """A row for each row of a sheet.

    Parameters
    ----------
    sheet : Sheet
    column : str
        Where the formulas are.
    syntax, method : str
        For rows that name none themselves.
    rename : callable
        From the method's name to a notation, for tables without a column ``syntax``.
    """
    place = sheet.columns.index(column)
    methods, problems = sheet.column_index(*_METHODS), sheet.column_index(*_PROBLEMS)
    syntaxes, extra = sheet.column_index("syntax"), sheet.column_index("extra")
    names = [name for i, name in enumerate(sheet.columns) if i != place]
    rows = []
    for number, cells in enumerate(sheet.rows, start=1):
        formula = unguarded(cell_of(cells, place).strip())
        who = cell_of(cells, methods).strip()
        notation = cell_of(cells, syntaxes).strip()
        others = [cell for i, cell in enumerate(cells[: len(sheet.columns)]) if i != place]
        rows.append(
            Listed(
                number,
                formula,
                syntax=notation or (rename(who) if who else "") or syntax,
                method=who or method,
                problem=cell_of(cells, problems).strip(),
                parameters=_parameters(cell_of(cells, extra)),
                stored=stored_numbers(zip(names, others, strict=False)),
                error="" if formula else NO_FORMULA,
            )
        )
    return rows


def notation_of(method: str) -> str:
    """The notation in which a method of that name prints, "" if it is not known.

    Examples
    --------
    >>> notation_of("Operon"), notation_of("tuned.OperonRegressor"), notation_of("MLP")
    ('operon', 'operon', '')
    """
    short = method.rpartition(".")[2].removesuffix("Regressor")
    return language(short) or ""


def unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps spreadsheets from computing it.

    Examples
    --------
    >>> unguarded("'-x+1"), unguarded("x'")
    ('-x+1', "x'")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].lstrip().startswith(_SPREADSHEET) else cell


def _parameters(extra: str) -> dict[str, str]:
    row = {"problem": "", "formula": "", "extra": extra}
    return dict(Candidate.from_row(row).parameters)


def _names(sheet: Sheet) -> str:
    return wording.join([f"`{name}`" for name in sheet.columns], limit=12)
