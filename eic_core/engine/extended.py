"""Values and amplifications beyond double range (1e400, 1e-400), without 60 digits.

Where a function needs the digits of a lost value (a sine of 1e400), the amplification is nan from
there on, never a smaller number. Good to about 1e-12, some hundred times faster than 60 digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine import edges
from eic_core.engine.branches import active_slots, choice_terms, threshold
from eic_core.engine.tape import MAX_LOG10, SMALLEST_NORMAL, Step, Tape
from eic_core.formula.tree import UNDEFINED
from eic_core.operators import NUMPY, Operator
from eic_core.operators.wide import Array, Wide, subtract

_MOST_BITS = MAX_LOG10 / math.log10(2)


@dataclass(frozen=True)
class ExtendedSamples:
    # y, s2: shape (slots, n): Values as doubles, and s^2: infinite where singular, nan where it
    # needs a lost value
    y: Array
    s2: Array
    terms: list[Array]  # shape (n,): kappa^2 s_i^2 of each operand of the tape
    dead: np.ndarray  # shape (n,): Slot at which a sample first has no real value, or -1
    values: list[Wide | None]  # The values, whatever their size; None where `y` has them all

    def value(self, slot: int) -> Wide:
        known = self.values[slot]
        return Wide.of(self.y[slot]) if known is None else known


Plain = tuple[Array, Array, Array]
"""Values and s^2 of every slot, and the terms of every operand, in double precision alone."""


def evaluate(
    tape: Tape, columns: Mapping[str, Array], count: int, plain: Plain | None = None
) -> ExtendedSamples:
    """Evaluate a tape at samples some of whose values leave double range.
    `plain` holds the double-precision results, which stand for slots that no lost value reaches.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> found = evaluate(tape_of(read("1 + exp(-x)").formula), {"x": np.array([1000.0])}, 1)
    >>> found.s2[:, 0].tolist()  # of 1, x, -x, exp(-x), the sum
    [1.0, 1.0, 2.0, 2000001.0, 2.0]
    """
    values: list[Wide | None] = [None] * len(tape)
    ordinary: list[bool]
    terms: list[Array]
    if plain is None:
        y, s2 = np.empty((len(tape), count)), np.ones((len(tape), count))
        ordinary, terms = [False] * len(tape), []
    else:
        y, s2, terms = plain[0].copy(), plain[1].copy(), list(plain[2])
        ordinary = _ordinary(y)
    below = np.zeros((len(tape), count))
    dead = np.full(count, -1)
    first = 0
    outside_at: dict[int, np.ndarray] = {}
    on_threshold: dict[int, Any] = {}

    def value_of(slot: int) -> Wide:
        wide = values[slot]
        if wide is None:
            wide = values[slot] = Wide.of(y[slot])
        return wide

    with np.errstate(all="ignore"):
        for step in tape.steps:
            slot, operands = step.slot, step.operands
            if ordinary[slot] and all(ordinary[i] for i in operands):
                first += len(operands)
                continue
            ordinary[slot] = False  # no step that this one reaches is ordinary, either
            if step.row is None:
                value = _leaf(step, columns, count)
                if step.label == UNDEFINED:
                    outside_at[slot] = np.ones(count, dtype=bool)
            else:
                a = [value_of(i) for i in operands]
                if step.row.numeric:
                    value, outside = _value(step.row, a, step.parameter)
                    own = _terms(step, step.row, a, value, s2, below)
                else:
                    value, own = _choice(tape, step, step.row, a, s2, below, on_threshold)
                    outside = np.zeros(count, dtype=bool)
                if tape.chooses:
                    outside_at[slot] = outside
                else:
                    dead[outside & (dead < 0)] = slot
                s2[slot] = 1.0 + sum(own)
                terms[first : first + len(operands)] = own
                first += len(operands)
            values[slot] = value
            y[slot] = value.doubles
    if tape.chooses:
        for slot, active in enumerate(active_slots(tape, y, count)):
            if slot in outside_at:
                dead[outside_at[slot] & active & (dead < 0)] = slot
    return ExtendedSamples(y, s2, terms, dead, values)


def _choice(
    tape: Tape,
    step: Step,
    row: Operator,
    a: list[Wide],
    s2: Array,
    below: Array,
    on_threshold: dict[int, Any],
) -> tuple[Wide, list[Array]]:
    """A truth value or a choice, and each operand's part of s^2.
    Adds the step to `on_threshold` if it is a condition.
    """
    assert row.widely is not None or not row.compares
    slots = step.operands
    if row.widely is None:
        value = Wide.of(row.evaluate([w.doubles for w in a], step.parameter))
    else:
        value = row.widely(a, step.parameter)
    never = np.zeros_like(value.m, dtype=bool)
    stds = [np.where(w.m == 0, below[i], 1.0) for w, i in zip(a, slots, strict=True)]
    on = [on_threshold.get(i, never) for i in slots]
    if row.truth:
        stds = [
            np.where(on_threshold[i], np.inf, 0.0) if i in on_threshold else std
            for i, std in zip(slots, stds, strict=True)
        ]
        equal = subtract((a[0], a[1]), math.nan).m == 0 if row.compares else never
        operands = [w.doubles for w in a]
        jumps = on_threshold[step.slot] = threshold(row, operands, stds, on, equal)
        if step.slot not in tape.counted:
            return value, [np.zeros_like(value.m) for _ in a]
        below[step.slot] = np.where(jumps, np.inf, 0.0)
        return value, [np.where(jumps & (std > 0), np.inf, 0.0) for std in stds]
    agree = subtract((a[1], a[2]), math.nan).m == 0
    terms = choice_terms([w.m for w in a], [s2[i] for i in slots], on[0], agree)
    moved = np.where(a[0].m != 0, below[slots[1]], below[slots[2]])
    moved = np.where(on[0], np.fmax(below[slots[1]], below[slots[2]]), moved)
    below[step.slot] = np.where(terms[0] > 0, np.inf, np.where(value.m == 0, moved, 0.0))
    return value, list(terms)


def _ordinary(y: Array) -> list[bool]:
    size = np.abs(y)
    found: list[bool] = np.all((size >= SMALLEST_NORMAL) & (size < math.inf), axis=1).tolist()
    return found


def _leaf(step: Step, columns: Mapping[str, Array], count: int) -> Wide:
    if step.column:
        return _decimals(np.asarray(columns[step.column], dtype=np.float64))
    if SMALLEST_NORMAL <= abs(step.value) < math.inf:
        return Wide.of(np.full(count, step.value))
    found = _decimal(step.label)
    return Wide(np.full(count, found.m[0]), np.full(count, found.e[0]))


def _decimals(values: Array) -> Wide:
    wide = Wide.of(values)
    lost = np.flatnonzero(wide.lost).tolist()
    if not lost:
        return wide
    m, e = wide.m.copy(), wide.e.copy()
    for i in lost:
        found = _decimal(repr(float(values[i])))
        m[i], e[i] = found.m[0], found.e[0]
    return Wide(m, e)


def _decimal(text: str) -> Wide:
    from mpmath import libmp  # few formulas have such numbers

    try:
        sign, mantissa, exponent, bits = libmp.from_str(text, 64, "n")
    except ValueError:
        return Wide.of(np.array([math.nan]))
    part = math.ldexp(float(mantissa), -bits)
    return Wide.scaled(np.array([-part if sign else part]), np.array([exponent + bits]))


def _value(row: Operator, a: list[Wide], p: float) -> tuple[Wide, Any]:
    x = [_representative(w) for w in a]
    plain = np.asarray(row.evaluate(x, p), dtype=np.float64)
    value = Wide.of(plain)
    known = ~np.isnan(a[0].m)
    lost = a[0].lost
    for w in a[1:]:
        known, lost = known & ~np.isnan(w.m), lost | w.lost
    outside = known & np.isnan(plain)
    if row.pole is not None:
        outside |= known & np.isinf(plain) & row.pole(NUMPY, x, p)
    if row.widely is not None:
        true_zero = plain == 0
        if row.vanishes is not None:
            true_zero &= row.vanishes(NUMPY, x, p)
        beyond = lost | value.lost | np.isinf(plain) | ((plain == 0) & ~true_zero)
        value = row.widely(a, p).where(beyond, value)
        outside = known & ~np.isfinite(value.m)
    elif lost.any():
        if row.period or row.multiples:
            outside &= ~lost
        if len(a) == 1:
            tiny = lost & (a[0].e < 0)
            value = _near_origin(row, a[0], p).where(tiny, value)
        elif row.selects:
            value = _selected(row, a).where(lost, value)
        else:
            value = Wide(np.where(lost, math.nan, value.m), value.e)
    if row.widely is None and row.vanishes is not None:
        underflows = (plain == 0) & ~row.vanishes(NUMPY, x, p)
        value = Wide(np.where(underflows, math.nan, value.m), value.e)
    outside = outside | (np.abs(value.e) > _MOST_BITS)
    unreal = ~np.isfinite(value.m)
    return Wide(np.where(unreal, math.nan, value.m), np.where(unreal, 0.0, value.e)), outside


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


def _terms(
    step: Step, row: Operator, a: list[Wide], value: Wide, s2: Array, below: Array
) -> list[Array]:
    given = [s2[i] for i in step.operands]
    if row.selects:
        return _terms_of_selection(a, given, value, below, step)
    p = step.parameter
    x, y = [w.doubles for w in a], value.doubles
    kappas = _kappas(row, a, x, value, p)
    partials = row.partials(NUMPY, x, y, p)
    limits = row.zero_limit(NUMPY, x, p)
    at_zero = value.m == 0
    own, variance = [], np.zeros_like(given[0])
    for i, w in enumerate(a):
        std = np.where(w.m == 0, below[step.operands[i]], np.abs(x[i]) * np.sqrt(given[i]))
        moved = edges.moved_by(NUMPY, partials[i], std)
        inner = edges.term_of_inner_zero(NUMPY, y, moved)
        plain = edges.plain_term(NUMPY, kappas[i], given[i])
        at = edges.term_at_zero(NUMPY, limits[i], given[i], moved)
        own.append(np.where(at_zero, at, np.where(w.m == 0, inner, plain)))
        variance = np.hypot(variance, moved)
    below[step.slot] = np.where(at_zero, variance, 0.0)
    return own


def _kappas(row: Operator, a: list[Wide], x: list[Array], value: Wide, p: float) -> tuple[Any, ...]:
    if row.fixed is not None:
        return tuple(np.full_like(w.m, k) for w, k in zip(a, row.fixed(p), strict=True))
    if row.kappa2_widely is not None:
        return row.kappa2_widely(a, value)
    y = value.doubles
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
    kappa2 = np.where(tiny, np.where(level == 0, np.square(limit), 0.0), kappas[0])
    kappa2 = np.where(flat, 0.0, kappa2)
    return (np.where(np.isnan(value.m), math.nan, kappa2),)


def _terms_of_selection(
    a: list[Wide], given: list[Array], value: Wide, below: Array, step: Step
) -> list[Array]:
    """min and max: all comes through the operand attained, at ties through the noisier."""
    attained = [(w.m == value.m) & (w.e == value.e) for w in a]
    size = [np.where(hit, s, -math.inf) for hit, s in zip(attained, given, strict=True)]
    choice = np.argmax(np.where(np.isnan(size), math.inf, size), axis=0)
    unknown = np.isnan(value.m)
    own = []
    for i, s in enumerate(given):
        own.append(np.where(unknown, math.nan, np.where(choice == i, s, 0.0)))
        std = np.where(a[i].m == 0, below[step.operands[i]], 0.0)
        below[step.slot] = np.where((choice == i) & (value.m == 0), std, below[step.slot])
    return own
