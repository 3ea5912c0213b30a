"""One number, four ways: recursion, shared noise, perturbation and the observed error.

On a part of the data, node by node: Algorithm 1 with independent and with shared noise,
Algorithm 2 (Yu et al., ``alg:estimate_eic``) at falling sigma, and the error of float32 and
float64 against 60 digits.  Where they differ, it is said why.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eic_core.explain.adjoint import Array, sweep, tree_units
from eic_core.explain.comparing import Agreement, Replay, compare
from eic_core.explain.correlated import class_sweep, q_squared
from eic_core.explain.observed import Observed, exact_values, observe
from eic_core.formula.rendering import node_texts
from eic_core.formula.tree import Formula
from eic_core.measure.amplification import Amplification, amplify
from eic_core.measure.data import Samples
from eic_core.measure.inspection import Inspection, json_number, local_eic
from eic_core.measure.perturbation import PerturbationEstimate, estimate
from eic_core.measure.plan import plan_of

MOST_ROWS = 200
EVALUATIONS = 6_000
"""Values at 60 digits, at most: fewer rows for a larger formula, but `FEWEST_ROWS` at least."""

FEWEST_ROWS = 20

SIGMAS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
REPEATS = 100

ROUGH = frozenset(("min", "max", "sign", "floor", "ceil", "round", "atan2", "abs"))

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Shaken:
    """Algorithm 2 at one sigma: local EIC with a 95 per cent interval; nan without one.

    `left_out` counts the rows that show nothing: the value is 0, the noise too large, or a
    value somewhere in the formula leaves double range.
    """

    sigma: float
    local_eic: float
    low: float
    high: float
    left_out: int


@dataclass(frozen=True)
class TriangulatedNode:
    """One node, four ways.

    Attributes
    ----------
    node_id : int
    text : str
    recursion : float
        Local EIC over the rows used that are not singular here.
    shared : float
        The same with shared noise.
    shaken : tuple of Shaken
        From the largest sigma to the smallest.
    float32, float64 : Observed
        Errors in units of roundoff.
    agreement : Agreement
        The badge and its reason.
    """

    node_id: int
    text: str
    recursion: float
    shared: float
    shaken: tuple[Shaken, ...]
    float32: Observed
    float64: Observed
    agreement: Agreement

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and sentences."""
        return {
            "id": self.node_id,
            "text": self.text,
            "recursion": json_number(self.recursion),
            "shared": json_number(self.shared),
            "shaken": [
                {
                    "sigma": s.sigma,
                    "local_eic": json_number(s.local_eic),
                    "low": json_number(s.low),
                    "high": json_number(s.high),
                    "left_out": s.left_out,
                }
                for s in self.shaken
            ],
            "observed": {
                o.kind: {
                    "digits": json_number(o.digits),
                    "worst": json_number(o.worst),
                    "usable": o.usable,
                    "lost": o.lost,
                }
                for o in (self.float32, self.float64)
            },
            "badge": self.agreement.badge,
            "reasons": list(self.agreement.reasons),
        }


@dataclass(frozen=True)
class Triangulation:
    """All nodes of a formula, four ways.

    Attributes
    ----------
    inspection : Inspection
    samples : Samples
        The rows used, evenly spaced over the valid ones.
    nodes : tuple of TriangulatedNode
        In post-order; empty if no row is valid.
    """

    inspection: Inspection = field(repr=False)
    samples: Samples = field(repr=False)
    nodes: tuple[TriangulatedNode, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and sentences."""
        return {"rows": len(self.samples), "nodes": [n.to_json() for n in self.nodes]}


def triangulate(
    inspection: Inspection, *, seed: int = 0, progress: Progress | None = None
) -> Triangulation:
    """Measure every node's loss in four independent ways.

    Parameters
    ----------
    inspection : Inspection
    seed : int
        Of the perturbation.
    progress : callable (fraction done) -> None, optional

    Notes
    -----
    At most 200 rows, fewer for a formula of more than 30 nodes.  Observed digits are
    log10(rms relative error / unit roundoff); a rounding has an rms of about 0.4 units.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=1000)
    >>> root = triangulate(inspect(read("10000*x - 9999*x").formula, samples)).nodes[-1]
    >>> round(root.recursion, 2), round(root.shared, 2), root.shaken[-1].low < root.recursion
    (4.39, 4.3, True)
    """
    formula = inspection.formula
    samples = _rows(inspection)
    if samples is None:
        return Triangulation(inspection, inspection.samples, ())
    report = progress or (lambda fraction: None)
    amplification = amplify(formula, samples)
    shaken = [
        estimate(formula, samples, sigma=sigma, repeats=REPEATS, seed=seed) for sigma in SIGMAS
    ]
    report(0.2)
    exact = exact_values(formula, samples)
    report(0.4)
    single = observe(exact, samples, "float32")
    report(0.6)
    double = observe(exact, samples, "float64")
    report(0.8)
    nodes = []
    texts = node_texts(formula, 400)
    for k in range(len(formula)):
        nodes.append(_node(formula, samples, k, texts[k], amplification, shaken, single, double))
        report(0.8 + 0.2 * (k + 1) / len(formula))
    return Triangulation(inspection, samples, tuple(nodes))


def _node(
    formula: Formula,
    samples: Samples,
    k: int,
    text: str,
    amplification: Amplification,
    estimates: list[PerturbationEstimate],
    single: tuple[Observed, ...],
    double: tuple[Observed, ...],
) -> TriangulatedNode:
    subtree = formula.subtree(k)
    q2 = np.concatenate([q_squared(block) for block in class_sweep(subtree, samples)])
    finite = amplification.valid & np.isfinite(q2)
    shaken = tuple(
        Shaken(e.sigma, n.local_eic, n.low, n.high, n.left_out + e.invalid)
        for e in estimates
        for n in (e.nodes[k],)
    )
    recursion = local_eic(amplification.finite_mean_s2(k))
    shared = local_eic(float(np.mean(q2[finite]))) if finite.any() else math.nan
    first = formula.first[k]
    arrived = _arrived(subtree, samples)
    replays = {
        observed[k].kind: _replay(arrived, observed[first : k + 1])
        for observed in (single, double)
    }
    agreement = compare(
        recursion, shared, shaken, (single[k], double[k]), replays, np.sqrt(q2),
        amplification.singular[k], any(n.operator in ROUGH for n in subtree.nodes),
    )  # fmt: skip
    return TriangulatedNode(
        k, text, recursion, shared, shaken, single[k], double[k], agreement
    )


def _arrived(subtree: Formula, samples: Samples) -> list[Array]:
    plan = plan_of(subtree)
    units = tree_units(plan, [node.children for node in subtree.nodes])
    blocks = [block.arrived for block in sweep(plan, units, samples)]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _replay(arrived: list[Array], observed: tuple[Observed, ...]) -> Replay:
    """The node's error if every operation is rounded as it was, to first order."""
    total = np.zeros(len(arrived[0]))
    with np.errstate(all="ignore"):
        for g, o in zip(arrived, observed, strict=True):
            part = g * o.rounding
            total = total + np.where((g == 0) | (o.rounding == 0), 0.0, part)
    return Replay(total, any(o.underflows for o in observed), len(observed) == 1)


def _rows(inspection: Inspection) -> Samples | None:
    """The rows to use, evenly spaced over the valid ones; None without any."""
    valid = np.flatnonzero(inspection.amplification.valid)
    if not len(valid):
        return None
    count = min(MOST_ROWS, max(FEWEST_ROWS, EVALUATIONS // len(inspection.formula)), len(valid))
    rows = valid[np.linspace(0, len(valid) - 1, count).astype(np.int64)]
    source = inspection.samples
    names = inspection.formula.variables
    exact = {
        name: {
            new: source.exact[name][old]
            for new, old in enumerate(rows.tolist())
            if old in source.exact[name]
        }
        for name in names
        if name in source.exact
    }
    return Samples.from_columns(
        {name: source.columns[name][rows] for name in names},
        count=count, exact=exact, origin=source.origin, rows=rows + 1,
    )  # fmt: skip
