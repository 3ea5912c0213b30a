"""The forms in which tools write tables, each made one `Sheet`: JSON, a printed Python list, HTML,
LaTeX, CSV, what pandas and Markdown print, and the prints of three tools.

- AI Feynman (github.com/SJ001/AI-Feynman, ``S_run_aifeynman.py``): `solution_*.txt` holds a row of
  numbers before each formula: the error on the test data (where there are such), the logarithm of
  the error, the same times the number of rows, the complexity in bits and the error.
- PySR (github.com/MilesCranmer/PySR, ``sr.py`` and ``export_latex.py``): in a table that it prints
  itself, long equations end in ``...`` and go on in the next line; `latex_table()` sets
  them in ``dmath*``.
- TuringBot (its package `turingbot`, ``turingbot.py``): a line on the search, the header ``Size
  Error Function``, then a row a formula.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax.mathml_elements import unescaped
from eic_core.pool.importers.listed import MAX_BYTES, MAX_ROWS, read_number
from eic_core.pool.importers.prints import printed_by_pandas, printed_in_bars, without_gaps
from eic_core.pool.importers.sheets import (
    FORMULA_NAMES,
    MAX_COLUMNS,
    Sheet,
    names_a_column,
    reading_of,
    sheet_of_csv,
    too_many,
    too_wide,
)
from eic_core.pool.importers.source import PastedList, too_large

# --- JSON and Python ---

_PYTHON = re.compile(
    r"'(?P<text>(?:[^'\\]|\\[\s\S])*+)\\?(?:'|\Z)|(?P<json>\"(?:[^\"\\]|\\[\s\S])*+\"?)"
    r"|np\.\w+\((?P<number>[^()\n]*+)\)|\{[^{}:]*+\}|<[^<>\n]*+>|\b(?:inf|nan|None|True|False)\b"
)
"""What a printed Python list has that JSON has not: other strings, sets, objects, words."""

_WORDS = {"inf": "Infinity", "nan": "NaN", "True": "true", "False": "false"}


def _sheet_of_json(source: PastedList) -> Sheet | None:
    content = json_of(source)
    form = "JSON"
    if content is None and (content := _python_of(source.text.strip())):
        form = "printed"
    objects = list(_objects(content))
    if len(objects) > MAX_ROWS:
        raise too_many()
    names: dict[str, None] = {}
    for each in objects:
        names |= {key: None for key, value in each.items() if _is_cell(value)}
        if len(names) > MAX_COLUMNS:
            raise too_wide()
    if len(names) * len(objects) > MAX_BYTES:  # more cells than a table of text can hold
        raise too_large()
    if content is not None and not names:
        raise DataError(f"nothing in this {form} is named as a formula", hint=_NAMED)
    if not names:
        return None
    rows = tuple(tuple(_cell(each.get(name)) for name in names) for each in objects)
    return Sheet(tuple(names), rows, form)


_NAMED = "call it `formula`, or paste the formulas, one a line"


_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def _loaded(text: str) -> Any:
    try:
        content = json.loads(text)
        if _HALF_PAIR.search(text):  # half of a character, which no text can hold
            content = json.loads(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))
        return content
    except (ValueError, RecursionError):
        return None


def json_of(source: PastedList) -> Any:
    """What a text of JSON holds, one object a line, too; None if it is no JSON."""
    text = source.text.strip()
    if text[:1] not in ("[", "{"):
        return None
    content = _loaded(text)
    return content if content is not None else _loaded(f"[{','.join(source.lines)}]")


def _python_of(text: str) -> Any:
    """A printed Python list or dictionary; what JSON has no form for stands for nothing."""
    if text[:1] not in ("[", "{") or "'" not in text:
        return None
    return _loaded(_PYTHON.sub(_as_json, text))


def _as_json(match: re.Match[str]) -> str:
    if match["text"] is not None:
        return json.dumps(match["text"].replace("\\'", "'").replace("\\\\", "\\"))
    word = match["number"] or match[0]
    return match["json"] or _WORDS.get(word, match["number"] or "null")


def _objects(content: Any) -> Iterator[Mapping[str, Any]]:
    """The objects with a formula in a document, at any depth, and those beside them in a list."""
    pending = [content]
    while pending:
        each = pending.pop()
        if isinstance(each, str) and each is not content:
            yield {"formula": each}
        elif _has_formula(each):
            yield each
        elif isinstance(each, dict):
            pending += [part for part in reversed(each.values()) if not _is_cell(part)]
        elif isinstance(each, list):
            if any(map(_has_formula, each)) and all(isinstance(part, dict) for part in each):
                yield from each
            else:
                pending += reversed(each)


def _has_formula(each: Any) -> bool:
    named = each.items() if isinstance(each, dict) else ()
    return any(isinstance(v, str) and str(k).lower() in FORMULA_NAMES for k, v in named)


def _is_cell(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    return str(value).strip() if _is_cell(value) else ""


# --- HTML and LaTeX ---

_TAG = re.compile(r"<(tr|t[dh]|/t[dh]|/table)\b[^<>]*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[^<>]*>")
_COLUMNS = re.compile(r"\A[*x]?\}(?:\{(?:[^{}]++|\{[^{}]*+\})*+\})?")
_RULES = re.compile(
    r"\\(?:(?:top|mid|bottom)rule|hline|c(?:mid)?(?:rule|line)(?:\([^()]*\))?\{[^{}]*\})"
)
_SET_LONG = re.compile(
    r"\\(?:begin|end)\{(?:minipage|dmath\*?|split|aligned)\}(?:\{[^{}]*\})?|\\vspace\{[^{}]*\}"
)
_POWER_OF_TEN = re.compile(r"([-+]?[\d.]++)\s*\\(?:cdot|times)\s*10\^\{?\s*([-+]?\d+)\s*\}?")
_BOLD = re.compile(r"\\(?:textbf|textit|text|emph|mathrm)\{([^{}]*)\}\Z")


def _sheet_of_html(source: PastedList) -> Sheet | None:
    _, table, text = source.text.partition("<table")
    rows: list[list[str]] = []
    for tag, content in zip((parts := _TAG.split(text))[1::2], parts[2::2], strict=True):
        if tag.lower() == "tr":
            rows.append([])
        elif tag.lower() == "/table":
            break
        elif tag[0] != "/" and rows:
            rows[-1].append(unescaped(_ANY_TAG.sub("", content)).strip())
    return _sheet_of_rows(rows, "HTML") if table else None


def _sheet_of_latex(source: PastedList) -> Sheet | None:
    bodies = source.text.split(r"\begin{tabular")[1:]
    tables = [t for body in bodies if (t := _latex_rows(body.partition(r"\end{tabular")[0]))]
    if len({tuple(header) for header, *_ in tables}) != 1:
        return None
    several = len(tables) > 1
    rows = [[*tables[0][0], *["problem"] * several]]
    for number, (_, *body) in enumerate(tables, start=1):
        rows += [[*row, *[f"output {number}"] * several] for row in body]
    return _sheet_of_rows(rows, "LaTeX", "latex")


def _latex_rows(body: str) -> list[list[str]]:
    """The cells of a tabular, behind what gives its columns."""
    lines = _RULES.sub("", _COLUMNS.sub("", body, count=1)).split(r"\\")
    rows = [[_latex_cell(cell) for cell in re.split(r"(?<!\\)&", line)] for line in lines]
    return [row for row in rows if any(row)]


def _latex_cell(cell: str) -> str:
    text = _SET_LONG.sub("", cell).strip()
    text = _BOLD.sub(r"\1", text)
    if text.startswith("$") and text.endswith("$"):
        text = text.strip("$").strip()
    power = _POWER_OF_TEN.fullmatch(text)
    return f"{power[1]}e{power[2]}" if power else text


def _sheet_of_rows(rows: Sequence[Sequence[str]], form: str, syntax: str = "") -> Sheet | None:
    if len(rows) < 2 or not any(rows[0]):
        return None
    return without_gaps(Sheet(tuple(rows[0]), tuple(map(tuple, rows[1:])), form, syntax=syntax))


# --- tables as tools print them ---

_PYSR_HEAD = re.compile(r"\s*Complexity\s+(?:Loss|MSE)(\s+Score)?\s+Equation\s*\Z", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d++\.?+\d*+(?:[eE][-+]?\d++)?+|inf|nan)"
_PYSR_ROW = rf"\s*+(\d++)\s++({_NUMBER})\s++"
_PYSR_SCORE = rf"(?:({_NUMBER})\s+)?+"
_LEFT_SIDE = re.compile(r"[A-Za-z_]\w*\s*=(?!=)\s*")
_GOES_ON = [".", ".", "."]


def _sheet_of_pysr(source: PastedList) -> Sheet | None:
    """The last table that was printed; an equation may go on in the next line."""
    lines = source.lines
    heads = [i for i, line in enumerate(lines) if _PYSR_HEAD.match(line)]
    if not heads:
        return None
    scored = lines[heads[-1]].lower().count("score")
    columns = ("Complexity", "Loss", *["Score"] * scored, "Equation")
    pattern = re.compile(_PYSR_ROW + _PYSR_SCORE * scored + r"(.*\S)", re.IGNORECASE)
    cells: list[list[str]] = []
    equations: list[list[str]] = []  # letters, so that many lines join in linear time
    beside: list[str] = []  # lines behind the first row that are none
    between = 0  # how many of them stand before the last row
    for line in lines[heads[-1] + 1 :]:
        row = pattern.match(line)
        if row is not None and beside and float(row[1]) <= float(cells[-1][0]):
            row = None  # the complexities of one table rise
        if row is None:
            if equations and not beside and equations[-1][-3:] == _GOES_ON and line[0] not in "=-":
                equations[-1][-3:] = line.strip()
            elif equations:
                beside.append(line.strip())
            continue
        between = len(beside)
        *numbers, text = row.groups("")
        cells.append(numbers)
        equations.append(list(text))
    texts = ("".join(letters) for letters in equations)
    whole = (text[side.end() :] if (side := _LEFT_SIDE.match(text)) else text for text in texts)
    rows = tuple((*numbers, text) for numbers, text in zip(cells, whole, strict=True))
    notes = [f"{len(heads)} tables were printed; the last is taken."] * (len(heads) > 1)
    if between:
        shown = wording.join(
            [f"`{wording.shorten(text, 40)}`" for text in beside[:between]], limit=3
        )
        notes.append(f"What stands between the rows is left out: {shown}.")
    return Sheet(columns, rows, "printed", tuple(notes))


_TURINGBOT_HEAD = re.compile(r"\s*Size\s+Error\s+(?:Test[_ ]Error\s+)?(?:Function|Formula)\s*\Z")


def _sheet_of_turingbot(source: PastedList) -> Sheet | None:
    lines = source.lines
    head = next((i for i, line in enumerate(lines[:5]) if _TURINGBOT_HEAD.match(line)), None)
    if head is None:
        return None
    names = ["Size", "Loss", *["Loss_test"] * ("Test" in lines[head]), "Function"]
    rows = [tuple(line.split(None, len(names) - 1)) for line in lines[head + 1 :]]
    return Sheet(tuple(names), tuple(rows), "printed", method="TuringBot")


_OF_AIFEYNMAN = ("test_error", "log_error", "log_error_of_all", "complexity", "loss", "formula")


def _sheet_of_aifeynman(source: PastedList) -> Sheet | None:
    """Four or five numbers before each formula; three columns where the name says what it is."""
    fewest = 2 if source.name.startswith("solution_") else 4
    rows = []
    for line in source.lines:
        cells = line.split(None, 5)
        count = next((i for i, c in enumerate(cells) if read_number(c) is None), len(cells) - 1)
        rows.append((count, line))
    width = min(count for count, _ in rows)
    if width < fewest or width == 3 or not reading_of(rows[-1][1].split(None, width)[width]):
        return None
    cells_of_rows = tuple(tuple(line.split(None, width)) for _, line in rows)
    return Sheet(_OF_AIFEYNMAN[5 - width :], cells_of_rows, "printed", method="AI Feynman")


def _sheet_of_bars(source: PastedList) -> Sheet | None:
    table = printed_in_bars(source.lines)
    return table if table and all(map(names_a_column, table.columns)) else None


_SHAPES: tuple[Callable[[PastedList], Sheet | None], ...] = (
    _sheet_of_json,
    _sheet_of_html,
    _sheet_of_latex,
    _sheet_of_turingbot,
    lambda source: printed_by_pandas(source.lines),
    _sheet_of_pysr,
    _sheet_of_aifeynman,
    _sheet_of_bars,
    lambda source: sheet_of_csv(source.text, source.lines[0]),
)
"""In the order in which they are tried."""


def sheet_of(source: PastedList) -> Sheet | None:
    """The table that a text holds, if it holds one."""
    sheet = next((sheet for shape in _SHAPES if (sheet := shape(source)) is not None), None)
    if sheet is not None and len(sheet.columns) > MAX_COLUMNS:
        raise too_wide()
    return sheet
