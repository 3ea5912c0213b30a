"""Values of terms on rows of data in balls, and the digits that noise leaves.

A value is known to `ENOUGH` bits, or is a 0 by proof or as far as the table's depth shows. From the
values, in extended double precision, follow the derivatives D[c] = d value / d log(c) with respect
to every class c of equal sub-expressions. The correlated amplification is q^2 = sum_c D[c]^2 / y^2,
the plain one s^2 = v / y^2 with v = y^2 + sum (de/dy_i)^2 v_i (Yu et al.,
``eq:recursive_relation``).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from eic_core.engine.exact import DEPTH, Cell, ExactEvaluator
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators import NUMPY, OPERATORS, Operator
from eic_core.operators.balls import BALLS, Ball, working
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import BALL, ENDLESS, EXACT, BudgetSpent, WorkBudget

EXTENDED = np.longdouble
"""80 bits where the machine has them: a range of 10^4932 for products of derivatives."""

ROUNDOFF = 2.0**-53

AGREEMENT = 30
"""Decimal digits to which a rewrite must keep every value."""

BITS = 200
"""The working precision to begin with."""

ENOUGH = 110
"""Bits to which values are known: those of `AGREEMENT`, and ten."""

MOST_BITS = 4500
"""A row that needs many bits gets no more than these for all its values."""

_LEAST, _MOST = arb(2) ** -3_000_000, arb(2) ** 3_000_000
"""Powers that are smaller or larger are left to `ExactEvaluator`."""

LARGEST, SMALLEST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)

Numbers = Any
"""An array of extended doubles."""

Values = Sequence[Ball | None]
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
    """Values and noise of terms on fixed rows; a zero is looked for to 2^-`depth`. A term without
    variables is decided once for all rows. Raises `BudgetSpent` where its budget passes; what it
    has is kept then.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> table = ValueTable(terms, [{"x": "0.5"}, {"x": "-1"}, {"x": "1e-40"}])
    >>> [v is None for v in table.values(terms.add(read("log(x)").formula))]
    [False, True, False]
    >>> root = terms.add(read("1 - cos(x)").formula)
    >>> [f"{float(value):.4g}" for value in table.values(root)], table.digits(root)
    (['0.1224', '0.4597', '5e-81'], 156)
    """

    def __init__(
        self,
        terms: Terms,
        rows: Sequence[Mapping[str, Cell]],
        depth: int = DEPTH,
        budget: WorkBudget = ENDLESS,
    ) -> None:
        self.terms = terms
        self.budget = budget
        self.rows = tuple(rows)
        self.depth = depth
        self._bits = [BITS] * len(self.rows)
        self._values: dict[int, list[Ball | None]] = {}
        self._extended: dict[int, Numbers] = {}
        self._noise: dict[int, Noise] = {}
        self._evaluators: dict[int, ExactEvaluator] = {}
        self._took: dict[int, int] = {}  # Bits of the terms that took more
        # Rows at which a term has no value, and those at which one in it is 0 without a proof
        self._missing: dict[int, set[int]] = {}
        self._assumed: dict[int, set[int]] = {}

    def declare_equal(self, number: int, known: int) -> None:
        """Declare that two terms have the same values."""
        if number not in self._values:
            self._values[number] = list(self.values(known))
            self._missing[number] = self._missing[known]
            self._assumed[number] = self._assumed[known]
            if known in self._extended:
                self._extended[number] = self._extended[known]

    def values(self, number: int) -> Values:
        if number not in self._values:
            for below in self.terms.unknown(number, self._values):
                self._compute(below)
        return self._values[number]

    def digits(self, number: int) -> int:
        """The largest working precision that the values took, in decimal digits."""
        bits = max(self._took.get(below, BITS) for below in self.terms.subterms(number))
        return int(bits * math.log10(2))

    def _compute(self, number: int) -> None:
        term = self.terms[number]
        children = term.children
        if children and OPERATORS[term.operator].chooses:
            self._choose(number, *children)
            return
        missing = self._missing[number] = set().union(*(self._missing[c] for c in children))
        self._assumed[number] = set().union(*(self._assumed[c] for c in children))
        self._values[number] = [None] * len(self.rows)
        try:
            self.budget.check()
            self._fill(number, missing)
        except BudgetSpent:
            del self._values[number], self._missing[number], self._assumed[number]
            raise

    def _choose(self, number: int, condition: int, held: int, other: int) -> None:
        """The value of a conditional: at each row that of the branch that is taken there."""
        values: list[Ball | None] = []
        missing, assumed = set(self._missing[condition]), set(self._assumed[condition])
        for row, truth in enumerate(self._values[condition]):
            branch = held if truth is not None and truth != 0 else other
            values.append(None if row in missing else self._values[branch][row])
            if row in self._missing[branch]:
                missing.add(row)
            if row in self._assumed[branch]:
                assumed.add(row)
        self._values[number], self._missing[number] = values, missing
        self._assumed[number] = assumed

    def _fill(self, number: int, missing: set[int]) -> None:
        values = self._values[number]
        is_constant = not self.terms.has_variables(number)
        bits_of = tuple(self._bits)
        for bits in set(bits_of):
            rows = [i for i, own in enumerate(bits_of) if own == bits and i not in missing]
            alike = rows if is_constant else []
            with working(bits):
                found = self._try(number, rows[:1] if alike else rows, bits)
            if alike and found[0] is not None:
                found = [found[0]] * len(rows)
            for i, value in zip(rows, found, strict=False):
                values[i] = value
            undecided = [i for i in rows if values[i] is None]
            unknown = self._assumed[number].intersection(undecided)
            missing |= unknown  # What lies over a 0 without a proof is compared with nothing
            undecided = [i for i in undecided if i not in unknown]
            for i in undecided[:1] if alike else undecided:
                self.budget.check()
                self._settle(number, i)
            if undecided and alike:
                self._settle_alike(number, undecided[0], undecided[1:])

    def _settle_alike(self, number: int, known: int, rows: Sequence[int]) -> None:
        """Take over at some rows what one row has shown of a term that is the same at all."""
        if known in self._missing[number]:
            self._missing[number].update(rows)
        if known in self._assumed[number]:
            self._assumed[number].update(rows)
        for row in rows:
            for below in self.terms.subterms(number):
                self._values[below][row] = self._values[below][known]
            self._bits[row] = max(self._bits[row], self._bits[known])

    def _try(self, number: int, rows: Sequence[int], bits: int) -> Values:
        """The values at some rows in so many bits, the working precision; None where undecided."""
        term = self.terms[number]
        self.terms.work.spend(BALL, len(rows) * (1 + bits // 2048))
        if term.operator == VARIABLE:
            return [arb(self.rows[i][term.label]) for i in rows]
        if term.operator == CONSTANT:
            value = self._evaluator(number).constants_at(bits)[0]
            return [value if value.is_finite() else None] * len(rows)
        row, found = OPERATORS[term.operator], list[Ball | None]()
        exact, parameter = row.exact, term.parameter
        if row.truth:
            operands = zip(
                *[[self._values[c][i] for i in rows] for c in term.children], strict=True
            )
            return [_truth(row, a) for a in operands]
        delicate = row.selects or row.exponential or row.power
        for a in zip(*[[self._values[c][i] for i in rows] for c in term.children], strict=True):
            try:
                value = exact(BALLS, a, parameter)
            except (ZeroDivisionError, ValueError):
                found.append(None)
                continue
            known = value.rel_accuracy_bits() >= ENOUGH and value.is_finite()
            if known and delicate:
                known = not _is_doubtful(row, a, value)
            found.append(value if known else None)
        return found

    def _evaluator(self, number: int) -> ExactEvaluator:
        if number not in self._evaluators:
            tape = self.terms.tape(number)
            self._evaluators[number] = ExactEvaluator(tape, ENOUGH, self.depth)
        return self._evaluators[number]

    def _settle(self, number: int, row: int) -> None:
        """Find the value of a term at one row in as many bits as it needs, or by proof."""
        evaluator = self._evaluator(number)
        before = evaluator.work
        sample = evaluator.sample(self.rows[row])
        self.terms.work.spend(EXACT, evaluator.work - before)
        numbers = self.terms.subterms(number)
        if len(sample.y) < len(numbers):
            self._missing[number].add(row)
        for below, value in zip(numbers, sample.y, strict=False):
            if not value.is_nan():  # of a branch that is not taken
                self._values[below][row] = value
        self._took[number] = max(self._took.get(number, BITS), sample.bits)
        if sample.proven:
            self._bits[row] = max(self._bits[row], min(sample.bits, MOST_BITS))
        else:
            self._assumed[number].add(row)

    def agree(self, old: int, new: int) -> bool:
        """Whether two terms have the same values, but at rows at which one is not proven."""
        left, right = self.values(old), self.values(new)
        return first_difference(left, right, self._assumed[old] | self._assumed[new]) is None

    def noise(self, number: int) -> Noise:
        if number not in self._noise:
            for below in self.terms.unknown(number, self._noise):
                self._noise[below] = self._propagate(below)
        return self._noise[number]

    def _propagate(self, number: int) -> Noise:
        """The noise of a term from that of its operands. ``moved[c]`` is the derivative by log(c)
        of class c, summed over all ways there (shared noise); `deviation` takes every node's noise
        as independent. A way with a 0 in it passes nothing, however steep the rest.
        """
        term = self.terms[number]
        if number not in self._extended:
            self._extended[number] = to_extended(self.values(number))
        y = self._extended[number]
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


def _truth(row: Operator, a: Sequence[Any]) -> Ball | None:
    """A truth value as 1 or 0; None where balls do not tell."""
    if row.compares:
        order = a[0] - a[1]
        if not (order > 0 or order < 0):
            return None
        a = [arb(1 if order > 0 else -1), arb(0)]
    return arb(row.exact(BALLS, a, None))


def _is_doubtful(row: Operator, a: Sequence[Ball], value: Ball) -> bool:
    """Whether a value may be beyond every range, or another operand the one that is selected."""
    if row.selects:
        return not all(x is value or x != value or x == value for x in a)
    return not (_LEAST < abs(value) < _MOST or value == 0)


def _first_attained(partials: tuple[Numbers, ...]) -> tuple[Numbers, ...]:
    taken = np.zeros(len(partials[0]), dtype=bool)
    first = []
    for partial in partials:
        mine = (partial > 0) & ~taken
        taken |= mine
        first.append(mine.astype(EXTENDED))
    return tuple(first)


def to_extended(values: Values) -> Numbers:
    """Balls as extended doubles with 53 good bits; nan for None."""
    found = np.array([math.nan if v is None else float(v) for v in values], dtype=EXTENDED)
    size = np.abs(found)
    for i in np.flatnonzero((size > LARGEST) | (size < SMALLEST)).tolist():
        value = values[i]
        if value:
            mantissa, exponent = (int(part) for part in value.mid().man_exp())
            drop = max(abs(mantissa).bit_length() - 53, 0)
            exponent = max(min(exponent + drop, 10**6), -(10**6))
            sign = -1.0 if mantissa < 0 else 1.0
            with np.errstate(all="ignore"):
                found[i] = np.ldexp(EXTENDED(sign * float(abs(mantissa) >> drop)), exponent)
    return found


def first_difference(left: Values, right: Values, besides: Collection[int] = ()) -> int | None:
    """The first row at which `right` is not `left` to 10^-30, or has no value where `left` has one.

    >>> one, two, three = map(arb, (1, 2, 3))
    >>> first_difference((one, None, two, three), (one, two, None, one))
    2
    """
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        if a is None or a is b or row in besides:
            continue
        if b is None or not (a.overlaps(b) or _agree(a, b)):
            return row
    return None


def _agree(a: Ball, b: Ball) -> bool:
    with working(BITS):
        return bool(abs(a - b) <= abs(a) / 10**AGREEMENT)
