"""Series as formulas: polynomials by Horner's rule, and Padé approximants."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from eic_core.rewriting.builder import Builder, Weighted
from eic_core.rewriting.series.expansion import Expansion
from eic_core.rewriting.series.proposals import number_term
from eic_core.rewriting.terms import Terms

_PLEASANT = 10**7
"""Larger whole coefficients are no easier to read than fractions."""


def pade(
    coefficients: Sequence[Fraction], over: int, under: int
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The polynomials p and q, q[0] = 1, of degrees `over` and `under` at most, with p/q equal to
    the series up to the power over + under. None if there are none, or too few coefficients.

    >>> exp = [Fraction(1), Fraction(1), Fraction(1, 2), Fraction(1, 6), Fraction(1, 24)]
    >>> [[str(c) for c in part] for part in pade(exp, 2, 2)]
    [['1', '1/2', '1/12'], ['1', '-1/2', '1/12']]
    """
    if len(coefficients) < over + under + 1:
        return None

    def c(power: int) -> Fraction:
        return coefficients[power] if power >= 0 else Fraction(0)

    rows = [
        [*(c(over + i - j) for j in range(1, under + 1)), -c(over + i)] for i in range(1, under + 1)
    ]
    solved = _solve(rows)
    if solved is None:
        return None
    q = [Fraction(1), *solved]
    p = [
        sum((q[j] * c(k - j) for j in range(min(k, under) + 1)), Fraction(0))
        for k in range(over + 1)
    ]
    return p, q


def _solve(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of linear equations, each with its right side at its end; None if singular."""
    size = len(rows)
    for column in range(size):
        pivot = next((i for i in range(column, size) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column]
        for i in range(size):
            if i != column and rows[i][column]:
                share = rows[i][column] / head[column]
                rows[i] = [a - share * b for a, b in zip(rows[i], head, strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def without_denominators(
    over: Sequence[Fraction], under: Sequence[Fraction]
) -> tuple[list[Fraction], list[Fraction]]:
    """The same quotient with whole coefficients, if these are short.

    >>> parts = without_denominators([Fraction(1), Fraction(1, 2)], [Fraction(1), Fraction(-1, 3)])
    >>> [[str(c) for c in part] for part in parts]
    [['6', '3'], ['6', '-2']]
    """
    common = lcm(*(c.denominator for c in (*over, *under)))
    shared = gcd(*((c * common).numerator for c in (*over, *under)))
    factor = Fraction(common, shared or 1)
    scaled = [[c * factor for c in part] for part in (over, under)]
    if any(abs(c) >= _PLEASANT for part in scaled for c in part):
        return list(over), list(under)
    return scaled[0], scaled[1]


def horner(
    terms: Terms, coefficients: Sequence[int], first: int, h: int, *, reciprocal: bool = False
) -> int:
    """The sum of coefficients[i] * h**(first + i), by Horner's rule; with `reciprocal` in 1/h.

    The first power and a factor that all coefficients share stand in front, and minus signs between
    the brackets; powers that are missing are skipped. At least one coefficient is not 0.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x = terms.add(read("x").formula)
    >>> sine = [number_term(terms, Fraction(*c)) for c in ((1, 6), (0, 1), (-1, 120))]
    >>> for reciprocal in (False, True):
    ...     written = horner(terms, sine, 3, x, reciprocal=reciprocal)
    ...     print(to_python(terms.formula(terms.with_quotients(written))))
    x**3*(1/6 - x**2/120)
    (1/6 - 1/120/x**2)/x**3
    """
    writer = _Writer(terms, h, reciprocal)
    shared, numbers = writer.common(coefficients)
    return writer.in_front(shared, *writer.brackets(numbers, first))


def quotient(
    terms: Terms,
    over: Sequence[Fraction],
    under: Sequence[Fraction],
    first: int,
    h: int,
    *,
    reciprocal: bool = False,
) -> int:
    """h**first times the quotient of two polynomials in h, or in 1/h, whose coefficients these are.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x = terms.add(read("x").formula)
    >>> tan = [Fraction(15), Fraction(0), Fraction(-1)], [Fraction(15), Fraction(0), Fraction(-6)]
    >>> to_python(terms.formula(quotient(terms, *tan, 1, x)))
    'x*(15 - x**2)/(15 - 6*x**2)'
    """
    writer = _Writer(terms, h, reciprocal)
    top = [number_term(terms, c) for c in over]
    below = [number_term(terms, c) for c in under]
    denominator = writer.in_front(None, *writer.brackets(below, 0))
    power, bracket, negative = writer.brackets(top, first)
    numerator = writer.in_front(None, max(power, 0), bracket, negative)
    if power < 0:
        denominator = writer.in_front(None, -power, denominator, False)
    return terms.intern("div", (numerator, denominator))


def written(terms: Terms, expansion: Expansion) -> int:
    """An expansion as a term in its quantity."""
    question = expansion.question
    at_infinity = isinstance(question.point, str)
    h = question.quantity
    if not isinstance(question.point, str) and question.point:
        h = Builder(terms).sub(h, number_term(terms, question.point))
    total = horner(terms, expansion.coefficients, expansion.first, h, reciprocal=at_infinity)
    if expansion.factor is None:
        return total
    return Builder(terms).mul(expansion.factor, total)


class _Writer:
    def __init__(self, terms: Terms, h: int, reciprocal: bool) -> None:
        self.terms, self.h, self.reciprocal = terms, h, reciprocal
        self.build = Builder(terms)

    def common(self, coefficients: Sequence[int]) -> tuple[int | None, list[int]]:
        """A factor that all have in common but for numbers, and the numbers; None for 1."""
        parts = [self.build.coefficient(c) for c in coefficients if self.terms.number(c) != 0]
        kinds = {self.terms.kind(part.term) for part in parts}
        if len(kinds) != 1 or len(parts) == 1 or parts[0].term == self.build.one():
            return None, list(coefficients)
        numbers = [
            Fraction(0) if self.terms.number(c) == 0 else self.build.coefficient(c).weight
            for c in coefficients
        ]
        return parts[0].term, [number_term(self.terms, number) for number in numbers]

    def brackets(self, coefficients: Sequence[int], first: int) -> tuple[int, int, bool]:
        """The power in front, what stands behind it, and whether minus stands before both."""
        powers = [i for i, c in enumerate(coefficients) if self.terms.number(c) != 0]
        value, negative = self._unsigned(coefficients[powers[-1]])
        above = powers[-1]
        for power in reversed(powers[:-1]):
            inner = self.times_power(value, above - power)
            leading, minus = self._unsigned(coefficients[power])
            value = self.terms.intern("add" if minus == negative else "sub", (leading, inner))
            negative, above = minus, power
        return first + powers[0], value, negative

    def _unsigned(self, coefficient: int) -> tuple[int, bool]:
        """A coefficient, or its negative and True, if a minus stands before all of it."""
        whole = self.build.coefficient(coefficient)
        if whole.term == self.build.one():
            return number_term(self.terms, abs(whole.weight)), whole.weight < 0
        parts = [
            Weighted(sign * inner.weight, inner.term)
            for sign, term in self.build.terms_of(coefficient)
            for inner in [self.build.coefficient(term)]
        ]
        if any(part.weight > 0 for part in parts):
            return coefficient, False
        total = self.build.sum_of([Weighted(-weight, term) for weight, term in parts])
        return (coefficient, False) if total is None else (total, True)

    def times_power(self, value: int, power: int) -> int:
        """A term times h**power, or 1/h**power."""
        if power == 0:
            return value
        raised = self.build.power(Fraction(abs(power)), self.h)
        if (power < 0) != self.reciprocal:
            return self.terms.intern("div", (value, raised))
        number = self.terms.number(value)
        if number == 1:
            return raised
        if number is not None and number.numerator == 1:
            scaled = self.build.times_number(number, raised)
            if scaled is not None:
                return scaled
        pair = (value, raised) if number is not None else (raised, value)
        return self.terms.intern("mul", pair)

    def in_front(self, shared: int | None, power: int, value: int, negative: bool) -> int:
        if shared is not None:
            value = shared if self.terms.number(value) == 1 else self._times(shared, value)
        value = self.times_power(value, power)
        return self.build.neg(value) if negative else value

    def _times(self, shared: int, value: int) -> int:
        term = self.terms[shared]
        if term.operator == "div" and term.children[0] == self.build.one():
            return self.terms.intern("div", (value, term.children[1]))
        return self.terms.intern("mul", (shared, value))
