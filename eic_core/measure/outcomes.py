"""What becomes of each row: one outcome, the step and the reason, and the digits it costs.

The detectors (balls, double range, jumps, following, infinity) each see some rows; here alone it is
decided what is true of a row of which several speak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from eic_core.engine import extended
from eic_core.engine.amplify import amplify
from eic_core.engine.tape import UNIT_ROUNDOFF, Step
from eic_core.measure.double_range import Held, double_range, indistinct_rows
from eic_core.measure.following import WRONG, following
from eic_core.measure.infinity import JUMPS, STEEP, sources_of_infinity
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.jumps import digits_of_errors, undecided
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from eic_core.operators import NUMPY, OPERATORS
from eic_core.operators.wide import Array
from eic_core.samples import Samples

Rows = npt.NDArray[np.int64]

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
    def real(self) -> npt.NDArray[np.bool_]:
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
    root = inspection.formula.root.id
    _, s = inspection.amplification.trace(root)
    with np.errstate(invalid="ignore"):
        digits = np.minimum(np.log10(s), DOUBLE_DIGITS)
    drowned = np.isfinite(s) & (digits >= DOUBLE_DIGITS)
    table = _Table(len(s), root, digits)
    in_doubles, decided, moving = (
        double_range(inspection),
        undecided(inspection),
        following(inspection),
    )
    sources = sources_of_infinity(inspection)
    # the last that is put counts
    worn = in_doubles.worn
    why = np.where(worn.overflows, Reason.OVERFLOW, Reason.UNDERFLOW)
    table.put(worn, Outcome.RANGE_LOSS, why, worn.digits)
    table.put(sources, Outcome.STEEP, Reason.SLOPE, where=sources.kinds == STEEP)
    turned = np.where(decided.by_range, Reason.RANGE, Reason.ROUNDING)
    table.put(decided, Outcome.DECIDED, turned, decided.digits)
    on_jump = sources.kinds == JUMPS
    rows = sources.rows[on_jump]
    moved = np.array(
        [
            moving.by_step.get(node, moving.moved)[row]
            for node, row in zip(sources.nodes.tolist(), sources.rows.tolist(), strict=True)
        ]
    )
    costs = digits_of_errors(moved)
    small = on_jump & moving.reached[sources.rows] & (moved < WRONG)
    beside = _look_beside(inspection, rows)
    table.digits[sources.rows[small]] = beside.digits[small[on_jump]]  # and what the jump costs
    table.put(sources, Outcome.DECIDED, Reason.JUMP, costs, small)
    jumps = np.isin(moving.nodes, _jumping(inspection))
    follows = digits_of_errors(moving.moved[moving.rows])
    table.put(moving, Outcome.FOLLOWS, np.where(jumps, Reason.JUMP, Reason.ZERO), follows)
    why = np.where(on_jump, Reason.JUMP, Reason.ZERO)
    table.put(sources, Outcome.NO_DIGIT, why, where=(sources.kinds != STEEP) & ~small)
    drowned[rows[beside.digits >= DOUBLE_DIGITS]] = True
    at = np.flatnonzero(drowned)
    table.set(at, Outcome.NO_DIGIT, root, Reason.FIRST_ORDER, DOUBLE_DIGITS)
    jumps_by = np.where(moving.reached[rows], costs[on_jump], 0.0)
    guarded = beside.is_continuous & (jumps_by <= beside.digits + A_DIGIT)
    guarded &= beside.digits < DOUBLE_DIGITS
    # these only seemed to lie on a jump
    table.set(rows[guarded], Outcome.FINITE, root, Reason.FIRST_ORDER, beside.digits[guarded])
    _put_without_value(inspection, table)
    unknown = np.array([*indistinct_rows(inspection)], dtype=np.int64)
    nowhere = inspection.amplification.first_invalid_node
    gone = in_doubles.lost
    is_out = (nowhere[gone.rows] < 0) | (gone.held != Held.UNKNOWN)  # or out of range at least
    table.put(gone, Outcome.NO_DOUBLE, gone.reasons, where=is_out)
    table.set(unknown, Outcome.UNKNOWN, nowhere[unknown], Reason.INDISTINCT)
    unsettled = inspection.amplification.unsettled
    table.set(unsettled, Outcome.NOT_CHECKED, nowhere[unsettled], Reason.LIMIT)
    return table.frozen()


class _Noted(Protocol):
    @property
    def rows(self) -> Rows: ...
    @property
    def nodes(self) -> Rows: ...


class _Table:
    def __init__(self, count: int, root: int, digits: Array) -> None:
        self.kinds = np.full(count, Outcome.FINITE, dtype=np.int64)
        self.nodes = np.full(count, root)
        self.reasons = np.full(count, Reason.FIRST_ORDER, dtype=np.int64)
        self.digits = digits

    def put(
        self,
        at: _Noted,
        kind: Outcome,
        reasons: Rows | Reason,
        digits: Array | None = None,
        where: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """An outcome of rows with their steps; its `digits`, by default all, count where more."""
        part = np.ones(len(at.rows), dtype=bool) if where is None else where
        rows = at.rows[part]
        costs = DOUBLE_DIGITS if digits is None else np.fmax(self.digits[rows], digits[part])
        why = np.broadcast_to(reasons, part.shape)[part]
        self.set(rows, kind, at.nodes[part], why, np.minimum(costs, DOUBLE_DIGITS))

    def set(
        self,
        rows: Rows,
        kind: Outcome,
        nodes: Rows | int,
        reasons: Rows | Reason,
        digits: Array | float = math.nan,
    ) -> None:
        self.kinds[rows], self.nodes[rows] = kind, nodes
        self.reasons[rows], self.digits[rows] = reasons, digits

    def frozen(self) -> Outcomes:
        for array in (self.kinds, self.nodes, self.reasons, self.digits):
            array.setflags(write=False)
        return Outcomes(self.kinds, self.nodes, self.reasons, self.digits)


def _jumping(inspection: Inspection) -> list[int]:
    rows = [(n.id, OPERATORS[n.operator]) for n in inspection.formula.nodes if n.children]
    return [k for k, row in rows if row.jumps or not row.numeric]


class _Beside(NamedTuple):
    """What is true on both sides of rows that lie on a jump or threshold; shape (m,) each."""

    digits: Array  # The sensitivity there; nan where it is not known
    is_continuous: npt.NDArray[np.bool_]  # The value comes from both sides: a guard gives the limit


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
