"""The English of a part that is replaced by its mean."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.explain.phrases import code_text, eic_name
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
    before, after = wording.number(was, 1), wording.number(now, 1)
    match math.isnan(was), math.isnan(now):
        case True, True:
            return say("{eic} has no finite value", eic=eic)
        case False, True:
            return say("{eic} has no finite value any more", eic=eic)
        case True, False:
            return say("{eic} becomes {after}", eic=eic, after=after)
        case _:
            return say("{eic} goes from {before} to {after}", eic=eic, before=before, after=after)
