"""The rows of a data set on which forms are searched, compared and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.tape import lay_out
from eic_core.formula.tree import Formula
from eic_core.measure.measured import estimated_loss
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.samples import Samples

RowNumbers = npt.NDArray[np.intp]

SCANNED, MEASURED, VERIFIED, OBSERVED = 20_000, 300, 200, 120

FEWEST_MEASURED = 24
"""So many rows are measured however dear they are."""

COMPARED = 5_000
"""Rows at which a program in the target is compared with one in a wider type, to choose some."""

SCANNED_STEPS, COMPARED_STEPS = 2_000_000, 250_000
"""Rows times nodes up to which so many rows are scanned and compared; fewer of large formulas."""

SEARCHED_EVEN, SEARCHED_WORST, SEARCHED_LOSING, SEARCHED_BEYOND, SEARCHED_ENDS = 18, 10, 8, 8, 5
"""By what the rows of a search are chosen: 49 of them at most."""


SIDE = 12
"""Rows that take a side of a conditional and are verified at least, if there are so many."""

GROUP, SIZES, DECADES = 3, 8, 3.0
"""Rows of one sign of an input that are verified at least, or of each of so many parts of the
decades that it spans, if these are so many."""

GROUPED_LEAVE = 10
"""Verified rows that such groups leave to the worst ones."""


@dataclass(frozen=True)
class Rows:
    # The worst at the root and at the bottleneck, where a program loses most or leaves range, the
    # ends of each input, and some evenly spaced
    searched: tuple[int, ...]
    # Rows compared at high precision: up to 200, those of `searched` and `observed` among them
    verified: tuple[int, ...]
    # Rows on which EIC and q are told: evenly spaced
    measured: tuple[int, ...]
    # Rows on which the errors of single and double precision are told: evenly spaced
    observed: tuple[int, ...]
    scanned: tuple[int, ...]  # Rows whose domain is scanned in double precision: evenly spaced

    def measuring(self, count: int) -> Rows:
        """With so many measured rows, evenly spaced among these."""
        some = _some(np.array(self.measured, dtype=np.intp), count)
        return replace(self, measured=tuple(some.tolist()))

    def verifying(self, count: int) -> Rows:
        """With so many verified rows, if they are more than those searched; the others held out."""
        extra = sorted({*self.verified} - {*self.searched})
        some = _some(np.array(extra, dtype=np.intp), max(0, count - len(self.searched)))
        verified = {*self.searched, *some.tolist()}
        observed = tuple([row for row in self.observed if row in verified])
        return replace(self, verified=tuple(sorted(verified)), observed=observed or self.searched)


def choose_rows(formula: Formula, samples: Samples, target: str = "float64") -> Rows:
    """Row numbers for search and verification, the same for the same data. Rows at which the
    formula has no real value are left out as long as others are enough.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": np.linspace(1.0, 9.0, 1000)})
    >>> rows = choose_rows(read("x - 5").formula, samples)
    >>> len(rows.searched) <= 49, 500 in rows.searched, len(rows.verified), len(rows.measured)
    (True, True, 200, 300)
    """
    total = len(samples)
    scanned = _even(total, min(SCANNED, SCANNED_STEPS // len(formula)))
    columns = {name: samples.columns[name][scanned] for name in formula.variables}
    part = Samples.from_columns(columns, count=len(scanned))
    amplification = amplify(formula, part, recheck=False)
    usable = _with_value(amplification)
    groups = [(scanned[rows], SIDE) for rows in _by_side(formula, amplification)]
    groups += [(scanned[rows], GROUP) for rows in _by_size(columns, usable)]
    by_s = [scanned[order] for order in _worst_by_s(formula, amplification)]
    losing, beyond = _worst_in_program(formula, columns, usable, target)
    losing, beyond = scanned[losing], scanned[beyond]
    ends = scanned[_ends(columns, usable)]
    usable = scanned[usable]

    searched = _first(
        (_some(usable, SEARCHED_EVEN), SEARCHED_EVEN),
        *[(order, SEARCHED_WORST // len(by_s)) for order in by_s],
        (losing, SEARCHED_LOSING),
        (beyond, SEARCHED_BEYOND),
        (ends, SEARCHED_ENDS),
    )
    observed = _some(usable, VERIFIED if len(usable) <= VERIFIED else OBSERVED).tolist()
    verified = {*searched, *observed}
    worst = [order.tolist()[:VERIFIED] for order in (*by_s, losing, beyond, ends)]
    in_turn = [row for group in zip_longest(*worst) for row in group if row is not None]
    most = max(VERIFIED - GROUPED_LEAVE, len(verified))
    for rows, least in groups:
        lacking = least - len(verified.intersection(rows.tolist()))
        more = _new(_some(rows, 2 * least), verified, lacking)
        verified.update(more[: most - len(verified)])
    for order in (
        in_turn[: VERIFIED - OBSERVED],
        _some(usable, 2 * VERIFIED),
        _some(scanned, VERIFIED),
    ):
        verified.update(_new(order, verified, VERIFIED - len(verified)))
    return Rows(
        tuple(sorted(searched)),
        tuple(sorted(verified)),
        tuple(_some(usable, MEASURED).tolist()),
        tuple(observed),
        tuple(scanned.tolist()),
    )


def _with_value(amplification: Amplification) -> RowNumbers:
    """The rows with a real value, or of which doubles do not tell; all if there are too few."""
    usable = amplification.valid.copy()
    usable[amplification.flagged] = True
    if np.count_nonzero(usable) < FEWEST_MEASURED:
        return np.arange(len(usable))
    return np.flatnonzero(usable)


def _by_side(formula: Formula, amplification: Amplification) -> list[RowNumbers]:
    """The rows that take each side of a conditional."""
    chosen = [
        node.children[1:] for node in formula if node.children and OPERATORS[node.operator].chooses
    ]
    sides = dict.fromkeys(side for pair in chosen for side in pair)
    return [np.flatnonzero(amplification.evaluated(side)) for side in sides]


def _by_size(columns: dict[str, Array], usable: RowNumbers) -> list[RowNumbers]:
    """The rows of each sign of each input, and those of each eighth of its decades."""
    groups: list[RowNumbers] = []
    for column in columns.values():
        own = column[usable]
        for rows in (usable[own < 0], usable[own > 0]):
            size = np.log10(np.abs(column[rows]))
            if not len(rows) or np.ptp(size) < DECADES:
                groups.append(rows)
                continue
            place = np.floor((size - size.min()) / np.ptp(size) * (SIZES - 1e-9))
            groups += [rows[place == k] for k in range(SIZES)]
    return groups


def _worst_by_s(formula: Formula, amplification: Amplification) -> list[RowNumbers]:
    """All rows with a finite s, the largest at the root first; and at the bottleneck."""
    finite = [amplification.finite_mean_s2(k) for k in range(len(formula))]
    bottleneck = int(np.argmax(np.nan_to_num(finite, nan=0.0, posinf=0.0)))
    watched = dict.fromkeys((len(formula) - 1, bottleneck))
    return [_largest_first(amplification.trace(k)[1]) for k in watched]


def _worst_in_program(
    formula: Formula, columns: dict[str, Array], usable: RowNumbers, target: str
) -> tuple[RowNumbers, RowNumbers]:
    """Rows where a program in the target loses digits beside a wider type: the worst, those at its
    quartiles, and the others from the worst on; and where one of the two has no result, or 0.
    """
    rows = _some(usable, min(COMPARED, COMPARED_STEPS // len(formula)))
    some = {name: column[rows] for name, column in columns.items()}
    lost, nowhere = estimated_loss(lay_out(formula), some, len(rows), target)
    worst = _largest_first(lost)
    quarters = worst[np.arange(1, 4) * len(worst) // 4] if len(worst) else worst
    order = list(dict.fromkeys([*worst[:6].tolist(), *quarters.tolist(), *worst.tolist()]))
    beyond = _some(np.flatnonzero(nowhere), VERIFIED)
    return rows[np.array(order, dtype=np.intp)], rows[beyond]


def _ends(columns: dict[str, Array], usable: RowNumbers) -> RowNumbers:
    """The rows where an input is farthest from 0, nearest to it, largest, least, in this order."""
    inputs = [column[usable] for column in columns.values()]
    found = [np.argmax(np.abs(own)) for own in inputs] + [np.argmin(np.abs(own)) for own in inputs]
    found += [np.argmax(own) for own in inputs] + [np.argmin(own) for own in inputs]
    return usable[list(dict.fromkeys(found))]


def _first(*choices: tuple[Sequence[int] | RowNumbers, int]) -> set[int]:
    """Of each list so many rows that no list before it has given."""
    chosen: set[int] = set()
    for order, count in choices:
        chosen.update(_new(order, chosen, count))
    return chosen


def _new(order: Sequence[int] | RowNumbers, chosen: set[int], count: int) -> list[int]:
    new = [row for row in dict.fromkeys(np.asarray(order).tolist()) if row not in chosen]
    return new[: max(0, count)]


def _even(total: int, count: int) -> RowNumbers:
    if total <= count:
        return np.arange(total)
    return np.arange(count) * total // count


def _some(rows: RowNumbers, count: int) -> RowNumbers:
    return rows[_even(len(rows), count)]


def _largest_first(values: Array) -> RowNumbers:
    usable = np.flatnonzero(np.isfinite(values))
    return usable[np.argsort(-values[usable], kind="stable")]
