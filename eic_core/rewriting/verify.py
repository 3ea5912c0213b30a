"""Checks that a form is the same function on the data: exact values, domain and assumptions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.measure.observed import run_in
from eic_core.rewriting.doubles import Mask
from eic_core.rewriting.precision import Target
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import relation_holds
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import AGREEMENT, Values, ValueTable, first_difference
from eic_core.samples import Samples

SUSPECT_ROWS = 50
"""Rows that only double precision has seen and objects to are settled exactly, up to so many; a
form with more of them is not proposed, for it would not have been verified."""


@dataclass(frozen=True)
class Verification:
    rows: int  # Rows compared at high precision
    digits: int  # The largest working precision that was needed
    agreement: int  # Relative agreement is to 10^-agreement or better
    domain_rows: int  # Rows at which the form has a value wherever the formula has one
    widened: int  # Compared rows at which only the new form has a value

    _JSON = ("rows", "digits", "agreement", "domain_rows", "widened")


@dataclass(frozen=True)
class RowDifference:
    row: int  # From 0
    inputs: tuple[tuple[str, str], ...]  # The variables there, as decimals
    # before, after: both values, to 17 digits; empty where there is none
    before: str
    after: str

    _JSON = ("row", "inputs", "before", "after")


class Verifier:
    """Compares forms with one formula on rows of one data set.
    The domain is checked in double precision on the `scanned` rows.
    """

    def __init__(
        self,
        table: ValueTable,
        original: int,
        samples: Samples,
        rows: Sequence[int],
        scanned: Sequence[int],
    ) -> None:
        self.table = table
        self.terms: Terms = table.terms
        self.original = original
        self._results: dict[tuple[int, Target], Any] = {}
        self.samples = samples
        self.rows = tuple(rows)
        self.scanned = np.array(scanned, dtype=np.int64)
        self.columns: Mapping[str, Any] = {
            name: samples.columns[name][self.scanned]
            for name in dict.fromkeys(self.terms.variables(original))
        }

    def verify(self, form: int, assumptions: Sequence[Assumption]) -> Verification | None:
        return self.summary(form) if self.agrees(form, assumptions) else None

    def agrees(
        self,
        form: int,
        assumptions: Sequence[Assumption],
        taken: Mask | None = None,
        scanned: Mask | None = None,
        bound: float | None = None,
        replaced: Sequence[tuple[int, int]] = (),
    ) -> bool:
        """Whether a form is the formula, or within a bound of it, at the rows `taken`, and has a
        value wherever that has one at the rows `scanned`: all of them, where these are not given.
        A bound may be one of terms that the form has `replaced`, each with what stands for it.
        """
        places = np.flatnonzero(np.ones(len(self.rows)) if taken is None else taken).tolist()

        def values(number: int) -> Values:
            every = self.table.values(number)
            return tuple([every[place] for place in places])

        before = values(self.original)
        if bound is None:
            same = first_difference(before, values(form)) is None
        else:
            same = all(
                a is None or (b is not None and not abs(b - a) > bound * abs(a))
                for term, near in replaced or ((self.original, form),)
                for a, b in zip(values(term), values(near), strict=True)
            )
        return (
            same
            and all(relation_holds(values(a.term), a.relation, before) for a in assumptions)
            and self.keeps_domain(form, assumptions, scanned)
        )

    def summary(self, form: int, bound: float = 0.0) -> Verification:
        """What was verified of a form that agrees, or whose series have a bound."""
        pairs = zip(self.table.values(self.original), self.table.values(form), strict=True)
        return Verification(
            len(self.rows),
            max(map(self.table.digits, (self.original, form))),
            min(AGREEMENT, math.floor(-math.log10(bound))) if bound else AGREEMENT,
            len(self.scanned),
            sum(before is None and after is not None for before, after in pairs),
        )

    def keeps_domain(
        self, form: int, assumptions: Sequence[Assumption], taken: Mask | None = None
    ) -> bool:
        """Whether it has a value wherever the formula has one, and the assumptions hold there, at
        the scanned rows, or at those of them that are `taken`.
        """
        rows = np.ones(len(self.scanned), dtype=bool) if taken is None else taken
        return self._has_values(form, rows) and all(
            self._assumption_holds(assumption, rows) for assumption in assumptions
        )

    def _has_values(self, form: int, rows: Mask) -> bool:
        before = self.doubles(self.original)
        after = self.doubles(form)
        lost = np.flatnonzero(rows & np.isfinite(before) & np.isnan(after))
        if len(lost) > SUSPECT_ROWS:
            return False
        table = self.table_of(self.scanned[lost].tolist())
        pairs = zip(table.values(self.original), table.values(form), strict=True)
        return not any(a is not None and b is None for a, b in pairs)

    def table_of(self, rows: Sequence[int]) -> ValueTable:
        texts = decimal_rows(self.samples, self.columns, rows)
        return ValueTable(self.terms, texts, GREAT_DEPTH, self.table.budget)

    def doubles(self, number: int, kind: Target = "float64") -> Any:
        """What a program makes of a term at the scanned rows."""
        if (number, kind) not in self._results:
            count, tape = len(self.scanned), self.terms.tape(number)
            computed = run_in(tape, self.columns, count, kind)[-1]
            self._results[number, kind] = computed.astype(np.float64)
        return self._results[number, kind]

    def _assumption_holds(self, assumption: Assumption, rows: Mask) -> bool:
        values = self.doubles(assumption.term)
        before = self.doubles(self.original)
        with np.errstate(invalid="ignore"):
            wrong = (rows & np.isfinite(before)) & (
                (values < 0) if assumption.relation != "!=" else (values == 0)
            )
        suspects = self.scanned[np.flatnonzero(wrong)]
        if len(suspects) > SUSPECT_ROWS:
            return False
        table = self.table_of(suspects.tolist())
        return relation_holds(
            table.values(assumption.term), assumption.relation, table.values(self.original)
        )


def decimal_rows(
    samples: Samples, names: Mapping[str, Any] | Sequence[str], rows: Sequence[int]
) -> list[dict[str, str]]:
    return [{name: samples.decimal(name, row) for name in names} for row in rows]
