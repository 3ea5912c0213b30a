"""The tolerance of the digit budget, as it is typed and as it is shown."""

from __future__ import annotations

import math

from eic_core.errors import UserError
from pages.ui.text import clean

PRESETS = {"1 %": 1e-2, "0.1 %": 1e-3, "10⁻⁶": 1e-6}
"""Tolerances to choose from; others may be typed."""


def read_tolerance(text: str) -> float:
    """A tolerance as typed.

    Raises
    ------
    UserError
        If it is no number from 0 to 1.

    Examples
    --------
    >>> read_tolerance("0.1 %"), read_tolerance("5e-4"), read_tolerance("10⁻⁶")
    (0.001, 0.0005, 1e-06)
    """
    if text in PRESETS:
        return PRESETS[text]
    bare = text.strip()
    try:
        value = float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise UserError(
            f"`{clean(text, 40)}` is no tolerance",
            hint="give a number above 0 and at most 1, such as 5e-4, or per cent, such as 2 %",
        )
    return value


def tolerance_text(value: float) -> str:
    """A tolerance as `read_tolerance` reads it, in per cent where that is short.

    Examples
    --------
    >>> tolerance_text(1e-3), tolerance_text(5e-4), tolerance_text(1e-6), tolerance_text(3e-9)
    ('0.1 %', '0.05 %', '10⁻⁶', '3e-09')
    """
    for text, preset in PRESETS.items():
        if preset == value:
            return text
    percent = f"{100 * value:.12g} %"
    return percent if value >= 1e-6 and read_tolerance(percent) == value else repr(value)
