"""Rewriting rules, the matching of their patterns, and their application at one place.

A single letter stands for any sub-expression, ``k``, ``m`` and ``n`` for a rational number; other
numbers mean their value. ``u**p`` matches every power of u, roots and exact exponents included.
Operands of + and * match in either order, and a number in a sum matches anywhere in its chain (``1
+ a`` in ``x + 1 + y``). A rule (a row of `eic_core.rewriting.tables`) holds for all real
operands at which its left side has a value and its assumptions hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Draft
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.terms import number_value

NUMBERS = frozenset("kmn")
"""Placeholders that stand for a rational number."""

MAX_MATCHES = 8

Bindings = dict[str, int]


def pattern(text: str) -> Draft:
    return read(text, columns=tuple("abcdefghklmnpqrstuvwxyz")).formula.to_draft()


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

    def match(self, draft: Draft, number: int) -> Iterator[Bindings]:
        """At most `MAX_MATCHES` ways in which a term matches the pattern."""
        found = self._match(draft, number, {})
        for _, bindings in zip(range(MAX_MATCHES), found, strict=False):
            yield bindings

    def _match(self, draft: Draft, number: int, bound: Bindings) -> Iterator[Bindings]:
        """Every match of a pattern with a term, as placeholders bound to terms.
        A placeholder stands for any term, twice the same for equal terms; a constant for an equal
        number; ``u**v`` for any power and ``u**2`` also for ``u*u``; a sum with a constant for a
        sum that holds that number anywhere; ``-u`` for anything that has an opposite. Other
        operators match operand by operand, sums and products in both orders.
        """
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
        term = self.terms[number]
        kinds = {self.terms.kind(c) for c in term.children}
        return term.operator == "mul" and len(kinds) == 1

    def _opposite(self, number: int) -> int | None:
        """The term's visible opposite: of ``-u``, ``-3``, ``-3*u``, ``-u/v``."""
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
            rest = [Weighted(w * signs[1 - written], t) for j, (w, t) in enumerate(chain) if j != i]
            built = self.build.sum_of(rest)
            if built is not None:
                yield from self._match(draft.children[1 - written], built, bound)


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


def _constant_operand(draft: Draft) -> int | None:
    for i, child in enumerate(draft.children):
        if child.operator == CONSTANT and number_value(child.label) is not None:
            return i
    return None


def _alike(left: Draft, right: Draft) -> bool:
    return left.operator == right.operator == VARIABLE and left.label == right.label


MAX_CHAIN = 8
"""Of longer sums and products only the first so many operands are paired."""

_RELATION = re.compile(r"(.+?)\s*(>=|!=|>)\s*0\Z")


class Assumption(NamedTuple):
    term: int
    relation: str  # ">", ">=" or "!="


class Rewrite(NamedTuple):
    rule: str  # Name of the rule
    term: int
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A rewrite: the right side may stand in the place of the left side.

    >>> rule = Rule("expm1", "exp(a) - 1", "expm1(a)", (), "Kahan")
    >>> rule.pattern.operator, rule.template.operator
    ('sub', 'expm1')
    """

    name: str  # In the field's words, to follow "by"
    # left, right: pattern and template, as the top of this module describes them
    left: str
    right: str
    # ``"a > 0"``, ``">="`` or ``"!="``, each in the rule's letters; only what the left side's own
    # domain does not imply
    assumptions: tuple[str, ...] = ()
    source: str = ""  # Where it is recommended

    @cached_property
    def pattern(self) -> Draft:
        return pattern(self.left)

    @cached_property
    def template(self) -> Draft:
        return pattern(self.right)

    @cached_property
    def conditions(self) -> tuple[tuple[Draft, str], ...]:
        found = [_RELATION.match(text) for text in self.assumptions]
        return tuple((pattern(m[1]), m[2]) for m in found if m is not None)


class RuleBook:
    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._fitting: dict[tuple[str, ...], tuple[Rule, ...]] = {}

    def at(self, operator: str, *operands: str) -> tuple[Rule, ...]:
        """The rules that a term with this operator over operands with those may match."""
        key = (operator, *operands)
        if key not in self._fitting:
            fitting = [rule for rule in self.rules if _fits(rule.pattern, operator, operands)]
            self._fitting[key] = tuple(fitting)
        return self._fitting[key]


_POWERS = ("pow", "power", "sqrt", "cbrt", "root")


def _roots(draft: Draft) -> tuple[str, ...]:
    if draft.operator == "pow" and draft.children[1].operator == VARIABLE:
        return _POWERS
    if draft.operator == "power" and draft.parameter == 2:
        return ("power", "mul")
    return (draft.operator,)


def _fits(draft: Draft, operator: str, operands: tuple[str, ...]) -> bool:
    if operator not in _roots(draft):
        return False
    around_number = draft.operator in ("add", "sub") and _constant_operand(draft) is not None
    if around_number or draft.operator != operator:
        return True
    orders = [operands, operands[::-1]] if operator in ("add", "mul") else [operands]
    return any(all(map(_may_be, draft.children, order)) for order in orders)


def _may_be(draft: Draft, operator: str) -> bool:
    """Whether a term with this operator may match a pattern."""
    if draft.operator == VARIABLE:
        return draft.label not in NUMBERS or operator == CONSTANT
    if draft.operator == "neg":
        return operator in ("neg", "mul", "div", CONSTANT)
    if draft.operator in ("add", "sub") and _constant_operand(draft) is not None:
        return operator in ("add", "sub")
    return operator in _roots(draft)


Named = Iterator[tuple[str, int]]
"""Rewrites of a term by a family: the name of each and the new term."""


class Rewriter:
    """All rewrites of one term; `families` are those that no single pattern describes."""

    def __init__(
        self,
        build: Builder,
        book: RuleBook,
        families: Iterable[Callable[[Builder, int], Named]] = (),
    ) -> None:
        self.build = build
        self.terms = build.terms
        self.matcher = Matcher(build)
        self.book = book
        self.families = tuple(families)
        self._known: dict[int, tuple[Rewrite, ...]] = {}
        self._direct_rewrites: dict[tuple[int, int], tuple[Rewrite, ...]] = {}

    def at(self, number: int) -> tuple[Rewrite, ...]:
        if number not in self._known:
            found: dict[int, Rewrite] = {}
            for rewrite in self._all(number):
                if rewrite.term != number:
                    found.setdefault(rewrite.term, rewrite)
            self._known[number] = tuple(found.values())
        return self._known[number]

    def _all(self, number: int) -> Iterator[Rewrite]:
        operator = self.terms[number].operator
        if operator in ("add", "sub"):
            yield from self._sums(number)
        elif operator in ("mul", "div"):
            yield from self._products(number)
        for rule in self._rules(number):
            if operator not in ("add", "sub", "mul", "div") or rule.pattern.operator == "power":
                yield from self._direct(rule, number)
        for family in self.families:
            for name, term in family(self.build, number):
                yield Rewrite(name, term)

    def _rules(self, number: int) -> tuple[Rule, ...]:
        term = self.terms[number]
        return self.book.at(term.operator, *[self.terms[c].operator for c in term.children])

    def _direct(self, rule: Rule, number: int) -> Iterator[Rewrite]:
        key = (id(rule), number)  # of rules that the book holds on to
        if key not in self._direct_rewrites:
            found = self.matcher.match(rule.pattern, number)
            self._direct_rewrites[key] = tuple(
                [Rewrite(rule.name, *self.apply(rule, bindings)) for bindings in found]
            )
        yield from self._direct_rewrites[key]

    def apply(self, rule: Rule, bindings: Bindings) -> tuple[int, tuple[Assumption, ...]]:
        term = self.build.draft(rule.template, bindings)
        needed = [
            Assumption(self.build.draft(draft, bindings), relation)
            for draft, relation in rule.conditions
        ]
        return term, tuple(a for a in needed if not self._positive(a.term))

    def _positive(self, number: int) -> bool:
        """Whether a term is a positive number, which needs no assumption."""
        value = self.terms.number(number)
        return value is not None and value > 0

    def _sums(self, number: int) -> Iterator[Rewrite]:
        chain = [_positive(self.build, part) for part in self.build.terms_of(number)]
        for i, j in combinations(range(min(len(chain), MAX_CHAIN)), 2):
            (v, a), (w, b) = chain[i], chain[j]
            tries = [("add", (a, b), v)] if v == w else [("sub", (a, b), v), ("sub", (b, a), w)]
            rest = [part for k, part in enumerate(chain) if k not in (i, j)]
            for operator, operands, sign in tries:
                pair = self.terms.intern(operator, operands)
                for rule in self._rules(pair):
                    for rewrite in self._direct(rule, pair):
                        whole = self._with_terms(rewrite.term, sign, rest, i)
                        if whole is not None:
                            yield Rewrite(rewrite.rule, whole, rewrite.assumptions)

    def _with_terms(
        self, term: int, sign: Fraction, rest: list[Weighted], place: int
    ) -> int | None:
        if not rest:
            return term if sign > 0 else self.build.neg(term)
        pieces = [Weighted(sign * w, t) for w, t in self.build.terms_of(term)]
        parts = self.build.merge_like_terms([*rest[:place], *pieces, *rest[place:]])
        return self.build.sum_of(parts)

    def _products(self, number: int) -> Iterator[Rewrite]:
        chain = self.build.factors_of(number)
        for i, j in combinations(range(min(len(chain), MAX_CHAIN)), 2):
            (v, a), (w, b) = chain[i], chain[j]
            if v == w:
                tries = [("mul", (a, b), v)]
            else:
                over, under = (a, b) if v > 0 else (b, a)
                tries = [("div", (over, under), ONE)]
            rest = [part for k, part in enumerate(chain) if k not in (i, j)]
            for operator, operands, exponent in tries:
                pair = self.terms.intern(operator, operands)
                for rule in self._rules(pair):
                    if rule.pattern.operator != operator:
                        continue
                    for rewrite in self._direct(rule, pair):
                        whole = self._with_factors(rewrite.term, exponent, rest, i)
                        if whole is not None:
                            yield Rewrite(rewrite.rule, whole, rewrite.assumptions)
        yield from self._reciprocals(chain)

    def _with_factors(
        self, term: int, exponent: Fraction, rest: list[Weighted], place: int
    ) -> int | None:
        if not rest:
            return term if exponent > 0 else self.build.div(self.build.one(), term)
        pieces = self.build.factors_of(term, exponent)
        parts = self.build.powers([*rest[:place], *pieces, *rest[place:]])
        return self.build.product_of(parts)

    def _reciprocals(self, chain: list[Weighted]) -> Iterator[Rewrite]:
        if sum(part.weight > 0 for part in chain) == 1 and len(chain) == 2:
            return
        for i, (exponent, term) in enumerate(chain[:MAX_CHAIN]):
            if exponent > 0:
                continue
            pair = self.terms.intern("div", (self.build.one(), term))
            rest = [part for k, part in enumerate(chain) if k != i]
            for rule in self._rules(pair):
                if rule.pattern.children[0].operator != CONSTANT:
                    continue
                for rewrite in self._direct(rule, pair):
                    whole = self._with_factors(rewrite.term, ONE, rest, i)
                    if whole is not None:
                        yield Rewrite(rewrite.rule, whole, rewrite.assumptions)


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
