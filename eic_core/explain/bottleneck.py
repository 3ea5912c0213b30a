"""The node of a diagnosis, the origin of its loss, and its move on other data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.created import created_losses
from eic_core.measure.inspection import Inspection


@dataclass(frozen=True)
class BottleneckOnData:
    node_id: int
    eic: float  # nan if no sample was valid

    @classmethod
    def of(cls, inspection: Inspection) -> BottleneckOnData:
        return cls(inspection.bottleneck, inspection.eic)


def bottleneck_sentence(before: BottleneckOnData, inspection: Inspection) -> str:
    """The bottleneck on other data (`before`) and on these, in a sentence.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> formula = read("1/(x-2)").formula
    >>> near, far = (
    ...     inspect(formula, Samples.from_columns({"x": x})) for x in ([2.001, 2.002], [8.0, 9.0])
    ... )
    >>> bottleneck_sentence(BottleneckOnData.of(near), far)
    'The bottleneck stays at `1/(x − 2)`: 3.3 digits before, 0.3 digits now.'
    """
    formula = inspection.formula
    was, now = wording.digits_phrase(before.eic), wording.digits_phrase(inspection.eic)
    place_before = phrases.code_text(formula, before.node_id)
    place_now = phrases.code_text(formula, inspection.bottleneck)
    if math.isnan(inspection.eic):
        return "On these ranges no sample has a usable value at every node."
    if math.isnan(before.eic):
        return f"Now there are samples with a value: the bottleneck is {place_now} ({now})."
    if before.node_id == inspection.bottleneck:
        return f"The bottleneck stays at {place_now}: {was} before, {now} now."
    return f"Bottleneck moved from {place_before} ({was}) to {place_now} ({now})."


def diagnosed_node(inspection: Inspection) -> int:
    """The node of largest finite local EIC, or the bottleneck if that node is only a leaf.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> [diagnosed_node(inspect(read(text).formula, samples)) for text in ("x - x", "(x - x)*x**3")]
    [2, 4]
    """
    node_id = inspection.finite_bottleneck
    if not inspection.nodes[node_id].node.children and inspection.counts.valid:
        return inspection.bottleneck
    return node_id


def origin_of_loss(inspection: Inspection, node_id: int) -> int:
    """The node, itself or below it, where most of a node's loss, or its first infinity, arises.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> origin_of_loss(inspect(read("sqrt(10000*x - 9999*x)").formula, samples), 7)
    6
    """
    nodes = inspection.nodes
    if nodes[node_id].singular:
        while True:
            n = nodes[node_id]
            worse = [c for c in n.node.children if nodes[c].singular >= n.singular]
            if not worse:
                return node_id
            node_id = worse[0]
    losses = created_losses(inspection, node_id)
    return losses[0].node_id if losses else node_id
