"""The English of a part that is replaced by its mean."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.explain import what_if
from eic_core.explain.phrases import code_text
from eic_core.phrasing import Field, Phrase, say


def sentence(fact: what_if.WhatIf) -> Phrase:
    fields: dict[str, Field] = {
        "mean": wording.significant(fact.mean),
        "place": code_text(fact.inspection.formula, fact.node_id),
        "before": wording.r_squared(fact.r2_before),
        "after": wording.r_squared(fact.r2_after),
        "change": _change(fact),
    }
    if math.isnan(fact.r2_after):
        return say(
            "Replaced by its mean {mean}, {place} leaves no fit to compare: R² is undefined; "
            "{change}.",
            **fields,
        )
    if fact.against == "formula":
        return say(
            "Replaced by its mean {mean}, {place} leaves R² = {after} against the formula's own "
            "values; {change}.",
            **fields,
        )
    return say(
        "Replaced by its mean {mean}, {place} changes R² from {before} to {after}; {change}.",
        **fields,
    )


def _change(fact: what_if.WhatIf) -> Phrase:
    """The change of EIC over its finite samples, as a clause."""
    singular = math.isinf(fact.inspection.eic)
    eic = say("EIC without the singular samples") if singular else say("EIC")
    before, after = wording.number(fact.eic_before, 1), wording.number(fact.eic_after, 1)
    match math.isnan(fact.eic_before), math.isnan(fact.eic_after):
        case True, True:
            return say("{eic} has no finite value", eic=eic)
        case False, True:
            return say("{eic} has no finite value any more", eic=eic)
        case True, False:
            return say("{eic} becomes {after}", eic=eic, after=after)
        case _:
            return say("{eic} goes from {before} to {after}", eic=eic, before=before, after=after)
