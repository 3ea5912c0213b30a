"""The English of means: whether one is settled, its growth with the data, and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eic_core import wording
from eic_core.explain import facts
from eic_core.explain.facts import GrowthPace, Settled
from eic_core.explain.phrases import code_text
from eic_core.measure.crossings import Passage
from eic_core.measure.inspection import Inspection
from eic_core.measure.tails import MIN_SAMPLES_FOR_HILL
from eic_core.phrasing import Phrase, say, say_count

TEXT_LIMIT, SHORT_LIMIT = 56, 24
"""Characters of a sub-expression quoted in a sentence, and beside a number."""


def unsettled(inspection: Inspection, fact: facts.UnsettledAt) -> Phrase:
    """The reason why the mean is not settled at this N, as a clause."""
    if fact.node < 0:
        share = math.nan if inspection.tail is None else inspection.tail.top1_share
        if math.isnan(share):
            return say("the tail of the amplified noise is heavy, and more samples may raise EIC")
        return say(
            "the worst 1 % of the samples carry {share} of it, and more samples may raise EIC",
            share=wording.percent(share),
        )
    node = inspection.nodes[fact.node]
    change = _sign_change(inspection, fact.node)
    if fact.own:
        eic = say("the finite EIC") if math.isinf(inspection.eic) else say("EIC")
        return say("{eic} grows with N because {change}", eic=eic, change=change)
    elsewhere = math.isinf(node.local_eic)
    return say(
        "{change}, so that {loss}, now {digits}, grows with N",
        change=change,
        loss=say("its local EIC at the other samples") if elsewhere else say("its local EIC"),
        digits=wording.mean_phrase(node.local_eic_finite),
    )


def _sign_change(inspection: Inspection, node_id: int) -> Phrase:
    change = inspection.sign_changes.at(node_id)
    place = code_text(inspection.formula, node_id, TEXT_LIMIT)
    return say("{place} {passes}", place=place, passes=_passes(change.zero, change.pole))


def _passes(zero: bool, pole: bool) -> Phrase:
    """What a node does inside the domain, as a verb."""
    if zero:
        return say("crosses zero and has a pole") if pole else say("crosses zero")
    return say("has a pole") if pole else say("changes its sign")


def growth(
    pace: GrowthPace, counts: Sequence[int], local_eic: Sequence[float], per_decade: float
) -> Phrase:
    grown = say(
        "{start} digits on {few} of the rows on average, {end} on all {all}",
        start=wording.digits_lost(local_eic[0]),
        end=wording.digits_lost(local_eic[-1]),
        few=counts[0],
        all=counts[-1],
    )
    return {
        GrowthPace.GROWS: say(
            "The local EIC grows with the data: {grown}: that is {more} more for every ten times "
            "as many.",
            grown=grown,
            more=wording.number(per_decade, 1),
        ),
        GrowthPace.HARDLY: say(
            "On these rows the local EIC has hardly grown yet: {grown}.", grown=grown
        ),
        GrowthPace.STILL: say(
            "The local EIC does not grow with the data here: {grown}.", grown=grown
        ),
    }[pace]


def no_interval(fact: facts.NoInterval) -> Phrase:
    """The reason why no interval can be given, as a clause."""
    match fact:
        case facts.Unbounded(passage):
            return say(
                "a part of the formula {passage} inside the domain, so that the amplified noise "
                "has no finite mean",
                passage=_passes(
                    passage in (Passage.ZERO, Passage.BOTH), passage in (Passage.POLE, Passage.BOTH)
                ),
            )
        case facts.RowsLeftOut(samples):
            return say_count(
                "{count} sample is left out that double precision cannot tell",
                "{count} samples are left out that double precision cannot tell",
                samples,
            )
        case facts.FewSamples():
            return say(
                "with fewer than {least} finite samples the tail cannot be judged",
                least=MIN_SAMPLES_FOR_HILL,
            )
        case facts.HeavyTail(index):
            return say(
                "the tail of the amplified noise is too heavy (its index is about {index}; an "
                "interval needs more than {least})",
                index=wording.number(index, 1),
                least=wording.number(facts.FINITE_VARIANCE, 0),
            )


def interval(
    low_end: float, high_end: float, at: float, obstacle: facts.NoInterval | None
) -> Phrase:
    if obstacle is not None:
        return say("No interval can be given: {reason}.", reason=no_interval(obstacle))
    low, high = wording.number(low_end), wording.number(high_end)
    return say(
        "On other samples of this kind expect {digits} digits here ({level} bootstrap interval).",
        digits=low if low == high else say("{low} to {high}", low=low, high=high),
        level=wording.level_percent(at),
    )


def settled(
    inspection: Inspection, state: Settled, node_id: int, samples: int
) -> tuple[Phrase, Phrase | None]:
    """Whether the mean is settled, and what more there is to that."""
    place = code_text(inspection.formula, node_id, SHORT_LIMIT)
    return {
        Settled.YES: (say("yes"), None),
        Settled.NO: (say("no"), None),
        Settled.NOT_AT: (say("not at {place}", place=place), None),
        Settled.NO_DIGIT: (say("no"), say("no sample keeps a digit at {place}", place=place)),
        Settled.INFINITE_AT: (
            say("no"),
            say_count(
                "infinite at {place} for {count} sample",
                "infinite at {place} for {count} samples",
                samples,
                place=place,
            ),
        ),
        Settled.INFINITE: (
            say("no"),
            say_count("infinite for {count} sample", "infinite for {count} samples", samples),
        ),
        Settled.LEFT_OUT: (
            say("not known"),
            say_count("{count} sample left out", "{count} samples left out", samples),
        ),
        Settled.FEW_SAMPLES: (say("too few samples to tell"), None),
    }[state]
