"""Formulas that searches find on the laws: the shipped pool. ``python -m
eic_core.corpora.searched`` makes it anew with gplearn and Operon (`requirements-dev.txt`),
``--figures`` only the digits.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import eic_core
from eic_core.corpora.found import FoundByMethod, LawRows, collect_by_method, measure_each
from eic_core.corpora.laws import Law, load
from eic_core.corpora.measured import COUNTS, SEED, Digits, MeasuredFormula
from eic_core.errors import UserError
from eic_core.exports import csv_text
from eic_core.formula.syntax.names import canonical_name
from eic_core.pool.importers import Listed, import_formulas
from eic_core.samples import Samples
from eic_core.search import SearchBudget, problem_of, search

TRAINING_ROWS = 300
TRAINING_SEED = 1
"""Seed of the rows that searches see; the formulas are measured on other rows."""

MAX_EVALS = 40_000

COLUMNS = ("dataset", "method", "formula", "syntax")


@cache
def shipped_pool() -> tuple[Listed, ...]:
    """The rows of the shipped pool.

    >>> rows = shipped_pool()
    >>> rows[0].problem, sorted({row.method for row in rows})
    ('feynman_I_6_2', ['EIC-GP', 'GP', 'Operon', 'gplearn'])
    """
    table = files("eic_core.corpora") / "data" / "searched.csv"
    return import_formulas(table.read_bytes(), name="searched.csv").rows


def _with_prices(alpha: float) -> Callable[[Law, Samples], str]:
    def find(law: Law, samples: Samples) -> str:
        result = search(
            problem_of(samples, alpha=alpha), SearchBudget(max_evals=MAX_EVALS, enough_r2=1 - 1e-12)
        )
        return result.select().text

    return find


def _gplearn(law: Law, samples: Samples) -> str:
    genetic = import_module("gplearn.genetic")
    regressor = genetic.SymbolicRegressor(
        population_size=250,
        generations=15,
        metric="mse",
        init_depth=(2, 4),
        const_range=(-10.0, 10.0),
        parsimony_coefficient=0.0,
        p_crossover=0.7,
        p_subtree_mutation=0.12,
        p_hoist_mutation=0.06,
        p_point_mutation=0.1,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos"),
        feature_names=list(law.variables),
        random_state=TRAINING_SEED,
        n_jobs=1,
    )
    regressor.fit(*_matrix(law, samples))
    return str(regressor._program)


def _operon(law: Law, samples: Samples) -> str:
    regressor = import_module("pyoperon.sklearn").SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,constant,variable,sin,cos,exp,log,sqrt,square",
        objectives=["r2", "length"],
        population_size=200,
        generations=60,
        max_length=30,
        max_depth=10,
        optimizer_iterations=3,
        n_threads=1,
        random_state=TRAINING_SEED,
    )
    regressor.fit(*_matrix(law, samples))
    best = min(regressor.pareto_front_, key=lambda model: model["mean_squared_error"])
    return str(regressor.get_model_string(best["tree"], 8, list(law.variables)))


def _matrix(law: Law, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    columns = [samples.columns[canonical_name(name)] for name in law.variables]
    assert samples.target is not None
    return np.column_stack(columns), samples.target


METHODS: dict[str, tuple[str, Callable[[Law, Samples], str]]] = {
    "EIC-GP": ("infix", _with_prices(0.002)),
    "GP": ("infix", _with_prices(0.0)),
    "Operon": ("operon", _operon),
    "gplearn": ("gplearn", _gplearn),
}
"""Notation and search of each method, with small budgets and fixed seeds, one formula a law.

EIC-GP is GP with a price of 0.002 a digit; EIC plays no part in what gplearn and Operon find.
"""


def search_laws(laws: Iterable[Law]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for law in laws:
        samples = law.samples(TRAINING_ROWS, TRAINING_SEED)
        for method, (syntax, find) in METHODS.items():
            try:
                # other programs warn of every overflow in a formula that they drop a moment later
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    text = find(law, samples)
            except UserError as error:
                sys.stderr.write(f"{law.name}: {method} found nothing: {error}\n")
                continue
            rows.append((law.name, method, text, syntax))
        sys.stderr.write(f"{law.name}\n")
    return rows


def shipped_pool_figures() -> tuple[FoundByMethod, ...]:
    """The digits that the formulas of the shipped pool lose, at `COUNTS` rows with `SEED`.

    >>> first = shipped_pool_figures()[0]
    >>> first.method, sorted(first.formulas[0].digits)
    ('EIC-GP', [100, 1000, 10000])
    """
    rows, figures = shipped_pool(), _figures()["figures"]
    laws = {law.name: law for law in _laws()}
    outcomes = [
        (row.method, _shipped_outcome(row, cells, laws))
        for row, cells in zip(rows, figures, strict=True)
    ]
    return collect_by_method(rows, outcomes)


def _shipped_outcome(
    row: Listed, cells: list[Any], laws: Mapping[str, Law]
) -> MeasuredFormula | str:
    place, law, outcome, *numbers = cells
    assert (place, law) == (row.row, row.problem)
    if isinstance(outcome, str):
        return outcome
    values = [math.nan if value is None else float(value) for value in numbers]
    digits = {n: Digits(*values[4 * k : 4 * k + 4]) for k, n in enumerate(COUNTS)}
    ranges = {canonical_name(name): domain for name, domain in laws[law].domains.items()}
    return MeasuredFormula(
        f"row {place}", law, row.formula, outcome, digits, ranges=ranges, syntax=row.syntax
    )


@cache
def _figures() -> dict[str, Any]:
    text = (files("eic_core.corpora") / "data" / "searched.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _document() -> str:
    measured: dict[int, list[Any]] = {}
    for place, outcome in measure_each(shipped_pool(), LawRows()):
        row = shipped_pool()[place]
        cells: list[Any] = [row.row, row.problem]
        if isinstance(outcome, str):
            measured[place] = [*cells, outcome]
            continue
        cells.append(outcome.complexity)
        for lost in outcome.digits.values():
            cells += map(_number, (lost.eic, lost.q90, lost.valid, lost.r2))
        measured[place] = cells
    head = {
        "version": eic_core.__version__,
        "seed": SEED,
        "rows": COUNTS,
        "columns": [
            "row",
            "law",
            "complexity",
            *(f"{word}_{n}" for n in COUNTS for word in ("eic", "q90", "valid", "r2")),
        ],
    }
    parts = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    lines = ",\n".join(json.dumps(measured[place]) for place in sorted(measured))
    return f'{{\n{parts},\n"figures": [\n{lines}\n]\n}}\n'


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return round(value, 6) if math.isfinite(value) else str(value)


def _laws() -> tuple[Law, ...]:
    return (*load("feynman"), *load("strogatz"))


if __name__ == "__main__":
    folder = Path(__file__).parent / "data"
    if "--figures" not in sys.argv[1:]:
        pool = csv_text(COLUMNS, search_laws(_laws()))
        (folder / "searched.csv").write_text(pool, encoding="utf-8")
    (folder / "searched.json").write_text(_document(), encoding="utf-8")
