"""Patterns: formulas with placeholders, matched against shared terms.

Written in our own notation.  A single letter stands for any sub-expression, ``k``, ``m``
and ``n`` for a rational number; other numbers mean their value.  ``u**p`` matches every
power of u, roots and exact exponents included.  Operands of + and * match in either
order, and a number in a sum matches anywhere in its chain (``1 + a`` in ``x + 1 + y``).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from eic_core.explain.rewriting.build import Builder
from eic_core.explain.rewriting.sums import Weighted
from eic_core.explain.rewriting.terms import number_value
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft

NUMBERS = frozenset("kmn")
"""Placeholders that stand for a rational number."""

MAX_MATCHES = 8

Bindings = dict[str, int]


def pattern(text: str) -> Draft:
    """A pattern or template from its text."""
    return read(text, columns=tuple("abcdefghklmnpqrstuvwxyz")).formula.to_draft()


class Matcher:
    """Matches patterns against the terms of one collection.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.explain.rewriting.terms import Terms
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

    def match(self, draft: Draft, number: int) -> Iterator[Bindings]:
        """At most `MAX_MATCHES` ways in which a term is of the pattern's form."""
        found = self._match(draft, number, {})
        for _, bindings in zip(range(MAX_MATCHES), found, strict=False):
            yield bindings

    def _match(self, draft: Draft, number: int, bound: Bindings) -> Iterator[Bindings]:
        if draft.operator == VARIABLE:
            yield from self._placeholder(draft.label, number, bound)
            return
        if draft.operator == CONSTANT:
            if self._same_number(draft.label, number):
                yield bound
            return
        if draft.operator == "pow" and draft.children[1].operator == VARIABLE:
            yield from self._any_power(draft, number, bound)
            return
        term = self.terms[number]
        if draft.operator == "power" and draft.parameter == 2 and self._is_square(number):
            yield from self._match(draft.children[0], term.children[0], bound)
            return
        if draft.operator in ("add", "sub"):
            written = _constant_operand(draft)
            if written is not None and term.operator in ("add", "sub"):
                yield from self._around_number(draft, written, number, bound)
                return
        if draft.operator == "neg":
            opposite = self._opposite(number)
            if opposite is not None:
                yield from self._match(draft.children[0], opposite, bound)
            return
        if term.operator != draft.operator or term.parameter != draft.parameter:
            return
        if len(term.children) != len(draft.children):
            return
        yield from self._all(draft.children, term.children, bound)
        if draft.operator in ("add", "mul") and not _alike(*draft.children):
            yield from self._all(draft.children, term.children[::-1], bound)

    def _all(
        self, drafts: list[Draft], numbers: tuple[int, ...], bound: Bindings
    ) -> Iterator[Bindings]:
        if not drafts:
            yield bound
            return
        for found in self._match(drafts[0], numbers[0], bound):
            yield from self._all(drafts[1:], numbers[1:], found)

    def _placeholder(self, name: str, number: int, bound: Bindings) -> Iterator[Bindings]:
        if name in NUMBERS and self.terms.number(number) is None:
            return
        if name not in bound:
            yield {**bound, name: number}
        elif self.terms.kind(bound[name]) == self.terms.kind(number):
            yield bound

    def _same_number(self, label: str, number: int) -> bool:
        value = number_value(label)
        if value is None:
            term = self.terms[number]
            return term.operator == CONSTANT and term.label == label
        return self.terms.number(number) == value

    def _is_square(self, number: int) -> bool:
        """``u*u``, which a pattern's ``a**2`` matches, too."""
        term = self.terms[number]
        kinds = {self.terms.kind(c) for c in term.children}
        return term.operator == "mul" and len(kinds) == 1

    def _opposite(self, number: int) -> int | None:
        """What a term is the negative of, if it shows: ``-u``, ``-3``, ``-3*u``, ``-u/v``."""
        term = self.terms[number]
        if term.operator == "neg":
            return term.children[0]
        value = self.terms.number(number)
        if value is not None:
            return self.build.number(-value) if value < 0 else None
        if term.operator in ("mul", "div"):
            left, right = term.children
            inner = self._opposite(left)
            if inner is not None:
                return self.build.apply(term.operator, (inner, right))
        return None

    def _any_power(self, draft: Draft, number: int, bound: Bindings) -> Iterator[Bindings]:
        term = self.terms[number]
        base, exponent = draft.children
        if term.operator == "pow":
            yield from self._all([base, exponent], term.children, bound)
            return
        value = exponent_of(term.operator, term.parameter)
        if value is None:
            return
        written = self.build.number(value)
        if written is not None:
            yield from self._all([base, exponent], (term.children[0], written), bound)

    def _around_number(
        self, draft: Draft, written: int, number: int, bound: Bindings
    ) -> Iterator[Bindings]:
        """``1 + a``, ``a - 1``: the number anywhere in the chain, the rest for a."""
        value = number_value(draft.children[written].label)
        assert value is not None
        signs = (1, 1) if draft.operator == "add" else (1, -1)
        chain = self.build.terms_of(number)
        for i, (sign, term) in enumerate(chain):
            found = self.terms.number(term)
            if found is None or sign * found != signs[written] * value:
                continue
            rest = [
                Weighted(w * signs[1 - written], t) for j, (w, t) in enumerate(chain) if j != i
            ]
            built = self.build.sum_of(rest)
            if built is not None:
                yield from self._match(draft.children[1 - written], built, bound)


def exponent_of(operator: str, parameter: Fraction | None) -> Fraction | None:
    """The exact exponent that an operator stands for: ``sqrt`` is 1/2.

    Examples
    --------
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


def _constant_operand(draft: Draft) -> int | None:
    for i, child in enumerate(draft.children):
        if child.operator == CONSTANT and number_value(child.label) is not None:
            return i
    return None


def _alike(left: Draft, right: Draft) -> bool:
    return left.operator == right.operator == VARIABLE and left.label == right.label
