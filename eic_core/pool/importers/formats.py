"""The formats, a row each: how one is recognised, and what its tool means by what it writes.

- DEAP (github.com/DEAP/deap, ``deap/gp.py``): `str(individual)`, calls of the names of the
  primitives on ``ARG0``, ``ARG1``, ...
- eggp and rEGGression (github.com/folivetti): ``Expression`` and the same for NumPy and in LaTeX;
  the parameters ``t0``, ``t1``, ... of an expression without numbers stand in ``theta``.
- gplearn (github.com/trevorstephens/gplearn, ``gplearn/genetic.py``, `_verbose_reporter`): the
  table that ``verbose=1`` prints and `run_details_` hold no formula, ``print(est._program)`` does.
- Operon (github.com/heal-research/pyoperon, ``pyoperon/sklearn.py``, `get_solution_stats`;
  github.com/heal-research/operon, ``cli/source/pareto_front.cpp``): `pareto_front_` is a list of
  dictionaries with the infix text under ``model``; the program writes JSON with ``expression``.
- PhySO (github.com/WassimTenachi/PhySO, ``physo/learn/monitoring.py``, `get_pareto_data_df`): the
  free constants stand in columns of their own; where they have no value, they are 1. Roots and
  logarithms are those of the magnitude (``physo/physym/functions.py``, `OPS_PROTECTED`), which only
  ``expression_prefix`` tells: ``expression`` writes a root as a power.
- PySR (github.com/MilesCranmer/SymbolicRegression.jl, ``src/SearchUtils.jl``, `save_to_file`):
  ``hall_of_fame.csv`` has the header ``Complexity,Loss,Equation``, before 0.6
  ``Complexity|MSE|Equation``; ``model.equations_.to_csv()`` lower-case names.
- SRBench (github.com/cavalab/srbench, ``experiment/evaluate_model.py``): runs with
  ``symbolic_model``, ``r2_test`` and more, as CSV or JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax.languages import language
from eic_core.pool.candidate import Candidate, exponents_in
from eic_core.pool.importers.listed import NO_FORMULA, ColumnChoice, Listed, Rows, read_number
from eic_core.pool.importers.sheets import Sheet, cell_of

CUT = "printing has cut this formula short: save the table with to_csv"
_METHODS = ("method", "algorithm", "tool", "model_name", "regressor")
_PROBLEMS = ("problem", "dataset")
_SPREADSHEET = tuple("=+-@＝＋－＠'")
_NAME = re.compile(r"[^\W\d]\w*")


class TableFormat(NamedTuple):
    label: str
    columns: str  # Those that all have to be there, with alternatives behind a bar
    formula: str = ""  # The one with the formulas; "" lets the cells tell
    # Those that hold the same formula once more, in another notation
    same: tuple[str, ...] = ()
    syntax: str = ""
    method: str = ""
    reason: str = ""  # What it is recognised by, where it has no header of its own

    def recognise(self, sheet: Sheet) -> str:
        """The reason to take a table for one of this format; "" without one."""
        if sheet.method:
            return self.reason if sheet.method == self.method else ""
        if not self.columns:
            return _reason_of_cells(sheet)
        places = [sheet.column_index(*names.split("|")) for names in self.columns.split()]
        if min(places) < 0:
            return ""
        named = wording.join([f"`{sheet.columns[i]}`" for i in places])
        return self.reason or f"its columns include {named}"


class LineFormat(NamedTuple):
    label: str
    line: re.Pattern[str]  # What every line begins with
    word: re.Pattern[str]  # What some line holds
    syntax: str = ""
    method: str = ""
    table: re.Pattern[str] | None = None  # Lines of the tool's own that hold no formula

    def recognise(self, lines: Sequence[str]) -> str:
        """The reason to take lines for some of this format; "" without one."""
        formulas = self.formulas(lines)
        if self.table is not None and any(map(_GPLEARN_HEAD.match, lines)):
            return "it holds the table of generations that gplearn prints"
        if all(map(self.line.match, formulas)) and any(map(self.word.search, formulas)):
            return f"every line is a call, as {self.method} prints" if self.method else _NO_TOOL
        return ""

    def formulas(self, lines: Sequence[str]) -> list[str]:
        return [line for line in lines if self.table is None or not self.table.match(line)]


_CRITERIA = (
    "mean_squared_error|minimum_description_length|bayesian_information_criterion"
    "|akaike_information_criterion|objective_values|mdl"
)
_CALL = r"\s*\[?\(?(?:(?:{})\(|[-+]?[\w.]++[\s,\])]*+\Z)"
"""A call of one of these names, or a variable or a number alone."""

_NOT_CALLS = r"(?!.*(?:[*/^]|[\w)]\s*+[-+]\s|\)[-+]{}))"
"""No line of calls alone holds one of these: operators between operands, and other names."""

TABLES: dict[str, TableFormat] = {
    "eggp": TableFormat(
        "eggp or rEGGression table", "expression numpy|id theta|fitness|loss_train", "expression",
        ("numpy", "math"), "srtree", "eggp",
    ),
    "physo": TableFormat(
        "PhySO front", "complexity reward expression expression_prefix", "expression",
        ("expression_prefix",), "infix", "PhySO",
    ),
    "pysr": TableFormat(
        "PySR hall of fame", "complexity loss|mse|score equation", "equation",
        ("sympy_format", "lambda_format", "julia_expression", "jax_format", "torch_format"),
        "pysr", "PySR",
    ),
    "turingbot": TableFormat(
        "TuringBot list", "size loss function", "function", (), "turingbot", "TuringBot",
        "it has the header of TuringBot",
    ),
    "aifeynman": TableFormat(
        "AI Feynman solution", "complexity loss formula", "formula", (), "sympy_x0",
        "AI Feynman", "numbers stand before each formula, as AI Feynman writes them",
    ),
    "scored": TableFormat(
        "Scored pool", "formula complexity r2 eic eic_finite invalid singular", "formula"
    ),
    "pool": TableFormat("Pool", "problem|dataset formula", "formula"),
    "srbench": TableFormat("SRBench result", "symbolic_model", "symbolic_model"),
    "operon": TableFormat(
        "Operon front", f"model|expression|infix|equation|formula {_CRITERIA}", "model|expression",
        (), "operon", "Operon",
    ),
    "gplearn_details": TableFormat(
        "gplearn run details", "generation average_length best_length best_fitness"
    ),
    "table": TableFormat("Table with a column of formulas", ""),
}  # fmt: skip
"""In the order in which they are tried."""

_GPLEARN_HEAD = re.compile(r"\s*+(?:\|\s*+)?Population Average\s*\|\s*Best Individual")
_NO_TOOL = "neither a table nor the print of a known tool"
LINES: dict[str, LineFormat] = {
    "gplearn": LineFormat(
        "gplearn, printed",
        re.compile(
            _NOT_CALLS.format(r"|\bARG\d|(?:protected|safe)_?[dD]iv\(")
            + _CALL.format("add|sub|mul|div|sqrt|log|abs|neg|inv|max|min|sin|cos|tan")
        ),
        re.compile(r"\w\(.*\bX\d|\b(?:div|inv)\("),
        "gplearn",
        "gplearn",
        re.compile(
            rf"{_GPLEARN_HEAD.pattern}|\s*Gen\s+Length\s+Fitness"
            r"|\s*\d+\s+[\d.]+\s+[-+\d.einfa]+\s+\d+\s+[-+\d.einfa]+(?:\s+\S+)*\s*\Z|[-|= ]*\Z"
        ),
    ),
    "deap": LineFormat(
        "DEAP individuals",
        re.compile(_NOT_CALLS.format("") + _CALL.format(r"[a-z]\w*")),
        re.compile(r"\bARG\d|\b(?:protected|safe)_?[dD]iv\(|\bvadd\("),
        "deap",
        "DEAP",
    ),
    "list": LineFormat("List, one formula a line", re.compile(""), re.compile("")),
}


def _reason_of_cells(sheet: Sheet) -> str:
    if not sheet.formula_columns:
        return ""
    first = sheet.formula_columns[0]
    share = sheet.shares[sheet.columns.index(first)]
    if not share:
        return f"column `{first}` is called as one of formulas is"
    return f"the cells of column `{first}` read as formulas ({wording.percent(share)} of a sample)"


def no_gplearn_programs() -> DataError:
    return DataError(
        "this is gplearn's table of generations, which holds no formula",
        hint="paste what print(est._program) says, or the programs of the last generation: "
        "for p in est._programs[-1]: print(p)",
    )


def formula_column(sheet: Sheet, table: TableFormat, requested: str | None) -> tuple[str, str]:
    """The name of the column with the formulas, and a note on others that hold formulas, too.

    Raises `ColumnChoice` if several may be meant, `DataError` if none is there or the requested one
    is not.
    """
    names = wording.join([f"`{name}`" for name in sheet.columns], limit=12)
    if requested is not None:
        if requested in sheet.columns:
            return requested, ""
        raise DataError(f"there is no column `{requested}`", hint=f"there are {names}")
    place = sheet.column_index(*table.formula.split("|")) if table.formula else -1
    if place >= 0:
        column = sheet.columns[place]
        others = [n for n in sheet.columns if n.lower() in table.same] + [
            n for n in sheet.formula_columns if n != column and n.lower() not in table.same
        ]
        listed = wording.join([f"`{name}`" for name in others], limit=5)
        note = f"The formulas are those of column `{column}`; {listed} may hold formulas, too."
        return column, note if others else ""
    if len(sheet.formula_columns) > 1:
        raise ColumnChoice(sheet.formula_columns)
    if not sheet.formula_columns:
        hint = f"choose the column by hand; there are {names}"
        raise DataError("no column of this table reads as formulas", hint=hint)
    return sheet.formula_columns[0], ""


def read_table_rows(sheet: Sheet, column: str, table: TableFormat) -> Rows:
    """A row for each row of a sheet, and what was assumed."""
    place = sheet.columns.index(column)
    methods, problems = sheet.column_index(*_METHODS), sheet.column_index(*_PROBLEMS)
    syntaxes, exponents = sheet.column_index("syntax"), sheet.column_index("exponents")
    parameters = _parameters_of(sheet, table)
    in_own_notation = column.lower() in (*table.formula.split("|"), "formula", "expression")
    syntax = sheet.syntax or (table.syntax if in_own_notation or not table.same else "")
    scores, notes = sheet.scores(place)
    words = sheet.column_index("expression_prefix") if table.method == "PhySO" else -1
    rows, protected = [], 0
    for number, cells in enumerate(sheet.whole_rows(place), start=1):
        formula = unguarded(cell_of(cells, place).strip())
        if written := of_magnitudes(cell_of(cells, words)):
            formula, protected = written, protected + 1
        who = cell_of(cells, methods).strip()
        rows.append(
            Listed(
                number,
                formula,
                syntax=cell_of(cells, syntaxes).strip() or notation_of(who) or syntax,
                method=who or table.method,
                problem=cell_of(cells, problems).strip(),
                parameters=parameters(cells, formula),
                stored=scores[number - 1],
                error=CUT if "..." in formula else "" if formula else NO_FORMULA,
                exponents=exponents_in(cell_of(cells, exponents)),
            )
        )
    if protected:
        notes = (*notes, _OF_MAGNITUDES.format(wording.count(protected, "formula")))
    return rows, (*sheet.notes, *notes)


def notation_of(method: str) -> str:
    """The notation in which a method of that name prints, "" if it is not known.

    >>> notation_of("Operon"), notation_of("tuned.OperonRegressor"), notation_of("MLP")
    ('operon', 'operon', '')
    """
    short = method.rpartition(".")[2].removesuffix("Regressor")
    return language(short) or ""


def unguarded(cell: str) -> str:
    """A cell without the apostrophe that keeps spreadsheets from computing it.

    >>> unguarded("'-x+1"), unguarded("x'")
    ('-x+1', "x'")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:].lstrip().startswith(_SPREADSHEET) else cell


_OF_MAGNITUDES = "PhySO takes roots and logarithms of the magnitude; so written: {}."
_MAGNITUDES = {"sqrt": "sqrt(abs({}))", "log": "log(abs({}))", "cbrt": "abs({})**(1/3)"}
_PHYSO: dict[str, str] = _MAGNITUDES | {
    "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "div": "({} / {})",
    "pow": "({}) ** ({})", "neg": "(-{})", "inv": "(1 / {})", "n2": "({}) ** 2", "n3": "({}) ** 3",
    "n4": "({}) ** 4", "logabs": "log(abs({}))", "expneg": "exp(-{})",
}  # fmt: skip
_CALLS = "sin cos tan exp abs tanh sinh cosh arctan arccos arcsin erf"
_PHYSO |= {name: f"{name}({{}})" for name in _CALLS.split()}
_MOST_WORDS = 500
_OF_FRONT = frozenset("complexity length reward rmse r2 expression expression_prefix".split())


def of_magnitudes(cell: str) -> str:
    """A formula in PhySO's prefix words, its roots and logarithms of the magnitude; "" without one.

    >>> of_magnitudes("[sqrt sub x1 x0]"), of_magnitudes("[mul x0 c1]")
    ('sqrt(abs((x1 - x0)))', '')
    """
    words = cell.strip().strip("[]").split()
    if _MAGNITUDES.keys().isdisjoint(words) or len(words) > _MOST_WORDS:
        return ""
    stack: list[str] = []
    for word in reversed(words):
        template = _PHYSO.get(word)
        if template is None:  # a variable or a number, whatever it holds
            stack.append(word)
            continue
        arity = template.count("{}")
        if len(stack) < arity:
            return ""
        stack.append(template.format(*[stack.pop() for _ in range(arity)]))
    return stack[0] if len(stack) == 1 else ""


def _parameters_of(
    sheet: Sheet, table: TableFormat
) -> Callable[[tuple[str, ...], str], Mapping[str, str]]:
    """What gives the values of what a formula leaves open from the cells of its row."""
    extra, theta = sheet.column_index("extra"), sheet.column_index("theta")

    def numbered(cells: tuple[str, ...], _: str) -> Mapping[str, str]:
        values = cell_of(cells, theta).strip()
        text = f"theta={values}" if values else cell_of(cells, extra)
        return Candidate.from_row({"problem": "", "formula": "", "extra": text}).parameters

    def named(cells: tuple[str, ...], formula: str) -> Mapping[str, str]:
        names = set(_NAME.findall(formula)) - _OF_FRONT  # a variable may be called `length`
        given = {n: cell_of(cells, i).strip() for i, n in enumerate(sheet.columns) if n in names}
        return {n: cell if read_number(cell) is not None else "1" for n, cell in given.items()}

    return named if table.method == "PhySO" else numbered
