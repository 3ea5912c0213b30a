"""Which node a diagnosis is about, where its loss arose, and where it moves on other data."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from eic_core.explain import phrases
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array


@dataclass(frozen=True)
class BottleneckOnData:
    """The bottleneck on some data.

    Attributes
    ----------
    node_id : int
    eic : float
        nan if no sample was valid.
    """

    node_id: int
    eic: float

    @classmethod
    def of(cls, inspection: Inspection) -> BottleneckOnData:
        """The bottleneck of an inspection."""
        return cls(inspection.bottleneck, inspection.eic)


def bottleneck_sentence(before: BottleneckOnData, inspection: Inspection) -> str:
    """Where the bottleneck was, and where it is now.

    Parameters
    ----------
    before : BottleneckOnData
        Of the same formula on other data.
    inspection : Inspection

    Examples
    --------
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
        return "On these ranges no sample has a real value at every node."
    if math.isnan(before.eic):
        return f"Now there are samples with a value: the bottleneck is {place_now} ({now})."
    if before.node_id == inspection.bottleneck:
        return f"The bottleneck stays at {place_now}: {was} before, {now} now."
    return f"Bottleneck moved from {place_before} ({was}) to {place_now} ({now})."


STEP = 0.35
"""Digits by which a node must exceed its operand to be the cause: more than a square adds."""

SAME = 0.7
"""What part of the digits must be lost already where a loss is said to be inherited from."""


def diagnosed_node(inspection: Inspection) -> int:
    """The node that a diagnosis is about: that of largest finite local EIC.

    The bottleneck where that is only a leaf, because nothing else keeps a digit.

    Examples
    --------
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
    """The node from which another inherits its loss.

    Follows the operand that most of the variance comes through, as long as the
    node itself adds less than `STEP`, and then back to where the loss is found at
    the same samples: a node may lose as much elsewhere.

    Parameters
    ----------
    inspection : Inspection
    node_id : int

    Returns
    -------
    int
        Id of the node itself or of one below it.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> origin_of_loss(inspect(read("sqrt(10000*x - 9999*x)").formula, samples), 7)
    6
    """
    nodes = inspection.nodes
    path = [node_id]
    while nodes[node_id].edge_shares:
        n = nodes[node_id]
        share, child = max(zip(n.edge_shares, n.node.children, strict=True))
        inherited = nodes[child].local_eic_finite > n.local_eic_finite - STEP
        if not (share > 0.5 and inherited and nodes[child].node.children):
            break
        node_id = child
        path.append(child)
    if len(path) == 1:
        return node_id
    _, s = inspection.amplification.trace(path[0])
    there = bisect_left(path, True, lo=1, key=lambda k: not _same_loss(inspection, s, k))
    return path[there - 1]


def _same_loss(inspection: Inspection, s: Array, node_id: int) -> bool:
    """Whether a node loses most of the digits of amplification `s` at the samples that carry it."""
    _, inner = inspection.amplification.trace(node_id)
    usable = np.isfinite(s) & np.isfinite(inner)
    if not usable.any():
        return True
    outer = s[usable] / s[usable].max()
    found = np.sum(np.square(outer) * (np.log10(inner[usable]) >= SAME * np.log10(s[usable])))
    return bool(found >= 0.5 * np.sum(np.square(outer)))
