"""Writes new terms tidily: x - x, 1*x, equal factors and like terms do not survive.

They are exact for real numbers; cancelling a factor (x*y/x -> y) can only widen the domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from eic_core.formula.tree import CONSTANT, Draft
from eic_core.rewriting.terms import Terms, number_text


class Weighted(NamedTuple):
    """A term with a rational weight: a coefficient in a sum, an exponent in a product."""

    weight: Fraction
    term: int


ONE = Fraction(1)


class SumBuilder:
    """Writes numbers, multiples and sums into a collection of terms.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, x1 = terms.add(read("x").formula), terms.add(read("3*x + 1").formula)
    >>> build = SumBuilder(terms)
    >>> [to_python(terms.formula(t)) for t in (build.add(x1, x), build.sub(x, x), build.neg(x))]
    ['4*x + 1', '0', '-x']
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._terms_of: dict[tuple[int, int], tuple[Weighted, ...]] = {}

    def number(self, value: Fraction) -> int | None:
        """A constant leaf of exactly this value, or None if it cannot be written briefly."""
        text = self.terms.text(value)
        return None if text is None else self.terms.intern(CONSTANT, label=text)

    def one(self) -> int:
        return self.terms.intern(CONSTANT, label="1")

    def terms_of(self, root: int, sign: int = 1) -> list[Weighted]:
        known = self._terms_of.get((root, sign))
        if known is None:
            known = self._terms_of[root, sign] = tuple(self._find_terms(root, sign))
        return list(known)

    def _find_terms(self, root: int, sign: int) -> list[Weighted]:
        found: list[Weighted] = []
        todo = [(root, sign)]
        while todo:
            number, s = todo.pop()
            term = self.terms[number]
            if term.operator in ("add", "sub"):
                left, right = term.children
                todo.append((right, s if term.operator == "add" else -s))
                todo.append((left, s))
            elif term.operator == "neg":
                todo.append((term.children[0], -s))
            else:
                found.append(Weighted(ONE if s == 1 else Fraction(s), number))
        return found

    def coefficient(self, number: int) -> Weighted:
        """``3*u`` as (3, u), ``u/2`` as (1/2, u), ``5`` as (5, one)."""
        weight, term = ONE, self.terms[number]
        while True:
            value = self.terms.number(number)
            if value is not None:
                return Weighted(weight * value, self.one())
            if term.operator == "neg":
                weight, number = -weight, term.children[0]
            elif term.operator in ("mul", "div"):
                left, right = term.children
                first, second = self.terms.number(left), self.terms.number(right)
                if second:
                    weight = weight * second if term.operator == "mul" else weight / second
                    number = left
                elif first is not None and term.operator == "mul":
                    weight, number = weight * first, right
                elif first not in (None, ONE):
                    assert first is not None
                    weight, number = weight * first, self.terms.intern("div", (self.one(), right))
                    return Weighted(weight, number)
                else:
                    return Weighted(weight, number)
            else:
                return Weighted(weight, number)
            term = self.terms[number]

    def times_number(self, weight: Fraction, number: int) -> int | None:
        """``weight * number``, as short as it can be written."""
        inner = self.coefficient(number)
        weight, number = weight * inner.weight, inner.term
        if number == self.one():
            return self.number(weight)
        if weight == 1:
            return number
        if weight == -1:
            return self.terms.intern("neg", (number,))
        if weight == 0:
            return self.number(weight)
        term = self.terms[number]
        if abs(weight.numerator) == 1 and term.operator != "div":
            under = self.number(Fraction(weight.denominator))
            if under is None:
                return None
            if weight < 0:
                number = self.terms.intern("neg", (number,))
            return self.terms.intern("div", (number, under))
        factor = self.number(weight)
        if factor is None:
            return None
        if term.operator == "div" and term.children[0] == self.one():
            return self.terms.intern("div", (factor, term.children[1]))
        return self.terms.intern("mul", (factor, number))

    def sum_of(self, parts: list[Weighted]) -> int | None:
        parts = [p for p in parts if p.weight]
        if not parts:
            return self.number(Fraction(0))
        first = next((i for i, p in enumerate(parts) if p.weight > 0), 0)
        parts = [parts[first], *parts[:first], *parts[first + 1 :]]
        total = self.times_number(parts[0].weight, parts[0].term)
        for weight, number in parts[1:]:
            sign = -1 if self.coefficient(number).weight < 0 else 1
            piece = self.times_number(sign * abs(weight), number)
            if total is None or piece is None:
                return None
            total = self.terms.intern("add" if sign * weight > 0 else "sub", (total, piece))
        return total

    def merge_like_terms(self, parts: list[Weighted]) -> list[Weighted]:
        return self._merge(parts, self.coefficient)

    def _merge(self, parts: list[Weighted], split: Callable[[int], Weighted]) -> list[Weighted]:
        merged: dict[int, Weighted] = {}
        for weight, number in parts:
            inner = split(number)
            kind = self.terms.kind(inner.term)
            old = merged.get(kind, Weighted(Fraction(0), inner.term))
            merged[kind] = Weighted(old.weight + weight * inner.weight, old.term)
        return [p for p in merged.values() if p.weight]

    def _additive(self, operator: str, left: int, right: int) -> int:
        plain = self.terms.intern(operator, (left, right))
        parts = self.terms_of(plain)
        merged = self.merge_like_terms(parts)
        if len(merged) < len(parts):
            built = self.sum_of(merged)
            return plain if built is None else built
        if any(self.terms[n].operator == "neg" for n in (left, right)):
            built = self.sum_of(parts)
            return plain if built is None else built
        return plain

    def add(self, left: int, right: int) -> int:
        return self._additive("add", left, right)

    def sub(self, left: int, right: int) -> int:
        return self._additive("sub", left, right)

    def neg(self, number: int) -> int:
        term = self.terms[number]
        if term.operator == "sub":
            return self.terms.intern("sub", (term.children[1], term.children[0]))
        built = self.times_number(-ONE, number)
        return self.terms.intern("neg", (number,)) if built is None else built


MAX_EXPONENT = 64
HALF = Fraction(1, 2)


class Builder(SumBuilder):
    """Writes terms into a collection, and remembers what they are as polynomials.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, x1 = terms.add(read("x").formula), terms.add(read("x + 1").formula)
    >>> build = Builder(terms)
    >>> [to_python(terms.formula(t)) for t in (build.sub(x1, x), build.mul(x, x), build.div(x, x))]
    ['1', 'x**2', '1']
    """

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        # By term, and by a polynomial's coefficients and atoms: `eic_core.rewriting.polynomials`
        self.polynomials: dict[int, Any] = {}
        self.written: dict[object, tuple[int, ...]] = {}

    def factors_of(self, root: int, exponent: Fraction = ONE) -> list[Weighted]:
        """The chain of *, / and minus at a term, as factors with exponents 1 and -1."""
        found: list[Weighted] = []
        todo = [(root, exponent)]
        while todo:
            number, e = todo.pop()
            term = self.terms[number]
            if term.operator in ("mul", "div"):
                left, right = term.children
                todo.append((right, e if term.operator == "mul" else -e))
                todo.append((left, e))
            elif term.operator == "neg":
                todo.append((term.children[0], e))
                found.append(Weighted(ONE, self.terms.intern(CONSTANT, label="-1")))
            else:
                found.append(Weighted(e, number))
        return found

    def base(self, number: int) -> Weighted:
        """``u**3`` as (3, u), ``sqrt(u)`` as (1/2, u)."""
        term = self.terms[number]
        if term.operator == "power" and term.parameter and term.parameter.denominator == 1:
            return Weighted(term.parameter, term.children[0])
        return Weighted(ONE, number)

    def power(self, exponent: Fraction, number: int) -> int:
        """``number ** exponent`` for a whole exponent or a half."""
        inner = self.base(number)
        if inner.weight != 1 and exponent.denominator == 1:
            exponent, number = exponent * inner.weight, inner.term
        term = self.terms[number]
        value = self.terms.number(number)
        if exponent == 1:
            return number
        if exponent == 0:
            return self.one()
        if value and exponent.denominator == 1 and abs(exponent) <= MAX_EXPONENT:
            folded = self.number(value**exponent.numerator)
            if folded is not None:
                return folded
        if exponent.denominator == 1:
            halves = exponent.numerator
            degree = {"sqrt": 2, "cbrt": 3}.get(term.operator)
            if degree is not None and halves % degree == 0:
                return self.power(exponent / degree, term.children[0])
            if term.operator in ("neg", "abs") and halves % 2 == 0:
                return self.power(exponent, term.children[0])
            if term.operator == "exp":
                scaled = self.times_number(exponent, term.children[0])
                if scaled is not None:
                    return self.terms.intern("exp", (scaled,))
        if exponent == HALF:
            return self.terms.intern("sqrt", (number,))
        return self.terms.intern("power", (number,), parameter=exponent)

    def product_of(self, parts: list[Weighted]) -> int | None:
        """The product of powers in this order: numerator over denominator."""
        number = ONE
        above: list[int] = []
        below: list[int] = []
        negative = False
        for exponent, term in parts:
            if self.terms[term].operator == "neg" and exponent.denominator == 1:
                negative ^= exponent.numerator % 2 == 1
                term = self.terms[term].children[0]
            value = self.terms.number(term)
            if value and exponent.denominator == 1 and abs(exponent) <= MAX_EXPONENT:
                number *= value**exponent.numerator
            elif value == 0 and exponent > 0:
                return self.number(Fraction(0))
            elif exponent > 0:
                above.append(self.power(exponent, term))
            elif exponent < 0:
                below.append(self.power(-exponent, term))
        number = -number if negative else number
        over, under = Fraction(number.numerator), Fraction(number.denominator)
        if under != 1 and (not above or number_text(number) is None or over != 1):
            written = self.number(number)
            over, under = (number, ONE) if written is not None else (over, under)
        minus = over == -1 and (bool(above) or bool(below))
        numerator = self._chain(abs(over) if minus else over, above)
        denominator = self._chain(under, below)
        if numerator is None or denominator is None:
            return None
        if minus and numerator == self.one():
            numerator = self.terms.intern(CONSTANT, label="-1")
        elif minus:
            numerator = self.terms.intern("neg", (numerator,))
        if denominator == self.one():
            return numerator
        return self.terms.intern("div", (numerator, denominator))

    def _chain(self, number: Fraction, factors: list[int]) -> int | None:
        total = None if number == 1 and factors else self.number(number)
        if number != 1 and total is None:
            return None
        for factor in factors:
            total = factor if total is None else self.terms.intern("mul", (total, factor))
        return total

    def powers(self, parts: list[Weighted]) -> list[Weighted]:
        return self._merge(parts, self.base)

    def _multiplicative(self, operator: str, left: int, right: int) -> int:
        plain = self.terms.intern(operator, (left, right))
        parts = self.factors_of(plain)
        merged = self.powers(parts)
        numbers = sum(self.terms.number(p.term) is not None for p in parts)
        ones = any(self.terms.number(p.term) in (0, 1, -1) for p in parts)
        lone = len(parts) == 2 and operator == "div" and self.terms.number(left) == 1
        if (ones and not lone) or numbers > 1 or len(merged) < len(parts):
            built = self.product_of(merged)
            return plain if built is None else built
        return plain

    def mul(self, left: int, right: int) -> int:
        return self._multiplicative("mul", left, right)

    def div(self, left: int, right: int) -> int:
        return self._multiplicative("div", left, right)

    # Everything else ------------------------------------------------------

    def apply(
        self, operator: str, children: tuple[int, ...], parameter: Fraction | None = None
    ) -> int:
        """An operator of the table over finished operands, tidied: ``x * x`` is ``x**2``."""
        if operator in ("add", "sub", "mul", "div"):
            return {"add": self.add, "sub": self.sub, "mul": self.mul, "div": self.div}[operator](
                *children
            )
        if operator == "neg":
            return self.neg(*children)
        if operator == "power" and parameter is not None:
            return self.power(parameter, children[0])
        if operator == "sqrt":
            value = self.terms.number(children[0])
            if value is not None and value >= 0:
                root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
                folded = self.number(root) if root * root == value else None
                if folded is not None:
                    return folded
        if operator == "exp" and self.terms.number(children[0]) == 0:
            return self.one()
        if operator == "pow":
            value = self.terms.number(children[1])
            if value is not None and value.denominator <= 2:
                return self.power(value, children[0])
        return self.terms.intern(operator, children, parameter=parameter)

    def draft(self, root: Draft, bindings: dict[str, int]) -> int:
        if root.label in bindings and not root.children:
            return bindings[root.label]
        if not root.children:
            return self.terms.intern(root.operator, label=root.label)
        children = tuple(self.draft(child, bindings) for child in root.children)
        if root.operator in ("mul", "div") and any(c.operator == "div" for c in root.children):
            return self._in_turn(root.operator, *children)
        return self.apply(root.operator, children, root.parameter)

    def _in_turn(self, operator: str, left: int, right: int) -> int:
        """A product or quotient with its brackets: ``b*(b/c)`` and ``a/b/c`` stay in range where
        ``b**2/c`` and ``a/(b*c)`` do not.
        """
        plain = {0, 1, -1}
        if plain & {self.terms.number(left), self.terms.number(right)}:
            return self.apply(operator, (left, right))
        return self.terms.intern(operator, (left, right))
