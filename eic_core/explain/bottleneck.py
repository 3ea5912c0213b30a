"""The node of a diagnosis, the origin of its loss, and its move on other data."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.explain.created import created_losses
from eic_core.measure.inspection import Inspection


@dataclass(frozen=True)
class BottleneckOnData:
    node_id: int
    eic: float  # nan if no sample was valid

    @classmethod
    def of(cls, inspection: Inspection) -> BottleneckOnData:
        return cls(inspection.bottleneck, inspection.eic)


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
