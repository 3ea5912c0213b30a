"""Whose noise it is, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from eic_core import wording
from eic_core.explain.facts import NoiseGroup, NoiseSource, StepPart
from eic_core.explain.phrases import TEXT_LIMIT, code_text, noise_source
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS
from eic_core.phrasing import Field, Phrase, listed, one_after_another, say, say_count


def nothing_to_split(formula: Formula, target: int, singular: bool) -> Phrase:
    """Why there is no ledger; at a `singular` target nothing is finite."""
    if not singular:
        return say("No sample has a usable value at every node, so there is nothing to split.")
    return say(
        "At every valid sample the amplification of {step} is infinite: there is nothing finite "
        "to split.",
        step=code_text(formula, target),
    )


def own_error(formula: Formula, leaf: int) -> Phrase:
    return say(
        "The only noise of {name} is its own error, and nothing has amplified it yet.",
        name=code_text(formula, leaf),
    )


def left_out(formula: Formula, target: int, rows: int) -> Phrase:
    return say_count(
        "{count} sample at which the amplification of {target} is infinite is not in the ledger.",
        "{count} samples at which the amplification of {target} is infinite are not in the ledger.",
        rows,
        target=_name(formula, target),
    )


def largest_group(formula: Formula, target: int, group: NoiseGroup) -> Phrase:
    share = wording.capital(wording.percent(group.share))
    return say(
        "{share} of the noise of {target} comes from {sources}, {amplified}.",
        share=say("All") if group.is_all else share,
        target=_name(formula, target),
        sources=_sources(formula, target, group),
        amplified=_amplified(formula, group),
    )


def further_group(formula: Formula, target: int, group: NoiseGroup) -> Phrase:
    return say(
        "Besides, {share} comes from {sources}, {amplified}.",
        share=wording.percent(group.share),
        sources=_sources(formula, target, group),
        amplified=_amplified(formula, group),
    )


def _amplified(formula: Formula, group: NoiseGroup) -> Phrase:
    if group.amplifier is None:
        return say("hardly amplified")
    gain = wording.times(group.gain_high)
    if group.nodes == 1:
        gained = say("amplified {gain}", gain=gain)
    elif group.is_alike:
        gained = say("each amplified {gain}", gain=gain)
    else:
        low = wording.significant(group.gain_low)
        gained = say("amplified {low} to {gain}", low=low, gain=gain)
    told: dict[str, Field] = {
        "gained": gained,
        "noun": OPERATORS[formula.nodes[group.amplifier].operator].words.noun,
        "step": code_text(formula, group.amplifier),
    }
    return {
        StepPart.ALL: say("{gained} at the {noun} {step}", **told),
        StepPart.MOST: say("{gained}, mostly at the {noun} {step}", **told),
        StepPart.LARGEST: say("{gained} on the way, most at the {noun} {step}", **told),
    }[group.part]


def _sources(formula: Formula, target: int, group: NoiseGroup) -> Phrase:
    return listed_up_to([_source(formula, target, each) for each in group.sources], group.more)


def listed_up_to(parts: Iterable[Phrase | str], more: int) -> Phrase:
    """Parts of a sentence, and how many more there are.

    >>> print(listed_up_to(["`a`", "`b`"], 3))
    `a`, `b` and 3 more
    """
    return listed([*parts, say("{count} more", count=more)] if more else parts)


def _source(formula: Formula, target: int, source: NoiseSource) -> Phrase:
    node = formula.nodes[source.node_id]
    if source.node_id == target:
        noise = say("the rounding of {target} itself", target=_name(formula, target))
    else:
        text = short_text(formula, source.node_id, TEXT_LIMIT)
        noise = say("the {noise}", noise=noise_source(node, text))
    places = source.places
    if source.within is not None:
        noise = say("{noise} in {step}", noise=noise, step=code_text(formula, source.within))
    elif places < source.everywhere:
        return say(
            "{noise} (in {places} of {everywhere} places)",
            noise=noise,
            places=places,
            everywhere=source.everywhere,
        )
    return noise if places == 1 else say("{noise} (in {places} places)", noise=noise, places=places)


def _name(formula: Formula, target: int) -> Phrase | str:
    return say("the result") if target == len(formula) - 1 else code_text(formula, target)


def masked(
    formula: Formula, target: int, step: int, digits: float, share: float, inherited: float
) -> Phrase:
    """How much errors grow at a step, and the small share of the target's noise that is its own.

    `inherited` is what comes through it from below; 0 if it is not worth a word.
    """
    sentence = say(
        "Masked: errors grow by {digits} at {step}, but {share} of the noise of {target} arises "
        "there.",
        digits=wording.mean_phrase(digits),
        step=code_text(formula, step),
        share=wording.percent(share),
        target=_name(formula, target),
    )
    if not inherited:
        return sentence
    passing = say(
        "From below {share} comes through it, damped above it.",
        share=wording.percent(inherited),
    )
    return one_after_another([sentence, passing])


def more_nodes(count: int) -> Phrase:
    return say_count("{count} more node", "{count} more nodes", count)
