"""A table of a report, and its kinds of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from eic_core.markup import Cell, Formatted

OPEN_ROWS = 40
"""Rows up to which a table is open."""

NONE = "—"


@dataclass(frozen=True)
class ReportTable:
    """Rows of values under the names of their columns, each with as many cells as columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]  # The first cell names its row
    caption: str = ""
    numbers: Sequence[int] = ()  # Columns set to the right, from 0
    marked: frozenset[int] = frozenset()  # Rows that stand out, from 0
    words: bool = False  # True if columns may be as narrow as a phone needs

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row does not fit the columns")

    @property
    def long(self) -> bool:
        return len(self.rows) > OPEN_ROWS


code, digits, lost, share, count, fit, plain = (
    partial(Formatted, kind)
    for kind in ("code", "digits", "lost", "share", "count", "fit", "plain")
)
