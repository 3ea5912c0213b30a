"""Patterns, and the terms that match them.

A single letter stands for any sub-expression, ``k``, ``m`` and ``n`` for a rational number; other
numbers mean their value. ``u**p`` matches every power of u, roots and exact exponents included.
Operands of + and * match in any order, and a number in a sum matches anywhere in its chain (``1
+ a`` in ``x + 1 + y``). A letter that stands alone in a product takes all other factors
(``c*exp(a)`` in ``x*exp(y)/3``), one that stands alone in a sum takes what the others leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
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
        # by the id of a pattern, which they hold on to
        self._known_parts: dict[int, tuple[Draft, tuple[PatternPart, ...]]] = {}
        self._pattern_functions: dict[int, tuple[Draft, frozenset[str]]] = {}
        self._term_functions: dict[int, frozenset[str]] = {}

    def match(self, draft: Draft, number: int) -> Iterator[Bindings]:
        """At most `MAX_MATCHES` ways in which a term matches the pattern."""
        if not self._functions_of(draft) <= self._functions_below(number):
            return
        found = self._match(draft, number, {})
        for _, bindings in zip(range(MAX_MATCHES), found, strict=False):
            yield bindings

    def _functions_of(self, draft: Draft) -> frozenset[str]:
        if id(draft) not in self._pattern_functions:
            self._pattern_functions[id(draft)] = (draft, functions_in(draft))
        return self._pattern_functions[id(draft)][1]

    def _functions_below(self, number: int) -> frozenset[str]:
        for below in self.terms.walk(number, lambda n: n not in self._term_functions):
            if below not in self._term_functions:
                term = self.terms[below]
                inner = [self._term_functions[child] for child in term.children]
                self._term_functions[below] = frozenset((term.operator,)).union(*inner)
        return self._term_functions[number]

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
            summands = self._parts(draft)
            written = _constant_operand(draft) if len(summands) == 2 else None
            if written is not None and term.operator in ("add", "sub"):
                yield from self._around_number(draft, written, number, bound)
                return
            if len(summands) > 2 or summands[0].draft.operator != VARIABLE:
                if term.operator in ("add", "sub"):
                    yield from self._sum(summands, number, bound)
                return
        if draft.operator == "neg":
            opposite = opposite_of(self.build, number)
            if opposite is not None:
                yield from self._match(draft.children[0], opposite, bound)
            return
        if draft.operator in ("mul", "div") and len(self._parts(draft)) > 1:
            if term.operator in ("mul", "div"):
                yield from self._product(draft, number, bound)
            return
        if _is_root(draft.operator) and draft.operator != term.operator:
            if self._exponent(number) == exponent_of(draft.operator, draft.parameter):
                yield from self._match(draft.children[0], term.children[0], bound)
            return
        if term.operator != draft.operator or term.parameter != draft.parameter:
            return
        if len(term.children) != len(draft.children):
            return
        yield from self._all(draft.children, term.children, bound)
        if OPERATORS[draft.operator].commutative and not _alike(*draft.children):
            yield from self._all(draft.children, term.children[::-1], bound)

    def _all(
        self, drafts: list[Draft], numbers: tuple[int, ...], bound: Bindings
    ) -> Iterator[Bindings]:
        if not drafts:
            yield bound
            return
        for found in self._match(drafts[0], numbers[0], bound):
            yield from self._all(drafts[1:], numbers[1:], found)

    def _parts(self, draft: Draft) -> tuple[PatternPart, ...]:
        if id(draft) not in self._known_parts:
            find = parts_of if draft.operator in ("add", "sub") else _loose_factors
            self._known_parts[id(draft)] = (draft, find(draft))
        return self._known_parts[id(draft)][1]

    def choices(
        self, parts: tuple[PatternPart, ...], chain: list[Weighted], bound: Bindings
    ) -> Iterator[tuple[Bindings, frozenset[int]]]:
        """The ways to match each part with another member of the chain, and which were used."""
        if not parts:
            yield bound, frozenset()
            return
        weight, draft = parts[0]
        for i, (w, term) in enumerate(chain):
            if w != weight:
                continue
            for found in self._match(draft, term, bound):
                others = [Weighted(Fraction(0), 0) if j == i else m for j, m in enumerate(chain)]
                for whole, used in self.choices(parts[1:], others, found):
                    yield whole, used | {i}

    def signed_terms(self, number: int) -> list[Weighted]:
        return [_positive(self.build, part) for part in self.build.terms_of(number)]

    def _sum(
        self, parts: tuple[PatternPart, ...], number: int, bound: Bindings
    ) -> Iterator[Bindings]:
        """Term by term; a letter that stands alone takes all that the others leave."""
        chain = self.signed_terms(number)
        lone = sum(part.draft.operator == VARIABLE for part in parts) == 1
        for found, used in self.choices(parts[:-1] if lone else parts, chain, bound):
            rest = [part for i, part in enumerate(chain) if i not in used]
            if not lone:
                if not rest:
                    yield found
                continue
            weight, letter = parts[-1]
            turned = [Weighted(weight * w, term) for w, term in rest]
            whole = None
            if any(part.weight > 0 for part in turned):
                whole = self.build.sum_of(turned)
            if whole is not None:
                yield from self._match(letter, whole, found)

    def _product(self, draft: Draft, number: int, bound: Bindings) -> Iterator[Bindings]:
        parts = self._parts(draft)
        lone = parts[-1].draft if parts[-1].draft.operator == VARIABLE else None
        chain = self.build.factors_of(number)
        for found, used in self.choices(parts[:-1] if lone else parts, chain, bound):
            rest = [part for i, part in enumerate(chain) if i not in used]
            if lone is None:
                if not rest:
                    yield found
                continue
            if not rest:
                continue
            whole = rest[0].term if rest[0].weight == 1 else None
            if len(rest) > 1 or whole is None:
                whole = self.build.product_of(self.build.powers(rest))
            if whole is not None:
                yield from self._match(lone, whole, found)

    def _placeholder(self, name: str, number: int, bound: Bindings) -> Iterator[Bindings]:
        if name in NUMBERS and self.terms.number(number) is None:
            return
        if name not in bound:
            yield {**bound, name: number}
        elif self._normal(bound[name]) == self._normal(number):
            yield bound

    def _normal(self, number: int) -> object:
        """Equal for equal polynomials, however they are written."""
        if self.terms[number].operator not in ("add", "sub", "mul", "div", "neg"):
            return self.terms.kind(number)
        p = polynomial_of(self.build, number)
        return self.terms.kind(number) if p is None else p.key

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

    def _any_power(self, draft: Draft, number: int, bound: Bindings) -> Iterator[Bindings]:
        term = self.terms[number]
        base, exponent = draft.children
        if term.operator == "pow":
            yield from self._all([base, exponent], term.children, bound)
            return
        value = self._exponent(number)
        if value is None:
            return
        written = self.build.number(value)
        if written is not None:
            yield from self._all([base, exponent], (term.children[0], written), bound)

    def _exponent(self, number: int) -> Fraction | None:
        """The rational power of its operand that a term is, if it is one."""
        term = self.terms[number]
        if term.operator == "pow":
            weight, rest = self.build.coefficient(term.children[1])
            return weight if self.terms.number(rest) == 1 else None
        return exponent_of(term.operator, term.parameter)

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


class PatternPart(NamedTuple):
    """A summand of a pattern with its sign, or a factor with the exponent 1 or -1."""

    weight: Fraction
    draft: Draft


def parts_of(draft: Draft) -> tuple[PatternPart, ...]:
    """Summands or factors, lone letters last.

    >>> [(int(part.weight), part.draft.operator) for part in parts_of(pattern("a - exp(b) + 1"))]
    [(-1, 'exp'), (1, 'constant'), (1, 'variable')]
    """
    pair = ("add", "sub") if draft.operator in ("add", "sub") else ("mul", "div")
    parts: list[PatternPart] = []
    todo = [PatternPart(ONE, draft)]
    while todo:
        weight, part = todo.pop()
        if part.operator in pair:
            left, right = part.children
            todo += [PatternPart(weight if part.operator == pair[0] else -weight, right)]
            todo += [PatternPart(weight, left)]
        else:
            parts.append(PatternPart(weight, part))
    return tuple(sorted(parts, key=lambda part: part.draft.operator == VARIABLE))


def _loose_factors(draft: Draft) -> tuple[PatternPart, ...]:
    """The factors of a product of which one letter may take several; none for other products."""
    parts = parts_of(draft)
    lone = [part for part in parts if part.draft.operator == VARIABLE]
    return () if len(lone) > 1 or any(part.weight < 0 for part in lone) else parts


def _is_root(operator: str) -> bool:
    return operator in ("sqrt", "cbrt", "root")


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


def functions_in(draft: Draft) -> frozenset[str]:
    """The operators that a term must hold to match a pattern: all but those of algebra, which
    stand for one another.

    >>> sorted(functions_in(pattern("log(sqrt(a) + exp(-b))")))
    ['exp', 'log']
    """
    own = frozenset((draft.operator,)) - _ALGEBRA
    return own.union(*map(functions_in, draft.children))


POWERS = ("pow", "power", "sqrt", "cbrt", "root")


def is_longer(draft: Draft) -> bool:
    return draft.operator in ("add", "sub", "mul", "div") and len(parts_of(draft)) > 2


def roots(draft: Draft) -> tuple[str, ...]:
    """The operators of terms that may match a pattern."""
    if draft.operator == "pow" and draft.children[1].operator == VARIABLE:
        return POWERS
    if draft.operator == "power" and draft.parameter == 2:
        return ("power", "mul")
    if _is_root(draft.operator):
        return POWERS
    if draft.operator in ("mul", "div") and len(_loose_factors(draft)) > 1:
        return ("mul", "div")
    if draft.operator in ("add", "sub") and (
        is_longer(draft) or parts_of(draft)[0].draft.operator != VARIABLE
    ):
        return ("add", "sub")
    return (draft.operator,)


SUMS, PRODUCTS = ("add", "sub"), ("mul", "div")

_ALGEBRA = frozenset((*SUMS, *PRODUCTS, "neg", VARIABLE, CONSTANT, *POWERS))


def fits(draft: Draft, operator: str, operands: tuple[str, ...]) -> bool:
    """Whether a term over such operands may match, of an operator that is one of `roots`."""
    if draft.operator in (*SUMS, *PRODUCTS):
        return _chain_fits(draft, operator, operands)
    if draft.operator != operator:
        return True
    orders = [operands]
    if OPERATORS[operator].commutative:
        orders.append(operands[::-1])
    return any(all(map(may_be, draft.children, order)) for order in orders)


def _chain_fits(draft: Draft, operator: str, operands: tuple[str, ...]) -> bool:
    """Whether a pair may match a pattern's parts; one that is a chain itself may anyway."""
    pair = SUMS if draft.operator in SUMS else PRODUCTS
    parts = parts_of(draft)
    written = pair is SUMS and _constant_operand(draft) is not None
    if any(op in (*pair, "neg") for op in operands):
        return written or operator == draft.operator or len(parts) > 2 or pair is PRODUCTS
    if len(parts) > len(operands):
        return False
    if written:
        others = [part.draft for part in parts if part.draft.operator != CONSTANT]
        tried = [op for op in operands if op != CONSTANT] + ["neg"]
        return CONSTANT in operands and all(
            any(may_be(other, op) for op in tried) for other in others
        )
    if pair is PRODUCTS and _loose_factors(draft):
        return all(any(may_be(part.draft, op) for op in operands) for part in parts)
    orders = [operands]
    if operator in ("add", "mul"):
        orders.append(operands[::-1])
    return operator == draft.operator and any(
        all(map(may_be, draft.children, order)) for order in orders
    )


def may_be(draft: Draft, operator: str) -> bool:
    """Whether a term with this operator may match a pattern."""
    if draft.operator == VARIABLE:
        return draft.label not in NUMBERS or operator == CONSTANT
    if draft.operator == "neg":
        return operator in ("neg", "mul", "div", CONSTANT)
    if draft.operator in ("add", "sub") and _constant_operand(draft) is not None:
        return operator in ("add", "sub")
    return operator in roots(draft)


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
