"""Values and amplifications by NumPy (Algorithm 1): the reference in double precision.

It serves operators added at run time, conditions, and machines without the native engine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eic_core.engine import doubt
from eic_core.engine.branches import active_slots, near
from eic_core.engine.forward import forward
from eic_core.engine.tape import (
    RECHECK_S2,
    SMALLEST_NORMAL,
    Step,
    Tape,
    is_shortest,
    leaf_in_range,
)
from eic_core.engine.walk import Arithmetic, Through, Walk, deviations, walk
from eic_core.operators import NUMPY, Operator

VALID = np.iinfo(np.int64).max
"""In `Block.first_invalid`: no node of this sample is invalid."""

Truths = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass
class Block:
    # shape (m,): Step at which a sample first has no real value, or `VALID`
    first_invalid: np.ndarray
    # shape (m,): Samples where double precision overflowed, underflowed to 0 or lost all but three
    # digits
    suspect: np.ndarray
    # shape (m,): Step at which a suspect sample left the double range upwards, or `VALID`
    overflow_at: np.ndarray
    # shape (m,): Samples at which a rounding decides which rule holds (`doubt`)
    doubtful: np.ndarray
    # shape (m,): Samples at which some value is finite and not zero, but over- or underflows in
    # double
    out_of_range: np.ndarray
    # y, s2: shape (m,): Per slot; s2 is inf where singular and meaningless from the first invalid
    # node on
    y: list[np.ndarray] = field(default_factory=list)
    s2: list[np.ndarray] = field(default_factory=list)
    # Per slot and operand, kappa^2 s_i^2: what came through that edge
    contributions: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    # shape (m,): Per slot, the samples at which it is evaluated (`eic_core.engine.branches`); None
    # where that is all of them, since nothing is chosen
    active: list[Truths] | None = None
    # shape (m,): Per slot, where it is a condition on its threshold
    on_threshold: list[Any] = field(default_factory=list)

    @classmethod
    def empty(cls, rows: int) -> Block:
        never, no = np.full(rows, VALID), np.zeros(rows, dtype=bool)
        return cls(never, no, never.copy(), no.copy(), no.copy())

    def active_at(self, slot: int) -> Any:
        """The samples at which a slot is evaluated; True for all."""
        return True if self.active is None else self.active[slot]


def evaluate_block(
    tape: Tape,
    columns: Mapping[str, np.ndarray],
    rows: int,
    settled: Mapping[int, tuple[float, Through]] | None = None,
    *,
    shortest: bool = False,
) -> Block:
    """Evaluate a tape at `rows` samples, 1 or more, by the full definition.

    The value and what comes through a `settled` step stand. `shortest`: every cell is the shortest
    decimal of its double, so that a 0 of their difference is one.
    """
    settled = settled or {}

    def leaf(step: Step) -> Any:
        return columns[step.column] if step.column else np.full(rows, step.value)

    def apply(step: Step, a: list[Any]) -> Any:
        assert step.row is not None
        if step.slot in settled:
            return np.full(rows, settled[step.slot][0])
        return np.asarray(step.row.evaluate(a, step.parameter))

    with np.errstate(all="ignore"):
        y = forward(tape, leaf, apply)
        block = Block.empty(rows)
        if tape.chooses:
            block.active = active_slots(tape, y, rows)
        through = {
            slot: Through(
                np.full(rows, noise.s2),
                tuple([np.full(rows, t) for t in noise.terms]),
                (),
                None if value else np.full(rows, noise.at_zero or 0.0),
            )
            for slot, (value, noise) in settled.items()
        }
        return _fill(block, tape, y, through, shortest)


def evaluate_constants(tape: Tape) -> Block:
    """The constant steps of a tape as one sample; the others are nan.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> [y.tolist() for y in evaluate_constants(tape_of(read("x*(1 + 2)").formula)).y]
    [[nan], [1.0], [2.0], [3.0], [nan]]
    """
    block = Block.empty(1)
    block.active = [np.array([constant]) for constant in tape.constant]
    with np.errstate(all="ignore"):
        y = forward(
            tape,
            lambda step: np.full(1, step.value),
            lambda step, a: np.asarray(step.row and step.row.evaluate(a, step.parameter)),
        )
        return _fill(block, tape, y, {})


def _fill(
    block: Block,
    tape: Tape,
    y: list[np.ndarray],
    settled: Mapping[int, Through],
    shortest: bool = False,
) -> Block:
    arithmetic = Doubles(tape, block, settled, shortest)
    block.y = y
    done = walk(tape, arithmetic, y, settled)
    rows = len(block.suspect)
    block.s2 = [np.broadcast_to(s2, (rows,)) for s2 in done.s2]
    block.contributions = done.contributions
    block.on_threshold = done.on_threshold
    return block


def surely_zero(tape: Tape, step: Step, *, shortest: bool) -> bool:
    """Whether a 0 of this step is one, as far as those of its operands are.

    A sum of doubles is 0 only where it is exactly 0: of a step and itself, and of leaves whose
    doubles are the numbers meant (`shortest`: those of all cells are). Where kappa is fixed, an
    operand is 0.
    """
    row, below = step.row, [tape.steps[i] for i in step.operands]
    if row is None or row.fixed is None and not row.exact_zeros:
        return False
    if row.fixed is not None:
        return all(s.row is None or s.row.numeric for s in below)
    return below[0] is below[1] or all(
        is_shortest(s.label, s.value) if s.label else shortest and s.row is None for s in below
    )


def keeps_too_few(tape: Tape, step: Step, y: Any, s2: Any, *, shortest: bool) -> Any:
    """Where a step keeps fewer than three digits, so that doubles cannot tell its noise.

    Of a 0 that is surely one they can.
    """
    lost = ~(s2 <= RECHECK_S2)
    if surely_zero(tape, step, shortest=shortest):
        lost &= ~((y == 0) & np.isinf(s2))
    return lost


class Doubles(Arithmetic):
    """Arrays of doubles; what they cannot tell is marked in a block."""

    notes = True

    def __init__(
        self, tape: Tape, block: Block, settled: Mapping[int, Through], shortest: bool = False
    ) -> None:
        self.tape, self.block, self.settled, self.shortest = tape, block, settled, shortest
        self.one = np.ones(len(block.suspect))
        self._real: list[Any] = []  # where the slot and all that it needs have a value

    def agree(self, step: Step, a: list[Any]) -> Any:
        real = [self._real[i] for i in step.operands]
        return real[1] & real[2] & (a[1] == a[2])

    def note(self, step: Step, a: list[Any], done: Walk, kappas: Any) -> None:
        block, row, y = self.block, step.row, done.y[step.slot]
        if self.tape.chooses:
            self._real.append(self._is_real(step, a, y))
        if row is None:
            _note_range_of_leaf(step, y, block)
            return
        if step.slot in self.settled:
            return
        active = block.active_at(step.slot)
        _note_trouble(step, row, a, y, block)
        block.doubtful |= active & self._doubt(step, row, a, done, kappas)
        if row.numeric:
            lost = keeps_too_few(self.tape, step, y, done.s2[-1], shortest=self.shortest)
            block.suspect |= lost & (step.node < block.first_invalid) & active

    def _is_real(self, step: Step, a: list[Any], y: Any) -> Any:
        real = [self._real[i] for i in step.operands]
        if step.row is not None and step.row.chooses:
            real = [real[0], np.where(a[0] == 1, real[1], real[2])]
        is_real = np.isfinite(y)
        for part in real:
            is_real = is_real & part
        return is_real

    def _doubt(self, step: Step, row: Operator, a: list[Any], done: Walk, kappas: Any) -> Any:
        """Where a rounding decides which rule holds."""
        leaves = [self.tape.steps[i].row is None for i in step.operands]
        if row.compares:
            return near(a[0], a[1], deviations(step, self, a, done), leaves)
        if row.chooses:
            on, *real = [self._real[i] for i in step.operands]
            on = done.on_threshold[step.operands[0]] & real[0] & real[1] & (a[1] != a[2])
            return on & near(a[1], a[2], deviations(step, self, a, done)[1:], leaves[1:])
        s2 = [done.s2[i] for i in step.operands]
        doubtful: Any = False
        if row.brink is not None:
            doubtful = doubt.near_brink(NUMPY, row, a, s2, leaves[0])
        if row.selects:
            doubtful = doubtful | doubt.near_tie(
                a, deviations(step, self, a, done), done.y[step.slot], leaves
            )
        if row.waves:
            doubtful = doubtful | doubt.lost_phase(NUMPY, a[0], s2[0], kappas[0])
        return doubtful


def _note_trouble(
    step: Step, row: Operator, a: list[np.ndarray], y: np.ndarray, block: Block
) -> None:
    """Mark the samples at which this step has no real value or leaves double range.

    A nan or a pole is *outside* the domain: the sample is invalid, unless a value has overflowed
    before it. An inf of finite operands has *left the range*: the sample is suspect. So it is
    where a value is subnormal, or 0 though the true value is not (`Operator.vanishes`).
    """
    settled = ~block.suspect & (step.node < block.first_invalid)
    active = block.active_at(step.slot)
    finite = np.logical_and.reduce([np.isfinite(operand) for operand in a])
    bad = ~np.isfinite(y) & active
    if bad.any():
        pole = np.zeros(len(y), dtype=bool)
        if row.pole is not None:
            pole = row.pole(NUMPY, a, step.parameter)
        outside = bad & (np.isnan(y) | pole)
        leaves_range = bad & ~outside & finite
        block.suspect |= leaves_range & settled
        block.out_of_range |= leaves_range
        block.overflow_at[leaves_range & (block.overflow_at == VALID)] = step.node
        # After an overflow nan means nothing; elsewhere it is a domain error.
        certain = outside & (block.overflow_at == VALID)
        block.first_invalid[certain & (step.node < block.first_invalid)] = step.node
    small = (np.abs(y) < SMALLEST_NORMAL) & active
    if small.any():
        true_zero = y == 0
        if row.vanishes is not None:
            true_zero &= row.vanishes(NUMPY, a, step.parameter)
        block.suspect |= small & ~true_zero & settled
        block.out_of_range |= small & ~true_zero & finite


def _note_range_of_leaf(step: Step, y: np.ndarray, block: Block) -> None:
    active = block.active_at(step.slot)
    if not step.label:
        lost = (np.abs(y) < SMALLEST_NORMAL) & (y != 0) & active
    elif math.isnan(step.value):  # outside the domain
        reached = active & (step.node < block.first_invalid) & (block.overflow_at == VALID)
        block.first_invalid[reached] = step.node
        return
    else:
        lost = active & np.full(len(y), not leaf_in_range(step.label, step.value))
        if math.isinf(step.value):
            block.overflow_at[lost & (step.node < block.overflow_at)] = step.node
    block.suspect |= lost
    block.out_of_range |= lost
