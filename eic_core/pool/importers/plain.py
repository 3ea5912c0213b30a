"""A pasted list: one formula a line, with whatever people and printouts put around it.

Taken off: numbering that counts up, bullets, quotes, the brackets and commas of a printed
Python list, comments, and scores before or behind the formula (``R2: 0.98``, columns of numbers
behind tabs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eic_core.errors import FormulaError
from eic_core.formula.syntax import read
from eic_core.pool.importers.listed import MAX_ROWS, NO_FORMULA, Listed, read_number, stored_numbers
from eic_core.pool.importers.source import FORMULA_NAMES, too_many

_NUMBER = r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+|[-+]?(?:inf|nan)"
_KEY = (
    r"(?:(?:train|test)[ _])?(?:r2|r\^2|r²|loss|mse|rmse|nmse|mae|complexity|length|size|score"
    r"|fitness|aic|bic|mdl)(?:[ _](?:train|test|val))?"
)
_COMMENT = re.compile(r"\s*(?:#|//|%)")
_TRAILING_COMMENT = re.compile(r"(?<!\s)\s++(?:(?:#|//)\s|#[^\d\s(]).*\Z")
_NUMBERED = re.compile(r"\s*[(\[]?(\d{1,6})[.):\]]\s+(?=\S)")
_BULLET = re.compile(r"\s*[•·‣▪◦]\s*")
_SCORE_BEFORE = re.compile(
    rf"\s*+[(\[]?({_KEY})\s*+[:=]\s*+({_NUMBER})[)\]]?[\s,;|:]++", re.IGNORECASE
)
_MARK = re.compile(r"[:=]")
_KEY_BEHIND = re.compile(rf"[\s,;|(\[]({_KEY})\Z", re.IGNORECASE)
_LONGEST_KEY = 40
_VALUE = re.compile(rf"\s*+({_NUMBER})\s*+[)\]]?\s*+", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_ENDS_FORMULA = re.compile(r"[\w)\]]")
_MOST_BARE = 40
"""Most numbers behind a formula that are tried as no part of it."""
_RULE = re.compile(r"\s*[-=_*~+|]{3,}\s*")
_QUOTES = ('"', "'", "`")


def recognise_lines() -> str:
    """Every text is a list, if nothing else."""
    return "neither a table nor the print of a known tool"


def read_lines(lines: Sequence[str], *, syntax: str = "") -> list[Listed]:
    """A row for each line that is neither blank, a comment, a rule nor a header.

    Parameters
    ----------
    lines : sequence of str
    syntax : str
        The notation, if it is known.

    Raises
    ------
    DataError
        If there are too many.

    Examples
    --------
    >>> [(r.formula, dict(r.stored)) for r in read_lines(["1. x+1  R2: 0.9", "2. sin(x)"])]
    [('x+1', {'r2': 0.9}), ('sin(x)', {})]
    """
    body = [line for line in lines if not (_COMMENT.match(line) or _RULE.fullmatch(line))]
    if body and body[0].strip().strip("\"'").lower() in FORMULA_NAMES and len(body) > 1:
        body = body[1:]
    if len(body) > MAX_ROWS:
        raise too_many()
    body = _without_numbering(_without_brackets(body))
    return [_read_line(row, line, syntax) for row, line in enumerate(body, start=1)]


def _without_brackets(lines: list[str]) -> list[str]:
    """The lines inside a printed Python list, without its commas."""
    if not lines or not lines[0].lstrip().startswith("[") or not lines[-1].endswith("]"):
        return lines
    if len(lines) > 1 and all(line.endswith(",") for line in lines[:-1]):
        inner = [lines[0].lstrip()[1:], *lines[1:-1], lines[-1][:-1]]
        return [text for line in inner if (text := line.strip().rstrip(","))]
    return lines


def _without_numbering(lines: list[str]) -> list[str]:
    """The lines without ``1.``, ``2.``, ... if they count up."""
    matches = [_NUMBERED.match(line) for line in lines]
    counts = [int(m[1]) for m in matches if m]
    rising = all(a < b for a, b in zip(counts, counts[1:], strict=False))
    if len(lines) < 2 or len(counts) < len(lines) or not rising:
        return lines
    return [line[m.end() :] if m else line for line, m in zip(lines, matches, strict=True)]


def _read_line(row: int, line: str, syntax: str) -> Listed:
    text = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
    text = _TRAILING_COMMENT.sub("", text).strip()
    before, start = _scores_before(text)
    behind, end = _scores_behind(text[start:])
    scores, text = before + behind, text[start : start + end]
    if "theta=" not in text:
        text = _without_bare_numbers(text[: _end_without_columns(text)], syntax)
    text = _unquoted(text.strip())
    error = "" if text else NO_FORMULA
    return Listed(row, text, syntax=syntax, stored=stored_numbers(scores), error=error)


def _scores_before(text: str) -> tuple[list[tuple[str, str]], int]:
    """The scores before a formula, and where they end.

    Examples
    --------
    >>> _scores_before("R2: 0.9, size=3: x+1")
    ([('R2', '0.9'), ('size', '3')], 17)
    """
    scores: list[tuple[str, str]] = []
    place = 0
    while found := _SCORE_BEFORE.match(text, place):
        scores.append((found[1], found[2]))
        place = found.end()
    return scores, place


def _scores_behind(text: str) -> tuple[list[tuple[str, str]], int]:
    """The scores behind a formula, the last first, and where the text before them ends.

    A score has one colon or equals sign: the last of the text, then the last before it, ...

    Examples
    --------
    >>> _scores_behind("x+1, (R2: 0.9) | test mse = 3")
    ([('test mse', '3'), ('R2', '0.9')], 3)
    """
    scores: list[tuple[str, str]] = []
    end = len(text)
    for mark in reversed([found.start() for found in _MARK.finditer(text)]):
        value = _VALUE.fullmatch(text, mark + 1, end)
        stop = _before_spaces(text, mark)
        key = _KEY_BEHIND.search(text, max(stop - _LONGEST_KEY, 0), stop)
        if value is None or key is None:
            break
        scores.append((key[1], value[1]))
        end = key.start()
        while end and (text[end - 1].isspace() or text[end - 1] in ",;|"):
            end -= 1
    return scores, end


def _end_without_columns(text: str) -> int:
    """Where a text ends before its columns of numbers, set off by tabs, bars or wide gaps.

    Examples
    --------
    >>> _end_without_columns("x + 1  0.5 | 3"), _end_without_columns("x + 1")
    (5, 5)
    """
    end = len(text)
    while (start := _number_behind(text, end, "|;")) is not None:
        gap = _before_spaces(text, start)
        if gap > 1 and text[gap - 1] in "|;" and text[gap - 2].isspace():
            gap = _before_spaces(text, gap - 1)
        elif start - gap < 2 and text[gap:start] != "\t":
            break
        if not gap:
            break
        end = gap
    return end


def _number_behind(text: str, end: int, marks: str = "") -> int | None:
    """Where the number begins that stands last in text[:end], behind a space or a mark, if any."""
    stop = start = _before_spaces(text, end)
    while start and not text[start - 1].isspace() and text[start - 1] not in marks:
        start -= 1
    return start if start and _WHOLE_NUMBER.fullmatch(text, start, stop) else None


def _before_spaces(text: str, end: int) -> int:
    """Where text[:end] ends without the spaces at its end."""
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _without_bare_numbers(text: str, syntax: str) -> str:
    """The text without numbers behind the formula, if it can be read only without them."""
    end = _end_without_bare_number(text, len(text))
    if end is None or _can_be_read(text, syntax):
        return text
    for _ in range(_MOST_BARE):
        if end is None:
            break
        shorter = text[:end]
        if read_number(shorter) is None and _can_be_read(shorter, syntax):
            return shorter
        end = _end_without_bare_number(text, end)
    return text


def _end_without_bare_number(text: str, end: int) -> int | None:
    """Where text[:end] ends before the one number behind it, None if there is none."""
    start = _number_behind(text, end)
    gap = _before_spaces(text, start) if start is not None else 0
    return gap if gap and _ENDS_FORMULA.match(text[gap - 1]) else None


def _can_be_read(text: str, syntax: str) -> bool:
    try:
        read(text, syntax=syntax or "auto")
    except FormulaError:
        return False
    return True


def _unquoted(text: str) -> str:
    for quote in _QUOTES:
        inner = text.removesuffix(",").removesuffix(";").rstrip()
        if len(inner) > 1 and inner[0] == inner[-1] == quote:
            return inner[1:-1].strip()
    return text
