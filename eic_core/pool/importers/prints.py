"""Tables as they are printed and not saved: by pandas, in Markdown or in frames of dashes. pandas
(`DataFrame.to_string`) sets columns flush right, puts an index first, ends long cells with ``...``,
leaves out columns and rows in the middle, and breaks a wide table into blocks, whose heads end with
a backslash. So columns are found by their ends; where spaces were lost, by the index 0, 1, 2, ...
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from eic_core import wording
from eic_core.errors import DataError
from eic_core.pool.importers.sheets import FORMULA_NAMES, Sheet

_WORDS = re.compile(r"\S++(?: \S++)*+")
_WORD = re.compile(r"\S+")
_NAME = re.compile(r"[^\W\d]\S*")
_GAPS = re.compile(r"\s{2,}+")
_SIZE = re.compile(r"\[\d+ rows? x \d+ columns?\]")
_SERIES = re.compile(r"(?:Name: (.+), )?(?:Length: \d+, )?dtype: \w+")
_INDEX = re.compile(r"(\d+|\.\.)(?:\s+|\Z)")
_NUMBER = r"[-+]?(?:\d++\.?+\d*+(?:[eE][-+]?\d++)?+|inf|nan|None)"
_GAP = ("..", "...")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|PySRRegressor\.equations_ = \[\Z|\[\Z|\],?\Z)")
_RULE = re.compile(r"\s*+[|+]?+\s*+:?+[-=]{2,}+:?+\s*+(?:[|+]\s*+:?+[-=]++:?+\s*+)*+[|+]?+\s*+")
_BAR = re.compile(r"(?<!\\)\|")
_WRAPS = ("**", "__", "`", "$")
_TO_CSV = "save the table with to_csv, or print it with to_string()"


def printed_by_pandas(lines: Sequence[str]) -> Sheet | None:
    """The table or column that pandas has printed, if there is one.

    >>> lines = ["   loss  equation", "0   2.5        x0", "1  0.25  x0 + 1.0"]
    >>> printed_by_pandas(lines).rows
    (('2.5', 'x0'), ('0.25', 'x0 + 1.0'))
    >>> lines = ["loss equation", "0 2.5 x0", "1 0.25 x0 + 1.0"]
    >>> printed_by_pandas(lines).rows
    (('2.5', 'x0'), ('0.25', 'x0 + 1.0'))
    """
    body = [line.removeprefix("\t") for line in lines if not _PROMPT.match(line)]
    if body and _SIZE.fullmatch(body[-1].strip()):
        body = body[:-1]
    if len(body) < 2:
        return None
    if series := _SERIES.fullmatch(body[-1].strip()):
        return _series(body[:-1], series[1] or "")
    if not _names_formulas(_WORD.findall(body[0])) and not body[0].endswith("\\"):
        return None
    found = _aligned(body)
    if found is None or not _names_formulas(found.columns):
        found = _counted(body)
    return None if found is None else without_gaps(found)


def _of_pandas(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Sheet:
    return Sheet(columns, rows, "printed by pandas")


def _names_formulas(names: Sequence[str]) -> bool:
    return any(name.lower() in FORMULA_NAMES or name == "..." for name in names)


def _series(rows: Sequence[str], name: str) -> Sheet | None:
    cells = [(match, row[match.end() :]) for row in rows if (match := _INDEX.match(row))]
    if len(cells) < len(rows) or not name or not all(cell for _, cell in cells):
        return None
    return without_gaps(_of_pandas((name,), tuple((cell,) for _, cell in cells)))


def without_gaps(found: Sheet) -> Sheet:
    """Without the rows and columns that stand for those that were left out."""
    kept = [i for i, name in enumerate(found.columns) if name != "..."]
    rows = [row for row in found.rows if not all(cell in _GAP for cell in row)]
    gaps = len(kept) < len(found.columns)
    what = ["columns"] * gaps + ["rows"] * (len(rows) < len(found.rows))
    notes = (f"Printing has left out {wording.join(what)}: {_TO_CSV}.",) if what else ()
    columns, *cells = ([row[i] for i in kept if i < len(row)] for row in (found.columns, *rows))
    if gaps and FORMULA_NAMES.isdisjoint(name.lower() for name in columns):
        raise DataError("printing has left out the column with the formulas", hint=_TO_CSV)
    return replace(found, columns=tuple(columns), rows=tuple(map(tuple, cells)), notes=notes)


def _aligned(lines: Sequence[str]) -> Sheet | None:
    size, rest = divmod(len(lines), 1 + sum(line.endswith("\\") for line in lines))
    blocks = [lines[i : i + size] for i in range(0, len(lines), max(size, 1))]
    if rest or not all(head.endswith("\\") for head, *_ in blocks[:-1]):
        return None
    parts = [_block(head.removesuffix("\\").rstrip(), rows) for head, *rows in blocks]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(parts) or len({len(part.rows) for part in whole}) != 1:
        return None
    columns = tuple(name for part in whole for name in part.columns)
    pieces = zip(*(part.rows for part in whole), strict=True)
    return _of_pandas(
        columns, tuple(tuple(cell for row in rows for cell in row) for rows in pieces)
    )


def _block(head: str, rows: Sequence[str]) -> Sheet | None:
    """A table that is not broken; the index may have its name in a line below the head."""
    if len(rows) > 1 and _NAME.fullmatch(rows[0]):
        found = _columns(head, rows[1:], rows[0])
        if found is not None:
            return found
    return (_columns(head, rows) or _between_gaps(head, rows)) if rows else None


def _columns(head: str, rows: Sequence[str], index: str = "") -> Sheet | None:
    for pattern in (_WORD, _WORDS):
        names = pattern.findall(head)
        ends = [match.end() for match in pattern.finditer(head)]
        shift = len(rows[0]) - ends[-1]  # the first line of a text may have lost its spaces
        bare = not head[:1].isspace()
        if shift < 0 or (shift and not bare) or (bare and len(names) < 2):
            continue
        ends = [end + shift for end in ends]
        if not all(_ends_at(row, ends) for row in rows):
            continue
        if not all(any(not row[end - 1].isspace() for row in rows) for end in ends):
            continue
        numbered = [match for row in rows if (match := _INDEX.match(row))]
        numbers = [match[1] for match in numbered if match[1] not in _GAP]
        has_index = len(numbered) == len(rows) and len(set(numbers)) == len(numbers)
        has_index = has_index and all(match.end(1) < ends[0] for match in numbered)
        if (index and not has_index) or not (
            has_index or not bare or (not shift and not _as_pysr_prints(names))
        ):
            continue
        starts = [min(m.end(), ends[0]) for m in numbered] if has_index else [0] * len(rows)
        cells = [
            tuple(row[a:b].strip() for a, b in zip([start, *ends], ends, strict=False))
            for row, start in zip(rows, starts, strict=True)
        ]
        if index:
            names = [index, *names]
            cells = [(m[1], *row) for m, row in zip(numbered, cells, strict=True)]
        return _of_pandas(tuple(names), tuple(cells))
    return None


def _between_gaps(head: str, rows: Sequence[str]) -> Sheet | None:
    """A table whose cells stand two spaces apart, or more, with an index before them or none."""
    names = tuple(_WORDS.findall(head.strip()))
    if len(names) < 2:
        return None
    cells = [tuple(_GAPS.split(row.strip())) for row in rows]
    if all(len(row) == len(names) + 1 and _INDEX.fullmatch(row[0]) for row in cells):
        return _of_pandas(names, tuple(row[1:] for row in cells))
    if _as_pysr_prints(names) or any(len(row) != len(names) for row in cells):
        return None
    return _of_pandas(names, tuple(cells))


def _as_pysr_prints(names: Sequence[str]) -> bool:
    """Whether a table without an index may be PySR's own, which breaks long lines."""
    return names[0].lower() == "complexity"


def _ends_at(row: str, ends: Sequence[int]) -> bool:
    """Whether each cell of a row that is not empty ends at its place, the last with the row."""
    if len(row) != ends[-1] or not all(row[end].isspace() for end in ends[:-1]):
        return False
    only_index = _INDEX.fullmatch(row, 0, ends[0])
    starts = [ends[0] if only_index else 0, *ends]
    return all(
        not row[end - 1].isspace() or not row[start:end].strip()
        for start, end in zip(starts, ends, strict=False)
    )


def _counted(lines: Sequence[str]) -> Sheet | None:
    """A table whose spaces were lost, but whose index counts 0, 1, 2, ..."""
    names = _WORD.findall(lines[0])
    places = [i for i, name in enumerate(names) if name.lower() in FORMULA_NAMES]
    if len(places) != 1:
        return None
    before, behind = places[0], len(names) - places[0] - 1
    if not 0 < before + behind <= _MOST_NUMBERS:
        return None
    number = rf"({_NUMBER})"
    words = [r"(\d++)", *[number] * before, r"(\S(?:.*\S)?)", *[number] * behind]
    pattern = re.compile(r"\s++".join(words) + r"\Z", re.IGNORECASE)
    rows = []
    for count, line in enumerate(lines[1:]):
        match = pattern.match(line.strip())
        if match is None or match[1] != str(count):
            return None
        rows.append(match.groups()[1:])
    sizes = [i for i, name in enumerate(names) if name.lower() == "complexity"]
    if not all(row[i].isdecimal() and float(row[i]) for row in rows for i in sizes):
        return None
    return _of_pandas(tuple(names), tuple(rows))


_MOST_NUMBERS = 8


def printed_in_bars(lines: Sequence[str]) -> Sheet | None:
    """A table of Markdown, or one in a frame, if there is one among these lines.

    >>> lines = ["Found:", "| formula | r2 |", "|---|--:|", "| `x0 + 1` | 0.5 |"]
    >>> found = printed_in_bars(lines)
    >>> found.columns, found.rows
    (('formula', 'r2'), (('x0 + 1', '0.5'),))
    >>> found.notes
    ('What stands outside of the table is left out: `Found:`.',)
    """
    rules = [i for i, line in enumerate(lines) if _is_rule(line)]
    above = next((i for i in rules if i and _BAR.search(lines[i - 1])), None)
    if above is None:
        return None
    end = above + 1
    while end < len(lines) and (_BAR.search(lines[end]) or _is_rule(lines[end])):
        end += 1
    names = _cells(lines[above - 1])
    body = [_cells(line) for line in lines[above + 1 : end] if not _is_rule(line)]
    rows = tuple(tuple(_joined(row, len(names))) for row in body)
    outside = [
        line.strip()
        for line in [*lines[: above - 1], *lines[end:]]
        if not _is_rule(line) and not _FENCE.fullmatch(line)
    ]
    notes: tuple[str, ...] = ()
    if outside:
        shown = wording.join([f"`{wording.shorten(line, 40)}`" for line in outside], limit=3)
        notes = (f"What stands outside of the table is left out: {shown}.",)
    return Sheet(tuple(names), rows, "printed between bars", notes)


_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+-]*\s*")


def is_fence(line: str) -> bool:
    return _FENCE.fullmatch(line) is not None


def _is_rule(line: str) -> bool:
    return ("|" in line or "+" in line) and _RULE.fullmatch(line) is not None


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [unwrapped(cell.strip().replace("\\|", "|")) for cell in _BAR.split(inner)]


def _joined(row: list[str], width: int) -> list[str]:
    """A row whose bars around an absolute value were taken for those of the table."""
    surplus = len(row) - width
    if surplus <= 0 or surplus % 2:
        return row
    for start in range(width):
        joined = "|".join(row[start : start + surplus + 1])
        rest = row[:start] + row[start + surplus + 1 :]
        if all(re.fullmatch(rf"(?:{_NUMBER})?%?", cell, re.IGNORECASE) for cell in rest):
            return [*row[:start], joined, *row[start + surplus + 1 :]]
    return row


def unwrapped(text: str) -> str:
    """A text without the marks of Markdown that stand around the whole of it.

    >>> unwrapped("**x + 1**"), unwrapped("`x`"), unwrapped("`a` + `b`"), unwrapped("$x$ + $y$")
    ('x + 1', 'x', '`a` + `b`', '$x$ + $y$')
    """
    for mark in _WRAPS:
        inner = text.removeprefix(mark).removesuffix(mark)
        if len(inner) == len(text) - 2 * len(mark) and inner and mark not in inner:
            return unwrapped(inner.strip())
    return text
