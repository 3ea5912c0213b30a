"""A population is measured as each of its formulas is alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.population import Population
from eic_core.engine.tape import lay_out, lay_out_population
from eic_core.engine.values import plain_values, values
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.samples import Samples
from tests.core.measure.test_paths import NASTY_CELLS, nasty_tree


def formulas(seed: int, count: int) -> list[Formula]:
    rng = random.Random(seed)
    return [Formula.from_draft(nasty_tree(rng, rng.choice((2, 3, 4)))) for _ in range(count)]


def table(seed: int, rows: int) -> Samples:
    rng = random.Random(seed)
    ordinary = (0.3, 0.7, 1.3, 2.1, -0.4)
    special = NASTY_CELLS if seed % 2 else (0.0, 1.0, -1.0)
    cells = (*ordinary * 4, *special)
    return Samples.from_columns({v: [rng.choice(cells) for _ in range(rows)] for v in "xy"})


@pytest.fixture(params=("native", "reference"))
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "reference":
        without: Callable[[], None] = lambda: None  # noqa: E731
        monkeypatch.setattr(native, "library", without)
    return str(request.param)


@pytest.mark.parametrize("seed", range(4))
def test_every_formula_scores_as_it_does_alone(seed: int, engine: str) -> None:
    members, samples = formulas(seed, 60 if engine == "native" else 15), table(seed, 70)
    members += members[:3]  # twins share a root
    scores = Population(members).amplify(samples, keep_values=True)
    assert scores.values is not None
    compared = 0
    for i, formula in enumerate(members):
        alone = amplify(formula, samples, recheck=False, root_values=True)
        assert scores.eic[i] == pytest.approx(alone.eic, rel=1e-12, nan_ok=True), i
        assert scores.eic_finite[i] == pytest.approx(alone.eic_finite, rel=1e-12, nan_ok=True), i
        assert scores.invalid[i] == len(samples) - alone.valid_count
        assert scores.singular[i] == alone.singular_samples
        assert scores.out_of_range[i] == alone.out_of_range
        assert alone.root_values is not None
        if not alone.out_of_range:  # `values` alone says nothing of what lies beyond
            assert np.array_equal(scores.values[i], alone.root_values, equal_nan=True)
            compared += 1
    assert compared > len(members) / 3 or seed % 2


@pytest.mark.parametrize(
    "text", ["sin(pi)", "x*tanh(sin(pi))", "x + (log(exp(1)) - 1)", "cos(1e9)"]
)
def test_a_constant_part_is_settled_beyond_doubles(text: str) -> None:
    formula, samples = read(text).formula, table(0, 20)
    scores = Population([formula, read("x + 1").formula]).amplify(samples)
    assert scores.eic[0] == amplify(formula, samples).eic


@pytest.mark.parametrize("seed", range(4))
def test_compiled_code_lays_a_tape_out_as_python_does(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = formulas(seed, 40)
    members += members[:2]
    for some in (members, *([formula] for formula in members)):
        compiled = lay_out_population(some) if len(some) > 1 else lay_out(some[0])
        assert native.pack(compiled) is not None
        with monkeypatch.context() as without:
            without.setattr(native, "library", lambda: None)
            plain = lay_out_population(some) if len(some) > 1 else lay_out(some[0])
            assert native.pack(plain) is None
            assert len(plain) == len(plain.first_nodes)
        for part in ("slots", "first_nodes", "reads", "roots", "variables", "size", "operands"):
            assert getattr(compiled, part) == getattr(plain, part), part
        assert not compiled.not_laid_out


def test_shared_subtrees_stand_once_on_the_tape() -> None:
    members = formulas(7, 20)
    assert len(Population(members * 3).tape) == len(Population(members).tape)
    assert len(Population(members).tape) < sum(map(len, members))


@pytest.mark.parametrize("text", ("log(x)", "exp(x - 1.99)*0 + x", "1/(1 - 1)", "x", "1e400*x"))
def test_a_population_of_one_is_that_formula(text: str) -> None:
    formula, samples = read(text).formula, Samples.from_columns({"x": [2.0, 4.0, -1.0]})
    scores, alone = Population([formula]).amplify(samples), amplify(formula, samples, recheck=False)
    assert scores.eic[0] == pytest.approx(alone.eic, nan_ok=True)
    assert scores.invalid[0] == len(samples) - alone.valid_count
    assert scores.out_of_range[0] == alone.out_of_range


@pytest.mark.parametrize(
    "text",
    (
        "1e400",
        "1/1e400",
        "x/1e400",
        "min(x, 1e400)",
        "exp(-1e400) + x",
        "x + 1",
        "log(x)",
        "x + 1e-320",
    ),
)
def test_values_alone_are_those_of_numpy_where_every_node_has_a_double(
    text: str, engine: str
) -> None:
    formula = read(text).formula
    samples = Samples.from_columns({"x": [1e-310, 1.0, 4.0, -2.0]})
    found = values(formula, samples)
    assert found is not None
    assert np.array_equal(found, plain_values(formula, samples), equal_nan=True)
    assert np.array_equal(Population([formula, formula]).values(samples)[1], found, equal_nan=True)
    assert (values(formula, samples, stop_at_invalid=True) is None) == bool(np.isnan(found).any())
