"""Series as formulas: polynomials by Horner's rule, and products as people write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.balls import rational, working
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.series.coefficients import (
    Coefficient,
    Ratio,
    Unproved,
    common,
    factors,
    is_zero,
    number_of,
    sign_of,
    summands,
)
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion
from eic_core.rewriting.series.taylor_models import BITS
from eic_core.rewriting.terms import Terms

MOST_WRITTEN = 10**300


def written(terms: Terms, question: ExpansionQuestion, expansion: Expansion) -> int:
    """An expansion as a term in its quantity, by Horner's rule.

    The first power and what all coefficients share stand in front, what those from one on share
    before its bracket, and minus signs between the brackets; powers that are missing are skipped.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.rewriting.series.expanding import expand
    >>> terms = Terms()
    >>> x = terms.add(read("x").formula)
    >>> for text, row in (("x - sin(x)", ()), ("(1 + x)**n - 1 - n*x", (("n", 7.0),))):
    ...     asked = ExpansionQuestion(terms.add(read(text).formula), x, Fraction(0), 3, row=row)
    ...     series = written(terms, asked, expand(terms, asked))
    ...     print(to_python(terms.formula(terms.with_quotients(series))))
    x**3*(1/6 - x**2*(1/120 - x**2/5040))
    x**2*n*(n - 1)*(0.5 + x*(n - 2)*(1/6 + x*(n - 3)/24))
    """
    with working(BITS):
        return _Writer(terms, question).written(expansion)


class CoefficientWriter:
    """Writes coefficients as terms."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.build = terms, Builder(terms)

    def term(self, c: Coefficient) -> int:
        """As a product, as a sum, or as a number times one: the first that is shortest."""
        if not isinstance(c, Ratio):
            return number_term(self.terms, Fraction(int(c.p), int(c.q)))
        ways = [self._product(c)]
        if len(c.under) == 1 < len(c.over):
            number = number_of(c)
            whole = Weighted(ONE, self._sum(c / number))
            weight = Fraction(int(number.p), int(number.q))
            ways += self._sum(c), scaled_product(self.build, weight, [whole])
        return min(ways, key=lambda n: self.terms.size(self.terms.with_quotients(n)))

    def _sum(self, c: Ratio) -> int:
        parts = [(weight > 0, self._product(part)) for weight, part in summands(c)]
        first = next((i for i, (is_positive, _) in enumerate(parts) if is_positive), 0)
        is_positive, total = parts.pop(first)
        total = total if is_positive else self.build.neg(total)
        for is_positive, part in parts:
            total = self.terms.intern("add" if is_positive else "sub", (total, part))
        return total

    def _product(self, c: Coefficient) -> int:
        return scaled_product(self.build, *self.powers(c))

    def powers(self, c: Coefficient) -> tuple[Fraction, list[Weighted]]:
        """A number, and the powers of terms with which it is the coefficient."""
        number = ONE
        powers: dict[int, Fraction] = defaultdict(Fraction)
        for factor, power in factors(c):
            for base, exponent in self._powers(factor, Fraction(power)):
                powers[base] += exponent
        roots: dict[Fraction, Fraction] = defaultdict(lambda: ONE)
        for base in list(powers):
            value = self.terms.number(base)
            if value is not None:
                exponent = powers.pop(base)
                whole = floor(exponent)
                number *= value**whole
                roots[exponent - whole] *= value
        numbers = {number_term(self.terms, v): share for share, v in roots.items() if v != 1}
        return number, [Weighted(e, base) for base, e in (numbers | powers).items() if e]

    def _powers(self, c: Coefficient, power: Fraction) -> Iterator[tuple[int, Fraction]]:
        """A power of a factor as terms with exponents: a root is a power of what is under it."""
        atom = c.atoms.atom_of(c.over) if isinstance(c, Ratio) else None
        if atom is None:
            yield self._sum(c) if isinstance(c, Ratio) else self.term(c), power
        elif atom.operator == "root":
            for factor, inner in factors(atom.argument):
                size = factor * sign_of(factor)
                yield from self._powers(size, power * inner / atom.degree)
        elif atom.operator in (VARIABLE, CONSTANT):
            yield self.terms.intern(atom.operator, label=atom.argument), power
        elif atom.operator == "exp":
            argument = self.term(atom.argument * rational(power))
            is_e = self.terms.number(argument) == 1
            e = self.terms.intern(CONSTANT, label="e")
            yield e if is_e else self.terms.intern("exp", (argument,)), ONE
        else:
            yield self.terms.intern(atom.operator, (self.term(atom.argument),)), power


class _Writer(CoefficientWriter):
    def __init__(self, terms: Terms, question: ExpansionQuestion) -> None:
        super().__init__(terms)
        self.question = question
        self.distance = distance(terms, question)

    def written(self, expansion: Expansion) -> int:
        *others, last = expansion.powers
        c = expansion.coefficients[last]
        is_negative = number_of(c) < 0
        shared = c / number_of(c)
        total, above = self.term(abs(number_of(c))), last
        for place in reversed(others):
            c = expansion.coefficients[place]
            ahead = common(shared, c)
            inner = self._times(total, shared / ahead, above - place)
            own, is_minus = self._unsigned(c / ahead)
            total = self.terms.intern("add" if is_minus == is_negative else "sub", (own, inner))
            is_negative, shared, above = is_minus, ahead, place
        total = self._times(total, shared, expansion.first + above)
        total = self.build.neg(total) if is_negative else total
        factor = self._factor(expansion.share)
        return total if factor is None else self.build.mul(factor, total)

    def _unsigned(self, c: Coefficient) -> tuple[int, bool]:
        """A coefficient, or its negative and True, if that is shorter."""
        own, opposite = self.term(c), self.term(-c)
        shorter = self.terms.size(opposite) < self.terms.size(own)
        is_minus = shorter if isinstance(c, Ratio) else bool(c < 0)
        return (opposite if is_minus else own), is_minus

    def _times(self, value: int, c: Coefficient, power: int) -> int:
        """A term times a coefficient without a number and a power of h."""
        power = -power if self.question.at_end else power
        _, parts = self.powers(c)
        parts = [Weighted(Fraction(power), self.distance), *parts] if power else parts
        number = self.terms.number(value)
        if number is not None:
            return scaled_product(self.build, number, parts)
        above = scaled_product(self.build, ONE, [part for part in parts if part.weight > 0])
        below = scaled_product(self.build, ONE, [Weighted(-e, t) for e, t in parts if e < 0])
        total = value if self.terms.number(above) == 1 else self.terms.intern("mul", (above, value))
        return total if self.terms.number(below) == 1 else self.terms.intern("div", (total, below))

    def _factor(self, share: Coefficient) -> int | None:
        """The size of h to a power that is not whole."""
        if is_zero(share):
            return None
        share = -share if self.question.at_end else share
        base = self.distance if self.question.sides == (1,) else self.build.neg(self.distance)
        exponent = self.term(share)
        value = self.terms.number(exponent)
        if value is None:
            return self.terms.intern("pow", (base, exponent))
        return scaled_product(self.build, ONE, [Weighted(value, base)])


def distance(terms: Terms, question: ExpansionQuestion) -> int:
    """The quantity less the point; at an end of the line itself."""
    if isinstance(question.point, str) or not question.point:
        return question.quantity
    return Builder(terms).sub(question.quantity, number_term(terms, question.point))


def number_term(terms: Terms, value: Fraction) -> int:
    """A number as a leaf, or as the quotient of two where it has too many digits for one.
    `Unproved` is raised where nobody would write so many.
    """
    text = terms.text(value)
    if text is not None:
        return terms.intern(CONSTANT, label=text)
    if max(abs(value.numerator), value.denominator) > MOST_WRITTEN:
        raise Unproved
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
    if len(above) > 1 and "/" in (build.terms.text(number) or ""):  # 17*(u*v)/315
        over = scaled_product(build, Fraction(number.numerator), above)
        under = number_term(build.terms, Fraction(number.denominator))
        return build.terms.intern("div", (over, under))
    whole = build.product_of([Weighted(Fraction(1), number_term(build.terms, number)), *above])
    if abs(number.numerator) == 1 or whole is None or build.terms.number(product) == 1:
        whole = build.times_number(number, product)
    if whole is not None:
        return whole
    return build.terms.intern("mul", (number_term(build.terms, number), product))


def _root(build: Builder, part: Weighted) -> Weighted:
    """A power that no operator has for its own: ``u**(2/3)``."""
    size = abs(part.weight)
    if size == Fraction(1, 3):
        root = build.terms.intern("cbrt", (part.term,))
    else:
        root = build.terms.intern("pow", (part.term, number_term(build.terms, size)))
    return Weighted(Fraction(1 if part.weight > 0 else -1), root)
