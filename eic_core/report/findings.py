"""Everything that a report says, computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from eic_core.effort import Effort, factor_of
from eic_core.errors import UserError, require
from eic_core.explain.budget import TOLERANCE, Budget, digit_budget
from eic_core.explain.diagnosis import Diagnosis, diagnose
from eic_core.explain.findings import findings_document
from eic_core.explain.robustness import RobustnessCard, robustness_card
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.exports import Plain, keys_within
from eic_core.measure.inspection import Inspection
from eic_core.rewriting import Repairs, repair

MOST_NODES = 600
"""Larger formulas are neither triangulated nor shortened."""

PARTS = REPAIR, TRIANGULATION, BUDGET = "repair", "triangulation", "budget"

LEFT_OUT = "It was left out on request."

Progress = Callable[[float, str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Findings(Plain):
    """An inspection, its diagnosis, and the answers to further questions.

    Attributes
    ----------
    inspection
        The formula on its samples.
    diagnosis
        The verdict and its findings; where and why errors grow.
    repairs
        Better forms; None if they were not looked for.
    triangulation
        Local EIC found in other ways; None if it was not.
    budget
        Digits that constants and inputs need; None if that was not asked for.
    robustness
        None where the samples have no target, or the formula no value at any of them.
    missing
        Reasons why a part is None, by ``"repair"``, ``"triangulation"`` or ``"budget"``.
    """

    inspection: Inspection = field(repr=False)
    diagnosis: Diagnosis = field(repr=False)
    repairs: Repairs | None = field(repr=False)
    triangulation: Triangulation | None = field(repr=False)
    budget: Budget | None = field(repr=False)
    robustness: RobustnessCard | None = field(repr=False)
    missing: Mapping[str, str]

    _JSON = (
        *keys_within("inspection", Inspection._JSON),
        ("data_hash", lambda findings: findings.inspection.samples.digest()),
        "verdict=diagnosis.verdict",
        ("findings", lambda findings: findings_document(findings.diagnosis.verdict.findings)),
        "diagnosis",
        "repair=repairs",
        "triangulation",
        "budget",
        "robustness",
        "missing",
        "finished",
    )

    @property
    def finished(self) -> bool:
        """Whether the effort was enough for each part; parts may be missing on request."""
        repairs = self.repairs
        return self.inspection.finished and (repairs is None or repairs.finished)


@dataclass(frozen=True)
class Answers:
    """Functions that answer the questions of a report, called once at most; None leaves one out."""

    diagnosis: Callable[[], Diagnosis]
    # these may raise `UserError` where there is no answer
    repairs: Callable[[], Repairs] | None = None
    triangulation: Callable[[], Triangulation] | None = None
    budget: Callable[[], Budget] | None = None


def collect_findings(
    inspection: Inspection, answers: Answers, *, progress: Progress | None = None
) -> Findings:
    """Ask for everything that a report says; of a formula too large only for the diagnosis.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0, 2.0]}))
    >>> findings = collect_findings(inspection, Answers(lambda: diagnose(inspection)))
    >>> findings.missing["budget"]
    'It was left out on request.'
    """
    report = progress or (lambda fraction, doing: None)
    missing: dict[str, str] = {}
    hindered = _refusal_reason(inspection)

    def part(name: str, begin: float, doing: str, ask: Callable[[], T] | None) -> T | None:
        report(begin, doing)
        if ask is None:
            missing[name] = LEFT_OUT
        elif hindered:
            missing[name] = hindered
        else:
            # one question without an answer must not cost the others
            try:
                return ask()
            except UserError as error:
                missing[name] = f"It cannot be told: {error}."
        return None

    report(0.0, "diagnosing")
    diagnosis = answers.diagnosis()
    repairs = part(REPAIR, 0.1, "looking for better forms", answers.repairs)
    triangulation = part(TRIANGULATION, 0.45, "measuring in other ways", answers.triangulation)
    budget = part(BUDGET, 0.85, "rounding constants and inputs", answers.budget)
    robustness = None
    if inspection.samples.target is not None and not hindered:
        report(0.95, "fitting constants on part of the rows")
        robustness = robustness_card(inspection.formula, inspection.samples)
    report(1.0, "done")
    return Findings(
        inspection,
        diagnosis,
        repairs,
        triangulation,
        budget,
        robustness,
        MappingProxyType(missing),
    )


def _refusal_reason(inspection: Inspection) -> str:
    nodes = len(inspection.formula)
    if nodes > MOST_NODES:
        return f"The formula has {nodes:,} nodes; beyond {MOST_NODES} this is left out."
    if not inspection.counts.valid:
        return "No sample has a usable value at every node, so there is nothing to say."
    return ""


def investigate(
    inspection: Inspection,
    *,
    with_repair: bool = True,
    with_triangulation: bool = True,
    with_budget: bool = True,
    branches: bool = True,
    series: bool = True,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    effort: Effort = "normal",
    seconds: float = math.inf,
    progress: Progress | None = None,
) -> Findings:
    """Diagnose, look for repairs, triangulate and shorten.

    Parameters
    ----------
    inspection
        The formula on its samples.
    with_repair
    with_triangulation
    with_budget
        The parts to compute; each takes about a second for 30 nodes.
    branches
    series
        Kinds of better forms that are offered beside plain ones, as `repair` takes them.
    tolerance
        Of the digit budget, in standard deviations of the output; in (0, 1].
    seed
        Of the perturbation in the triangulation.
    effort
        Of the search for better forms, as `repair` takes it.
    seconds
        After how many that search is stopped.
    progress
        Called with the share done, 0 to 1, and a phrase for the next step.

    Returns
    -------
    Findings
        Parts that were left out or could not be computed are None.

    Raises
    ------
    UserError
        If the tolerance is not in (0, 1], or the effort or the time is no positive number.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1e3, 1e5, 1e7]})
    >>> findings = investigate(inspect(read("sqrt(x+1)-sqrt(x)").formula, samples))
    >>> findings.repairs.best.text, dict(findings.missing)
    ('1/(sqrt(x + 1) + sqrt(x))', {})
    """
    require(inspection, Inspection)
    if not 0 < tolerance <= 1:
        raise UserError(f"the tolerance is {tolerance:g}", hint="give a number from 0 to 1")
    if not seconds > 0:
        raise UserError(f"the search cannot take {seconds:g} seconds", hint="give more than 0")
    factor_of(effort)  # refused before all else is done
    formula, samples = inspection.formula, inspection.samples

    def search() -> Repairs:
        return repair(
            formula,
            samples,
            branches=branches,
            series=series,
            effort=effort,
            limit_seconds=seconds,
            inspection=inspection,
        )

    answers = Answers(
        lambda: diagnose(inspection),
        search if with_repair else None,
        (lambda: triangulate(inspection, seed=seed)) if with_triangulation else None,
        (lambda: digit_budget(inspection, tolerance=tolerance)) if with_budget else None,
    )
    return collect_findings(inspection, answers, progress=progress)
