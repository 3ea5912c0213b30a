"""The English of the ways of measuring: whether they agree, and why not."""

from __future__ import annotations

from eic_core import wording
from eic_core.explain import facts
from eic_core.explain.facts import Event, Nothing, Why
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Phrase, listed, one_after_another, say, say_count


def agreement(fact: facts.OverallAgreement, formula: Formula) -> Phrase:
    """The agreement over all nodes, and the reason at the one that differs most."""
    if not fact.nodes:
        return say("No sample has a usable value at every node, so there is nothing to compare.")
    kinds = listed(map(_nothing, fact.nothing)) if fact.nothing else say("")
    if not fact.compared:
        return say("There is nothing to compare at any node: {kinds}.", kinds=kinds)
    sentences = [_of_compared(fact, formula)]
    if fact.because is not None:
        sentences.append(reason(fact.because))
    if more := fact.nodes - fact.compared:
        sentences.append(
            say("At {more} more there is nothing to compare: {kinds}.", more=more, kinds=kinds)
        )
    return one_after_another(sentences)


def _of_compared(fact: facts.OverallAgreement, formula: Formula) -> Phrase:
    if fact.worst is not None:
        known = fact.apart - fact.unclear
        differ = [say("at {known} a known reason keeps them apart", known=known)] * bool(known)
        differ += [say("at {some} no reason was found", some=fact.unclear)] * bool(fact.unclear)
        return say(
            "At {agree} of {compared} nodes the prediction, trials with small errors and the "
            "errors measured in float32 and float64 agree; {differ}, for instance at {place}.",
            agree=fact.compared - fact.apart,
            compared=fact.compared,
            differ=", ".join(map(str, differ)),
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
    return {
        Nothing.TRUTH: say("a truth value"),
        Nothing.ZERO: say("a value of 0"),
        Nothing.UNTAKEN: say("a branch that none of these samples takes"),
        Nothing.UNROUNDED: say("a value that comes out exact"),
    }[kind]


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
    return {
        Why.NO_DIGIT: say("No digit is left at any sample, so there is nothing to compare."),
        Why.SILENT_TRIALS: say(
            "Trials show nothing: a value is 0, leaves double range, or bears no error of this "
            "size."
        ),
        Why.NOISY_TRIALS: say(
            "So many digits are lost that trials in double precision show only noise."
        ),
        Why.JUMP: say("Noise that crosses a jump or a tie does what no derivative sees."),
    }[fact]


def _shared_noise(fact: facts.SharedNoise) -> Phrase:
    cancels = fact.shared < fact.recursion
    sentence = say(
        "{place} is used {uses} times, and all its uses share their noise, which {acts}: {shared} "
        "digits are lost, not {independent} as with independent noise.",
        place=fact.copies.text,
        uses=fact.copies.count,
        acts=say("partly cancels") if cancels else say("adds up"),
        shared=wording.digits_lost(fact.shared),
        independent=wording.digits_lost(fact.recursion),
    )
    if not fact.followed:
        return sentence
    return one_after_another([sentence, say("Floating point follows the shared value.")])


def _measured(fact: facts.MeasuredEvent) -> Phrase:
    ratio = wording.significant(fact.ratio)
    event = {
        Event.NO_NUMBER: say("the value overflows or has no number"),
        Event.FEW_DIGITS: say("no sample keeps three digits, too few to compare"),
        Event.NO_DIGIT: say("no digit is left at any sample"),
        Event.ZERO: say("there is nothing to compare: the exact value is 0"),
        Event.EXACT: say("the value comes out exact"),
        Event.SOME_NO_NUMBER: say_count(
            "{count} of {of} samples has no number, or one too large for it",
            "{count} of {of} samples have no number, or one too large for it",
            fact.samples,
            of=fact.of,
        ),
        Event.SOME_FEW_DIGITS: say_count(
            "{count} of {of} samples keeps fewer than three digits, too few to compare",
            "{count} of {of} samples keep fewer than three digits, too few to compare",
            fact.samples,
            of=fact.of,
        ),
        Event.STORED: say("it is stored without error, or nearly so"),
        Event.CANCELLING: say(
            "less is lost: the roundings that happened are small or cancel one another"
        ),
        Event.UNROUNDED: say("less is lost: some operations come out exact and round nothing"),
        Event.UNDERFLOW: say("more is lost: a value is too small for the type and underflows"),
        Event.LIBRARY: say("more is lost: a library function is wrong by more than one rounding"),
        Event.UNACCOUNTED: say(
            "the error is {ratio} times what is expected, and the roundings on the way do not "
            "account for it",
            ratio=ratio,
        ),
        Event.OFF: say("the error is {ratio} times what is expected", ratio=ratio),
    }[fact.event]
    return say("In {type}, {event}.", type=fact.kind, event=event)
