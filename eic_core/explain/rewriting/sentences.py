"""Repairs in words.  Numbers are rounded here and nowhere before."""

from __future__ import annotations

import math
from collections.abc import Sequence

NEAR = 0.3
"""Digits within which a formula counts as being as good as the function allows."""


def repair_sentence(
    text: str,
    q_before: float,
    q_after: float,
    eic_before: float,
    eic_after: float,
    rules: Sequence[str],
) -> str:
    """What to write instead, and what it saves.

    Examples
    --------
    >>> repair_sentence("x", 4.39, 0.0, 4.39, 0.0, ["merging like terms"])
    'Write `x` (merging like terms): the result loses 0.0 digits instead of 4.4.'
    >>> repair_sentence("x", 0.1, 0.0, 3.0, 0.0, ["inverse functions"])
    'Write `x` (inverse functions): no step loses more than 0.0 digits instead of 3.0.'
    """
    by = ", then ".join(dict.fromkeys(rules))
    if q_before - q_after >= 0.05:
        saved = f"the result loses {q_after:.1f} digits instead of {q_before:.1f}"
    elif eic_before - eic_after >= 0.05:
        saved = f"no step loses more than {eic_after:.1f} digits instead of {eic_before:.1f}"
    else:
        saved = "its values stay within floating-point range"
    return f"Write `{text}` ({by}): {saved}."


def nothing_better(q: float, own: float, finished: bool) -> str:
    """Why there is no repair.

    Examples
    --------
    >>> nothing_better(3.1, 3.0, True)
    'Nothing better found: the result itself is that sensitive to the inputs (3.0 of 3.1 digits).'
    >>> nothing_better(0.4, 0.2, True)
    'Nothing better found: this form loses only 0.4 digits.'
    """
    if math.isnan(q):
        return "Nothing better found: the formula has no finite amplification on these samples."
    if q <= max(0.5, NEAR):
        return f"Nothing better found: this form loses only {q:.1f} digits."
    if q <= own + NEAR:
        return (
            "Nothing better found: the result itself is that sensitive to the inputs "
            f"({own:.1f} of {q:.1f} digits)."
        )
    tail = "" if finished else " before the time limit"
    return (
        f"Nothing better found{tail}: {q - own:.1f} of {q:.1f} digits are lost to the writing, but "
        "no exact rewriting with these operators saves them."
    )
