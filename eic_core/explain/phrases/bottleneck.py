"""The bottleneck on other data, in a sentence."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.explain.created import BottleneckOnData
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Field, Phrase, say


def bottleneck_sentence(
    formula: Formula, before: BottleneckOnData, now: BottleneckOnData
) -> Phrase:
    """Whether the bottleneck has moved.

    >>> from eic_core.formula.syntax import read
    >>> near, far = BottleneckOnData(4, 3.3), BottleneckOnData(4, 0.3)
    >>> print(bottleneck_sentence(read("1/(x-2)").formula, near, far))
    The bottleneck stays at `1/(x − 2)`: 3.3 digits before, 0.3 digits now.
    """
    if math.isnan(now.eic):
        return say("On these ranges no sample has a usable value at every node.")
    told: dict[str, Field] = {
        "old": code_text(formula, before.node_id),
        "place": code_text(formula, now.node_id),
        "was": wording.digits_phrase(before.eic),
        "digits": wording.digits_phrase(now.eic),
    }
    if math.isnan(before.eic):
        return say(
            "Now there are samples with a value: the bottleneck is {place} ({digits}).", **told
        )
    if before.node_id == now.node_id:
        return say("The bottleneck stays at {place}: {was} before, {digits} now.", **told)
    return say("Bottleneck moved from {old} ({was}) to {place} ({digits}).", **told)
