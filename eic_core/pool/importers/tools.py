"""What PySR, Operon, gplearn, SRBench and this program print or save, a section a tool. Each
`recognise_*` gives the reason to take a list for that format, "" without one.

- gplearn (github.com/trevorstephens/gplearn, ``gplearn/genetic.py``, `_verbose_reporter`): the
  table that ``verbose=1`` prints and `run_details_` hold no formula, ``print(est._program)`` does.
- Operon (github.com/heal-research/pyoperon, ``pyoperon/sklearn.py``, `get_solution_stats`):
  `pareto_front_` is a list of dictionaries with the infix text under ``model`` beside
  ``mean_squared_error`` and others. Variables count from ``X1``.
- PySR (github.com/MilesCranmer/SymbolicRegression.jl, ``src/SearchUtils.jl``, `save_to_file`):
  ``hall_of_fame.csv`` has the header ``Complexity,Loss,Equation``, before 0.6
  ``Complexity|MSE|Equation``; ``model.equations_.to_csv()`` lower-case names
  (astroautomata.com/PySR, "Examples"). In a printed table long equations end in ``...`` and go on
  in the next line.
- SRBench (github.com/cavalab/srbench, ``experiment/evaluate_model.py``): runs with
  ``symbolic_model``, ``r2_test`` and more, as CSV, or JSON as a list or one a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from eic_core.errors import DataError
from eic_core.pool.importers.listed import MAX_ROWS, NO_FORMULA, Listed, Rows
from eic_core.pool.importers.numerals import stored_numbers
from eic_core.pool.importers.plain import read_lines
from eic_core.pool.importers.sheets import FORMULA_NAMES, Sheet, too_many
from eic_core.pool.importers.source import PastedList, notation_of, read_table_rows

_GPLEARN_HEAD = re.compile(r"\s*+(?:\|\s*+)?Population Average\s*\|\s*Best Individual")
_NAMES = re.compile(r"\s*Gen\s+Length\s+Fitness")
_GENERATION = re.compile(r"\s*\d+\s+[\d.]+\s+[-+\d.einfa]+\s+\d+\s+[-+\d.einfa]+(?:\s+\S+)*\s*\Z")
_PROGRAM = re.compile(r"\s*\[?(?:add|sub|mul|div|sqrt|log|abs|neg|inv|max|min|sin|cos|tan)\(")
_DETAILS = ("generation", "average_length", "best_length", "best_fitness")


def recognise_gplearn(source: PastedList) -> str:
    if any(_GPLEARN_HEAD.match(line) for line in source.lines):
        return "it holds the table of generations that gplearn prints"
    if all(_PROGRAM.match(line) for line in source.lines) and re.search(r"\bX\d", source.text):
        return "every line is a program of gplearn, add(X0, …)"
    return ""


def recognise_gplearn_details(sheet: Sheet) -> str:
    return (
        "its columns are those of gplearn's run_details_"
        if all(sheet.column_index(name) >= 0 for name in _DETAILS)
        else ""
    )


def read_gplearn(source: PastedList) -> list[Listed]:
    """The programs among the lines. Raises `DataError` if there is none: the table alone has only
    lengths.
    """
    lines = [line for line in source.lines if not _of_the_table(line)]
    rows = read_lines(lines, syntax="gplearn")[0] if lines else []
    if not rows:
        raise no_gplearn_programs()
    return [
        Listed(r.row, r.formula, r.syntax, "gplearn", stored=r.stored, error=r.error) for r in rows
    ]


def no_gplearn_programs() -> DataError:
    return DataError(
        "this is gplearn's table of generations, which holds no formula",
        hint="paste what print(est._program) says, or the programs of the last generation: "
        "for p in est._programs[-1]: print(p)",
    )


def _of_the_table(line: str) -> bool:
    return any(
        pattern.match(line) for pattern in (_GPLEARN_HEAD, _NAMES, _GENERATION)
    ) or not line.strip("-|= ")


_CRITERIA = (
    "mean_squared_error",
    "minimum_description_length",
    "bayesian_information_criterion",
    "akaike_information_criterion",
    "objective_values",
    "mdl",
)
_OPERON_MODEL = re.compile(r"""['"]model['"]\s*:\s*(?:'([^'\n]*)'|"([^"\n]*)")""")
_CRITERION = re.compile(
    rf"""['"]({"|".join(_CRITERIA)}|complexity|length)['"]\s*:\s*(?:np\.float(?:32|64)\()?"""
    r"([-+]?[\d.]+(?:[eE][-+]?\d+)?|[-+]?inf)"
)


def recognise_operon_file(sheet: Sheet) -> str:
    found = [name for name in _CRITERIA if sheet.column_index(name) >= 0]
    if not found or sheet.column_index("model", "expression", "infix", "equation", "formula") < 0:
        return ""
    return f"the columns `model` and `{found[0]}` are those of pyoperon's front"


def read_operon_file(sheet: Sheet, column: str) -> Rows:
    return read_table_rows(sheet, column, syntax="operon", method="Operon")


def recognise_operon_print(source: PastedList) -> str:
    if _OPERON_MODEL.search(source.text) and _CRITERION.search(source.text):
        return "it holds 'model': and an error measure, as pyoperon's pareto_front_ prints"
    return ""


def read_operon_print(source: PastedList) -> list[Listed]:
    found = list(_OPERON_MODEL.finditer(source.text))
    ends = [m.start() for m in found[1:]] + [len(source.text)] * bool(found)
    rows = []
    for row, (model, end) in enumerate(zip(found, ends, strict=True), start=1):
        text = (model[1] or model[2] or "").strip()
        numbers = [(m[1], m[2]) for m in _CRITERION.finditer(source.text, model.end(), end)]
        rows.append(
            Listed(
                row,
                text,
                "operon",
                "Operon",
                stored=stored_numbers(numbers),
                error="" if text else NO_FORMULA,
            )
        )
    return rows


def recognise_scored_pool(sheet: Sheet) -> str:
    needed = ("formula", "complexity", "r2", "eic", "eic_finite", "invalid", "singular")
    if any(sheet.column_index(name) < 0 for name in needed):
        return ""
    return "the columns `formula`, `eic` and `eic_finite` are those of a scored pool"


def recognise_pool(sheet: Sheet) -> str:
    problem = sheet.column_index("problem", "dataset")
    if problem < 0 or sheet.column_index("formula") < 0:
        return ""
    return f"the columns `{sheet.columns[problem]}` and `formula` are those of a pool"


def read_pool_rows(sheet: Sheet, column: str) -> Rows:
    """The rows of the pool; a stored ``error`` is kept only where there is no formula."""
    return read_table_rows(sheet, column)


_PYSR_HEAD = re.compile(r"\s*Complexity\s+(?:Loss|MSE)(\s+Score)?\s+Equation\s*\Z", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d++\.?+\d*+(?:[eE][-+]?\d++)?+|inf|nan)"
_ROW = re.compile(rf"\s*+(\d++)\s++({_NUMBER})\s++(.*\S)", re.IGNORECASE)
_SCORE = re.compile(rf"({_NUMBER})\s+", re.IGNORECASE)
_HEAD_OF_EQUATION = re.compile(r"[A-Za-z_]\w*\s*=(?!=)\s*")
_REPR = re.compile(r"PySRRegressor\.equations_\s*=\s*\[")
_REPR_ROW = re.compile(
    rf"\s*+\d++\s++(?:>>>>\s++)?({_NUMBER})\s++(.*\S)\s++({_NUMBER})\s++(\d++)\s*+\Z", re.IGNORECASE
)
_GOES_ON = [".", ".", "."]
CUT = "printing has cut this equation short: take it from hall_of_fame.csv"


def recognise_pysr_file(sheet: Sheet) -> str:
    wanted = (("complexity",), ("loss", "mse"), ("equation",))
    places = [sheet.column_index(*names) for names in wanted]
    if min(places) < 0:
        return ""
    named = [f"`{sheet.columns[i]}`" for i in places]
    return f"the columns {named[0]}, {named[1]} and {named[2]} are those of PySR's hall of fame"


def read_pysr_file(sheet: Sheet, column: str) -> Rows:
    return read_table_rows(sheet, column, syntax="pysr", method="PySR")


def recognise_pysr_print(source: PastedList) -> str:
    if source.sheet is not None and source.sheet.origin:
        return ""
    if any(_PYSR_HEAD.match(line) for line in source.lines):
        return "the heads Complexity, Loss and Equation are those that PySR prints"
    if any(_REPR.search(line) for line in source.lines):
        return "it begins like PySR's print(model)"
    return ""


def read_pysr_print(source: PastedList) -> Rows:
    """The rows of the last table that was printed, and what was left out."""
    lines = source.lines
    heads = [i for i, line in enumerate(lines) if _PYSR_HEAD.match(line)]
    if not heads:
        return _read_pysr_repr(lines), ()
    notes = () if len(heads) == 1 else (f"{len(heads)} tables were printed; the last is taken.",)
    head = _PYSR_HEAD.match(lines[heads[-1]])
    scored = head is not None and head[1] is not None
    rows: list[Listed] = []
    letters: list[str] = []  # of an equation that may go on in the next line
    numbers = [("", "")]
    for line in [*lines[heads[-1] + 1 :], "==="]:
        printed_row = _ROW.match(line)
        if printed_row is None and letters[-3:] == _GOES_ON and not line.startswith(("=", "-")):
            del letters[-3:]
            letters.extend(line.strip())
            continue
        if letters:
            rows.append(_row(len(rows) + 1, "".join(letters), numbers))
            letters = []
        if printed_row is None:
            if rows:
                break
            continue
        text, numbers = printed_row[3], [("complexity", printed_row[1]), ("loss", printed_row[2])]
        if scored and (score := _SCORE.match(text)):
            text, numbers = text[score.end() :], [*numbers, ("score", score[1])]
        letters = list(text)
    return rows, notes


def _row(row: int, text: str, numbers: list[tuple[str, str]]) -> Listed:
    formula = _HEAD_OF_EQUATION.sub("", text, count=1) if _HEAD_OF_EQUATION.match(text) else text
    error = "" if formula else NO_FORMULA
    if "..." in formula:
        error = CUT
    return Listed(row, formula, "pysr", "PySR", stored=stored_numbers(numbers), error=error)


def _read_pysr_repr(lines: tuple[str, ...]) -> list[Listed]:
    rows: list[Listed] = []
    for line in lines:
        if found := _REPR_ROW.match(line):
            numbers = [("score", found[1]), ("loss", found[3]), ("complexity", found[4])]
            rows.append(_row(len(rows) + 1, found[2].strip(), numbers))
    return rows


_SRBENCH_MODEL = "symbolic_model"
_NONE = ("not implemented", "none", "nan", "")


def recognise_srbench_file(sheet: Sheet) -> str:
    if sheet.column_index(_SRBENCH_MODEL) < 0:
        return ""
    return "the column `symbolic_model` is SRBench's"


def read_srbench_file(sheet: Sheet, column: str) -> Rows:
    return read_table_rows(sheet, column, rename=notation_of)


def recognise_srbench_json(source: PastedList) -> str:
    runs = list(_runs(source, limit=20))
    if any(_SRBENCH_MODEL in run for run in runs):
        return "JSON with `symbolic_model`, as SRBench writes"
    if any(_key(run) for run in runs):
        return "JSON with a formula in each object"
    return ""


def read_srbench_json(source: PastedList) -> list[Listed]:
    """A row for each run. Raises `DataError` if there are too many."""
    rows: list[Listed] = []
    for run in _runs(source, limit=MAX_ROWS + 1):
        if len(rows) >= MAX_ROWS:
            raise too_many()
        key = _key(run)
        text = str(run.get(key) or "").strip() if key else ""
        method = str(run.get("algorithm") or run.get("method") or "")
        numbers = [(k, repr(v)) for k, v in run.items() if _is_number(v)]
        rows.append(
            Listed(
                len(rows) + 1,
                text,
                syntax=str(run.get("syntax") or "") or notation_of(method),
                method=method,
                problem=str(run.get("dataset") or run.get("problem") or ""),
                stored=stored_numbers(numbers),
                error=NO_FORMULA if text.lower() in _NONE else "",
            )
        )
    return rows


def _key(run: Mapping[str, Any]) -> str:
    lower = {key.lower(): key for key in run}
    for name in (_SRBENCH_MODEL, *FORMULA_NAMES):
        if name in lower and isinstance(run[lower[name]], str):
            return lower[name]
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _runs(source: PastedList, limit: int) -> Iterator[Mapping[str, Any]]:
    text = source.text.strip()
    if text[:1] not in "[{":
        return
    try:
        content = json.loads(text)
        found = content if isinstance(content, list) else [content]
    except (ValueError, RecursionError):
        found = []
        for line in source.lines[:limit]:
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                return
    for item in found[:limit]:
        if isinstance(item, str):
            yield {"formula": item}
        elif isinstance(item, dict):
            yield item
