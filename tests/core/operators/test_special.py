"""gamma, log|gamma|, erfc, remainders and protected functions against the definition in mpmath.

It knows nothing of the rows of operators; the decimals of a table are exact.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import erfc

from eic_core.engine.amplify import amplify
from eic_core.engine.extended import evaluate
from eic_core.engine.native import library as native
from eic_core.engine.tape import tape_of
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.findings import (
    Cause,
    GrowthOfLargeNumber,
    NearEdge,
    OwnInaccuracy,
    SteepStep,
)
from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Samples, inspect
from eic_core.operators import OPERATORS, registered
from eic_core.operators.row import call
from eic_core.rewriting import repair
from tests.core.measure.oracle import sample_with_digits
from tests.oracle import mp

GAMMA = (
    "0.1 1e-5 -1e-5 1e-200 0.999 1.001 1.4616321449683623 2.5 30 171.5 -0.5 -1.001 -1.0000001"
    " -2.457024738 -3.5 -20.3 -100.25 -170.7 1e-310"
).split()
CELLS: dict[str, list[str]] = {
    "gamma": [*GAMMA, "172", "500.5", "1e5", "-180.5", "-400.001"],
    "lgamma": [*GAMMA, "1.00001", "1.99999", "1e10", "1e300", "3e305", "-200.5", "-1000.75"],
    "erfc": "0.1 1e-9 -1e-300 -0.5 -3 -30 1 5.5 20 26 26.6 27.3 40 200 1000.5".split(),
    "erfcx": "0.1 1e-9 -1e-300 -0.5 -3 -30 1 5.5 20 26 26.6 200 -26.6 -40.5 1e12 3e307".split(),
}
PAIRS = (
    "7 3|-7 3|7 -3|-7 -3|0.31 0.1|0.29 0.1|-0.31 0.1|0.1 0.3|-0.1 0.3|1e15 3|1e200 7|-1e30 0.7"
    "|5.5 1.25|1e-20 1|-1e-20 1|1e-300 3e-301|0.30000001 0.1|0.29999999 0.1|8.999999 2|-0.51 1"
    "|1e6 0.3|2.4999 1"
).split("|")


GUARDED = ("gp_div", "gp_log", "gp_inv", "deap_div")
SINGLE = "1.5 -1.5 2 0.5 -0.2 1e-5 -9e-4 0.00099999 0.00100001 0 1e300 -1e-300 1.0000001".split()
CELLS |= {"gp_log": SINGLE, "gp_inv": SINGLE}
GUARDED_PAIRS = [f"{x} {y}" for x in ("2.5", "-0.3", "0", "1e-200", "1e300") for y in SINGLE]
POSITIVE = (
    "1 2|0.5 0.5|1 1.000001|3e-300 2|1e-9 1e9|12 7|1e8 1e8|150.5 1e12|9.99 10.01|0.001 1e300"
    "|1e300 1e307"
).split("|")
SUMMED = (
    "0 0|1 -1|-0.7 -0.68|800 801|-800 -801|1e10 1|0 -2000|-1e9 -1e9|3e307 -3e307|1e-300 2"
    "|-0.1 -2.3522"
).split("|")
PAIRS_OF = {"betaln": POSITIVE, "logaddexp": SUMMED} | dict.fromkeys(GUARDED, GUARDED_PAIRS)
NAMES = [*CELLS, "mod", "fmod", "remainder", "gp_div", "deap_div", "betaln", "logaddexp"]


def case(name: str) -> tuple[Formula, list[dict[str, str]]]:
    """An operator on leaves, and its rows."""
    if name in CELLS:
        return read(f"{name}(x)").formula, [{"x": cell} for cell in CELLS[name]]
    pairs = [pair.split() for pair in PAIRS_OF.get(name, PAIRS)]
    return read(f"{name}(x, y)").formula, [{"x": x, "y": y} for x, y in pairs]


def samples_of(rows: list[dict[str, str]]) -> Samples:
    return Samples.from_columns({v: [float(row[v]) for row in rows] for v in rows[0]})


def truth(formula: Formula, cells: dict[str, str]) -> tuple[Any, Any]:
    """Value and s^2 of the result."""
    y, s2, _ = sample_with_digits(formula, cells)
    return y[-1], s2[-1]


@pytest.mark.parametrize("name", NAMES)
def test_value_and_amplification_are_those_of_mpmath(name: str) -> None:
    formula, rows = case(name)
    y, s = amplify(formula, samples_of(rows)).trace(formula.root.id)
    for place, row in enumerate(rows):
        value, s2 = truth(formula, row)
        expected = float(mp.sqrt(s2)) if s2 < 1e60 else math.inf
        known_to = 2e-9 if s2 > 1e26 else max(2e-9, 4e-16 * expected)  # settled with many digits
        assert float(s[place]) == pytest.approx(expected, rel=known_to), row
        error = 5e-15 * (1 + expected)
        known = (value == 0 or 1e-290 < abs(value) < 1e300) and error < 1e-3
        assert not known or float(y[place]) == pytest.approx(float(value), rel=error), row


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_plain_engine_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    if name in GUARDED:
        near = np.array([1e-3, -1e-3, 0.0, 1.0, -1.0, 1e-300, 5e-324, 1e300])
        x = np.concatenate([rng.uniform(-2e-3, 2e-3, 400), near, near[::-1]])
        y = np.concatenate([rng.uniform(-2e-3, 2e-3, 400), near, near])
    else:
        x = np.concatenate([rng.uniform(-6, 6, 400), np.arange(-8, 8) / 2, [30.0, 180.0, 1e9]])
        y = np.concatenate([rng.uniform(-2, 2, 400), np.tile([0.5, -1.0, 0.0, 2.0], 4), [3] * 3])
    text = f"{name}(x)" if name in CELLS else f"{name}(x, y)"
    formula = read(f"{text} + {text.replace('(x', '(x*x - 2', 1)}").formula
    samples = Samples.from_columns({v: {"x": x, "y": y}[v] for v in formula.variables})
    engine = native.library()
    if engine is not None:
        assert (engine.pack(tape_of(formula)) is None) == (name == "remainder")
    first = amplify(formula, samples, edges=True)
    monkeypatch.setattr(native, "_LOADED", [None])
    second = amplify(formula, samples, edges=True)
    assert first.valid.tolist() == second.valid.tolist()
    assert first.valid.all() or name not in GUARDED
    for node in formula:
        for one, other in zip(first.trace(node.id), second.trace(node.id), strict=True):
            np.testing.assert_allclose(one[first.valid], other[first.valid], rtol=1e-11)


@pytest.mark.parametrize("name", ["gamma", "lgamma", "erfc", "erfcx"])
def test_wider_exponents_know_what_doubles_do_not(name: str) -> None:
    formula, rows = case(name)
    tape = tape_of(formula)
    found = evaluate(tape, samples_of(rows).columns, len(rows))
    for place, row in enumerate(rows):
        value, s2 = truth(formula, row)
        assert math.sqrt(found.s2[-1][place]) == pytest.approx(float(mp.sqrt(s2)), rel=2e-6), row
        size = found.values[len(tape) - 1].log2[place]
        assert size == pytest.approx(float(mp.log(abs(value), 2)), rel=1e-7, abs=1e-7), row


@pytest.mark.parametrize(
    ("text", "singular"),
    [
        ("mod(x, y)", True),
        ("fmod(x, y)", True),
        ("remainder(x, y)", True),
        ("mod(3*x, 3*y)", True),
        ("fmod(x*10, y*10)", True),
        ("remainder(x/2, y)", True),  # a tie
        ("mod(x/2, y)", False),
        ("fmod(x/2, y)", False),
        ("mod(0, y)", False),
        ("fmod(y - y, x)", True),
        ("mod(0*x, y)", False),
        ("lgamma(x/y - 2)", True),
        ("lgamma(x*10 - 1)", True),
    ],
)
def test_on_a_multiple_or_at_a_zero_no_digit_is_left(text: str, singular: bool) -> None:
    """0.3 is three times 0.1, which no double knows."""
    formula = read(text).formula
    found = amplify(formula, Samples.from_columns({"x": [0.3], "y": [0.1]}))
    assert found.valid.all()
    assert math.isinf(found.trace(formula.root.id)[1][0]) == singular


@pytest.mark.parametrize(
    "text", ["gamma(x*10 - 3)", "gamma(1 - x/y)", "lgamma(-10*x)", "mod(x, 0)"]
)
def test_a_pole_is_one_though_doubles_miss_it(text: str) -> None:
    formula = read(text).formula
    samples = Samples.from_columns({v: [{"x": 0.3, "y": 0.1}[v]] for v in formula.variables})
    assert not amplify(formula, samples).valid.any()


@pytest.mark.parametrize(
    ("text", "diverges"),
    [
        ("gamma(x)", True),
        ("gamma(x + 2)", False),
        ("gamma(x/4)", False),  # the pole at 0 alone
        ("lgamma(x + 3)", True),
        ("remainder(x, 1)", True),
        ("remainder(x + 2, 10)", False),
        ("remainder(x, 3)", False),  # through 0, and over a jump
    ],
)
def test_a_change_of_sign_tells_a_mean_that_does_not_exist(text: str, diverges: bool) -> None:
    x = np.random.default_rng(2).uniform(-1.9, 1.9, 500)
    formula = read(text).formula
    inspection = inspect(formula, Samples.from_columns({"x": x}))
    assert inspection.sign_changes.at(formula.root.id).unbounded == diverges


@pytest.mark.parametrize(
    ("text", "low", "high", "kind"),
    [
        ("gamma(x)", 30, 90, GrowthOfLargeNumber),
        ("lgamma(x)", 0.95, 1.05, NearEdge),
        ("erfc(x)", 5, 20, GrowthOfLargeNumber),
        ("mod(x, 3)", 1e6, 2e6, SteepStep),
        ("fmod(x, 3)", 1e6, 2e6, SteepStep),
    ],
)
def test_the_diagnosis_names_the_step(
    text: str, low: float, high: float, kind: type[Cause]
) -> None:
    x = np.random.default_rng(3).uniform(low, high, 300)
    found = diagnose(inspect(read(text).formula, Samples.from_columns({"x": x})))
    root = found.inspection.formula.root.id
    causes = [finding.cause for finding in found.verdict.findings]
    assert any(isinstance(cause, kind) and cause.node == root for cause in causes)


@pytest.mark.parametrize(("text", "low", "high"), [("qerf(x)", 15, 25)])
def test_a_function_that_is_itself_inexact_is_told_from_its_operand(
    text: str, low: float, high: float
) -> None:
    """SciPy's erfc at 20 is off by more than a rounding."""
    x = np.linspace(low, high, 100)
    with registered(replace(OPERATORS["erfc"], name="qerf", program=call(erfc))):
        judged = verdict(inspect(read(text).formula, Samples.from_columns({"x": x})))
        assert isinstance(judged.leading.cause, OwnInaccuracy)
        assert 1 < judged.leading.cause.digits < 6


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("erfc(x)", 15, 25), ("lgamma(x)", 0.95, 2.05), ("lgamma(x)", -2.46, -2.45)],
)
def test_beside_its_zeros_and_where_it_is_tiny_a_function_has_all_but_the_last_bits(
    text: str, low: float, high: float
) -> None:
    x = np.linspace(low, high, 101)
    found = verdict(inspect(read(text).formula, Samples.from_columns({"x": x}))).findings
    assert not any(isinstance(finding.cause, OwnInaccuracy) for finding in found)


@pytest.mark.parametrize(
    "text", ["gamma(x)", "lgamma(y)", "erfc(y)", "mod(y, x)", "remainder(y, x)"]
)
def test_what_stands_around_it_is_mended(text: str) -> None:
    rng = np.random.default_rng(6)
    columns = {"x": rng.uniform(2.3, 9, 60), "y": rng.uniform(2.2, 2.8, 60)}
    formula = read(f"{text}*(sqrt(x*1e6 + 1) - sqrt(x*1e6))").formula
    samples = Samples.from_columns({v: columns[v] for v in formula.variables})
    assert repair(formula, samples).best is not None


def test_a_product_and_a_sum_are_rounded_once() -> None:
    rng = np.random.default_rng(7)
    size = 10.0 ** rng.integers(-150, 150, 4000)
    x, y = rng.standard_normal((2, 4000)) * 10.0 ** rng.integers(-8, 8, 4000)
    row = OPERATORS["fma"]
    for a, b, c in (
        (x, y, rng.standard_normal(4000)),
        (x, y, -x * y),
        (x * size, y / size, -x * y * (1 + 1e-12 * rng.standard_normal(4000))),
        (x * size, np.full(4000, 1e-160), 1e-300 * y),
    ):
        for one, other, more, value in zip(a, b, c, row.evaluate([a, b, c], math.nan), strict=True):
            exact = Fraction(one) * Fraction(other) + Fraction(more)
            unit = Fraction(np.spacing(abs(float(exact))))
            assert abs(Fraction(value) - exact) <= unit, (one, other, more)
    special = row.evaluate([np.array([np.inf, 1e200, 1.0]), 1e200, np.array([1, 1, -np.inf])], 0)
    assert special.tolist() == [np.inf, np.inf, -np.inf]
    assert math.isnan(row.evaluate([np.float64(np.inf), 0.0, 1.0], 0))
    single = row.evaluate([np.float32(1 + 2**-12), np.float32(1 - 2**-12), np.float32(-1)], 0)
    assert single.dtype == np.float32 and single == np.float32(-(2**-24))


def test_fused_products_have_the_condition_numbers_of_a_sum() -> None:
    formula = read("fma(x, y, z)").formula
    samples = Samples.from_columns(
        {"x": [2.0, 3.0, 1e200], "y": [3.0, 5.0, 1e200], "z": [-5.0, 1.0, 1.0]}
    )
    y, s = amplify(formula, samples).trace(formula.root.id)
    assert y.tolist()[:2] == [1.0, 16.0]
    assert s.tolist()[0] == pytest.approx(math.sqrt(1 + 36 + 36 + 25))
    assert s.tolist()[2] == pytest.approx(math.sqrt(3))
