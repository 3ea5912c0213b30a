"""What becomes of each row: one outcome, the step and the reason, and the digits it costs.

The detectors (balls, `double_range`, `following`) each see some rows; here alone it is
decided what is true of a row of which several speak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eic_core.engine import extended
from eic_core.engine.amplify import amplify
from eic_core.engine.tape import UNIT_ROUNDOFF, Step
from eic_core.engine.walked import Array, Rows
from eic_core.measure.double_range import Held, double_range, indistinct_rows
from eic_core.measure.following import following, moves_of, sources_of_infinity, undecided
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from eic_core.measure.runs import Blamed
from eic_core.operators import NUMPY
from eic_core.samples import Samples

BESIDE = 1e-9
"""A row on a jump is left by so much of its inputs to see what is true beside it."""

SMOOTH = 10.0
"""A value that does not jump moves by no more than so many times as much as from there on."""

A_DIGIT = 1.0
"""By more digits than what errors of first order cost beside it, a jump counts."""


@dataclass(frozen=True)
class Outcomes:
    """One outcome for each row; shape (N,) each.

    Attributes
    ----------
    kinds
        Members of `Outcome`.
    nodes
        The step to which it is due; of errors of first order the result.
    reasons
        Members of `Reason`.
    digits
        Digits of the result that errors of inputs and steps put in doubt there, 0 to 15.95; nan
        where no real value is known.
    """

    kinds: Rows = field(repr=False)
    nodes: Rows = field(repr=False)
    reasons: Rows = field(repr=False)
    digits: Array = field(repr=False)

    def rows(self, *kinds: Outcome) -> Rows:
        """The rows of these outcomes, ascending."""
        return np.flatnonzero(np.isin(self.kinds, kinds))

    def count(self, *kinds: Outcome) -> int:
        return len(self.rows(*kinds))

    @property
    def real(self) -> np.ndarray:
        """Where a real value is known."""
        return ~np.isnan(self.digits)


@cached_on_inspection
def outcomes(inspection: Inspection) -> Outcomes:
    """Find what becomes of each row.

    Parameters
    ----------
    inspection
        Its samples are the rows.

    Returns
    -------
    Outcomes
        Exactly one outcome for each row.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [0.0, 1.0, 2.0, 1e200]})
    >>> result = outcomes(inspect(read("log(x**2)").formula, samples))
    >>> [Outcome(kind).name for kind in result.kinds.tolist()], result.nodes.tolist()
    (['NO_REAL_VALUE', 'NO_DIGIT', 'FINITE', 'NO_DOUBLE'], [2, 2, 2, 1])
    """
    root, amplification = inspection.formula.root.id, inspection.amplification
    _, s = amplification.trace(root)
    with np.errstate(invalid="ignore"):
        digits = np.minimum(np.log10(s), DOUBLE_DIGITS)
    drowned = np.isfinite(s) & (digits >= DOUBLE_DIGITS)
    table = _Table(len(s), root, digits)
    in_doubles, sources = double_range(inspection), sources_of_infinity(inspection)
    on_jump = sources.where(sources.reasons == Reason.JUMP)
    rows, small = on_jump.rows, on_jump.kinds == Outcome.DECIDED
    beside = _look_beside(inspection, rows)
    # the last that is put counts
    table.put(in_doubles.worn)
    table.put(sources.where(sources.kinds == Outcome.STEEP))
    table.put(undecided(inspection))
    table.digits[rows[small]] = beside.digits[small]  # and what the jump costs
    table.put(on_jump.where(small))
    table.put(following(inspection))
    table.put(sources.where(sources.kinds == Outcome.NO_DIGIT))
    drowned[rows[beside.digits >= DOUBLE_DIGITS]] = True
    table.set(np.flatnonzero(drowned), Outcome.NO_DIGIT, root, Reason.FIRST_ORDER)
    jumps_by = np.where(moves_of(inspection).reached[rows], on_jump.digits, 0.0)
    guarded = beside.is_continuous & (jumps_by <= beside.digits + A_DIGIT)
    guarded &= beside.digits < DOUBLE_DIGITS
    # these only seemed to lie on a jump
    table.set(rows[guarded], Outcome.FINITE, root, Reason.FIRST_ORDER)
    table.digits[rows[guarded]] = beside.digits[guarded]
    _put_without_value(inspection, table)
    nowhere, gone = amplification.first_invalid_node, in_doubles.lost
    # or out of range at least
    table.put(gone.where((nowhere[gone.rows] < 0) | (in_doubles.held != Held.UNKNOWN)))
    unknown = np.array([*indistinct_rows(inspection)], dtype=np.int64)
    table.set(unknown, Outcome.UNKNOWN, nowhere[unknown], Reason.INDISTINCT)
    unsettled = amplification.unsettled
    table.set(unsettled, Outcome.NOT_CHECKED, nowhere[unsettled], Reason.LIMIT)
    return table.frozen()


_Some = Rows | int
"""An array, or the one of all."""


class _Table:
    def __init__(self, count: int, root: int, digits: Array) -> None:
        self.kinds = np.full(count, Outcome.FINITE, dtype=np.int64)
        self.nodes = np.full(count, root)
        self.reasons = np.full(count, Reason.FIRST_ORDER, dtype=np.int64)
        self.digits = digits

    def put(self, blamed: Blamed) -> None:
        """The outcome of rows; its digits count where they are more."""
        rows = blamed.rows
        self.set(rows, blamed.kinds, blamed.nodes, blamed.reasons)
        self.digits[rows] = np.minimum(np.fmax(self.digits[rows], blamed.digits), DOUBLE_DIGITS)

    def set(self, rows: Rows, kinds: _Some, nodes: _Some, reasons: _Some) -> None:
        self.kinds[rows], self.nodes[rows], self.reasons[rows] = kinds, nodes, reasons

    def frozen(self) -> Outcomes:
        self.digits[np.isin(self.kinds, _WHOLE)] = DOUBLE_DIGITS
        self.digits[self.kinds <= Outcome.UNKNOWN] = math.nan
        for array in (self.kinds, self.nodes, self.reasons, self.digits):
            array.setflags(write=False)
        return Outcomes(self.kinds, self.nodes, self.reasons, self.digits)


_WHOLE = (Outcome.NO_DOUBLE, Outcome.NO_DIGIT, Outcome.STEEP)
"""Outcomes that leave no digit."""


class _Beside(NamedTuple):
    """What is true on both sides of rows that lie on a jump or threshold; shape (m,) each."""

    digits: Array  # The sensitivity there; nan where it is not known
    is_continuous: np.ndarray  # The value comes from both sides: a guard gives the limit


def _look_beside(inspection: Inspection, rows: Rows) -> _Beside:
    if not len(rows):
        return _Beside(np.empty(0), np.empty(0, dtype=bool))
    y, _ = inspection.amplification.trace(inspection.formula.root.id)
    digits, is_continuous = np.zeros(len(rows)), np.ones(len(rows), dtype=bool)
    for side in (BESIDE, -BESIDE):
        near, s = _moved_inputs(inspection, rows, side)
        far, _ = _moved_inputs(inspection, rows, 2 * side)
        with np.errstate(all="ignore"):
            digits = np.maximum(digits, np.where(np.isfinite(s), np.log10(s), math.nan))
            moves = np.abs(far - near) + UNIT_ROUNDOFF * s * np.abs(near)
            is_continuous &= np.abs(near - y[rows]) <= SMOOTH * moves
    return _Beside(digits, is_continuous)


def _moved_inputs(inspection: Inspection, rows: Rows, by: float) -> tuple[Array, Array]:
    """The result and its s where all inputs are moved by so much of their size."""
    formula, source = inspection.formula, inspection.samples
    columns = {}
    for place, name in enumerate(formula.variables):
        x = source.columns[name][rows]
        part = by / (1 + 0.618 * place)  # no two alike, for they may be compared
        columns[name] = x + part * np.where(x == 0, np.max(np.abs(source.columns[name])), x)
    moved = amplify(formula, Samples.from_columns(columns, count=len(rows)), recheck=False)
    return moved.trace(formula.root.id)


def _put_without_value(inspection: Inspection, table: _Table) -> None:
    """Rows without a real value, and those whose value no arithmetic here holds."""
    amplification = inspection.amplification
    at = amplification.first_invalid_node
    for node in np.unique(at[at >= 0]).tolist():
        rows = np.flatnonzero(at == node)
        step = amplification.tape.steps[amplification.tape.slots[node]]
        reasons = _reasons_without_value(inspection, step, rows)
        outside = reasons == Reason.DOMAIN
        table.set(rows[outside], Outcome.NO_REAL_VALUE, node, Reason.DOMAIN)
        table.set(rows[~outside], Outcome.UNKNOWN, node, reasons[~outside])


def _reasons_without_value(inspection: Inspection, step: Step, rows: Rows) -> Rows:
    """The reason, of `DOMAIN`, `UNREDUCED` and `LEAVES`, why rows have no value at their step."""
    reasons = np.full(len(rows), Reason.DOMAIN, dtype=np.int64)
    row = step.row
    if row is None:
        return reasons
    amplification = inspection.amplification
    exact = amplification.exact
    settled = np.isin(rows, exact.rows)
    if not (row.has_gaps or row.power or row.words.invalid or row.period):
        reasons[:] = Reason.LEAVES
        return reasons
    if not settled.any():
        return reasons
    y, _ = exact.columns(rows[settled])
    operands = list(y[[*step.operands]])
    with np.errstate(all="ignore"):
        value = np.asarray(row.evaluate(operands, step.parameter), dtype=np.float64)
        small, large = value == 0, np.isinf(value)
        if row.vanishes is None:
            small[:] = False
        else:
            small &= np.logical_not(row.vanishes(NUMPY, operands, step.parameter))
        if row.pole is not None:
            large &= np.logical_not(row.pole(NUMPY, operands, step.parameter))
    if row.period or row.multiples:
        unreduced = np.isinf(operands[0])
        if row.multiples:  # else the divisor is 0, and not one that underflows
            columns = {
                name: column[rows[settled]] for name, column in inspection.samples.columns.items()
            }
            wide = extended.evaluate(amplification.tape, columns, int(np.count_nonzero(settled)))
            divisors = wide.values[step.operands[1]]
            unreduced = (operands[1] != 0) | divisors.lost
        reasons[settled] = np.where(unreduced, Reason.UNREDUCED, Reason.DOMAIN)
    else:
        reasons[settled] = np.where(small | large, Reason.LEAVES, Reason.DOMAIN)
    return reasons
