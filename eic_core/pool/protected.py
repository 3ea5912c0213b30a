"""gplearn's protected functions in a list: the note on them, and the list with them written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eic_core.formula.syntax.phrases import protected_functions_of_list
from eic_core.formula.syntax.protected import written_out
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.importers.listed import Listed
from eic_core.pool.listing import ListedScore


def protected_note(scores: Sequence[ListedScore]) -> str:
    """What gplearn computes otherwise in the formulas of a list; "" where nothing is.

    >>> from eic_core.pool.candidate import Score
    >>> protected_note([ListedScore(Listed(1, "sqrt(X0)"), Score(2), protected=("sqrt",))])
    'gplearn protects some functions of 1 formula: there `sqrt(x)` is sqrt(abs(x)); here the plain functions are measured.'
    """  # noqa: E501
    groups = [scored.protected for scored in scores if scored.protected]
    if not groups:
        return ""
    return str(protected_functions_of_list({n for names in groups for n in names}, len(groups)))


def write_out(rows: Sequence[Listed]) -> tuple[Listed, ...]:
    """The rows with gplearn's protected functions as conditions, unless that is too long.

    >>> [row.formula for row in write_out([Listed(1, "sqrt(sub(X0, X1))"), Listed(2, "x")])]
    ['sqrt(abs(sub(X0, X1)))', 'x']
    """
    return tuple(map(_written_out, rows))


def _written_out(row: Listed) -> Listed:
    if row.error or row.syntax not in ("", "gplearn"):
        return row
    reading = read_candidate(row.candidate(), ())
    if isinstance(reading, Refused) or not reading.protected:
        return row
    written = written_out(reading.formula.source, reading.formula)
    return replace(row, formula=written, syntax="gplearn") if written else row
