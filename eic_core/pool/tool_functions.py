"""Tools' protected functions in a list: the note on them, and the list with the plain functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eic_core.formula.syntax.phrases import protected_functions_of_list
from eic_core.formula.syntax.protected import PLAIN
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.importers.listed import Listed
from eic_core.pool.listing import ListedScore


def protected_note(scores: Sequence[ListedScore]) -> str:
    """Which functions of a list are read as its tool computes them; "" where none is.

    >>> from eic_core.pool.candidate import Score
    >>> protected_note([ListedScore(Listed(1, "sqrt(X0)"), Score(2), protected=("sqrt",))])
    '1 formula is read as gplearn computes: `sqrt(x)` is sqrt(abs(x)).'
    """
    groups = [scored.protected for scored in scores if scored.protected]
    if not groups:
        return ""
    return str(protected_functions_of_list({n for names in groups for n in names}, len(groups)))


def with_plain_functions(rows: Sequence[Listed]) -> tuple[Listed, ...]:
    """The rows, their protected functions read as the plain ones.

    >>> [row.syntax for row in with_plain_functions([Listed(1, "inv(X0)"), Listed(2, "x")])]
    ['gplearn_plain', '']
    """
    return tuple(map(_with_plain_functions, rows))


def _with_plain_functions(row: Listed) -> Listed:
    if row.error:
        return row
    reading = read_candidate(row.candidate(), ())
    if isinstance(reading, Refused) or not reading.protected:
        return row
    return replace(row, syntax=PLAIN[reading.syntax])
