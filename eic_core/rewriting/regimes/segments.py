"""Which form is computed where along one quantity: the segments that lose least, found by dynamic
programming over sorted rows, and the round numbers between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.formula.tree import VARIABLE
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.gains import SCATTER
from eic_core.rewriting.terms import Terms, number_text

RowPlaces = npt.NDArray[np.intp]

PRICE = 0.1
"""Digits, in the mean over all rows, that a segment more must gain at least."""

HOLDS = 0.5
"""The share of that which it must gain on rows held out."""

MOST_CUTS = 3
"""Along one quantity: a reader takes in four cases at a glance."""

FEWEST = 2
"""Rows in a segment, at least: one row alone is luck."""

FORBIDDEN = 1e5
"""Digits that an option loses where it may not stand: more than all rows have."""

MOST_QUANTITIES = 20

LARGEST_QUANTITY = 12
"""Nodes of a condition's left side: a longer one says nothing to its reader."""

MOST_DIGITS = 17


def quantities_of(terms: Terms, table: DoubleTable, forms: Sequence[int]) -> dict[int, Array]:
    """What a condition may compare, with its values: inputs of the first form, their sizes, and
    steps of the forms, the simplest first. Of those that order the rows in one way the simplest;
    none without a value at some row, nor with a pole or an end that the first form does not have.
    """
    inputs = [n for n in terms.subterms(forms[0]) if terms[n].operator == VARIABLE]
    inputs.sort(key=lambda number: terms[number].label)
    below = dict.fromkeys(number for form in forms for number in terms.subterms(form))
    steps = [n for n in below if terms[n].children and OPERATORS[terms[n].operator].numeric]
    steps = [n for n in steps if terms.size(n) <= LARGEST_QUANTITY and terms.has_variables(n)]
    known = {_limited(terms, number) for number in terms.subterms(forms[0])}
    steps = [n for n in steps if {_limited(terms, part) for part in terms.subterms(n)} <= known]
    sizes = [terms.intern("abs", (number,)) for number in inputs]
    quantities: dict[int, Array] = {}
    orders: set[bytes] = set()
    for number in (*inputs, *sizes, *sorted(steps, key=terms.size)):
        values = np.asarray(table.values(number), np.float64)
        ranks = np.unique(values, return_inverse=True)[1]
        order = {ranks.tobytes(), (ranks.max() - ranks).tobytes()}
        if np.isnan(values).any() or not ranks.any() or orders & order:
            continue
        orders |= order
        quantities[number] = values
        if len(quantities) == MOST_QUANTITIES:
            break
    return quantities


def _limited(terms: Terms, number: int) -> int | None:
    """What may leave a term without a value: a denominator, or the term itself where its operator
    has a pole or an end; None where nothing may.
    """
    term = terms[number]
    if not term.children or not terms.has_variables(term.children[-1]):
        return None
    if term.operator == "div":
        return term.children[1]
    row = OPERATORS[term.operator]
    return None if row.pole is None and row.edge is None else number


class Segment(NamedTuple):
    """The rows of a group at which the quantity is this number or more, up to the next segment."""

    group: int
    start: str
    option: int


class Ordering(NamedTuple):
    """Rows by groups, which conditions make, and in each along a quantity."""

    conditions: tuple[int, ...]
    quantity: int
    groups: RowPlaces  # Of each row: the bits of the conditions that do not hold
    values: Array
    lost: Array  # By each option at each row, with the price of its nodes


def segmentations(
    lost: Array, groups: RowPlaces, values: Array, most: int = MOST_CUTS
) -> Iterator[list[Segment]]:
    """The cheapest ways to cut rows into segments of one option each: into one for each group,
    into one more, and so on, up to `most`. `lost` are the digits that each option loses at each
    row. No segment holds rows of two groups, and rows of equal values are not parted.

    >>> lost = np.array([[0.0, 0, 0, 9, 9, 9], [5.0, 5, 5, 1, 1, 1]])
    >>> for ways in segmentations(lost, np.zeros(6, int), np.array([3.0, 2, 1, 6, 5, 4]), 1):
    ...     print([(segment.start, segment.option) for segment in ways])
    [('-inf', 1)]
    [('-inf', 0), ('4.0', 1)]
    """
    order = np.lexsort((values, groups))
    groups, values, count = groups[order], values[order], len(order)
    edges = np.flatnonzero((groups[1:] != groups[:-1]) | (values[1:] > values[:-1])) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [count]])
    sums = np.concatenate([np.zeros((len(lost), 1)), np.cumsum(lost[:, order], axis=1)], axis=1)
    costs = sums[:, None, ends] - sums[:, starts, None]  # Option, first and last of equal rows
    first = np.concatenate([[True], groups[starts[1:]] != groups[starts[1:] - 1]])
    last = np.concatenate([first[1:], [True]])
    whole = (ends - starts[:, None] >= FEWEST) | (first[:, None] & last)
    whole &= groups[starts][:, None] == groups[ends - 1]
    segment = np.where(whole, np.min(costs, axis=0), np.inf)
    walls = int(np.count_nonzero(first)) - 1
    reach, came = segment[0], list[Array]()
    for cuts in range(walls + most + 1):
        if cuts >= walls and math.isfinite(reach[-1]):
            pairs, end = list[tuple[int, int]](), len(ends) - 1
            for sources in reversed(came):
                pairs.append((int(sources[end]), end))
                end = int(sources[end]) - 1
            yield [
                Segment(
                    int(groups[starts[a]]),
                    "-inf" if first[a] else repr(float(values[starts[a]])),
                    int(np.argmin(costs[:, a, b])),
                )
                for a, b in [(0, end), *reversed(pairs)]
            ]
        if len(ends) == cuts + 1:
            break
        through = reach[:-1, None] + segment[1:]
        came.append(np.argmin(through, axis=0) + 1)
        reach = np.min(through, axis=0)


def segments_at(segments: Sequence[Segment], groups: RowPlaces, values: Array) -> RowPlaces:
    """The place of the segment that holds each row."""
    places = np.zeros(len(values), dtype=np.intp)
    for place, segment in enumerate(segments):
        places[(groups == segment.group) & (values >= float(segment.start))] = place
    return places


def best_segments(
    orderings: Iterable[Ordering], train: RowPlaces, held_out: RowPlaces
) -> tuple[Ordering, list[Segment]]:
    """The segments that keep most, of those almost as good the simplest; one if no cut is worth its
    price. They are chosen on some rows, and what they gain must hold on rows held out.
    """
    plans: list[tuple[float, Ordering, list[Segment]]] = []
    alone: int | None = None
    for ordering in orderings:
        lost, groups, values = ordering.lost, ordering.groups, ordering.values
        if alone is None:  # The first ordering has no conditions
            alone = int(np.argmin(np.sum(lost[:, train], axis=1)))
            base = lost[alone]
        last = 2 ** len(ordering.conditions) - 1
        for segments in segmentations(lost[:, train], groups[train], values[train]):
            if segments[-1].group < last:  # No row is there, and the first option is the formula
                segments.append(Segment(last, "-inf", 0))
            options = np.array([segment.option for segment in segments])
            options = options[segments_at(segments, groups, values)]
            saved = base - lost[options, np.arange(len(values))]
            gain = min(float(np.mean(saved[train])), float(np.mean(saved[held_out])) / HOLDS)
            plans.append((gain - PRICE * (len(segments) - 1), ordering, segments))
    most = max((gain for gain, _, _ in plans), default=0.0)
    worth = [plan for plan in plans if plan[0] > 0 and plan[0] >= most - SCATTER]
    return (worth or plans)[0][1:]


# --- numbers between segments


def interval_of(points: Array, slack: float) -> tuple[float, float]:
    """Between which two numbers a threshold may lie: over the first, at most the second.

    `points` are values, and the digits that are lost there under the threshold and from it on;
    every threshold in the interval costs at most `slack` more, in sum, than the best.

    >>> interval_of(np.array([[1.0, 2, 3, 4, 5], [0, 0, 1, 4, 4], [5, 5, 1, 0, 0]]), 0.5)
    (2.0, 4.0)
    """
    values, below, above = points[:, np.argsort(points[0], kind="stable")]
    inner = np.flatnonzero(values[1:] > values[:-1]) + 1
    cost = np.concatenate([[0.0], np.cumsum(below - above)])[inner]
    bad = np.flatnonzero(cost > np.min(cost) + slack)
    best = int(np.argmin(cost))
    first = int(np.max(bad[bad < best], initial=-1)) + 1
    last = int(np.min(bad[bad > best], initial=len(inner))) - 1
    return float(values[inner[first] - 1]), float(values[inner[last]])


def roundest(low: float, high: float) -> str:
    """The roundest number over the first and at most the second: 0, a power of ten, a number of
    one digit, of two, and so on; of powers of ten the one nearest to the middle.

    >>> roundest(-3.0, 8.0), roundest(0.02, 40.0), roundest(0.2, 0.9), roundest(2.4, 2.5)
    ('0', '1', '0.4', '2.5')
    >>> roundest(-41.0, -12.0), roundest(3.0, 3.0000000000000004), roundest(1e-200, 1e-100)
    ('-20', '3.0000000000000004', '1e-150')
    """
    if low < 0 <= high:
        return "0"
    low, high, sign = max(low, -1.7e308), min(high, 1.7e308), "-" if high <= 0 else ""
    small, large = sorted((abs(low), abs(high)))
    last = math.log10(large)
    first = math.log10(small) if small else last - 2
    middle = (first + last) / 2
    powers = range(math.floor(first), math.ceil(last) + 1)
    texts = [f"{sign}1e{power}" for power in sorted(powers, key=lambda p: abs(p - middle))]
    mean = (low + high) / 2 if large <= 2 * small else float(f"{sign}1") * 10**middle
    texts += [f"{mean:.{digits}e}" for digits in range(MOST_DIGITS)]
    text = next((text for text in texts if low < float(text) <= high), repr(high))
    return number_text(Fraction(text)) or text
