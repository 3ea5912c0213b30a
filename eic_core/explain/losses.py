"""The loss numbers that a page shows (ADR 0009)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from eic_core.explain.correlated import class_tape, mean_of, shared_noise
from eic_core.explain.facts import LossSize
from eic_core.explain.phrases.losses import (
    MEANINGS,
    NAMES,
    account_line,
    loss_sentence,
)
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, cached_on_inspection, local_eic
from eic_core.phrasing import Phrase

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
    inspection: Inspection, shared: float | None = None, shared_finite: float | None = None
) -> tuple[Loss, ...]:
    """The loss numbers of a formula: name, meaning and size.
    `shared` and `shared_finite` are the result's loss with shared noise, with and without the
    samples that keep no digit; without copies the loss with independent noise stands for them.

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
            inspection.bottleneck,
            inspection.finite_bottleneck if elsewhere else None,
            formula=inspection.formula,
        ),
        Loss(RESULT, root.local_eic, root.local_eic_finite, formula=inspection.formula),
    ]
    if shared is not None:
        rest = shared if shared_finite is None else shared_finite
        losses.append(Loss(RESULT_SHARED, shared, rest, formula=inspection.formula))
    return tuple(losses)
