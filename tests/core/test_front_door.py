"""A value of another kind is answered with a sentence that says how the right one is made."""

from __future__ import annotations

import inspect as introspection
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eic_core import Domain, Samples, UserError, frames, inspect, read
from eic_core.corpora import claims
from eic_core.corpora.generating import GenerationPlan
from eic_core.engine.tape import tape_of
from eic_core.measure.observed import exact_values
from eic_core.measure.table import read_table
from eic_core.report.findings import investigate
from eic_core.report.provenance import Provenance
from eic_core.search.problem import problem_of
from eic_core.search.run import SearchBudget
from tools.public_names import exported, in_the_overview

X = np.linspace(1, 9, 12)[:, None]
WRONG = {
    "a text": "x + y",
    "a dict": {"x": X[:, 0]},
    "an array": X[:, 0],
    "a frame": pd.DataFrame(X, columns=["x"]),
    "a list": [1.0, 2.0],
    "a tuple": ("x", 1),
    "a number": 3,
    "None": None,
    "a reading": read("x"),
}


@cache
def good() -> dict[str, Any]:
    """What each parameter of a public function takes, by its name."""
    samples = Samples.from_columns({"x": X[:, 0]}, target=2 * X[:, 0])
    formula = read("2*x + 1 - 1").formula
    inspection = inspect(formula, samples)
    return {
        "formula": formula,
        "formulas": [formula],
        "form": formula,
        "samples": samples,
        "inspection": inspection,
        "text": "x",
        "domains": {"x": Domain("uniform", 1, 2)},
        "count": 100,
        "variables": ["x"],
        "columns": {"x": [1.0]},
        "exact": exact_values(formula, samples, "float64"),
        "kind": "float64",
        "tape": tape_of(formula),
        "predicted": X[:, 0],
        "target": X[:, 0],
        "node_id": 0,
        "equations": ["2*x0"],
        "model": ["2*x0"],
        "X": X,
        "y": X[:, 0],
        "table": read_table("x,y\n1,2\n2,4\n"),
        "problem": problem_of(samples),
        "budget": SearchBudget(max_evals=100),
        "plan": GenerationPlan(max_eic=2.0, points=10),
        "mapping": {"x": "x"},
        "provenance": Provenance(),
        "findings": investigate(inspection, with_repair=False, with_triangulation=False),
        "first": claims.groups_of_laws(("strogatz",))[0],
        "second": claims.groups_of_laws(("strogatz",))[0],
    }


@cache
def doors() -> dict[str, Callable[..., Any]]:
    """The public functions that take one of `KINDS`, and those by which data come in, by name."""
    things = [*exported(), *in_the_overview(), frames.add_eic, frames.score_front, frames.select]
    functions = [each for each in things if not introspection.isclass(each)]
    functions.append(Samples.from_columns)
    return {f"{each.__module__}.{each.__qualname__}": each for each in functions if checked(each)}


KINDS = {
    "Formula",
    "Samples",
    "Inspection",
    "Table",
    "Tape",
    "ExactValues",
    "Group",
    "Operator",
    "Findings",
    "Provenance",
    "SearchProblem",
    "SearchBudget",
    "GenerationPlan",
    "GeneratedSets",
}
"""Whose makers a caller may have missed; of texts, numbers and paths Python itself says it."""

DATA = {"domains", "columns", "formulas", "equations", "model", "X", "y"}


def checked(door: Callable[..., Any]) -> list[str]:
    """Its parameters of one of `KINDS`, and those that are `DATA`, of those that must be given."""
    each = introspection.signature(door).parameters.values()
    data = DATA if door.__module__.endswith(("samples", "frames", "scoring")) else set()
    given = [p for p in each if p.default is p.empty]
    return [p.name for p in given if p.annotation in KINDS or p.name in data]


def calls() -> Iterator[tuple[str, str]]:
    for name, door in doors().items():
        for parameter in checked(door):
            yield name, parameter


@pytest.mark.parametrize(("name", "parameter"), calls())
def test_a_value_of_another_kind_is_a_users_mistake(name: str, parameter: str) -> None:
    door = doors()[name]
    names = introspection.signature(door).parameters.values()
    right = {p.name: good().get(p.name) for p in names if p.default is p.empty}
    for wrong, value in WRONG.items():
        try:
            answer = door(**right | {parameter: value})
            if introspection.isgenerator(answer):
                next(answer)
        except UserError as error:
            assert error.hint or parameter not in ("formula", "samples", "inspection"), wrong
        else:
            assert parameter in DATA, wrong  # a list of texts is one of formulas


def test_the_way_out_names_how_formulas_and_samples_are_made() -> None:
    x = {"x": X[:, 0]}
    formula, samples = good()["formula"], good()["samples"]
    with pytest.raises(UserError, match=r"a text is no formula yet: give `read\(text\)"):
        inspect("x + y", samples)  # type: ignore[arg-type]
    for given, kind in ((x, "a dict"), (X, "an array"), (pd.DataFrame(x), "a DataFrame")):
        with pytest.raises(UserError, match=rf"{kind} is no samples yet: .*Samples\.from_columns"):
            inspect(formula, given)  # type: ignore[arg-type]
    assert len(doors()) > 40
