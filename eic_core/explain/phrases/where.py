"""The rows that noise comes from, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from eic_core import wording
from eic_core.explain.facts import Concentrated, Concentration, InputRange, LossPlace, RangeKind
from eic_core.explain.phrases import code_text, input_name
from eic_core.explain.phrases.ledger import listed_up_to
from eic_core.formula.tree import Formula
from eic_core.phrasing import Field, Phrase, listed, say, say_count

LISTED = 5
"""Row numbers named in a sentence, at most."""

MOST_INPUTS = 3
"""Inputs named in a sentence, at most."""


def no_finite_row(formula: Formula, node_id: int, singular: bool) -> Phrase:
    if not singular:
        return say("No sample has a usable value at every node.")
    return say(
        "At every valid sample the amplification of {step} is infinite.",
        step=code_text(formula, node_id),
    )


def infinite_rows(formula: Formula, node_id: int, rows: Sequence[int]) -> Phrase:
    return say_count(
        "The amplification of {step} is infinite at {count} sample ({rows}); the shares are those "
        "of the others.",
        "The amplification of {step} is infinite at {count} samples ({rows}); the shares are those "
        "of the others.",
        len(rows),
        step=code_text(formula, node_id),
        rows=_numbered(rows),
    )


def concentration_sentence(formula: Formula, node_id: int, found: Concentration) -> Phrase:
    told: dict[str, Field] = {
        "step": code_text(formula, node_id),
        "data": _data(found),
        "all": _all_rows(found),
        "numbers": _numbered(found.rows) if found.rows else "",
    }
    few = say(
        "{count} of {all} give {share} of the amplified noise at {step}",
        count=len(found.rows),
        share=wording.level_percent(found.share),
        **told,
    )
    return {
        Concentrated.ALONE: say("Only one row has a finite amplification at {step}.", **told),
        Concentrated.EVENLY: say(
            "All over {data}: each of {rows} gives the same share of the amplified noise at "
            "{step}.",
            rows=say("them") if found.in_branch and not found.leaves_out else told["all"],
            **told,
        ),
        Concentrated.NOWHERE: say(
            "All over {data}: no small part of the rows carries the amplified noise at {step}.",
            **told,
        ),
        Concentrated.ONE_ROW: say(
            "One of {all}, {numbers}, gives {share} of the amplified noise at {step}.",
            share=wording.percent(found.share),
            **told,
        ),
        Concentrated.FEW_ROWS: say("{few} ({numbers}).", few=few, **told)
        if len(found.rows) <= LISTED
        else say("{few}.", few=few),
    }[found.kind]


def _data(found: Concentration) -> Phrase:
    if not found.in_branch:
        return say("the data")
    return say_count(
        "the {count} row that takes its branch",
        "the {count} rows that take its branch",
        found.in_branch,
    )


def _all_rows(found: Concentration) -> Phrase:
    if found.leaves_out:
        return say_count(
            "{count} row with a finite amplification",
            "{count} rows with a finite amplification",
            found.of,
        )
    return say_count("{count} row", "{count} rows", found.of)


def _numbered(rows: Sequence[int]) -> Phrase:
    numbers = [f"{row:,}" for row in rows[:LISTED]]
    return say_count(
        "row {rows}", "rows {rows}", len(rows), rows=listed_up_to(numbers, len(rows[LISTED:]))
    )


def place_sentence(formula: Formula, place: LossPlace) -> Phrase:
    """What rows have in common: all that were looked at, or a part of them with its share."""
    what = _in_common(formula, place)
    if place.described == 1:
        return say("At the worst row {what}.", what=what)
    if place.rows == place.described:
        return say("There {what}.", what=what)
    return say_count(
        "{count} row gives {share} of the noise; there {what}.",
        "{count} rows give {share} of the noise; there {what}.",
        place.rows,
        share=wording.percent(place.share),
        what=what,
    )


def _in_common(formula: Formula, place: LossPlace) -> Phrase:
    ranges = [_range(interval) for interval in place.inputs[:MOST_INPUTS]]
    if place.node_id is None:
        return listed(ranges)
    zero = _nearly_zero(code_text(formula, place.node_id), place)
    return say("{zero}: {ranges}", zero=zero, ranges=listed(ranges)) if ranges else zero


def _nearly_zero(step: str, place: LossPlace) -> Phrase:
    low = wording.significant(place.low)
    if place.described == 1:
        if place.crosses:
            return say("{step}, which crosses zero on the data, is {low}", step=step, low=low)
        return say("{step} is {low}", step=step, low=low)
    high = wording.significant(place.high)
    values = low if place.is_point else say("from {low} to {high}", low=low, high=high)
    if place.changes_sign:
        return say("{step} crosses zero ({values})", step=step, values=values)
    return say("{step} is nearly zero ({values})", step=step, values=values)


def _range(interval: InputRange) -> Phrase:
    name = input_name(interval.name)
    value = wording.significant(interval.middle, interval.digits)
    low, high = map(wording.significant, (interval.low, interval.high))
    return {
        RangeKind.VALUE: say("{name} is {value}", name=name, value=value),
        RangeKind.NEAR: say("{name} is near {value}", name=name, value=value),
        RangeKind.BETWEEN: say("{name} is between {low} and {high}", name=name, low=low, high=high),
    }[interval.kind]
