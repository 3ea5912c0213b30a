"""The searches that made the demo's pool: Operon and gplearn, several settings each.

Needs the development dependencies (`requirements-dev.txt`).  What a search prints is kept
word for word; nothing here knows of EIC.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

OPERON = "Operon"
GPLEARN = "gplearn"
DECIMALS = (4, 6, 9, 12, 16, 20)
"""Numbers of decimals that Operon's formatter is asked for, fewest first."""


@dataclass(frozen=True)
class Setting:
    """One way to run a search.

    Attributes
    ----------
    name, method : str
    seeds : int
        Runs on each problem in one round; their seeds are 1, 2, ... and go on in a second round.
    options : mapping
        Arguments of the tool's `SymbolicRegressor`.
    """

    name: str
    method: str
    seeds: int
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """A model that a search ended with.

    Attributes
    ----------
    texts : tuple of str
        How the tool prints it, with fewer and with more decimals.
    r2 : float
        As the search itself evaluates the model.
    size : int
        As the tool counts.
    """

    texts: tuple[str, ...]
    r2: float
    size: int


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
    _operon("wide-small", "sin,cos,tan,exp,log,sqrt,tanh,pow,square", 14,
            max_length=8, population_size=30, generations=15, optimizer_iterations=1),
    _gplearn("plain", ("add", "sub", "mul", "div"), 2),
    _gplearn("wide", ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos", "exp"), 5),
)  # fmt: skip


def search(setting: Setting, seed: int, names: list[str], rows: np.ndarray) -> Iterator[Found]:
    """Run one search and yield the models that it ends with.

    Parameters
    ----------
    setting : Setting
    seed : int
    names : list of str
        Input columns.
    rows : ndarray, shape (rows, len(names) + 1)
        Inputs, then the target.

    Yields
    ------
    Found
        Operon: its Pareto front of R² and length.  gplearn: its final population.
    """
    run = _run_operon if setting.method == OPERON else _run_gplearn
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield from run(setting, seed, names, rows[:, :-1], rows[:, -1])


def _run_operon(
    setting: Setting, seed: int, names: list[str], inputs: np.ndarray, target: np.ndarray
) -> Iterator[Found]:
    regressor = import_module("pyoperon.sklearn").SymbolicRegressor(
        **setting.options, random_state=seed
    )
    regressor.fit(inputs, target)
    for model in regressor.pareto_front_:
        texts = [regressor.get_model_string(model["tree"], d, names) for d in DECIMALS]
        r2 = 1 - model["mean_squared_error"] / float(np.var(target))
        yield Found(tuple(dict.fromkeys(texts)), r2, int(model["complexity"]))


def _exponential(a: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(a, 700.0))


def _run_gplearn(
    setting: Setting, seed: int, names: list[str], inputs: np.ndarray, target: np.ndarray
) -> Iterator[Found]:
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
            yield Found((str(program),), r2, int(program.length_))
