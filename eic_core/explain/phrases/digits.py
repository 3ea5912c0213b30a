"""What the digits of a row show, and what a gauge of digits, in words."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.measure.measured import Quantiles
from eic_core.phrasing import Phrase, say, say_count


def type_name(kind: str) -> Phrase:
    """A floating-point type as readers call it."""
    return say("double precision") if kind == "float64" else say("single precision (float32)")


def worst_sentence(wrong: int | None, digits: int, kind: str, compared: int) -> Phrase:
    """What the row of the greatest loss shows: its wrong digits; None if no row is compared.

    >>> print(worst_sentence(0, 17, "float64", 200))
    No digit turns red: double precision is right within a digit at all 200 rows compared.
    """
    if wrong is None:
        return say("No row has an exact value that {kind} could hold.", kind=type_name(kind))
    if wrong:
        return row_sentence(wrong, digits)
    return say_count(
        "No digit turns red: {kind} is right within a digit at the row compared.",
        "No digit turns red: {kind} is right within a digit at all {count} rows compared.",
        compared,
        kind=type_name(kind),
    )


def row_sentence(wrong: int, digits: int) -> Phrase:
    """How many digits of a row are wrong.

    >>> print(row_sentence(0, 17), row_sentence(6, 17), row_sentence(17, 17), sep="\\n")
    At this row no digit is wrong.
    At this row the last 6 of 17 digits are wrong.
    At this row no digit is right.
    """
    if not wrong:
        return say("At this row no digit is wrong.")
    if wrong >= digits:
        return say("At this row no digit is right.")
    return say_count(
        "At this row the last of {of} digits is wrong.",
        "At this row the last {count} of {of} digits are wrong.",
        wrong,
        of=digits,
    )


def gauge_words(name: str, digits: Quantiles | None) -> Phrase:
    """All that a gauge shows; None while it is not known.

    >>> print(gauge_words("Sensitivity", Quantiles(2.61, 3.5, 4.1, 3.4, 3.6)))
    Sensitivity: 2.6 digits typically, 3.5 at nine in ten rows, 4.1 at the worst
    >>> print(gauge_words("Writing", None))
    Writing: not computed yet
    """
    if digits is None:
        return say("{name}: not computed yet", name=name)
    if math.isnan(digits.nine_in_ten):
        return say("{name}: no value to compare", name=name)
    return say(
        "{name}: {typical} digits typically, {often} at nine in ten rows, {worst} at the worst",
        name=name,
        typical=_amount(digits.typical),
        often=_amount(digits.nine_in_ten),
        worst=_amount(digits.worst),
    )


def _amount(value: float) -> str:
    return str(say("all")) if math.isinf(value) else wording.number(value, 1)
