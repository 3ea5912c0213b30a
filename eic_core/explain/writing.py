"""Tells whether digits are lost by the function itself or only by the way it is written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from eic_core.errors import require
from eic_core.explain.conditioning import OwnConditioning, conditioning_of, on_threshold
from eic_core.explain.facts import (
    FollowsStep,
    IndependentNoise,
    InnerStepLost,
    KeptByShared,
    LeftOut,
    LossOrigin,
    OutOfSplit,
    Remark,
    WorstInside,
)
from eic_core.explain.losses import mean_of, shared_noise
from eic_core.explain.phrases import writing as words
from eic_core.exports import Plain
from eic_core.measure.following import following
from eic_core.measure.inspection import Inspection, local_eic
from eic_core.measure.measured import Quantiles, quantiles_of
from eic_core.phrasing import Phrase

SMALL = 0.3
"""Digits: a loss to the writing below this is not worth a rewriting."""

CALM = 1.0
"""Digits: of a result that loses fewer nothing is split."""

NEARLY_ALL = 0.9
"""The part of the function's sensitivity that the inputs make which are named."""

ALIKE = 0.99
"""An input of so large a part of another's share is as strong."""

WORTH_A_WORD = 0.05
"""Digits between shared and independent noise that are worth a word."""


@dataclass(frozen=True)
class WritingLoss(Plain):
    inspection: Inspection = field(repr=False)
    conditioning: OwnConditioning = field(repr=False)
    # Digits that errors of the inputs take, however it is written, over the samples compared; nan
    # if there are none
    own: float
    q: float  # Digits that the result loses as written, copies sharing their noise, over the same
    loss: float  # q - own: digits lost to the writing, 0 at least
    # log10 of q over the function's own, row by row: inf where the writing alone keeps no digit;
    # without the rows at which the function itself keeps none, or it is not known
    added: Quantiles
    compared: int  # Valid samples at which q is finite (then the function's conditioning is, too)
    singular: int  # The other valid samples
    singular_function: int  # Those of them at which the function itself loses every digit
    nothing: int  # Those of them at which the function is 0, and beside them
    unsettled: int  # Those of them of which that is not known
    place: LossOrigin  # Where to look
    remarks: tuple[Remark, ...]  # What qualifies it

    _JSON = (
        "own",
        "q",
        "loss",
        "added",
        "compared",
        "singular",
        "singular_function",
        "nothing",
        "unsettled",
        "place",
        "sentence",
        "notes",
        "conditioning",
    )

    @property
    def sentence(self) -> Phrase:
        """The verdict."""
        inputs = sensitive_to(self.conditioning)
        digits = self.own, self.q, self.loss
        return words.split_sentence(self.place, *digits, inputs, self.singular > 0)

    @property
    def notes(self) -> tuple[Phrase, ...]:
        """Sentences that qualify it."""
        formula = self.inspection.formula
        return tuple(words.note(formula, remark) for remark in self.remarks)


def writing_loss(inspection: Inspection) -> WritingLoss:
    """Split the root's loss between the function and its writing.

    Parameters
    ----------
    inspection
        Its formula and samples.

    Returns
    -------
    WritingLoss
        Digits lost by the function and by its writing.

    Notes
    -----
    loss = 1/2 log10(E[q^2] / E[1 + sum_v (x_v df/dx_v / f)^2]), both means over the samples
    with finite q. There own <= q, for the variables and the root are classes of their own;
    only a formula that is a single variable is rounded less than any result can be.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> found = writing_loss(inspect(read("10000*x-9999*x").formula, samples))
    >>> print(found.sentence)
    With shared noise errors grow by 4.30 digits up to the result, in the mean; 4.15 of them are \
added by the writing.
    """
    require(inspection, Inspection)
    formula, data = inspection.formula, inspection.samples
    noise = shared_noise(formula, data, amplification=inspection.amplification)
    q2, without = noise.q2, np.isinf(noise.q2)
    conditioning = conditioning_of(formula, data, noise, without | on_threshold(formula, data))
    own2, q = conditioning.by_row, mean_of(q2)
    own_digits = local_eic(mean_of(own2[np.isfinite(q2)]).finite)
    q_digits = local_eic(q.finite)
    loss = q_digits - own_digits if math.isnan(q_digits) else max(0.0, q_digits - own_digits)
    with np.errstate(all="ignore"):
        added = np.maximum(0.5 * np.log10(q2 / own2), 0.0)
    place = _place(own_digits, q_digits, loss)
    rows = {
        OutOfSplit.FUNCTION: np.isinf(own2),
        OutOfSplit.WRITING: without & np.isfinite(own2),
        OutOfSplit.NOT_KNOWN: without & np.isnan(own2),
    }
    left_out = {why: int(np.count_nonzero(part)) for why, part in rows.items()}
    remarks = (
        *_remarks(inspection, place, q_digits, without),
        *[LeftOut(why, count) for why, count in left_out.items() if count],
    )
    return WritingLoss(
        inspection,
        conditioning,
        own_digits,
        q_digits,
        loss,
        quantiles_of(np.where(np.isfinite(own2), added, math.nan)),
        q.finite_count,
        q.infinite,
        left_out[OutOfSplit.FUNCTION],
        conditioning.nothing,
        left_out[OutOfSplit.NOT_KNOWN],
        place,
        remarks,
    )


def _place(own: float, q: float, loss: float) -> LossOrigin:
    if math.isnan(q):
        return LossOrigin.UNDEFINED
    if q < CALM:
        return LossOrigin.NEITHER
    if loss < SMALL:
        return LossOrigin.FUNCTION
    return LossOrigin.WRITING if own < CALM else LossOrigin.BOTH


def sensitive_to(conditioning: OwnConditioning) -> tuple[str, ...]:
    """The inputs that make nearly all of the conditioning, the strongest first."""
    ranked = sorted(conditioning.variables, key=lambda v: -round(v.share, 6))
    left = math.fsum(v.share for v in ranked)
    limit = (1 - NEARLY_ALL) * left
    names: list[str] = []
    weakest = math.inf
    for v in ranked:
        if left <= limit and v.share < ALIKE * weakest:
            break
        names.append(v.name)
        left, weakest = left - v.share, v.share
    return tuple(names)


def _remarks(
    inspection: Inspection, place: LossOrigin, q: float, without: npt.NDArray[np.bool_]
) -> Iterator[Remark]:
    root = len(inspection.nodes) - 1
    independent = inspection.nodes[root].local_eic_finite
    matters = q >= CALM or inspection.finite_worst_step == root
    if matters and abs(independent - q) >= WORTH_A_WORD:
        yield IndependentNoise(independent)
    if place == LossOrigin.UNDEFINED:
        return
    worst = inspection.nodes[inspection.finite_worst_step]
    if worst.node.id != root and worst.local_eic_finite > q + 1:
        singular = not math.isfinite(inspection.eic)
        yield WorstInside(worst.node.id, inspection.eic_finite, singular)
    if inspection.counts.singular:
        yield from _singular_remarks(inspection, without)


def _singular_remarks(inspection: Inspection, without: npt.NDArray[np.bool_]) -> Iterator[Remark]:
    steps = {
        n.node.id: np.isinf(inspection.amplification.trace(n.node.id)[1])
        for n in inspection.nodes
        if n.singular
    }
    at_root = steps.get(len(inspection.nodes) - 1, np.zeros_like(without))
    if rescued := int(np.count_nonzero(at_root & ~without)):
        yield KeptByShared(rescued)
    follows = np.zeros_like(without)
    follows[following(inspection).rows] = True
    inside = np.any([*steps.values()], axis=0) & ~at_root & ~without & ~follows
    if count := int(np.count_nonzero(inside)):
        at = {k: int(np.count_nonzero(lost & inside)) for k, lost in steps.items()}
        step = inspection.worst_step
        if not at.get(step):
            step = max(at, key=lambda k: (at[k], -k))
        yield InnerStepLost(count, step, at[step])
    if follows.any():
        yield FollowsStep(int(np.count_nonzero(follows)), int(following(inspection).nodes[0]))
