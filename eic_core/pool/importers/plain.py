"""A pasted list: one formula a line, with all that people and printouts put around it: numbering
that counts up, bullets before every line, headings, fences and marks of Markdown, quotes, the
brackets and commas of a printed Python list, comments, and scores before or behind the formula
(``R2: 0.98``, columns of numbers behind tabs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from eic_core import wording
from eic_core.pool.importers.listed import MAX_ROWS, NO_FORMULA, Listed, Rows, read_number
from eic_core.pool.importers.numerals import stored_scores
from eic_core.pool.importers.prints import is_fence
from eic_core.pool.importers.sheets import (
    FORMULA_NAMES,
    formulas_among_numbers,
    reading_of,
    too_many,
)

_NUMBER = r"[-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+|[-+]?(?:inf|nan)"
_SCORE = (
    rf"(?:[-+]?\d{{1,3}}(?:,\d{{3}})++\.\d++|[-+]?\d++,\d++(?:[eE][-+]?\d++)?+|{_NUMBER})"
    r"(?:\s?%)?+"
)
_SET = r"(?:[ _](?:train|test|val))?"
_MEASURE = r"r2|r\^2|r²|mse|rmse|nmse|mae"
_KEY = (
    rf"(?:(?:train|test)[ _])?(?:{_MEASURE}|loss|complexity|length|size|score"
    rf"|fitness|aic|bic|mdl){_SET}"
)
_COMMENT = re.compile(r"\s*(?:#|//|%)")
_TRAILING_COMMENT = re.compile(r"(?<!\s)\s++(?:#\s|#[^\d\s(]|//\s++(?=[^\W\d]++\s++[^\W\d])).*\Z")
"""Behind ``//`` stand several words; one may be the divisor of a whole-number division."""
_NUMBERED = re.compile(r"\s*[(\[]?(\d{1,6})[.):\]]\s+(?=\S)")
_BULLET = re.compile(r"\s*[•·‣▪◦]\s*")
_SIGN_OR_BULLET = re.compile(r"\s*+([-*+–—])\s++(?=\S)")
_OPERATION = re.compile(r"[()\[\]=*/^+|\\<>]")
_SCORE_BEFORE = re.compile(
    rf"\s*+[(\[]?(?:({_KEY})\s*+[:=]\s*+|((?:{_MEASURE}){_SET})\s++(?=\S++\s++[^-+*/^=\s]))({_SCORE})"
    r"[)\]]?[\s,;|:]++",
    re.IGNORECASE,
)
_SCORES_ALONE = re.compile(
    rf"(?:[\s,;|(\[]*+{_KEY}(?:\s*+[:=]\s*+|\s++){_SCORE}[)\]]?)++[\s,;|.]*+", re.IGNORECASE
)
_SCORE_BEHIND = re.compile(
    rf"[\s,;|(\[](?:({_KEY})\s*+[:=]\s*+|((?:{_MEASURE}){_SET})\s++)({_SCORE})\s*+[)\]]?[\s,;|]*+\Z",
    re.IGNORECASE,
)
_LONGEST_SCORE = 120
_GAP = re.compile(r"\t\s*+|\s{2,}+(?:[|;]\s*+)?|\s[|;]\s*+|[|;]\s++")
_WHOLE_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_ENDS_FORMULA = re.compile(r"[\w)\]]")
_MOST_BARE = 40
"""Most numbers behind a formula that are tried as no part of it."""
_RULE = re.compile(r"\s*[-=_*~+|]{3,}\s*")
_QUOTES = ('"', "'", "`", "**")
_MARKED = re.compile(r"`|\*\*|\$")
_SAMPLE = 40
_POLISH = "prefix"
_NAMELESS = "Numbers beside formulas that nothing names are left out, {}."


def read_lines(lines: Sequence[str], *, syntax: str = "") -> Rows:
    """A row for each line that is neither blank, a comment, a rule, a fence nor a header.

    >>> rows, _ = read_lines(["1. x+1  R2: 0.9", "2. sin(x)"])
    >>> [(r.formula, dict(r.stored)) for r in rows]
    [('x+1', {'r2': 0.9}), ('sin(x)', {})]
    >>> rows, notes = read_lines(["- x + 1", "- sin(x)"])
    >>> [r.formula for r in rows], notes
    (['x + 1', 'sin(x)'], ('Every line begins with `-`: that is a bullet here, and no sign.',))
    """
    body = [
        line
        for line in lines
        if not (_COMMENT.match(line) or _RULE.fullmatch(line) or is_fence(line))
    ]
    if body and body[0].strip().strip("\"'").lower() in FORMULA_NAMES and len(body) > 1:
        body = body[1:]
    if len(body) > MAX_ROWS:
        raise too_many()
    notes: list[str] = []
    body = _without_bullets(_without_headings(body, notes), syntax, notes)
    body = _without_numbering(_without_brackets(body))
    taken = [_read_line(line, syntax) for line in body]
    if not any(line.scores or line.error for line in taken):
        alone = formulas_among_numbers(body)
        if alone is not None:
            notes.append(_NAMELESS.format(f"as in `{wording.shorten(body[0].strip(), 60)}`"))
            taken = [_read_line(line, syntax) for line in alone]
    scores, unread = stored_scores([line.scores for line in taken])
    rows = [
        Listed(row, line.formula, syntax=syntax, stored=stored, error=line.error)
        for row, (line, stored) in enumerate(zip(taken, scores, strict=True), start=1)
    ]
    cut = [(row, line.cut) for row, line in enumerate(taken, start=1) if line.cut]
    if cut:
        row, text = cut[0]
        notes.append(_NAMELESS.format(f"as `{wording.shorten(text, 40)}` in row {row}"))
    return rows, (*notes, *unread)


def _without_headings(lines: list[str], notes: list[str]) -> list[str]:
    headings = [line.strip() for line in lines if _is_heading(line)]
    if not headings or len(headings) == len(lines):
        return lines
    shown = wording.join([f"`{wording.shorten(line, 40)}`" for line in headings], limit=3)
    notes.append(f"Headings are left out: {shown}.")
    return [line for line in lines if not _is_heading(line)]


def _is_heading(line: str) -> bool:
    text = line.rstrip()
    return text.endswith(":") and not _OPERATION.search(text) and any(map(str.isalpha, text))


def _without_bullets(lines: list[str], syntax: str, notes: list[str]) -> list[str]:
    """The lines without a bullet before every one. The mark is a sign before some lines only, in
    Polish notation, and where more formulas can be read with it.
    """
    found = [_SIGN_OR_BULLET.match(line) for line in lines]
    marks = {match[1] if match else "" for match in found}
    if len(lines) < 2 or len(marks) != 1 or "" in marks:
        return lines
    bare = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
    sample = range(0, len(lines), max(1, len(lines) // _SAMPLE))
    with_mark, without = (
        [_notation(_read_line(some[i], syntax).formula, syntax) for i in sample]
        for some in (lines, bare)
    )
    if _POLISH in with_mark or without.count("") > with_mark.count(""):
        return lines
    notes.append(f"Every line begins with `{marks.pop()}`: that is a bullet here, and no sign.")
    return bare


def _without_brackets(lines: list[str]) -> list[str]:
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
    if len(counts) < len(lines) or not rising:
        return lines
    if len(lines) < 2 and not any(m and _MARKED.match(m.string, m.end()) for m in matches):
        return lines
    return [line[m.end() :] if m else line for line, m in zip(lines, matches, strict=True)]


class _Line(NamedTuple):
    """What a line holds: a formula, or why there is none; scores; and what was cut off behind."""

    formula: str
    scores: list[tuple[str, str]]
    error: str = ""
    cut: str = ""


def _read_line(line: str, syntax: str) -> _Line:
    text = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
    text = _TRAILING_COMMENT.sub("", text).strip()
    if _SCORES_ALONE.fullmatch(text):
        return _Line("", [], f"{NO_FORMULA}, only scores: `{wording.shorten(text, 60)}`")
    before, start = _scores_before(text)
    behind, end = _scores_behind(text[start:])
    scores, text = before + behind, text[start : start + end]
    whole = text
    if "theta=" not in text:
        text = _without_bare_numbers(text[: _end_without_columns(text)], syntax)
    cut = whole[len(text) :].strip(" \t|;")
    text = _unquoted(text.strip())
    return _Line(text, scores, "" if text else NO_FORMULA, cut)


def _scores_before(text: str) -> tuple[list[tuple[str, str]], int]:
    """The scores before a formula, and where they end.

    >>> _scores_before("R2: 0.9, size=3: x+1")
    ([('R2', '0.9'), ('size', '3')], 17)
    """
    scores: list[tuple[str, str]] = []
    place = 0
    while found := _SCORE_BEFORE.match(text, place):
        scores.append((found[1] or found[2], found[3]))
        place = found.end()
    return scores, place


def _scores_behind(text: str) -> tuple[list[tuple[str, str]], int]:
    """The scores behind a formula, the last first, and where the text before them ends.

    >>> _scores_behind("x+1, (R2: 0.9) | test mse = 3")
    ([('test mse', '3'), ('R2', '0.9')], 3)
    """
    scores: list[tuple[str, str]] = []
    end = len(text)
    while found := _SCORE_BEHIND.search(text, max(end - _LONGEST_SCORE, 0), end):
        scores.append((found[1] or found[2], found[3]))
        end = found.start()
    return scores, len(text[:end].rstrip(" \t,;|")) if scores else end


def _end_without_columns(text: str) -> int:
    """Where a text ends before its columns of numbers, set off by tabs, bars or wide gaps.

    >>> _end_without_columns("x + 1  0.5 | 3"), _end_without_columns("x + 1")
    (5, 5)
    """
    end = len(text)
    for gap in reversed(list(_GAP.finditer(text))):
        if not gap.start() or not _WHOLE_NUMBER.fullmatch(text, gap.end(), end):
            break
        end = gap.start()
    return end


def _without_bare_numbers(text: str, syntax: str) -> str:
    """The text without numbers behind the formula, if it can be read only without them."""
    shorter = _without_last_number(text)
    if not shorter or reading_of(text, syntax):
        return text
    for _ in range(_MOST_BARE):
        if read_number(shorter) is None and reading_of(shorter, syntax):
            return shorter
        shorter = _without_last_number(shorter)
        if not shorter:
            break
    return text


def _without_last_number(text: str) -> str:
    """A text without the number behind it, "" if there is none."""
    before, _, last = text.rpartition(" ")
    before = before.rstrip()
    is_bare = _WHOLE_NUMBER.fullmatch(last) and _ENDS_FORMULA.match(before[-1:])
    return before if is_bare else ""


def _notation(text: str, syntax: str) -> str:
    reading = reading_of(text, syntax)
    return reading.syntax if reading else ""


def _unquoted(text: str) -> str:
    for quote in _QUOTES:
        inner = text.removesuffix(",").removesuffix(";").rstrip()
        size = len(quote)
        if len(inner) > 2 * size - 1 and inner.startswith(quote) and inner.endswith(quote):
            return inner[size:-size].strip()
    return text
