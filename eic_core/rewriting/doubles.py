"""The results of a program in one precision: each term computed once, on fixed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.tape import constant_value
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.double_range import has_no_value, leaves_range
from eic_core.measure.observed import NO_NUMBER, ROUNDOFF, ObservedError, RoundedTruth
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.precision import Target
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import COMPARED, DOUBLES, WIDE

Mask = npt.NDArray[np.bool_]


class DoubleTable:
    """Terms in plain double or single precision beside the exact values of one formula.
    `truth` is None where there is no exact value.

    >>> from flint import arb
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("(x + 1) - 1").formula)
    >>> table = DoubleTable(terms, {"x": np.array([1e-20, 2.0])}, [arb("1e-20"), arb(2)])
    >>> table.lost(root).tolist(), table.mean_lost(root)
    ([15.95, 0.0], 7.975)
    """

    def __init__(
        self,
        terms: Terms,
        columns: Mapping[str, Any],
        truth: Sequence[Any | None],
        kind: Target = "float64",
    ) -> None:
        self.terms = terms
        self.columns = columns
        self.kind = kind
        self.exact = truth
        self.truth = RoundedTruth(truth, kind)
        self._values: dict[int, Array] = {}

    def values(self, number: int) -> Array:
        if number not in self._values:
            with np.errstate(all="ignore"):
                for below in self.terms.unknown(number, self._values):
                    self._values[below] = self._compute(below)
        return self._values[number]

    def _compute(self, number: int) -> Array:
        term = self.terms[number]
        self.terms.work.spend(DOUBLES)
        if term.operator == VARIABLE:
            return np.asarray(self.columns[term.label], self.kind)
        if term.operator == CONSTANT:
            return np.full(len(self.truth.high), constant_value(term.label), self.kind)
        row = OPERATORS[term.operator]
        operands = [self._values[child] for child in term.children]
        return np.asarray(row.evaluate(operands, row.parameter(term.parameter)), self.kind)

    def standing_in(self, number: int, values: Array) -> DoubleTable:
        """The same programs where a term has these values, whatever it is."""
        other = copy(self)
        with np.errstate(over="ignore"):  # single precision may not hold them
            other._values = {number: values.astype(self.kind)}
        return other

    def lost(self, number: int) -> Array:
        """The digits that each row loses, 0 to 16 or 7; nan without an exact value."""
        self.terms.work.spend(COMPARED)
        return self.truth.digits_lost(self.values(number))

    def mean_lost(self, number: int) -> float:
        """The mean of the digits lost; 0 where no row can be compared."""
        return mean_digits(self.lost(number))

    def error(self, number: int) -> ObservedError:
        computed = self.values(number).tolist()
        return ObservedError.of(self.exact, computed, self.kind, self._without_value(number))

    def failed(self, number: int) -> Mask:
        """The rows at which it has no value, though the type could hold the exact one."""
        held: Mask = self.truth.real & (self.truth.held() != NO_NUMBER)
        return held & self._without_value(number)

    def right(self, number: int) -> Mask:
        """The rows at which it has a value of which a bit at least is right."""
        with np.errstate(invalid="ignore"):
            errors = np.abs(self.truth.errors(self.values(number)))
            right: Mask = errors * ROUNDOFF[self.kind] < 0.5
        return right

    def _without_value(self, number: int) -> Mask:
        """The rows without a number, or with a 0 that is made by leaving the range."""
        computed, zero = self.values(number), self.truth.zero
        leaves = np.zeros(len(computed), dtype=bool)
        rows = np.flatnonzero((computed == 0) & ~zero)
        if len(rows):
            columns = {name: column[rows] for name, column in self.columns.items()}
            tape = self.terms.tape(number)
            self.terms.work.spend(WIDE, len(tape))
            leaves[rows] = leaves_range(tape, columns, len(rows), self.kind)
        without: Mask = has_no_value(computed, zero, leaves)
        return without


def mean_digits(lost: Array) -> float:
    """The mean of digits lost by row, nan where none can be compared; 0 without any other."""
    lost = lost[~np.isnan(lost)]
    return float(np.mean(lost)) if len(lost) else 0.0
