"""Repairs with forms that choose and with series, made by hand: what the search would give."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.measured import measured_loss
from eic_core.rewriting import Repair, Repairs, RepairStep, Verification, repair
from eic_core.rewriting.gains import Gain, Measured, RowComparison
from eic_core.rewriting.pieces import Branch, InputInterval, Omission, Series
from eic_core.rewriting.profile import profile

WRITTEN = "(-b + sqrt(b**2 - 4*a*c))/(2*a)"
TURNED = "-2*c/(b + sqrt(b**2 - 4*a*c))"
QUADRATIC = f"where(b >= 0, {TURNED}, {WRITTEN})"
SINE = "sin(x) - x"
TAYLOR = "-x**3/6*(1 - x**2/20*(1 - x**2/42*(1 - x**2/72*(1 - x**2/110*(1 - x**2/156)))))"
NEAR_0 = f"where(abs(x) <= 0.5, {TAYLOR}, {SINE})"
BOUND = 1.05e-17


def form(text: str) -> Formula:
    tree = read(text, syntax="infix").formula
    return replace(tree, source=to_python(tree))


def step(rule: str, before: str, after: str) -> RepairStep:
    return RepairStep(rule, before, after, (), after, 0.1)


def repair_of(
    written: str, samples: Samples, text: str, branches: tuple[Branch, ...], before: Measured
) -> Repair:
    inspection = inspect(form(written), samples)
    rows = profile(inspection, form(text))
    counted = tuple(
        replace(
            branch,
            rows=int(np.count_nonzero(rows.taken == number)),
            before=float(np.nanmean(rows.before[rows.taken == number])),
            after=float(np.nanmean(rows.after[rows.taken == number])),
        )
        for number, branch in enumerate(branches)
    )
    compared = RowComparison.of(rows.before, rows.after)
    loss = replace(measured_loss(inspection), lost=rows.after)
    after = replace(before, loss=loss, complexity=form(text).complexity)
    steps = tuple(each for branch in branches for each in branch.steps)
    return Repair(
        form(text),
        steps,
        Gain(before, after, compared, compared),
        Verification(200, 50, 30, 200, 0),
        counted,
    )


@cache
def quadratic() -> Repairs:
    """With an exact form that chooses by the sign of b."""
    domains = {
        "a": Domain.between(1, 2),
        "b": Domain.between(-1e6, 1e6),
        "c": Domain.between(1, 2),
    }
    samples = sample_domains(domains, count=300, seed=0)
    plain = repair(form(WRITTEN), samples, branches=False, series=False)
    assert plain.before is not None
    branches = (
        Branch("b >= 0", form(TURNED), 0, 0, 0, (step("conjugate roots", "−b + √(…)", "…"),)),
        Branch("", form(WRITTEN), 0, 0, 0, ()),
    )
    chosen = repair_of(WRITTEN, samples, QUADRATIC, branches, plain.before)
    return replace(plain, repairs=(chosen, *plain.repairs), reason=None, helps=None)


@cache
def sine() -> Repairs:
    """With an approximation near 0, and no exact form."""
    domains = {"x": Domain("loguniform", 1e-6, 3)}
    samples = sample_domains(domains, count=300, seed=0)
    plain = repair(form(SINE), samples, branches=False, series=False)
    assert plain.before is not None
    box = (InputInterval("x", -0.5, 0.5),)
    series = Series("x", "0", "taylor", 15, SINE, TAYLOR, BOUND, box)
    steps = (step("series", SINE, TAYLOR),)
    branches = (
        Branch("abs(x) <= 0.5", form(TAYLOR), 0, 0, 0, steps, series),
        Branch("", form(SINE), 0, 0, 0, ()),
    )
    near = repair_of(SINE, samples, NEAR_0, branches, plain.before)
    return replace(plain, approximations=(near,), left_out=(Omission.BRANCHES_TIME,))
