"""Sums of terms, tidied as they are written: x - x and like terms do not survive."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from eic_core.explain.rewriting.terms import Terms, number_text
from eic_core.formula.tree import CONSTANT


class Weighted(NamedTuple):
    """A term with a rational weight: a coefficient in a sum, an exponent in a product."""

    weight: Fraction
    term: int


ONE = Fraction(1)


class SumBuilder:
    """Writes numbers, multiples and sums into a collection of terms.

    Parameters
    ----------
    terms : Terms

    Examples
    --------
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

    def number(self, value: Fraction) -> int | None:
        """A constant leaf of exactly this value, or None if it cannot be written briefly."""
        text = number_text(value)
        return None if text is None else self.terms.put(CONSTANT, label=text)

    def one(self) -> int:
        """The constant 1."""
        return self.terms.put(CONSTANT, label="1")

    def terms_of(self, root: int, sign: int = 1) -> list[Weighted]:
        """The chain of + and - at a term, as signed terms from left to right."""
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
                found.append(Weighted(Fraction(s), number))
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
                    weight, number = weight * first, self.terms.put("div", (self.one(), right))
                    return Weighted(weight, number)
                else:
                    return Weighted(weight, number)
            else:
                return Weighted(weight, number)
            term = self.terms[number]

    def scaled(self, weight: Fraction, number: int) -> int | None:
        """``weight * number``, as short as it can be written."""
        inner = self.coefficient(number)
        weight, number = weight * inner.weight, inner.term
        if number == self.one():
            return self.number(weight)
        if weight == 1:
            return number
        if weight == -1:
            return self.terms.put("neg", (number,))
        if weight == 0:
            return self.number(weight)
        term = self.terms[number]
        if abs(weight.numerator) == 1 and term.operator != "div":
            under = self.number(Fraction(weight.denominator))
            if under is None:
                return None
            if weight < 0:
                number = self.terms.put("neg", (number,))
            return self.terms.put("div", (number, under))
        factor = self.number(weight)
        if factor is None:
            return None
        if term.operator == "div" and term.children[0] == self.one():
            return self.terms.put("div", (factor, term.children[1]))
        return self.terms.put("mul", (factor, number))

    def sum_of(self, parts: list[Weighted]) -> int | None:
        """The sum of weighted terms in this order; None if a number is too long to write."""
        parts = [p for p in parts if p.weight]
        if not parts:
            return self.number(Fraction(0))
        first = next((i for i, p in enumerate(parts) if p.weight > 0), 0)
        parts = [parts[first], *parts[:first], *parts[first + 1 :]]
        total = self.scaled(parts[0].weight, parts[0].term)
        for weight, number in parts[1:]:
            piece = self.scaled(abs(weight), number)
            if total is None or piece is None:
                return None
            total = self.terms.put("add" if weight > 0 else "sub", (total, piece))
        return total

    def collected(self, parts: list[Weighted]) -> list[Weighted]:
        """Like terms merged, numbers added up, in order of first appearance."""
        return self._merged(parts, self.coefficient)

    def _merged(
        self, parts: list[Weighted], split: Callable[[int], Weighted]
    ) -> list[Weighted]:
        """Terms that `split` finds to differ in weight alone, their weights added."""
        merged: dict[int, Weighted] = {}
        for weight, number in parts:
            inner = split(number)
            kind = self.terms.kind(inner.term)
            old = merged.get(kind, Weighted(Fraction(0), inner.term))
            merged[kind] = Weighted(old.weight + weight * inner.weight, old.term)
        return [p for p in merged.values() if p.weight]

    def _additive(self, operator: str, left: int, right: int) -> int:
        plain = self.terms.put(operator, (left, right))
        parts = self.terms_of(plain)
        merged = self.collected(parts)
        if len(merged) < len(parts):
            built = self.sum_of(merged)
            return plain if built is None else built
        if any(self.terms[n].operator == "neg" for n in (left, right)):
            built = self.sum_of(parts)
            return plain if built is None else built
        return plain

    def add(self, left: int, right: int) -> int:
        """``left + right``, like terms collected."""
        return self._additive("add", left, right)

    def sub(self, left: int, right: int) -> int:
        """``left - right``, like terms collected."""
        return self._additive("sub", left, right)

    def neg(self, number: int) -> int:
        """``-number``, without a double minus."""
        term = self.terms[number]
        if term.operator == "sub":
            return self.terms.put("sub", (term.children[1], term.children[0]))
        built = self.scaled(-ONE, number)
        return self.terms.put("neg", (number,)) if built is None else built
