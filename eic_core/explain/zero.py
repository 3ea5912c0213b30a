"""What is special about the rows at which digits are lost: what vanishes, and near which inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.explain import words
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection

Positions = npt.NDArray[np.int64]

NARROW = 0.25
"""An input is told if the rows lie in a range that holds at most this part of the data."""

LUCK = 0.05
"""Nor if so few rows, drawn at random, would lie as close in some input at least this often."""

NEAR = 0.02
"""A range this small beside the whole is a point."""

SMALL = 0.3
"""A crossing is the reason if |y| at the rows is this small beside its typical size."""


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


def place_of(inspection: Inspection, node_id: int, positions: Positions) -> Place | None:
    """Describe the rows at `positions`, which carry most of a node's E[s^2].

    Parameters
    ----------
    inspection : Inspection
    node_id : int
    positions : ndarray of int
        At least one.

    Returns
    -------
    Place or None
        None if neither a node nor an input tells them from the others.
    """
    formula = inspection.formula
    zero = _vanishing(inspection, node_id, positions)
    inputs = _narrow_inputs(inspection, formula.subtree(node_id), positions)
    if zero is None and not inputs:
        return None
    name, crosses, low, high = zero or (None, False, math.nan, math.nan)
    sentence = _sentence(formula, name, crosses, (low, high), inputs, len(positions))
    return Place(name, crosses, low, high, inputs, sentence)


def _vanishing(
    inspection: Inspection, node_id: int, positions: Positions
) -> tuple[int, bool, float, float] | None:
    """The node of the subtree whose value is smallest at the rows, beside its usual size."""
    formula, amplification = inspection.formula, inspection.amplification
    best: tuple[float, int, bool, float, float] | None = None
    for k in range(formula.first[node_id], node_id + 1):
        row = amplification.plan.steps[amplification.plan.slots[k]].row
        if row is None or not row.crossing or inspection.nodes[k].local_eic_finite < 0.5:
            continue
        y, _ = amplification.trace(k)
        at_rows = y[positions]
        known = at_rows[np.isfinite(at_rows)]
        if not len(known):
            continue
        usual = float(np.nanmedian(np.abs(y)))
        if not usual > 0:
            continue
        size = float(np.median(np.abs(known))) / usual
        crosses = amplification.signs[k] == 3
        if size < SMALL and (crosses or size < SMALL / 10) and (best is None or size < best[0]):
            best = size, k, crosses, float(known.min()), float(known.max())
    return None if best is None else best[1:]


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

    Examples
    --------
    >>> by_chance(2, 0.5), by_chance(3, 0.25)
    (0.75, 0.15625)
    """
    return count * covered ** (count - 1) - (count - 1) * covered**count


def _sentence(
    formula: Formula,
    zero: int | None,
    crosses: bool,
    values: tuple[float, float],
    inputs: tuple[InputRange, ...],
    count: int,
) -> str:
    near = words.listed([_range(i) for i in inputs[:3]])
    if zero is None:
        return f"There {near}." if count > 1 else f"At the worst row {near}."
    text = words.quoted(formula, zero)
    low, high = map(words.number, values)
    if count == 1:
        crossing = ", which crosses zero on the data," if crosses else ""
        return f"At the worst row {text}{crossing} is {low}" + (f": {near}." if near else ".")
    what = "crosses zero" if crosses else "is nearly zero"
    return f"There {text} {what} (from {low} to {high})" + (f": {near}." if near else ".")


def _range(found: InputRange) -> str:
    middle = 0.5 * (found.low + found.high)
    name = words.input_name(found.name)
    if found.high == found.low:
        return f"{name} is {words.number(middle)}"
    if found.high - found.low <= NEAR * abs(middle):
        return f"{name} is near {words.number(middle)}"
    return f"{name} is between {words.number(found.low)} and {words.number(found.high)}"
