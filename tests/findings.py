"""What the verdict on a formula holds, as tests ask for it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from eic_core.explain.findings import Finding, Place
from eic_core.explain.verdict import verdict
from eic_core.formula.rendering import short_text
from eic_core.measure import Inspection
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import Outcome

C = TypeVar("C")


def counts(inspection: Inspection) -> dict[Outcome, int]:
    """The rows of each outcome that some row has."""
    kinds, rows = np.unique(outcomes(inspection).kinds, return_counts=True)
    return {Outcome(kind): int(n) for kind, n in zip(kinds, rows, strict=True)}


def rows_of(inspection: Inspection, *kinds: Outcome) -> list[int]:
    """The rows of some outcomes."""
    return [int(row) for row in outcomes(inspection).rows(*kinds)]


def steps_of(inspection: Inspection, *kinds: Outcome) -> set[str]:
    """The steps to which some outcomes are due, as they are written."""
    result = outcomes(inspection)
    nodes = {int(node) for node in result.nodes[result.rows(*kinds)]}
    return {short_text(inspection.formula, node) for node in nodes}


def findings_of(inspection: Inspection, *kinds: Outcome, inner: bool = False) -> list[Finding]:
    """The findings with some outcomes, of the result, or else of the worst step inside."""
    place = Place.WORST_STEP if inner else Place.RESULT
    return [f for f in verdict(inspection).findings if f.outcome in kinds and f.place is place]


def causes_of(inspection: Inspection, cause: type[C]) -> list[C]:
    """The causes of one class."""
    return [f.cause for f in verdict(inspection).findings if isinstance(f.cause, cause)]


def step_of(inspection: Inspection, finding: Finding | None) -> str:
    """The step of a finding, as it is written."""
    assert finding is not None
    return short_text(inspection.formula, finding.cause.node)
