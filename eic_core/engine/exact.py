"""Values and amplifications at 60 digits, for the samples that double precision cannot settle.

A literal or table cell is the decimal written, pi is exact. The recursion runs in its absolute
form v_k = y_k^2 + sum (de_k/dy_i)^2 v_i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from eic_core.engine import edges
from eic_core.engine.branches import active_slots, threshold
from eic_core.engine.reference import SettledConstant
from eic_core.engine.tape import MAX_LOG10, SINGULAR_S2, Step, Tape
from eic_core.formula.tree import UNDEFINED
from eic_core.operators import MpBackend, Operator

DIGITS = 60

MANY_DIGITS = 1000
"""What is 0 at so many digits is called a zero: at 60, 1 - cos(1e-100) is one, too."""

_MAX_BITS = int(MAX_LOG10 * 3.321928094887362) + 1

_GUARD_BITS = 16
"""What is within so many bits of its accumulated rounding counts as rounding alone."""

_LOST_BITS = 60
"""What is within so many bits of the precision's end does not show in a value."""

_EXACT = -(10**12)
"""The `error` of a number that no rounding has touched."""

_MAX_TRIG_BITS = 10_000
"""A sine of more than 3,000 digits takes too long to reduce: it counts as out of range."""


class _OutOfDomain(Exception):
    """The step has no real value at this sample."""


class _TooLarge(Exception):
    """The step's value is beyond `MAX_LOG10` or too costly."""


class _MoreBits(Exception):
    """The step needs `args[0]` more bits, because its operand is so large."""


@dataclass(frozen=True, slots=True)
class ExactSample:
    y: list[Any]  # Per slot, up to the first invalid one; nan in a branch that is not taken
    # Per slot; inf where singular or beyond double range; nan in a branch that is not taken
    s2: list[float]
    contributions: list[tuple[float, ...]]  # Per slot and operand, kappa^2 s_i^2
    first_invalid: int | None  # Node id at which the sample has no real value
    # Per slot, whether it is a condition on its threshold; empty where nothing is chosen
    on_threshold: tuple[bool, ...] = ()


@dataclass(slots=True)
class _Point:
    """One slot at one sample: value, s^2, absolute variance over sigma^2, and the binary exponent
    of the rounding in y; for an operation on numbers also each operand's part of v, and whether a
    slope is infinite.
    """

    y: Any
    s2: Any
    v: Any
    error: int
    on_threshold: bool = False
    moved: tuple[Any, ...] = ()
    steep: bool = False


class ExactEvaluator:
    """Evaluates a tape at high precision (`digits` decimals), one sample at a time."""

    def __init__(self, tape: Tape, digits: int = DIGITS) -> None:
        self.tape = tape
        self.mp = mpmath.MPContext()  # a context of our own: the global one is shared by threads
        self.mp.dps = digits
        self.backend = MpBackend(self.mp)
        mp = self.mp
        self._bits = mp.prec
        self._zero, self._one = mp.mpf(0), mp.mpf(1)
        self._constants = self._read_constants()
        self._points: list[_Point | None] = []  # points of the sample that was evaluated last

    def _read_constants(self) -> dict[int, Any]:
        return {s.slot: self._number(s.label) for s in self.tape.steps if s.label}

    def _number(self, text: str) -> Any:
        if text == "pi":
            return +self.mp.pi
        if text == "e":
            return +self.mp.e
        if text == UNDEFINED:
            return self.mp.nan
        if "/" in text:
            fraction = Fraction(text)
            return self.mp.mpf(fraction.numerator) / fraction.denominator
        return self.mp.mpf(text)

    def number(self, text: str) -> Any:
        return self._number(text)

    def value(self, step: Step, operands: list[Any]) -> Any | None:
        assert step.row is not None
        try:
            return self._value(step, step.row, operands)
        except (_OutOfDomain, _TooLarge):
            return None

    def sample(self, values: dict[str, str]) -> ExactSample:
        """Evaluate one sample. A sine of 1e200 takes 200 digits more than its result: such a
        sample is evaluated again with as many, up to `_MAX_TRIG_BITS`.
        """
        extra = 0
        while True:
            try:
                with self.mp.workprec(self._bits + extra):
                    constants = self._read_constants() if extra else self._constants
                    return self._sample(values, constants)
            except _MoreBits as need:
                extra = need.args[0]

    def makers(self, slot: int, sample: ExactSample) -> tuple[list[int], bool, bool]:
        """The operands through which a step with an infinite s loses its digits, and its own part.
        `sample` is the one evaluated last. The places are those of operands that keep no digit and
        move the step without bound, or by more than it is large: none where the step alone makes
        it. Then whether the step jumps there, and whether it is infinitely steep.
        """
        step, point = self.tape.steps[slot], self._points[slot]
        row = step.row
        if row is None or point is None:
            return [], False, False
        lost = [not sample.s2[i] <= SINGULAR_S2 for i in step.operands]
        through = sample.contributions[slot]
        if row.chooses:
            condition = self._points[step.operands[0]]
            if math.isinf(through[0]):
                return [0] if lost[0] else [], True, False
            if condition is not None and condition.on_threshold:  # both branches are 0
                return [], False, False
        if row.chooses or row.selects:
            return [i for i, part in enumerate(through) if part and lost[i]], False, False
        if row.compares:  # on its threshold: what its sides jump to matters no more
            return [], True, False
        if row.truth:
            return [i for i, gone in enumerate(lost) if gone], True, False
        square = point.y * point.y
        found: list[int] = []
        most = self._zero
        for i, (part, gone) in enumerate(zip(point.moved, lost, strict=True)):
            enough = _is_inf(part) if _is_inf(point.v) else part > SINGULAR_S2 * square
            if gone and enough and part >= most:
                found = [*found, i] if part == most else [i]
                most = part
        return found, bool(row.jumps or row.steps) and point.steep, point.steep

    def is_special(self, sample: ExactSample) -> bool:
        """Whether the last value is 0, on a jump or an end, or a condition on its threshold.
        Only as far as this precision sees; for a sample with a value.

        >>> from eic_core.engine.tape import tape_of
        >>> from eic_core.formula.syntax import read
        >>> evaluator = ExactEvaluator(tape_of(read("floor(10*x)").formula), 100)
        >>> [evaluator.is_special(evaluator.sample({"x": x})) for x in ("0.3", "0.31")]
        [True, False]
        """
        step = self.tape.steps[-1]
        row, y = step.row, sample.y[-1]
        if row is not None and not row.numeric:
            return math.isinf(sample.s2[-1])
        # a 0 of these is a value like any other
        flat = row is not None and (row.steps or row.jumps) and not row.multiples
        if (not y and not flat) or row is None or row.brink is None:
            return not y
        a = [sample.y[i] for i in step.operands]
        return _mag(row.brink(self.backend, *a)) < _mag(a[0]) + _LOST_BITS - self.mp.prec

    def saturates(self, sample: ExactSample) -> bool:
        """Whether an operand of some step is too far off to show in its value at this precision.

        Then a 0 above may be none: 1 - tanh(1e6) is 10^-868,588.

        >>> from eic_core.engine.tape import tape_of
        >>> from eic_core.formula.syntax import read
        >>> evaluator = ExactEvaluator(tape_of(read("1 - tanh(x)").formula), 100)
        >>> [evaluator.saturates(evaluator.sample({"x": x})) for x in ("3", "200")]
        [False, True]
        """
        for step, y in zip(self.tape.steps, sample.y, strict=False):
            row = step.row
            if row is None or not row.numeric or row.selects or row.steps or row.jumps:
                continue
            if not y or self.mp.isnan(y):  # nan in a branch that is not taken
                continue
            a = [sample.y[i] for i in step.operands]
            try:
                slopes = row.partials(
                    self.backend, a, y, row.mp_parameter(self.mp, step.exact_parameter)
                )
            except ZeroDivisionError:
                continue
            flat = len(a) == 1 and not row.period and not row.has_parameter
            for x, slope in zip(a, slopes, strict=True):
                if not x or _is_inf(slope):
                    continue
                if not slope and flat:
                    return True
                lost = _LOST_BITS - self.mp.prec
                # a wave's slope is small there by rounding
                on_crest = row.period and _mag(slope) < _mag(x) + lost
                if slope and not on_crest and _mag(slope) + _mag(x) - _mag(y) < lost:
                    return True
        return False

    def constants(self) -> dict[int, SettledConstant]:
        """The constant operations that have a value, by slot."""
        points: dict[int, _Point] = {}
        found: dict[int, SettledConstant] = {}
        for step in self.tape.steps:
            if not self.tape.constant[step.slot]:
                continue
            if step.row is None:
                value = self._constants[step.slot]
                points[step.slot] = _Point(value, self._one, value * value, self._rounding(value))
            elif all(i in points for i in step.operands):
                try:
                    point, terms = self._step(step, step.row, [points[i] for i in step.operands])
                except (_OutOfDomain, _TooLarge, _MoreBits):
                    continue
                points[step.slot] = point
                deviation = 0.0 if point.y else _to_float(self.mp.sqrt(point.v))
                through = tuple(_to_float(t) for t in terms)
                found[step.slot] = SettledConstant(
                    _to_float(point.y), _to_float(point.s2), through, deviation
                )
        return found

    def _choosing_sample(self, values: dict[str, str], constants: dict[int, Any]) -> ExactSample:
        mp = self.mp
        found: list[_Point | Exception] = []
        terms: list[list[Any]] = []
        raised: set[int] = set()
        for step in self.tape.steps:
            operands = [found[i] for i in step.operands]
            result: _Point | Exception
            own: list[Any] = [self._zero] * len(operands)
            try:
                if step.row is None:
                    value = self._number(values[step.column]) if step.column else None
                    value = constants[step.slot] if value is None else value
                    if mp.isnan(value):
                        raise _OutOfDomain
                    result = _Point(value, self._one, value * value, self._rounding(value))
                elif step.row.chooses:
                    result, own = self._choose(operands)
                else:
                    failed = [p for p in operands if not isinstance(p, _Point)]
                    points = [p for p in operands if isinstance(p, _Point)]
                    if failed:
                        result = failed[0]
                    elif step.row.truth:
                        result, own = self._truth(step, step.row, points)
                    else:
                        result, own = self._step(step, step.row, points)
            except (_OutOfDomain, _TooLarge, _MoreBits) as error:
                result = error
                raised.add(step.slot)
            found.append(result)
            terms.append(own)
        y = [np.array([_to_float(p.y) if isinstance(p, _Point) else math.nan]) for p in found]
        active = [bool(mask[0]) for mask in active_slots(self.tape, y, 1)]
        known, invalid = len(found), None
        for slot in sorted(raised):
            problem = found[slot]
            if active[slot]:
                if isinstance(problem, _MoreBits):
                    raise problem
                known, invalid = slot, self.tape.steps[slot].node
                break
        for step, own in zip(self.tape.steps, terms, strict=True):
            if step.row is not None and step.row.chooses and (own[1] or own[2]):
                y[step.operands[0]][:] = bool(own[1])  # on a threshold perhaps the other branch
        counted = active_slots(self.tape, y, 1)
        active = [on or bool(mask[0]) for on, mask in zip(active, counted, strict=True)]
        kept = [
            p if on and isinstance(p, _Point) else None for p, on in zip(found, active, strict=True)
        ][:known]
        self._points = kept
        return ExactSample(
            [mp.nan if p is None else p.y for p in kept],
            [math.nan if p is None else _to_float(p.s2) for p in kept],
            [
                tuple([_to_float(t) if p is not None else 0.0 for t in own])
                for p, own in zip(kept, terms, strict=False)
            ],
            invalid,
            tuple([p is not None and p.on_threshold for p in kept]),
        )

    def _truth(self, step: Step, row: Operator, points: list[_Point]) -> tuple[_Point, list[Any]]:
        a = [p.y for p in points]
        equal = False
        if row.compares:
            blur = max(p.error for p in points)
            equal = a[0] == a[1] or _mag(a[0] - a[1]) <= blur + _GUARD_BITS
            a = [a[0], a[0]] if equal else a
        truths = [
            found.row is not None and found.row.truth
            for found in (self.tape.steps[i] for i in step.operands)
        ]
        stds = [
            self.mp.inf if p.on_threshold else self._zero if truth else p.v
            for p, truth in zip(points, truths, strict=True)
        ]
        on = bool(threshold(row, a, stds, [p.on_threshold for p in points], equal))
        value = row.exact(self.mp, a, None)
        own, s2 = [self._zero] * len(points), self._one
        if on and step.slot in self.tape.counted:
            own = [self.mp.inf if std else self._zero for std in stds]
            s2 = self.mp.inf
        return _Point(value, s2, s2 if on else value * value, _EXACT, on), own

    def _choose(self, operands: list[_Point | Exception]) -> tuple[_Point | Exception, list[Any]]:
        condition, *branches = operands
        own = [self._zero] * 3
        if not isinstance(condition, _Point):
            return condition, own
        place = 0 if condition.y else 1
        taken, other = branches[place], branches[1 - place]
        if not isinstance(taken, _Point):
            return taken, own
        s2, v = taken.s2, taken.v
        if condition.on_threshold:
            agree = isinstance(other, _Point) and (
                other.y == taken.y
                or _mag(other.y - taken.y) <= max(other.error, taken.error) + _GUARD_BITS
            )
            both_zero = isinstance(other, _Point) and not taken.y and not other.y
            if (
                agree
                and isinstance(other, _Point)
                and (both_zero or not _is_inf(max(s2, other.s2)))
            ):
                if both_zero and other.s2 > s2:  # what moves is counted to the one that does
                    place = 1 - place
                s2, v = max(s2, other.s2), max(v, other.v)
            else:
                own[0] = v = self.mp.inf
        own[1 + place] = s2
        point = _Point(taken.y, 1 + own[0] + s2, v + taken.y * taken.y, taken.error)
        return point, own

    def _sample(self, values: dict[str, str], constants: dict[int, Any]) -> ExactSample:
        if self.tape.chooses:
            return self._choosing_sample(values, constants)
        points: list[_Point] = []
        contributions: list[tuple[float, ...]] = []
        invalid: int | None = None
        for step in self.tape.steps:
            if step.row is None:
                value = self._number(values[step.column]) if step.column else None
                value = constants[step.slot] if value is None else value
                points.append(_Point(value, self._one, value * value, self._rounding(value)))
                contributions.append(())
                continue
            try:
                point, terms = self._step(step, step.row, [points[i] for i in step.operands])
            except (_OutOfDomain, _TooLarge):
                invalid = step.node
                break
            points.append(point)
            contributions.append(tuple(_to_float(t) for t in terms))
        y, s2 = [p.y for p in points], [_to_float(p.s2) for p in points]
        self._points = list(points)
        return ExactSample(y, s2, contributions, invalid)

    def _rounding(self, value: Any) -> int:
        return _EXACT if value.bc < self.mp.prec - 8 else _mag(value) + 2 - self.mp.prec

    def _step(self, step: Step, row: Operator, operands: list[_Point]) -> tuple[_Point, list[Any]]:
        """A step's point from its operands', and each operand's part of s^2.

        The rules of ADR 0001 and what 60 digits need to apply them, in order:

        ==================  =======================================================================
        on the grid         an operand that rounding alone keeps off an integer is one: `_on_grid`
        phase               a sine or floor of a large operand takes more bits: `_knows_phase`
        no value            outside the domain, or too large to evaluate: `_value`
        selection           min and max pass on what they attain: `_select`
        rounding alone      what may be nothing but rounding is 0, or without value at a pole
        absolute form       v = y^2 + sum (de_k/dy_i)^2 v_i, at ordinary points as at zeros
        value 0             the limits of kappa: `_terms`
        ==================  =======================================================================

        Raises `_OutOfDomain` if there is no value, or none yet.
        """
        if row.integer_points:
            operands = [self._on_grid(p) for p in operands]
        if row.multiples:
            operands = self._on_multiple(*operands)
        a = [p.y for p in operands]
        far = (row.period or row.steps) and not self._knows_phase(operands[0].error)
        if far and row.period:
            raise _TooLarge
        value = self._value(step, row, a)
        if row.selects:
            return self._select(value, operands)
        partials = (self._zero,) if far else self._partials(step, row, operands, value)
        error = self._carried_rounding(row, value, partials, operands)
        rounding_alone = error > _EXACT and (not value or _mag(value) <= error + _GUARD_BITS)
        if rounding_alone and (row.crossing or row.poles):
            if row.poles and abs(value) > 1:
                raise _OutOfDomain
            value, error = self._zero, _EXACT
            partials = self._partials(step, row, operands, value)
        moved = [self._moved(partial, p) for partial, p in zip(partials, operands, strict=True)]
        variance = value * value
        for part in moved:
            if part:
                variance += part
        terms = self._terms(step, row, operands, value, moved)
        total = self._one
        for term in terms:
            total += term
        steep = any(map(_is_inf, partials))
        return _Point(value, total, variance, error, False, tuple(moved), steep), terms

    def _carried_rounding(
        self, row: Operator, value: Any, partials: tuple[Any, ...], operands: list[_Point]
    ) -> int:
        error = self._rounding(value)
        if row.words.cancels and self._drops_bits([p.y for p in operands]):
            error = max(error, _mag(value) + 2 - self.mp.prec)
        for partial, p in zip(partials, operands, strict=True):
            if p.error > _EXACT and partial:
                carried = _mag(value) if _is_inf(partial) else _mag(partial) + p.error
                error = max(error, carried + 1)
        return error

    def _drops_bits(self, terms: list[Any]) -> bool:
        """Whether a sum cannot hold all of its terms: 1e80 - 0.25 is 1e80, which is short."""
        known = [term for term in terms if term]
        lowest = min((term.exp for term in known), default=0)
        return max(map(_mag, known), default=lowest) - lowest >= self.mp.prec

    def _moved(self, partial: Any, operand: _Point) -> Any:
        """(de_k/dy_i)^2 v_i; 0 if either factor is, however large the other."""
        if not operand.v or not partial:
            return self._zero
        if _is_inf(operand.v) or _is_inf(partial):
            return self.mp.inf
        return partial * partial * operand.v

    def _terms(
        self, step: Step, row: Operator, operands: list[_Point], value: Any, moved: list[Any]
    ) -> list[Any]:
        if value:
            squared = value * value
            return [part / squared if part else part for part in moved]
        limits = row.zero_limit(self.backend, [p.y for p in operands], step.parameter)
        return [
            edges.term_at_zero(self.backend, limit, p.s2, part)
            for limit, p, part in zip(limits, operands, moved, strict=True)
        ]

    def _partials(
        self, step: Step, row: Operator, operands: list[_Point], value: Any
    ) -> tuple[Any, ...]:
        """de_k/dy_i: inf on a jump, 0 on the crest of a wave as far as the operand is known."""
        parameter = row.mp_parameter(self.mp, step.exact_parameter)
        try:
            partials = row.partials(self.backend, [p.y for p in operands], value, parameter)
        except ZeroDivisionError:
            return tuple(self.mp.inf for _ in operands)
        if row.period and _mag(partials[0]) <= operands[0].error + _GUARD_BITS:
            return (self._zero,)
        return partials

    def _select(self, value: Any, operands: list[_Point]) -> tuple[_Point, list[Any]]:
        blur = min(p.error for p in operands if p.y == value)
        attained = [
            i
            for i, p in enumerate(operands)
            if p.y == value or _mag(p.y - value) <= max(p.error, blur) + _GUARD_BITS
        ]
        best, largest = attained[0], self.mp.mpf(-1)
        for i in sorted(attained, key=lambda i: operands[i].v, reverse=True):
            if edges.takes_over(self.backend, True, operands[i].s2, largest):
                best, largest = i, operands[i].s2
        chosen = operands[best]
        terms = [chosen.s2 if i == best else self._zero for i in range(len(operands))]
        point = _Point(value, 1 + chosen.s2, chosen.v + value * value, chosen.error)
        return point, terms

    def _value(self, step: Step, row: Operator, a: list[Any]) -> Any:
        """The value, guarded against operands that would take too long.
        Raises `_OutOfDomain` outside the domain or at a pole, and `_TooLarge` where |log10 |y||
        exceeds `MAX_LOG10` or a sine's operand is too large to reduce.
        """
        mp = self.mp
        size = max((operand.bc + operand.exp if operand else 0) for operand in a)
        if row.period:
            if size > _MAX_TRIG_BITS:
                raise _TooLarge
        elif size > 24 and row.exponential:
            if abs(a[0]) > MAX_LOG10 * 2.302585092994046:
                return self._limit_of_exponential(row, a[0])
        elif row.power:
            self._guard_power(step, a)
        try:
            value = row.exact(mp, a, step.exact_parameter)
        except (ZeroDivisionError, ValueError) as error:
            raise _OutOfDomain from error
        except OverflowError as error:
            raise _TooLarge from error
        if isinstance(value, mp.mpc) or not mp.isfinite(value):
            raise _OutOfDomain
        if value and abs(value.bc + value.exp) > _MAX_BITS:
            raise _TooLarge
        return value

    def _limit_of_exponential(self, row: Operator, x: Any) -> Any:
        """The value far below 0, for functions that have one there (`Operator.low`)."""
        if row.low is not None and x < 0:
            return self.mp.mpf(row.low)
        raise _TooLarge

    def _guard_power(self, step: Step, a: list[Any]) -> None:
        if not a[0]:
            return
        exponent = a[1] if len(a) == 2 else self.mp.mpf(step.parameter)
        if exponent and abs(exponent) * abs(self.mp.log(abs(a[0]), 10)) > MAX_LOG10:
            raise _TooLarge

    def _knows_phase(self, error: int) -> bool:
        """Whether the operand of a sine or a floor is known to 2^-60; asks for more bits if not.

        A floor beyond 10^3000 is its operand, and jumps by nothing.
        """
        if error <= -60:
            return True
        bits = self.mp.prec - self._bits + error + 100
        if bits <= _MAX_TRIG_BITS:
            raise _MoreBits(bits)
        return False

    def _on_grid(self, p: _Point) -> _Point:
        if p.error == _EXACT or _mag(p.y) > self.mp.prec - 60:
            return p
        nearest = self.mp.nint(2 * p.y) / 2
        if nearest and _mag(p.y - nearest) <= p.error + _GUARD_BITS:
            return _Point(nearest, p.s2, p.v, _EXACT)
        return p

    def _on_multiple(self, x: _Point, y: _Point) -> list[_Point]:
        """The same for half-multiples of the second operand, whose number must be known."""
        if not x.y or not y.y:
            return [x, y]
        number = x.y / y.y
        error = max(x.error, _mag(x.y) + max(y.error - _mag(y.y), -self.mp.prec)) - _mag(y.y) + 3
        if not self._knows_phase(error):
            raise _TooLarge
        nearest = self.mp.nint(2 * number) / 2
        if nearest and _mag(number - nearest) <= error + _GUARD_BITS:
            exactly = self.mp.fmul(nearest, y.y, exact=True)
            return [_Point(exactly, x.s2, x.v, _EXACT), y]
        return [x, y]


def _mag(x: Any) -> int:
    """The binary exponent of |x|, rounded up; that of 0 is below all others."""
    if isinstance(x, (int, float)):
        return math.frexp(x)[1] if x else _EXACT
    _, mantissa, exponent, bits = x._mpf_
    return exponent + bits if mantissa else _EXACT


def _is_inf(x: Any) -> bool:
    if isinstance(x, (int, float)):
        return math.isinf(x)
    _, mantissa, exponent, _ = x._mpf_
    return not mantissa and exponent != 0  # no value here is nan


def _to_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
