"""The spread of the loss over the samples, each number with its step.

`Tail` is of one step and leaves out samples without a digit, but its `divergent` considers every
step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from eic_core import wording
from eic_core.explain import settling
from eic_core.explain.means import Settled
from eic_core.explain.phrases import code_text
from eic_core.explain.phrases import settling as phrases
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection
from eic_core.measure.tails import Tail
from eic_core.phrasing import Phrase, say


@dataclass(frozen=True)
class Spread(Plain):
    inspection: Inspection = field(repr=False)
    state: Settled
    node: int  # The step that `state` is about
    samples: int  # How many samples `state` is about; 0 if it counts none
    tail: Tail | None  # None where no sample keeps a digit at some step

    _JSON = ("place", "quantiles", "worst", "settled")

    @property
    def place(self) -> str:
        """The step that the quantiles are about, in backticks; "" if there are none."""
        if self.tail is None:
            return ""
        return code_text(self.inspection.formula, self.tail.node, phrases.SHORT_LIMIT)

    @property
    def quantiles(self) -> str:
        """Digits lost there by 50, 90 and 99 % of the samples."""
        tail = self.tail
        values = () if tail is None else (tail.q50, tail.q90, tail.q99)
        return " / ".join(wording.number(value, 1) for value in values) or "—"

    @property
    def worst(self) -> str:
        """What the worst 1 % of the samples carry."""
        share = None if self.tail is None else self.tail.top1_share
        return wording.percent(share, missing="—")

    @property
    def settled(self) -> Phrase:
        answer, detail = self.settled_parts
        return answer if detail is None else say("{answer}: {detail}", answer=answer, detail=detail)

    @property
    def settled_parts(self) -> tuple[Phrase, Phrase | None]:
        """The answer, and what more there is to it."""
        return phrases.settled(self.inspection, self.state, self.node, self.samples)


def spread_of(inspection: Inspection) -> Spread | None:
    """The spread at the step of the largest finite local EIC; None without a valid sample.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> for text in ("x - x", "x + 1"):
    ...     spread = spread_of(inspect(read(text).formula, samples))
    ...     print(spread.quantiles, spread.worst, spread.settled, sep="; ")
    —; —; no: no sample keeps a digit at `x − x`
    0.1 / 0.1 / 0.1; 35 %; too few samples to tell
    """
    tail = inspection.tail
    if tail is None:
        return None
    # A branch that is never taken has no sample to lose, and no part in this.
    lost = [n for n in inspection.nodes if n.singular and math.isnan(n.local_eic_finite)]
    if lost:
        return Spread(inspection, Settled.NO_DIGIT, lost[0].node.id, 0, None)
    state, node, samples = _settled(inspection, tail)
    return Spread(inspection, state, node, samples, tail)


def _settled(inspection: Inspection, tail: Tail) -> tuple[Settled, int, int]:
    """How settled the mean is, and the step and the samples that this is about."""
    counts = inspection.counts
    if math.isinf(inspection.eic):
        node = inspection.bottleneck
        whole = inspection.nodes[node].singular == counts.singular
        return Settled.INFINITE_AT if whole else Settled.INFINITE, node, counts.singular
    if tail.divergent:
        why = settling.unsettled_at(inspection)
        if why is not None:
            return (Settled.NO, tail.node, 0) if why.own else (Settled.NOT_AT, why.node, 0)
        heavy = _heavy(inspection, tail)
        grows = inspection.sign_changes.unbounded
        # else it is a change of sign between two whole numbers
        if heavy or not all(settling.has_steps_alone(inspection, k) for k in tail.crossings):
            if heavy or (tail.node in tail.crossings and grows(tail.node)):
                return Settled.NO, tail.node, 0
            # The worst first: looking at a crossing takes longer than all of the rest.
            worst = sorted(tail.crossings, key=lambda k: (-inspection.nodes[k].local_eic_finite, k))
            at = next((k for k in worst if grows(k)), None)
            return (Settled.NO, tail.node, 0) if at is None else (Settled.NOT_AT, at, 0)
    if tail.divergent is None or (tail.divergent and math.isnan(tail.hill)):
        return Settled.FEW_SAMPLES, tail.node, 0
    if counts.left_out:
        return Settled.LEFT_OUT, tail.node, counts.left_out
    # an index below 1 says that there is no mean, were it known better
    return Settled.FEW_SAMPLES if tail.hill < 1 else Settled.YES, tail.node, 0


def _heavy(inspection: Inspection, tail: Tail) -> bool:
    """Whether the tail is too heavy at its step for a mean (`eic_core.measure.tails.tail_of`)."""
    evaluated = inspection.amplification.evaluated_count(tail.node)
    count = evaluated - inspection.nodes[tail.node].singular
    if math.isnan(tail.hill) or not count:
        return False
    return tail.hill * (1 + 1.645 / math.sqrt(math.ceil(math.sqrt(count)))) < 1
