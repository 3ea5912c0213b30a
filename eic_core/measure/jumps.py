"""At which samples a rounding decides the result's value: a jump lies within the noise.

``floor``, ``sign`` and a condition carry no noise of their own operand: between two jumps they are
flat, so that s says nothing of an operand without a digit.  But where the noise of the operand
reaches to the jump, s u |x| and more, a rounding decides on which side the value lies.  Here each
such step is given the value of either side, all else as it is: the result is computed with both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from eic_core.engine.branches import plain_values
from eic_core.engine.tape import UNIT_ROUNDOFF, Step
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array

Rows = npt.NDArray[np.int64]

FAR = 100.0
"""A result is decided by a rounding where its two values differ by more than so many times what its
own amplification says: by two digits."""


@dataclass(frozen=True)
class Jump(Plain):
    """A step of which a rounding decides the value, and by it the result's.

    Attributes
    ----------
    node : int
    count : int
        Samples at which that happens.
    digits : float
        At the worst of them, the digits that the result loses by it: log10 of the relative distance
        of its two values in units of roundoff; inf where they differ in size or sign.
    """

    node: int
    count: int
    digits: float

    JSON = ("node", "count", "digits")


@dataclass(frozen=True)
class Undecided(Plain):
    """The samples at which a rounding decides the value of the result.

    Attributes
    ----------
    valid : int
        All valid samples.
    rows : ndarray of int
        Those at which it does.
    jumps : tuple of Jump
        Where, those that cost most digits first; of several copies of a step the first.
    """

    valid: int
    rows: Rows = field(repr=False)
    jumps: tuple[Jump, ...]

    JSON = (("samples", lambda found: found.count), "valid", "jumps")

    @property
    def count(self) -> int:
        """At how many samples."""
        return len(self.rows)


def undecided(inspection: Inspection) -> Undecided:
    """Find the samples at which a rounding decides the value of the result.

    A step is decided by a rounding where its value differs between operand - s u |operand| and
    operand + s u |operand|; a comparison, where its sides differ by no more than their noise.  Data
    and constants are as they are given, and carry none here.  A sample that lies exactly on a jump
    is singular and not counted (ADR 0001, ADR 0015).  It is done once and kept for as long as the
    inspection lives.

    Parameters
    ----------
    inspection : Inspection

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.3, 7.0]})
    >>> found = undecided(inspect(read("sign((x + 1e16) - 1e16 - 2)").formula, samples))
    >>> found.rows.tolist(), found.jumps  # x + 1e16 is wrong by about 1
    ([0], (Jump(node=7, count=1, digits=inf),))
    """
    known = _FOUND.get(inspection)
    if known is None:
        known = _FOUND[inspection] = _find(inspection)
    return known


_FOUND: WeakKeyDictionary[Inspection, Undecided] = WeakKeyDictionary()


def _find(inspection: Inspection) -> Undecided:
    amplification = inspection.amplification
    tape, valid = amplification.tape, amplification.valid
    found = np.zeros(len(valid), dtype=bool)
    jumps: list[Jump] = []
    with np.errstate(all="ignore"):
        for step in tape.steps:
            if step.row is None or not (step.row.jumps or step.row.compares):
                continue
            rows, lost = _decided_by(step, inspection)
            found[rows] = True
            if len(rows):
                jumps.append(Jump(step.node, len(rows), float(np.max(lost))))
    jumps.sort(key=lambda jump: (-jump.digits, -jump.count, jump.node))
    return Undecided(int(np.count_nonzero(valid)), np.flatnonzero(found), tuple(jumps))


def _decided_by(step: Step, inspection: Inspection) -> tuple[Rows, Array]:
    """The samples at which the noise of a step's operands decides the result; digits lost by it."""
    amplification = inspection.amplification
    one, other = _values_of_either_side(step, inspection)
    _, s = amplification.trace(inspection.formula.root.id)
    reached = (one != other) & ~np.isnan(one) & ~np.isnan(other)
    rows = np.flatnonzero(amplification.evaluated(step.node) & np.isfinite(s) & reached)
    if not len(rows):
        return rows, s[rows]
    tape, columns = amplification.tape, inspection.samples.take(rows).columns
    results = [
        plain_values(tape, columns, len(rows), {step.slot: side[rows]})[-1]
        for side in (one, other)
    ]
    moved = np.where(results[0] == results[1], 0.0, np.abs(results[0] - results[1]))
    relative = moved / np.maximum(*np.abs(results))
    jumps = relative > FAR * UNIT_ROUNDOFF * s[rows]
    relative = relative[jumps]
    return rows[jumps], np.where(relative < 1, np.log10(relative / UNIT_ROUNDOFF), np.inf)


def _values_of_either_side(step: Step, inspection: Inspection) -> tuple[Array, Array]:
    """A step's value at either end of its operands' noise; a truth is both where that reaches."""
    operands = inspection.formula.nodes[step.node].children
    values = [inspection.amplification.trace(i)[0] for i in operands]
    noises = [_noise(inspection, i) for i in operands]
    row = step.row
    assert row is not None
    if row.compares:
        noise = np.hypot(*noises)
        near = (np.abs(values[0] - values[1]) <= noise) & (noise > 0)
        if step.operands[0] == step.operands[1]:
            near = np.zeros_like(near)
        return np.zeros(near.shape), near.astype(float)
    one, other = (
        np.asarray(row.evaluate([first, *values[1:]], step.parameter))
        for first in (values[0] - noises[0], values[0] + noises[0])
    )
    return one, other


def _noise(inspection: Inspection, node_id: int) -> Array:
    """s u |y|, one standard deviation; data and constants are as they are given."""
    y, s = inspection.amplification.trace(node_id)
    if not inspection.formula.nodes[node_id].children:
        return np.zeros_like(y)
    return np.asarray(s * UNIT_ROUNDOFF * np.abs(y))
