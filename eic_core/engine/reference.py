"""Values and amplifications by NumPy (Algorithm 1): the reference in double precision.

It serves operators added at run time, conditions, and machines without the native engine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from eic_core.engine import doubt
from eic_core.engine.branches import near
from eic_core.engine.forward import forward
from eic_core.engine.native.library import DOUBT, HIGH, INVALID, LOW, PRECISION
from eic_core.engine.tape import (
    RECHECK_S2,
    SMALLEST_NORMAL,
    Step,
    Tape,
    is_shortest,
    leaf_in_range,
)
from eic_core.engine.walk import Arithmetic, Through, Walk, deviations, walk
from eic_core.engine.walked import RANGE, Walked
from eic_core.operators import NUMPY, Operator

Settled = Mapping[int, tuple[float | np.ndarray, Through]]
"""For each slot of a step that is known, its value and what comes through it."""

NOTHING_SETTLED: Settled = MappingProxyType({})


def evaluate_block(
    tape: Tape,
    columns: Mapping[str, np.ndarray],
    rows: int,
    settled: Settled = NOTHING_SETTLED,
    *,
    shortest: bool = False,
    recheck_s2: float = RECHECK_S2,
) -> Walked:
    """Evaluate a tape at `rows` samples, 1 or more, by the full definition.

    - `settled`: steps whose value and noise stand. Doubt is judged as if they were leaves: their
      noise, however large, is known exactly, and doubles do for what it adds above.
    - `shortest`: whether every cell is the shortest decimal of its double, so that a 0 of their
      difference is one.
    - `recheck_s2`: the s^2 above which a sample is `PRECISION`; at most the default.
    """

    def leaf(step: Step) -> Any:
        return columns[step.column] if step.column else np.full(rows, step.value)

    def apply(step: Step, a: list[Any]) -> Any:
        assert step.row is not None
        if step.slot in settled:
            return np.full(rows, settled[step.slot][0])
        return np.asarray(step.row.evaluate(a, step.parameter))

    with np.errstate(all="ignore"):
        y = forward(tape, leaf, apply)
        noise = {slot: through for slot, (_, through) in settled.items()}
        walked = _walk(tape, y, rows, noise, shortest)
        if settled:
            as_leaves = {slot: Through(1.0, (0.0,) * len(t.terms)) for slot, t in noise.items()}
            walked.status = _walk(tape, y, rows, as_leaves, shortest).status
    if recheck_s2 < RECHECK_S2:
        reached = (walked.dead < 0) | (np.arange(len(tape))[:, None] < walked.dead)
        coarse = (walked.s2 > recheck_s2) & (walked.s2 <= RECHECK_S2) & reached
        coarse &= True if walked.active is None else walked.active
        walked.status[coarse.any(axis=0) & ((walked.status & RANGE) == 0)] |= PRECISION
    return walked


def _walk(
    tape: Tape, y: list[Any], rows: int, settled: Mapping[int, Through], shortest: bool
) -> Walked:
    walked = Walked.of_values(tape, rows, y)
    walked.add_noise(tape, walk(tape, Doubles(tape, walked, settled, shortest), y, settled))
    status = walked.status
    status[(status & HIGH) != 0] &= ~LOW
    status[(status & RANGE) != 0] &= ~PRECISION
    status[walked.dead >= 0] |= INVALID
    return walked


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
    """Arrays of doubles; what they cannot tell of a sample is noted in its status."""

    notes = True

    def __init__(
        self, tape: Tape, walked: Walked, settled: Mapping[int, Through], shortest: bool = False
    ) -> None:
        self.tape, self.walked, self.settled, self.shortest = tape, walked, settled, shortest
        self.one = np.ones(len(walked.dead))
        self._real: list[Any] = []  # where the slot and all that it needs have a value

    def agree(self, step: Step, a: list[Any]) -> Any:
        real = [self._real[i] for i in step.operands]
        return real[1] & real[2] & (a[1] == a[2])

    def note(self, step: Step, a: list[Any], done: Walk, kappas: Any) -> None:
        row, y = step.row, done.y[step.slot]
        if self.tape.chooses:
            self._real.append(self._is_real(step, a, y))
        if step.slot in self.settled:
            return
        active = self.walked.active_at(step.slot)
        if row is None:
            self._note_leaf(step, y, active)
            return
        self._note_trouble(step, row, a, y, active)
        self._mark(DOUBT, active & self._doubt(step, row, a, done, kappas))
        if row.numeric:
            lost = keeps_too_few(self.tape, step, y, done.s2[-1], shortest=self.shortest)
            self._mark(PRECISION, lost & (self.walked.dead < 0) & active)

    def _mark(self, bit: int, where: Any) -> None:
        np.bitwise_or(self.walked.status, bit, out=self.walked.status, where=where)

    def _end(self, step: Step, where: Any) -> None:
        """Note that samples have no real value here; after an overflow nan means nothing."""
        self.walked.end(step.slot, where & ((self.walked.status & HIGH) == 0))

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

    def _note_trouble(self, step: Step, row: Operator, a: list[Any], y: Any, active: Any) -> None:
        """Mark the samples at which this step has no real value or leaves double range.

        A nan or a pole is *outside* the domain: the sample is invalid, unless a value has
        overflowed before it. An inf of finite operands has *left the range*. So it is where a value
        is subnormal, or 0 though the true value is not (`Operator.vanishes`).
        """
        finite = np.logical_and.reduce([np.isfinite(operand) for operand in a])
        bad = ~np.isfinite(y) & active
        if bad.any():
            outside = bad & np.isnan(y)
            if row.pole is not None:
                outside |= bad & row.pole(NUMPY, a, step.parameter)
            self._mark(HIGH, bad & ~outside & finite)
            self._end(step, outside)
        small = (np.abs(y) < SMALLEST_NORMAL) & active
        if small.any():
            true_zero = y == 0
            if row.vanishes is not None:
                true_zero &= row.vanishes(NUMPY, a, step.parameter)
            self._mark(LOW, small & ~true_zero & finite)

    def _note_leaf(self, step: Step, y: Any, active: Any) -> None:
        if not step.label:
            self._mark(LOW, (np.abs(y) < SMALLEST_NORMAL) & (y != 0) & active)
        elif math.isnan(step.value):  # outside the domain
            self._end(step, active)
        elif not leaf_in_range(step.label, step.value):
            self._mark(HIGH if math.isinf(step.value) else LOW, active)
