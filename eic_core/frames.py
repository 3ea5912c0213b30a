"""EIC beside the tables of other people's searches (`pip install eic-lab[frames]`).

`add_eic` takes what PySR, pyoperon, gplearn or this project's own estimator leaves behind, or a
list of formulas, and gives it back with columns that say where digits go; `select` chooses by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from eic_core.errors import DataError, UserError
from eic_core.explain.budget import digit_budget
from eic_core.explain.judgement import A_DIGIT
from eic_core.explain.verdict import verdict
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.syntax.sympy_trees import sympy_text
from eic_core.measure.inspection import inspect
from eic_core.measure.table import Table
from eic_core.pool.importers.listed import Listed
from eic_core.pool.listing import ListedScore, TableData, score_listing
from eic_core.pool.picking import READABLE, fitness, pick
from eic_core.pool.traits import formula_of
from eic_core.rewriting.repair import repair

COLUMNS = (
    "r2",
    "eic",
    "worst_step",
    "cause",
    "measured_float64",
    "digits_needed",
    "better_form",
    "left_out",
)
"""What `add_eic` adds."""

BUDGET_ROWS, CAREFUL_BUDGET_ROWS = 500, 5
"""Rows by which digits are counted that a formula needs, and where rows are settled exactly."""

_FORMULA_COLUMNS = ("equation", "sympy_format", "formula", "expression", "model", "text")
_PYSR = {"complexity", "loss", "equation"}
_TARGET = "target"
_STEP_LETTERS = 60


def add_eic(
    equations: Any,
    X: Any,
    y: Any,
    *,
    seconds: float = 1.0,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Add to a table of formulas where each loses its digits on the data.

    Parameters
    ----------
    equations
        PySR's `equations_`, a fitted `PySRRegressor`, pyoperon's, gplearn's or this project's
        estimator, or a list of texts or SymPy expressions.
    X
        Shape (N, columns): an array, whose columns are x0, x1, ..., or a data frame with names.
    y
        Shape (N,): what the formulas should reproduce.
    seconds
        How long a better form of each formula that loses a digit is searched; 0 for not at all.
    jobs
        Worker processes that score.
    progress
        Called with how many formulas are done, and of how many.

    Returns
    -------
    Any
        A data frame of pandas: the table, or a new one with the column `equation`, in its order,
        no row dropped: with `r2` of the values that the formula itself gives, `eic`,
        `worst_step`, `cause` of the leading finding, `measured_float64` (digits that double
        precision loses at nine in ten rows), `digits_needed` (of the constant or input that needs
        most of them), `better_form`, and `left_out`: why a row has none of these.

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
    table, rows = _listed(equations)
    data = _table_data(X, y)
    scores = score_listing(rows, data, jobs=jobs)
    return _with_columns(table, rows, scores, range(len(rows)), data, seconds, progress)


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
    table, rows = _listed(model)
    data = _table_data(X, y)
    scores = score_listing(rows, data)
    chosen = scores.index(pick(scores, alpha=price).picked)
    row = _with_columns(table, rows, scores, [chosen], data, seconds=1.0).iloc[0]
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
        [scored] = score_listing([_predicting(model)], _table_data(X, y))
        return fitness(scored.score, price)

    return score_model


def _with_columns(
    table: Any,
    rows: Sequence[Listed],
    scores: Sequence[ListedScore],
    places: Sequence[int],
    data: TableData,
    seconds: float,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    import pandas as pd

    cells = []
    for done, place in enumerate(places, start=1):
        cells.append(_cells(scores[place], data, seconds))
        if progress is not None:
            progress(done, len(places))
    if table is None:
        table = pd.DataFrame({"equation": [row.formula for row in rows]})
    return table.iloc[list(places)].assign(
        **{name: [each[name] for each in cells] for name in COLUMNS}
    )


def _cells(scored: ListedScore, data: TableData, seconds: float) -> dict[str, Any]:
    score = scored.score
    cells: dict[str, Any] = {
        "r2": score.r2,
        "eic": math.nan,
        "worst_step": "",
        "cause": "",
        "measured_float64": math.nan,
        "digits_needed": math.nan,
        "better_form": "",
        "left_out": score.error,
    }
    formula = formula_of(scored)
    if score.error or formula is None:
        return cells
    samples = data.table.samples(scored.columns, _TARGET)
    inspection = inspect(formula, samples)
    judged = verdict(inspection)
    cells["eic"] = inspection.eic
    measured = cells["measured_float64"] = judged.measured.nine_in_ten
    if inspection.counts.valid:
        cells["worst_step"] = short_text(formula, inspection.bottleneck, _STEP_LETTERS)
    if judged.leading is not None:
        cells["cause"] = judged.leading.cause.name()
    try:
        most = BUDGET_ROWS if inspection.counts.rechecked == 0 else CAREFUL_BUDGET_ROWS
        rows = np.unique(np.linspace(0, len(samples) - 1, most).astype(np.int64))
        needs = digit_budget(inspect(formula, samples.take(rows))).needs
        cells["digits_needed"] = max((need.together for need in needs), default=0)
    except UserError as error:
        cells["left_out"] = str(error)
    if seconds and measured >= A_DIGIT:
        form = repair(formula, samples, limit_seconds=seconds).leading
        cells["better_form"] = "" if form is None else to_python(form.formula)
    return cells


def _table_data(X: Any, y: Any) -> TableData:
    names = [str(name) for name in getattr(X, "columns", ())]
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise DataError(f"X has {rows.ndim} dimensions", hint="give one row for each of y")
    target = np.asarray(y, dtype=np.float64).reshape(-1)
    if len(target) != len(rows):
        raise DataError(f"X has {len(rows)} rows, y has {len(target)}")
    columns = dict(zip(names or [f"x{i}" for i in range(rows.shape[1])], rows.T, strict=True))
    if _TARGET in columns:
        raise DataError(f"a column of X is called `{_TARGET}`", hint="give it another name")
    values = {**columns, _TARGET: target}
    return TableData(Table(tuple(values), values, {}, (), (), ""), _TARGET)


def _listed(equations: Any) -> tuple[Any, list[Listed]]:
    """The table that is there, and its formulas."""
    if hasattr(equations, "_programs"):
        return None, _of_gplearn(equations)
    if hasattr(equations, "pareto_front_") and hasattr(equations, "get_model_string"):
        return None, [
            _operon(equations, member["tree"], row)
            for row, member in enumerate(equations.pareto_front_, start=1)
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
        return table, [Listed(i, str(text), syntax) for i, text in enumerate(table[name], start=1)]
    if isinstance(table, str) or not isinstance(table, Sequence) or not table:
        raise DataError(
            "there are no formulas",
            hint="give a fitted model, its table, or a list of texts or SymPy expressions",
        )
    return None, [_of_item(item, row) for row, item in enumerate(table, start=1)]


def _of_item(item: Any, row: int) -> Listed:
    """A text, or an expression of SymPy with all its digits."""
    return Listed(row, item) if isinstance(item, str) else Listed(row, sympy_text(item), "sympy")


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
    return [_gplearn(program, row) for row, program in enumerate(filter(None, programs), start=1)]


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
