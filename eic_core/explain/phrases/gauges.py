"""A gauge of digits in words."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.measure.measured import Quantiles
from eic_core.phrasing import Phrase, say


def gauge_words(name: str, digits: Quantiles | None) -> Phrase:
    """All that a gauge shows; None while it is not known.

    >>> print(gauge_words("Sensitivity", Quantiles(2.61, 3.5, 4.1, 3.4, 3.6)))
    Sensitivity: 2.6 digits typically, 3.5 at one row in ten, 4.1 at worst
    >>> print(gauge_words("Writing", None))
    Writing: not computed yet
    """
    if digits is None:
        return say("{name}: not computed yet", name=name)
    if math.isnan(digits.nine_in_ten):
        return say("{name}: no value to compare", name=name)
    return say(
        "{name}: {typical} digits typically, {often} at one row in ten, {worst} at worst",
        name=name,
        typical=_amount(digits.typical),
        often=_amount(digits.nine_in_ten),
        worst=_amount(digits.worst),
    )


def _amount(value: float) -> str:
    return str(say("all")) if math.isinf(value) else wording.number(value, 1)
