"""The front of cost and digits: which forms no other one beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eic_core.exports import Plain
from eic_core.formula.rendering import to_latex
from eic_core.formula.tree import Formula
from eic_core.measure.measured import MeasuredLoss
from eic_core.rewriting.costs import Nanoseconds, nanoseconds
from eic_core.rewriting.gains import SCATTER
from eic_core.rewriting.pieces import Branch, RepairStep, assumptions_of, rules_of
from eic_core.rewriting.terms import Terms


class DigitsLost(NamedTuple):
    """The digits that a form loses in the target; nan where no row can be compared."""

    mean: float
    nine_in_ten: float
    worst: float

    @classmethod
    def of(cls, loss: MeasuredLoss) -> DigitsLost:
        return cls(loss.mean, loss.nine_in_ten, loss.worst)


@dataclass(frozen=True)
class FrontForm(Plain):
    formula: Formula  # Its source is its Python text
    digits: DigitsLost
    nanoseconds: Nanoseconds  # A call
    steps: tuple[RepairStep, ...]  # From the formula as written, which has none
    branches: tuple[Branch, ...] = ()  # Of a form that chooses

    _JSON = (
        "formula=text",
        ("latex", lambda form: to_latex(form.formula)),
        ("digits", lambda form: form.digits._asdict()),
        ("nanoseconds", lambda form: form.nanoseconds._asdict()),
        "rules",
        "assumptions",
        "steps",
        "branches",
    )

    @classmethod
    def of(
        cls,
        formula: Formula,
        loss: MeasuredLoss,
        steps: Sequence[RepairStep],
        branches: Sequence[Branch] = (),
    ) -> FrontForm:
        terms = Terms(formula.exponents)
        cost = nanoseconds(terms, terms.add(formula), [branch.rows for branch in branches])
        return cls(formula, DigitsLost.of(loss), cost, tuple(steps), tuple(branches))

    @property
    def text(self) -> str:
        return self.formula.source

    @property
    def rules(self) -> tuple[str, ...]:
        return rules_of(self.steps)

    @property
    def assumptions(self) -> tuple[str, ...]:
        return assumptions_of(self.steps)

    @property
    def is_original(self) -> bool:
        return not self.steps and not self.branches


def front_of(original: FrontForm, offered: Sequence[FrontForm]) -> tuple[FrontForm, ...]:
    """The forms that keep more digits than all cheaper ones, the cheapest first.
    The formula as written and the first of the offered forms are always among them.
    """
    fixed = original, *offered[:1]
    least, front = math.inf, []
    ranked = sorted([original, *offered], key=lambda f: (f.nanoseconds.c, f.digits.mean))
    for form in ranked:
        if form.digits.mean < least - SCATTER or form in fixed:
            front.append(form)
        least = min(least, form.digits.mean)
    return tuple(front)
