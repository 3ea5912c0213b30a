"""Patterns, and the terms that match them.

A single letter stands for any sub-expression, ``k``, ``m`` and ``n`` for a rational number; other
numbers mean their value. ``u**p`` matches every power of u, roots and exact exponents included.
Operands of + and * match in any order, and a number in a sum matches anywhere in its chain (``1
+ a`` in ``x + 1 + y``). A letter that stands alone in a product takes all other factors
(``c*exp(a)`` in ``x*exp(y)/3``), one that stands alone in a sum takes what the others leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft
from eic_core.operators import OPERATORS
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.polynomials import polynomial_of
from eic_core.rewriting.terms import number_value

NUMBERS = frozenset("kmn")
"""Placeholders that stand for a rational number."""

MAX_MATCHES = 8

Bindings = dict[str, int]

SUMS, PRODUCTS = ("add", "sub"), ("mul", "div")

_ROOTS = ("sqrt", "cbrt", "root")
POWERS = ("pow", "power", *_ROOTS)

_ALGEBRA = frozenset((*SUMS, *PRODUCTS, "neg", VARIABLE, CONSTANT, *POWERS))


def letters(text: str) -> Draft:
    return read(text, columns=tuple("abcdefghklmnpqrstuvwxyz")).formula.to_draft()


def pattern(text: str) -> Pattern:
    return Pattern(letters(text))


class PatternPart(NamedTuple):
    """A summand of a pattern with its sign, or a factor with the exponent 1 or -1."""

    weight: Fraction
    pattern: Pattern


class Pattern:
    """A pattern with what matching needs of it, worked out once.

    >>> sorted(pattern("log(sqrt(a) + exp(-b))").functions)
    ['exp', 'log']
    >>> [(int(weight), part.operator) for weight, part in pattern("a - exp(b) + 1").parts]
    [(-1, 'exp'), (1, 'constant'), (1, 'variable')]
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.operator, self.label, self.parameter = draft.operator, draft.label, draft.parameter
        self.children = tuple(map(Pattern, draft.children))
        self.is_letter = self.operator == VARIABLE
        self.value = number_value(self.label) if self.operator == CONSTANT else None
        # The operators that a term must hold: all but those of algebra, which stand for one another
        own = frozenset((self.operator,)) - _ALGEBRA
        self.functions: frozenset[str] = own.union(*[child.functions for child in self.children])
        self.pair = next((pair for pair in (SUMS, PRODUCTS) if self.operator in pair), None)
        # The summands or factors, lone letters last
        parts = [] if self.pair is None else self._chained(ONE, self.pair)
        self.parts = tuple(sorted(parts, key=lambda part: part.pattern.is_letter))
        lone = [part for part in self.parts if part.pattern.is_letter]
        self.lone = lone[0] if len(lone) == 1 else None
        self.way, self.roots = self._way(len(lone))

    def _chained(self, weight: Fraction, pair: tuple[str, str]) -> Iterator[PatternPart]:
        if self.operator not in pair:
            yield PatternPart(weight, self)
            return
        left, right = self.children
        yield from left._chained(weight, pair)
        yield from right._chained(weight if self.operator == pair[0] else -weight, pair)

    def _way(self, lone: int) -> tuple[Way, tuple[str, ...]]:
        """How terms match, with so many lone letters, and the operators of those that may."""
        if self.is_letter:
            return Matcher.letter, (CONSTANT,) if self.label in NUMBERS else ()
        if self.operator == CONSTANT:
            return Matcher.constant, (CONSTANT,)
        if self.operator == "pow" and self.children[1].is_letter:
            return Matcher.any_power, POWERS
        if self.operator == "power" and self.parameter == 2:
            return Matcher.square, ("power", "mul")
        if self.operator in _ROOTS:
            return Matcher.root, POWERS
        if self.operator == "neg":
            return Matcher.opposite, ("neg",)
        if self.pair == SUMS and len(self.parts) == 2 and self.place_of_number is not None:
            return Matcher.around_number, SUMS
        if self.pair == SUMS and (len(self.parts) > 2 or lone < 2):
            return Matcher.chain, SUMS
        if self.pair == PRODUCTS and lone < 2 and all(part.weight > 0 for part in self.parts):
            return Matcher.chain, PRODUCTS
        return Matcher.each_operand, (self.operator,)

    @property
    def place_of_number(self) -> int | None:
        return next((i for i, c in enumerate(self.children) if c.value is not None), None)

    def may_be(self, operator: str) -> bool:
        """Whether a term with this operator may match, as a part of another."""
        if self.operator == "neg":
            return operator in ("neg", *PRODUCTS, CONSTANT)
        return not self.roots or operator in self.roots

    def fits(self, operator: str, operands: tuple[str, ...]) -> bool:
        """Whether a term over such operands may match, of an operator that is one of `roots`."""
        numbered, more = self.way is Matcher.around_number, len(self.parts) > 2
        if self.pair and any(op in (*self.pair, "neg") for op in operands):
            return numbered or more or operator == self.operator or self.pair == PRODUCTS
        if more:
            return False
        if numbered or (self.way is Matcher.chain and self.pair == PRODUCTS):
            operands = (*operands, "neg") if numbered else operands
            return all(any(part.pattern.may_be(op) for op in operands) for part in self.parts)
        if operator != self.operator:
            return self.pair is None
        orders = [operands, operands[::-1]] if OPERATORS[operator].commutative else [operands]
        return any(all(map(Pattern.may_be, self.children, order)) for order in orders)


class Matcher:
    """Matches patterns against the terms of one collection.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.rewriting.terms import Terms
    >>> terms = Terms()
    >>> root = terms.add(read("log(x + 1 + y)").formula)
    >>> found = next(Matcher(Builder(terms)).match(pattern("log(1 + a)"), root))
    >>> from eic_core.formula.rendering import to_python
    >>> to_python(terms.formula(found["a"]))
    'x + y'
    """

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.terms = build.terms
        self._functions: dict[int, frozenset[str]] = {}

    def match(self, pattern: Pattern, number: int) -> Iterator[Bindings]:
        """At most `MAX_MATCHES` ways in which a term matches the pattern."""
        if pattern.functions <= self._functions_below(number):
            yield from islice(pattern.way(self, pattern, number, {}), MAX_MATCHES)

    def _functions_below(self, number: int) -> frozenset[str]:
        for below in self.terms.unknown(number, self._functions):
            term = self.terms[below]
            inner = [self._functions[child] for child in term.children]
            self._functions[below] = frozenset((term.operator,)).union(*inner)
        return self._functions[number]

    # The ways of `Pattern.way`: each match of a pattern with a term, as letters bound to terms

    def letter(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """Any term, twice the same for equal terms."""
        if p.label in NUMBERS and self.terms.number(number) is None:
            return
        if p.label not in bound:
            yield {**bound, p.label: number}
        elif self._normal(bound[p.label]) == self._normal(number):
            yield bound

    def _normal(self, number: int) -> object:
        """Equal for equal polynomials, however they are written."""
        if self.terms[number].operator not in ("add", "sub", "mul", "div", "neg"):
            return self.terms.kind(number)
        p = polynomial_of(self.build, number)
        return self.terms.kind(number) if p is None else p.key

    def constant(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        term = self.terms[number]
        if p.value is None:
            same = term.operator == CONSTANT and term.label == p.label
        else:
            same = self.terms.number(number) == p.value
        if same:
            yield bound

    def each_operand(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """Operand by operand, in both orders where that makes no difference."""
        term = self.terms[number]
        if (term.operator, term.parameter) != (p.operator, p.parameter):
            return
        if len(term.children) != len(p.children):
            return
        yield from self._all(p.children, term.children, bound)
        alike = all(c.is_letter and c.label == p.children[0].label for c in p.children)
        if OPERATORS[p.operator].commutative and not alike:
            yield from self._all(p.children, term.children[::-1], bound)

    def _all(
        self, patterns: Sequence[Pattern], numbers: Sequence[int], bound: Bindings
    ) -> Iterator[Bindings]:
        if not patterns:
            yield bound
            return
        for found in patterns[0].way(self, patterns[0], numbers[0], bound):
            yield from self._all(patterns[1:], numbers[1:], found)

    def square(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """``u**2``, and ``u*u``."""
        term = self.terms[number]
        if term.operator == "mul" and len({self.terms.kind(c) for c in term.children}) == 1:
            yield from self._all(p.children, term.children[:1], bound)
        else:
            yield from self.each_operand(p, number, bound)

    def root(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """A root, and the same power."""
        if self.terms[number].operator == p.operator:
            yield from self.each_operand(p, number, bound)
        elif self._exponent(number) == exponent_of(p.operator, p.parameter):
            yield from self._all(p.children, self.terms[number].children[:1], bound)

    def any_power(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        term, value = self.terms[number], self._exponent(number)
        if term.operator == "pow":
            yield from self._all(p.children, term.children, bound)
        elif value is not None and (written := self.build.number(value)) is not None:
            yield from self._all(p.children, (term.children[0], written), bound)

    def _exponent(self, number: int) -> Fraction | None:
        """The rational power of its operand that a term is, if it is one."""
        term = self.terms[number]
        if term.operator == "pow":
            weight, rest = self.build.coefficient(term.children[1])
            return weight if self.terms.number(rest) == 1 else None
        return exponent_of(term.operator, term.parameter)

    def opposite(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """``-u`` for anything that has a visible opposite."""
        opposite = opposite_of(self.build, number)
        if opposite is not None:
            yield from self._all(p.children, (opposite,), bound)

    def around_number(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """``1 + a``, ``a - 1``: the number anywhere in the chain, the rest for a."""
        place = p.place_of_number
        if place is None or self.terms[number].operator not in SUMS:
            return
        signs = (1, 1) if p.operator == "add" else (1, -1)
        chain = self.build.terms_of(number)
        for i, (sign, term) in enumerate(chain):
            found = self.terms.number(term)
            if found is None or sign * found != signs[place] * (p.children[place].value or 0):
                continue
            rest = [Weighted(w * signs[1 - place], t) for j, (w, t) in enumerate(chain) if j != i]
            built = self.build.sum_of(rest)
            if built is not None:
                yield from self._all(p.children[1 - place :][:1], (built,), bound)

    def chain(self, p: Pattern, number: int, bound: Bindings) -> Iterator[Bindings]:
        """Term by term, or factor by factor; a letter that stands alone takes all that the others
        leave.
        """
        is_sum = p.pair == SUMS
        if self.terms[number].operator not in (p.pair or ()):
            return
        members = self.signed_terms(number) if is_sum else self.build.factors_of(number)
        parts = p.parts if p.lone is None else p.parts[:-1]
        for found, used in self.choices(parts, members, bound):
            rest = [member for i, member in enumerate(members) if i not in used]
            if p.lone is None:
                if not rest:
                    yield found
                continue
            weight, letter = p.lone
            turned = [Weighted(weight * w, term) for w, term in rest]
            whole = self._sum(turned) if is_sum else self._product(turned)
            if whole is not None:
                yield from letter.way(self, letter, whole, found)

    def _sum(self, parts: list[Weighted]) -> int | None:
        return self.build.sum_of(parts) if any(part.weight > 0 for part in parts) else None

    def _product(self, parts: list[Weighted]) -> int | None:
        if len(parts) == 1 and parts[0].weight == 1:
            return parts[0].term
        return self.build.product_of(self.build.powers(parts)) if parts else None

    def choices(
        self, parts: Sequence[PatternPart], chain: Sequence[Weighted], bound: Bindings
    ) -> Iterator[tuple[Bindings, frozenset[int]]]:
        """The ways to match each part with another member of the chain, and which were used."""
        if not parts:
            yield bound, frozenset()
            return
        weight, part = parts[0]
        for i, (w, term) in enumerate(chain):
            if w != weight:
                continue
            for found in part.way(self, part, term, bound):
                others = [Weighted(Fraction(0), 0) if j == i else m for j, m in enumerate(chain)]
                for whole, used in self.choices(parts[1:], others, found):
                    yield whole, used | {i}

    def signed_terms(self, number: int) -> list[Weighted]:
        return [_positive(self.build, part) for part in self.build.terms_of(number)]


Way = Callable[[Matcher, Pattern, int, Bindings], Iterator[Bindings]]


def exponent_of(operator: str, parameter: Fraction | None) -> Fraction | None:
    """The exact exponent that an operator stands for: ``sqrt`` is 1/2.

    >>> exponent_of("sqrt", None), exponent_of("power", Fraction(3)), exponent_of("sin", None)
    (Fraction(1, 2), Fraction(3, 1), None)
    """
    if operator == "sqrt":
        return Fraction(1, 2)
    if operator == "cbrt":
        return Fraction(1, 3)
    if operator == "root" and parameter is not None:
        return 1 / parameter
    return parameter if operator == "power" else None


def _positive(build: Builder, part: Weighted) -> Weighted:
    """A negative number in a sum as minus a positive one: ``x + -1`` is ``x - 1``."""
    value = build.terms.number(part.term)
    if value is not None and value < 0:
        written = build.number(-value)
        if written is not None:
            return Weighted(-part.weight, written)
    inner = build.terms[part.term]
    if inner.operator in ("mul", "div"):
        weight, term = build.coefficient(part.term)
        opposite = build.times_number(-weight, term) if weight < 0 else None
        if opposite is not None:
            return Weighted(-part.weight, opposite)
    return part


def opposite_of(build: Builder, number: int) -> int | None:
    """The visible opposite of a term: of ``-u``, ``-3``, ``-3*u``, ``-u/v``."""
    term = build.terms[number]
    if term.operator == "neg":
        return term.children[0]
    value = build.terms.number(number)
    if value is not None:
        return build.number(-value) if value < 0 else None
    if term.operator in PRODUCTS:
        left, right = term.children
        inner = opposite_of(build, left)
        if inner is not None:
            return build.apply(term.operator, (inner, right))
    return None
