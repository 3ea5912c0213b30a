"""What is special about the rows at which digits are lost: what vanishes, and near which inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.explain import words
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array

Positions = npt.NDArray[np.int64]

NARROW = 0.25
"""An input is told if the rows lie in a range that holds at most this part of the data."""

LUCK = 0.05
"""Nor if so few rows, drawn at random, would lie as close in some input at least this often."""

NEAR = 0.02
"""A range this small beside the whole is a point."""

SMALL = 0.3
"""A crossing is the reason if |y| at the rows is this small beside its typical size."""

MOST = 0.9
"""What the rows near a zero must carry to stand for all of them."""


@dataclass(frozen=True)
class InputRange:
    """Where one input lies at the rows.

    Attributes
    ----------
    name : str
    low, high : float
        Its range over the rows.
    covered : float
        The part of all valid samples that lies in this range, 0 to 1.
    """

    name: str
    low: float
    high: float
    covered: float


@dataclass(frozen=True)
class Place:
    """Where the rows lie.

    Attributes
    ----------
    node_id : int or None
        The node that is nearly zero there; None if there is none.
    crosses : bool
        Whether it is known to take both signs on the data.
    low, high : float
        Range of that node's value over the rows; nan without a node.
    inputs : tuple of InputRange
        The inputs that the rows pick out, the narrowest first.
    sentence : str
    """

    node_id: int | None
    crosses: bool
    low: float
    high: float
    inputs: tuple[InputRange, ...]
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and the sentence."""
        return {
            "node": self.node_id,
            "crosses": self.crosses,
            "low": None if math.isnan(self.low) else self.low,
            "high": None if math.isnan(self.high) else self.high,
            "inputs": [
                {"name": i.name, "low": i.low, "high": i.high, "covered": i.covered}
                for i in self.inputs
            ],
            "sentence": self.sentence,
        }


class _Zero(NamedTuple):
    """A node that is small at the rows: which of them, and whether that is most of the noise."""

    node_id: int
    crosses: bool
    low: float
    high: float
    near: Positions
    most: bool


def place_of(inspection: Inspection, node_id: int, positions: Positions, s2: Array) -> Place | None:
    """Describe the rows at `positions`, which carry most of a node's E[s^2].

    Parameters
    ----------
    inspection : Inspection
    node_id : int
    positions : ndarray of int
        At least one.
    s2 : ndarray, same shape
        What each of them carries.

    Returns
    -------
    Place or None
        None if neither a node nor an input tells them from the others.
    """
    formula = inspection.formula
    zero = _vanishing(inspection, node_id, positions, s2 / np.sum(s2))
    rows = positions if zero is None else zero.near
    inputs = _narrow_inputs(inspection, formula.subtree(node_id), rows)
    if zero is None:
        if not inputs:
            return None
        near = words.listed([_range(i) for i in inputs[:3]])
        sentence = f"There {near}." if len(positions) > 1 else f"At the worst row {near}."
        return Place(None, False, math.nan, math.nan, inputs, sentence)
    sentence = _sentence(formula, zero, inputs, len(positions))
    return Place(zero.node_id, zero.crosses, zero.low, zero.high, inputs, sentence)


def _vanishing(
    inspection: Inspection, node_id: int, positions: Positions, weights: Array
) -> _Zero | None:
    """The node of the subtree that is smallest, beside its usual size, where most is lost."""
    formula, amplification = inspection.formula, inspection.amplification
    best: tuple[float, int, Array] | None = None
    for k in range(formula.first[node_id], node_id + 1):
        row = amplification.tape.steps[amplification.tape.slots[k]].row
        if row is None or not row.crossing or inspection.nodes[k].local_eic_finite < 0.5:
            continue
        y, _ = amplification.trace(k)
        usual = float(np.nanmedian(np.abs(y)))
        sizes = np.abs(y[positions])
        if not usual > 0 or not np.isfinite(sizes).any():
            continue
        size = _typical(sizes, weights) / usual
        if size < _limit(amplification.signs[k] == 3) and (best is None or size < best[0]):
            best = size, k, y
    if best is None:
        return None
    _, k, y = best
    crosses = amplification.signs[k] == 3
    usual = float(np.nanmedian(np.abs(y)))
    small = np.abs(y[positions]) < _limit(crosses) * usual
    most = bool(np.sum(weights[small]) >= MOST)
    near = positions if most else positions[small]
    known = y[near][np.isfinite(y[near])]
    return _Zero(k, crosses, float(known.min()), float(known.max()), near, most)


def _limit(crosses: bool) -> float:
    return SMALL if crosses else SMALL / 10


def _typical(sizes: Array, weights: Array) -> float:
    """The weighted median of what is known."""
    known = np.isfinite(sizes)
    order = np.argsort(sizes[known], kind="stable")
    sums = np.cumsum(weights[known][order])
    place = int(np.searchsorted(sums, 0.5 * sums[-1]))
    return float(sizes[known][order[min(place, len(order) - 1)]])


def _narrow_inputs(
    inspection: Inspection, subtree: Formula, positions: Positions
) -> tuple[InputRange, ...]:
    valid = inspection.amplification.valid
    found = []
    allowed = LUCK / max(1, len(subtree.variables))
    for name in subtree.variables:
        column = inspection.samples.columns[name]
        low, high = float(column[positions].min()), float(column[positions].max())
        covered = float(np.mean((column[valid] >= low) & (column[valid] <= high)))
        if len(positions) == 1:
            told = covered <= NARROW / 5
        else:
            told = covered <= NARROW and by_chance(len(positions), covered) <= allowed
        if told:
            found.append(InputRange(name, low, high, covered))
    return tuple(sorted(found, key=lambda i: i.covered))


def by_chance(count: int, covered: float) -> float:
    """How often so many random rows lie within a range of some place that covers that part.

    The distribution of the range of `count` uniform numbers (H. A. David and H. N. Nagaraja,
    "Order Statistics", 3rd ed., 2003, section 2.3).

    Parameters
    ----------
    count : int
        At least 2.
    covered : float
        Part of the data, in [0, 1].

    Examples
    --------
    >>> by_chance(2, 0.5), by_chance(3, 0.25)
    (0.75, 0.15625)
    """
    return count * covered ** (count - 1) - (count - 1) * covered**count


def _sentence(formula: Formula, zero: _Zero, inputs: tuple[InputRange, ...], count: int) -> str:
    near = words.listed([_range(i) for i in inputs[:3]])
    text = words.quoted(formula, zero.node_id)
    low, high = map(words.number, (zero.low, zero.high))
    if count == 1:
        crossing = ", which crosses zero on the data," if zero.crosses else ""
        return f"At the worst row {text}{crossing} is {low}" + (f": {near}." if near else ".")
    both = zero.crosses and zero.low <= 0 <= zero.high
    what = "crosses zero" if both else "is nearly zero"
    values = f"(from {low} to {high})" if low != high else f"({low} in double precision)"
    there = "There" if zero.most else "Most of it comes where"
    return f"{there} {text} {what} {values}" + (f": {near}." if near else ".")


def _range(found: InputRange) -> str:
    middle = 0.5 * (found.low + found.high)
    name = words.input_name(found.name)
    if found.high == found.low:
        return f"{name} is {words.number(middle)}"
    if found.high - found.low <= NEAR * abs(middle):
        return f"{name} is near {words.number(middle)}"
    return f"{name} is between {words.number(found.low)} and {words.number(found.high)}"
