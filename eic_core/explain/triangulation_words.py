"""One sentence over all nodes: do the ways of measuring agree?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from eic_core.explain.comparing import OK, UNCLEAR, Agreement

_WAYS = "the recursion, shaking every step, and real arithmetic"


def sentence(
    agreements: Sequence[Agreement], recursion: Sequence[float], texts: Sequence[str]
) -> str:
    """Where the ways agree, and why not elsewhere.

    Parameters
    ----------
    agreements : sequence of Agreement
        One a node; empty if no sample has a value.
    recursion : sequence of float
        Local EIC of the nodes; the reason of the largest that does not agree is given.
    texts : sequence of str
        The nodes in backticks.

    Examples
    --------
    >>> fine, apart = Agreement(OK, ()), Agreement("explained", ("…",), "in single precision …")
    >>> sentence([fine, fine], [0.0, 0.2], ["`x`", "`2·x`"])
    'At both nodes the recursion, shaking every step, and real arithmetic agree.'
    >>> sentence([fine, apart], [0.0, 7.7], ["`x`", "`x − y`"]).partition("; ")[2]
    'at `x − y` they do not, because in single precision ….'
    """
    count = len(agreements)
    if not count:
        return "No sample has a real value at every node, so there is nothing to compare."
    apart = [k for k, agreement in enumerate(agreements) if agreement.badge != OK]
    if not apart:
        where = {1: "At the only node", 2: "At both nodes"}.get(count, f"At all {count} nodes")
        return f"{where} {_WAYS} agree."
    agree = count - len(apart)
    if agree:
        lead = f"At {agree} of {count} nodes {_WAYS} agree; "
        lead += "at " if len(apart) == 1 else f"at {len(apart)} they do not, for instance at "
    else:
        lead = f"{_WAYS[0].upper()}{_WAYS[1:]} do not all agree at "
    worst = max(apart, key=lambda k: (agreements[k].badge == UNCLEAR, _rank(recursion[k]), -k))
    they = " they do not" if agree and len(apart) == 1 else ""
    return f"{lead}{texts[worst]}{they}, {_why(agreements[worst])}."


def _why(agreement: Agreement) -> str:
    if agreement.badge == UNCLEAR:
        return f"and no reason was found: {agreement.because}"
    return f"because {agreement.because}"


def _rank(value: float) -> float:
    return -math.inf if math.isnan(value) else value
