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
from eic_core.pool.importers.rows import MAX_ROWS, NO_FORMULA, Listed, number, stored_numbers
from eic_core.pool.importers.source import FORMULA_NAMES, too_many

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)"
_KEY = (
    r"(?:(?:train|test)[ _])?(?:r2|r\^2|r²|loss|mse|rmse|nmse|mae|complexity|length|size|score"
    r"|fitness|aic|bic|mdl)(?:[ _](?:train|test|val))?"
)
_COMMENT = re.compile(r"\s*(?:#|//|%)")
_TRAILING_COMMENT = re.compile(r"\s+(?:#|//)\s.*\Z|\s+#[^\d\s(].*\Z")
_NUMBERED = re.compile(r"\s*[(\[]?(\d{1,6})[.):\]]\s+(?=\S)")
_BULLET = re.compile(r"\s*[•·‣▪◦]\s*")
_SCORE_AFTER = re.compile(
    rf"[\s,;|]*[\s,;|(\[]({_KEY})\s*[:=]\s*({_NUMBER})\s*[)\]]?\s*\Z", re.IGNORECASE
)
_SCORE_BEFORE = re.compile(rf"\s*[(\[]?({_KEY})\s*[:=]\s*({_NUMBER})[)\]]?[\s,;|:]+", re.IGNORECASE)
_COLUMN_AFTER = re.compile(rf"(?:\t|\s{{2,}}|\s+[|;]\s*)({_NUMBER})\s*\Z", re.IGNORECASE)
_BARE_AFTER = re.compile(rf"(?<=[\w)\]])\s+({_NUMBER})\s*\Z", re.IGNORECASE)
_RULE = re.compile(r"\s*[-=_*~+|]{3,}\s*")
_QUOTES = ('"', "'", "`")


def recognise() -> str:
    """Every text is a list, if nothing else."""
    return "neither a table nor the print of a known tool"


def listed_lines(lines: Sequence[str], *, syntax: str = "") -> list[Listed]:
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
    >>> [(r.formula, dict(r.stored)) for r in listed_lines(["1. x+1  R2: 0.9", "2. sin(x)"])]
    [('x+1', {'r2': 0.9}), ('sin(x)', {})]
    """
    body = [line for line in lines if not (_COMMENT.match(line) or _RULE.fullmatch(line))]
    if body and body[0].strip().strip("\"'").lower() in FORMULA_NAMES and len(body) > 1:
        body = body[1:]
    if len(body) > MAX_ROWS:
        raise too_many()
    body = _without_numbering(_without_brackets(body))
    return [_listed(row, line, syntax) for row, line in enumerate(body, start=1)]


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


def _listed(row: int, line: str, syntax: str) -> Listed:
    text = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
    text = _TRAILING_COMMENT.sub("", text).strip()
    scores: list[tuple[str, str]] = []
    while found := _SCORE_BEFORE.match(text):
        scores.append((found[1], found[2]))
        text = text[found.end() :]
    while found := _SCORE_AFTER.search(text):
        scores.append((found[1], found[2]))
        text = text[: found.start()]
    if "theta=" not in text:
        while (found := _COLUMN_AFTER.search(text)) and found.start():
            text = text[: found.start()]
        text = _without_bare_numbers(text, syntax)
    text = _unquoted(text.strip())
    error = "" if text else NO_FORMULA
    return Listed(row, text, syntax=syntax, stored=stored_numbers(scores), error=error)


def _without_bare_numbers(text: str, syntax: str) -> str:
    """The text without numbers behind the formula, if it can be read only without them."""
    if not _BARE_AFTER.search(text) or _can_be_read(text, syntax):
        return text
    shorter = text
    while found := _BARE_AFTER.search(shorter):
        shorter = shorter[: found.start()]
        if number(shorter) is None and _can_be_read(shorter, syntax):
            return shorter
    return text


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
