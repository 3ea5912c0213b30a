"""The spread of the loss over the samples, in words that agree with the numbers beside them.

`Tail` is of one step and leaves out samples without a digit, but its `divergent` considers every
step; so each number names its step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.settling import has_steps_alone, unsettled_at
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection
from eic_core.measure.tails import Tail

TEXT_LIMIT = 24
"""Characters of a sub-expression quoted beside a number."""


@dataclass(frozen=True)
class Spread(Plain):
    place: str  # The step that the quantiles are about, in backticks; "" if there are none
    # Digits lost there by 50, 90 and 99 % of the samples; a dash where no sample keeps a digit at
    # some other step
    quantiles: str
    worst: str  # What the worst 1 % of the samples carry
    settled: str  # Whether the mean is settled: "yes", "no", and where not

    _JSON = ("place", "quantiles", "worst", "settled")


def spread_of(inspection: Inspection) -> Spread | None:
    """The tail in words; None without a valid sample.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> spread_of(inspect(read("x - x").formula, samples))
    Spread(place='', quantiles='—', worst='—', settled='no: no sample keeps a digit at `x − x`')
    >>> spread_of(inspect(read("x + 1").formula, samples)).settled
    'too few samples to tell'
    """
    tail = inspection.tail
    if tail is None:
        return None
    # A branch that is never taken has no sample to lose, and no part in this.
    lost = [n for n in inspection.nodes if n.singular and math.isnan(n.local_eic_finite)]
    if lost:
        place = _place(inspection, lost[0].node.id)
        return Spread("", "—", "—", f"no: no sample keeps a digit at {place}")
    quantiles = " / ".join(wording.number(q, 1) for q in (tail.q50, tail.q90, tail.q99))
    worst = wording.percent(tail.top1_share, missing="—")
    return Spread(_place(inspection, tail.node), quantiles, worst, settled_phrase(inspection, tail))


def settled_phrase(inspection: Inspection, tail: Tail) -> str:
    if math.isinf(inspection.eic):
        place = _place(inspection, inspection.bottleneck)
        singular = wording.count(inspection.counts.singular, "sample")
        if inspection.nodes[inspection.bottleneck].singular == inspection.counts.singular:
            return f"no: infinite at {place} for {singular}"
        return f"no: infinite for {singular}"
    if tail.divergent is None:
        return "too few samples to tell"
    if not tail.divergent:
        return _settled(inspection, tail)
    known = unsettled_at(inspection)
    if known is not None:
        return "no" if known.own else f"not at {_place(inspection, known.node)}"
    grows = inspection.sign_changes.unbounded
    if not _heavy(inspection, tail) and all(has_steps_alone(inspection, k) for k in tail.crossings):
        # a change of sign between two whole numbers
        return "too few samples to tell" if math.isnan(tail.hill) else _settled(inspection, tail)
    if _heavy(inspection, tail) or (tail.node in tail.crossings and grows(tail.node)):
        return "no"
    # The worst first: looking at a crossing takes longer than all of the rest.
    worst = sorted(tail.crossings, key=lambda k: (-inspection.nodes[k].local_eic_finite, k))
    found = next((k for k in worst if grows(k)), None)
    return "no" if found is None else f"not at {_place(inspection, found)}"


def _settled(inspection: Inspection, tail: Tail) -> str:
    if inspection.counts.left_out:
        return f"not known: {wording.count(inspection.counts.left_out, 'sample')} left out"
    # an index below 1 says that there is no mean, were it known better
    return "too few samples to tell" if tail.hill < 1 else "yes"


def _heavy(inspection: Inspection, tail: Tail) -> bool:
    """Whether the tail is too heavy at its step for a mean (`eic_core.measure.tails.tail_of`)."""
    evaluated = inspection.amplification.evaluated_count(tail.node)
    count = evaluated - inspection.nodes[tail.node].singular
    if math.isnan(tail.hill) or not count:
        return False
    return tail.hill * (1 + 1.645 / math.sqrt(math.ceil(math.sqrt(count)))) < 1


def _place(inspection: Inspection, node: int) -> str:
    return phrases.code_text(inspection.formula, node, TEXT_LIMIT)
