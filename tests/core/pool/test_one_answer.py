"""A list's score, a table's row and an inspection say the same of one formula on the same rows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from eic_core import Samples, inspect, read, score
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.frames import add_eic, score_front
from eic_core.measure.fit import fit_of
from eic_core.pool.left_out import reason_of
from tests.audit.draws import grown
from tests.effort import cases

NAMES = ("x0", "x1", "x2")
THROUGH_INFINITY = "1/(1/(x0 - x0)) + 0.1*x0"
BEYOND = "mod(x2**0.5, x1 - gamma(fma(gamma(x2), 7.25, fmod(-2.5, -0.001))))"
NEAR_JUMPS = (
    "fmod(x0, 0.1)",
    "log(fmod(20, 0.1)) + x0",
    "remainder(x0, 0.001)",
    "cos(atan(x0 - 1e-9))",
)
EDGES = (
    *NEAR_JUMPS,
    THROUGH_INFINITY,
    BEYOND,
    "tan(x2 + 1e-6)",  # of 1e160: doubles have no digit of its remainder
    "round(x2**7)",  # 1e1120
    "cos(exp(x1))",
    "cot(x0 + x2)**(-0.5)",
    "exp(floor(x2**3))",
)


def rows() -> np.ndarray:
    """Zeros, ones, rows outside of a domain and beyond double range among plain ones."""
    X = np.random.default_rng(5).uniform(-3, 5, (24, 3))
    X[0], X[3, 0], X[5, 2], X[7] = 0, 0, 0, (1e200, 1e-200, 1e160)
    X[9], X[11], X[13] = 1, (400, 800, -900), -1
    return X


def texts() -> list[str]:
    rng = random.Random(5)
    drawn = [
        Formula.from_draft(grown(rng, NAMES, rng.randint(2, 5))) for _ in range(cases(60, 200))
    ]
    return [*EDGES, *(to_python(formula) for formula in drawn if formula.complexity <= 25)]


@pytest.mark.filterwarnings("ignore")
def test_score_table_front_and_inspection_agree_at_every_row_and_reason() -> None:
    X, formulas = rows(), texts()
    y = X[:, 1].copy()
    samples = Samples.from_columns(dict(zip(NAMES, X.T, strict=True)), target=y)
    table, front = add_eic(formulas, X, y, seconds=0), score_front(formulas, X, y)
    for text, alone, listed, (_, row) in zip(
        formulas, score(formulas, samples), front, table.iterrows(), strict=True
    ):
        inspection = inspect(read(text, columns=NAMES).formula, samples)
        counts = inspection.counts
        expected = (inspection.eic, inspection.eic_finite, counts.invalid, counts.singular)
        for each in (alone, listed.score):
            scored = (each.eic, each.eic_finite, each.invalid, each.singular)
            assert scored == pytest.approx(expected, rel=1e-6, abs=1e-6, nan_ok=True), text
            assert each.r2 == pytest.approx(fit_of(inspection).r2, nan_ok=True), text
            said = reason_of(each)
            assert said == reason_of(alone)
            assert said or not (np.isnan(each.r2) or np.isnan(each.eic)), text
        assert row["eic"] == pytest.approx(expected[0], abs=1e-9, nan_ok=True), text
        assert row["r2"] == pytest.approx(alone.r2, nan_ok=True)
        assert row["left_out"] == reason_of(alone) or not reason_of(alone), text


def test_an_r2_beside_rows_without_a_value_says_what_it_is_of() -> None:
    X = np.linspace(1, 5, 20)[:, None]
    samples = Samples.from_columns({"x0": X[:, 0]}, target=0.1 * X[:, 0])
    [alone] = score([THROUGH_INFINITY], samples)
    assert alone.r2 == 1 and alone.invalid == 20
    said = reason_of(alone)
    assert said.startswith("No real value at any row, at `1/(x₀ − x₀)`: division by zero.")
    assert said.endswith("R² takes what a program computes there.")
    assert add_eic([THROUGH_INFINITY], X, 0.1 * X[:, 0], seconds=0)["left_out"][0] == said


def test_a_row_beyond_doubles_beside_a_steep_step_is_told_and_ends_no_list() -> None:
    samples = Samples.from_columns({"x": [800.0, 0.5, 2.0]}, target=[0.0, 1.0, 2.0])
    fine, beyond = score(["x+1", "exp(x)+mod(x,0.37)"], samples)
    assert fine.error == beyond.error == "" and fine.r2 < 1
    assert reason_of(beyond).startswith("No double-precision value at 1 of 3 rows: `exp(x)`")
