"""EIC beside the tables of other people's searches (`pip install pandas`).

`add_eic` takes what PySR, pyoperon, gplearn or this project's own estimator leaves behind, or a
list of formulas, and gives it back with columns that say where digits go; `select` chooses by them.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.effort import Effort
from eic_core.errors import DataError, FormulaError, UserError
from eic_core.explain.budget import most_digits
from eic_core.explain.judgement import A_DIGIT
from eic_core.explain.verdict import verdict
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.syntax.sympy_trees import sympy_text
from eic_core.formula.tree import Formula
from eic_core.headers import names_without_units
from eic_core.measure.inspection import inspect
from eic_core.measure.table import Table
from eic_core.pool.importers.listed import Listed
from eic_core.pool.left_out import reason_of
from eic_core.pool.listing import ListedScore, ScoredList, TableData, score_listing
from eic_core.pool.picking import READABLE, fitness, pick
from eic_core.pool.traits import formula_of
from eic_core.rewriting.repair import repair
from eic_core.samples import DEFAULT_SAMPLES, Samples

COLUMNS = (
    "r2",
    "eic",
    "worst_step",
    "cause",
    "measured_float64",
    "digits_needed",
    "better_form",
    "needs",
    "left_out",
)
"""What `add_eic` adds."""

MOST_ROWS, BUDGET_ROWS = DEFAULT_SAMPLES, 200
"""Rows, evenly spread, by which digits are counted that a formula loses, and that it needs."""

FEW_ROWS = 500
"""All of so many rows count for the digits that it needs: they have been inspected."""

_FORMULA_COLUMNS = ("equation", "sympy_format", "formula", "expression", "model", "text")
_PYSR = {"complexity", "loss", "equation"}
_STEP_LETTERS = 60


def add_eic(
    equations: Any,
    X: Any,
    y: Any,
    *,
    effort: Effort = "quick",
    seconds: float = math.inf,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Add to a table of formulas where each loses its digits on the data.

    Parameters
    ----------
    equations
        PySR's `equations_`, a fitted `PySRRegressor`, pyoperon's, gplearn's or this project's
        estimator, also inside a pipeline or a grid search, or a list of texts or SymPy expressions.
    X
        Shape (N, columns): an array, whose columns are x0, x1, ..., or a data frame with names. A
        unit, as in ``m [kg]``, is no part of a name. Of a pipeline, what its first step takes.
    y
        Shape (N,): what the formulas should reproduce.
    effort
        Of the search for a better form of each formula that loses a digit, as `repair` takes it.
    seconds
        After how many each search is stopped; 0 for no search.
    jobs
        Worker processes.
    progress
        Called with how many different formulas are done, and of how many.

    Returns
    -------
    Any
        A data frame of pandas: the table, or a new one with the column `equation`, in its order,
        no row dropped: with `r2` of the values that the formula itself gives on all rows, and of
        at most 10,000, evenly spread, `eic`, `worst_step`, `cause` of the leading finding,
        `measured_float64` (digits that double precision loses at nine in ten rows),
        `digits_needed` (of the constant or input that needs most of them), `better_form`, the
        conditions that it `needs` to be the same, and `left_out`: why a row lacks some of these, or
        at which rows R² takes a program's value.

    Raises
    ------
    DataError
        If there is no formula, or the data have another shape.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(1, 9, 50)[:, None]
    >>> table = add_eic(["2*x0", "1e9*x0 - 999999998*x0"], X, 2*X[:, 0], seconds=0)
    >>> table[["r2", "cause"]].round(6).to_dict("list")
    {'r2': [1.0, 1.0], 'cause': ['', 'cancellation']}
    """
    model, data = _table_data(equations, X, y)
    table, rows = _listed(model)
    scores = score_listing(rows, data, jobs=jobs)
    return _with_columns(
        table, rows, scores, range(len(rows)), data, effort, seconds, jobs, progress
    )


def score_front(equations: Any, X: Any, y: Any) -> ScoredList:
    """Score formulas as `add_eic` does, without what takes time.

    Parameters
    ----------
    equations
    X
    y
        As there.

    Returns
    -------
    ScoredList
        It shows itself in a notebook; `plot` draws accuracy against EIC. Its rows have the labels
        that they have in the table, or count from 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(1, 9, 50)[:, None]
    >>> [scored.score.complexity for scored in score_front(["2*x0", "x0 + x0 + 1"], X, 2*X[:, 0])]
    [3, 5]
    """
    model, data = _table_data(equations, X, y)
    return score_listing(_listed(model)[1], data)


def select(model: Any, X: Any, y: Any, *, price: float = READABLE) -> Any:
    """The formula to take from a model's front if a digit of EIC has a price.

    Parameters
    ----------
    model
        What `add_eic` takes.
    X
    y
        As there.
    price
        What a digit costs, in units of 1/(2 - R^2); 0 chooses without regard to digits.

    Returns
    -------
    Any
        A series of pandas: the row of `add_eic`; its `name` is the row's label in the model's
        table, as in PySR's ``model.predict(X, index=row.name)``.

    Raises
    ------
    DataError
        If no formula has an R^2, or the price is negative.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(1, 9, 50)[:, None]
    >>> select(["1e9*x0 - 999999998*x0", "2*x0"], X, 2*X[:, 0])["equation"]
    '2*x0'
    """
    model, data = _table_data(model, X, y)
    table, rows = _listed(model)
    scores = score_listing(rows, data)
    try:
        chosen = scores.index(pick(scores, alpha=price).picked)
    except DataError as error:
        refused = [scored.score.error for scored in scores if scored.score.error]
        if not refused or not error.problems:
            raise
        hint = f"the first: {refused[0]}; `add_eic` says it of each, in its column `left_out`"
        raise DataError(error.message, hint=hint, problems=error.problems) from None
    row = _with_columns(table, rows, scores, [chosen], data).iloc[0]
    return row if table is not None else row.rename(chosen)


def eic_scorer(price: float = READABLE) -> Callable[[Any, Any, Any], float]:
    """A scorer for scikit-learn: accuracy less what digits cost, of the formula that predicts.

    Parameters
    ----------
    price
        What a digit of EIC costs, as in `select`.

    Returns
    -------
    Callable[[Any, Any, Any], float]
        Takes a fitted estimator, X and y, as ``scoring=`` of `GridSearchCV` does; nan without R^2.
    """

    def score_model(model: Any, X: Any, y: Any) -> float:
        model, data = _table_data(model, X, y)
        [scored] = score_listing([_predicting(model)], data)
        return fitness(scored.score, price)

    return score_model


def _with_columns(
    table: Any,
    rows: Sequence[Listed],
    scores: Sequence[ListedScore],
    places: Sequence[int],
    data: TableData,
    effort: Effort = "quick",
    seconds: float = math.inf,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    import pandas as pd

    used = min((scores[place].rows for place in places if scores[place].rows), default=0)
    if used and used < data.table.rows:
        warnings.warn(
            f"{data.table.rows - used} of {data.table.rows} rows are left out: "
            "a cell that a formula needs holds no finite number",
            stacklevel=3,
        )
    # a population repeats itself: each formula is looked at once
    first = {(rows[place].formula, rows[place].syntax): place for place in reversed(places)}
    look = partial(_cells, data=data, effort=effort, seconds=seconds)
    distinct: dict[int, dict[str, Any]] = {}
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as executor:
        looked = (executor.map if executor else map)(look, [scores[i] for i in first.values()])
        for place, each in zip(first.values(), looked, strict=True):
            distinct[place] = each
            if progress is not None:
                progress(len(distinct), len(first))
    cells = [distinct[first[rows[place].formula, rows[place].syntax]] for place in places]
    if table is None:
        table = pd.DataFrame({"equation": [row.formula for row in rows]})
    return table.iloc[list(places)].assign(
        **{name: [each[name] for each in cells] for name in COLUMNS}
    )


def _cells(scored: ListedScore, data: TableData, effort: Effort, seconds: float) -> dict[str, Any]:
    score = scored.score
    cells: dict[str, Any] = {
        "r2": score.r2,
        "eic": math.nan,
        "worst_step": "",
        "cause": "",
        "measured_float64": math.nan,
        "digits_needed": math.nan,
        "better_form": "",
        "needs": "",
        "left_out": reason_of(score),
    }
    formula = formula_of(scored)
    if score.error or formula is None:
        return cells
    samples = _spread(data.table.samples(scored.columns, data.target), MOST_ROWS)
    inspection = inspect(formula, samples)
    judged = verdict(inspection)
    cells["eic"] = inspection.eic
    measured = cells["measured_float64"] = judged.measured.nine_in_ten
    if inspection.counts.valid:
        cells["worst_step"] = short_text(formula, inspection.worst_step, _STEP_LETTERS)
    if judged.leading is not None:
        cells["cause"] = judged.leading.cause.name()
    try:
        few = samples if len(samples) <= FEW_ROWS else _spread(samples, BUDGET_ROWS)
        cells["digits_needed"] = most_digits(
            inspection if few is samples else inspect(formula, few)
        )
    except UserError as error:
        cells["left_out"] = cells["left_out"] or str(error)
    if seconds and measured >= A_DIGIT:
        form = repair(
            formula,
            samples,
            effort=effort,
            limit_seconds=seconds,
            limit_repairs=1,
            inspection=inspection,
        ).leading
        if form is not None:
            cells["better_form"], cells["needs"] = form.text, ", ".join(form.assumptions)
    return cells


def _spread(samples: Samples, most: int) -> Samples:
    count = len(samples)
    return samples if count <= most else samples.take(np.arange(most) * count // most)


def _table_data(model: Any, X: Any, y: Any) -> tuple[Any, TableData]:
    """The model, of a grid or a pipeline the one inside, and what it was fitted to."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "named_steps"):
        before, model = model[:-1], model[-1]
        X = before.transform(X) if len(before) else X
    cells = _matrix(X, "X")
    names = [str(name) for name in getattr(X, "columns", ())]
    fitted_names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    if not names and len(fitted_names) == cells.shape[1]:
        names = fitted_names
    names = names or [f"x{i}" for i in range(cells.shape[1])]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"two columns of X are called `{repeated[0]}`", hint="rename one of them")
    targets = _matrix(y, "y")
    if targets.shape[1] != 1:
        raise DataError(f"y has {targets.shape[1]} columns", hint="give one of them")
    if len(targets) != len(cells):
        raise DataError(f"X has {len(cells)} rows, y has {len(targets)}")
    target = "target"
    while target in names:
        target += "_"
    columns = dict(zip(names_without_units(names), cells.T, strict=True))
    values = {**columns, target: targets[:, 0]}
    if not np.isfinite(targets).any():
        raise DataError("y holds no number", hint="give the numbers that formulas should reproduce")
    return model, TableData(Table(tuple(values), values, {}, (), (), "X"), target)


def _matrix(data: Any, name: str) -> np.ndarray:
    """Rows and columns; nan where a cell is no number."""
    cells = np.asarray(data)
    if cells.dtype.kind == "c":
        raise DataError(f"{name} holds complex numbers", hint="give their real parts, say")
    if name == "y" and cells.ndim == 1:
        cells = cells[:, None]
    if cells.ndim != 2:
        raise DataError(
            f"{name} has {wording.count(cells.ndim, 'dimension')}",
            hint="give its rows: a sparse X as `X.toarray()`, a single column as `X[:, None]`",
        )
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    return np.array([[_number(cell) for cell in row] for row in cells]).reshape(cells.shape)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def _listed(equations: Any) -> tuple[Any, list[Listed]]:
    """The table that is there, and its formulas."""
    if hasattr(equations, "_programs"):
        return None, _of_gplearn(equations)
    if hasattr(equations, "pareto_front_") and hasattr(equations, "get_model_string"):
        return None, [
            _operon(equations, member["tree"], row)
            for row, member in enumerate(equations.pareto_front_)
        ]
    table = getattr(equations, "equations_", equations)
    if isinstance(table, list) and table and hasattr(table[0], "columns"):
        raise DataError(
            f"the model has {len(table)} outputs, and a table of formulas for each",
            hint="give one of them, `model.equations_[0]`, and its column of y",
        )
    if hasattr(table, "columns"):
        by_word = {str(column).lower(): column for column in reversed(table.columns)}
        name = next((by_word[word] for word in _FORMULA_COLUMNS if word in by_word), None)
        if name is None:
            raise DataError(
                f"no column of the table holds formulas: {', '.join(map(str, table.columns))}",
                hint="call it `equation`",
            )
        syntax = "pysr" if by_word.keys() >= _PYSR else ""
        cells = [*map(_text, table[name])]
        return table, [Listed(*each, syntax) for each in zip(_labels(table), cells, strict=True)]
    if isinstance(table, str):
        raise DataError(
            "the formulas are one text",
            hint="give a list, `[text]`; of a file its table, `pandas.read_csv(path)`",
        )
    if hasattr(table, "fit") and not hasattr(table, "__iter__"):
        raise DataError(
            f"this {type(table).__name__} shows no formulas",
            hint="fit it first; only symbolic regressors have formulas",
        )
    items = [*table] if isinstance(table, Iterable) else []
    if not items:
        raise DataError(
            "there are no formulas",
            hint="give a fitted model, its table, or a list of texts or SymPy expressions",
        )
    return None, [_of_item(item, row) for row, item in enumerate(items)]


def _labels(table: Any) -> Sequence[int]:
    """What its rows are called where a choice is told: their labels, or else places from 0."""
    labels = [*getattr(table, "index", ())]
    numbers = all(isinstance(label, int | np.integer) for label in labels)
    if numbers and len(set(labels)) == len(labels) == len(table):
        return [*map(int, labels)]
    return range(len(table))


def _text(cell: Any) -> str:
    is_missing = cell is None or type(cell).__name__ == "NAType"
    return "" if is_missing or (isinstance(cell, float) and math.isnan(cell)) else str(cell)


def _of_item(item: Any, row: int) -> Listed:
    """A text, a formula, or an expression of SymPy, with all its digits."""
    if isinstance(item, Formula):
        return Listed(row, to_python(item))
    if not hasattr(item, "free_symbols"):
        return Listed(row, str(item))
    try:
        return Listed(row, sympy_text(item), "sympy")
    except FormulaError as error:
        return Listed(row, str(item), "sympy", error=str(error))


def _predicting(model: Any) -> Listed:
    """The formula by which a fitted model predicts."""
    if hasattr(model, "_program"):
        return _gplearn(model._program, 1)
    if hasattr(model, "get_model_string"):
        return _operon(model, model.model_, 1)
    if hasattr(model, "get_best"):
        return Listed(1, str(model.get_best()["equation"]), "pysr")
    if hasattr(model, "best_"):
        return Listed(1, model.best_.text)
    raise DataError(f"{type(model).__name__} shows no formula by which it predicts")


_ALL_DIGITS = 17


def _operon(model: Any, tree: Any, row: int) -> Listed:
    """With all digits: what the table prints has six."""
    return Listed(row, model.get_model_string(tree, _ALL_DIGITS), "operon")


def _of_gplearn(model: Any) -> list[Listed]:
    """The last generation; of a transformer, its best programs."""
    programs = getattr(model, "_best_programs", None) or model._programs[-1]
    return [_gplearn(program, row) for row, program in enumerate(filter(None, programs))]


def _gplearn(program: Any, row: int) -> Listed:
    """With all digits: what it prints has three."""
    return Listed(row, "".join(_gplearn_words(program)), "gplearn")


def _gplearn_words(program: Any) -> Iterator[str]:
    missing: list[int] = []
    for number, item in enumerate(program.program):
        if number and missing[-1] < 0:
            missing[-1] = -missing[-1]
        elif number:
            yield ", "
        if hasattr(item, "arity"):
            yield f"{item.name}("
            missing.append(-item.arity)
            continue
        names = program.feature_names
        yield (
            repr(float(item))
            if not isinstance(item, int)
            else (f"X{item}" if names is None else str(names[item]))
        )
        while missing:
            missing[-1] -= 1
            if missing[-1]:
                break
            yield ")"
            missing.pop()
