"""Lists of formulas as other tools write them: `import_formulas` recognises and reads them. Every
row comes back; one without a formula says so, one that cannot be read is refused later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from eic_core.errors import DataError
from eic_core.pool.importers import plain, source, tools
from eic_core.pool.importers.listed import (
    MAX_BYTES,
    MAX_ROWS,
    Imported,
    Listed,
    Rows,
    without_words,
)
from eic_core.pool.importers.sheets import Sheet
from eic_core.pool.importers.source import PastedList, chosen_column, source_of

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_ROWS",
    "Imported",
    "Listed",
    "import_formulas",
]


class _Format(NamedTuple):
    """A row of the table of formats; exactly one of `of_text` and `of_table` is there."""

    template: str  # Of its label, for a file and for what a tool has printed
    recognise_text: Callable[[PastedList], str] | None = None
    of_text: Callable[[PastedList], Rows] | None = None
    recognise_table: Callable[[Sheet], str] | None = None
    of_table: Callable[[Sheet, str], Rows] | None = None
    likely: str = ""

    def label(self, printed: bool = False) -> str:
        return self.template.format(
            form="printed" if printed else "CSV", table="table" if printed else "CSV"
        )


_FORMATS_IN_ORDER: dict[str, _Format] = {
    "json": _Format(
        "SRBench results, JSON",
        tools.recognise_srbench_json,
        lambda s: (tools.read_srbench_json(s), ()),
    ),
    "pysr_print": _Format("PySR, printed", tools.recognise_pysr_print, tools.read_pysr_print),
    "operon_print": _Format(
        "Operon front, printed",
        tools.recognise_operon_print,
        lambda s: (tools.read_operon_print(s), ()),
    ),
    "gplearn": _Format(
        "gplearn, printed", tools.recognise_gplearn, lambda s: (tools.read_gplearn(s), ())
    ),
    "pysr": _Format(
        "PySR hall of fame, {form}",
        recognise_table=tools.recognise_pysr_file,
        of_table=tools.read_pysr_file,
        likely="equation",
    ),
    "scored": _Format(
        "Scored pool, {form}",
        recognise_table=tools.recognise_scored_pool,
        of_table=tools.read_pool_rows,
        likely="formula",
    ),
    "pool": _Format(
        "Pool, {form}",
        recognise_table=tools.recognise_pool,
        of_table=tools.read_pool_rows,
        likely="formula",
    ),
    "srbench": _Format(
        "SRBench results, {form}",
        recognise_table=tools.recognise_srbench_file,
        of_table=tools.read_srbench_file,
        likely="symbolic_model",
    ),
    "operon": _Format(
        "Operon front, {form}",
        recognise_table=tools.recognise_operon_file,
        of_table=tools.read_operon_file,
    ),
    "gplearn_details": _Format(
        "gplearn run details, {form}",
        recognise_table=tools.recognise_gplearn_details,
        of_table=source.read_table_rows,
    ),
    "table": _Format(
        "Any {table} with a column of formulas",
        recognise_table=source.recognise_table,
        of_table=source.read_table_rows,
    ),
    "list": _Format(
        "List, one formula a line",
        lambda _: plain.recognise_lines(),
        lambda s: plain.read_lines(s.lines),
    ),
}
"""In the order in which they are tried."""

FORMATS: Mapping[str, str] = {name: row.label() for name, row in _FORMATS_IN_ORDER.items()}
"""Name and label of every format."""


def import_formulas(
    data: bytes | str, *, name: str = "", format: str = "auto", column: str | None = None
) -> Imported:
    """Read a list of formulas in whatever form it comes.

    Parameters
    ----------
    data
        At most `MAX_BYTES` unpacked, `MAX_ROWS` rows; gzipped or not.
    name
        The file's name, for messages.
    format
        A key of `FORMATS`, or "auto".
    column
        The column that holds the formulas, if the list is a table; default: the one that its
        format names, else the one whose cells read as formulas.

    Returns
    -------
    Imported
        A row for each formula of the list, none dropped, the format, and notes on how it was read.

    Raises
    ------
    DataError
        If it is empty, too large, no text, or not of the format that was asked for.

    Examples
    --------
    >>> got = import_formulas('Complexity,Loss,Equation\\n1,2.5,"x0"\\n3,0.1,"x0 * x0"\\n')
    >>> got.format, [(r.formula, r.stored["loss"]) for r in got.rows]
    ('pysr', [('x0', 2.5), ('x0 * x0', 0.1)])
    """
    source = source_of(data, name)
    if format != "auto" and format not in _FORMATS_IN_ORDER:
        raise DataError(
            f"there is no format `{format}`", hint="there are auto, " + ", ".join(_FORMATS_IN_ORDER)
        )
    if column is not None and format == "auto" and source.sheet is not None:
        format = _table_format(source.sheet)
    for key in _FORMATS_IN_ORDER if format == "auto" else (format,):
        found = _try_format(key, source, column, chosen=format != "auto")
        if found is not None:
            return found
    if format in ("auto", "list"):
        raise DataError("the list holds no formula", hint="give at least one formula, one a line")
    raise DataError(
        f"this is no {FORMATS[format]}", hint="let the format be detected, or choose another"
    )


def _table_format(sheet: Sheet) -> str:
    for key, row in _FORMATS_IN_ORDER.items():
        if row.recognise_table is not None and row.recognise_table(sheet):
            return key
    return "table"


def _try_format(
    key: str, source: PastedList, column: str | None, *, chosen: bool
) -> Imported | None:
    """Read a list by one format; None if the format does not recognise it, unless it was chosen."""
    row = _FORMATS_IN_ORDER[key]
    if row.of_text is not None and row.recognise_text is not None:
        reason = row.recognise_text(source)
        if not reason and not chosen:
            return None
        rows, notes = row.of_text(source)
        found = tuple(without_words(rows))
        reason = reason or "chosen by hand"
        return Imported(key, reason, found, notes, label=row.label()) if rows else None
    sheet = source.sheet
    if sheet is None or row.of_table is None or row.recognise_table is None:
        return None
    reason = row.recognise_table(sheet)
    if not reason and not chosen:
        return None
    if not sheet.rows:
        raise DataError("the table has no rows below its header", hint="add a row a formula")
    place = sheet.column_index(row.likely)
    likely = sheet.columns[place] if row.likely and place >= 0 else ""
    if key == "gplearn_details" and column is None:
        raise tools.no_gplearn_programs()
    formulas = chosen_column(sheet, column, likely)
    columns = tuple(dict.fromkeys([formulas, *sheet.formula_columns, *sheet.columns]))
    rows, notes = row.of_table(sheet, formulas)
    reason = ", ".join(filter(None, [reason or "chosen by hand", sheet.origin]))
    found = tuple(without_words(rows))
    return Imported(key, reason, found, notes, columns, formulas, row.label(bool(sheet.origin)))
