"""Tables that users bring: CSV text to columns, with every bad cell named.

Cells mean the decimal written.  Nothing is guessed silently: what was skipped,
renamed or matched by position is reported.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name
from eic_core.samples import MAX_SAMPLES, Samples

MAX_COLUMNS = 1_000
_TINY = 1e-300
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "."})
_INDEXED = re.compile(r"x(\d+)")
_COMMA_DECIMAL = re.compile(
    r"\s*+[+-]?(?:[0-9]{1,3}(?:[. '’\u00a0\u202f][0-9]{3})+|[0-9]*+),[0-9]++"
    r"(?:[eE][+-]?[0-9]++)?+\s*+\Z"
)
_GROUPED = re.compile(r"\s*+[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+\s*+\Z")
_ROWS_COUNTED = 20


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell that holds no finite number.

    Attributes
    ----------
    row : int
        1 is the first row below the header.
    column : str
    text : str
        As written, cut to 40 characters.
    """

    row: int
    column: str
    text: str

    def __str__(self) -> str:
        problem = f"`{self.text}` is not a number" if self.text.strip() else "empty"
        return f"row {self.row}, column `{self.column}`: {problem}"


@dataclass(frozen=True)
class Table:
    """A table of numbers as its file has it.

    Attributes
    ----------
    names : tuple of str
        Column names, unique, in file order.
    values : mapping of name to ndarray, shape (rows,)
        nan where a cell holds no finite number.
    exact : mapping of name to mapping of row index to text
        Cells that say more digits than a double holds.
    problems : tuple of CellProblem
        In reading order; missing and non-numeric cells.
    notes : tuple of str
        What was renamed or assumed on reading.
    digest : str
        Twelve hex digits of the file's SHA-256.
    source : str
        File name, for display.
    """

    names: tuple[str, ...]
    values: Mapping[str, np.ndarray]
    exact: Mapping[str, Mapping[int, str]]
    problems: tuple[CellProblem, ...]
    notes: tuple[str, ...]
    digest: str
    source: str = ""

    shared_between_processes = True

    @property
    def rows(self) -> int:
        """Number of rows below the header."""
        return len(self.values[self.names[0]])

    def samples(self, mapping: Mapping[str, str], target: str | None = None) -> Samples:
        """The rows in which every column used holds a number.

        Parameters
        ----------
        mapping : mapping of formula variable to column name
        target : str, optional
            Column to compare the formula with.

        Raises
        ------
        DataError
            If a column is missing, or no row is complete.
        """
        used = list(dict.fromkeys([*mapping.values(), *([target] if target else [])]))
        for name in used:
            if name not in self.values:
                raise DataError(
                    f"there is no column `{name}`", hint=f"there are {_named(self.names)}"
                )
        complete = np.ones(self.rows, dtype=bool)
        for name in used:
            complete &= np.isfinite(self.values[name])
        kept = np.flatnonzero(complete)
        if not len(kept):
            bad = [str(p) for p in self.problems if p.column in used]
            raise DataError(
                "no row has a number in every column used",
                hint="choose other columns or fill the empty cells",
                problems=tuple(bad[:50]),
            )
        position = {int(row): i for i, row in enumerate(kept)}
        exact = {
            variable: {
                position[row]: text
                for row, text in self.exact.get(column, {}).items()
                if row in position
            }
            for variable, column in mapping.items()
            if self.exact.get(column)
        }
        dropped = self.rows - len(kept)
        origin = f"{self.source or 'table'} ({self.digest}), {len(kept)} of {self.rows} rows"
        return Samples.from_columns(
            {variable: self.values[column][kept] for variable, column in mapping.items()},
            count=len(kept),
            target=self.values[target][kept] if target else None,
            target_name=target or "",
            exact=exact,
            origin=origin if dropped else f"{self.source or 'table'} ({self.digest})",
            rows=kept + 1,
        )


def read_table(data: Path | str | bytes, *, source: str = "") -> Table:
    """Read CSV, TSV or semicolon-separated text, or a file of it.

    Parameters
    ----------
    data : Path, str or bytes
        A file, or the text itself.  A str of one line names a file, unless it is a row of numbers.
    source : str, optional
        What the table is called; default: the file's name.

    Notes
    -----
    The delimiter is the one of ``, ; tab`` that the first line holds most of, or a
    semicolon or tab that stands equally often in all of the first lines, where commas are
    decimal marks; a first row of numbers alone means that there is no header, and the columns
    are called x0, x1, ...  Where the delimiter is not the comma, ``1,5`` is read as 1.5 and
    that is noted, unless other cells write ``1.5``.

    Raises
    ------
    DataError
        If there is no such file, or the text is empty, binary, ragged or too large.

    Examples
    --------
    >>> table = read_table("x;y\\n1;2\\n3;\\n")
    >>> table.names, [str(p) for p in table.problems]
    (('x', 'y'), ['row 2, column `y`: empty'])
    >>> table = read_table("x;y\\n1,5;2\\n")
    >>> float(table.values["x"][0]), table.notes
    (1.5, ('A comma is read as the decimal mark, as in `1,5`.',))
    """
    if isinstance(data, Path) or (isinstance(data, str) and not _is_text(data)):
        source = source or Path(data).name
        data = _content(Path(data))
    raw = data.encode() if isinstance(data, str) else data
    text = _decode(raw)
    digest = hashlib.sha256(raw).hexdigest()[:12]
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise DataError("the table is empty", hint="it needs a header and at least one row")
    delimiter = _delimiter(lines, first)
    try:
        table = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error as error:
        raise DataError(f"cannot read the table: {error}") from error
    notes: list[str] = []
    if delimiter != ",":
        table = _with_decimal_points(table, delimiter, notes)
    header = [cell.strip() for cell in table[0]]
    if len(header) > MAX_COLUMNS:
        raise DataError(f"the table has {len(header):,} columns; at most {MAX_COLUMNS:,} are read")
    if all(_number(cell) is not None for cell in header):
        header = [f"x{i}" for i in range(len(header))]
        notes.append(f"No header was found; the columns are called {_named(header)}.")
    else:
        table = table[1:]
    names = _unique(header, notes)
    if not table:
        raise DataError("the table has no rows below its header")
    if len(table) > MAX_SAMPLES:
        raise DataError(f"the table has {len(table):,} rows; at most {MAX_SAMPLES:,} are read")
    return _fill(names, table, tuple(notes), digest, source)


def _delimiter(lines: list[str], first: str) -> str:
    """What separates the cells.

    Examples
    --------
    >>> _delimiter(["1,5;2,5"], "1,5;2,5"), _delimiter(["a,b", "1,2"], "a,b")
    (';', ',')
    """
    most = max(",;\t", key=first.count)
    counted = [line for line in lines if line.strip()][:_ROWS_COUNTED]
    for mark in ";\t":
        count = first.count(mark)
        if most == "," and count and all([line.count(mark) == count for line in counted]):
            return mark
    return most


def _with_decimal_points(
    table: list[list[str]], delimiter: str, notes: list[str]
) -> list[list[str]]:
    """The rows with ``1,5`` written ``1.5``, if the commas of this table are decimal marks.

    They are not if another cell writes its decimals with a point, or if all of them may as well
    group thousands in a file whose delimiter says nothing of that.
    """
    commas = [cell for row in table for cell in row if "," in cell and _COMMA_DECIMAL.match(cell)]
    if not commas:
        return table
    pointed = any(["." in cell and _number(cell) is not None for row in table for cell in row])
    grouped = delimiter == "\t" and all([_GROUPED.match(cell) for cell in commas])
    if pointed or grouped:
        why = "others write a point" if pointed else "they may as well group thousands"
        notes.append(
            f"Cells such as `{commas[0].strip()[:40]}` are not read: {why}. Write decimals one way."
        )
        return table
    notes.append(f"A comma is read as the decimal mark, as in `{commas[0].strip()[:40]}`.")
    return [
        [_with_point(cell) if "," in cell and _COMMA_DECIMAL.match(cell) else cell for cell in row]
        for row in table
    ]


def _with_point(cell: str) -> str:
    """A number with a decimal comma as one with a point, its thousands no longer grouped.

    Examples
    --------
    >>> _with_point("1.234,5"), _with_point(" -0,25e3 ")
    ('1234.5', '-0.25e3')
    """
    over, _, under = cell.strip().partition(",")
    return re.sub(r"[. '’\u00a0\u202f]", "", over) + "." + under


def _fill(
    names: tuple[str, ...],
    table: list[list[str]],
    notes: tuple[str, ...],
    digest: str,
    source: str,
) -> Table:
    """Read every cell as a number; those that hold none become nan and a `CellProblem` each.

    A cell that says more than its double holds keeps its text.  Cells missing at the end of a row
    are empty; surplus ones are an error unless they are blank.
    """
    values = {name: np.full(len(table), np.nan) for name in names}
    exact: dict[str, dict[int, str]] = {}
    problems: list[CellProblem] = []
    width = len(names)
    for i, row in enumerate(table):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            raise DataError(
                f"row {i + 1} has {len(row)} cells, the header {width}",
                hint="quote cells that hold the delimiter",
            )
        for j, name in enumerate(names):
            cell = row[j] if j < len(row) else ""
            number = _number(cell)
            if number is None:
                problems.append(CellProblem(i + 1, name, cell.strip()[:40]))
                continue
            values[name][i] = number
            if (len(cell) > 16 or abs(number) < _TINY) and _says_more(cell, number):
                exact.setdefault(name, {})[i] = cell.strip()
    for column in values.values():
        column.setflags(write=False)
    return Table(names, values, exact, tuple(problems), notes, digest, source)


def _is_text(data: str) -> bool:
    """Whether it is the text of a table, and no file's name."""
    lines = data.splitlines()
    if len(lines) != 1 or not data.strip() or "\0" in data:
        return True
    return all(_number(cell) is not None for cell in re.split("[,;\t]", lines[0]))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def _decode(raw: bytes) -> str:
    if b"\0" in raw[:4096]:
        raise DataError("this is not a text file", hint="save the table as CSV")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _number(cell: str) -> float | None:
    stripped = cell.strip()
    if stripped.lower() in _MISSING or "_" in stripped:
        return None
    try:
        value = float(stripped)
    except ValueError:
        return None
    if value == 0 and set(stripped.lower().partition("e")[0]) & set("123456789"):
        value = math.copysign(math.ulp(0.0), value)  # no zero: left to 60 digits
    return value if math.isfinite(value) else None


def _says_more(cell: str, number: float) -> bool:
    try:
        return Decimal(cell.strip()) != Decimal(repr(number))
    except InvalidOperation:
        return False


def _unique(header: list[str], notes: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    for i, name in enumerate(header):
        base = name or f"column {i + 1}"
        candidate, count = base, 2
        while candidate in names:
            candidate, count = f"{base} ({count})", count + 1
        if candidate != name:
            notes.append(f"Column {i + 1} is called `{candidate}` here.")
        names.append(candidate)
    return tuple(names)


def _named(columns: Iterable[str]) -> str:
    return wording.join([f"`{name}`" for name in columns], limit=12)


@dataclass(frozen=True)
class VariableMatch:
    """Which column each variable of a formula stands for.

    Attributes
    ----------
    mapping : mapping of variable to column name
    index_base : int or None
        0 or 1 where variables were matched by position, else None.
    assumed : bool
        True if the base was inferred from this formula alone.
    missing : tuple of str
        Variables without a column.
    """

    mapping: Mapping[str, str]
    index_base: int | None = None
    assumed: bool = False
    missing: tuple[str, ...] = field(default=())


def match_variables(
    variables: Iterable[str], columns: Iterable[str], *, index_base: int | None = None
) -> VariableMatch:
    """Match variables to columns, by name first, else by index.

    Parameters
    ----------
    variables : iterable of str
        Canonical names, as `Formula.variables` has them.
    columns : iterable of str
        Input columns in file order, without the target.
    index_base : {0, 1}, optional
        What ``x1`` means: the second (0) or the first (1) column.  Default: 1
        if there is no ``x0`` and an index would run past the last column, else 0.

    Notes
    -----
    Indexed variables go by name only if all of them have a column of that name;
    a mixture would silently shift some of them.

    Examples
    --------
    >>> match_variables(["x1", "x2"], ["r_k", "log_Re"], index_base=1).mapping
    {'x1': 'r_k', 'x2': 'log_Re'}
    >>> match_variables(["a"], ["A", "b"]).missing
    ('a',)
    """
    names = list(variables)
    available = list(columns)
    by_name: dict[str, str] = {}
    for column in reversed(available):
        by_name[canonical_name(column)] = column
    for column in available:
        by_name[column] = column
    indexed = {name: int(m[1]) for name in names if (m := _INDEXED.fullmatch(name))}
    base: int | None = None
    assumed = False
    by_position: dict[str, str] = {}
    if indexed and not all(name in by_name for name in indexed):
        assumed = index_base is None
        base = index_base
        if base is None:
            past = max(indexed.values()) >= len(available)
            base = 1 if past and min(indexed.values()) > 0 else 0
        for name, index in indexed.items():
            if 0 <= index - base < len(available):
                by_position[name] = available[index - base]
    mapping: dict[str, str] = {}
    missing: list[str] = []
    for name in names:
        goes_by_index = base is not None and name in indexed
        matched = by_position.get(name) if goes_by_index else by_name.get(name)
        if matched is None:
            missing.append(name)
        else:
            mapping[name] = matched
    return VariableMatch(mapping, base, assumed, tuple(missing))
