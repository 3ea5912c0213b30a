"""Repairs in words.  Numbers are rounded here and nowhere before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from eic_core.explain import words

SMALL = 1.0
"""Digits that any formula of a few operations loses: nothing to mend."""

NEAR = 0.3
"""Digits within which a formula counts as being as good as the function allows."""


class Saved(NamedTuple):
    """Digits lost before and after.

    Attributes
    ----------
    q, eic, double : tuple of float
        At the root with shared noise, at the worst node, and observed in double precision.
    """

    q: tuple[float, float]
    eic: tuple[float, float]
    double: tuple[float, float]


def repair_sentence(text: str, rules: Sequence[str], saved: Saved) -> str:
    """What to write instead, and what it saves.

    Examples
    --------
    >>> repair_sentence("x", ["merging like terms"], Saved((4.39, 0), (4.39, 0), (4, 0)))
    'Write `x` (merging like terms): the result loses no digit instead of 4.4.'
    >>> print(repair_sentence("x", ["inverse functions"], Saved((0.1, 0), (3, 0), (math.inf, 0))))
    Write `x` (inverse functions): the worst step loses no digit instead of 3.0,
    and no value leaves the range of double precision.
    """
    by = ", then ".join(dict.fromkeys(rules))
    at_root, inside = saved.q[0] - saved.q[1], saved.eic[0] - saved.eic[1]
    effects = []
    if at_root >= max(0.1, inside - 0.5):
        effects.append(f"the result loses {words.lost(saved.q[1])} instead of {saved.q[0]:.1f}")
    elif inside >= 0.05:
        effects.append(
            f"the worst step loses {words.lost(saved.eic[1])} instead of {saved.eic[0]:.1f}"
        )
    if math.isinf(saved.double[0]) and math.isfinite(saved.double[1]):
        effects.append("no value leaves the range of double precision")
    elif not effects:
        effects.append(
            "with exact inputs double precision loses "
            f"{words.lost(saved.double[1])} instead of {saved.double[0]:.1f}"
        )
    return f"Write `{text}` ({by}): {', and '.join(effects)}."


def nothing_better(q: float, eic: float, own: float, finished: bool) -> str:
    """Why there is no repair.

    Parameters
    ----------
    q, eic, own : float
        Digits lost at the root and at the worst node, and by the function itself.
    finished : bool
        False if the time limit ended the search.

    Examples
    --------
    >>> nothing_better(3.1, 3.1, 0.2, False)
    'Nothing better found before the time limit.'
    >>> nothing_better(3.1, 3.1, 3.0, True)
    'Nothing better found: the result itself is that sensitive to the inputs.'
    >>> nothing_better(0.4, 0.5, 0.2, True)
    'Nothing better found: the result loses only 0.4 digits.'
    >>> nothing_better(0.0, 0.0, 0.0, True)
    'Nothing better found: the result loses no digit.'
    >>> print(nothing_better(0.2, 4.9, 0.2, True))
    Nothing better found: the result loses only 0.2 digits, and no exact rewriting with these
    operators spares the step inside that loses 4.9.
    """
    if math.isnan(q):
        return "Nothing better found: the formula has no finite amplification on these samples."
    if not finished:
        return "Nothing better found before the time limit."
    found = "Nothing better found"
    inside = (
        ", and no exact rewriting with these operators spares the step inside that loses "
        f"{eic:.1f}"
        if eic > q + 1
        else ""
    )
    if q <= SMALL:
        return f"{found}: the result loses {_little(q)}{inside}."
    if q <= own + NEAR:
        return f"{found}: the result itself is that sensitive to the inputs{inside}."
    return (
        f"{found}: {q - own:.1f} of {q:.1f} digits are lost to the writing, but "
        "no exact rewriting with these operators saves them."
    )


def cut_short(evaluated: int, found: bool) -> str:
    """What a search that met its time limit leaves open.

    Parameters
    ----------
    evaluated : int
        Forms that it has looked at.
    found : bool
        Whether a better one was among them.

    Examples
    --------
    >>> cut_short(1, False)
    'The search was cut short by its time limit after 1 form: there may be a better one.'
    >>> cut_short(9, True)
    'The search was cut short by its time limit after 9 forms: there may be a still better one.'
    """
    forms = f"{evaluated:,} form{'' if evaluated == 1 else 's'}"
    better = "a still better one" if found else "a better one"
    return f"The search was cut short by its time limit after {forms}: there may be {better}."


def _little(q: float) -> str:
    return f"only {q:.1f} digits" if q >= 0.05 else words.lost(q)


def what_helps(q: float, eic: float, own: float) -> str:
    """What to do where no other form is better; the arguments are those of `nothing_better`.

    Examples
    --------
    >>> what_helps(0.4, 0.5, 0.2)
    'Nothing needs to be done.'
    >>> print(what_helps(0.2, 4.9, 0.2))
    The result does not feel that step: it needs a higher precision only where its value
    is used on its own.
    >>> print(what_helps(3.1, 3.1, 3.0))
    What helps instead: inputs known more exactly, samples away from where the result crosses 0
    or turns steep, or asking for a quantity that is less sensitive; a higher precision helps
    only as far as the inputs are known.
    >>> print(what_helps(4.9, 4.9, 0.2))
    What helps instead: a higher precision for this part (of its digits 4.9 are spent here), or
    another way to compute the same quantity, such as a series or a library function.
    """
    if math.isnan(q):
        return "What helps: samples at which the formula has a finite value other than 0."
    if q <= SMALL:
        if eic <= q + 1:
            return "Nothing needs to be done."
        return (
            "The result does not feel that step: it needs a higher precision only where its value "
            "is used on its own."
        )
    if q <= own + NEAR:
        return (
            "What helps instead: inputs known more exactly, samples away from where the result "
            "crosses 0 or turns steep, or asking for a quantity that is less sensitive; a higher "
            "precision helps only as far as the inputs are known."
        )
    return (
        f"What helps instead: a higher precision for this part (of its digits {q:.1f} are spent "
        "here), or another way to compute the same quantity, such as a series or a library "
        "function."
    )
