"""Constructors that tidy what a rewrite writes: x - x, 1*x and equal factors do not survive.

Sums are those of `SumBuilder`; products and all other operators are added here.  They
are exact for real numbers.  Cancelling a factor (x*y/x -> y) can only widen the domain.
"""

from __future__ import annotations

from fractions import Fraction

from eic_core.explain.rewriting.sums import ONE, SumBuilder, Weighted
from eic_core.explain.rewriting.terms import number_text
from eic_core.formula.tree import CONSTANT, Draft

MAX_EXPONENT = 64
HALF = Fraction(1, 2)


class Builder(SumBuilder):
    """Writes terms into a collection.

    Parameters
    ----------
    terms : Terms

    Examples
    --------
    >>> from eic_core.explain.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, x1 = terms.add(read("x").formula), terms.add(read("x + 1").formula)
    >>> build = Builder(terms)
    >>> [to_python(terms.formula(t)) for t in (build.sub(x1, x), build.mul(x, x), build.div(x, x))]
    ['1', 'x**2', '1']
    """

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
                found.append(Weighted(ONE, self.terms.put(CONSTANT, label="-1")))
            else:
                found.append(Weighted(e, number))
        return found

    def base(self, number: int) -> Weighted:
        """``u**3`` as (3, u), ``sqrt(u)`` as (1/2, u)."""
        term = self.terms[number]
        if term.operator == "power" and term.parameter and term.parameter.denominator == 1:
            return Weighted(term.parameter, term.children[0])
        return Weighted(ONE, number)

    def raised(self, exponent: Fraction, number: int) -> int:
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
            if term.operator == "sqrt" and halves % 2 == 0:
                return self.raised(exponent / 2, term.children[0])
            if term.operator in ("neg", "abs") and halves % 2 == 0:
                return self.raised(exponent, term.children[0])
            if term.operator == "exp":
                scaled = self.scaled(exponent, term.children[0])
                if scaled is not None:
                    return self.terms.put("exp", (scaled,))
        if exponent == HALF:
            return self.terms.put("sqrt", (number,))
        return self.terms.put("power", (number,), parameter=exponent)

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
                above.append(self.raised(exponent, term))
            elif exponent < 0:
                below.append(self.raised(-exponent, term))
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
            numerator = self.terms.put(CONSTANT, label="-1")
        elif minus:
            numerator = self.terms.put("neg", (numerator,))
        if denominator == self.one():
            return numerator
        return self.terms.put("div", (numerator, denominator))

    def _chain(self, number: Fraction, factors: list[int]) -> int | None:
        total = None if number == 1 and factors else self.number(number)
        if number != 1 and total is None:
            return None
        for factor in factors:
            total = factor if total is None else self.terms.put("mul", (total, factor))
        return total

    def powers(self, parts: list[Weighted]) -> list[Weighted]:
        """Equal bases merged, their exponents added, in order of first appearance."""
        return self._merged(parts, self.base)

    def _multiplicative(self, operator: str, left: int, right: int) -> int:
        plain = self.terms.put(operator, (left, right))
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
        """``left * right``, equal factors and numbers collected."""
        return self._multiplicative("mul", left, right)

    def div(self, left: int, right: int) -> int:
        """``left / right``, equal factors cancelled and numbers collected."""
        return self._multiplicative("div", left, right)

    # Everything else ------------------------------------------------------

    def apply(
        self, operator: str, children: tuple[int, ...], parameter: Fraction | None = None
    ) -> int:
        """Any operator over finished operands, tidied."""
        if operator in ("add", "sub", "mul", "div"):
            return {"add": self.add, "sub": self.sub, "mul": self.mul, "div": self.div}[operator](
                *children
            )
        if operator == "neg":
            return self.neg(*children)
        if operator == "power" and parameter is not None:
            return self.raised(parameter, children[0])
        if operator == "sqrt":
            value = self.terms.number(children[0])
            if value in (0, 1):
                return children[0]
        if operator == "pow":
            value = self.terms.number(children[1])
            if value is not None and value.denominator <= 2:
                return self.raised(value, children[0])
        return self.terms.put(operator, children, parameter=parameter)

    def draft(self, root: Draft, bindings: dict[str, int]) -> int:
        """A template with its placeholders filled in."""
        if root.label in bindings and not root.children:
            return bindings[root.label]
        if not root.children:
            return self.terms.put(root.operator, label=root.label)
        children = tuple(self.draft(child, bindings) for child in root.children)
        return self.apply(root.operator, children, root.parameter)
