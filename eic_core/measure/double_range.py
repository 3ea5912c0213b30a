"""The rows at which plain double precision has no value of the result though there is one.

A sample *leaves double range* where the exact value of some node is finite and not zero, but over-
or underflows; the result may survive it. Rounding alone may also make a divisor 0 or push an
argument out of its domain: ``1/(1 - cos(x))`` at 1e-9.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from eic_core.engine import extended
from eic_core.engine.forward import evaluate
from eic_core.engine.tape import SMALLEST_NORMAL, UNIT_ROUNDOFF, Tape
from eic_core.engine.walked import Array, Rows
from eic_core.exports import Plain
from eic_core.measure.following import undecided
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.reasons import Outcome, Reason
from eic_core.measure.runs import (
    FAR,
    LARGEST,
    NO_ROWS,
    NOTHING,
    Blamed,
    Runs,
    digits_of_errors,
    relative_error,
)
from eic_core.operators import NUMPY
from eic_core.operators.wide import Wide


@dataclass(frozen=True)
class RangePlace(Plain):
    node: int
    # overflows, underflows: rows at which it does so, and the result is lost by it
    overflows: int
    underflows: int
    # zeros, outside: rows at which it is rounded to 0, and out of the domain of the step above it
    zeros: int = 0
    outside: int = 0

    _JSON = ("node", "overflows", "underflows", "zeros", "outside")


class Held(IntEnum):
    """How doubles hold an exact value."""

    UNKNOWN = 0  # the exact value is not known
    BEYOND = 1  # it leaves the range of doubles
    FEWER = 2  # below the normal doubles, but not below all: with fewer digits
    NORMAL = 3  # as 0 or a normal double


@dataclass(frozen=True)
class DoubleRange(Plain):
    rows: int  # All rows
    # Rows at which some node leaves double range: those that `score` counts by this name
    out_of_range: int
    # Those at which the result, evaluated as it is written, is inf or nan though there is a real
    # value, or 0 though the value is not; and the step that leaves range, or is rounded to where
    # the step above has no value
    lost: Blamed = field(repr=False)
    held: Rows = field(repr=False)  # `Held`: of the exact value at each
    # Those at which the result has a value, but has lost digits because it, or a value on the way,
    # leaves the range of doubles, or is below the normal ones; and the first step that leaves it
    worn: Blamed = field(repr=False)
    # Rows at which the result is inf or nan, but the check ended before it could tell whether there
    # is a real value, or cannot tell (`Amplification.indistinct`)
    unknown: int = 0

    _JSON = (
        "rows",
        "out_of_range",
        ("without_value", lambda result: result.count),
        ("in_range", lambda result: result.holding(Held.NORMAL)),
        ("beyond", lambda result: result.holding(Held.BEYOND)),
        "places",
        ("worn", lambda result: len(result.worn.rows)),
        ("worn_digits", lambda result: float(np.max(result.worn.digits, initial=0.0))),
        (
            "worn_fewest_digits",
            lambda result: float(np.min(result.worn.digits)) if len(result.worn.rows) else 0.0,
        ),
        (
            "worn_overflows",
            lambda result: int(np.count_nonzero(result.worn.reasons == Reason.OVERFLOW)),
        ),
        "unknown",
        ("fewer", lambda result: result.holding(Held.FEWER)),
    )

    @property
    def count(self) -> int:
        return len(self.lost.rows)

    def holding(self, how: Held) -> int:
        """The number of lost rows whose exact value doubles hold so."""
        return int(np.count_nonzero(self.held == how))

    @property
    def places(self) -> tuple[RangePlace, ...]:
        """The steps from which that comes, the most rows first."""
        counts = Counter(zip(self.lost.nodes.tolist(), self.lost.reasons.tolist(), strict=True))
        nodes = sorted({node for node, _ in counts})
        places = [RangePlace(node, *(counts[node, way] for way in WAYS)) for node in nodes]
        return tuple(
            sorted(places, key=lambda p: -(p.overflows + p.underflows + p.zeros + p.outside))
        )


WAYS = (Reason.OVERFLOW, Reason.UNDERFLOW, Reason.ROUNDED_TO_ZERO, Reason.ROUNDED_OUT)
"""The ways to lose a result, as `RangePlace` has them."""


def has_no_value(computed: Array, is_zero: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """Where a floating-point result is no value of a real one: inf, nan, or a false 0.

    A 0 is false where the exact one is not (`is_zero`) and it comes from a value out of range
    (`leaves`), not from cancellation.
    """
    return ~np.isfinite(computed) | ((computed == 0) & ~is_zero & leaves)


EXPONENTS = {"float32": (-126, 128), "float64": (-1022, 1024)}
"""log2 of a type's smallest normal number, and of what is too large for it."""


def leaves_range(
    tape: Tape, columns: Mapping[str, Any], count: int, kind: str = "float64"
) -> np.ndarray:
    """Where the exact value of some node is finite and not 0, but over- or underflows in `kind`.

    Not where a cancellation makes the result 0 even with unlimited exponents.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> tape, x = tape_of(read("sqrt(x*x)").formula), np.array([1e-200, 1e-30, 1.0])
    >>> leaves_range(tape, {"x": x}, 3).tolist()
    [True, False, False]
    >>> leaves_range(tape, {"x": x}, 3, "float32").tolist()
    [True, True, False]
    """
    inputs = {name: np.asarray(y, dtype=np.float64) for name, y in columns.items()}
    values = extended.wide_values(tape, inputs, count)
    low, high = EXPONENTS[kind]  # |m| is from 1/2 to 1
    gone = [(y.m != 0) & ((y.e > high) | (y.e <= low)) for y in values]
    return np.any(gone, axis=0) & (values[-1].m != 0)


@cached_on_inspection
def double_range(inspection: Inspection) -> DoubleRange:
    """Find the rows at which plain double precision has no value of the result.

    Only rows flagged in the first pass are run again, with wider exponents.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [-800.0, 0.0, 300.0, 800.0]})
    >>> result = double_range(inspect(read("exp(x)/(1+exp(x))").formula, samples))
    >>> result.lost.rows.tolist(), result.holding(Held.NORMAL)  # 0, and nan for 1
    ([0, 3], 1)
    >>> [(place.node, place.overflows, place.underflows) for place in result.places]
    [(1, 1, 1)]
    """
    amplification = inspection.amplification
    rows, total = amplification.flagged, len(inspection.samples)
    if not len(rows):
        return DoubleRange(total, 0, NOTHING, NO_ROWS, NOTHING)
    runs = Runs(inspection, rows)
    in_double, wide = runs.doubles, runs.wide
    exact_by_slot, values = runs.exact([*wide.y]), wide.values
    root, value, exact = in_double[-1], values[-1], exact_by_slot[-1]
    real = np.where(runs.settled, amplification.valid[rows], wide.dead < 0)
    far = _out_of_reach(runs, exact_by_slot)
    _, s = runs.trace(inspection.formula.root.id)
    nothing = (value.m == 0) | (real & np.isnan(value.m))
    # wide values may be roundings
    nothing |= runs.settled & real & ~np.isin(rows, amplification.underflown)
    zero = (exact == 0) & nothing
    active = _evaluated_at(runs)
    gone = [far, *(each.lost & on for each, on in zip(values, active, strict=True))]
    leaves = np.any(gone, axis=0)
    turned = np.isin(rows, undecided(inspection).rows)  # a wrong branch is told as such
    cancelled = (root == 0) & (value.m == 0)  # with unlimited exponents, too
    lost = (real | far) & has_no_value(root, zero, leaves) & ~turned & ~cancelled
    size = np.abs(exact)
    held = np.full(len(rows), Held.UNKNOWN, dtype=np.int64)
    at_root = far & (wide.dead == len(runs.tape) - 1)
    held[at_root | value.lost | np.isinf(exact)] = Held.BEYOND
    held[(exact != 0) & (size < SMALLEST_NORMAL)] = Held.FEWER
    held[zero | ((size >= SMALLEST_NORMAL) & (size <= LARGEST))] = Held.NORMAL
    missed = _error_of(root, exact, value)
    worn = real & leaves & ~lost & ~zero & ~turned & (missed > FAR * UNIT_ROUNDOFF * s)
    worn &= size <= LARGEST
    unknown = np.isin(rows, [*amplification.unsettled, *amplification.indistinct])
    unknown &= ~amplification.valid[rows] & ~lost & ~np.isfinite(root)
    at = np.flatnonzero(lost)
    nodes, reasons = _places(
        runs.tape,
        [y[at] for y in in_double],
        [np.asarray(each.lost)[at] for each in values],
        [y[at] for y in exact_by_slot],
        [each.log2[at] for each in values],
        far[at],
        [on[at] for on in active],
    )
    first_gone = np.array(runs.tape.nodes)[np.argmax(np.array(gone[1:])[:, worn], axis=0)]
    why = np.where(_by_overflow(inspection, rows[worn]), Reason.OVERFLOW, Reason.UNDERFLOW)
    costs = digits_of_errors(missed[worn])
    return DoubleRange(
        total,
        int(np.count_nonzero(leaves)),
        Blamed.of(rows[at], Outcome.NO_DOUBLE, nodes, reasons),
        held[at],
        Blamed.of(rows[worn], Outcome.RANGE_LOSS, first_gone, why, digits=costs),
        int(np.count_nonzero(unknown)),
    )


def _evaluated_at(runs: Runs) -> list[np.ndarray]:
    """By slot, the rows at which it is evaluated: what overflows elsewhere costs nothing."""
    amplification = runs.amplification
    # of a row without a value it is not known
    unknown = np.full(len(runs.rows), not amplification.chooses) | ~amplification.valid[runs.rows]
    return [amplification.evaluated(node)[runs.rows] | unknown for node in runs.tape.nodes]


def _error_of(root: Array, exact: Array, value: Any) -> Array:
    """The result's relative error, by the wide value where the exact double is rounded itself."""
    missed = relative_error(root, exact)
    small = value.lost & (value.e < 0)
    with np.errstate(all="ignore"):
        missed[small] = np.abs(Wide.of(root).over(value)[small] - 1)
    return missed


def _by_overflow(inspection: Inspection, rows: Rows) -> np.ndarray:
    """The rows, of those that lose digits to the range, at which an overflow costs them.

    A longer type tries one end of the range of doubles at a time. If neither end alone or both cost
    digits, or without a longer type, an overflow is blamed if there is one.
    """
    runs = Runs(inspection, rows)
    there = np.any(np.isinf(runs.doubles), axis=0)
    if not there.any():
        return there
    free, _, s = runs.longer()[-1], *runs.trace(inspection.formula.root.id)
    ends = runs.longer(over=True)[-1], runs.longer(under=True)[-1]
    far = FAR * UNIT_ROUNDOFF * s
    costs = [np.isfinite(free) & (relative_error(y, free) > far) for y in ends]
    return np.where(costs[0] != costs[1], costs[0], there)


def _out_of_reach(runs: Runs, exact: list[Array]) -> np.ndarray:
    """Where a value, or the angle of one, is too large or small for any arithmetic here.

    That is inf in double without a pole, a false 0, or nan.
    """
    tape, rows, wide, in_double = runs.tape, runs.rows, runs.wide, runs.doubles
    beyond = np.zeros(len(rows), dtype=bool)
    for slot in np.unique(wide.dead[wide.dead >= 0]).tolist():
        step = tape.steps[slot]
        infinite = (wide.dead == slot) & np.isinf(in_double[slot])
        if step.row is not None and step.row.pole is not None:
            operands = [in_double[i] for i in step.operands]
            infinite &= ~np.asarray(step.row.pole(NUMPY, operands, step.parameter), dtype=bool)
        value = wide.values[slot]
        small = (wide.dead == slot) & (in_double[slot] == 0) & (value.m != 0) & (value.e < 0)
        beyond |= infinite | small
    amplification = runs.amplification
    settled = runs.settled & ~amplification.valid[rows]
    for slot in np.unique(amplification.dead[rows[settled]]).tolist():
        step = tape.steps[slot]
        if step.row is not None and step.row.period:
            ends_here = settled & (amplification.dead[rows] == slot)
            beyond |= ends_here & np.isinf(exact[step.operands[0]])
    return beyond


def _places(
    tape: Tape,
    in_double: list[Array],
    lost: list[np.ndarray],
    exact: list[Array],
    sizes: list[Array],
    far: np.ndarray,
    active: list[np.ndarray],
) -> tuple[Rows, Rows]:
    """The node and `Reason` of each lost result, followed down to the step at which it was lost.

    From a step without a number to an operand without one; from a false 0 to an operand that is a
    false 0 or has left the range; else the step itself is to blame. A step that does not overflow,
    and has no number though its operands have, got a wrong operand: one that underflows, else one
    rounded to 0 or out of the domain, of several one that alone takes the value.
    """
    count = len(in_double[-1])
    no_number = [~np.isfinite(y) for y in in_double]
    wrong_zero: list[np.ndarray] = []
    for slot, (y, gone) in enumerate(zip(in_double, lost, strict=True)):
        makes_zeros = [wrong_zero[i] | np.isinf(in_double[i]) for i in tape.operands[slot]]
        passed_on = np.any(makes_zeros, axis=0) & (exact[slot] != 0)  # a 0 that is none
        wrong_zero.append((y == 0) & (gone | passed_on))
    current = np.full(count, len(tape) - 1)
    reasons = np.full(count, -1)
    for slot in range(len(tape) - 1, -1, -1):
        at_slot = (current == slot) & (reasons < 0)
        if not at_slot.any():
            continue
        operands = tape.operands[slot]
        misled = at_slot & no_number[slot] & np.isfinite(exact[slot]) & ~far
        misled &= ~np.any([no_number[i] for i in operands], axis=0)
        best = np.full(count, -np.inf)
        for operand in reversed(operands):  # of several the largest: it carries the value
            small = at_slot & wrong_zero[operand] & (misled | ~no_number[slot])
            without = at_slot & no_number[operand]
            size = np.where(without, np.inf, sizes[operand])
            chosen = (small | without) & active[operand] & (size >= best)
            current[chosen], best[chosen] = operand, size[chosen]
        misled &= current == slot
        if not misled.any():
            continue
        ways = {
            Reason.ROUNDED_TO_ZERO: {i: (in_double[i] == 0) & (exact[i] != 0) for i in operands},
            Reason.ROUNDED_OUT: {i: in_double[i] != exact[i] for i in operands},
        }
        with np.errstate(all="ignore"):
            others = {i: [(exact if k == i else in_double)[k] for k in operands] for i in operands}
            mends = {i: np.isfinite(evaluate(tape.steps[slot], a)) for i, a in others.items()}
        # first what alone would have left a value
        for way, alone, i in itertools.product(ways, (True, False), operands):
            hit = misled & ways[way][i] & (mends[i] | (not alone))
            current[hit], reasons[hit] = i, way
            misled &= ~hit
        # by less than a double shows
        current[misled], reasons[misled] = operands[0], Reason.ROUNDED_OUT
    by_itself = np.where(
        [no_number[slot][row] for row, slot in enumerate(current.tolist())],
        Reason.OVERFLOW,
        Reason.UNDERFLOW,
    )
    return np.array(tape.nodes)[current], np.where(reasons < 0, by_itself, reasons)
