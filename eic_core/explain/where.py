"""The rows that a node's amplification comes from, and their common features."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.errors import require
from eic_core.explain.causes import is_smaller_elsewhere, weighted_median
from eic_core.explain.created import diagnosed_node, origin_of_loss, shares_through
from eic_core.explain.facts import Concentrated, Concentration, InputRange, LossPlace, RangeKind
from eic_core.explain.phrases import where as words
from eic_core.explain.settling import (
    Growth,
    MeanInterval,
    grows_towards,
    growth_of,
    interval_of,
    nodes_that_make,
)
from eic_core.exports import Plain, json_form
from eic_core.formula.tree import Formula
from eic_core.measure.crossings import Passage
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase

Positions = npt.NDArray[np.int64]

NARROW = 0.25
"""An input is told if the rows lie in a range that holds at most this part of the data."""

LUCK = 0.05
"""Nor if so few rows, drawn at random, would lie as close in some input at least this often."""

NEAR = 0.02
"""A range this small beside the whole is a point."""

SMALL = 0.3
"""A crossing is the reason if |y| at the rows is this small beside its typical size."""


def places_of(
    inspection: Inspection, node_id: int, positions: Positions, shares: Array
) -> tuple[LossPlace, ...]:
    """What the rows at `positions` have in common, which carry `shares` of a node's E[s^2]; ()
    if no node or input tells them from the others.

    Where a node is nearly zero at a part of them that carries less than half, the others come
    first.
    """
    zero = _vanishing(inspection, node_id, positions, shares / np.sum(shares))
    if zero is None:
        place = _described(inspection, node_id, positions, shares, np.ones(len(shares), dtype=bool))
        return (place,) if place.inputs else ()
    k, near = zero
    crosses = inspection.sign_changes.at(k).loses_at_zero
    y = inspection.amplification.trace(k)[0][positions[near]]
    place = _described(inspection, k, positions, shares, near)
    place = replace(place, node_id=k, crosses=crosses, low=float(y.min()), high=float(y.max()))
    if place.share >= 0.5 * np.sum(shares):
        return (place,)
    others = _described(inspection, node_id, positions, shares, ~near)
    return (others, place) if others.inputs else (place,)


def _described(
    inspection: Inspection,
    node_id: int,
    positions: Positions,
    shares: Array,
    chosen: npt.NDArray[np.bool_],
) -> LossPlace:
    rows = positions[chosen]
    digits = node_digits(inspection, node_id, rows)
    inputs = _narrow_inputs(inspection, inspection.formula.subtree(node_id), rows, digits)
    return LossPlace(len(rows), float(np.sum(shares[chosen])), len(positions), inputs)


def _vanishing(
    inspection: Inspection, node_id: int, positions: Positions, weights: Array
) -> tuple[int, npt.NDArray[np.bool_]] | None:
    """The node of the subtree that is small where most is lost, and the positions where it is: the
    node that creates the loss, if its zero makes it unbounded; else the smallest through which the
    noise comes.
    """
    amplification, first = inspection.amplification, inspection.formula.first[node_id]
    origin = origin_of_loss(inspection, node_id)
    if origin != node_id and not grows_towards(inspection, node_id, origin):
        origin = node_id
    shares = shares_through(inspection, node_id, positions, weights)
    least, smallest = math.inf, None
    for k in (origin, *range(first, node_id + 1)):
        row = amplification.tape.steps[amplification.tape.slots[k]].row
        n = inspection.nodes[k]
        if row is None or not row.crossing or shares[k - first] < THROUGH:
            continue
        if n.local_eic_finite < 0.5 or not n.evaluated:
            continue
        y, _ = amplification.trace(k)
        usual, sizes = float(np.nanmedian(np.abs(y))), np.abs(y[positions])
        size = weighted_median(sizes, weights) / usual if usual > 0 else math.nan
        if not size < min(least, _limit(amplification.signs[k] == 3)):
            continue
        if is_smaller_elsewhere(y, amplification.trace(node_id)[1], usual * size):
            continue
        limit = _limit(inspection.sign_changes.at(k).loses_at_zero)
        if size < limit:
            least, smallest = size, (k, sizes < limit * usual)
            if k == origin:
                break
    return smallest


THROUGH = 0.25
"""The part of a node's noise that comes through one that is nearly zero where it is amplified."""


def _limit(crosses: bool) -> float:
    return SMALL if crosses else SMALL / 10


def _narrow_inputs(
    inspection: Inspection, subtree: Formula, positions: Positions, digits: int
) -> tuple[InputRange, ...]:
    """The inputs that the rows pick out; a single value is shown in so many digits at most."""
    valid = inspection.amplification.valid
    narrow = []
    allowed = LUCK / max(1, len(subtree.variables))
    for name in subtree.variables:
        column = inspection.samples.columns[name]
        low, high = float(column[positions].min()), float(column[positions].max())
        covered = float(np.mean((column[valid] >= low) & (column[valid] <= high)))
        alone = len(positions) == 1
        if covered <= (NARROW / 5 if alone else NARROW) and (
            alone or chance_of_so_narrow(len(positions), covered) <= allowed
        ):
            interval = InputRange(name, low, high, covered)
            narrow.append(_with_digits(interval, digits, float(np.ptp(column[valid]))))
    return tuple(sorted(narrow, key=lambda i: i.covered))


def _with_digits(interval: InputRange, most: int, spread: float) -> InputRange:
    """The range with the digits that show it; `spread` is that of the input over all samples."""
    value = interval.middle
    if interval.high == interval.low:
        digits = (d for d in range(4, most) if float(f"{value:.{d - 1}e}") == value)
        return replace(interval, kind=RangeKind.VALUE, digits=next(digits, most))
    if interval.high - interval.low > NEAR * abs(value):
        return interval
    apart = NEAR * (spread or math.inf)
    digits = (d for d in range(3, 17) if abs(float(f"{value:.{d - 1}e}") - value) <= apart)
    return replace(interval, kind=RangeKind.NEAR, digits=next(digits, 17))


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


LEVELS = (0.5, 0.9, 0.99)

FEW = 0.3
"""What larger part of the rows carries it is not said to be special."""

ALONE = 0.9
"""What one row must carry to be called alone, however few there are."""

ALIKE = 1e-6
"""Shares that differ by this part of an even one are the same."""

MARKED = 0.05
"""Where as many rows or more carry 99 per cent, none of them is worth a mark of its own."""


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
    # What is special about the rows that carry 90 per cent, or parts of them, the largest share
    # first; () if they are no smaller part of the data than what they carry
    places: tuple[LossPlace, ...]
    growth: Growth | None  # How local EIC changes with N; None with fewer than 32 finite rows
    interval: MeanInterval  # For local EIC, or why there is none

    _JSON = (
        "node=node_id",
        "finite",
        ("singular_rows", lambda found: [*map(found.row_number, found.singular)]),
        (
            "carriers",
            lambda found: [
                {"level": c.level, "share": c.share, "rows": [*map(found.row_number, c.positions)]}
                for c in found.carriers
            ],
        ),
        ("place", lambda found: found._place_json()),
        "growth",
        "interval",
        "sentences",
    )

    def _place_json(self) -> dict[str, Any] | None:
        if self.place is None:
            return None
        sentence = words.place_sentence(self.inspection.formula, self.place)
        return json_form(self.place, self.place._JSON) | {"sentence": str(sentence)}

    @property
    def place(self) -> LossPlace | None:
        """The first of `places`."""
        return self.places[0] if self.places else None

    @cached_property
    def concentration(self) -> Concentration | None:
        """In how few rows the noise is; None if no row is finite."""
        if not self.carriers:
            return None
        total, counts = self.finite, self.inspection.counts
        evaluated = self.inspection.nodes[self.node_id].evaluated
        in_branch = evaluated if 0 < evaluated < counts.valid else 0
        of = total, in_branch, total < (in_branch or len(self.s))
        if total == 1:
            return Concentration(Concentrated.ALONE, (), 1.0, *of)
        small_parts = [
            c
            for c in reversed(self.carriers)
            if len(c.positions) <= max(FEW * c.level * total, 1 if c.share >= ALONE else 0)
        ]
        if not small_parts:
            even = np.ptp(self.shares[np.isfinite(self.s)]) * total <= ALIKE
            kind = Concentrated.EVENLY if even else Concentrated.NOWHERE
            return Concentration(kind, (), 1.0, *of)
        smallest, described = small_parts[0], self.carriers[1]
        fewer = 1 < len(described.positions) < len(smallest.positions)
        if fewer and self.places and described in small_parts:
            smallest = described  # the next sentence tells of these rows
        numbers = tuple(map(self.row_number, smallest.positions))
        if len(numbers) == 1:
            return Concentration(Concentrated.ONE_ROW, numbers, smallest.share, *of)
        return Concentration(Concentrated.FEW_ROWS, numbers, smallest.level, *of)

    @cached_property
    def row_sentences(self) -> tuple[Phrase, ...]:
        """Of the rows, and not of what more data would change."""
        formula, node_id = self.inspection.formula, self.node_id
        if self.concentration is None:
            return (words.no_finite_row(formula, node_id, bool(self.singular)),)
        infinite = [*map(self.row_number, self.singular)]
        return (
            words.concentration_sentence(formula, node_id, self.concentration),
            *[words.place_sentence(formula, place) for place in self.places],
            *([words.infinite_rows(formula, node_id, infinite)] if infinite else []),
        )

    @cached_property
    def sentences(self) -> tuple[Phrase, ...]:
        if self.concentration is None:
            return self.row_sentences
        growth = self.growth if self.interval.heavy else None
        return (
            *self.row_sentences,
            *([] if growth is None else [growth.sentence]),
            self.interval.sentence,
        )

    def row_number(self, position: int) -> int:
        """The number of a row in its own table (1 is the first)."""
        return int(self.inspection.samples.row_numbers[position])


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
        The rows and their features.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> found = where(inspect(read("1/(x-2)").formula, samples))
    >>> found.carriers[-1].positions, found.sentences[0]
    ((2,), Phrase('One of 5 rows, row 3, gives over 99.9 % of the amplified noise at `x − 2`.'))
    """
    require(inspection, Inspection)
    node_id = diagnosed_node(inspection) if node_id is None else node_id
    _, s = inspection.amplification.trace(node_id)
    finite = np.isfinite(s)
    shares = shares_of(s)
    carriers = tuple(_carriers(shares, level) for level in LEVELS) if finite.any() else ()
    singular = tuple(np.flatnonzero(np.isinf(s)).tolist())
    count = int(np.count_nonzero(finite))
    concentrated = bool(carriers) and len(carriers[1].positions) <= FEW * count
    places: tuple[LossPlace, ...] = ()
    if concentrated:
        worst = np.array(carriers[1].positions, dtype=np.int64)
        places = places_of(inspection, node_id, worst, shares[worst])
    s2 = np.square(s[finite])
    passage = _unbounded_passage(inspection, node_id, places, s)
    crosses = passage is not Passage.NONE
    return Where(
        inspection=inspection,
        node_id=node_id,
        s=s,
        shares=shares,
        carriers=carriers,
        singular=singular,
        finite=count,
        places=places,
        growth=growth_of(s2, unbounded=crosses),
        interval=interval_of(s2, crosses, passage=passage, left_out=inspection.counts.left_out),
    )


def _unbounded_passage(
    inspection: Inspection, node_id: int, places: tuple[LossPlace, ...], s: Array
) -> Passage:
    """The zero or pole inside the domain towards which s is unbounded."""
    if not np.isfinite(s).any():
        return Passage.NONE
    near = [place.node_id for place in places if place.node_id is not None and place.crosses]
    changing = [*near, *nodes_that_make(inspection, node_id)]
    for k in dict.fromkeys(changing):
        if grows_towards(inspection, node_id, k):
            return inspection.sign_changes.at(k).passage
    return Passage.NONE


def shares_of(s: Array) -> Array:
    """Each row's part of the sum of s^2 over the finite rows; 0 elsewhere."""
    s2 = np.square(np.where(np.isfinite(s), s, 0.0))
    return s2 / (np.sum(s2) or 1.0)


def _carriers(shares: Array, level: float) -> Carriers:
    order = np.argsort(-shares, kind="stable")
    sums = np.cumsum(shares[order])
    count = min(len(order), int(np.searchsorted(sums, level * sums[-1] * (1 - 1e-12))) + 1)
    return Carriers(level, min(1.0, float(sums[count - 1])), tuple(order[:count].tolist()))
