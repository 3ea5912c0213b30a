"""Expansions: the coefficients of a term's model at a row of the data, as terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from flint import arb, fmpq

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.balls import rational, working
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.series.coefficients import (
    DISTANCE,
    Coefficient,
    Ramified,
    Ratio,
    TooShort,
    Unproved,
    factors,
    is_zero,
    sign_of,
    summands,
)
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion
from eic_core.rewriting.series.horner import number_term, scaled_product
from eic_core.rewriting.series.taylor_models import BITS, Model, ModelField, Modeller
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import ENDLESS, WorkBudget

RADIUS = Fraction(1, 1 << 4000)
"""So near the point that leading coefficients decide each sign."""

SPARE = 4
"""A model has so many coefficients more than are wanted: some may cancel."""

LONGEST = 64
"""And so many at most, if more do."""

MOST_ROOT = 6
"""Powers of the distance in smaller parts are not looked for."""

APART = fmpq(1, 1 << 40)
"""By this share, or a few of it, the inputs of a row are smaller: so that none equals another."""

SIDES = {"both": (1, -1), "above": (1,), "below": (-1,), "inf": (1,), "-inf": (-1,)}


def expand(
    terms: Terms, question: ExpansionQuestion, budget: WorkBudget = ENDLESS
) -> Expansion | None:
    """The expansion of a term, None if none is seen; raises `BudgetSpent`."""
    with working(BITS):
        return _Expanding(terms, question, budget).by_models(1, question.terms + SPARE)


class _Powers(NamedTuple):
    """h**(first + share) times the sum of coefficients[i] * h**i."""

    first: int
    share: Coefficient
    coefficients: Sequence[Coefficient]
    ends: bool  # With them: it is a polynomial

    def agrees(self, other: _Powers) -> bool:
        """Whether both are the expansion of one function, on both sides of the point."""
        pairs = zip(self.coefficients, other.coefficients, strict=False)
        differences = [self.share, other.share, *(a - b for a, b in pairs)]
        return self.first == other.first and all(is_zero(c) for c in differences)


class _Expanding:
    def __init__(self, terms: Terms, question: ExpansionQuestion, budget: WorkBudget) -> None:
        self.terms, self.question, self.budget = terms, question, budget
        self.write = _CoefficientWriter(terms)

    def by_models(self, root: int, count: int) -> Expansion | None:
        """By models in the root of the distance, of so many coefficients or of more."""
        found: Expansion | None = None
        try:
            powers = self._on_all_sides(root, count)
            found = self._expansion(powers)
            nonzero = sum(not is_zero(c) for c in powers.coefficients)
            if powers.ends or nonzero >= self.question.terms:
                return found
        except Ramified as ramified:
            root *= ramified.root
            return self.by_models(root, count) if root <= MOST_ROOT else None
        except TooShort:
            pass
        except (Unproved, ZeroDivisionError):
            return None
        return found if 2 * count > LONGEST else self.by_models(root, 2 * count) or found

    def _on_all_sides(self, root: int, count: int) -> _Powers:
        row = {
            name: arb(value) * (1 - APART * place)
            for place, (name, value) in enumerate(self.question.row, 1)
        }
        field = ModelField(RADIUS, row, count, self.budget, at_row=True)
        point = self.question.point
        sides = SIDES[point if isinstance(point, str) else self.question.side]
        own, *others = (self._on_side(field, side, root) for side in sides)
        if not all(own.agrees(other) for other in others):
            raise Unproved
        return min((own, *others), key=lambda powers: len(powers.coefficients))

    def _on_side(self, field: ModelField, side: int, root: int) -> _Powers:
        model = self._model(field, side, root)
        _ = model.lead
        some = model.coefficients
        some = some[: next((i for i, c in enumerate(some) if isinstance(c, arb)), len(some))]
        if not some or any(i % root and not is_zero(c) for i, c in enumerate(some)):
            raise Unproved
        first, left = divmod(model.first, root)
        signed = [c * side ** ((first + i) % 2) for i, c in enumerate(some[::root])]
        share = fmpq(left, root) + model.share / root
        return _Powers(first, share, signed, model.is_polynomial)

    def _model(self, field: ModelField, side: int, root: int) -> Model:
        """The model of the term, its variables written by the quantity."""
        terms, question = self.terms, self.question
        modeller = Modeller(terms, question.quantity, question.point, side, field, root)
        for number, operand in self._path():
            term, whole = terms[number], modeller.model(number)
            other = next((modeller.model(c) for c in term.children if c != operand), whole)
            is_left = operand == term.children[0]
            modeller.models[operand] = _operand(term.operator, whole, other, is_left)
        return modeller.model(question.term)

    def _path(self) -> Sequence[tuple[int, int]]:
        """How to reach a variable that stands once in the quantity, if the term holds some of its
        variables elsewhere: terms, each with the operand to go to.
        """
        terms, quantity = self.terms, self.question.quantity
        above = set(terms.walk(self.question.term, lambda number: number != quantity))
        inside = {n for n in terms.subterms(quantity) if terms[n].operator == VARIABLE}
        shared = sorted((above & inside) - {quantity})
        for variable in shared:
            path: list[tuple[int, int]] = []
            number = quantity
            while number != variable:
                term = terms[number]
                holding = [c for c in term.children if variable in terms.subterms(c)]
                if term.operator not in _INVERTIBLE or len(holding) != 1:
                    break
                path.append((number, holding[0]))
                number = holding[0]
            else:
                return path
        if shared:
            raise Unproved
        return ()

    def _expansion(self, powers: _Powers) -> Expansion:
        """With the wanted coefficients, or those that are known."""
        places = [i for i, c in enumerate(powers.coefficients) if not is_zero(c)]
        kept = powers.coefficients[: places[: self.question.terms][-1] + 1]
        written = tuple([self.write.term(c) for c in kept])
        return Expansion(self.question, powers.first, written, self._factor(powers.share))

    def _factor(self, share: Coefficient) -> int | None:
        """The size of h to a power that is not whole."""
        build, point, distance = self.write.build, self.question.point, self.question.quantity
        if is_zero(share):
            return None
        if isinstance(point, str):
            share = -share
        elif point:
            distance = build.sub(distance, number_term(self.terms, point))
        if point == "-inf" or (point != "inf" and self.question.side == "below"):
            distance = build.neg(distance)
        exponent = self.write.term(share)
        value = self.terms.number(exponent)
        if value is None:
            return self.terms.intern("pow", (distance, exponent))
        return scaled_product(build, ONE, [Weighted(value, distance)])


_INVERTIBLE = frozenset(("add", "sub", "mul", "div", "neg"))


def _operand(operator: str, whole: Model, other: Model, is_left: bool) -> Model:
    """The one operand of a sum, difference, product or quotient, by the whole and the other one."""
    match operator:
        case "add":
            return whole - other
        case "sub":
            return whole + other if is_left else other - whole
        case "mul":
            return whole / other
        case "div":
            return whole * other if is_left else other / whole
    return -whole


class _CoefficientWriter:
    """Writes coefficients as terms; raises `Unproved` for a ball or the distance's logarithm."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.build = terms, Builder(terms)

    def term(self, c: Coefficient) -> int:
        """As a product or as a sum, whichever is shorter."""
        if isinstance(c, arb):
            raise Unproved
        if not isinstance(c, Ratio):
            return number_term(self.terms, Fraction(int(c.p), int(c.q)))
        factored = self._product(factors(c))
        if len(c.under) > 1:
            return factored
        return min(
            factored, self._sum(c), key=lambda n: self.terms.size(self.terms.with_quotients(n))
        )

    def _sum(self, c: Ratio) -> int:
        parts = [(weight > 0, self._product(factors(part))) for weight, part in summands(c)]
        first = next((i for i, (is_positive, _) in enumerate(parts) if is_positive), 0)
        is_positive, total = parts.pop(first)
        total = total if is_positive else self.build.neg(total)
        for is_positive, part in parts:
            total = self.terms.intern("add" if is_positive else "sub", (total, part))
        return total

    def _product(self, parts: Iterable[tuple[Coefficient, int]]) -> int:
        number = ONE
        powers: dict[int, Fraction] = defaultdict(Fraction)
        for c, power in parts:
            for base, exponent in self._powers(c, Fraction(power)):
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
        weighted = [Weighted(e, base) for base, e in (numbers | powers).items() if e]
        return scaled_product(self.build, number, weighted)

    def _powers(self, c: Coefficient, power: Fraction) -> Iterator[tuple[int, Fraction]]:
        """A power of a factor as terms with exponents: a root is a power of what is under it."""
        atom = c.atoms.atom_of(c.over) if isinstance(c, Ratio) else None
        if atom is None:
            yield self._sum(c) if isinstance(c, Ratio) else self.term(c), power
        elif atom.argument == DISTANCE:
            raise Unproved
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
