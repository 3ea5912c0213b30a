"""Expansions: the coefficients of a term's model at a row of the data."""

from __future__ import annotations

from fractions import Fraction
from itertools import takewhile

from flint import arb, fmpq

from eic_core.operators.balls import working
from eic_core.rewriting.series.coefficients import (
    Coefficient,
    TooShort,
    Unproved,
    is_written,
    is_zero,
)
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion
from eic_core.rewriting.series.scaling import Scaling, inputs_outside, scaling_of
from eic_core.rewriting.series.taylor_models import BITS, ModelField, Modeller, by_root
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
        self.scaling: Scaling | None = None
        self.scale: Coefficient = fmpq(1)
        self.shift = 0
        outside = inputs_outside(terms, question.term, question.quantity)
        if outside & {*terms.subterms(question.quantity)}:
            self.scaling = scaling_of(terms, question.quantity)
            degree = self.scaling and self.scaling.degree(terms, question.term)
            if self.scaling is None or degree is None:
                raise Unproved
            unit = self.scaling.unit
            is_power = question.point in (0, "inf", "-inf")  # The quantity is one of the distance
            if is_power and self.scaling.other not in outside:  # By it and the other input
                unit, power = self.scaling.other, self.scaling.powers[self.scaling.other]
                degree *= power
                self.shift = degree if question.at_end else -degree
            self.scale = self.field.atoms.input(terms[unit].label) ** degree

    def on_all_sides(self, root: int) -> Expansion:
        """By models in the root of the distance."""
        own, *others = (self._on_side(side, root) for side in self.question.sides)
        if not all(own.agrees(other) for other in others):
            raise Unproved
        return min((own, *others), key=lambda expansion: len(expansion.coefficients))

    def _on_side(self, side: int, root: int) -> Expansion:
        terms, question = self.terms, self.question
        modeller = Modeller(
            terms, question.quantity, question.point, side, self.field, root, self.scaling
        )
        model = modeller.model(question.term)
        _ = model.lead
        some = tuple(takewhile(is_written, model.coefficients))
        if not some or any(i % root and not is_zero(c) for i, c in enumerate(some)):
            raise Unproved
        first, left = divmod(model.first, root)
        scale = self.scale
        signed = tuple([c * scale * side ** ((first + i) % 2) for i, c in enumerate(some[::root])])
        share = fmpq(left, root) + model.share / root
        ends = model.is_polynomial or len(some) < len(model.coefficients)
        return Expansion(first + self.shift, share, signed, ends)
