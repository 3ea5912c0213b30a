"""One sample in balls: values, s^2 and edges to as many digits as are needed, each proved.

A literal or table cell is the decimal written, pi is exact. A value that may be 0, an operand that
may be on a jump or at the end of a domain asks for a proof (`proofs`), else for more bits. What
2^-`depth` of its operands does not decide counts as 0, on the jump or at the end: it is *assumed*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from flint import arb, fmpq

from eic_core.engine.branches import active_slots
from eic_core.engine.proofs import COMBINATIONS, ONE, PI, Combination, Unprovable
from eic_core.engine.tape import LEAST_LOG10, MAX_LOG10, SINGULAR_S2, Step, Tape
from eic_core.engine.walk import Arithmetic, Through, Walk, walk
from eic_core.formula.tree import UNDEFINED
from eic_core.operators import Operator
from eic_core.operators.balls import (
    BALLS,
    EXACT_BITS,
    Ball,
    contains_zero,
    magnitude,
    rational,
    read_number,
    working,
)
from eic_core.operators.row import LEAST, nowhere

ACCURACY = 44
"""Bits to which values and s^2 are known unless a caller needs more: to 10^-13."""

DEPTH, GREAT_DEPTH = 997, 6644
"""Bits below its operands to which a 0 is looked for: 10^-300, and 10^-2000."""

MANY_DIGITS = 2000
"""`GREAT_DEPTH` in decimal digits."""

DEEP_SAMPLES = 50
"""So many samples of a data set are looked at to `GREAT_DEPTH`."""

FIRST_BITS, MOST_BITS = 64, 10_000
"""The working precision to begin with, and the largest: a sine of 10^3000 takes longer."""

_BITS_PER_DIGIT = math.log2(10)

_MOST_BINARY = int(MAX_LOG10 * _BITS_PER_DIGIT) + 1
_LEAST_BINARY = int(LEAST_LOG10 * _BITS_PER_DIGIT)
"""Binary exponents beyond which a value has left every range."""

_LEAST = 1e-300
"""A smaller value of an operand is looked at closely."""

_NOTHING: frozenset[int] = frozenset()

_LONGEST_EXPONENT = 6000
"""A number with a larger decimal exponent is not read as a fraction."""


Cell = str | float
"""A number: a text is the decimal written, a float its binary value."""


class _OutOfDomain(Exception):
    """The step has no real value at this sample."""


class _TooLarge(Exception):
    """The step's value is beyond every range, or too costly."""


class _NeedsBits(Exception):
    """The step is not decided at this precision; `args[0]` bits may do."""


@dataclass(frozen=True, slots=True)
class ExactSample:
    y: list[Ball]  # Per slot, up to the first invalid one; nan in a branch that is not taken
    doubles: list[float]  # The nearest double to each of these
    # Per slot; inf where singular or beyond double range; nan in a branch that is not taken
    s2: list[float]
    contributions: list[tuple[float, ...]]  # Per slot and operand, kappa^2 s_i^2
    first_invalid: int | None  # Node id at which the sample has no real value
    # Per slot, whether it is a condition on its threshold; empty where nothing is chosen
    on_threshold: tuple[bool, ...] = ()
    # Slots whose value, or that of an operand, is 0 or on a jump as far as the depth shows
    assumed: frozenset[int] = frozenset()
    steps: list[Through] = field(default_factory=list, repr=False)
    bits: int = FIRST_BITS  # The working precision that it took

    @property
    def proven(self) -> bool:
        """Whether nothing was assumed."""
        return not self.assumed


class ExactEvaluator:
    """Evaluates a tape in balls, one sample at a time.

    - `accuracy`: bits to which every value is known.
    - `depth`: bits below its operands to which a 0 is looked for.
    - `deep_samples`: how many undecided samples are looked at to `GREAT_DEPTH` instead.
    - `noise`: whether to follow noise, too; else a sample may have nothing but values.
    """

    def __init__(
        self,
        tape: Tape,
        accuracy: int = ACCURACY,
        depth: int = DEPTH,
        deep_samples: int = 0,
        *,
        noise: bool = True,
    ) -> None:
        self.tape, self.accuracy, self.depth = tape, accuracy, depth
        self.deep_samples = deep_samples
        self.noise = noise or tape.chooses  # on a threshold a branch may have a value, too
        self.work = 0  # Nodes that were evaluated, those in many bits several times
        # constants, parameters: by bits and slot
        self._constants: dict[int, dict[int, Ball]] = {}
        self.parameters: dict[int, dict[int, Ball]] = {}
        self.reach = [0.0 if s.row is None else _reach(s.row, s) for s in tape.steps]

    def sample(self, cells: Mapping[str, Cell]) -> ExactSample:
        """Never refused: it ends at a step whose value is not found in `MOST_BITS`."""
        sample = self._to_depth(cells, self.depth)
        if sample.assumed and self.deep_samples and self.depth < GREAT_DEPTH:
            self.deep_samples -= 1
            sample = self._to_depth(cells, GREAT_DEPTH)
        return sample

    def value(self, cells: Mapping[str, Cell], bits: int) -> Ball | None:
        """The last step's value alone, if so many bits tell it, and none on the way is chosen.

        >>> from eic_core.engine.tape import tape_of
        >>> from eic_core.formula.syntax import read
        >>> evaluator = ExactEvaluator(tape_of(read("1 - tanh(x)").formula))
        >>> [evaluator.value({"x": "100"}, bits) is None for bits in (256, 512)]
        [True, False]
        """
        with working(bits):
            value = _Attempt(self, cells, bits, self.depth).plain_value()
        return None if value is None or value.rel_accuracy_bits() < self.accuracy else value

    def _to_depth(self, cells: Mapping[str, Cell], depth: int) -> ExactSample:
        bits = max(FIRST_BITS, self.accuracy + 20)
        while True:
            self.work += len(self.tape.slots) * (1 + bits // 2048)
            try:
                with working(bits):
                    return _Attempt(self, cells, bits, depth).run()
            except _NeedsBits as need:
                bits = min(max(need.args[0], bits + 32), MOST_BITS)

    def constants_at(self, bits: int) -> Mapping[int, Ball]:
        constants = self._constants.get(bits)
        if constants is None:
            constants = self._constants[bits] = {
                step.slot: _constant(step.label) for step in self.tape.steps if step.label
            }
        return constants

    def is_special(self, sample: ExactSample) -> bool:
        """Whether the last value is 0, on a jump or an end, or a condition on its threshold.

        Only as far as the depth shows; for a sample with a value.

        >>> from eic_core.engine.tape import tape_of
        >>> from eic_core.formula.syntax import read
        >>> evaluator = ExactEvaluator(tape_of(read("floor(10*x)").formula))
        >>> [evaluator.is_special(evaluator.sample({"x": x})) for x in ("0.3", "0.31")]
        [True, False]
        """
        step, y = self.tape.steps[-1], sample.y[-1]
        row = step.row
        if row is not None and not row.numeric:
            return math.isinf(sample.s2[-1])
        # a 0 of these is a value like any other
        flat = row is not None and (row.steps or row.jumps) and not row.multiples
        if (y == 0 and not flat) or row is None or row.brink is None:
            return bool(y == 0)
        with working(sample.bits):
            distance = row.brink(BALLS, *[sample.y[i] for i in step.operands])
            # beside an edge a 0 is one of the function that is guarded
            if row.edge is not None or row.multiples:
                return contains_zero(distance) or (y == 0 and sample.s2[-1] == math.inf)
            return bool(distance == 0)

    def makers(self, slot: int, sample: ExactSample) -> tuple[list[int], bool, bool]:
        """The operands through which a step with an infinite s loses its digits, and its own part.

        The places are those of operands that keep no digit and move the step without bound, or by
        more than it is large: none where the step alone makes it. Then whether the step jumps
        there, and whether it is infinitely steep.
        """
        step, through = self.tape.steps[slot], sample.contributions[slot]
        row = step.row
        if row is None or math.isnan(sample.s2[slot]):
            return [], False, False
        lost = [not sample.s2[i] <= SINGULAR_S2 for i in step.operands]
        if row.chooses:
            if math.isinf(through[0]):
                return [0] if lost[0] else [], True, False
            if sample.on_threshold[step.operands[0]]:  # both branches are 0
                return [], False, False
        if row.chooses or row.selects:
            return [i for i, part in enumerate(through) if part and lost[i]], False, False
        if row.compares:  # on its threshold: what its sides jump to matters no more
            return [], True, False
        if row.truth:
            return [i for i, gone in enumerate(lost) if gone], True, False
        with working(sample.bits):
            return self._numeric_makers(step, row, sample, lost)

    def _numeric_makers(
        self, step: Step, row: Operator, sample: ExactSample, lost: list[bool]
    ) -> tuple[list[int], bool, bool]:
        y, done = sample.y[step.slot], sample.steps[step.slot]
        unbounded = any(part == math.inf for part in done.moved)
        parts = done.moved if y == 0 or unbounded else done.terms
        makers: list[int] = []
        most: Any = 0
        for i, (part, gone) in enumerate(zip(parts, lost, strict=True)):
            enough = part == math.inf if unbounded else part > (0 if y == 0 else SINGULAR_S2)
            if gone and enough and not part < most:
                makers = [i] if part > most else [*makers, i]
                most = part
        a = [sample.y[i] for i in step.operands]
        p = row.exact_parameter(BALLS, step.exact_parameter)
        steep = any(not BALLS.isfinite(slope) for slope in row.partials(BALLS, a, y, p))
        if row.multiples and row.brink is not None:  # a ball of a half-multiple is not exact
            steep = steep or contains_zero(row.brink(BALLS, *a))
        return makers, bool(row.jumps or row.steps) and steep, steep


def settled_steps(tape: Tape) -> tuple[dict[int, tuple[float, Through]], bool]:
    """Value and noise of constant steps, as far as they have one, and if all that is proved."""
    slots = [slot for slot, constant in enumerate(tape.constant) if constant]
    sample = ExactEvaluator(tape.part(slots), deep_samples=1).sample({})
    steps: dict[int, tuple[float, Through]] = {}
    for slot, done, y, s2, terms in zip(  # up to the first without a value
        slots, sample.steps, sample.doubles, sample.s2, sample.contributions, strict=False
    ):
        at_zero = None if done.at_zero is None else float(done.at_zero)
        steps[slot] = y, Through(s2, terms, (), at_zero)
    return steps, sample.proven


def _constant(text: str) -> Ball:
    if text == "pi":
        return arb.pi()
    if text == "e":
        return arb.const_e()
    return BALLS.nan if text == UNDEFINED else read_number(text)


class _Attempt(Arithmetic):
    """One sample at one precision."""

    B = BALLS
    one = arb(1)

    def __init__(
        self, evaluator: ExactEvaluator, cells: Mapping[str, Cell], bits: int, depth: int
    ) -> None:
        self.tape, self.accuracy = evaluator.tape, evaluator.accuracy
        self.reach, self.noise = evaluator.reach, evaluator.noise
        self.cells, self.bits, self.depth = cells, bits, depth
        self.constants = evaluator.constants_at(bits)
        self.parameters = evaluator.parameters.setdefault(bits, {})
        self.y: list[Ball] = []
        self.doubles: list[float] = []  # The nearest double of each value
        self.zeros: set[int] = set()  # Slots whose value is 0
        self.assumed: set[int] = set()
        self.selected: dict[int, int] = {}  # For min and max, the operand that is attained
        self.short: dict[int, int] = {}  # For some slots, how many bits their values lack
        # For a remainder beside a jump, how many times its divisor is in it, and what is left
        self.multiples: dict[int, tuple[Ball, Ball]] = {}
        self._combinations: dict[int, Combination] = {}

    # --- values

    def run(self) -> ExactSample:
        problems: dict[int, Exception] = {}
        stop = len(self.tape)
        for step in self.tape.steps:
            try:
                value = self._number(step)
                nearest = float(value)
                if nearest == 0 and value == 0:
                    self.zeros.add(step.slot)
                self.y.append(value)
                self.doubles.append(nearest)
            except (_OutOfDomain, _TooLarge, _NeedsBits) as problem:
                if not self.tape.chooses:
                    if isinstance(problem, _NeedsBits):
                        raise
                    stop = step.slot
                    break
                problems[step.slot] = problem
                self.y.append(BALLS.nan)
                self.doubles.append(math.nan)
        active = [True] * stop
        if self.tape.chooses:
            active = self._active()
            first = min((slot for slot in problems if active[slot]), default=None)
            if first is not None:
                if isinstance(problems[first], _NeedsBits):
                    raise problems[first]
                stop = first
        short = {slot: lack for slot, lack in self.short.items() if slot < stop and active[slot]}
        if short and self.bits < MOST_BITS:
            raise _NeedsBits(self.bits + max(short.values()) + 16)
        stop = min([stop, *short])
        while True:
            y = self.y[:stop]
            try:
                done = walk(self.tape, self, y) if self.noise else Walk(y, [], [], [], [])
                return self._sample(y, done, active, None if stop == len(self.tape) else stop)
            except _TooLarge:  # of a step's noise: as of its value
                stop -= 1

    def plain_value(self) -> Ball | None:
        """The last step's value without a proof; None where it asks for more than arithmetic."""
        for step in self.tape.steps:
            row = step.row
            try:
                if row is None:
                    value = self._leaf(step)
                elif row.selects or not row.numeric:
                    return None
                else:
                    a = [self.y[i] for i in step.operands]
                    _guard(row, step, a)
                    value = _as_ball(row.exact(BALLS, a, step.exact_parameter))
            except (_OutOfDomain, _TooLarge, ZeroDivisionError, ValueError):
                return None
            if not value.is_finite():
                return None
            self.y.append(value)
        return self.y[-1]

    def _active(self, chosen: Mapping[int, bool] | None = None) -> list[bool]:
        y = [np.array([v]) for v in self.doubles]
        for slot, holds in (chosen or {}).items():
            y[slot][:] = holds
        return [bool(mask[0]) for mask in active_slots(self.tape, y, 1)]

    def _sample(
        self, y: list[Ball], done: Walk, active: list[bool], stop: int | None
    ) -> ExactSample:
        if self.tape.chooses:  # on a threshold perhaps the other branch
            chosen = {
                step.operands[0]: bool(terms[1] != 0)
                for step, terms in zip(self.tape.steps, done.contributions, strict=False)
                if step.row is not None and step.row.chooses and (terms[1] != 0 or terms[2] != 0)
            }
            active = [on or also for on, also in zip(active, self._active(chosen), strict=True)]
        s2 = list(map(float, done.s2))
        self._check_accuracy(done, s2, active)
        # what is smaller than all doubles is still something
        through = [
            tuple([float(part) or (LEAST if part > 0 else 0.0) for part in own])
            for own in done.contributions
        ]
        doubles = self.doubles[: len(y)]
        if not all(active):
            for slot, on in enumerate(active[: len(y)]):
                if not on:
                    y[slot], s2[slot], doubles[slot] = BALLS.nan, math.nan, math.nan
                    through[slot] = (0.0,) * len(through[slot])
        return ExactSample(
            y,
            doubles,
            s2,
            through,
            None if stop is None else self.tape.steps[stop].node,
            tuple([bool(on) for on in done.on_threshold]) if self.tape.chooses else (),
            frozenset(self.assumed) if self.assumed else _NOTHING,
            done.steps,
            self.bits,
        )

    def _check_accuracy(self, done: Walk, nearest: list[float], active: list[bool]) -> None:
        lacking = 0
        for s2, near, on in zip(done.s2, nearest, active, strict=False):
            if not on or near == 1.0 or s2.rel_accuracy_bits() >= ACCURACY or s2 > SINGULAR_S2:
                continue
            lacking = max(lacking, ACCURACY - s2.rel_accuracy_bits())
        if lacking > 0 and self.bits < MOST_BITS:
            self._more(self.bits + (lacking + 16 if lacking < EXACT_BITS // 2 else self.bits))

    def _more(self, bits: int) -> NoReturn:
        """Ask for so many bits."""
        if self.bits >= MOST_BITS:
            raise _TooLarge
        raise _NeedsBits(bits)

    def _deeper(self) -> NoReturn:
        """Ask for several times as many bits, or for those of the depth."""
        enough = self.depth + FIRST_BITS
        self._more(enough if 2 * self.bits < enough <= 8 * self.bits else 4 * self.bits)

    def _number(self, step: Step) -> Ball:
        row = step.row
        if row is None:
            return self._leaf(step)
        if row.chooses:
            return self._chosen(step)
        a = [self.y[i] for i in step.operands]
        reach = self.reach[step.slot]
        simple = True
        for i in step.operands:
            simple = simple and _LEAST < abs(self.doubles[i]) < reach
        if not simple:
            if any(x.is_nan() for x in a) and self.tape.chooses:
                return BALLS.nan  # of a branch that has none
            if row.selects or row.compares:
                return self._by_order(step, row, a)
            _guard(row, step, a)
        try:
            value = _as_ball(row.exact(BALLS, a, step.exact_parameter))
        except (ZeroDivisionError, ValueError) as error:
            raise _OutOfDomain from error
        if simple and value.rel_accuracy_bits() >= self.accuracy:
            return value
        if not self._is_decided(row, value):
            value = self._decide(step, row, a, value)
        size = magnitude(value)
        if size > _MOST_BINARY or (size < _LEAST_BINARY and value != 0):
            raise _TooLarge
        if value.rel_accuracy_bits() < self.accuracy:
            self.short[step.slot] = self.accuracy - value.rel_accuracy_bits()
        return value

    def _leaf(self, step: Step) -> Ball:
        if step.label:
            value = self.constants[step.slot]
        else:
            cell = self.cells[step.column]
            value = read_number(cell) if isinstance(cell, str) else arb(cell)
        if value.is_nan():
            raise _OutOfDomain
        return value

    def _is_decided(self, row: Operator, value: Ball) -> bool:
        if row.steps:
            return bool(value.is_exact() and value.is_finite())
        return bool(value.is_finite() and value.rel_accuracy_bits() > 3)

    def _chosen(self, step: Step) -> Ball:
        condition, held, other = step.operands
        if self.y[condition].is_nan():
            return BALLS.nan
        return self.y[held] if self.y[condition] != 0 else self.y[other]

    def _by_order(self, step: Step, row: Operator, a: list[Ball]) -> Ball:
        if row.compares:
            order = self.order(step.slot, *step.operands)
            return _as_ball(row.exact(BALLS, [order, 0], None))
        least = row.evaluate([1.0, 2.0], math.nan) == 1.0
        best = step.operands[0]
        for i in step.operands[1:]:
            order = self.order(step.slot, i, best)
            if (order < 0) if least else (order > 0):
                best = i
        self.selected[step.slot] = best
        return self.y[best]

    def order(self, slot: int, i: int, k: int) -> int:
        """Whether one slot is less than another (-1), as large (0) or more; asked by `slot`."""
        if i == k:
            return 0
        difference = self.y[i] - self.y[k]
        if difference > 0 or difference < 0:
            return 1 if difference > 0 else -1
        try:
            exact = (self._combination(i) - self._combination(k)).rational
            return int(exact > 0) - int(exact < 0)
        except Unprovable:
            pass
        if self.bits < MOST_BITS:
            self._assume_zero(slot, difference, max(magnitude(self.y[i]), magnitude(self.y[k])))
        self.assumed.add(slot)  # both are known, so nothing is lost with the order
        return 0

    # --- what a ball does not tell

    def _decide(self, step: Step, row: Operator, a: list[Ball], value: Ball) -> Ball:
        """The value of a step that may be 0, on a jump, or without one; or asks for more bits."""
        if row.edge is not None and self._is_on_edge(step, row.edge):
            within = [Combination.of(rational(row.edge))] * len(a)
            return _ball_of(Combination.of(row.exact(COMBINATIONS, within, None)).rational)
        if row.multiples and a[1] != 0 and (number := self._multiple(step)) is not None:
            rest = _rest(row, number)
            self.multiples[step.slot] = _ball_of(number), _ball_of(rest)
            return _ball_of(rest) * a[1]
        try:
            own = self._combination(step.slot)
            if own.is_rational:
                self._pin_all(step)
                self._hold(step, row)
                return _ball_of(own.rational)
        except (ZeroDivisionError, ValueError) as error:
            raise _OutOfDomain from error
        if self._pin_all(step):
            value = self._value_again(step, row)
            if self._is_decided(row, value):
                return value
        if not value.is_finite():
            self._look_for_value(row, step, a)
        elif contains_zero(value) and not row.steps and row.vanishes is not nowhere:
            scale = max(map(magnitude, a)) if row.words.cancels else 0
            self._assume_zero(step.slot, value, scale)
            return arb(0)
        if self.bits >= self.depth + FIRST_BITS:
            if row.integer_points and self._snap(step):
                return self._value_again(step, row)
            if row.poles and magnitude(a[0].rad()) <= -self.depth:
                self.assumed.add(step.slot)
                raise _OutOfDomain
        if row.steps and self.bits >= MOST_BITS:
            return a[0]  # so large that it jumps by nothing
        self._deeper()

    def _is_on_edge(self, step: Step, edge: Fraction) -> bool:
        """Whether the last operand has that size, as is proved or shows."""
        last = step.operands[-1]
        rest = abs(self.y[last]) - BALLS.number(edge)
        if not contains_zero(rest):
            return False
        try:
            if (abs(self._combination(last)) - Combination.of(rational(edge))).rational != 0:
                self._deeper()
        except Unprovable:
            self._assume_zero(step.slot, rest, 0)
        return True

    def _multiple(self, step: Step) -> Any:
        """How many times a divisor is in a number, where a remainder may jump.

        So many halves, as is proved or shows; None where a proof says something else.
        """
        x, y = step.operands
        try:
            exact = (self._combination(x) / self._combination(y)).rational
            return None if (2 * exact).q != 1 else exact
        except Unprovable:
            ratio = self.y[x] / self.y[y]
            number = BALLS.nint((2 * ratio).mid()) / 2
            self._assume_zero(
                step.slot, ratio - number, 0
            )  # of one divisor, however many there are
        try:
            return _dyadic(number)
        except Unprovable:
            raise _TooLarge from None

    def _hold(self, step: Step, row: Operator) -> None:
        """Ask for bits that hold the operands of a step that may jump."""
        if row.steps or row.jumps:
            exact = [self.y[i] for i in step.operands if self.y[i].is_exact()]
            longest = max((x.bits() for x in exact), default=0)
            if longest > self.bits - FIRST_BITS // 2 and self.bits < MOST_BITS:
                raise _NeedsBits(longest + FIRST_BITS)

    def _value_again(self, step: Step, row: Operator) -> Ball:
        value = row.exact(BALLS, [self.y[i] for i in step.operands], step.exact_parameter)
        value = _as_ball(value)
        if value.is_nan() and all(self.y[i].is_exact() for i in step.operands):
            raise _OutOfDomain
        return value

    def _assume_zero(self, slot: int, value: Ball, scale: int) -> None:
        """Take a ball about 0 for 0 if it is small enough; else ask for more bits."""
        if magnitude(value.abs_upper()) > scale - self.depth:
            self._deeper()
        self.assumed.add(slot)

    def _look_for_value(self, row: Operator, step: Step, a: list[Ball]) -> None:
        """Raise where neither end of the operands has a value, so that none between has."""
        points = zip(*[(x.lower(), x.mid(), x.upper()) for x in a], strict=True)
        ends = [_as_ball(row.exact(BALLS, list(at), step.exact_parameter)) for at in points]
        # between the ends of a ball may be a pole, or between poles a value
        if all(end.is_nan() for end in ends) and not (row.poles and not a[0].is_exact()):
            raise _OutOfDomain
        if not any(end.is_finite() for end in ends) and not any(end.is_nan() for end in ends):
            raise _TooLarge

    def _snap(self, step: Step) -> bool:
        """Take an operand for the half-integer that it differs from by less than the depth."""
        snapped = False
        for i in step.operands:
            x = self.y[i]
            nearest = BALLS.nint((2 * x).mid()) / 2
            if magnitude((x - nearest).abs_upper()) <= -self.depth:
                self.y[i] = nearest
                self.assumed.add(step.slot)
                snapped = True
        return snapped

    def _pin_all(self, step: Step) -> bool:
        """Take the operands that are known fractions for these; whether one changed."""
        pinned = False
        for i in step.operands:
            if not self.y[i].is_exact() and self._combination(i).is_rational:
                self.y[i] = _ball_of(self._combination(i).rational)
                pinned = True
        return pinned

    def _combination(self, slot: int) -> Combination:
        waiting = [] if slot in self._combinations else [slot]
        while waiting:
            top = waiting[-1]
            if top in self._combinations:
                waiting.pop()
                continue
            missing = [i for i in self.tape.operands[top] if i not in self._combinations]
            if missing:
                waiting += missing
                continue
            try:
                self._combinations[top] = self._find_combination(top)
            except (ZeroDivisionError, ValueError):
                if top == slot:
                    raise
                self._combinations[top] = Combination({top: fmpq(1)})  # of a branch not taken
            waiting.pop()
        return self._combinations[slot]

    def _find_combination(self, slot: int) -> Combination:
        step, itself = self.tape.steps[slot], Combination({slot: fmpq(1)})
        try:
            if step.row is None:
                text = str(step.label or self.cells[step.column])
                if text == "pi":
                    return Combination({PI: fmpq(1)})
            if slot < len(self.y) and self.y[slot].is_exact():
                return Combination.of(_dyadic(self.y[slot]))
            if step.row is None:
                return _fraction(text, itself)
            a = [self._combination(i) for i in step.operands]
            return Combination.of(step.row.exact(COMBINATIONS, a, step.exact_parameter))
        except (Unprovable, TypeError, AttributeError):
            return itself

    # --- what the recursion asks

    def parameter(self, step: Step) -> Any:
        parameter = self.parameters.get(step.slot)
        if parameter is None:
            assert step.row is not None
            parameter = step.row.exact_parameter(BALLS, step.exact_parameter)
            self.parameters[step.slot] = parameter
        return parameter

    def anywhere(self, condition: Any) -> bool:
        return bool(condition)

    def touches_zero(self, step: Step, a: list[Ball], y: Ball) -> bool:
        return bool(self.zeros) and not self.zeros.isdisjoint((step.slot, *step.operands))

    def attained(self, step: Step, a: list[Ball], y: Ball) -> list[Any]:
        best = self.selected.get(step.slot)
        if best is None:  # of a branch that is not taken
            return [False] * len(a)
        return [self.order(step.slot, i, best) == 0 for i in step.operands]

    def equal(self, step: Step, a: list[Ball]) -> Any:
        return not any(x.is_nan() for x in a) and self.order(step.slot, *step.operands) == 0

    def agree(self, step: Step, a: list[Ball]) -> Any:
        if any(x.is_nan() for x in a):
            return False
        return self.order(step.slot, *step.operands[1:]) == 0

    def kappas(self, step: Step, a: list[Ball], y: Ball, s2: list[Any]) -> Sequence[Any]:
        row = step.row
        assert row is not None
        p = self.parameter(step) if row.has_parameter else BALLS.nan
        if step.slot in self.multiples:  # the divisor for a unit, so that a jump is met exactly
            number, y = self.multiples[step.slot]
            a = [number, arb(1)]
        kappas = row.kappa_squared(BALLS, a, y, p)
        # a step without a value stands in a branch that is not taken
        if y == 0 or y.is_nan() or not any(s == math.inf for s in s2):
            return kappas
        return [
            self._decided_kappa(step, row, i, p) if s == math.inf and not k > 0 else k
            for i, (s, k) in enumerate(zip(s2, kappas, strict=True))
        ]

    def _decided_kappa(self, step: Step, row: Operator, place: int, p: Any) -> Any:
        """A kappa^2 that may be 0, which decides whether an infinite s passes."""
        if row.sloped:
            return self.one
        self._pin_all(step)
        own = self._combination(step.slot)
        y = _ball_of(own.rational) if own.is_rational else self.y[step.slot]
        kappa = row.kappa_squared(BALLS, [self.y[i] for i in step.operands], y, p)[place]
        if kappa > 0 or kappa == 0:
            return kappa
        if self.bits >= MOST_BITS:  # the value is known, and what may pass does
            self.assumed.add(step.slot)
            return BALLS.inf
        if kappa.is_finite():
            self._assume_zero(step.slot, kappa, 0)
            return arb(0)
        self._deeper()


def _reach(row: Operator, step: Step) -> float:
    """The size of operands below which a value that is good to many digits needs no other look."""
    if not row.numeric or row.selects or row.steps or row.multiples:
        return 0.0
    if row.power:
        return 1e300 if abs(step.parameter) < 1000 else 1000.0 if row.arity == 2 else 0.0
    return 1e5 if row.exponential else 1e15 if row.period else 1e300


def _guard(row: Operator, step: Step, a: list[Ball]) -> None:
    """Raise before what would take too long, or leaves every range."""
    size = magnitude(a[0])
    if row.period and size > MOST_BITS:
        raise _TooLarge
    if row.exponential and size > 50 and not (row.low is not None and a[0] < 0):
        raise _TooLarge
    if row.power and a[0] != 0:
        exponent = a[1] if len(a) == 2 else step.parameter
        grows = exponent * BALLS.log(abs(a[0])) / math.log(2)  # a base about 1 may need more bits
        if grows < _LEAST_BINARY or grows > 2 * _MOST_BINARY:
            raise _TooLarge


def _as_ball(value: Any) -> Ball:
    return value if value.__class__ is arb else arb(value)


def _fraction(text: str, otherwise: Combination) -> Combination:
    exponent = text.lower().partition("e")[2]
    if text == "e" or text == UNDEFINED or (exponent and abs(int(exponent)) > _LONGEST_EXPONENT):
        return otherwise
    return Combination({ONE: rational(Fraction(text))})


def _ball_of(value: Any) -> Ball:
    """The ball of a fraction, exact if it is one over a power of 2."""
    under = int(value.q)
    if under & (under - 1):
        return arb(value)
    return arb(mid=(int(value.p), 1 - under.bit_length()))


def _rest(row: Operator, number: Any) -> Any:
    """What a remainder of so many divisors leaves, in divisors."""
    a = [Combination.of(number), Combination.of(fmpq(1))]
    return row.exact(COMBINATIONS, a, None).rational


def _dyadic(x: Ball) -> Any:
    mantissa, exponent = (int(part) for part in x.man_exp())
    if abs(exponent) > MOST_BITS:
        raise Unprovable
    return fmpq(mantissa) * fmpq(2) ** exponent
