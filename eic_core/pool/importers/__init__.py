"""Lists of formulas as other tools write them: `import_formulas` recognises and reads them. Every
row comes back; one without a formula says so, one that cannot be read is refused later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eic_core.errors import DataError
from eic_core.pool.importers.formats import (
    LINES,
    TABLES,
    LineFormat,
    TableFormat,
    formula_column,
    no_gplearn_programs,
    read_table_rows,
)
from eic_core.pool.importers.listed import (
    MAX_BYTES,
    MAX_ROWS,
    ColumnChoice,
    Imported,
    Listed,
    without_words,
)
from eic_core.pool.importers.notebooks import outputs_of
from eic_core.pool.importers.plain import read_lines
from eic_core.pool.importers.shapes import sheet_of
from eic_core.pool.importers.sheets import Sheet, reading_of, too_many
from eic_core.pool.importers.source import PastedList, source_of

__all__ = [
    "ALIASES",
    "FORMATS",
    "MAX_BYTES",
    "MAX_ROWS",
    "ColumnChoice",
    "Imported",
    "Listed",
    "import_formulas",
]

FORMATS: Mapping[str, str] = {key: row.label for key, row in (TABLES | LINES).items()}
"""Name and label of every format."""

ALIASES: Mapping[str, str] = {"json": "srbench", "pysr_print": "pysr", "operon_print": "operon"}
"""Further names of formats, by which they went before."""


def import_formulas(
    data: bytes | str, *, name: str = "", format: str = "auto", column: str | None = None
) -> Imported:
    """Read a list of formulas in whatever form it comes.

    Parameters
    ----------
    data
        At most `MAX_BYTES` unpacked, `MAX_ROWS` rows; gzipped or not.
    name
        The file's name, for messages and where it says what a file holds.
    format
        A key of `FORMATS` or `ALIASES`, or "auto".
    column
        The column that holds the formulas, if the list is a table; default: the one that its
        format names, else the one whose cells read as formulas.

    Returns
    -------
    Imported
        A row for each formula of the list, none dropped, the format, and notes on how it was read.

    Raises
    ------
    ColumnChoice
        If several columns hold formulas and nothing says which is meant.
    DataError
        If it is empty, too large, no text, or not of the format that was asked for.

    Examples
    --------
    >>> got = import_formulas('Complexity,Loss,Equation\\n1,2.5,"x0"\\n3,0.1,"x0 * x0"\\n')
    >>> got.format, [(r.formula, r.stored["loss"]) for r in got.rows]
    ('pysr', [('x0', 2.5), ('x0 * x0', 0.1)])
    """
    source = source_of(data, name)
    format = ALIASES.get(format, format)
    if format != "auto" and format not in FORMATS:
        raise DataError(
            f"there is no format `{format}`", hint="there are auto, " + ", ".join(FORMATS)
        )
    if (outputs := outputs_of(source)) is not None:
        return _of_outputs(outputs, format, column)
    imported = _of_lines(source, format, list(LINES)[:-1])
    if imported is None and format not in LINES and (sheet := sheet_of(source)) is not None:
        imported = _of_sheet(sheet, format, column)
    if imported is None:
        imported = _of_lines(source, format, list(LINES)[-1:])
    if imported is not None:
        return imported
    if format in ("auto", "list"):
        raise DataError("the list holds no formula", hint="give at least one formula, one a line")
    raise DataError(
        f"this is no {FORMATS[format]}", hint="let the format be detected, or choose another"
    )


def _of_sheet(sheet: Sheet, format: str, column: str | None) -> Imported | None:
    """Read a table by the format, or by the first one that recognises it."""
    key, reason = _recognised(TABLES, format, sheet)
    if key == "auto":
        if column is None:
            return None
        key = "table"
    table = TABLES[key]
    if not sheet.rows:
        raise DataError("the table has no rows below its header", hint="add a row a formula")
    if len(sheet.rows) > MAX_ROWS:
        raise too_many()
    if key == "gplearn_details" and column is None:
        raise no_gplearn_programs()
    formulas, note = formula_column(sheet, table, column)
    rows, notes = read_table_rows(sheet, formulas, table)
    if key == "table" and (tool := _tool_of_cells(rows)) is not None:
        rows = [replace(row, syntax=tool.syntax, method=tool.method) for row in rows]
        notes = (*notes, f"Every formula is a call, as {tool.method} prints.")
    return Imported(
        key,
        f"{reason}, {sheet.form}" if " " in sheet.form else reason,
        tuple(without_words(rows)),
        (*notes, *filter(None, [note])),
        tuple(dict.fromkeys([formulas, *sheet.formula_columns, *sheet.columns])),
        formulas,
        f"{table.label}, {sheet.form.partition(' ')[0]}",
    )


def _tool_of_cells(rows: Sequence[Listed]) -> LineFormat | None:
    """The tool whose calls all formulas of a table are, where no row names another."""
    if any(row.method or row.syntax for row in rows):
        return None
    texts = [row.formula for row in rows if not row.error]
    return next((each for each in LINES.values() if each.syntax and each.recognise(texts)), None)


def _of_lines(source: PastedList, format: str, keys: Sequence[str]) -> Imported | None:
    """Read lines by the format, or by the first of these that recognises them."""
    key, reason = _recognised({key: LINES[key] for key in keys}, format, source.lines)
    if key not in keys:
        return None
    row = LINES[key]
    formulas = row.formulas(source.lines)
    rows, notes = read_lines(formulas, syntax=row.syntax) if formulas else ([], ())
    if not rows:
        if key == "gplearn":
            raise no_gplearn_programs()
        return None
    rows = [replace(each, method=row.method) for each in without_words(rows)]
    return Imported(key, reason, tuple(rows), notes, label=row.label)


def _recognised(
    formats: Mapping[str, TableFormat | LineFormat], format: str, content: Any
) -> tuple[str, str]:
    """The first format that recognises what a list holds, and by what; else the one asked for."""
    for key, row in formats.items():
        if format in ("auto", key) and (reason := row.recognise(content)):
            return key, reason
    return format, "chosen by hand"


def _of_outputs(outputs: list[PastedList], format: str, column: str | None) -> Imported:
    """The last output of a notebook that holds formulas: a table if there is one, else a list."""
    tables, lists = list[Imported](), list[Imported]()
    refused: DataError | None = None
    for output in outputs:
        try:
            imported = import_formulas(output.text, name=output.name, format=format, column=column)
        except ColumnChoice:
            raise
        except DataError as error:
            refused = error
            continue
        if imported.format != "list":
            tables.append(imported)
        elif all(reading_of(row.formula) for row in imported.rows):
            lists.append(imported)
    among = tables or lists
    if not among:
        raise refused or DataError(
            "no output of the notebook holds formulas", hint="run it, and save it with its outputs"
        )
    last = among[-1]
    notes = () if len(among) == 1 else (f"{len(among)} outputs hold formulas; the last is taken.",)
    return replace(last, reason=f"{last.reason}, in a notebook", notes=(*notes, *last.notes))
