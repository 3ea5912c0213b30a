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
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.search import FoundForm, SearchOutcome

APART = 0.1
"""Mean digits that a form must keep more to stand beside a cheaper one."""

CHEAPER = 0.9
"""The part of another form's cost below which a form that was not offered is worth a row."""

WORTH_ITS_DIGITS = 1.0
"""Mean digits that a cheaper form may lose more than the best that is offered."""

MOST_OTHERS = 4
"""Forms beside the offered ones that are verified for the front."""


class DigitsLost(NamedTuple):
    """The digits that a form loses in the target; nan where no row can be compared."""

    mean: float
    nine_in_ten: float
    worst: float

    @classmethod
    def of(cls, loss: MeasuredLoss) -> DigitsLost:
        return cls(loss.mean, loss.nine_in_ten, loss.worst)


@dataclass(frozen=True)
class RepairStep:
    rule: str
    # before, after: the sub-expressions exchanged, as short labels
    before: str
    after: str
    assumptions: tuple[str, ...]  # Such as ``"x > 0"``
    whole: str  # The whole formula after the step, as a short label
    digits: float  # That it loses then, in the mean over the rows; nan where none can be compared

    _JSON = ("rule", "before", "after", "assumptions", "whole", "digits")


def rules_of(steps: Sequence[RepairStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.rule for step in steps))


@dataclass(frozen=True)
class FrontForm(Plain):
    formula: Formula  # Its source is its Python text
    digits: DigitsLost
    nanoseconds: Nanoseconds  # A call
    steps: tuple[RepairStep, ...]  # From the formula as written, which has none

    _JSON = (
        "formula=text",
        ("latex", lambda form: to_latex(form.formula)),
        ("digits", lambda form: form.digits._asdict()),
        ("nanoseconds", lambda form: form.nanoseconds._asdict()),
        "rules",
        "steps",
    )

    @property
    def text(self) -> str:
        return self.formula.source

    @property
    def rules(self) -> tuple[str, ...]:
        return rules_of(self.steps)

    @property
    def is_original(self) -> bool:
        return not self.steps


def front_of(
    original: FrontForm, offered: Sequence[FrontForm], others: Sequence[FrontForm] = ()
) -> tuple[FrontForm, ...]:
    """The forms that no cheaper one matches, the cheapest first.

    The formula as written and the first of the offered forms are always among them. Others gain
    something on each of these, and lose no more than the former, or `WORTH_ITS_DIGITS` than the
    best.
    """
    shown = [original, *offered]
    added = [form for form in others if not any(_matches(one, form) for one in shown)]
    least = min((form.digits.mean for form in offered), default=math.inf)
    most = min(original.digits.mean + APART / 2, least + WORTH_ITS_DIGITS)
    added = [form for form in added if form.digits.mean <= most]
    fixed = shown[:2]
    best, front = math.inf, []
    for form in sorted([*shown, *added], key=lambda form: (form.nanoseconds.c, form.digits.mean)):
        if form.digits.mean < best - APART or form in fixed:
            front.append(form)
        best = min(best, form.digits.mean)
    return tuple(front)


def _matches(one: FrontForm, other: FrontForm) -> bool:
    """Whether the other is hardly cheaper, and hardly more accurate."""
    cheaper = other.nanoseconds.c < CHEAPER * one.nanoseconds.c
    return not cheaper and one.digits.mean <= other.digits.mean + APART


def candidates(outcome: SearchOutcome, cost_of: Sequence[float]) -> list[FoundForm]:
    """The forms of a search that may belong to the front, by the digits on the search's rows.
    `cost_of` holds what each of its forms costs.
    """
    ranked = sorted(zip(cost_of, outcome.forms, strict=True), key=lambda pair: pair[0])
    least = min((form.cost.double for form in outcome.forms), default=0.0)
    most = min(outcome.start.cost.double, least + WORTH_ITS_DIGITS)
    best, chosen = math.inf, []
    for _, form in ranked:
        if form.cost.double < best - APART and form.cost.double <= most:
            chosen.append(form)
            best = form.cost.double
    return chosen[-MOST_OTHERS:]
