"""The shortened formula keeps the output within the tolerance, run by other means."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.engine.exact import ExactEvaluator
from eic_core.errors import UserError
from eic_core.explain.budget import Trial, digit_budget, most_digits
from eic_core.explain.shortening import digits_of, shortened_label
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from tests.inspections import inspect_columns, inspect_ranges


def budget_of(text, tolerance=1e-3, **ranges):
    return digit_budget(inspect_ranges(text, 800, **ranges), tolerance=tolerance)


def rounded(column, digits):
    return np.array([float(f"%.{digits - 1}e" % v) for v in column])


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e30", max_value="1e30"),
    st.integers(1, 17),
)
def test_a_shortened_constant_is_the_nearest_with_so_many_digits(value, digits):
    if abs(value.adjusted()) > 300:
        return
    label = f"{value:f}" if abs(value.adjusted()) < 40 else f"{value:e}".replace("e+", "e")
    short = shortened_label(label, digits)
    assert digits_of(short) <= max(digits, 1)
    ulp = Decimal(10) ** (Decimal(label).adjusted() - digits + 1)
    assert abs(Decimal(short) - Decimal(label)) <= ulp / 2


def test_all_numbers_rounded_together_keep_the_tolerance_on_every_row():
    text = "3.14159265*sin(1.41421356*x) + 0.57721566*y**2.30258509"
    found = budget_of(text, x="1:5", y="1:3")
    samples = found.inspection.samples.columns
    digits = {(n.kind, n.name): n.together for n in found.needs}
    a, b, c, d = (
        float(f"%.{digits['constant', label] - 1}e" % float(label))
        for label in ("3.14159265", "1.41421356", "0.57721566", "2.30258509")
    )
    x = rounded(samples["x"], digits["input", "x"])
    y = rounded(samples["y"], digits["input", "y"])
    exact = 3.14159265 * np.sin(1.41421356 * samples["x"]) + 0.57721566 * samples["y"] ** 2.30258509
    moved = a * np.sin(b * x) + c * y**d - exact
    deviation = np.sqrt(np.mean(moved**2)) / np.std(exact)
    assert deviation <= 1e-3
    assert found.deviation == pytest.approx(deviation, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "label"), [("2.7182818*x + 1", "2.7182818"), ("exp(0.69314718*x)", "0.69314718")]
)
def test_one_digit_less_of_a_number_alone_breaks_the_tolerance(text, label):
    found = budget_of(text, x="1:5")
    need = next(n for n in found.needs if n.name == label)
    x = found.inspection.samples.columns["x"]

    def run(digits):
        value = float(f"%.{digits - 1}e" % float(label))
        return value * x + 1 if text.startswith("2.7") else np.exp(value * x)

    exact = run(17)
    off = [np.sqrt(np.mean((run(n) - exact) ** 2)) / np.std(exact) for n in range(1, 9)]
    assert off[need.alone - 1] <= 1e-3 < off[need.alone - 2]


def test_the_text_reads_back_to_the_shortened_tree_and_is_shorter():
    found = budget_of("1.2345678*x - 9.8765432e-5*x**3.3333333", x="1:5")
    assert read(found.text).formula.structure() == found.formula.structure()
    assert len(found.text) < len(to_python(found.inspection.formula))
    assert [n.operator for n in found.formula] == [n.operator for n in found.inspection.formula]


def test_a_noisy_exponent_is_not_shortened_to_an_exact_one():
    found = budget_of("x**2.03", tolerance=0.5, x="1:1.5")
    assert next(n for n in found.needs if n.kind == "constant").together == 3
    assert found.text == "x**2.03"


def test_a_cancelling_constant_keeps_its_digits_and_that_is_said():
    found = budget_of("10000.123*x - 9999.1234*x", x="1:5")
    needs = {n.name: n.together for n in found.needs}
    assert needs["10000.123"] >= 7 and needs["9999.1234"] >= 7
    assert any("hangs on its last digits" in sentence for sentence in map(str, found.sentences))


def test_with_a_target_the_loss_of_fit_stays_within_the_tolerance_too():
    rng = np.random.default_rng(5)
    x = rng.uniform(1, 5, 800)
    target = 2.345678 * x + 1.2345678 + rng.normal(0, 0.01, len(x))
    samples = Samples.from_columns({"x": x}, target=target)
    found = digit_budget(inspect(read("2.345678*x + 1.2345678").formula, samples))
    x_short = {n.name: n.together for n in found.needs}
    a, b = (float(n.shortened) for n in found.needs if n.kind == "constant")
    spread = np.sum((target - target.mean()) ** 2)
    after = 1 - np.sum((target - a * x - b) ** 2) / spread
    assert found.r2_after == pytest.approx(after, rel=1e-12)
    assert found.r2_before - found.r2_after <= 1e-3
    assert found.scale.of == "target" and x_short["x"] < 17


def test_a_smaller_tolerance_never_needs_fewer_digits_alone():
    looser, tighter = (
        budget_of("exp(1.2345678*x)/(0.1234567 + x)", tolerance=t, x="1:3") for t in (1e-2, 1e-5)
    )
    for loose, tight in zip(looser.needs, tighter.needs, strict=True):
        assert loose.alone <= tight.alone


def test_values_beyond_double_range_are_run_exactly():
    found = budget_of("log(1.0000001*exp(x))", x="normal:1000:1")
    assert next(n for n in found.needs if n.kind == "constant").shortened == "1"
    assert found.deviation <= 1e-3


@pytest.mark.parametrize(
    ("text", "x", "digits"),
    [("3.14159*(exp(x)*exp(-x) - 1) + 1e-30*x", "1:5", 4), ("1 - tanh(x)", "100:2000", 6)],
)
def test_rows_that_balls_settle_are_run_with_rounded_numbers_without_a_proof(
    text, x, digits, monkeypatch
):
    inspection, settled = inspect_ranges(text, 200, x=x), []
    sample = ExactEvaluator.sample
    monkeypatch.setattr(
        ExactEvaluator, "sample", lambda self, cells: settled.append(cells) or sample(self, cells)
    )
    assert inspection.counts.rechecked == 200 and most_digits(inspection) == digits
    assert len(settled) < 20  # of thousands of values
    x = inspection.samples.columns["x"]
    trial = Trial(inspection, 1e-3)
    found = trial.values({("input", "x"): 3}, np.arange(200))
    with mpmath.workdps(2000):
        for at, value in zip(rounded(x, 3), found, strict=True):
            at = mpmath.mpf(repr(float(at)))
            exact = 1 - mpmath.tanh(at) if "tanh" in text else mpmath.mpf("1e-30") * at
            assert value == pytest.approx(float(exact), rel=1e-12)


def test_the_domain_does_not_shrink():
    """asin(1.231 x) is defined up to x = 0.8123; rounded up, it would not be."""
    found = digit_budget(inspect_columns("asin(1.231*x)", x=[0.2, 0.5, 0.8123]), tolerance=1.0)
    assert np.isfinite(np.arcsin(float(found.needs[0].shortened) * 0.8123))


def test_bad_arguments_and_empty_domains_are_refused():
    inspection = inspect_columns("log(x)", x=[-1.0])
    with pytest.raises(UserError, match="no finite value"):
        digit_budget(inspection)
    for tolerance in (0.0, -1.0, 2.0, math.nan):
        with pytest.raises(UserError, match="tolerance"):
            digit_budget(inspection, tolerance=tolerance)


def test_a_long_formula_is_done_with_progress():
    rng = random.Random(1)
    text = " + ".join(f"{rng.uniform(1, 9):.6f}*x**{rng.uniform(1, 3):.5f}" for _ in range(12))
    told = []
    found = digit_budget(inspect_ranges(text, 300, x="1:2"), progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0
    assert sum(n.together for n in found.needs) < sum(n.given for n in found.needs)
    assert found.deviation <= 1e-3


def test_the_first_sentence_says_how_many_digits_of_the_constants_are_enough():
    found = budget_of("3.14159265*x + 2.71828", tolerance=1e-2, x="1:5")
    before = sum(n.given for n in found.needs if n.kind == "constant")
    after = sum(n.together for n in found.needs if n.kind == "constant")
    assert (before, after < before) == (15, True)
    assert str(found.sentences[0]) == (
        f"{after} of the 15 digits of its constants keep the output within 1 % of its spread."
    )
    assert "run on 800 samples, the output moves by" in str(found.sentences[-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "To keep the output within 0.1 % of its spread it takes 4 digits of `x`."),
        ("2", "No constant can be shortened if the output is to stay within 0.1 % of its size."),
        ("pi", "There is nothing to shorten: no decimal constant and no input."),
        (
            "x - x",
            "To keep the output within 0.1 % of the largest value on the way it takes 1 digit of "
            "`x`.",
        ),
        (
            "sin(x)**2 + cos(x)**2",
            "To keep the output within 0.1 % of its size it takes 1 digit of `x`.",
        ),
        (
            "0.1 + 0.2 - 0.3",
            "No constant can be shortened if the output is to stay within 0.1 % of the largest "
            "value on the way.",
        ),
    ],
)
def test_where_there_is_little_to_shorten_that_is_said(text, said):
    found = budget_of(text, x="1:5")
    assert str(found.sentences[0]) == said
    assert found.text == to_python(found.inspection.formula)


def test_many_inputs_are_named_up_to_six():
    names = [f"x{i}" for i in range(9)]
    found = budget_of(" + ".join(names), **dict.fromkeys(names, "1:5"))
    most = max(n.together for n in found.needs[6:])
    assert f"and at most {most} of 3 more." in str(found.sentences[0])
    assert "`x₆`" not in str(found.sentences[0])
