"""Expansions: the coefficients of a term's model at a row of the data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from flint import arb, fmpq

from eic_core.formula.tree import VARIABLE
from eic_core.operators.balls import working
from eic_core.rewriting.series.coefficients import TooShort, Unproved, is_written, is_zero
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion
from eic_core.rewriting.series.taylor_models import BITS, Model, ModelField, Modeller, by_root
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import ENDLESS, WorkBudget

RADIUS = Fraction(1, 1 << 4000)
"""So near the point that leading coefficients decide each sign."""

SPARE = 4
"""A model has so many coefficients more than are wanted: some may cancel."""

LONGEST = 64
"""And so many at most, if more do."""

APART = fmpq(1, 1 << 40)
"""By this share, or a few of it, the inputs of a row are smaller: so that none equals another."""


def expand(
    terms: Terms, question: ExpansionQuestion, budget: WorkBudget = ENDLESS
) -> Expansion | None:
    """The expansion of a term, of as many coefficients as are wanted or seen, None if none is;
    raises `BudgetSpent`.
    """
    longest: Expansion | None = None
    count = question.terms + SPARE
    with working(BITS):
        while count <= LONGEST:
            try:
                longest = by_root(_Expanding(terms, question, budget, count).on_all_sides)
            except TooShort:
                pass
            except (Unproved, ZeroDivisionError):
                break
            if longest is not None and (longest.ends or len(longest.powers) >= question.terms):
                break
            count *= 2
        return longest and longest.of_terms(question.terms)


class _Expanding:
    def __init__(
        self, terms: Terms, question: ExpansionQuestion, budget: WorkBudget, count: int
    ) -> None:
        self.terms, self.question = terms, question
        row = {
            name: arb(value) * (1 - APART * place)
            for place, (name, value) in enumerate(question.row, 1)
        }
        self.field = ModelField(RADIUS, row, count, budget, at_row=True)

    def on_all_sides(self, root: int) -> Expansion:
        """By models in the root of the distance."""
        own, *others = (self._on_side(side, root) for side in self.question.sides)
        if not all(own.agrees(other) for other in others):
            raise Unproved
        return min((own, *others), key=lambda expansion: len(expansion.coefficients))

    def _on_side(self, side: int, root: int) -> Expansion:
        model = self._model(side, root)
        _ = model.lead
        some = tuple(takewhile(is_written, model.coefficients))
        if not some or any(i % root and not is_zero(c) for i, c in enumerate(some)):
            raise Unproved
        first, left = divmod(model.first, root)
        signed = tuple([c * side ** ((first + i) % 2) for i, c in enumerate(some[::root])])
        share = fmpq(left, root) + model.share / root
        ends = model.is_polynomial or len(some) < len(model.coefficients)
        return Expansion(first, share, signed, ends)

    def _model(self, side: int, root: int) -> Model:
        """The model of the term, its variables written by the quantity."""
        terms, question = self.terms, self.question
        modeller = Modeller(terms, question.quantity, question.point, side, self.field, root)
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
