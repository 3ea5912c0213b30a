"""The exact values of a formula, with as many digits as each row needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.rewriting.values import Values, ValueTable, differing_rows

MAX_DIGITS = 1600
"""Rows that disagree are evaluated again with up to so many digits."""


class SettledValues:
    """Values of the term `root` on the rows of a table.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.rewriting.terms import Terms
    >>> terms = Terms()
    >>> root = terms.add(read("1 - cos(x)").formula)
    >>> found = SettledValues(ValueTable(terms, [{"x": 1.0}, {"x": 1e-40}], 50), root)
    >>> [f"{float(value):.4g}" for value in found.trusted]  # 50 digits leave 0 of the second
    ['0.4597', '5e-81']
    """

    def __init__(self, table: ValueTable, root: int) -> None:
        self.table = table
        self.root = root

    @cached_property
    def _first(self) -> tuple[Values, frozenset[int], int]:
        values = list(self.table.values(self.root))
        doubtful = np.flatnonzero(~self.table.resolved(self.root)).tolist()
        needed = self._double(values, doubtful)
        return tuple(values), frozenset(doubtful), needed

    @property
    def trusted(self) -> Values:
        """The values, with more digits only where their noise needs them."""
        return self._first[0]

    @cached_property
    def settled(self) -> tuple[Values, int]:
        """The values, each stable when its digits double, and the most digits needed.
        A value that never settles is 0; one that grows with the digits does not exist.
        """
        known, doubled, needed = self._first
        values = list(known)
        others = [row for row in range(len(values)) if row not in doubled]
        return tuple(values), max(needed, self._double(values, others))

    def _double(self, values: list[Any], pending: list[int]) -> int:
        """Settle some rows in place; return the most digits needed.
        A 0 is not settled by being one again: 1 - cos(1e-200) is 0 with 100 digits and with 200.
        """
        digits = needed = self.table.digits
        while pending and digits < MAX_DIGITS:
            needed, digits = digits, 2 * digits
            table = self._table(pending, digits)
            again = table.values(self.root)
            moving = set(differing_rows([values[row] for row in pending], again))
            unresolved = ~table.resolved(self.root)
            left = []
            for i, (row, value) in enumerate(zip(pending, again, strict=True)):
                values[row] = value
                if i in moving or (unresolved[i] and not value and value is not None):
                    left.append(row)
            pending = left
        for row in pending:
            value, mp = values[row], self.table.mp
            pole = value is not None and value and mp.mag(value) > digits  # 1/0, but for a rounding
            values[row] = None if pole else mp.mpf(0)
        return needed

    def _table(self, rows: Sequence[int], digits: int) -> ValueTable:
        return ValueTable(self.table.terms, [self.table.rows[row] for row in rows], digits)

    def at(self, number: int, rows: Sequence[int], digits: int) -> Values:
        """A term's values on some rows of the table, with so many digits."""
        return self._table(rows, digits).values(number)
