"""A population is measured as each of its formulas is alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.population import Population
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


def test_shared_subtrees_stand_once_on_the_tape() -> None:
    members = formulas(7, 20)
    assert len(Population(members * 3).tape) == len(Population(members).tape)
    assert len(Population(members).tape) < sum(map(len, members))
