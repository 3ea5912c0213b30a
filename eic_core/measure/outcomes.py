"""What becomes of each row: one outcome, the step and the reason, and the digits it costs.

The detectors (balls, `double_range`, `following`) each see some rows; here alone it is
decided what is true of a row of which several speak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.reference import evaluate_block
from eic_core.engine.tape import UNIT_ROUNDOFF
from eic_core.engine.walk import Through
from eic_core.engine.walked import Array, Rows
from eic_core.measure.double_range import Held, double_range
from eic_core.measure.following import following, moves_of, sources_of_infinity, undecided
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from eic_core.measure.runs import Blamed, Runs
from eic_core.operators import NUMPY, Operator
from eic_core.samples import Samples

BESIDE = 1e-9
"""A row on a jump is left by so much of its inputs to see what is true beside it."""

SMOOTH = 10.0
"""A value that does not jump moves by no more than so many times as much as from there on."""

WHOLE = (Outcome.NO_DOUBLE, Outcome.NO_DIGIT, Outcome.STEEP)
"""Outcomes that leave no digit."""

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
    usual = Outcome.FINITE, root, Reason.FIRST_ORDER
    kinds, nodes, reasons = (np.full(len(s), each) for each in usual)
    table = Blamed(np.arange(len(s)), kinds, nodes, reasons, digits)
    in_doubles, sources = double_range(inspection), sources_of_infinity(inspection)
    on_jump = sources.where(sources.reasons == Reason.JUMP)
    rows, small = on_jump.rows, on_jump.kinds == Outcome.DECIDED
    beside, is_continuous = _look_beside(inspection, rows)
    # the last that is put counts
    for each in (in_doubles.worn, undecided(inspection), following(inspection)):
        _put(table, each)
    table.digits[rows[small]] = beside[small]  # and what the jump costs
    _put(table, sources)
    drowned[rows[beside >= DOUBLE_DIGITS]] = True
    none_left = Outcome.NO_DIGIT, root, Reason.FIRST_ORDER
    _put(table, Blamed.of(np.flatnonzero(drowned), *none_left))
    jumps_by = np.where(moves_of(inspection).reached[rows], on_jump.digits, 0.0)
    # these only seemed to lie on a jump
    guarded = is_continuous & (jumps_by <= beside + A_DIGIT) & (beside < DOUBLE_DIGITS)
    table.digits[rows[guarded]] = beside[guarded]
    _put(table, Blamed.of(rows[guarded], *usual))
    _put(table, _without_value(inspection))
    nowhere, gone = amplification.first_invalid_node, in_doubles.lost
    # or out of range at least
    _put(table, gone.where((nowhere[gone.rows] < 0) | (in_doubles.held != Held.UNKNOWN)))
    for kind, at, why in (
        (Outcome.UNKNOWN, amplification.indistinct, Reason.INDISTINCT),
        (Outcome.NOT_CHECKED, amplification.unsettled, Reason.LIMIT),
    ):
        _put(table, Blamed.of(at, kind, nowhere[at], why))
    table.digits[np.isin(table.kinds, WHOLE)] = DOUBLE_DIGITS
    table.digits[table.kinds <= Outcome.UNKNOWN] = math.nan
    for array in (kinds, nodes, reasons, digits):
        array.setflags(write=False)
    return Outcomes(kinds, nodes, reasons, digits)


def _put(table: Blamed, blamed: Blamed) -> None:
    """Write the outcome of some rows; its digits count where they are more."""
    rows = blamed.rows
    table.kinds[rows], table.nodes[rows] = blamed.kinds, blamed.nodes
    table.reasons[rows] = blamed.reasons
    table.digits[rows] = np.minimum(np.fmax(table.digits[rows], blamed.digits), DOUBLE_DIGITS)


def _look_beside(inspection: Inspection, rows: Rows) -> tuple[Array, np.ndarray]:
    """What is true on both sides of rows that lie on a jump or threshold; shape (m,) each.

    The digits there, of sides without a value nothing, nan where they are not known; and whether
    the value comes from both sides: a guard gives the limit.
    """
    digits, is_continuous = np.full(len(rows), math.nan), np.ones(len(rows), dtype=bool)
    if not len(rows):
        return digits, is_continuous
    y, _ = inspection.amplification.trace(inspection.formula.root.id)
    for side in (BESIDE, -BESIDE):
        near, s = _moved_inputs(inspection, rows, side)
        far, _ = _moved_inputs(inspection, rows, 2 * side)
        with np.errstate(all="ignore"):
            digits = np.fmax(digits, np.where(np.isfinite(s), np.log10(s), math.nan))
            moves = np.abs(far - near) + UNIT_ROUNDOFF * s * np.abs(near)
            is_continuous &= (np.abs(near - y[rows]) <= SMOOTH * moves) & np.isfinite(s)
    unknown = np.flatnonzero(np.isnan(digits))
    if len(unknown):
        digits[unknown] = _between_jumps(inspection, rows[unknown])
    return digits, is_continuous


def _between_jumps(inspection: Inspection, rows: Rows) -> Array:
    """The digits lost where no double is between jumps: noise passes a step over large numbers."""
    amplification = inspection.amplification
    tape, columns = amplification.tape, inspection.samples.take(rows).columns
    settled: dict[int, tuple[Array, Through]] = {}
    for step in tape.steps:
        if step.row is not None and step.row.steps:
            y, _ = amplification.trace(step.node)
            below = evaluate_block(tape, columns, len(rows), settled).s2[step.operands[0]]
            term = np.where(np.spacing(np.abs(y[rows])) >= 1, below, 0.0)
            settled[step.slot] = y[rows], Through(1.0 + term, (term,))
    s2 = evaluate_block(tape, columns, len(rows), settled).s2[-1]
    with np.errstate(invalid="ignore"):
        return 0.5 * np.log10(np.where(np.isfinite(s2), s2, math.nan))


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


def _without_value(inspection: Inspection) -> Blamed:
    """Rows without a real value, and those whose value no arithmetic here holds."""
    amplification = inspection.amplification
    at = amplification.first_invalid_node
    reasons = np.full(len(at), Reason.DOMAIN, dtype=np.int64)
    for node in {*at[at >= 0].tolist()}:
        rows = np.flatnonzero(at == node)
        settled = rows[np.isin(rows, amplification.exact.rows)]
        row = amplification.tape.steps[amplification.tape.slots[node]].row
        if row is None:
            continue
        if not (row.has_gaps or row.power or row.words.invalid or row.period):
            reasons[rows] = Reason.LEAVES
        elif len(settled):
            leaves = _leaves_every_range(Runs(inspection, settled), node, row)
            why = Reason.UNREDUCED if row.period or row.multiples else Reason.LEAVES
            reasons[settled[leaves]] = why
    rows = np.flatnonzero(at >= 0)
    kinds = np.where(reasons == Reason.DOMAIN, Outcome.NO_REAL_VALUE, Outcome.UNKNOWN)
    return Blamed.of(rows, kinds[rows], at[rows], reasons[rows])


def _leaves_every_range(runs: Runs, node: int, row: Operator) -> np.ndarray:
    """Where a step has no value because it, or what it needs, leaves every range."""
    step = runs.tape.steps[runs.tape.slots[node]]
    y, _ = runs.amplification.exact.columns(runs.rows)
    operands = list(y[[*step.operands]])
    at = NUMPY, operands, step.parameter
    if row.multiples:  # else the divisor is 0, and not one that underflows
        return np.asarray((operands[1] != 0) | runs.wide.values[step.operands[1]].lost)
    if row.period:
        return np.isinf(operands[0])
    with np.errstate(all="ignore"):
        value = np.asarray(row.evaluate(operands, step.parameter), dtype=np.float64)
        small = row.vanishes is not None and (value == 0) & np.logical_not(row.vanishes(*at))
        large = np.isinf(value) & np.logical_not(row.pole is not None and row.pole(*at))
    return np.asarray(small | large)
