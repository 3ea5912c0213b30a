"""The English of the ways of measuring: whether they agree, and why not."""

from __future__ import annotations

from eic_core import wording
from eic_core.explain import facts
from eic_core.explain.facts import Event, Nothing, Why
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Field, Phrase, listed, one_after_another, say, say_count


def agreement(fact: facts.OverallAgreement, formula: Formula) -> Phrase:
    """The agreement over all nodes, and the reason at the one that differs most."""
    if not fact.nodes:
        return say("No sample has a usable value at every node, so there is nothing to compare.")
    kinds = listed(map(_nothing, fact.nothing)) if fact.nothing else say("")
    if not fact.compared:
        return say("There is nothing to compare at any node: {kinds}.", kinds=kinds)
    sentences = [_of_compared(fact, formula)]
    if fact.worst is not None:
        sentences += [] if fact.because is None else [reason(fact.because)]
        if fact.unclear:
            sentences.append(say("No reason for it was found."))
    if fact.nothing:
        sentences.append(
            say(
                "At {more} more there is nothing to compare: {kinds}.",
                more=fact.nodes - fact.compared,
                kinds=kinds,
            )
        )
    return one_after_another(sentences)


def _of_compared(fact: facts.OverallAgreement, formula: Formula) -> Phrase:
    if fact.worst is not None:
        return say_count(
            "At {agree} of {compared} nodes the prediction, trials with small errors and the "
            "errors measured in float32 and float64 agree; at {place} they do not.",
            "At {agree} of {compared} nodes the prediction, trials with small errors and the "
            "errors measured in float32 and float64 agree; at {count} they do not, for instance "
            "at {place}.",
            fact.apart,
            agree=fact.compared - fact.apart,
            compared=fact.compared,
            place=code_text(formula, fact.worst),
        )
    if fact.nothing:
        return say_count(
            "At the only node that can be compared the prediction, trials with small errors and "
            "the errors measured in float32 and float64 agree.",
            "At all {count} nodes that can be compared the prediction, trials with small errors "
            "and the errors measured in float32 and float64 agree.",
            fact.compared,
        )
    return say_count(
        "At the only node the prediction, trials with small errors and the errors measured in "
        "float32 and float64 agree.",
        "At all {count} nodes the prediction, trials with small errors and the errors measured in "
        "float32 and float64 agree.",
        fact.compared,
    )


def _nothing(kind: Nothing) -> Phrase:
    match kind:
        case Nothing.TRUTH:
            return say("a truth value")
        case Nothing.ZERO:
            return say("a value of 0")
        case Nothing.UNTAKEN:
            return say("a branch that none of these samples takes")
        case Nothing.UNROUNDED:
            return say("a value that comes out exact")


def reason(fact: facts.Reason) -> Phrase:
    """Why the ways differ at a node, or what else is to be said of them."""
    match fact:
        case Nothing():
            return say("There is nothing to compare: this is {kind}.", kind=_nothing(fact))
        case Why():
            return _why(fact)
        case facts.NoDigit(samples):
            return say_count(
                "At {count} sample no digit is left; the prediction is given without.",
                "At {count} samples no digit is left; the prediction is given without.",
                samples,
            )
        case facts.SharedNoise():
            return _shared_noise(fact)
        case facts.LargeErrors(sigma):
            return say(
                "With errors of {sigma} or more the formula no longer responds in proportion; "
                "with smaller ones it settles at the prediction.",
                sigma=wording.significant(sigma),
            )
        case facts.TrialsLeaveOut(samples):
            return say_count(
                "Trials leave out {count} sample at which their errors are too large or the value "
                "leaves double range.",
                "Trials leave out {count} samples at which their errors are too large or the value "
                "leaves double range.",
                samples,
            )
        case facts.TrialsDiffer(trials, recursion):
            return say(
                "Trials find {digits} ({low} to {high}), the prediction is {prediction}.",
                digits=wording.number(trials.local_eic),
                low=wording.number(trials.low),
                high=wording.number(trials.high),
                prediction=wording.number(recursion),
            )
        case facts.MeasuredEvent():
            return _measured(fact)


def _why(fact: Why) -> Phrase:
    match fact:
        case Why.NO_DIGIT:
            return say("No digit is left at any sample, so there is nothing to compare.")
        case Why.SILENT_TRIALS:
            return say(
                "Trials show nothing: a value is 0, leaves double range, or bears no error of "
                "this size."
            )
        case Why.NOISY_TRIALS:
            return say("So many digits are lost that trials in double precision show only noise.")
        case Why.JUMP:
            return say("Noise that crosses a jump or a tie does what no derivative sees.")


def _shared_noise(fact: facts.SharedNoise) -> Phrase:
    fields: dict[str, Field] = {
        "place": fact.copies.text,
        "uses": fact.copies.count,
        "shared": wording.number(fact.shared, 1),
        "independent": wording.number(fact.recursion, 1),
    }
    if fact.shared < fact.recursion:
        sentence = say(
            "{place} is used {uses} times, and all its uses share their noise, which partly "
            "cancels: {shared} digits are lost, not {independent} as with independent noise.",
            **fields,
        )
    else:
        sentence = say(
            "{place} is used {uses} times, and all its uses share their noise, which adds up: "
            "{shared} digits are lost, not {independent} as with independent noise.",
            **fields,
        )
    if not fact.followed:
        return sentence
    return one_after_another([sentence, say("Floating point follows the shared value.")])


def _measured(fact: facts.MeasuredEvent) -> Phrase:
    told: dict[str, Field] = {
        "type": fact.kind,
        "of": fact.of,
        "ratio": wording.significant(fact.ratio),
    }
    match fact.event:
        case Event.NO_NUMBER:
            return say("In {type}, the value overflows or has no number.", **told)
        case Event.FEW_DIGITS:
            return say("In {type}, no sample keeps three digits, too few to compare.", **told)
        case Event.NO_DIGIT:
            return say("In {type}, no digit is left at any sample.", **told)
        case Event.ZERO:
            return say("In {type}, there is nothing to compare: the exact value is 0.", **told)
        case Event.EXACT:
            return say("In {type}, the value comes out exact.", **told)
        case Event.SOME_NO_NUMBER:
            return say_count(
                "In {type}, {count} of {of} samples has no number, or one too large for it.",
                "In {type}, {count} of {of} samples have no number, or one too large for it.",
                fact.samples,
                **told,
            )
        case Event.SOME_FEW_DIGITS:
            return say_count(
                "In {type}, {count} of {of} samples keeps fewer than three digits, too few to "
                "compare.",
                "In {type}, {count} of {of} samples keep fewer than three digits, too few to "
                "compare.",
                fact.samples,
                **told,
            )
        case Event.STORED:
            return say("In {type}, it is stored without error, or nearly so.", **told)
        case Event.CANCELLING:
            return say(
                "In {type}, less is lost: the roundings that happened are small or cancel one "
                "another.",
                **told,
            )
        case Event.UNROUNDED:
            return say(
                "In {type}, less is lost: some operations come out exact and round nothing.",
                **told,
            )
        case Event.UNDERFLOW:
            return say(
                "In {type}, more is lost: a value is too small for the type and underflows.",
                **told,
            )
        case Event.LIBRARY:
            return say(
                "In {type}, more is lost: a library function is wrong by more than one rounding.",
                **told,
            )
        case Event.UNACCOUNTED:
            return say(
                "In {type}, the error is {ratio} times what is expected, and the roundings on the "
                "way do not account for it.",
                **told,
            )
        case Event.OFF:
            return say(
                "In {type}, the error is {ratio} times what is expected.",
                **told,
            )
