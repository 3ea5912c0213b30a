"""Operon and pyoperon: the Pareto front as a file or as Python prints it.

`pyoperon.sklearn.SymbolicRegressor.pareto_front_` is a list of dictionaries with the infix text
under ``model`` and ``mean_squared_error``, ``minimum_description_length`` and other criteria
beside (github.com/heal-research/pyoperon, ``pyoperon/sklearn.py``, `get_solution_stats`).  People
save it with pandas, or print it.  Variables count from ``X1``.
"""

from __future__ import annotations

import re

from eic_core.pool.importers.rows import NO_FORMULA, Listed, stored_numbers
from eic_core.pool.importers.source import Sheet, Source
from eic_core.pool.importers.tables import listed_cells

_CRITERIA = (
    "mean_squared_error", "minimum_description_length", "bayesian_information_criterion",
    "akaike_information_criterion", "objective_values", "mdl",
)  # fmt: skip
_MODEL = re.compile(r"""['"]model['"]\s*:\s*(?:'([^'\n]*)'|"([^"\n]*)")""")
_CRITERION = re.compile(
    rf"""['"]({"|".join(_CRITERIA)}|complexity|length)['"]\s*:\s*(?:np\.float(?:32|64)\()?"""
    r"([-+]?[\d.]+(?:[eE][-+]?\d+)?|[-+]?inf)"
)


def recognise_file(sheet: Sheet) -> str:
    """What tells a saved front; "" if nothing does."""
    found = [name for name in _CRITERIA if sheet.place(name) >= 0]
    if not found or sheet.place("model", "expression", "infix", "equation", "formula") < 0:
        return ""
    return f"the columns `model` and `{found[0]}` are those of pyoperon's front"


def listed_file(sheet: Sheet, column: str) -> list[Listed]:
    """The rows of the file."""
    return listed_cells(sheet, column, syntax="operon", method="Operon")


def recognise_print(source: Source) -> str:
    """What tells a printed front; "" if nothing does."""
    if _MODEL.search(source.text) and _CRITERION.search(source.text):
        return "it holds 'model': and an error measure, as pyoperon's pareto_front_ prints"
    return ""


def listed_print(source: Source) -> list[Listed]:
    """A row for each 'model': of the print."""
    found = list(_MODEL.finditer(source.text))
    ends = [m.start() for m in found[1:]] + [len(source.text)] * bool(found)
    rows = []
    for row, (model, end) in enumerate(zip(found, ends, strict=True), start=1):
        text = (model[1] or model[2] or "").strip()
        numbers = [(m[1], m[2]) for m in _CRITERION.finditer(source.text, model.end(), end)]
        rows.append(
            Listed(
                row, text, "operon", "Operon",
                stored=stored_numbers(numbers), error="" if text else NO_FORMULA,
            )
        )  # fmt: skip
    return rows
