"""Make the demo's problem files and its pool by real searches: ``python -m study.demo.make_pool``.

Needs the development dependencies (`requirements-dev.txt`); nothing here knows of EIC.
"""

from __future__ import annotations

import argparse
import gzip
import logging
import math
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from eic_core.exports import csv_text
from eic_core.formula.syntax import read
from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import score_pool
from study.demo import PROBLEM_INDEX, demo_pool_path, problem_folder
from study.demo.sources import SOURCES, ProblemSource, write_problems

OPERON = "Operon"
GPLEARN = "gplearn"
DECIMALS = (4, 6, 9, 12, 16, 20)
"""Numbers of decimals that Operon's formatter is asked for, fewest first."""


@dataclass(frozen=True)
class Setting:
    name: str
    method: str
    # Runs on each problem in one round; their seeds are 1, 2, ... and go on in a second round.
    seeds: int
    # Arguments of the tool's `SymbolicRegressor`
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FittedModel:
    texts: tuple[str, ...]  # How the tool prints it, with fewer and with more decimals
    r2: float  # As the search itself evaluates the model
    size: int  # As the tool counts


def _operon(name: str, symbols: str, seeds: int, **options: object) -> Setting:
    common: dict[str, Any] = {
        "allowed_symbols": f"add,sub,mul,div,constant,variable,{symbols}",
        "objectives": ["r2", "length"],
        "population_size": 100,
        "generations": 40,
        "max_length": 10,
        "max_depth": 6,
        "optimizer_iterations": 3,
        "n_threads": 1,
    }
    return Setting(name, OPERON, seeds, common | options)


def _gplearn(name: str, functions: tuple[str, ...], seeds: int, **options: object) -> Setting:
    common: dict[str, Any] = {
        "function_set": functions,
        "population_size": 250,
        "generations": 15,
        "metric": "mse",
        "init_depth": (2, 4),
        "const_range": (-10.0, 10.0),
        "parsimony_coefficient": 0.0,
        "p_crossover": 0.7,
        "p_subtree_mutation": 0.12,
        "p_hoist_mutation": 0.06,
        "p_point_mutation": 0.1,
        "n_jobs": 1,
    }
    return Setting(name, GPLEARN, seeds, common | options)


SETTINGS: tuple[Setting, ...] = (
    _operon("polynomial", "square", 3),
    _operon("growth", "exp,log,sqrt", 5),
    _operon("waves", "sin,cos,tanh", 8, max_length=8),
    _operon("wide", "sin,cos,exp,log,sqrt,tanh,pow", 8),
    _operon("wide-short", "sin,cos,tan,exp,log,sqrt,tanh,pow,square", 10, max_length=7),
    _operon(
        "wide-small",
        "sin,cos,tan,exp,log,sqrt,tanh,pow,square",
        14,
        max_length=8,
        population_size=30,
        generations=15,
        optimizer_iterations=1,
    ),
    _gplearn("plain", ("add", "sub", "mul", "div"), 2),
    _gplearn("wide", ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos", "exp"), 5),
)


def search(
    setting: Setting, seed: int, names: list[str], rows: np.ndarray
) -> Iterator[FittedModel]:
    """Run one search: Operon gives its Pareto front of R² and length, gplearn its population."""
    run = _run_operon if setting.method == OPERON else _run_gplearn
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield from run(setting, seed, names, rows[:, :-1], rows[:, -1])


def _run_operon(
    setting: Setting, seed: int, names: list[str], inputs: np.ndarray, target: np.ndarray
) -> Iterator[FittedModel]:
    regressor = import_module("pyoperon.sklearn").SymbolicRegressor(
        **setting.options, random_state=seed
    )
    regressor.fit(inputs, target)
    for model in regressor.pareto_front_:
        texts = [regressor.get_model_string(model["tree"], d, names) for d in DECIMALS]
        r2 = 1 - model["mean_squared_error"] / float(np.var(target))
        yield FittedModel(tuple(dict.fromkeys(texts)), r2, int(model["complexity"]))


def _exponential(a: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(a, 700.0))


def _run_gplearn(
    setting: Setting, seed: int, names: list[str], inputs: np.ndarray, target: np.ndarray
) -> Iterator[FittedModel]:
    gplearn = import_module("gplearn.genetic")
    make_function = import_module("gplearn.functions").make_function
    exponential = make_function(function=_exponential, name="exp", arity=1, wrap=False)
    functions = [exponential if f == "exp" else f for f in setting.options["function_set"]]
    options = setting.options | {"function_set": functions}
    regressor = gplearn.SymbolicRegressor(**options, feature_names=names, random_state=seed)
    regressor.fit(inputs, target)
    spread = float(np.sum((target - target.mean()) ** 2))
    for program in regressor._programs[-1]:
        residual = target - program.execute(inputs)
        r2 = 1 - float(np.sum(residual**2)) / spread
        if math.isfinite(r2):
            yield FittedModel((str(program),), r2, int(program.length_))


COLUMNS = ("problem", "method", "setting", "seed", "formula", "syntax", "r2_search", "tool_size")
LEAST_R2 = 0.8
MOST_NODES = 25
LEAST_NODES = 3
FEW_ROWS = 150
TOLERANCE = 1e-6
"""Largest difference between the R² of a formula as printed and that of the search."""
LOOSE_TOLERANCE = 1e-3
"""The same for gplearn, which always prints three decimals."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PoolRow:
    problem: str
    setting: Setting
    seed: int
    formula: str
    model: FittedModel

    def cells(self) -> tuple[str, ...]:
        method = self.setting.method
        return (
            self.problem,
            method,
            self.setting.name,
            str(self.seed),
            self.formula,
            method.lower(),
            f"{self.model.r2:.6f}",
            str(self.model.size),
        )


def candidates_as_printed(
    source: ProblemSource, setting: Setting, models: list[FittedModel]
) -> Iterator[tuple[FittedModel, str, Score]]:
    """The models whose printed formula, as its tool computes it, is the model that was fitted."""
    texts = [(model, text) for model in models for text in model.texts]
    syntax = setting.method.lower()
    candidates = [Candidate(source.name, text, setting.method, syntax) for _, text in texts]
    scores = score_pool(candidates, problem_folder(), jobs=1)
    tolerance = TOLERANCE if syntax == "operon" else LOOSE_TOLERANCE
    # gplearn's three decimals may be too few: a model whose printed forms all miss the search's own
    # R² is left out.
    done: set[int] = set()
    for (model, text), score in zip(texts, scores, strict=True):
        if id(model) not in done and abs(score.r2 - model.r2) <= tolerance:
            done.add(id(model))
            yield model, text, score


def is_fair_candidate(model: FittedModel, score: Score) -> bool:
    size = score.complexity
    return size is not None and LEAST_NODES <= size <= MOST_NODES and model.r2 >= LEAST_R2


def outline(text: str, syntax: str, names: Iterable[str]) -> object:
    """Equal for formulas that differ only past three digits of their constants."""
    formula = read(text, syntax=syntax, columns=tuple(names)).formula
    return tuple(
        (node.operator, len(node.children), _short(node.label), node.parameter)
        for node in formula.nodes
    )


def _short(label: str) -> str:
    try:
        return f"{float(label):.3g}"
    except ValueError:
        return label


def rows_of(source: ProblemSource) -> Iterator[PoolRow]:
    names = [name for name, _, _ in source.columns[:-1]]
    table = source.table()
    outlines: set[object] = set()
    for turn in range(2):
        # A second round with further seeds follows where the first leaves too few.
        if turn and len(outlines) >= FEW_ROWS:
            return
        for setting in SETTINGS:
            started = time.perf_counter()
            fair = printed = 0
            before = len(outlines)
            for seed in range(1 + turn * setting.seeds, 1 + (turn + 1) * setting.seeds):
                models = [f for f in search(setting, seed, names, table) if f.r2 >= LEAST_R2]
                fair += len(models)
                for model, text, score in candidates_as_printed(source, setting, models):
                    printed += 1
                    if not is_fair_candidate(model, score):
                        continue
                    key = outline(text, setting.method.lower(), names)
                    if key not in outlines:
                        outlines.add(key)
                        yield PoolRow(source.name, setting, seed, text, model)
            log.info(
                "%-11s %-8s %-11s %4d fair models, %4d print as fitted, %3d kept, %4.1f s",
                source.name,
                setting.method,
                setting.name,
                fair,
                printed,
                len(outlines) - before,
                time.perf_counter() - started,
            )


def write_pool(path: Path, rows: Iterable[PoolRow]) -> int:
    cells = [row.cells() for row in rows]
    path.write_bytes(gzip.compress(csv_text(COLUMNS, cells).encode(), mtime=0))
    return len(cells)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m study.demo.make_pool", description=__doc__)
    parser.add_argument("--problems-only", action="store_true", help="write no pool")
    parser.add_argument("--only", nargs="*", default=[], help="these problems only")
    parser.add_argument("--out", type=Path, default=demo_pool_path())
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write_problems(problem_folder(), PROBLEM_INDEX)
    if arguments.problems_only:
        return
    sources = [s for s in SOURCES if not arguments.only or s.name in arguments.only]
    count = write_pool(arguments.out, (row for source in sources for row in rows_of(source)))
    log.info("%d rows in %s", count, arguments.out.name)


if __name__ == "__main__":
    main()
