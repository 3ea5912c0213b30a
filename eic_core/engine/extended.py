"""Values and amplifications beyond double range (1e400, 1e-400), many samples at a time.

Where a function needs the digits of a lost value (a sine of 1e400), the amplification is nan from
there on, never a smaller number. Good to about 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine.forward import forward
from eic_core.engine.native.library import INVALID
from eic_core.engine.tape import LEAST_LOG10, MAX_LOG10, SMALLEST_NORMAL, Step, Tape
from eic_core.engine.walk import Arithmetic, Through, walk
from eic_core.engine.walked import Walked
from eic_core.formula.tree import UNDEFINED
from eic_core.operators import NUMPY, Operator
from eic_core.operators.row import LEAST
from eic_core.operators.wide import Array, Wide, add, divide, multiply, subtract

_MOST_BITS, _LEAST_BITS = MAX_LOG10 / math.log10(2), LEAST_LOG10 / math.log10(2)


@dataclass
class WalkedWide(Walked):
    """As doubles, with the values whatever their size."""

    values: Sequence[Wide] = ()


def evaluate(
    tape: Tape, columns: Mapping[str, Array], count: int, plain: Walked | None = None
) -> WalkedWide:
    """Evaluate a tape at samples some of whose values leave double range.

    `plain` holds the double-precision results, which stand for slots that no lost value reaches.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> result = evaluate(tape_of(read("1 + exp(-x)").formula), {"x": np.array([1000.0])}, 1)
    >>> result.s2[:, 0].tolist()  # of 1, x, -x, exp(-x), the sum
    [1.0, 1.0, 2.0, 2000001.0, 2.0]
    """
    numbers, values = _forward(tape, columns, count, plain)
    with np.errstate(all="ignore"):
        done = walk(tape, numbers, values, numbers.settled)
        walked = WalkedWide.of_values(tape, count, [value.doubles for value in values])
    walked.values = values
    walked.add_noise(tape, done)
    for slot, outside in numbers.outside.items():
        walked.end(slot, outside & walked.active_at(slot))
    walked.status[walked.dead >= 0] = INVALID
    return walked


def wide_values(tape: Tape, columns: Mapping[str, Array], count: int) -> list[Wide]:
    """The values of `evaluate` alone, at half of its cost."""
    return _forward(tape, columns, count, None)[1]


def _forward(
    tape: Tape, columns: Mapping[str, Array], count: int, plain: Walked | None
) -> tuple[_WideNumbers, list[Wide]]:
    numbers = _WideNumbers(tape, columns, count, plain)
    with np.errstate(all="ignore"):
        return numbers, forward(tape, numbers.leaf, numbers.apply)


class _WideNumbers(Arithmetic):
    def __init__(
        self, tape: Tape, columns: Mapping[str, Array], count: int, plain: Walked | None
    ) -> None:
        self.tape, self.columns, self.count = tape, columns, count
        self.one = np.ones(count)
        self.outside: dict[int, Any] = {}  # Where a slot has no real value, ascending
        self.settled: dict[int, Through] = {}  # The slots that no lost value reaches
        self._plain = plain
        if plain is None:
            return
        size = np.abs(plain.y)
        ordinary = np.all((size >= SMALLEST_NORMAL) & (size < math.inf), axis=1).tolist()
        for slot, operands in enumerate(tape.operands):
            ordinary[slot] &= all(ordinary[i] for i in operands)
            if ordinary[slot]:
                own = tuple(plain.terms[tape.edges[slot]])
                self.settled[slot] = Through(plain.s2[slot], own)

    def is_zero(self, y: Wide) -> Any:
        return y.m == 0

    def plain(self, y: Wide) -> Array:
        return y.doubles

    def leaf(self, step: Step) -> Wide:
        if step.column:
            return _decimals(np.asarray(self.columns[step.column], dtype=np.float64))
        if step.label == UNDEFINED:
            self.outside[step.slot] = np.ones(self.count, dtype=bool)
        if SMALLEST_NORMAL <= abs(step.value) < math.inf:
            return Wide.of(np.full(self.count, step.value))
        wide = _decimal(step.label)
        return Wide(np.full(self.count, wide.m[0]), np.full(self.count, wide.e[0]))

    def apply(self, step: Step, a: list[Wide]) -> Wide:
        row = step.row
        assert row is not None
        if step.slot in self.settled and self._plain is not None:
            return Wide.of(self._plain.y[step.slot])
        if row.numeric:
            value, outside = _value(row, a, step.parameter)
            if outside.any():
                self.outside[step.slot] = outside
            return value
        if row.widely is None:
            return Wide.of(row.evaluate([w.doubles for w in a], step.parameter))
        return row.widely(a, step.parameter)

    def attained(self, step: Step, a: list[Wide], y: Wide) -> list[Any]:
        return [(w.m == y.m) & (w.e == y.e) for w in a]

    def equal(self, step: Step, a: list[Wide]) -> Any:
        return subtract((a[0], a[1]), math.nan).m == 0

    def agree(self, step: Step, a: list[Wide]) -> Any:
        return subtract((a[1], a[2]), math.nan).m == 0

    def kappas(self, step: Step, a: list[Wide], y: Wide, s2: list[Any]) -> tuple[Any, ...]:
        assert step.row is not None
        return _kappas(step.row, a, y, step.parameter)


def _decimals(values: Array) -> Wide:
    wide = Wide.of(values)
    lost = np.flatnonzero(wide.lost).tolist()
    if not lost:
        return wide
    m, e = wide.m.copy(), wide.e.copy()
    for i in lost:
        decimal = _decimal(repr(float(values[i])))
        m[i], e[i] = decimal.m[0], decimal.e[0]
    return Wide(m, e)


def _decimal(text: str) -> Wide:
    from eic_core.operators.balls import read_number, working  # few formulas have such numbers

    try:
        with working(64):
            mantissa, exponent = read_number(text).mid().man_exp()
    except ValueError:
        return Wide.of(np.array([math.nan]))
    drop = max(int(mantissa).bit_length() - 64, 0)  # of a number written with hundreds of digits
    mantissa, exponent = int(mantissa) >> drop, int(exponent) + drop
    return Wide.scaled(np.array([float(mantissa)]), np.array([float(exponent)]))


def _value(row: Operator, a: list[Wide], p: float) -> tuple[Wide, Any]:
    """The value, nan where it is not known, and where there is none."""
    x = [_representative(w) for w in a]
    plain = np.asarray(row.evaluate(x, p), dtype=np.float64)
    value = Wide.of(plain)
    is_known = ~np.isnan(a[0].m)
    lost = a[0].lost
    for w in a[1:]:
        is_known, lost = is_known & ~np.isnan(w.m), lost | w.lost
    outside = is_known & np.isnan(plain)
    if row.pole is not None:
        outside |= is_known & np.isinf(plain) & row.pole(NUMPY, x, p)
    underflows = plain == 0
    if row.vanishes is None:
        underflows = np.zeros_like(underflows)
    else:
        underflows &= np.logical_not(row.vanishes(NUMPY, x, p))
    if row.widely is not None:
        beyond = lost | value.lost | np.isinf(plain) | underflows
        value = row.widely(a, p).where(beyond, value)
        outside = is_known & ~np.isfinite(value.m)
    else:
        if lost.any():
            if row.period or row.multiples:
                outside &= ~lost
            value = _beyond(row, a, p).where(lost, value)
        value = Wide(np.where(underflows, math.nan, value.m), value.e)
    outside = outside | (value.e > _MOST_BITS) | (value.e < _LEAST_BITS)
    unreal = ~np.isfinite(value.m)
    return Wide(np.where(unreal, math.nan, value.m), np.where(unreal, 0.0, value.e)), outside


def _beyond(row: Operator, a: list[Wide], p: float) -> Wide:
    """The value of an operator without a wide form where an operand is lost."""
    if row.selects:
        return _selected(row, a)
    unknown = Wide.of(np.full_like(a[0].m, math.nan))
    if row.multiples:
        return _inside_divisor(row, a, p).where(divide(a, p).e < 0, unknown)
    if len(a) > 1:
        return unknown
    plain = Wide.of(row.evaluate([_representative(a[0])], p))
    return _near_origin(row, a[0], p).where(a[0].lost & (a[0].e < 0), plain)


def _inside_divisor(row: Operator, a: list[Wide], p: float) -> Wide:
    """What a divisor leaves of a number below half of it: the number, or one divisor more."""
    number, divisor = (np.copysign(size, w.m) for size, w in zip((0.25, 1.0), a, strict=True))
    more = np.rint((row.evaluate([number, divisor], p) - number) / divisor)
    added = add((a[0], multiply((Wide.of(more), a[1]), p)), p)
    return a[0].where((more == 0) | (a[0].m == 0), added)


def _representative(w: Wide) -> Array:
    """A double on the same side of 0 and 1: the smallest normal or infinity for a lost one."""
    size = np.where(w.e > 0, math.inf, SMALLEST_NORMAL)
    return np.where(w.lost, np.copysign(size, w.m), w.doubles)


def _near_origin(row: Operator, w: Wide, p: float) -> Wide:
    """f(x) = f(0) + f'(0) x, for operands too small for a double; nan if f has no slope."""
    origin = np.zeros_like(w.m)
    level = np.asarray(row.evaluate([origin], p)) + origin
    slope = np.asarray(row.partials(NUMPY, [origin], level, p)[0]) + origin
    linear = Wide.scaled(slope * w.m, w.e)
    return linear.where(level == 0, Wide.of(np.where(np.isfinite(slope), level, math.nan)))


def _selected(row: Operator, a: list[Wide]) -> Wide:
    wants_less = row.evaluate([1.0, 2.0], math.nan) == 1.0
    chosen = a[0]
    for w in a[1:]:
        ahead = subtract((w, chosen), math.nan).m
        chosen = w.where((ahead < 0) if wants_less else (ahead > 0), chosen)
        unknown = np.isnan(w.m) | np.isnan(chosen.m)
        chosen = Wide(np.where(unknown, math.nan, chosen.m), chosen.e)
    return chosen


def _kappas(row: Operator, a: list[Wide], value: Wide, p: float) -> tuple[Any, ...]:
    if row.fixed is not None:
        return tuple(np.full_like(w.m, k) for w, k in zip(a, row.fixed(p), strict=True))
    if row.kappa2_widely is not None:
        return row.kappa2_widely(a, value)
    x, y = [w.doubles for w in a], value.doubles
    if row.scales:
        largest = np.maximum.reduce([np.where(w.m == 0, -np.inf, w.e) for w in a])
        largest = np.where(np.isfinite(largest), largest, 0.0)
        x = [Wide(w.m, w.e - largest).doubles for w in a]
        y = np.asarray(row.evaluate(x, p))
    kappas = row.kappa_squared(NUMPY, x, y, p)
    if len(a) > 1:
        return kappas
    w = a[0]
    origin = np.zeros_like(w.m)
    level = np.asarray(row.evaluate([origin], p)) + origin
    limit = np.asarray(row.zero_limit(NUMPY, [origin], p)[0]) + origin
    tiny = w.lost & (w.e < 0) & np.isfinite(level)
    flat = w.lost & (w.e > 0) & (row.partials(NUMPY, x, y, p)[0] == 0) & (row.widely is None)
    least = LEAST if row.sloped else 0.0
    kappa2 = np.where(tiny, np.where(level == 0, np.square(limit), least), kappas[0])
    kappa2 = np.where(flat, least, kappa2)
    return (np.where(np.isnan(value.m), math.nan, kappa2),)
