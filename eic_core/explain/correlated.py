"""Amplification when equal sub-expressions share their noise: q.

The recursion takes every node's rounding as independent (Yu et al., Eq. ``eq:recursive_relation``),
but a program rounds copies of a sub-expression alike. With G_j from `eic_core.engine.sweep`,

    q^2 = sum over classes of (sum of G_j over the class)^2.

A class holds subtrees that are identical up to the order of the operands of ``+`` and ``*``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.sweep import ExactNoise, step_units, sweep
from eic_core.engine.tape import Tape, lay_out
from eic_core.exports import Plain
from eic_core.formula.tree import CONSTANT, UNDEFINED, Formula, Node
from eic_core.measure.inspection import local_eic
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.samples import Samples


@lru_cache(maxsize=4096)
def _number(label: str) -> Fraction | str:
    return label if label in ("pi", "e", UNDEFINED) else Fraction(label)


def class_tape(formula: Formula) -> Tape:
    """A tape with one step for each class; constants of equal value (``2``, ``2.0``) are one.

    >>> from eic_core.formula.syntax import read
    >>> class_tape(read("(x+y)*2 - (y+x)*2.0").formula).slots
    (0, 1, 2, 3, 4, 1, 0, 2, 3, 4, 5)
    """
    tape: Tape | None = formula.__dict__.get("_class_tape")
    if tape is None:
        tape = formula.__dict__["_class_tape"] = lay_out(formula, alike=_alike)
    return tape


def _alike(node: Node, operands: tuple[int, ...]) -> Hashable:
    swaps = bool(operands) and OPERATORS[node.operator].commutative
    ordered = tuple(sorted(operands)) if swaps else operands
    label = _number(node.label) if node.operator == CONSTANT else node.label
    return node.operator, ordered, label, node.parameter


@dataclass(frozen=True)
class CorrelatedAmplification(Plain):
    formula: Formula = field(repr=False)
    samples: Samples = field(repr=False)
    # 1/2 log10 of the mean of q^2 over the valid samples: the digits lost when copies share their
    # noise. inf if q is infinite at one; nan if none is valid.
    q_eic: float
    q_eic_finite: float  # The same without the samples at which q is infinite; nan if none remain
    # root_eic, root_eic_finite: local EIC of the root, where all noise is independent
    root_eic: float
    root_eic_finite: float
    # eic, eic_finite: its maximum over all nodes, as `inspect` gives it
    eic: float
    eic_finite: float
    # valid, singular: samples at which every node has a real value, and those of them with infinite
    # q
    valid: int
    singular: int
    repeated: int  # How many classes have two or more members; 0 means q = s everywhere

    _JSON = (
        "q_eic",
        "q_eic_finite",
        "root_eic",
        "root_eic_finite",
        "eic",
        "eic_finite",
        "valid",
        "singular",
        "repeated",
    )


def correlated_eic(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    amplification: Amplification | None = None,
) -> CorrelatedAmplification:
    """Digits lost at the root when copies share their noise.
    Without `recheck` no sample is settled exactly. `amplification` is the formula's on these
    samples, if it is known. q^2 <= m s^2, m being the size of the
    largest class (Cauchy-Schwarz). Where much cancels, doubles know q^2 to about s^2 u at best.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> found = correlated_eic(read("x*x").formula, samples)  # q^2 = 1 + 2^2
    >>> round(10 ** (2 * found.q_eic), 9), round(10 ** (2 * found.root_eic), 9)
    (5.0, 3.0)
    """
    if amplification is None:
        amplification = amplify(formula, samples, recheck=recheck)
    q2 = mean_of(shared_noise(formula, samples, recheck=recheck, amplification=amplification).q2)
    every_node = range(len(formula))
    # a branch that is never taken has no mean
    taken = [k for k in every_node if amplification.evaluated_count(k)] or every_node
    finite = [amplification.finite_mean_s2(k) for k in taken]
    every = [amplification.mean_s2(k) for k in taken]
    members = np.bincount(class_tape(formula).slots)
    return CorrelatedAmplification(
        formula=formula,
        samples=samples,
        q_eic=local_eic(q2.every),
        q_eic_finite=local_eic(q2.finite),
        root_eic=local_eic(every[-1]),
        root_eic_finite=local_eic(finite[-1]),
        eic=local_eic(max(every)),
        eic_finite=math.nan if any(map(math.isnan, finite)) else local_eic(max(finite)),
        valid=q2.finite_count + q2.infinite,
        singular=q2.infinite,
        repeated=int(np.count_nonzero(members > 1)),
    )


def correlated_trace(formula: Formula, samples: Samples, node_id: int | None = None) -> Array:
    """q of one node (by default the root), shape (N,): nan without a value, inf without a digit.

    >>> from eic_core.formula.syntax import read
    >>> formula = read("exp(x-x)").formula
    >>> correlated_trace(formula, Samples.from_columns({"x": [3.0, 5.0]})).tolist()
    [1.0, 1.0]
    """
    target = formula if node_id is None else formula.subtree(node_id)
    return np.sqrt(shared_noise(target, samples).q2)


class SharedNoise(NamedTuple):
    """What arrives at a result when copies share their noise, at every sample."""

    # shape (N,): the sum of squares over all classes; nan without a value, inf without a digit
    q2: Array
    variables: Array  # shape (V, N): What arrives of each of `Formula.variables`, with its sign


def shared_noise(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    amplification: Amplification | None = None,
) -> SharedNoise:
    """Follow the noise of each class of `class_tape` to the root.
    `amplification` is the formula's, if that is known on these samples or more.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [3.0]})
    >>> noise = shared_noise(read("x - x*x").formula, samples)
    >>> noise.q2.round(6).tolist(), noise.variables.tolist()  # x: 2.5^2, x*x: 1.5^2, the root: 1
    ([9.5], [[2.5]])
    """
    samples.require(formula.variables)
    tape, exact = class_tape(formula), None
    if amplification is not None and amplification.tape.slots == tape.slots:
        exact = ExactNoise(tape, amplification.exact)
    place = {step.column: step.slot for step in tape.steps if step.column}
    places = [place[name] for name in formula.variables]
    blocks = [
        (np.where(block.ok, block.sum_of_squares(), math.nan), block.arrived[places])
        for block in sweep(tape, step_units(tape), samples, recheck=recheck, exact_noise=exact)
    ]
    return SharedNoise(*[np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True)])


class Mean(NamedTuple):
    """The mean of numbers that are not nan."""

    finite: float  # Of those that are finite; nan if there are none
    finite_count: int  # How many these are
    infinite: int

    @property
    def every(self) -> float:
        """Infinite if a number is."""
        return math.inf if self.infinite else self.finite


def mean_of(values: Array) -> Mean:
    finite = values[np.isfinite(values)]
    mean = float(np.sum(finite)) / len(finite) if len(finite) else math.nan
    return Mean(mean, len(finite), int(np.count_nonzero(np.isinf(values))))
