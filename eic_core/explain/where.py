"""The rows that a node's amplification comes from, and their common features."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.bottleneck import diagnosed_node, origin_of_loss
from eic_core.explain.causes import is_smaller_elsewhere
from eic_core.explain.created import shares_through
from eic_core.explain.settling import (
    Growth,
    MeanInterval,
    grows_towards,
    growth_of,
    interval_of,
    nodes_that_make,
)
from eic_core.exports import Plain
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


@dataclass(frozen=True)
class InputRange:
    name: str
    # low, high: its range over the rows
    low: float
    high: float
    covered: float  # The part of all valid samples that lies in this range, 0 to 1
    # From its smallest value over all valid samples to its largest; 0 if that is not known
    spread: float = 0.0

    _JSON = ("name", "low", "high", "covered")


@dataclass(frozen=True)
class LossPlace:
    node_id: int | None  # The node that is nearly zero there; None if there is none
    # Whether it is known to pass through a zero on the data at which it loses every digit
    crosses: bool
    # low, high: range of that node's value over the rows; nan without a node
    low: float
    high: float
    inputs: tuple[InputRange, ...]  # The inputs that the rows pick out, the narrowest first
    sentence: str

    _JSON = (
        "node=node_id",
        "crosses",
        ("low", lambda place: None if math.isnan(place.low) else place.low),
        ("high", lambda place: None if math.isnan(place.high) else place.high),
        "inputs",
        "sentence",
    )


class _Zero(NamedTuple):
    node_id: int
    crosses: bool
    low: float
    high: float
    near: Positions
    everywhere: bool


def describe_rows(
    inspection: Inspection, node_id: int, positions: Positions, s2: Array
) -> LossPlace | None:
    """Describe the rows at `positions`, which carry most of a node's E[s^2]; None if no node or
    input tells them from the others.
    """
    formula = inspection.formula
    zero = _vanishing(inspection, node_id, positions, s2 / np.sum(s2))
    rows = positions if zero is None else zero.near
    place = node_id if zero is None else zero.node_id
    inputs = _narrow_inputs(inspection, formula.subtree(place), rows)
    if zero is None:
        if not inputs:
            return None
        near = _ranges(inputs, node_digits(inspection, node_id, rows))
        sentence = f"There {near}." if len(positions) > 1 else f"At the worst row {near}."
        return LossPlace(None, False, math.nan, math.nan, inputs, sentence)
    near = _ranges(inputs, node_digits(inspection, zero.node_id, rows))
    sentence = _sentence(formula, zero, near, len(positions))
    return LossPlace(zero.node_id, zero.crosses, zero.low, zero.high, inputs, sentence)


def _vanishing(
    inspection: Inspection, node_id: int, positions: Positions, weights: Array
) -> _Zero | None:
    """The node of the subtree that is small where most is lost: the node that creates the loss, if
    its zero makes it unbounded; else the smallest through which the noise comes.
    """
    formula, amplification = inspection.formula, inspection.amplification
    origin = origin_of_loss(inspection, node_id)
    if origin != node_id and not grows_towards(inspection, node_id, origin):
        origin = node_id
    first = formula.first[node_id]
    shares = shares_through(inspection, node_id, positions, weights)
    best: tuple[float, int, Array] | None = None
    for k in (origin, *range(formula.first[node_id], node_id + 1)):
        row = amplification.tape.steps[amplification.tape.slots[k]].row
        n = inspection.nodes[k]
        if row is None or not row.crossing or n.local_eic_finite < 0.5 or not n.evaluated:
            continue
        if shares[k - first] < THROUGH:
            continue
        y, _ = amplification.trace(k)
        usual = float(np.nanmedian(np.abs(y)))
        sizes = np.abs(y[positions])
        if not usual > 0 or not np.isfinite(sizes).any():
            continue
        size = _typical(sizes, weights) / usual
        if size >= _limit(amplification.signs[k] == 3) or (best is not None and size >= best[0]):
            continue
        if is_smaller_elsewhere(y, amplification.trace(node_id)[1], usual * size):
            continue
        if size < _limit(inspection.sign_changes.at(k).loses_at_zero):
            best = size, k, y
            if k == origin:
                break
    if best is None:
        return None
    _, k, y = best
    crosses = inspection.sign_changes.at(k).loses_at_zero
    usual = float(np.nanmedian(np.abs(y)))
    small = np.abs(y[positions]) < _limit(crosses) * usual
    near = positions[small]
    low, high = float(y[near].min()), float(y[near].max())
    return _Zero(k, crosses, low, high, near, bool(small.all()))


THROUGH = 0.25
"""The part of a node's noise that comes through one that is nearly zero where it is amplified."""


def _limit(crosses: bool) -> float:
    return SMALL if crosses else SMALL / 10


def _typical(sizes: Array, weights: Array) -> float:
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
        count = len(positions)
        if count == 1:
            is_special = covered <= NARROW / 5
        else:
            is_special = covered <= NARROW and chance_of_so_narrow(count, covered) <= allowed
        if is_special:
            found.append(InputRange(name, low, high, covered, float(np.ptp(column[valid]))))
    return tuple(sorted(found, key=lambda i: i.covered))


def chance_of_so_narrow(count: int, covered: float) -> float:
    """The chance that `count` (2 or more) random rows lie within a range of that coverage (H. A.
    David and H. N. Nagaraja, "Order Statistics", 3rd ed., 2003, section 2.3).

    >>> chance_of_so_narrow(2, 0.5), chance_of_so_narrow(3, 0.25)
    (0.75, 0.15625)
    """
    return count * covered ** (count - 1) - (count - 1) * covered**count


def node_digits(inspection: Inspection, node_id: int, positions: Positions) -> int:
    """Digits of its inputs that show where a node's value comes from: `log(x)` needs 1.001, not 1.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0011, 3.0]})
    >>> node_digits(inspect(read("log(x)").formula, samples), 1, np.array([0]))
    6
    """
    s = inspection.amplification.trace(node_id)[1][positions]
    largest = float(np.max(s, initial=1.0, where=np.isfinite(s)))
    return min(17, 3 + math.ceil(math.log10(largest))) if not np.isinf(s).any() else 17


def _sentence(formula: Formula, zero: _Zero, near: str, count: int) -> str:
    text = phrases.code_text(formula, zero.node_id)
    low, high = map(wording.significant, (zero.low, zero.high))
    if count == 1:
        crossing = ", which crosses zero on the data," if zero.crosses else ""
        return f"At the worst row {text}{crossing} is {low}" + (f": {near}." if near else ".")
    both = zero.crosses and zero.low <= 0 <= zero.high
    event = "crosses zero" if both else "is nearly zero"
    values = f"({low})" if low == high else f"(from {low} to {high})"
    there = "There" if zero.everywhere else "Most of it comes where"
    return f"{there} {text} {event} {values}" + (f": {near}." if near else ".")


def _ranges(inputs: tuple[InputRange, ...], digits: int) -> str:
    """The places of the narrowest inputs; a single value has so many digits, or fewer if exact."""
    return wording.join([_range(interval, digits) for interval in inputs[:3]])


def _range(interval: InputRange, digits: int) -> str:
    middle = 0.5 * (interval.low + interval.high)
    name = phrases.input_name(interval.name)
    if interval.high == interval.low:
        value = interval.low
        enough = (d for d in range(4, digits) if float(f"{value:.{d - 1}e}") == value)
        return f"{name} is {wording.significant(value, next(enough, digits))}"
    if interval.high - interval.low <= NEAR * abs(middle):
        near = (
            d
            for d in range(3, 17)
            if abs(float(f"{middle:.{d - 1}e}") - middle) <= NEAR * (interval.spread or math.inf)
        )
        return f"{name} is near {wording.significant(middle, next(near, 17))}"
    low, high = wording.significant(interval.low), wording.significant(interval.high)
    return f"{name} is between {low} and {high}"


LEVELS = (0.5, 0.9, 0.99)

FEW = 0.3
"""What larger part of the rows carries it is not said to be special."""

ALONE = 0.9
"""What one row must carry to be called alone, however few there are."""

ALIKE = 1e-6
"""Shares that differ by this part of an even one are the same."""

MARKED = 0.05
"""Where as many rows or more carry 99 per cent, none of them is worth a mark of its own."""

LISTED = 5
"""Row numbers named in a sentence, at most."""

NOISE = "the amplified noise"
"""What E[s^2] is called in sentences."""


@dataclass(frozen=True)
class Carriers:
    """The smallest set of rows that carries a part of E[s^2]."""

    level: float  # The part asked for, 0 to 1
    share: float  # What they carry, at least `level`
    positions: tuple[int, ...]  # Indices into the samples, the largest share first


@dataclass(frozen=True)
class Where(Plain):
    inspection: Inspection = field(repr=False)
    node_id: int
    # shape (N,): Amplification at every sample; nan where invalid, inf where singular
    s: Array = field(repr=False)
    # shape (N,): Each row's part of the sum of s^2 over the finite rows; 0 elsewhere
    shares: Array = field(repr=False)
    carriers: tuple[Carriers, ...]  # For 50, 90 and 99 per cent; empty if no row is finite
    singular: tuple[int, ...] = field(repr=False)  # Positions of the rows where no digit is left
    finite: int  # Rows that `shares` is made of
    # What is special about the rows that carry 90 per cent; None if they are no smaller part of the
    # data than what they carry
    place: LossPlace | None
    growth: Growth | None  # How local EIC changes with N; None with fewer than 32 finite rows
    interval: MeanInterval  # For local EIC, or why there is none

    _JSON = (
        "node=node_id",
        "finite",
        ("singular_rows", lambda found: _row_numbers(found, found.singular)),
        (
            "carriers",
            lambda found: [
                {"level": c.level, "share": c.share, "rows": _row_numbers(found, c.positions)}
                for c in found.carriers
            ],
        ),
        "place",
        "growth",
        "interval",
        "sentences",
    )

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return _sentences(self)

    def row_number(self, position: int) -> int:
        """The number of a row in its own table (1 is the first)."""
        rows = self.inspection.samples.rows
        return position + 1 if rows is None else int(rows[position])


def _row_numbers(found: Where, positions: tuple[int, ...]) -> list[int]:
    return [found.row_number(k) for k in positions]


def where(inspection: Inspection, node_id: int | None = None) -> Where:
    """Find the rows that carry E[s^2] at a node.

    Parameters
    ----------
    inspection
        With the samples that are searched.
    node_id
        A node; by default `diagnosed_node`, the node of largest finite local EIC.

    Returns
    -------
    Where
        The rows, their features, and sentences about them.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> found = where(inspect(read("1/(x-2)").formula, samples))
    >>> found.carriers[-1].positions, found.sentences[0]
    ((2,), 'One row of 5, row 3, gives over 99.9 % of the amplified noise at `1/(x − 2)`.')
    """
    node_id = diagnosed_node(inspection) if node_id is None else node_id
    _, s = inspection.amplification.trace(node_id)
    finite = np.isfinite(s)
    shares = np.zeros(len(s))
    if finite.any():
        s2 = np.square(s[finite])
        shares[finite] = s2 / np.sum(s2)
    carriers = tuple(_carriers(shares, level) for level in LEVELS) if finite.any() else ()
    singular = tuple(np.flatnonzero(np.isinf(s)).tolist())
    count = int(np.count_nonzero(finite))
    concentrated = bool(carriers) and len(carriers[1].positions) <= FEW * count
    place = None
    if concentrated:
        worst = np.array(carriers[1].positions, dtype=np.int64)
        place = describe_rows(inspection, node_id, worst, shares[worst])
    s2 = np.square(s[finite])
    event = _unbounded_event(inspection, node_id, place, s)
    return Where(
        inspection=inspection,
        node_id=node_id,
        s=s,
        shares=shares,
        carriers=carriers,
        singular=singular,
        finite=count,
        place=place,
        growth=growth_of(s2, unbounded=bool(event)),
        interval=interval_of(s2, bool(event), event=event, left_out=inspection.counts.left_out),
    )


def _unbounded_event(
    inspection: Inspection, node_id: int, place: LossPlace | None, s: Array
) -> str:
    """The zero or pole inside the domain towards which s is unbounded; "" if none."""
    if not np.isfinite(s).any():
        return ""
    near = [] if place is None or place.node_id is None or not place.crosses else [place.node_id]
    changing = [*near, *nodes_that_make(inspection, node_id)]
    for k in dict.fromkeys(changing):
        if grows_towards(inspection, node_id, k):
            return inspection.sign_changes.at(k).words
    return ""


def few_carriers(s: Array) -> tuple[int, ...]:
    """The rows that carry 99 per cent of E[s^2], the largest first; () if `MARKED` or more do.

    >>> few_carriers(np.append(np.ones(99), 1e6)), few_carriers(np.ones(100))
    ((99,), ())
    """
    finite = np.flatnonzero(np.isfinite(s))
    limit = int(np.ceil(MARKED * len(finite))) - 1
    if limit < 1:
        return ()
    s2 = np.square(s[finite])
    top = np.argpartition(-s2, limit)[:limit]
    needed = LEVELS[-1] * float(np.sum(s2)) * (1 - 1e-12)
    order = top[np.argsort(-s2[top], kind="stable")]
    sums = np.cumsum(s2[order])
    if sums[-1] < needed:
        return ()
    return tuple(finite[order[: int(np.searchsorted(sums, needed)) + 1]].tolist())


def _carriers(shares: Array, level: float) -> Carriers:
    order = np.argsort(-shares, kind="stable")
    sums = np.cumsum(shares[order])
    count = min(len(order), int(np.searchsorted(sums, level * sums[-1] * (1 - 1e-12))) + 1)
    return Carriers(level, min(1.0, float(sums[count - 1])), tuple(order[:count].tolist()))


def _sentences(result: Where) -> tuple[str, ...]:
    formula = result.inspection.formula
    name = phrases.code_text(formula, result.node_id)
    if not result.carriers:
        if result.singular:
            return (f"At every valid sample the amplification of {name} is infinite.",)
        return ("No sample has a usable value at every node.",)
    lines = [_concentration(result, name)]
    if result.place is not None:
        lines.append(result.place.sentence)
    if result.singular:
        listed = _rows(result, result.singular)
        lines.append(
            f"The amplification of {name} is infinite at "
            f"{wording.count(len(result.singular), 'sample')} ({listed}); "
            "the shares are those of the others."
        )
    if result.growth is not None and result.interval.heavy:
        lines.append(str(result.growth.sentence))
    lines.append(str(result.interval.sentence))
    return tuple(lines)


def _concentration(result: Where, name: str) -> str:
    total = result.finite
    if total == 1:
        return f"Only one row has a finite amplification at {name}."
    inspection = result.inspection
    evaluated = inspection.nodes[result.node_id].evaluated
    in_branch = 0 < evaluated < inspection.counts.valid
    left_out = total < (evaluated if in_branch else len(result.s))
    of_rows = f"{total:,} rows with a finite amplification" if left_out else f"{total:,} rows"
    small_parts = [
        c
        for c in reversed(result.carriers)
        if len(c.positions) <= max(FEW * c.level * total, 1 if c.share >= ALONE else 0)
    ]
    if not small_parts:
        data = f"the {evaluated:,} rows that take its branch" if in_branch else "the data"
        if np.ptp(result.shares[np.isfinite(result.s)]) * total <= ALIKE:
            every = f"each of the {of_rows}" if left_out else "every row"
            return f"All over {data}: {every} gives the same share of {NOISE} at {name}."
        return f"All over {data}: no small part of the rows carries {NOISE} at {name}."
    smallest = small_parts[0]
    described = result.carriers[1]
    fewer = 1 < len(described.positions) < len(smallest.positions)
    if fewer and result.place is not None and described in small_parts:
        smallest = described  # the next sentence tells of these rows
    count = len(smallest.positions)
    if count == 1:
        row, share = result.row_number(smallest.positions[0]), wording.percent(smallest.share)
        of_rows = of_rows if left_out else f"{total:,}"
        return f"One row of {of_rows}, row {row:,}, gives {share} of {NOISE} at {name}."
    listed = f" ({_rows(result, smallest.positions)})" if count <= LISTED else ""
    share = wording.level_percent(smallest.level)
    return f"{count:,} of {of_rows} give {share} of {NOISE} at {name}{listed}."


def _rows(result: Where, positions: tuple[int, ...]) -> str:
    numbers = [f"{result.row_number(k):,}" for k in positions]
    return ("row " if len(positions) == 1 else "rows ") + wording.join(numbers, limit=LISTED)
