"""Series as formulas: polynomials by Horner's rule, and products as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import Builder, Weighted
from eic_core.rewriting.series.expansion import Expansion
from eic_core.rewriting.terms import Terms


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


def chain(terms: Terms, operator: str, parts: Sequence[int]) -> int:
    total = parts[0]
    for part in parts[1:]:
        total = terms.intern(operator, (total, part))
    return total


def number_term(terms: Terms, value: Fraction) -> int:
    """A number as a leaf, or as the quotient of two where it has too many digits for one."""
    text = terms.text(value)
    if text is not None:
        return terms.intern(CONSTANT, label=text)
    over = terms.intern(CONSTANT, label=str(value.numerator))
    if value.denominator == 1:
        return over
    return terms.intern("div", (over, terms.intern(CONSTANT, label=str(value.denominator))))


def scaled_product(build: Builder, number: Fraction, parts: Sequence[Weighted]) -> int:
    """A number times powers of terms, as people write it: ``-t**2/8``, ``1/(3*y**3)``."""
    roots = [_root(build, part) if part.weight.denominator > 2 else part for part in parts]
    above = [part for part in roots if part.weight > 0]
    below = [Weighted(-weight, term) for weight, term in roots if weight < 0]
    if below:
        over = scaled_product(build, Fraction(abs(number.numerator)), above)
        under = scaled_product(build, Fraction(number.denominator), below)
        total = build.terms.intern("div", (over, under))
        return build.terms.intern("neg", (total,)) if number < 0 else total
    product = build.product_of(above)
    assert product is not None  # It holds no number of many digits
    whole = build.product_of([Weighted(Fraction(1), number_term(build.terms, number)), *above])
    if abs(number.numerator) == 1 or whole is None or build.terms.number(product) == 1:
        whole = build.times_number(number, product)
    if whole is None:
        return chain(build.terms, "mul", [number_term(build.terms, number), product])
    return whole


def _root(build: Builder, part: Weighted) -> Weighted:
    """A power that no operator has for its own: ``u**(2/3)``."""
    size = abs(part.weight)
    if size == Fraction(1, 3):
        root = build.terms.intern("cbrt", (part.term,))
    else:
        root = build.terms.intern("pow", (part.term, number_term(build.terms, size)))
    return Weighted(Fraction(1 if part.weight > 0 else -1), root)
