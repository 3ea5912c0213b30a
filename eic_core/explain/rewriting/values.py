"""Terms on rows of data: values at high precision, and how noise reaches them.

A term's value is computed once, from its operands' values, with as many digits as the
formula at hand needs.  From the values, in extended double precision, follow the
derivatives D[c] = d value / d log(c) with respect to every class c of equal
sub-expressions.  The correlated amplification is q^2 = sum_c D[c]^2 / y^2, the plain one
s^2 = v / y^2 with v = y^2 + sum (de/dy_i)^2 v_i (Yu et al., ``eq:recursive_relation``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np

from eic_core.explain.rewriting.terms import Terms
from eic_core.formula.operators import NUMPY, OPERATORS
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.plan import Plan, Step
from eic_core.measure.precision import ExactEvaluator

EXTENDED = np.longdouble
"""80 bits where the machine has them: a range of 10^4932 for products of derivatives."""

_NO_PLAN = Plan((), (), (), (), ())

LARGEST, SMALLEST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)

Numbers = Any
"""An array of extended doubles."""

Values = tuple[Any | None, ...]
"""One real number for each row, or None where there is none."""


class Noise(NamedTuple):
    """How relative noise on sub-expressions reaches a term.

    Attributes
    ----------
    y : ndarray, shape (R,)
        Values; nan where there is none.
    kinds : tuple of int, length C
        Classes of equal sub-expressions at or below the term.
    moved : ndarray, shape (C, R)
        d value / d log(class), every place of the class moving together.
    variance : ndarray, shape (R,)
        Absolute variance under independent noise, over sigma^2.
    out_of_range : ndarray of bool, shape (R,)
        Rows at which a value at or below the term leaves double range.
    """

    y: Numbers
    kinds: tuple[int, ...]
    moved: Numbers
    variance: Numbers
    out_of_range: Any

    @property
    def q2(self) -> Numbers:
        """Correlated amplification squared; nan where there is no value, inf at a zero."""
        return _over_square(np.sum(np.square(self.moved), axis=0), self.y)

    @property
    def s2(self) -> Numbers:
        """Amplification squared, every node's noise taken as independent."""
        return _over_square(self.variance, self.y)


def _over_square(variance: Numbers, y: Numbers) -> Numbers:
    with np.errstate(all="ignore"):
        ratio = variance / np.square(y)
    return np.where((y == 0) | (np.isnan(ratio) & ~np.isnan(y)), np.inf, ratio)


class ValueTable:
    """Values and noise of terms on fixed rows.

    Parameters
    ----------
    terms : Terms
    rows : sequence of mapping of variable to decimal text
    digits : int
        Working precision.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> table = ValueTable(terms, [{"x": "0.5"}, {"x": "-1"}], 40)
    >>> [v is None for v in table.values(terms.add(read("log(x)").formula))]
    [False, True]
    """

    def __init__(self, terms: Terms, rows: Sequence[Mapping[str, str]], digits: int) -> None:
        self.terms = terms
        self.rows = tuple(rows)
        self.digits = digits
        self.mp = mpmath.MPContext()
        self.mp.dps = digits
        self._values: dict[int, Values] = {}
        self._noise: dict[int, Noise] = {}
        self._partials: dict[tuple[object, ...], tuple[Numbers, ...]] = {}
        self._exact = ExactEvaluator(_NO_PLAN, digits)

    def share(self, number: int, known: int) -> None:
        """Declare that two terms have the same values, so that they are computed once."""
        if number not in self._values:
            self._values[number] = self.values(known)

    def values(self, number: int) -> Values:
        """Values of a term on every row."""
        if number not in self._values:
            for below in self.terms.below(number):
                if below not in self._values:
                    self._values[below] = self._compute(below)
        return self._values[number]

    def _compute(self, number: int) -> Values:
        term = self.terms[number]
        if term.operator == VARIABLE:
            return tuple(self._exact.number(row[term.label]) for row in self.rows)
        if term.operator == CONSTANT:
            return (self._exact.number(term.label),) * len(self.rows)
        row = OPERATORS[term.operator]
        plain = term.parameter is None and term.operator != "log"
        p = math.nan if plain else row.parameter(term.parameter)
        step = Step(0, 0, row, (), p, term.parameter, "", "", math.nan)
        operands = [self._values[c] for c in term.children]
        return tuple(
            None if None in a else self._exact.value(step, list(a))
            for a in zip(*operands, strict=True)
        )

    def floors(self, number: int) -> Values:
        """For each row, the size of what rounding may leave of a value that is 0."""
        operands = [self.values(c) for c in self.terms[number].children]
        small = self.mp.mpf(10) ** (12 - self.digits)
        return tuple(
            None if not a or None in a else small * max(abs(v) for v in a)
            for a in (zip(*operands, strict=True) if operands else ((),) * len(self.rows))
        )

    def noise(self, number: int) -> Noise:
        """How noise reaches a term."""
        if number not in self._noise:
            for below in self.terms.below(number):
                if below not in self._noise:
                    self._noise[below] = self._propagate(below)
        return self._noise[number]

    def _propagate(self, number: int) -> Noise:
        term = self.terms[number]
        y = extended(self.values(number))
        size = np.abs(y)
        outside = (size > LARGEST) | ((size < SMALLEST) & (size > 0))
        kind = self.terms.kind(number)
        if not term.children:
            return Noise(y, (kind,), y[None, :], np.square(y), outside)
        below = [self._noise[c] for c in term.children]
        row = OPERATORS[term.operator]
        plain = term.parameter is None and term.operator != "log"
        p = math.nan if plain else row.parameter(term.parameter)
        with np.errstate(all="ignore"):
            partials = row.partials(NUMPY, [n.y for n in below], y, p)
        if row.selects:
            partials = _first_attained(partials)
        kinds = list(dict.fromkeys(k for n in below for k in n.kinds))
        if kind not in kinds:
            kinds.append(kind)
        place = {k: i for i, k in enumerate(kinds)}
        moved = np.zeros((len(kinds), len(y)), dtype=EXTENDED)
        variance = np.square(y)
        with np.errstate(all="ignore"):
            for partial, operand in zip(partials, below, strict=True):
                step = np.where(operand.moved == 0, 0, partial * operand.moved)
                moved[[place[k] for k in operand.kinds]] += step
                variance = variance + np.where(
                    (operand.variance == 0) | np.equal(partial, 0),
                    0,
                    np.square(partial) * operand.variance,
                )
                outside = outside | operand.out_of_range
        moved[place[kind]] += y
        return Noise(y, tuple(kinds), moved, variance, outside)


def _first_attained(partials: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
    taken = np.zeros(len(partials[0]), dtype=bool)
    first = []
    for partial in partials:
        mine = (partial > 0) & ~taken
        taken |= mine
        first.append(mine.astype(EXTENDED))
    return tuple(first)


def extended(values: Values) -> Numbers:
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


def differing_rows(left: Values, right: Values, floors: Values, digits: int) -> list[int]:
    """Rows at which `right` is not `left` to 10^-digits, or has no value where `left` has one.

    Parameters
    ----------
    left, right : sequence of mpf or None
    floors : sequence of mpf or None
        Absolute differences up to this count as none: what rounding leaves of an exact 0.
    digits : int
    """
    differing = []
    for row, (a, b, floor) in enumerate(zip(left, right, floors, strict=True)):
        if a is None:
            continue
        if b is None:
            differing.append(row)
            continue
        difference = abs(a - b)
        allowed = max(abs(a), abs(b)) * a.context.mpf(10) ** -digits
        if difference > max(allowed, floor or 0):
            differing.append(row)
    return differing
