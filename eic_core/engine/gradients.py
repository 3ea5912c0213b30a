"""Derivatives of a formula's value with respect to its constants, by one reverse sweep.

It is the recursion of `eic_core.engine.adjoint` in its absolute mode alone: A_r = 1 at the root,
A_i = sum over the nodes k above of A_k de_k/dy_i, and A_c at a constant leaf c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.branches import active_slots
from eic_core.engine.tape import Tape
from eic_core.formula.tree import UNDEFINED
from eic_core.operators import NUMPY
from eic_core.operators.wide import Array
from eic_core.samples import Samples

MOST_ROWS = 16_384
NUMBERS_HELD = 2**20
"""Rows of a block times slots, at most, so that memory does not grow with the data."""


class Gradients(NamedTuple):
    values: Array  # shape (N,): nan where a node has no real value
    jacobian: Array  # shape (N, C): A column for each constant
    slots: tuple[int, ...]  # The constants' places on the tape, ascending
    labels: tuple[str, ...]  # Their texts


def gradients(tape: Tape, samples: Samples, root: int | None = None) -> Gradients:
    """The derivative of a tape's root with respect to every constant leaf, at every sample.

    Parameters
    ----------
    tape
        Constants that share a slot move together; ``lay_out(formula, share=False)`` gives each
        place in the tree its own derivative.
    samples
        With a column for each variable of the tape.
    root
        A slot; by default the root of the last formula on the tape.

    Returns
    -------
    Gradients
        `jacobian` is nan where `values` is.

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    Exact exponents, root indices and bases belong to their operators and are no leaves. Of a
    conditional only the branch taken counts; so it is at a kink: of ``abs`` at 0 the operand
    itself, of ``min`` and ``max`` at a tie the first operand attained. ``hypot(0, 0)`` counts 1
    for each operand. A vertical tangent (``sqrt`` at 0) and a jump give an infinity, a factor of 0
    beside one nan. All is double precision.

    Examples
    --------
    >>> from eic_core.engine.tape import lay_out
    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("2*exp(-3*x) + 5").formula)
    >>> found = gradients(tape, Samples.from_columns({"x": [0.0, 1.0]}))
    >>> found.labels, found.values.round(3).tolist()
    (('2', '-3', '5'), [7.0, 5.1])
    >>> found.jacobian.round(3).tolist()  # exp(-3x), 2x exp(-3x), 1
    [[1.0, 0.0, 1.0], [0.05, 0.1, 1.0]]
    """
    root = tape.roots[-1] if root is None else root
    members = tape.members(root)
    sweep = _Sweep(tape, root, members)
    samples.require([step.column for step in sweep.steps if step.column])
    constants = [step for step in sweep.steps if step.label]
    total = len(samples)
    values, jacobian = np.empty(total), np.zeros((total, len(constants)))
    rows = max(64, min(total, MOST_ROWS, NUMBERS_HELD // len(members)))
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: column[start:stop] for name, column in samples.columns.items()}
        with np.errstate(all="ignore"):
            unreal = sweep.up(columns, stop - start)
            values[start:stop] = np.where(unreal, np.nan, sweep.y[root])
            derivatives = sweep.down()
            for place, step in enumerate(constants):
                jacobian[start:stop, place] = np.where(unreal, np.nan, derivatives[step.slot])
    return Gradients(
        values,
        jacobian,
        tuple([step.slot for step in constants]),
        tuple([step.label for step in constants]),
    )


class _Sweep:
    def __init__(self, tape: Tape, root: int, members: list[int]) -> None:
        self.tape = tape
        self.steps = [tape.steps[slot] for slot in members]
        self.root = root
        self.chooses = any(step.row is not None and step.row.chooses for step in self.steps)
        self.y: dict[int, Array] = {}
        self.moves: dict[int, bool] = {}  # whether a constant stands at or below a slot
        for step in self.steps:
            self.moves[step.slot] = bool(step.label) or any(self.moves[i] for i in step.operands)

    def up(self, columns: Mapping[str, Array], count: int) -> np.ndarray:
        found: dict[int, np.ndarray] = {}
        for step in self.steps:
            if step.row is None:
                y = columns[step.column] if step.column else np.full(count, step.value)
                if step.label == UNDEFINED:
                    found[step.slot] = np.isnan(y)
            else:
                a = [self.y[i] for i in step.operands]
                y = np.asarray(step.row.evaluate(a, step.parameter))
                if not np.isfinite(y).all():
                    bad = np.isnan(y)
                    if step.row.pole is not None:
                        bad = bad | np.isinf(y) & step.row.pole(NUMPY, a, step.parameter)
                    found[step.slot] = bad
            self.y[step.slot] = y
        if found and self.chooses:
            active = active_slots(self.tape, self.y, count, self.root)
            found = {slot: bad & active[slot] for slot, bad in found.items()}
        unreal = np.zeros(count, dtype=bool)
        for bad in found.values():
            unreal |= bad
        return unreal

    def down(self) -> dict[int, Any]:
        arrived: dict[int, Any] = {self.root: 1.0}
        reached: dict[int, Any] = {self.root: True}  # where a way leads there that is taken
        for step in reversed(self.steps):
            if step.row is None or not self.moves[step.slot]:
                continue
            a, y = [self.y[i] for i in step.operands], self.y[step.slot]
            given, way = arrived.pop(step.slot), reached.pop(step.slot)
            attained: list[Any] = [True] * len(a)
            if step.row.selects:
                attained, slopes = _first_attained(a, y), (1.0,) * len(a)
            elif step.row.truth:
                attained, slopes = [False] * len(a), (0.0,) * len(a)
            elif step.row.chooses:
                attained, slopes = [False, a[0] == 1, a[0] == 0], (0.0, 1.0, 1.0)
            else:
                slopes = step.row.partials(NUMPY, a, y, step.parameter)
            for child, slope, is_attained in zip(step.operands, slopes, attained, strict=True):
                if self.moves[child]:
                    part, open_ = given * slope, way & is_attained
                    if open_ is not True:
                        part = np.where(open_, part, 0.0)
                    arrived[child] = arrived.get(child, 0.0) + part
                    reached[child] = reached.get(child, False) | open_
        return arrived


def _first_attained(a: list[Array], y: Array) -> list[np.ndarray]:
    left = np.ones(y.shape, dtype=bool)
    found = []
    for operand in a:
        found.append(left & (operand == y))
        left = left & (operand != y)
    return found
