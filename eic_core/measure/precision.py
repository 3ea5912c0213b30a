"""Algorithm 1 at 60 digits, for the samples that double precision cannot settle.

Values are real numbers: a literal or table cell is the decimal written, pi is
exact.  The recursion runs in its absolute form v_k = y_k^2 + sum (de_k/dy_i)^2 v_i,
for `mpmath` numbers neither overflow nor underflow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from eic_core.formula.operators import Operator
from eic_core.measure.plan import Plan, Step

DIGITS = 60

MAX_LOG10 = 10**6
"""Beyond |log10 |y|| = 10^6 a value counts as having left every range."""

_MAX_BITS = int(MAX_LOG10 * 3.321928094887362) + 1

_NOISE = -165
"""2^-165 is about 1e-50: a relative size that only rounding at 60 digits explains."""

_MAX_TRIG_BITS = 40_000
"""A sine of more than 12,000 digits is not worth its reduction: unresolved."""


class _OutOfDomain(Exception):
    """The step has no real value at this sample."""


class _TooLarge(Exception):
    """The step's value is beyond `MAX_LOG10` or too costly."""


@dataclass(frozen=True, slots=True)
class ExactSample:
    """What 60 digits say about one sample.

    Attributes
    ----------
    y : list of mpf
        Per slot, up to the first invalid one.
    s2 : list of float
        Per slot; inf where singular or beyond double range.
    contributions : list of tuple of float
        Per slot and operand, kappa^2 s_i^2.
    first_invalid : int or None
        Node id at which the sample has no real value.
    """

    y: list[Any]
    s2: list[float]
    contributions: list[tuple[float, ...]]
    first_invalid: int | None


class ExactEvaluator:
    """Evaluates a tape at high precision, one sample at a time.

    Parameters
    ----------
    plan : Plan
    digits : int
        Working precision in decimal digits.
    """

    def __init__(self, plan: Plan, digits: int = DIGITS) -> None:
        self.plan = plan
        self.mp = mpmath.MPContext()  # a context of our own: the global one is shared by threads
        self.mp.dps = digits
        mp = self.mp
        self._constants = {s.slot: self._number(s.label) for s in plan.steps if s.label}
        self._noise = mp.mpf(2) ** _NOISE

    def _number(self, text: str) -> Any:
        if text == "pi":
            return +self.mp.pi
        if text == "e":
            return +self.mp.e
        if "/" in text:
            fraction = Fraction(text)
            return self.mp.mpf(fraction.numerator) / fraction.denominator
        return self.mp.mpf(text)

    def sample(self, values: dict[str, str]) -> ExactSample:
        """Evaluate one sample.

        Parameters
        ----------
        values : mapping of variable name to decimal text
        """
        y: list[Any] = []
        v: list[Any] = []  # absolute variance over sigma^2
        s2: list[Any] = []
        contributions: list[tuple[float, ...]] = []
        invalid: int | None = None
        one = self.mp.mpf(1)
        for step in self.plan.steps:
            if step.row is None:
                value = self._number(values[step.column]) if step.column else None
                value = self._constants[step.slot] if value is None else value
                y.append(value)
                v.append(value * value)
                s2.append(one)
                contributions.append(())
                continue
            try:
                value, terms, variance = self._step(step, step.row, y, v, s2)
            except (_OutOfDomain, _TooLarge):
                invalid = step.node
                break
            total = one
            for term in terms:
                total += term
            y.append(value)
            v.append(variance)
            s2.append(total)
            contributions.append(tuple(_to_float(t) for t in terms))
        return ExactSample(y, [_to_float(s) for s in s2], contributions, invalid)

    def _step(
        self, step: Step, row: Operator, y: list[Any], v: list[Any], s2: list[Any]
    ) -> tuple[Any, list[Any], Any]:
        mp = self.mp
        a = [y[i] for i in step.operands]
        if row.integer_points:
            a = [self._on_grid(operand) for operand in a]
        value = self._value(step, row, a)
        slots = step.operands
        if row.selects:
            attained = [i for i, operand in enumerate(a) if operand == value]
            best = max(attained, key=lambda i: s2[slots[i]])
            terms = [s2[slots[i]] if i == best else mp.mpf(0) for i in range(len(a))]
            variance = v[slots[best]]
            return value, terms, variance + value * value
        parameter = step.exact_parameter
        try:
            partials = row.partials(mp, a, value, parameter)
        except ZeroDivisionError:
            partials = tuple(mp.inf for _ in a)
        moved = []
        for partial, slot in zip(partials, slots, strict=True):
            variance = v[slot]
            if variance == 0 or partial == 0:
                moved.append(mp.mpf(0))
            elif mp.isinf(variance) or mp.isinf(partial):
                moved.append(mp.inf)
            else:
                moved.append(mp.mpf(partial) ** 2 * variance)
        if value != 0:
            squared = value * value
            terms = [m / squared for m in moved]
            return value, terms, squared + mp.fsum(moved)
        terms = []
        limits = row.zero_limit([float(operand) for operand in a], step.parameter)
        for limit, slot, m in zip(limits, slots, moved, strict=True):
            limit = float(limit)
            if limit != 0 and not math.isnan(limit):
                terms.append(mp.mpf(limit) ** 2 * s2[slot])
            else:
                terms.append(mp.mpf(0) if m == 0 else mp.inf)
        return value, terms, mp.fsum(moved)

    def _value(self, step: Step, row: Operator, a: list[Any]) -> Any:
        mp = self.mp
        size = max((operand.bc + operand.exp if operand else 0) for operand in a)
        if row.crossing == "argument" or row.name in ("cos", "sec"):
            if size > _MAX_TRIG_BITS:
                raise _TooLarge
        elif size > 24 and row.name in ("exp", "expm1", "sinh", "cosh"):
            if abs(a[0]) > MAX_LOG10 * 2.302585092994046:
                return self._limit_of_exponential(row, a[0])
        elif row.name in ("pow", "power"):
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
        if row.crossing and value:
            scale = max(abs(operand) for operand in a)
            if row.name not in ("add", "sub"):
                scale = min(scale, 1)
            if abs(value) < self._noise * scale:
                return mp.mpf(0)
        return value

    def _limit_of_exponential(self, row: Operator, x: Any) -> Any:
        if row.name == "expm1" and x < 0:
            return self.mp.mpf(-1)
        raise _TooLarge

    def _guard_power(self, step: Step, a: list[Any]) -> None:
        if not a[0]:
            return
        exponent = a[1] if len(a) == 2 else self.mp.mpf(step.parameter)
        if exponent and abs(exponent) * abs(self.mp.log(abs(a[0]), 10)) > MAX_LOG10:
            raise _TooLarge

    def _on_grid(self, x: Any) -> Any:
        """x, or the half-integer that it differs from by rounding at 60 digits only."""
        mp = self.mp
        if not x or x.bc + x.exp > 60:
            return x
        nearest = mp.nint(2 * x) / 2
        return nearest if nearest and abs(x - nearest) <= self._noise * abs(nearest) else x


def _to_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
