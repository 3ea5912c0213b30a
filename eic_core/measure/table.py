"""Tables that users bring: CSV text to columns, with every bad cell named.

Nothing is guessed silently: what was skipped, renamed or matched by position is reported.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import itertools
import math
import re
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name
from eic_core.formula.syntax.names import similar_name
from eic_core.headers import names_without_units, split_unit
from eic_core.samples import MAX_SAMPLES, Samples

MAX_COLUMNS = 1_000
MAX_BYTES = 300_000_000
"""Of a table, unpacked: a small gzip file can hold more than a machine has."""

MAX_PROBLEMS = 10_000
"""Cells without a number that are named."""

_AT_ONCE = 10_000
"""Rows that are taken as text before they are numbers."""

_TINY = 1e-300
_INDEXED = re.compile(r"x(\d{1,9})")
COMMA_DECIMAL = re.compile(
    r"\s*+[+-]?(?:[0-9]{1,3}(?:[. '’\u00a0\u202f][0-9]{3})+|[0-9]*+),[0-9]++"
    r"(?:[eE][+-]?[0-9]++)?+\s*+\Z"
)
"""A number with a decimal comma; some may as well group thousands, see `GROUPED_THOUSANDS`."""
GROUPED_THOUSANDS = re.compile(r"\s*+[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+\s*+\Z")
"""A number whose commas may group thousands."""
_COUNTED = 20


@dataclass(frozen=True, slots=True)
class CellProblem:
    row: int  # 1 is the first row below the header
    column: str
    text: str  # As written, cut to 40 characters

    def __str__(self) -> str:
        problem = f"`{self.text}` is not a number" if self.text.strip() else "empty"
        return f"row {self.row}, column `{self.column}`: {problem}"


@dataclass(frozen=True)
class Table:
    """A table of numbers as its file has it.

    Attributes
    ----------
    names
        Column names, unique, in file order; without the unit that a header ends with, unless two
        names differ by nothing else.
    values
        nan where a cell holds no finite number. Shape (rows,), mapping of name to ndarray.
    exact
        Cells with more digits than a double holds.
    problems
        In reading order; missing and non-numeric cells, the first `MAX_PROBLEMS`.
    notes
        What was renamed or assumed on reading.
    digest
        Twelve hex digits of the file's SHA-256.
    source
        File name, for display.
    headers
        The names with their units, in file order.
    shared_between_processes
        True: worker processes are sent a table once only.
    """

    names: tuple[str, ...]
    values: Mapping[str, np.ndarray]
    exact: Mapping[str, Mapping[int, str]]
    problems: tuple[CellProblem, ...]
    notes: tuple[str, ...]
    digest: str
    source: str = ""
    headers: tuple[str, ...] = ()

    shared_between_processes = True

    @property
    def units(self) -> dict[str, str]:
        """The unit that the header gives a column, by the column's name."""
        return {
            name: split_unit(header)[1]
            for name, header in zip(self.names, self.headers, strict=False)
            if name != header
        }

    def header(self, name: str) -> str:
        """The header of a column in full, with its unit.

        Parameters
        ----------
        name
            Of the column.

        Returns
        -------
        str
            The name itself if there is no such column.
        """
        return dict(zip(self.names, self.headers, strict=False)).get(name, name)

    def column(self, text: str) -> str | None:
        """The name of the column that a user means by its name or by its header in full.

        Parameters
        ----------
        text
            A name or a header.

        Returns
        -------
        str | None
            None if there is no such column.

        Examples
        --------
        >>> table = read_table("m [kg],v (m/s),f(x)\\n1,2,3\\n")
        >>> table.names, table.units, table.column("m [kg]")
        (('m', 'v', 'f(x)'), {'m': 'kg', 'v': 'm/s'}, 'm')
        """
        by_header = dict(zip(self.headers, self.names, strict=False))
        return text if text in self.names else by_header.get(text)

    @property
    def rows(self) -> int:
        """Number of rows below the header."""
        return len(self.values[self.names[0]])

    def samples(self, mapping: Mapping[str, str], target: str | None = None) -> Samples:
        """The rows in which every column used holds a number.

        Parameters
        ----------
        mapping
            Variable to column name.
        target
            Column to compare the formula with.

        Returns
        -------
        Samples
            A column for each variable, in row order.

        Raises
        ------
        DataError
            If a column is missing, or no row is complete.
        """
        used = dict.fromkeys([*mapping.values(), *([target] if target else [])])
        for name in used:
            if name not in self.values:
                raise DataError(
                    f"there is no column `{name}`", hint=f"there are {_quoted_names(self.names)}"
                )
        holds = [np.isfinite(self.values[name]) for name in used]
        complete_rows = np.flatnonzero(np.all([np.ones(self.rows, dtype=bool), *holds], axis=0))
        if not len(complete_rows):
            for name, there in zip(used, holds, strict=True):
                if not there.any():
                    raise DataError(
                        f"column `{name}` holds no number", hint="choose another column"
                    )
            bad = [str(p) for p in self.problems if p.column in used]
            raise DataError(
                "no row has a number in every column used",
                hint="choose other columns or fill the empty cells",
                problems=tuple(bad[:50]),
            )
        position = {row: i for i, row in enumerate(complete_rows.tolist())}
        exact = {
            variable: {position[row]: text for row, text in cells.items() if row in position}
            for variable, column in mapping.items()
            if (cells := self.exact.get(column))
        }
        origin = f"{self.source or 'table'} ({self.digest})"
        if len(complete_rows) < self.rows:
            origin += f", {len(complete_rows)} of {self.rows} rows"
        return Samples.from_columns(
            {variable: self.values[column][complete_rows] for variable, column in mapping.items()},
            count=len(complete_rows),
            target=self.values[target][complete_rows] if target else None,
            target_name=target or "",
            exact=exact,
            origin=origin,
            rows=complete_rows + 1,
        )


def read_table(
    data: Path | str | bytes,
    *,
    source: str = "",
    seconds: float = math.inf,
    clock: Callable[[], float] = time.monotonic,
) -> Table:
    r"""Read CSV, TSV or semicolon-separated text, gzipped or not, or a file of it.

    Parameters
    ----------
    data
        A file, or the text itself. A str of one line names a file, unless it is a row of
        numbers.
    source
        What the table is called; default: the file's name.
    seconds
        After so long the reading is given up.
    clock
        Gives the time in seconds.

    Returns
    -------
    Table
        Its columns, with the cells that hold no finite number.

    Raises
    ------
    DataError
        If there is no such file, or the text is empty, binary, ragged, or beyond a limit: rows,
        columns, bytes unpacked, characters of a cell, or seconds.

    Notes
    -----
    The delimiter is the one of ``, ; tab`` that the first line holds most of, or a
    semicolon or tab that stands equally often in all of the first lines, where commas are
    decimal marks; a first row of numbers alone means that there is no header, and the columns
    are called x0, x1, ...  Where the delimiter is not the comma, ``1,5`` is read as 1.5 and
    that is noted, unless other cells write ``1.5``.

    Examples
    --------
    >>> table = read_table("x;y\n1;2\n3;\n")
    >>> table.names, [str(p) for p in table.problems]
    (('x', 'y'), ['row 2, column `y`: empty'])
    >>> table = read_table("x;y\n1,5;2\n")
    >>> float(table.values["x"][0]), table.notes
    (1.5, ('A comma is read as the decimal mark, as in `1,5`.',))
    """
    if isinstance(data, Path) or (isinstance(data, str) and not _is_text(data)):
        source = source or Path(data).name
        data = _content(Path(data))
    raw = data.encode() if isinstance(data, str) else data
    if not isinstance(raw, bytes):
        raise DataError("this is no file", hint="of columns make `Samples.from_columns(columns)`")
    digest = hashlib.sha256(raw).hexdigest()[:12]
    text = _decode(_unpacked(raw))
    counted = list(itertools.islice(filter(str.strip, io.StringIO(text, newline=None)), _COUNTED))
    delimiter, ends = _delimiter(counted), clock() + seconds

    def in_time(line: int) -> None:
        if clock() > ends:
            raise DataError(
                f"reading the table was stopped after {seconds:.0f} seconds, at line {line:,}",
                hint="keep fewer rows or columns: some thousand rows tell as much",
            )

    notes: list[str] = []
    rows = _rows(text, delimiter, in_time)
    first = next(rows, None)
    if not counted or first is None:
        raise DataError("the table is empty", hint="it needs a header and at least one row")
    if len(first) > MAX_COLUMNS:
        raise DataError(
            f"the table has {len(first):,} columns in its first row; at most {MAX_COLUMNS:,} are "
            "read",
            hint="keep the columns that the formula needs and the one to compare it with",
        )
    if delimiter != "," and "," in text:
        cells = itertools.chain.from_iterable(_rows(text, delimiter, in_time))
        rows = _rows(text, delimiter, in_time, _commas_are_marks(cells, delimiter == "\t", notes))
        first = next(rows)
    header = [cell.strip() for cell in first]
    if all(_number(cell) is not None for cell in header):
        header = [f"x{i}" for i in range(len(header))]
        notes.append(f"No header was found; the columns are called {_quoted_names(header)}.")
        rows = itertools.chain([first], rows)
    headers = _unique(header, notes)
    table = _fill(names_without_units(headers), rows, notes, digest, source, headers)
    if not table.units:
        return table
    listed = wording.join([f"`{name}` in {unit}" for name, unit in table.units.items()], limit=6)
    note = f"Units are no part of a column's name: {listed}."
    return replace(table, notes=(note, *table.notes))


def _rows(
    text: str, delimiter: str, in_time: Callable[[int], None], commas: bool = False
) -> Iterator[list[str]]:
    """The rows that are not empty; with `commas`, ``1,5`` is read as ``1.5``."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if not any(row):
                continue
            if not reader.line_num % _AT_ONCE:
                in_time(reader.line_num)
            yield [with_point(c) if _has_comma(c) else c for c in row] if commas else row
    except csv.Error as error:
        line = f"{reader.line_num:,}"
        if "field larger" not in str(error):
            raise DataError(
                f"cannot read the table at line {line}: {error}", hint="save it as CSV once more"
            ) from error
        raise DataError(
            f"the cell that ends at line {line} has more than {csv.field_size_limit():,} "
            "characters",
            hint="a quotation mark before it may lack its second one",
        ) from error


def _commas_are_marks(cells: Iterable[str], grouped: bool, notes: list[str]) -> bool:
    """Whether ``1,5`` is read as ``1.5``.

    Not if another cell has a decimal point, or all commas may as well group thousands and the
    delimiter does not decide (`grouped`).
    """
    example, pointed = "", False
    for cell in cells:
        if _has_comma(cell):
            example = example or cell
            grouped = grouped and GROUPED_THOUSANDS.match(cell) is not None
        elif not pointed and "." in cell:
            pointed = _number(cell) is not None
    excerpt = example.strip()[:40]
    if pointed or grouped:
        why = "others write a point" if pointed else "they may as well group thousands"
        note = f"Cells such as `{excerpt}` are not read: {why}. Write decimals one way."
    else:
        note = f"A comma is read as the decimal mark, as in `{excerpt}`."
    if example:
        notes.append(note)
    return bool(example) and not (pointed or grouped)


def _has_comma(cell: str) -> bool:
    return "," in cell and COMMA_DECIMAL.match(cell) is not None


def _delimiter(lines: list[str]) -> str:
    """What separates the cells.

    >>> _delimiter(["1,5;2,5"]), _delimiter(["a,b", "1,2"])
    (';', ',')
    """
    counts = {mark: {line.count(mark) for line in lines} for mark in ";\t"}
    most = max(",;\t", key=lines[0].count) if lines else ","
    even = [mark for mark, each in counts.items() if len(each) == 1 and each != {0}]
    return even[0] if most == "," and even else most


def with_point(cell: str) -> str:
    """A number with a decimal comma as one with a point and without grouped thousands.

    >>> with_point("1.234,5"), with_point(" -0,25e3 ")
    ('1234.5', '-0.25e3')
    """
    over, _, under = cell.strip().partition(",")
    return re.sub(r"[. '’\u00a0\u202f]", "", over) + "." + under


def _fill(
    names: tuple[str, ...],
    rows: Iterator[list[str]],
    notes: list[str],
    digest: str,
    source: str,
    headers: tuple[str, ...],
) -> Table:
    """Read every cell as a number, or as nan and a `CellProblem`.

    A cell with more digits than a double keeps its text. Surplus cells of a row are an error unless
    blank.
    """
    parts: list[list[np.ndarray]] = [[] for _ in names]
    exact: dict[str, dict[int, str]] = {}
    problems: list[CellProblem] = []
    width, count, bad = len(names), 0, 0
    while block := list(itertools.islice(rows, _AT_ONCE)):
        for i, row in enumerate(block, count + 1):
            if len(row) == width:
                continue
            if any(cell.strip() for cell in row[width:]):
                raise DataError(
                    f"row {i} has {len(row)} cells, the header {width}",
                    hint="quote cells that hold the delimiter",
                )
            row[:] = [*row, *[""] * width][:width]
        if count + len(block) > MAX_SAMPLES:
            raise DataError(
                f"the table has more than {MAX_SAMPLES:,} rows; at most so many are read",
                hint="keep every tenth row, say: that tells as much",
            )
        block_problems: list[CellProblem] = []
        for name, part, cells in zip(names, parts, zip(*block, strict=True), strict=True):
            part.append(_column(name, cells, count, exact, block_problems))
        bad += len(block_problems)
        block_problems.sort(key=lambda problem: problem.row)  # in reading order
        problems += block_problems[: MAX_PROBLEMS - len(problems)]
        count += len(block)
    if not count:
        raise DataError("the table has no rows below its header", hint="it needs at least one")
    if bad > len(problems):
        notes.append(f"{bad:,} cells hold no number; the first {len(problems):,} are named.")
    values = {name: np.concatenate(part) for name, part in zip(names, parts, strict=True)}
    for column in values.values():
        column.setflags(write=False)
    return Table(names, values, exact, tuple(problems), tuple(notes), digest, source, headers)


def _column(
    name: str,
    cells: Sequence[str],
    before: int,
    exact: dict[str, dict[int, str]],
    problems: list[CellProblem],
) -> np.ndarray:
    values, looked_at = np.full(len(cells), np.nan), np.arange(len(cells))
    with suppress(ValueError):
        numbers = np.array(list(map(float, cells)))
        if np.isfinite(numbers).all() and not any("_" in cell for cell in cells):
            lengths = np.array(list(map(len, cells)))
            values, looked_at = numbers, np.flatnonzero((lengths > 16) | (np.abs(numbers) < _TINY))
    for i in looked_at.tolist():
        cell = cells[i]
        number = _number(cell)
        if number is None:
            problems.append(CellProblem(before + i + 1, name, cell.strip()[:40]))
            continue
        values[i] = number
        if (len(cell) > 16 or abs(number) < _TINY) and _says_more(cell, number):
            exact.setdefault(name, {})[before + i] = cell.strip()
    return values


def _is_text(data: str) -> bool:
    lines = data.splitlines()
    if len(lines) != 1 or not data.strip() or "\0" in data:
        return True
    return all(_number(cell) is not None for cell in re.split("[,;\t]", lines[0]))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def _unpacked(raw: bytes) -> bytes:
    plain = raw
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(raw)) as file:
                plain = file.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"the table cannot be unpacked: {error}", hint="gzip it again, or save it as CSV"
            ) from error
    if len(plain) > MAX_BYTES:
        raise DataError(
            f"the table has more than {MAX_BYTES // 1_000_000:,} MB unpacked",
            hint="keep the rows and columns that are needed",
        )
    return plain


def _decode(raw: bytes) -> str:
    place = raw.find(b"\0")
    if 0 <= place < 4096:
        raise DataError("this is not a text file", hint="save the table as CSV")
    if place >= 0:
        line = raw.count(b"\n", 0, place) + 1
        raise DataError(
            f"line {line:,} holds a character that is no text (NUL)",
            hint="the file may be damaged: save the table as CSV once more",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _number(cell: str) -> float | None:
    stripped = cell.strip()
    try:
        value = math.nan if "_" in stripped else float(stripped)
    except ValueError:
        return None
    if value == 0 and _says_more(stripped, value):
        value = math.copysign(math.ulp(0.0), value)  # no zero: left to exact arithmetic
    return value if math.isfinite(value) else None


def _says_more(cell: str, number: float) -> bool:
    try:
        return Decimal(cell.strip()) != Decimal(repr(number))
    except InvalidOperation:
        return False


def _unique(header: list[str], notes: list[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    counts: dict[str, itertools.count[int]] = defaultdict(lambda: itertools.count(2))
    for i, name in enumerate(header):
        base = name or f"column {i + 1}"
        others = (f"{base} ({k})" for k in counts[base])
        own = next(each for each in itertools.chain([base], others) if each not in names)
        if own != name:
            notes.append(f"Column {i + 1} is called `{own}` here.")
        names[own] = None
    return tuple(names)


def _quoted_names(columns: Iterable[str]) -> str:
    return wording.join([f"`{name}`" for name in columns], limit=12)


@dataclass(frozen=True)
class VariableMatch:
    mapping: Mapping[str, str]
    # 0 or 1 where variables were matched by position, or could have been, else None
    index_base: int | None = None
    assumed: bool = False  # True if the base was inferred from this formula alone
    missing: tuple[str, ...] = field(default=())  # Variables without a column

    @property
    def renamed(self) -> dict[str, str]:
        """The indexed variables whose columns have other names, with these.

        >>> match_variables(["x1", "a"], ["x0", "x1", "a"], index_base=1, chosen=True).renamed
        {'x1': 'x0'}
        """
        return renamed_columns(self.mapping)


class NoColumn(DataError):
    """Variables for which a table has no column.

    >>> print(NoColumn(("t",), ["m", "v"]))
    no column for `t`: the inputs are `m` and `v`, or x0 and x1 by their places
    >>> NoColumn(("presure",), ["pressure"]).hint
    'did you mean `pressure`? the inputs are `pressure`, or x0 by their places'
    """

    def __init__(self, missing: tuple[str, ...], inputs: Sequence[str]) -> None:
        hint = meant(missing[0], inputs) + _inputs_hint(inputs)
        super().__init__(f"no column for `{missing[0]}`", hint=hint)
        self.missing = missing


def meant(name: str, names: Iterable[str]) -> str:
    """The question whether one of the names was meant, if one is much like another name."""
    near = similar_name(name, names)
    return f"did you mean `{near}`? " if near else ""


def _inputs_hint(inputs: Sequence[str]) -> str:
    """The names that a formula may use: the columns', or their places.

    >>> _inputs_hint(["x0", "x1"])
    'the inputs are `x0` and `x1`'
    """
    if not inputs:
        return "the table has no other column than the target"
    places = [f"x{i}" for i in range(len(inputs))]
    names = _quoted_names(inputs)
    if list(inputs) == places:
        return f"the inputs are {names}"
    return f"the inputs are {names}, or {wording.join(places, limit=4)} by their places"


def renamed_columns(mapping: Mapping[str, str]) -> dict[str, str]:
    return {
        variable: column
        for variable, column in mapping.items()
        if _INDEXED.fullmatch(variable) and variable not in (column, canonical_name(column))
    }


def _indexed(names: Iterable[str]) -> dict[str, int]:
    return {name: int(match[1]) for name in names if (match := _INDEXED.fullmatch(name))}


class _Columns:
    """The columns by name and position; `counts_from` is the base of their own count or None."""

    def __init__(self, columns: Iterable[str]) -> None:
        self.in_order = list(columns)
        in_turn_back = [*reversed(self.in_order)]
        # no formula holds a blank: `x_1` is the column `x 1`
        self.by_name = {canonical_name("_".join(each.split())): each for each in in_turn_back}
        self.by_name |= {canonical_name(each): each for each in in_turn_back}
        self.by_name |= {each: each for each in self.in_order}
        matches = [_INDEXED.fullmatch(canonical_name(column)) for column in self.in_order]
        self.indices = [int(match[1]) for match in matches if match]
        first = 0 if 0 in self.indices else 1
        in_turn = self.indices == list(range(first, first + len(self.indices)))
        leading = bool(self.indices) and in_turn and all(matches[: len(self.indices)])
        self.all_count = len(self.indices) == len(self.in_order)
        self.counts_from = first if leading and (self.all_count or first == 0) else None

    def at(self, place: int) -> str | None:
        return self.in_order[place] if 0 <= place < len(self.in_order) else None

    def goes_by_name(self, group: set[str], base: int | None, chosen: bool) -> bool:
        """Whether the indexed variables of `group` go by name; `chosen`: the user gave the base."""
        indexed = _indexed(group)
        if not indexed.keys() <= self.by_name.keys():
            return False
        if chosen and base is not None and self.counts_from is not None:
            return False
        # below without an x0: names that a tool was given with the data
        if base is None or self.counts_from is None or base < self.counts_from:
            return True
        others = self.in_order[len(self.indices) :]
        named_others = any(self.by_name.get(name) in others for name in group - indexed.keys())
        past = any(not 0 <= index - base < len(self.indices) for index in indexed.values())
        return named_others or past


def needs_whole_group(columns: Iterable[str], base: int) -> bool:
    """Whether matching from a known base (0 or 1) depends on the other formulas of a group.

    >>> [needs_whole_group(columns, 1) for columns in (["a", "b"], ["x0", "x1"], ["x0", "noise"])]
    [False, False, True]
    """
    table_columns = _Columns(columns)
    if table_columns.counts_from is None:
        return bool(table_columns.indices)
    return table_columns.counts_from != base and not (table_columns.all_count and base == 1)


def match_variables(
    variables: Iterable[str],
    columns: Iterable[str],
    *,
    index_base: int | None = None,
    chosen: bool = False,
    group: Iterable[str] = (),
) -> VariableMatch:
    """Match variables to columns, by name first, else by index; see ADR 0003.

    Parameters
    ----------
    variables
        Canonical names, as `Formula.variables` has them.
    columns
        Input columns in file order, without the target.
    index_base
        What ``x1`` means: the second (0) or the first (1) column. Default: 1 if there is no
        ``x0`` and an index would run past the last column, else 0. 0 or 1.
    chosen
        Whether the user said so, and not a notation or other formulas.
    group
        Variables of further formulas that count as this one does: all are matched alike.

    Returns
    -------
    VariableMatch
        The column of each variable, and the variables without one.

    Notes
    -----
    Indexed variables go by name only if all of them have a column of that name; a mixture would
    silently shift some of them. A known base decides before names where the columns count
    themselves (x0, x1, ... or x1, x2, ...), unless it leaves a variable without a column that all
    have by name, or the formulas call other columns by name, or they would count from 0 without
    an x0 where the columns count from 1; a user's choice always holds.

    Examples
    --------
    >>> match_variables(["x1", "x2"], ["r_k", "log_Re"], index_base=1).mapping
    {'x1': 'r_k', 'x2': 'log_Re'}
    >>> match_variables(["x1"], ["x0", "x1"], index_base=1).mapping
    {'x1': 'x0'}
    >>> match_variables(["x1"], ["x0", "x1"]).mapping
    {'x1': 'x1'}
    >>> match_variables(["x1"], ["x1", "x2"], index_base=0).mapping
    {'x1': 'x1'}
    >>> match_variables(["x1"], ["x 1", "b"]).mapping
    {'x1': 'x 1'}
    >>> match_variables(["a"], ["A", "b"]).missing
    ('a',)
    """
    names = list(variables)
    available = _Columns(columns)
    everyone = {*names, *group}
    indexed = _indexed(everyone)
    base, assumed = index_base, False
    if available.goes_by_name(everyone, index_base, chosen):
        base = available.counts_from
    elif indexed and base is None:
        past = max(indexed.values()) >= len(available.in_order)
        base, assumed = int(past and min(indexed.values()) > 0), True
    matches = {
        name: available.by_name.get(name)
        if base is None or name not in indexed
        else available.at(indexed[name] - base)
        for name in names
    }
    mapping = {name: column for name, column in matches.items() if column is not None}
    if indexed.keys().isdisjoint(names):
        base, assumed = None, False
    return VariableMatch(mapping, base, assumed, tuple(n for n in matches if n not in mapping))
