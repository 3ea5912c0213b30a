"""Tables with a column of formulas: the columns of a sheet as rows of a list."""

from __future__ import annotations

from collections.abc import Callable

from eic_core.errors import DataError
from eic_core.formula.syntax.languages import language
from eic_core.pool.candidate import Candidate
from eic_core.pool.importers.rows import NO_FORMULA, Listed, stored_numbers
from eic_core.pool.importers.source import Sheet, cell_of

_METHODS = ("method", "algorithm", "tool", "model_name", "regressor")
_PROBLEMS = ("problem", "dataset")
_SPREADSHEET = tuple("=+-@＝＋－＠'")


def recognise(sheet: Sheet) -> str:
    """What tells that a table has a column of formulas; "" if nothing does."""
    if not sheet.formula_columns:
        return ""
    chosen = sheet.formula_columns[0]
    share = sheet.shares[sheet.columns.index(chosen)]
    return f"the cells of column `{chosen}` read as formulas ({100 * share:.0f} % of a sample)"


def chosen_column(sheet: Sheet, wanted: str | None, likely: str = "") -> str:
    """The column to take the formulas from.

    Raises
    ------
    DataError
        If the one that is wanted is not there, or none can be found.
    """
    if wanted is not None:
        if wanted in sheet.columns:
            return wanted
        raise DataError(f"there is no column `{wanted}`", hint="there are " + _names(sheet))
    if likely in sheet.columns:
        return likely
    if sheet.formula_columns:
        return sheet.formula_columns[0]
    raise DataError(
        "no column of this table reads as formulas",
        hint="choose the column by hand; there are " + _names(sheet),
    )


def listed_cells(
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
    methods, problems = sheet.place(*_METHODS), sheet.place(*_PROBLEMS)
    syntaxes, extra = sheet.place("syntax"), sheet.place("extra")
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
    every = [f"`{name}`" for name in sheet.columns]
    rest = f" and {len(every) - 12} more" if len(every) > 12 else ""
    return ", ".join(every[:12]) + rest
