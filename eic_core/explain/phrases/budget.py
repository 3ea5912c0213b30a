"""The English of the digit budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eic_core import wording
from eic_core.explain.phrases import input_name
from eic_core.explain.shortening import MOST_DIGITS, Measure, Need, OutputScale
from eic_core.phrasing import Field, Phrase, listed, say, say_count

LISTED = 6
"""Inputs named in a sentence, at most."""

MANY = 6
"""A constant that needs as many digits deserves a word."""


def scale_name(scale: OutputScale) -> Phrase:
    """What the tolerance is relative to."""
    of_target = scale.of == "target"
    return {
        Measure.LARGEST_ON_THE_WAY: say("the largest value on the way"),
        Measure.SPREAD: say("the spread of the target") if of_target else say("its spread"),
        Measure.SIZE: say("the size of the target") if of_target else say("its size"),
    }[scale.measure]


def share_text(share: float) -> str:
    """A part of 1 in per cent, or as a power of ten where that is too small.

    >>> share_text(1e-2), share_text(3.21e-4), share_text(1e-6), share_text(0.0)
    ('1 %', '0.032 %', '10⁻⁶', '0')
    """
    return wording.percent(share) if share >= 1e-4 else wording.significant(share)


def sentences(
    needs: Sequence[Need],
    scale: OutputScale,
    tolerance: float,
    deviation: float,
    rows: int,
) -> Iterator[Phrase]:
    if not needs:
        yield say("There is nothing to shorten: no decimal constant and no input.")
        return
    within: dict[str, Field] = {
        "tolerance": share_text(tolerance),
        "scale": scale_name(scale),
        "moved": share_text(deviation),
    }
    if not deviation <= tolerance:
        yield say_count(
            "No number of digits up to {most} keeps the output within {tolerance} of {scale}: run "
            "with so many on {count} sample, it moves by {moved} of {scale} (rms).",
            "No number of digits up to {most} keeps the output within {tolerance} of {scale}: run "
            "with so many on {count} samples, it moves by {moved} of {scale} (rms).",
            rows,
            most=MOST_DIGITS,
            **within,
        )
        return
    constants = [need for need in needs if need.kind == "constant"]
    inputs = [need for need in needs if need.kind == "input"]
    if constants:
        yield _about_constants(constants, within)
        most = max(constants, key=lambda need: need.together)
        if most.together >= MANY:
            yield _about_long_constant(most)
    if inputs and constants:
        yield say("Of the inputs it takes {digits}.", digits=_digits_of(inputs))
    elif inputs:
        yield say(
            "To keep the output within {tolerance} of {scale} it takes {digits}.",
            digits=_digits_of(inputs),
            **within,
        )
    moves = (
        say("moves by {moved} of {scale} (rms)", **within) if deviation else say("does not move")
    )
    yield say_count(
        "All rounded together and run on {count} sample, the output {moves}.",
        "All rounded together and run on {count} samples, the output {moves}.",
        rows,
        moves=moves,
    )


def _about_constants(needs: Sequence[Need], within: dict[str, Field]) -> Phrase:
    before, after = sum(need.given for need in needs), sum(need.together for need in needs)
    if after < before:
        return say_count(
            "{count} of the {before} digits of its constants keeps the output within {tolerance} "
            "of {scale}.",
            "{count} of the {before} digits of its constants keep the output within {tolerance} "
            "of {scale}.",
            after,
            before=before,
            **within,
        )
    if any(need.alone < need.given for need in needs):
        return say(
            "With the other numbers rounded, too, no constant is shortened: the output is to stay "
            "within {tolerance} of {scale}.",
            **within,
        )
    return say(
        "No constant can be shortened if the output is to stay within {tolerance} of {scale}.",
        **within,
    )


def _about_long_constant(need: Need) -> Phrase:
    if need.together == need.given:
        return say(
            "`{name}` needs {digits}: the output hangs on its last digits.",
            name=need.name,
            digits=need.together,
        )
    return say(
        "`{name}` needs {digits} of its {given}.",
        name=need.name,
        digits=need.together,
        given=need.given,
    )


def _digits_of(needs: Sequence[Need]) -> Phrase:
    first, *others = needs[:LISTED]
    parts = [
        say_count(
            "{count} digit of {name}",
            "{count} digits of {name}",
            first.together,
            name=input_name(first.name),
        )
    ]
    parts += [
        say("{digits} of {name}", digits=need.together, name=input_name(need.name))
        for need in others
    ]
    if rest := needs[LISTED:]:
        most = max(need.together for need in rest)
        parts.append(say("at most {digits} of {inputs} more", digits=most, inputs=len(rest)))
    return listed(parts)
