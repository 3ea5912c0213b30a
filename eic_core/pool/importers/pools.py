"""Our own pools: as `python -m eic_core score` takes them, and as it writes them."""

from __future__ import annotations

from eic_core.pool.importers.rows import Listed
from eic_core.pool.importers.source import Sheet
from eic_core.pool.importers.tables import listed_cells


def recognise_scored(sheet: Sheet) -> str:
    """What tells a scored pool; "" if nothing does."""
    needed = ("formula", "complexity", "r2", "eic", "eic_finite", "invalid", "singular")
    if any(sheet.place(name) < 0 for name in needed):
        return ""
    return "the columns `formula`, `eic` and `eic_finite` are those of a scored pool"


def recognise(sheet: Sheet) -> str:
    """What tells a pool; "" if nothing does."""
    problem = sheet.place("problem", "dataset")
    if problem < 0 or sheet.place("formula") < 0:
        return ""
    return f"the columns `{sheet.columns[problem]}` and `formula` are those of a pool"


def listed(sheet: Sheet, column: str) -> list[Listed]:
    """The rows of the pool; a stored ``error`` is kept only where there is no formula."""
    return listed_cells(sheet, column)
