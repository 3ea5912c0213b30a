"""Function or writing, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from eic_core import wording
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
from eic_core.explain.phrases import code_text, eic_name, input_name
from eic_core.explain.phrases.ledger import listed_up_to
from eic_core.explain.phrases.losses import NOTHING
from eic_core.formula.tree import Formula
from eic_core.phrasing import Field, Phrase, say, say_count

NAMED = 3
"""Inputs named in a sentence, at most; the others are counted."""


def split_sentence(
    place: LossOrigin, own: float, q: float, loss: float, inputs: Sequence[str], singular: bool
) -> Phrase:
    """Where to look for the digits of the result: those of the function (`own`), of the result and
    of the writing, all in the mean; the inputs to which the function is sensitive; and whether
    samples of infinite amplification were left out.
    """
    added = say("{loss} of them are added by the writing", loss=wording.digits_lost(loss))
    told: dict[str, Field] = {
        "added": added,
        "q": wording.digits_lost(q),
        "own": wording.digits_lost(min(own, q)),
        "inputs": _inputs(inputs),
    }
    match place:
        case LossOrigin.UNDEFINED if singular:
            return say(
                "With shared noise the amplification of the result is infinite at every valid "
                "sample, so there is nothing to split."
            )
        case LossOrigin.UNDEFINED:
            return say(
                "The formula has no usable value on these samples, so there is nothing to split."
            )
        case LossOrigin.NEITHER if q < NOTHING:
            return say(
                "With shared noise errors do not grow up to the result: there is nothing to split "
                "between the function and its writing."
            )
        case LossOrigin.NEITHER:
            return say(
                "With shared noise errors grow by {digits} up to the result, in the mean: too "
                "little to split between the function and its writing.",
                digits=wording.mean_phrase(q),
            )
        case LossOrigin.FUNCTION:
            return say(
                "With shared noise errors grow by {q} digits up to the result, in the mean; {own} "
                "of them are the function's own sensitivity to errors of {inputs}.",
                **told,
            )
        case LossOrigin.WRITING:
            return say(
                "With shared noise errors grow by {q} digits up to the result, in the mean; "
                "{added}.",
                **told,
            )
        case LossOrigin.BOTH:
            return say(
                "With shared noise errors grow by {q} digits up to the result, in the mean; "
                "{added}, {own} are the function's own sensitivity to errors of {inputs}.",
                **told,
            )


def _inputs(inputs: Sequence[str]) -> Phrase:
    names = [input_name(name) for name in inputs]
    return listed_up_to(names[:NAMED], len(names[NAMED:])) if names else say("its inputs")


def note(formula: Formula, remark: Remark) -> Phrase:
    """What qualifies a split."""
    match remark:
        case IndependentNoise(digits):
            return say(
                "Here copies of a number share their noise; with independent noise, as EIC has "
                "it, errors grow by {digits} up to the result.",
                digits=wording.mean_phrase(digits),
            )
        case WorstInside(node_id, digits, singular):
            return say(
                "{eic} is {digits}, most of them at {step}: with shared noise errors grow by less "
                "up to the result.",
                eic=eic_name(singular),
                step=code_text(formula, node_id),
                digits=wording.mean_phrase(digits),
            )
        case KeptByShared(rows):
            return say_count(
                "At {count} sample the result keeps no digit with independent noise, as EIC has "
                "it, and some with shared noise.",
                "At {count} samples the result keeps no digit with independent noise, as EIC has "
                "it, and some with shared noise.",
                rows,
            )
        case InnerStepLost(rows, node_id, at) if at < rows:
            return say(
                "At {rows} samples an inner step keeps no digit and the result does: it is {step} "
                "at {at} of them.",
                rows=rows,
                step=code_text(formula, node_id),
                at=at,
            )
        case InnerStepLost(rows, node_id):
            return say_count(
                "At {count} sample an inner step, {step}, keeps no digit, and the result does.",
                "At {count} samples an inner step, {step}, keeps no digit, and the result does.",
                rows,
                step=code_text(formula, node_id),
            )
        case FollowsStep(rows, node_id):
            return say_count(
                "These numbers include {count} sample at which the result follows {step}: by noise "
                "of first order it keeps its digits there.",
                "These numbers include {count} samples at which the result follows {step}: by "
                "noise of first order it keeps its digits there.",
                rows,
                step=code_text(formula, node_id),
            )
        case LeftOut(why, rows):
            return _left_out(why, rows)


def _left_out(why: OutOfSplit, rows: int) -> Phrase:
    return {
        OutOfSplit.FUNCTION: say_count(
            "At {count} sample the function itself is 0, jumps or is infinitely steep (beyond "
            "10³⁰): an error of its inputs there, however small, is not passed on in proportion; "
            "it is left out of the split.",
            "At {count} samples the function itself is 0, jumps or is infinitely steep (beyond "
            "10³⁰): an error of its inputs there, however small, is not passed on in proportion; "
            "they are left out of the split.",
            rows,
        ),
        OutOfSplit.WRITING: say_count(
            "At {count} sample this writing keeps no digit (errors grow beyond 10³⁰), and the "
            "function itself does; it is left out of the split.",
            "At {count} samples this writing keeps no digit (errors grow beyond 10³⁰), and the "
            "function itself does; they are left out of the split.",
            rows,
        ),
        OutOfSplit.NOT_KNOWN: say_count(
            "At {count} more sample the result keeps no digit either; whether the function itself "
            "does is not known, for there are too many, or values too near 0: it is left out of "
            "the split.",
            "At {count} more samples the result keeps no digit either; whether the function itself "
            "does is not known, for there are too many, or values too near 0: they are left out "
            "of the split.",
            rows,
        ),
    }[why]
