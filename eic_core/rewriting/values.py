"""Values of terms on rows of data at high precision, and the digits that noise leaves.

The values have as many digits as the formula needs. From them, in extended double precision,
follow the derivatives D[c] = d value / d log(c) with respect to every class c of equal
sub-expressions. The correlated amplification is q^2 = sum_c D[c]^2 / y^2, the plain one s^2 = v /
y^2 with v = y^2 + sum (de/dy_i)^2 v_i (Yu et al., ``eq:recursive_relation``).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np
from mpmath.libmp import mpf_sub

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import Step, Tape
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators import NUMPY, OPERATORS
from eic_core.rewriting.terms import Terms

EXTENDED = np.longdouble
"""80 bits where the machine has them: a range of 10^4932 for products of derivatives."""

_NO_TAPE = Tape((), [], [], ())

ROUNDOFF = 2.0**-53

AGREEMENT = 30
"""Decimal digits to which a rewrite must keep every value."""

AGREEMENT_BITS = 101
"""The same in bits, rounded up."""

_NOTHING = -(10**18)

LARGEST, SMALLEST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)

Numbers = Any
"""An array of extended doubles."""

Values = tuple[Any | None, ...]
"""One real number for each row, or None where there is none."""


class Noise(NamedTuple):
    """How relative noise on sub-expressions reaches a term."""

    y: Numbers  # shape (R,): Values; nan where there is none
    kinds: tuple[int, ...]  # Classes of equal sub-expressions at or below the term
    moved: Numbers  # shape (C, R): d value / d log(class), every place of the class moving together
    # shape (R,): Absolute standard deviation under independent noise, over sigma
    deviation: Numbers
    overflows: Any  # shape (R,): Rows at which a value at or below the term is beyond double range
    # shape (R,): Classes at or below the term with values too small for a double, and where
    underflows: dict[int, Any]

    @property
    def q2(self) -> Numbers:
        """Correlated amplification squared; nan where there is no value, inf at a zero.
        1 at a zero that no shared noise moves: x - x is 0 whatever the error of x.
        """
        still = (self.y == 0) & ~np.any(self.moved != 0, axis=0)
        return np.where(still, 1.0, _relative(self.moved, self.y))

    @property
    def out_of_range(self) -> Any:
        """Rows at which a value overflows, or underflows where that matters to the term."""
        outside = self.overflows.copy()
        for kind, tiny in self.underflows.items():
            moved = np.abs(self.moved[self.kinds.index(kind)])
            outside |= tiny & (moved > np.abs(self.y) * ROUNDOFF)
        return outside

    def operations2(self, inputs: Collection[int]) -> Numbers:
        """q^2 with exact inputs: the noise of the operations and constants alone."""
        places = [i for i, kind in enumerate(self.kinds) if kind not in inputs]
        return _relative(self.moved[places], self.y)

    @property
    def loses_all(self) -> Any:
        """Rows at which independent noise leaves no digit though shared noise leaves them all."""
        return (self.y == 0) & (self.deviation > 0) & ~np.any(self.moved != 0, axis=0)

    @property
    def s2(self) -> Numbers:
        return _relative(self.deviation[np.newaxis], self.y)


def _relative(change: Numbers, y: Numbers) -> Numbers:
    """Sum of squares over the first axis, in units of y^2; y^2 itself may leave the range."""
    with np.errstate(all="ignore"):
        ratio = np.sum(np.square(change / y), axis=0)
    return np.where((y == 0) | (np.isnan(ratio) & ~np.isnan(y)), np.inf, ratio)


class ValueTable:
    """Values and noise of terms on fixed rows, with `digits` decimal digits. A float in `rows` is
    exactly its binary number; `unresolved`, shape (R,), marks rows whose values need more digits.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> table = ValueTable(terms, [{"x": "0.5"}, {"x": "-1"}], 40)
    >>> [v is None for v in table.values(terms.add(read("log(x)").formula))]
    [False, True]
    """

    def __init__(
        self, terms: Terms, rows: Sequence[Mapping[str, str | float]], digits: int
    ) -> None:
        self.terms = terms
        self.rows = tuple(rows)
        self.digits = digits
        self.unresolved = np.zeros(len(self.rows), dtype=bool)
        self.mp = mpmath.MPContext()
        self.mp.dps = digits
        self._values: dict[int, Values] = {}
        self._noise: dict[int, Noise] = {}
        self._partials: dict[tuple[object, ...], tuple[Numbers, ...]] = {}
        self._exact = ExactEvaluator(_NO_TAPE, digits)

    def declare_equal(self, number: int, known: int) -> None:
        """Declare that two terms have the same values; unresolved ones are still computed again."""
        if number not in self._values and self.resolved(known).all():
            self._values[number] = self.values(known)

    def values(self, number: int) -> Values:
        if number not in self._values:
            for below in self.terms.subterms(number):
                if below not in self._values:
                    self._values[below] = self._compute(below)
        return self._values[number]

    def _compute(self, number: int) -> Values:
        term = self.terms[number]
        if term.operator == VARIABLE:
            return tuple([self._cell(row[term.label]) for row in self.rows])
        if term.operator == CONSTANT:
            return (self._exact.number(term.label),) * len(self.rows)
        row = OPERATORS[term.operator]
        p = row.parameter(term.parameter)
        step = Step(0, 0, row, (), p, term.parameter, "", "", math.nan)
        operands = [self._values[c] for c in term.children]
        if row.integer_points:
            operands = [tuple(map(self._on_grid, values)) for values in operands]
        value = self._exact.value
        return tuple(
            [
                None if any(v is None for v in a) else value(step, list(a))
                for a in zip(*operands, strict=True)
            ]
        )

    def _on_grid(self, value: Any) -> Any:
        """The value, or the half-integer that it differs from by rounding only (ADR 0001)."""
        if value is None or not value:
            return value
        nearest = self.mp.nint(2 * value) / 2
        rounding = self.mp.mpf(10) ** (12 - self.digits) * abs(value)
        return nearest if abs(value - nearest) <= rounding else value

    def _cell(self, cell: str | float) -> Any:
        """The number of a cell: a text is the decimal written, a float its binary value."""
        return self._exact.number(cell) if isinstance(cell, str) else self._exact.mp.mpf(cell)

    def resolved(self, number: int, spare: int = AGREEMENT + 10) -> Any:
        """Rows with at least `spare` right digits after the loss by noise."""
        noise = self.noise(number)
        s2 = noise.s2
        with np.errstate(all="ignore"):
            enough = np.isnan(s2) | (0.5 * np.log10(s2) <= self.digits - spare)
        return enough | ((noise.y == 0) & (noise.deviation == 0))

    def floors(self, number: int) -> Values:
        """For each row, the largest rounding error of a value that is 0."""
        operands = [self.values(c) for c in self.terms[number].children]
        small = self.mp.mpf(10) ** (12 - self.digits)
        return tuple(
            None if not a or any(v is None for v in a) else small * max(abs(v) for v in a)
            for a in (zip(*operands, strict=True) if operands else ((),) * len(self.rows))
        )

    def agree(self, old: int, new: int) -> list[int]:
        """Rows, other than the `unresolved`, at which `new` differs from `old` beyond rounding."""
        left, right = self.values(old), self.values(new)
        differing = differing_rows(left, right)
        if not differing:
            return differing
        floors = self.floors(old)
        return [
            row
            for row in differing
            if not self.unresolved[row] and not _below(left[row], right[row], floors[row])
        ]

    def noise(self, number: int) -> Noise:
        if number not in self._noise:
            for below in self.terms.subterms(number):
                if below not in self._noise:
                    self._noise[below] = self._propagate(below)
        return self._noise[number]

    def _propagate(self, number: int) -> Noise:
        """The noise of a term from that of its operands. ``moved[c]`` is the derivative by log(c)
        of class c, summed over all ways there (shared noise); `deviation` takes every node's noise
        as independent. A way with a 0 in it passes nothing, however steep the rest.
        """
        term = self.terms[number]
        y = to_extended(self.values(number))
        size = np.abs(y)
        outside = size > LARGEST
        tiny = (size < SMALLEST) & (size > 0)
        kind = self.terms.kind(number)
        underflows = {kind: tiny} if tiny.any() else {}
        if not term.children:
            return Noise(y, (kind,), y[None, :], size, outside, underflows)
        below = [self._noise[c] for c in term.children]
        row = OPERATORS[term.operator]
        p = row.parameter(term.parameter)
        with np.errstate(all="ignore"):
            partials = row.partials(NUMPY, [n.y for n in below], y, p)
        if row.selects:
            partials = _first_attained(partials)
        kinds = list(dict.fromkeys(k for n in below for k in n.kinds))
        if kind not in kinds:
            kinds.append(kind)
        place = {k: i for i, k in enumerate(kinds)}
        moved = np.zeros((len(kinds), len(y)), dtype=EXTENDED)
        with np.errstate(all="ignore"):
            deviation = np.abs(y)
            for partial, operand in zip(partials, below, strict=True):
                step = np.where(operand.moved == 0, 0, partial * operand.moved)
                moved[[place[k] for k in operand.kinds]] += step
                silent = (operand.deviation == 0) | np.equal(partial, 0)
                passed = np.where(silent, 0, np.abs(partial) * operand.deviation)
                deviation = np.hypot(deviation, passed)
                outside = outside | operand.overflows
                underflows = underflows | operand.underflows
        moved[place[kind]] += y
        return Noise(y, tuple(kinds), moved, deviation, outside, underflows)


def _below(a: Any, b: Any, floor: Any) -> bool:
    return b is not None and floor is not None and bool(abs(a - b) <= floor)


def _first_attained(partials: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
    taken = np.zeros(len(partials[0]), dtype=bool)
    first = []
    for partial in partials:
        mine = (partial > 0) & ~taken
        taken |= mine
        first.append(mine.astype(EXTENDED))
    return tuple(first)


def to_extended(values: Values) -> Numbers:
    """High-precision numbers as extended doubles with 53 good bits; nan for None."""
    mantissas = np.empty(len(values), dtype=np.float64)
    exponents = np.zeros(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        if value is None:
            mantissas[i] = math.nan
            continue
        sign, mantissa, exponent, bits = value._mpf_
        drop = max(bits - 53, 0)
        mantissas[i] = -float(mantissa >> drop) if sign else float(mantissa >> drop)
        exponents[i] = max(min(exponent + drop, 10**6), -(10**6))
    with np.errstate(all="ignore"):
        return np.ldexp(mantissas.astype(EXTENDED), exponents.astype(np.int32))


def differing_rows(left: Sequence[Any | None], right: Sequence[Any | None]) -> list[int]:
    """Rows at which `right` is not `left` to 10^-30, or has no value where `left` has one.

    >>> from mpmath import mpf
    >>> differing_rows((mpf(1), None, mpf(2), mpf(3)), (mpf(1), mpf(5), None, mpf(4)))
    [2, 3]
    """
    differing = []
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        if a is None or a is b:
            continue
        if b is None or not _agree(a._mpf_, b._mpf_):
            differing.append(row)
    return differing


def _agree(a: Any, b: Any) -> bool:
    if a == b:
        return True
    difference = mpf_sub(a, b, 20, "n")
    if not difference[1]:
        return True
    size = max(a[2] + a[3] if a[1] else _NOTHING, b[2] + b[3] if b[1] else _NOTHING)
    return bool(difference[2] + difference[3] < size - AGREEMENT_BITS)
