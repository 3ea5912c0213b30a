"""What a search says of a candidate, held to numpy and to `inspect` of its printed formula."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.values import values
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.samples import Samples
from eic_core.search.fitting import Individual, fitted_formula, weigh
from eic_core.search.problem import SearchProblem
from eic_core.search.vocabulary import Vocabulary, formula_of, parts_of

NAMES = ("x", "y", "z")
STEPS = ("add", "sub", "mul", "div", "square", "sqrt", "exp", "log", "sin", "inv", "max")


def data(rows: int = 80, *, zeros: bool = False) -> Samples:
    """Positive inputs, or with `zeros` small integers, where every rule at an edge holds."""
    rng = np.random.default_rng(11)
    columns = {name: rng.uniform(0.5, 3, rows) for name in NAMES}
    if zeros:
        columns = {name: np.round(column) - 1 for name, column in columns.items()}
    x, y, z = columns.values()
    return Samples.from_columns(columns, target=x * y + np.sin(z) + 0.1 * rng.normal(size=rows))


def problem(penalty: str = "q90", *, zeros: bool = False) -> SearchProblem:
    steps = [step for step in STEPS if not zeros or step not in ("div", "inv", "log", "sqrt")]
    vocabulary = Vocabulary(NAMES, tuple(steps), most_nodes=200)
    return SearchProblem(data(zeros=zeros), vocabulary, penalty=penalty)


def some_candidates(on: SearchProblem, count: int) -> list[Individual]:
    rng = random.Random(2)
    genomes = []
    for _ in range(count):
        parts = [part for _ in range(3) for part in parts_of(on.vocabulary.grow(rng, 3))]
        genomes.append(tuple(dict.fromkeys(parts)))
    found = weigh(genomes, [0] * count, on.terms(), on.target, on.weights)
    assert len(found) > count / 4
    return found


@pytest.mark.parametrize("zeros", [False, True])
def test_coefficients_are_those_of_numpys_least_squares(zeros: bool) -> None:
    on = problem(zeros=zeros)
    aim = on.training.target
    for candidate in some_candidates(on, 120):
        columns = [values(formula_of(term), on.training) for term in candidate.genome]
        whole = np.column_stack([np.ones(len(aim)), *columns])
        scale = np.abs(whole).max(axis=0)
        solution = np.linalg.lstsq(whole / scale, aim, rcond=1e-7)[0]
        best = np.mean((aim - (whole / scale) @ solution) ** 2) / np.var(aim)
        given = [candidate.fitted.intercept, *candidate.fitted.coefficients]
        own = np.mean((aim - whole @ given) ** 2) / np.var(aim)
        assert own == pytest.approx(candidate.fitted.nmse, rel=1e-6, abs=1e-9)
        assert own == pytest.approx(best, rel=1e-4, abs=1e-9)


def test_terms_that_say_the_same_are_fitted_once() -> None:
    on = problem()
    twice = (("$x",), ("$x", 3.0, "add", "square"), ("$x", "square"), ("$z", "sin"))
    [found] = weigh([twice], [0], on.terms(), on.target, on.weights)
    assert len(found.genome) == 3 and all(found.fitted.coefficients)
    assert max(map(abs, found.fitted.coefficients)) < 1e3


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("penalty", ["mean", "q90"])
def test_nodes_and_digits_are_those_of_the_printed_formula(penalty: str, zeros: bool) -> None:
    on = problem(penalty, zeros=zeros)
    where = on.terms().on_digit_rows
    checked = 0
    for candidate in some_candidates(on, 60):
        text = to_python(fitted_formula(candidate.genome, candidate.fitted))
        formula = read(text, columns=NAMES).formula
        assert formula.complexity == candidate.nodes, text
        found = inspect(formula, where, recheck=False) if penalty == "mean" else None
        digits = found.eic if found is not None else worst_q90(formula, where)
        assert candidate.digits == pytest.approx(digits, rel=1e-6, abs=1e-9), text
        checked += 1
    assert checked > 15


def worst_q90(formula, where: Samples) -> float:
    """The largest over the nodes of half the log10 of the 90 % quantile of s^2."""
    found = amplify(formula, where, recheck=False)
    assert found.valid_count == len(where)
    each = [
        np.quantile(found.valid_s2(node), 0.9, method="inverted_cdf")
        for node in range(formula.complexity)
    ]
    return 0.5 * math.log10(max(each))


def test_without_the_compiled_engine_candidates_are_the_same(monkeypatch) -> None:
    compiled = some_candidates(problem(), 40)
    monkeypatch.setattr(native, "library", lambda: None)
    plain = some_candidates(problem(), 40)
    assert [c.genome for c in plain] == [c.genome for c in compiled]
    for one, other in zip(plain, compiled, strict=True):
        assert one.fitness == pytest.approx(other.fitness, rel=1e-9)
