"""What was pasted or uploaded: bytes to text, and a table's cells to rows."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax.languages import language
from eic_core.pool.candidate import Candidate, exponents_in
from eic_core.pool.importers.listed import MAX_BYTES, NO_FORMULA, Listed, Rows
from eic_core.pool.importers.sheets import Sheet, cell_of, sheet_of

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class PastedList:
    """A list's text and the name of its file ("" if pasted)."""

    name: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(line.rstrip() for line in self.text.splitlines() if line.strip())

    @cached_property
    def sheet(self) -> Sheet | None:
        return sheet_of(self.text, self.lines)


def source_of(data: bytes | str, name: str = "") -> PastedList:
    """Decode a paste or an upload, gzipped or not: UTF-8, UTF-16 with a mark, or Latin-1. Raises
    `DataError` if it is too large, empty or no text.

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
    return DataError(
        f"the list is larger than {MAX_BYTES // 1_000_000} MB",
        hint="split it, or score it with python -m eic_core score",
    )


CUT = "printing has cut this formula short: save the table with to_csv"
_METHODS = ("method", "algorithm", "tool", "model_name", "regressor")
_PROBLEMS = ("problem", "dataset")
_SPREADSHEET = tuple("=+-@＝＋－＠'")


def recognise_table(sheet: Sheet) -> str:
    """The reason to take a table for one with a column of formulas; "" without one."""
    if not sheet.formula_columns:
        return ""
    chosen = sheet.formula_columns[0]
    share = sheet.shares[sheet.columns.index(chosen)]
    if not share:
        return f"column `{chosen}` is called as one of formulas is"
    return f"the cells of column `{chosen}` read as formulas ({wording.percent(share)} of a sample)"


def chosen_column(sheet: Sheet, requested: str | None, likely: str = "") -> str:
    """The name of the column with the formulas; `likely` is the format's own, used if it exists.
    Raises `DataError` if the requested one does not exist, or none can be found.
    """
    if requested is not None:
        if requested in sheet.columns:
            return requested
        raise DataError(f"there is no column `{requested}`", hint="there are " + _names(sheet))
    if likely and likely in sheet.columns:
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
) -> Rows:
    """A row for each row of a sheet, and what was assumed; `syntax` and `method` are for rows
    without, `rename` gives a notation by method for tables without a column ``syntax``.
    """
    place = sheet.columns.index(column)
    methods, problems = sheet.column_index(*_METHODS), sheet.column_index(*_PROBLEMS)
    syntaxes, extra = sheet.column_index("syntax"), sheet.column_index("extra")
    exponents = sheet.column_index("exponents")
    scores, notes = sheet.scores(place)
    rows = []
    for number, cells in enumerate(sheet.whole_rows(place), start=1):
        formula = unguarded(cell_of(cells, place).strip())
        who = cell_of(cells, methods).strip()
        notation = cell_of(cells, syntaxes).strip()
        rows.append(
            Listed(
                number,
                formula,
                syntax=notation or (rename(who) if who else "") or syntax,
                method=who or method,
                problem=cell_of(cells, problems).strip(),
                parameters=_parameters(cell_of(cells, extra)),
                stored=scores[number - 1],
                error=CUT if formula.endswith("...") else "" if formula else NO_FORMULA,
                exponents=exponents_in(cell_of(cells, exponents)),
            )
        )
    return rows, (*sheet.notes, *notes)


def notation_of(method: str) -> str:
    """The notation in which a method of that name prints, "" if it is not known.

    >>> notation_of("Operon"), notation_of("tuned.OperonRegressor"), notation_of("MLP")
    ('operon', 'operon', '')
    """
    short = method.rpartition(".")[2].removesuffix("Regressor")
    return language(short) or ""


def unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps spreadsheets from computing it.

    >>> unguarded("'-x+1"), unguarded("x'")
    ('-x+1', "x'")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].lstrip().startswith(_SPREADSHEET) else cell


def _parameters(extra: str) -> dict[str, str]:
    row = {"problem": "", "formula": "", "extra": extra}
    return dict(Candidate.from_row(row).parameters)


def _names(sheet: Sheet) -> str:
    return wording.join([f"`{name}`" for name in sheet.columns], limit=12)
