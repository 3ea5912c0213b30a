"""Tells whether digits are lost by the function itself or only by the way it is written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from eic_core import wording
from eic_core.explain import phrases
from eic_core.explain.conditioning import OwnConditioning, OwnSums
from eic_core.explain.correlated import MeanOfFinite, class_sweep
from eic_core.exports import Plain
from eic_core.measure.following import following
from eic_core.measure.inspection import Inspection, local_eic

SMALL = 0.3
"""Digits: a loss to the writing below this is not worth a rewriting."""

CALM = 1.0
"""Digits: of a result that loses fewer nothing is split."""

NEARLY_ALL = 0.9
"""The part of the function's sensitivity that the inputs make which are named."""

ALIKE = 0.99
"""An input of so large a part of another's share is as strong."""

NAMED = 3
"""Inputs named in a sentence, at most; the others are counted."""

TOLD = 0.05
"""Digits between shared and independent noise that are worth a word."""

WRITING, FUNCTION, BOTH, NEITHER, UNDEFINED = (
    "writing",
    "function",
    "both",
    "neither",
    "undefined",
)


@dataclass(frozen=True)
class WritingLoss(Plain):
    inspection: Inspection = field(repr=False)
    conditioning: OwnConditioning = field(repr=False)
    # Digits that errors of the inputs take, however it is written, over the samples compared; nan
    # if there are none
    own: float
    q: float  # Digits that the result loses as written, copies sharing their noise, over the same
    loss: float  # q - own: digits lost to the writing, 0 at least
    compared: int  # Valid samples at which q is finite (then the function's conditioning is, too)
    singular: int  # The other valid samples
    singular_function: int  # Those of them at which the function itself loses every digit
    nothing: int  # Those of them at which the function is 0 and no input moves it
    unsettled: int  # Those of them of which that is not known
    place: str  # "writing", "function", "both", "neither" or "undefined": where to look
    sentence: str  # The verdict
    notes: tuple[str, ...]  # Sentences that qualify it

    _JSON = (
        "own",
        "q",
        "loss",
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


def writing_loss(inspection: Inspection) -> WritingLoss:
    """Split the root's loss between the function and its writing.

    Parameters
    ----------
    inspection
        Its formula and samples.

    Returns
    -------
    WritingLoss
        Digits lost by the function and by its writing, with a sentence.

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
    >>> found.sentence
    '4.2 of the 4.3 digits that the result loses with shared noise are lost to the writing.'
    """
    formula, data = inspection.formula, inspection.samples
    own, q = MeanOfFinite(), MeanOfFinite()
    sums = OwnSums(formula, data)
    function = writing = unsettled = 0
    without = np.zeros(len(data), dtype=bool)  # where q is infinite
    for block in class_sweep(formula, data, amplification=inspection.amplification):
        q2 = block.sum_of_squares()
        own2 = sums.add(block, np.isinf(q2))
        q.add(q2, block.ok)
        own.add(own2, block.ok & np.isfinite(q2))
        lost = block.ok & np.isinf(q2)
        without[block.start : block.stop] = lost
        function += int(np.count_nonzero(block.ok & np.isinf(own2)))
        writing += int(np.count_nonzero(lost & np.isfinite(own2)))
        unsettled += int(np.count_nonzero(lost & np.isnan(own2)))
    own_digits, q_digits = local_eic(own.finite_mean()), local_eic(q.finite_mean())
    loss = q_digits - own_digits if math.isnan(q_digits) else max(0.0, q_digits - own_digits)
    conditioning = sums.result()
    place = _place(own_digits, q_digits, loss)
    sentence = _sentence(place, conditioning, own_digits, q_digits, loss, q.infinite)
    notes = (
        *_notes(inspection, place, q_digits, without),
        *_left_out(function, writing, unsettled),
    )
    return WritingLoss(
        inspection,
        conditioning,
        own_digits,
        q_digits,
        loss,
        q.count,
        q.infinite,
        function,
        sums.nothing,
        unsettled,
        place,
        sentence,
        notes,
    )


def _place(own: float, q: float, loss: float) -> str:
    if math.isnan(q):
        return UNDEFINED
    if q < CALM:
        return NEITHER
    if loss < SMALL:
        return FUNCTION
    return WRITING if own < CALM else BOTH


def _sentence(
    place: str, conditioning: OwnConditioning, own: float, q: float, loss: float, singular: int
) -> str:
    if place == UNDEFINED:
        if singular:
            return (
                "With shared noise the amplification of the result is infinite at every valid "
                "sample, so there is nothing to split."
            )
        return "The formula has no usable value on these samples, so there is nothing to split."
    if place == NEITHER:
        split = "too few to split" if q >= 0.005 else "there is nothing to split"
        return (
            f"With shared noise the result loses {wording.lost_phrase(q)}: {split} between the "
            "function and its writing."
        )
    of = f"of the {q:.1f} digits that the result loses with shared noise are"
    sensitivity = f"the function's own sensitivity to errors of {_sensitive_to(conditioning)}"
    if place == FUNCTION:
        return f"{min(own, q):.1f} {of} {sensitivity}."
    lead = f"{loss:.1f} {of} lost to the writing"
    if place == WRITING:
        return f"{lead}."
    return f"{lead}; the other {own:.1f} are {sensitivity}."


def _sensitive_to(conditioning: OwnConditioning) -> str:
    """The inputs that make nearly all of the conditioning, the strongest first."""
    ranked = sorted(conditioning.variables, key=lambda v: -round(v.share, 9))
    left = math.fsum(v.share for v in ranked)
    limit = (1 - NEARLY_ALL) * left
    named: list[str] = []
    weakest = math.inf
    for v in ranked:
        if left <= limit and v.share < ALIKE * weakest:
            break
        named.append(phrases.input_name(v.name))
        left, weakest = left - v.share, v.share
    return wording.join(named, limit=NAMED) if named else "its inputs"


def _notes(
    inspection: Inspection, place: str, q: float, without: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    notes: list[str] = []
    root = len(inspection.nodes) - 1
    independent = inspection.nodes[root].local_eic_finite
    worth_telling = q >= CALM or inspection.finite_bottleneck == root
    apart = wording.lost_phrase(independent)
    if worth_telling and abs(independent - q) >= TOLD and apart != wording.lost_phrase(q):
        notes.append(
            "Here copies of a number share their noise; with independent noise, as EIC has it, "
            f"the result loses {apart}."
        )
    worst = inspection.nodes[inspection.finite_bottleneck]
    if place != UNDEFINED and worst.node.id != root and worst.local_eic_finite > q + 1:
        named = "EIC" if math.isfinite(inspection.eic) else "EIC without the singular samples"
        notes.append(
            f"The worst step ({named}) loses "
            f"{wording.digits_phrase(worst.local_eic_finite)}, at "
            f"{phrases.code_text(inspection.formula, worst.node.id)}: with shared noise the result "
            "loses fewer."
        )
    if place != UNDEFINED and inspection.counts.singular:
        notes += _singular_notes(inspection, without)
    return tuple(notes)


def _singular_notes(inspection: Inspection, without: npt.NDArray[np.bool_]) -> Iterator[str]:
    amplification = inspection.amplification
    root = len(inspection.nodes) - 1

    def lost_at(node_id: int) -> npt.NDArray[np.bool_]:
        found = np.isinf(amplification.trace(node_id)[1]) & amplification.valid
        return np.asarray(found & amplification.evaluated(node_id))

    at_root = lost_at(root)
    kept = int(np.count_nonzero(at_root & ~without))
    if kept:
        yield (
            f"At {wording.count(kept, 'sample')} the result loses every digit with independent "
            "noise, as EIC has it, and keeps some with shared noise."
        )
    follows = np.zeros(len(without), dtype=bool)
    follows[following(inspection).rows] = True
    steps = {n.node.id: lost_at(n.node.id) for n in inspection.nodes if n.singular}
    inside = np.any([*steps.values()], axis=0) & ~at_root & ~without & ~follows
    count = int(np.count_nonzero(inside))
    if count:
        there = {k: int(np.count_nonzero(lost & inside)) for k, lost in steps.items()}
        named = inspection.bottleneck
        if not there.get(named):
            named = max(there, key=lambda k: (there[k], -k))
        some = f"at {there[named]:,} of them " if there[named] < count else ""
        yield (
            f"At {wording.count(count, 'sample')} an inner step loses every digit and the result "
            f"does not: {some}see {phrases.code_text(inspection.formula, named)}."
        )
    if follows.any():
        step = phrases.code_text(inspection.formula, int(following(inspection).nodes[0]))
        many = int(np.count_nonzero(follows))
        yield (
            f"In these numbers {'is' if many == 1 else 'are'} {wording.count(many, 'sample')} at "
            f"which the result follows {step}: by noise of first order it keeps its digits there."
        )


def _left_out(function: int, writing: int, unsettled: int) -> Iterator[str]:
    if function:
        yield (
            f"At {wording.count(function, 'sample')} the function itself is 0, jumps or is "
            "infinitely steep (beyond 10³⁰): an error of its inputs there, however small, is not "
            f"passed on in proportion; {_they_are(function)} left out of the split."
        )
    if writing:
        yield (
            f"At {wording.count(writing, 'sample')} the writing loses every digit (beyond 10³⁰) "
            f"and the function itself does not; {_they_are(writing)} left out of the split."
        )
    if unsettled:
        yield (
            f"At {wording.count(unsettled, 'more sample', 'more samples')} the result loses every "
            "digit, too, and whether the function itself does was not looked at, for there are so "
            f"many; {_they_are(unsettled)} left out of the split."
        )


def _they_are(count: int) -> str:
    return "it is" if count == 1 else "they are"
