"""The loss numbers that a page shows (ADR 0009), and the amplification with shared noise, q.

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
from eic_core.explain.facts import LossSize
from eic_core.explain.phrases.losses import MEANINGS, NAMES, account_line, loss_sentence
from eic_core.exports import Plain
from eic_core.formula.tree import CONSTANT, UNDEFINED, Formula, Node
from eic_core.measure.inspection import Inspection, cached_on_inspection, local_eic
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase
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
    root = formula.root.id
    members = np.bincount(class_tape(formula).slots)
    return CorrelatedAmplification(
        formula=formula,
        samples=samples,
        q_eic=local_eic(q2.every),
        q_eic_finite=local_eic(q2.finite),
        root_eic=local_eic(amplification.mean_s2(root)),
        root_eic_finite=local_eic(amplification.finite_mean_s2(root)),
        eic=amplification.eic,
        eic_finite=amplification.eic_finite,
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


class NoiseByRow(NamedTuple):
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
) -> NoiseByRow:
    """Follow the noise of each class of `class_tape` to the root.
    `amplification` is the formula's, if that is known on these samples or more.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [3.0]})
    >>> noise = shared_noise(read("x - x*x").formula, samples)
    >>> noise.q2.round(6).tolist(), noise.variables.tolist()  # x: 2.5^2, x*x: 1.5^2, the root: 1
    ([9.5], [[2.5]])
    """
    samples.require(formula.variables)
    tape = class_tape(formula)
    exact = ExactNoise(tape, amplification)
    place = {step.column: step.slot for step in tape.steps if step.column}
    places = [place[name] for name in formula.variables]
    blocks = [
        (np.where(block.ok, block.sum_of_squares(), math.nan), block.arrived[places])
        for block in sweep(tape, step_units(tape), samples, recheck=recheck, exact_noise=exact)
    ]
    return NoiseByRow(*[np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True)])


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


__all__ = [
    "MEANINGS",
    "NAMES",
    "RESULT",
    "RESULT_SHARED",
    "WORST_STEP",
    "Loss",
    "account_line",
    "account_of_losses",
    "has_copies",
    "shared_noise_differs",
]

WORST_STEP, RESULT, RESULT_SHARED = NAMES


@dataclass(frozen=True)
class Loss(LossSize, Plain):
    formula: Formula = field(kw_only=True, repr=False)

    _JSON = ("key", "name", "digits", "digits_finite", "sentence")

    @property
    def name(self) -> str:
        return NAMES[self.key]

    @property
    def sentence(self) -> Phrase:
        """What it is, and how large."""
        return loss_sentence(self.formula, self)


def has_copies(formula: Formula) -> bool:
    """Whether copies exist; only then do shared and independent noise differ."""
    return bool((np.bincount(class_tape(formula).slots) > 1).any())


LOOKED_AT = 100
"""Samples at which the two noises of a result are compared: half of them those of largest s."""

APART = 0.1
"""Digits by which they must differ to be told apart."""


@cached_on_inspection
def shared_noise_differs(inspection: Inspection) -> bool:
    """Whether shared noise changes the result's loss, judged by some rows.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [100.0, 200.0]})
    >>> [shared_noise_differs(inspect(read(text).formula, samples))
    ...  for text in ("exp(x)/exp(x)", "x*x", "10000*x - 9999*x", "exp(x)")]
    [True, True, False, False]
    """
    if not has_copies(inspection.formula):
        return False
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    finite = np.flatnonzero(np.isfinite(s))
    if not len(finite):
        return False
    ranked = finite[np.argsort(-s[finite], kind="stable")]
    half = LOOKED_AT // 2
    rest = ranked[half:]
    rows = np.concatenate([ranked[:half], rest[:: max(1, -(-len(rest) // half))]])
    some, amplification = inspection.samples.take(rows), inspection.amplification
    shared = mean_of(shared_noise(inspection.formula, some, amplification=amplification).q2)
    apart = abs(local_eic(shared.every) - local_eic(float(np.mean(np.square(s[rows])))))
    return not apart < APART


def account_of_losses(
    inspection: Inspection, shared: tuple[float, float] | None = None
) -> tuple[Loss, ...]:
    """The loss numbers of a formula: name, meaning and size.
    `shared` is the result's loss with shared noise, with and without the samples that keep no
    digit; without copies the loss with independent noise stands for it.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.99, 3.5, 4.0]})
    >>> for loss in account_of_losses(inspect(read("100 + (x - 3)").formula, samples)):
    ...     print(loss.name, round(loss.digits, 1))
    Worst step (EIC) 2.4
    Result, independent noise 0.1
    """
    root = inspection.nodes[-1]
    elsewhere = math.isinf(inspection.eic) and math.isfinite(inspection.eic_finite)
    losses = [
        Loss(
            WORST_STEP,
            inspection.eic,
            inspection.eic_finite,
            inspection.worst_step,
            inspection.finite_worst_step if elsewhere else None,
            formula=inspection.formula,
        ),
        Loss(RESULT, root.local_eic, root.local_eic_finite, formula=inspection.formula),
    ]
    if shared is not None:
        losses.append(Loss(RESULT_SHARED, *shared, formula=inspection.formula))
    return tuple(losses)
