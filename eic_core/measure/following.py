"""The result's move with a step below it that keeps no digit, found by moving that step.

Amplification is of first order: infinite where a step jumps, or is 0 and moves. The steps above
may be finite although the result follows (``sqrt((x - a)**2 + (y - b)**2)`` of two equal points),
or the result may move by little (``1000000 + floor(x)``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from eic_core.engine.branches import plain_values
from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.forward import evaluate
from eic_core.engine.tape import UNIT_ROUNDOFF, Step
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.jumps import relative_error
from eic_core.operators.wide import Array

Rows = npt.NDArray[np.int64]

MOVE = 4 * UNIT_ROUNDOFF
"""By so much of their size operands are moved at most, up and down."""

MOVES = (MOVE, -MOVE, 0.3 * MOVE, -0.4 * MOVE)
PARTS = (0.83, 0.71, 0.57, 0.43, 0.29)
"""Of what turns many times on the way, no one move tells; between are parts of what it does."""

FROM_ZERO = 1e-300
"""What a 0 is moved to, times a move: to its other side."""

BEYOND = 100.0
"""The result follows where it moves by more than so many roundings times its own amplification."""

MOST_TURNING = 500
"""Samples of a conditional that are looked at one by one."""

WRONG = 0.1
"""A result that moves by so much of its size keeps no digit."""


@dataclass(frozen=True)
class Following:
    # Samples at which it follows such a step, though its own amplification is finite
    rows: Rows = field(repr=False)
    # shape (N,): At every sample how far it moves, in units of its exact value, 2 at most; 0 where
    # no step loses every digit
    moved: Array = field(repr=False)
    # shape (N,): Where such a step, moved, had another value with which the result has one: there
    # `moved` says how far, be it not at all. A result that stays 0 tells nothing.
    reached: npt.NDArray[np.bool_] = field(repr=False)
    # shape (N,): `moved` by each of these steps alone
    by_step: Mapping[int, Array] = field(repr=False)

    @property
    def nodes(self) -> Rows:
        """The step that it follows most at each of `rows`."""
        steps = np.array([*self.by_step], dtype=np.int64)
        if not len(self.rows):
            return self.rows
        moved = np.array([*self.by_step.values()])[:, self.rows]
        return np.asarray(steps[np.argmax(moved, axis=0)])


@cached_on_inspection
def following(inspection: Inspection) -> Following:
    """The result's moves where a step keeps no digit.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0], "y": [5.0, 2.0, 4.0]})
    >>> result = following(inspect(read("sqrt((x-1)**2 + (y-5)**2)").formula, samples))
    >>> result.rows.tolist(), result.nodes.tolist(), result.moved.tolist()
    ([0], [2], [2.0, 0.0, 0.0])
    """
    amplification, count = inspection.amplification, len(inspection.samples)
    tape, valid = amplification.tape, amplification.valid
    root_y, root_s = amplification.trace(inspection.formula.root.id)
    moved, reached = np.zeros(count), np.zeros(count, dtype=bool)
    by_step: dict[int, Array] = {}
    follows = np.zeros(count, dtype=bool)
    for step in tape.steps:
        if step.row is None or not inspection.nodes[step.node].singular:
            continue
        rows = _made_here(inspection, step, valid)
        if not len(rows):
            continue
        far, is_reached = _moved_with(inspection, step, rows, root_y)
        moved[rows] = np.fmax(moved[rows], far)
        by_step[step.node] = np.zeros(count)
        by_step[step.node][rows] = far
        reached[rows] |= is_reached & ((far > 0) | (root_y[rows] != 0))
        with np.errstate(invalid="ignore"):
            beyond = far > np.minimum(WRONG, BEYOND * UNIT_ROUNDOFF * root_s[rows])
        jumps = step.row.jumps or not step.row.numeric
        beyond &= np.isfinite(root_s[rows]) & ((far >= WRONG) | jumps)
        follows[rows[beyond]] = True
    return Following(np.flatnonzero(follows), moved, reached, by_step)


def _made_here(inspection: Inspection, step: Step, valid: npt.NDArray[np.bool_]) -> Rows:
    amplification = inspection.amplification
    lost = np.isinf(amplification.trace(step.node)[1]) & valid
    lost &= amplification.evaluated(step.node)
    turning = _turning(inspection, step, lost)
    for operand in step.operands:
        below = amplification.tape.steps[operand]
        if below.row is not None and inspection.nodes[below.node].singular:
            lost &= ~np.isinf(amplification.trace(below.node)[1])
    return np.union1d(np.flatnonzero(lost), turning)


def _turning(inspection: Inspection, step: Step, lost: npt.NDArray[np.bool_]) -> Rows:
    """The samples of `lost` at which a condition turns (a conditional: `MOST_TURNING` at most)."""
    if step.row is not None and step.row.compares:
        return np.flatnonzero(lost)
    if step.row is None or not step.row.chooses:
        return np.empty(0, dtype=np.int64)
    tape, samples = inspection.amplification.tape, inspection.samples
    evaluator, turning = ExactEvaluator(tape), []
    for row in np.flatnonzero(lost)[:MOST_TURNING].tolist():
        sample = evaluator.sample({name: samples.decimal(name, row) for name in tape.variables})
        if len(sample.y) > step.slot and math.isinf(sample.contributions[step.slot][0]):
            turning.append(row)
    return np.array(turning, dtype=np.int64)


def _moved_with(
    inspection: Inspection, step: Step, rows: Rows, root_y: Array
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """The result's move with a step, in units of its exact value (at most 2), and where."""
    amplification = inspection.amplification
    some, tape = inspection.samples.take(rows), amplification.tape
    y = amplification.trace(step.node)[0][rows]
    if step.row is not None and step.row.chooses:  # of the branch that is not taken, too
        every = plain_values(tape, some.columns, len(rows))
        operands = [every[i] for i in step.operands]
    else:
        operands = [amplification.trace(tape.steps[i].node)[0][rows] for i in step.operands]

    def result(value: Array) -> Array:
        root_values = plain_values(tape, some.columns, len(rows), {step.slot: value})[-1]
        return np.asarray(root_values, dtype=np.float64)

    as_it_is = result(y)
    as_it_is = np.where(root_y[rows] == 0, 0.0, as_it_is)  # not what rounding leaves of it
    far, reached = np.zeros(len(rows)), np.zeros(len(rows), dtype=bool)
    for value in _other_values(step, operands, y):
        moved = result(value)
        other = relative_error(moved, as_it_is)
        # where it has no value, it keeps its digits
        has_result = np.isfinite(value) & ~np.isnan(moved)
        far = np.fmax(far, np.where(has_result, np.minimum(other, 2.0), 0.0))
        reached |= has_result & (value != y)
    return far, reached


def _other_values(step: Step, operands: list[Array], y: Array) -> Iterator[Array]:
    row = step.row
    assert row is not None
    if row.chooses:
        with np.errstate(invalid="ignore"):  # doubles may miss the branch taken by a rounding
            first = np.abs(y - operands[1]) <= np.abs(y - operands[2])
        yield np.where(first | np.isnan(operands[2]), operands[2], operands[1])
    elif row.truth:
        yield 1.0 - y
    else:
        for place, operand in enumerate(operands):
            for by in MOVES:
                with np.errstate(all="ignore"):
                    other = np.where(operand == 0, by * FROM_ZERO, operand * (1 + by))
                    moved = [*operands[:place], other, *operands[place + 1 :]]
                    value = np.asarray(evaluate(step, moved))
                    one = np.maximum(1.0, np.spacing(np.abs(y)))  # to the next step, or double
                    yield np.clip(value, y - one, y + one) if row.steps else value
                    if by == MOVE and not row.jumps and not row.steps:
                        yield from [y + part * (value - y) for part in PARTS]
