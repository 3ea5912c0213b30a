"""Rewriting rules, and their application at one place.

A rule (a row of `eic_core.rewriting.tables`) holds for all real operands at which its left side has
a value and its assumptions hold; `eic_core.rewriting.matching` says what its patterns match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from eic_core.formula.tree import CONSTANT, Draft
from eic_core.operators.forms import ALWAYS_POSITIVE
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.matching import (
    MAX_MATCHES,
    Bindings,
    Matcher,
    Pattern,
    letters,
    pattern,
)
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write
from eic_core.samples import Domain

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
    # Ranges of its letters, as for ``--range``, in which both sides have values and the rule
    # matters: ``"a=1:1e8 b=loguniform:1e-9:1"``
    example: str = ""

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The ranges of the example, by letter."""
        return dict(map(Domain.parse, self.example.split()))

    @cached_property
    def pattern(self) -> Pattern:
        return pattern(self.left)

    @cached_property
    def template(self) -> Draft:
        return letters(self.right)

    @cached_property
    def conditions(self) -> tuple[tuple[Draft, str], ...]:
        found = [_RELATION.match(text) for text in self.assumptions]
        return tuple((letters(m[1]), m[2]) for m in found if m is not None)


class RuleBook:
    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._by_root: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for operator in rule.pattern.roots:
                self._by_root.setdefault(operator, []).append(rule)
        self._fitting: dict[tuple[str, ...], tuple[Rule, ...]] = {}
        self._longer = tuple(rule for rule in self.rules if len(rule.pattern.parts) > 2)
        self._fitting_longer: dict[tuple[str, frozenset[str]], tuple[Rule, ...]] = {}

    def at(self, operator: str, *operands: str) -> tuple[Rule, ...]:
        """The rules that a term with this operator over operands with those may match."""
        key = (operator, *operands)
        if key not in self._fitting:
            rules = self._by_root.get(operator, ())
            self._fitting[key] = tuple(
                rule for rule in rules if rule.pattern.fits(operator, operands)
            )
        return self._fitting[key]

    def of_chains(self, kind: str, operators: Collection[str]) -> tuple[Rule, ...]:
        """The rules for sums ("add") or products ("mul") of three parts and more, of which terms
        with these operators may match each.
        """
        key = (kind, frozenset(operators))
        if key not in self._fitting_longer:
            pair = ("add", "sub") if kind == "add" else ("mul", "div")
            self._fitting_longer[key] = tuple(
                rule
                for rule in self._longer
                if rule.pattern.operator in pair
                and all(
                    any(part.pattern.may_be(op) for op in operators) for part in rule.pattern.parts
                )
            )
        return self._fitting_longer[key]


Named = Iterator[tuple[str, int] | tuple[str, int, tuple[Assumption, ...]]]
"""Rewrites of a term: the name of each, the new term, what is assumed."""


class Family(NamedTuple):
    """Rewrites that no single pattern describes, of terms with certain operators."""

    operators: Collection[str]
    rewrite: Callable[[Builder, int], Named]

    def at(self, build: Builder, number: int) -> Iterator[Rewrite]:
        if build.terms[number].operator in self.operators:
            for name, term, *assumptions in self.rewrite(build, number):
                yield Rewrite(name, term, *assumptions)


class Rewriter:
    """All rewrites of one term, by rules and families."""

    def __init__(
        self,
        build: Builder,
        book: RuleBook,
        families: Iterable[Family] = (),
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
            yield from family.at(self.build, number)

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
        term = self._written(rule.template, bindings)
        needed = [
            Assumption(self.build.draft(draft, bindings), relation)
            for draft, relation in rule.conditions
        ]
        return term, tuple(a for a in needed if not self._positive(a.term))

    def _written(self, template: Draft, bindings: Bindings) -> int:
        """A template with letters replaced; a difference over the line is expanded where that
        cancels, as in ``(x*(x + 1) - x**2)/(sqrt(x*(x + 1)) + x)``.
        """
        if template.operator != "div" or template.children[0].operator not in ("add", "sub"):
            return self.build.draft(template, bindings)
        over, under = (self.build.draft(child, bindings) for child in template.children)
        if self.terms[over].operator in ("add", "sub"):
            p, *parts = (polynomial_of(self.build, n) for n in (over, *self.terms[over].children))
            sizes = [len(part) for part in parts if part is not None]
            if p is not None and len(sizes) == 2 and len(p) < sum(sizes):
                over = min((*ways_to_write(self.build, p), over), key=self.terms.size)
        return self.build.div(over, under)

    def _positive(self, number: int) -> bool:
        """Whether a term is positive whatever is in it, and needs no assumption."""
        value, operator = self.terms.number(number), self.terms[number].operator
        return operator in ALWAYS_POSITIVE or (value is not None and value > 0)

    def _sums(self, number: int) -> Iterator[Rewrite]:
        chain = self.matcher.signed_terms(number)
        for i, j in combinations(range(min(len(chain), MAX_CHAIN)), 2):
            (v, a), (w, b) = chain[i], chain[j]
            tries = [("add", (a, b), v)] if v == w else [("sub", (a, b), v), ("sub", (b, a), w)]
            rest = [part for k, part in enumerate(chain) if k not in (i, j)]
            for operator, operands, sign in tries:
                pairs = self._pairs(operator, operands)
                yield from self._put_back(pairs, self._with_terms, sign, rest, i)
        if 2 < len(chain) <= MAX_CHAIN:
            yield from self._longer("add", chain)
            yield from self._one_and_the_rest(chain)

    def _put_back(
        self,
        rewrites: Iterable[Rewrite],
        write: Callable[[int, Fraction, list[Weighted], int], int | None],
        weight: Fraction,
        rest: list[Weighted],
        place: int,
    ) -> Iterator[Rewrite]:
        """Rewrites of a part of a chain, each among the rest of it."""
        for rewrite in rewrites:
            whole = write(rewrite.term, weight, rest, place)
            if whole is not None:
                yield Rewrite(rewrite.rule, whole, rewrite.assumptions)

    def _pairs(self, operator: str, operands: tuple[int, int]) -> Iterator[Rewrite]:
        pair = self.terms.intern(operator, operands)
        for rule in self._rules(pair):
            yield from self._direct(rule, pair)

    def _longer(self, kind: str, chain: list[Weighted]) -> Iterator[Rewrite]:
        """Three terms or factors and more by the rules that have as many."""
        operators = [self.terms[part.term].operator for part in chain]
        for rule in self.book.of_chains(kind, operators):
            for sign in (ONE, -ONE) if kind == "add" else (ONE,):
                turned = [Weighted(sign * w, term) for w, term in chain]
                ways = self.matcher.choices(rule.pattern.parts, turned, {})
                for _, (bindings, used) in zip(range(MAX_MATCHES), ways, strict=False):
                    term, assumptions = self.apply(rule, bindings)
                    rest = [part for k, part in enumerate(chain) if k not in used]
                    put_back = self._with_terms if kind == "add" else self._with_factors
                    whole = put_back(term, sign, rest, min(used))
                    if whole is not None:
                        yield Rewrite(rule.name, whole, assumptions)

    def _one_and_the_rest(self, chain: list[Weighted]) -> Iterator[Rewrite]:
        """``sqrt(a) - b`` with several terms for b."""
        for i, (sign, term) in enumerate(chain):
            if not self.terms[term].children:
                continue
            others = [Weighted(-sign * w, t) for j, (w, t) in enumerate(chain) if j != i]
            negative = others[0].weight < 0
            rest = self.build.sum_of([Weighted(-w, t) for w, t in others] if negative else others)
            if rest is None:
                continue
            tries = (
                [("add", (term, rest), sign)]
                if negative
                else [("sub", (term, rest), sign), ("sub", (rest, term), -sign)]
            )
            for operator, operands, outer in tries:
                for rewrite in self._pairs(operator, operands):
                    whole = rewrite.term if outer > 0 else self.build.neg(rewrite.term)
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
                    if rule.pattern.operator == operator:
                        found = self._direct(rule, pair)
                        yield from self._put_back(found, self._with_factors, exponent, rest, i)
        if 2 < len(chain) <= MAX_CHAIN:
            yield from self._longer("mul", chain)
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
                if rule.pattern.children[0].operator == CONSTANT:
                    found = self._direct(rule, pair)
                    yield from self._put_back(found, self._with_factors, ONE, rest, i)
