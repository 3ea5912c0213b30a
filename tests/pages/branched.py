"""Repairs with branches and series made by hand, from the result of a real search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import inspect
from eic_core.rewriting import Branch, InputInterval, Repair, Repairs, RepairStep, Series
from eic_core.rewriting.gains import Gain, RowComparison
from eic_core.rewriting.own_form import compare_own_form
from eic_core.rewriting.profile import NO_BRANCH, arms_of, profile
from eic_core.rewriting.verify import Verification

QUADRATIC = "(-b + sqrt(b**2 - 4*a*c))/(2*a)"
ROOTS_BY_SIGN = f"where(b <= 0, {QUADRATIC}, -2*c/(b + sqrt(b**2 - 4*a*c)))"
SINE = "sin(x) - x"
SINE_BY_SERIES = "where(abs(x) <= 0.1, x**3*(-1/6 + x**2*(1/120 + x**2*(-1/5040))), sin(x) - x)"
SERIES = Series(
    "x",
    "0",
    "taylor",
    9,
    "sin(x) - x",
    "x**3*(-1/6 + …)",
    1.7e-11,
    (InputInterval("x", -0.1, 0.1),),
)


def form_of(text: str) -> Formula:
    formula = read(text).formula
    return replace(formula, source=to_python(formula))


def choosing(repairs: Repairs, text: str, series: Series | None = None) -> Repair:
    """The form that chooses, measured as others are; its first branch is `series`, if there is
    one, its last a rewriting in one step.
    """
    form, formula = form_of(text), repairs.formula
    lost = profile(inspect(formula, repairs.samples), form)
    step = RepairStep("the other root", "-b + √", "-2·c/(b + √)", ("b > 0",), text[:20], 0.3)
    branches = []
    for place, arm in enumerate(arms_of(form)):
        rows = lost.taken == place
        side = form.subtree(arm.node)
        is_series = series is not None and place == 0
        same = side.structure() == formula.structure()
        branches.append(
            Branch(
                arm.condition(form),
                replace(side, source=to_python(side)),
                int(rows.sum()),
                float(lost.before[rows].mean()) if rows.any() else 0.0,
                float(lost.after[rows].mean()) if rows.any() else 0.0,
                () if same or is_series else (step,),
                series if is_series else None,
            )
        )
    assert (lost.taken != NO_BRANCH).all()
    own = compare_own_form(formula, form, repairs.samples)
    before = repairs.before
    assert before is not None
    after = own.after or before
    compared = RowComparison.of(lost.before, lost.after)
    gain = Gain(before, after, compared, compared)
    checked = own.verification or Verification(len(lost), 60, 30, len(lost), 0)
    steps = tuple(step for branch in branches for step in branch.steps)
    return Repair(form, steps, gain, checked, tuple(branches))


def with_branches(repairs: Repairs, text: str, **more: Any) -> Repairs:
    form = choosing(repairs, text)
    return replace(repairs, repairs=(form, *repairs.repairs), reason=None, helps=None, **more)


def with_series(repairs: Repairs, text: str, series: Series = SERIES, **more: Any) -> Repairs:
    return replace(repairs, approximations=(choosing(repairs, text, series),), **more)
