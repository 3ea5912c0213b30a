"""The rows of a list without a place in its ranking, each with the reason that `inspect` gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eic_core import wording
from eic_core.errors import UserError
from eic_core.exports import Plain
from eic_core.pool import phrases
from eic_core.pool.candidate import LeftOutKind, Score

BEGINNING = 80
"""Characters of a formula that are shown."""

MOST_ROWS, MOST_REASONS = 5, 12
"""Rows of one reason, and reasons, that are printed."""


@dataclass(frozen=True)
class LeftOutRow(Plain):
    """One row without a place in the ranking.

    >>> score = Score(error="unknown function `lg` (column 3)", left_out=LeftOutKind.UNREAD)
    >>> LeftOutRow.of(7, "1+lg(x)", score).to_json()
    {'row': 7, 'formula': '1+lg(x)', 'reason': 'unknown function `lg` (column 3)', 'kind': 'unread'}
    """

    row: int  # Its number in the list, from 1
    formula: str  # The beginning of its text
    reason: str  # As `inspect` says it of the same text on the same data, the place included
    kind: LeftOutKind
    cause: str  # The reason without the place: rows are grouped by it
    place: str  # What the cause leaves out, in few words; "" for nothing

    _JSON = ("row", "formula", "reason", "kind")

    @classmethod
    def of(cls, row: int, formula: str, score: Score) -> LeftOutRow:
        """A row whose score has a `Score.left_out`."""
        assert score.left_out is not None
        text = wording.shorten(" ".join(formula.split()), BEGINNING)
        missing = score.no_value
        if score.left_out is LeftOutKind.NO_VALUE and missing is not None:
            where = str(phrases.rows_without_value(missing))
            return cls(row, text, str(missing.sentence), score.left_out, str(missing.cause), where)
        reason = score.error or str(phrases.no_r2(score.left_out))
        place = "" if score.column is None else str(phrases.at_column(score.column))
        return cls(row, text, reason, score.left_out, score.reason or reason, place)


def reason_of(score: Score) -> str:
    """Why a score lacks something, or what its R^2 is of; "" where all is there."""
    if score.left_out is not None:
        return LeftOutRow.of(0, "", score).reason
    return "" if score.no_value is None else str(score.no_value.sentence)


def left_out(rows: Iterable[tuple[int, str, Score]]) -> tuple[LeftOutRow, ...]:
    """Those of numbered formulas that have no R^2, or no score at all, in their order."""
    return tuple(LeftOutRow.of(*row) for row in rows if row[2].left_out is not None)


def by_cause(rows: Iterable[LeftOutRow]) -> Mapping[tuple[LeftOutKind, str], list[LeftOutRow]]:
    """The rows of each reason, the most frequent reason first."""
    groups: dict[tuple[LeftOutKind, str], list[LeftOutRow]] = {}
    for row in rows:
        groups.setdefault((row.kind, row.cause), []).append(row)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def left_out_lines(rows: Sequence[LeftOutRow], of: int) -> Iterator[str]:
    """A heading, then each reason with its rows, as a command prints them; nothing without any."""
    if not rows:
        return
    yield str(phrases.left_out(len(rows), of))
    groups = by_cause(rows)
    for (_, cause), members in list(groups.items())[:MOST_REASONS]:
        yield f"  {cause}"
        width = max(len(str(each.row)) for each in members[:MOST_ROWS])
        for each in members[:MOST_ROWS]:
            place = f"  ({each.place})" if each.place else ""
            yield f"    row {each.row:>{width}}  {each.formula or phrases.empty_row()}{place}"
        if len(members) > MOST_ROWS:
            yield f"    {phrases.more_rows(len(members) - MOST_ROWS)}"
    if len(groups) > MOST_REASONS:
        yield f"  {phrases.more_reasons(len(groups) - MOST_REASONS)}"


def refuse_left_out(rows: Sequence[LeftOutRow], of: int) -> None:
    """UserError if a row was left out: what ``--strict`` asks for."""
    if rows:
        raise UserError(str(phrases.left_out(len(rows), of)), hint=str(phrases.strict()))
