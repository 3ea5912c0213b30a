"""The English of what changes with a part replaced by its mean, and with other data."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.explain.created import WorstStepOnData
from eic_core.explain.phrases import code_text, eic_name
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection
from eic_core.phrasing import Field, Phrase, say


def sentence(
    inspection: Inspection,
    node_id: int,
    mean: float,
    r2: tuple[float, float],
    eic: tuple[float, float],
) -> Phrase:
    """The fit and EIC, each before and after."""
    fields: dict[str, Field] = {
        "mean": wording.significant(mean),
        "place": code_text(inspection.formula, node_id),
        "before": wording.r_squared(r2[0]),
        "after": wording.r_squared(r2[1]),
        "change": _change(*eic, singular=math.isinf(inspection.eic)),
    }
    if math.isnan(r2[1]):
        return say(
            "Replaced by its mean {mean}, {place} leaves no fit to compare: R² is undefined; "
            "{change}.",
            **fields,
        )
    if inspection.samples.target is None:
        return say(
            "Replaced by its mean {mean}, {place} leaves R² = {after} against the formula's own "
            "values; {change}.",
            **fields,
        )
    return say(
        "Replaced by its mean {mean}, {place} changes R² from {before} to {after}; {change}.",
        **fields,
    )


def _change(was: float, now: float, *, singular: bool) -> Phrase:
    """The change of EIC over its finite samples, as a clause."""
    eic = eic_name(singular)
    before, after = wording.digits_lost(was), wording.digits_lost(now)
    return {
        (True, True): say("{eic} has no finite value", eic=eic),
        (False, True): say("{eic} has no finite value any more", eic=eic),
        (True, False): say("{eic} becomes {after}", eic=eic, after=after),
        (False, False): say(
            "{eic} goes from {before} to {after}", eic=eic, before=before, after=after
        ),
    }[math.isnan(was), math.isnan(now)]


def worst_step_sentence(formula: Formula, before: WorstStepOnData, now: WorstStepOnData) -> Phrase:
    """Whether the worst step has moved.

    >>> from eic_core.formula.syntax import read
    >>> near, far = WorstStepOnData(4, 3.3), WorstStepOnData(4, 0.3)
    >>> print(worst_step_sentence(read("1/(x-2)").formula, near, far))
    The worst step stays at `1/(x − 2)`: 3.30 digits before, 0.30 digits now.
    """
    if math.isnan(now.eic):
        return say("On these ranges no sample has a usable value at every node.")
    told: dict[str, Field] = {
        "old": code_text(formula, before.node_id),
        "place": code_text(formula, now.node_id),
        "was": wording.mean_phrase(before.eic),
        "digits": wording.mean_phrase(now.eic),
    }
    if math.isnan(before.eic):
        return say(
            "Now there are samples with a value: the worst step is {place} ({digits}).", **told
        )
    if before.node_id == now.node_id:
        return say("The worst step stays at {place}: {was} before, {digits} now.", **told)
    return say("The worst step moved from {old} ({was}) to {place} ({digits}).", **told)
