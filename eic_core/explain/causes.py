"""What makes one operator lose digits: a sentence for each row of the operator table.

The evidence is the values around the node at up to 2,000 samples, weighted by s^2, so
that what is said is about the samples where the digits are lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import amplify
from eic_core.explain.words import number
from eic_core.formula.tree import Node
from eic_core.measure.inspection import Inspection
from eic_core.samples import Samples

Array = npt.NDArray[Any]

MAX_ROWS = 2_000
"""Evidence is taken from at most this many samples, evenly spaced."""

PERIOD = 2 * math.pi

FEELS = 2.0
"""Where a periodic function multiplies noise by less, it is not the cause."""


@dataclass(frozen=True)
class Cause:
    """Why digits are lost at a node.

    Attributes
    ----------
    label : str
        Two to six words: "cancellation in a difference".
    clause : str
        What happens, to follow a colon: "the two terms cancel".
    """

    label: str
    clause: str


@dataclass(frozen=True)
class Evidence:
    """Values around one node where its amplification is largest.

    Attributes
    ----------
    node : Node
    y : ndarray, shape (n,)
        Values of the node at valid, non-singular samples; n may be 0.  nan
        throughout if the node leaves double range at all of them.
    operands : tuple of ndarray, each shape (n,)
    weights : ndarray, shape (n,)
        s^2, normalised to sum 1.
    edge_shares : tuple of float
    crosses : bool
        Whether the node is known to take both signs.
    """

    node: Node
    y: Array
    operands: tuple[Array, ...]
    weights: Array
    edge_shares: tuple[float, ...]
    crosses: bool

    def typical(self, values: Array) -> float:
        """The s^2-weighted median: a typical value where digits are lost; nan if there is none."""
        known = np.isfinite(values)
        if not known.any():
            return math.nan
        values, weights = values[known], self.weights[known]
        order = np.argsort(values)
        sums = np.cumsum(weights[order])
        return float(values[order[int(np.searchsorted(sums, 0.5 * sums[-1]))]])


def gather(inspection: Inspection, node_id: int) -> Evidence:
    """Evidence at one node: a second pass over its subtree at up to `MAX_ROWS` samples.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> gather(inspect(read("3*x").formula, samples), 2).y.tolist()
    [3.0, 6.0]
    """
    formula = inspection.formula.subtree(node_id)
    rows = np.flatnonzero(inspection.amplification.valid)
    rows = rows[:: max(1, math.ceil(len(rows) / MAX_ROWS))]
    children = formula.root.children
    nothing = np.empty(0)
    crosses = inspection.tail is not None and node_id in inspection.tail.crossings
    shares = inspection.nodes[node_id].edge_shares
    node = inspection.formula.nodes[node_id]
    if not len(rows) or not children:
        return Evidence(node, nothing, (nothing,) * len(children), nothing, shares, crosses)
    columns = {name: inspection.samples.columns[name][rows] for name in formula.variables}
    samples = Samples.from_columns(columns, count=len(rows))
    amplification = amplify(formula, samples, recheck=False)
    y, s = amplification.trace(len(formula) - 1)
    operands = [amplification.trace(child)[0] for child in children]
    usable = np.isfinite(s)
    if not usable.any():  # the node leaves double range everywhere: its operands may still tell
        below = [amplify(formula.subtree(child), samples, recheck=False) for child in children]
        operands = [a.trace(len(a.formula) - 1)[0] for a in below]
        usable = np.ones(len(rows), dtype=bool)
        s = np.ones(len(rows))
    with np.errstate(over="ignore"):
        weights = np.square(s[usable] / s[usable].max())
    total = float(np.sum(weights))
    return Evidence(
        node,
        y[usable],
        tuple(values[usable] for values in operands),
        weights / total if total else weights,
        shares,
        crosses,
    )


def finite_cause(evidence: Evidence) -> Cause:
    """Why a node amplifies noise that it was given, finitely."""
    make = _FINITE.get(evidence.node.operator)
    if make is None or not len(evidence.y):
        return ACCUMULATED
    if not all(np.isfinite(values).any() for values in evidence.operands):
        return BEYOND
    with np.errstate(all="ignore"):
        return make(evidence)


ACCUMULATED = Cause(
    "accumulated rounding", "it adds up over the steps below, and no single one stands out"
)
BEYOND = Cause(
    "values beyond double range", "what it is given cannot be computed in double precision at all"
)


def _sum(e: Evidence) -> Cause:
    name = "difference" if e.node.operator == "sub" else "sum"
    a, b = e.operands
    kept = np.abs(e.y) / (np.abs(a) + np.abs(b))
    where_lost = e.typical(kept)
    if not where_lost < 0.5:
        return ACCUMULATED
    label = f"cancellation in a {name}"
    if float(np.median(kept)) < 0.1:
        return Cause(label, "the two terms cancel")
    if e.crosses:
        return Cause(label, f"the two terms cancel where the {name} crosses zero")
    return Cause(label, "the two terms nearly cancel at some samples")


def _periodic(e: Evidence) -> Cause:
    name = e.node.operator
    (x,) = e.operands
    if not e.typical(np.abs(_TURNS[name](x))) >= FEELS:
        return ACCUMULATED
    where = e.typical(np.abs(x))
    size = e.typical(np.abs(e.y))
    largest = _largest(x)
    few_turns = where <= PERIOD / 2
    pole = name in ("sec", "csc") or (name in ("tan", "cot") and size > 1)
    if pole and (size > 10 or few_turns):
        return Cause("near a pole", f"it comes close to a pole of `{name}`")
    if few_turns or (size < 0.1 and where * size < 1):  # the zero does more than the argument
        near = f"it comes close to a zero of `{name}`"
        if where >= 2 * PERIOD:
            near += f", at a large argument (up to {number(largest)})"
        return Cause("near a zero", near)
    return Cause(
        f"large argument of {name}",
        f"its argument is large (up to {number(largest)}) for a function of period "
        + ("π" if name in ("tan", "cot") else "2π"),
    )


_TURNS: Mapping[str, Callable[[Array], Array]] = {
    **dict.fromkeys(("sin", "csc"), lambda x: x / np.tan(x)),
    **dict.fromkeys(("cos", "sec"), lambda x: x * np.tan(x)),
    **dict.fromkeys(("tan", "cot"), lambda x: 2 * x / np.sin(2 * x)),
}
"""Condition numbers of the periodic functions, up to sign."""


def _exponential(e: Evidence) -> Cause:
    (x,) = e.operands
    largest = _largest(x)
    name = e.node.operator
    if e.typical(np.abs(x)) < 1:
        return ACCUMULATED
    word = "exponential" if name in ("exp", "expm1") else "hyperbolic function"
    return Cause(
        f"{word} of a large number",
        f"the {word} of a large number (up to {number(largest)}) magnifies its relative error",
    )


def _logarithm(e: Evidence) -> Cause:
    if e.typical(np.abs(e.y)) < 1:
        return Cause("logarithm near 1", "its argument comes close to 1, where the logarithm is 0")
    return ACCUMULATED


def _log1p(e: Evidence) -> Cause:
    if e.typical(e.operands[0]) < -0.5:
        return Cause("logarithm near its end", "its argument comes close to −1")
    return ACCUMULATED


def _power(e: Evidence) -> Cause:
    exponent = abs(Fraction(e.node.parameter or 0))
    if exponent >= 2:
        times = number(float(exponent))
        return Cause("large exponent", f"the power multiplies the relative error by {times}")
    return ACCUMULATED


def _noisy_power(e: Evidence) -> Cause:
    base, exponent = e.operands
    by_exponent = len(e.edge_shares) == 2 and e.edge_shares[1] > e.edge_shares[0]
    if by_exponent:
        if e.typical(np.abs(exponent * np.log(base))) >= 1:
            return Cause(
                "large exponent", "an error in the exponent counts exponent × ln(base) times"
            )
        return ACCUMULATED
    largest = e.typical(np.abs(exponent))
    if largest >= 2:
        return Cause(
            "large exponent", f"the power multiplies the relative error by about {number(largest)}"
        )
    return ACCUMULATED


def _end_of_domain(e: Evidence) -> Cause:
    name = e.node.operator
    end = {"acosh": "1", "asin": "±1", "atanh": "±1", "acos": "±1"}[name]
    if e.typical(np.abs(np.abs(e.operands[0]) - 1)) < 0.5:
        return Cause("end of the domain", f"the argument of `{name}` comes close to {end}")
    return ACCUMULATED


def _angle(e: Evidence) -> Cause:
    if e.typical(np.abs(e.y)) < 0.5:
        return ACCUMULATED
    return Cause("cut of an angle", "it comes close to the cut of `atan2`")


_FINITE: Mapping[str, Callable[[Evidence], Cause]] = {
    "add": _sum, "sub": _sum,
    "sin": _periodic, "cos": _periodic, "tan": _periodic,
    "cot": _periodic, "sec": _periodic, "csc": _periodic,
    "exp": _exponential, "expm1": _exponential, "sinh": _exponential, "cosh": _exponential,
    "log": _logarithm, "log1p": _log1p,
    "power": _power, "pow": _noisy_power,
    "asin": _end_of_domain, "acos": _end_of_domain,
    "acosh": _end_of_domain, "atanh": _end_of_domain,
    "atan2": _angle,
}  # fmt: skip


def _largest(values: Array) -> float:
    """The largest finite magnitude, of which there is one."""
    return float(np.max(np.abs(values[np.isfinite(values)])))
