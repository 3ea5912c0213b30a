"""The values that design.md and the paper name, and every special point they rule on."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.measure import Domain, Inspection, Samples, inspect, sample_domains
from tests.inspections import settle_at_most


def at(text: str, **values: object) -> Inspection:
    """A formula inspected on a single sample, or on columns."""
    columns = {name: np.atleast_1d(np.asarray(v, dtype=float)) for name, v in values.items()}
    return inspect(read(text).formula, Samples.from_columns(columns or {"unused": [1.0]}))


def root_s2(text: str, **values: object) -> float:
    """s^2 of the root at a single sample; nan if the sample is invalid."""
    return at(text, **values).amplification.mean_s2(len(read(text).formula) - 1)


# --- values that are stated ---------------------------------------------------------------


def test_log_of_exp_far_from_zero_loses_three_digits() -> None:
    samples = sample_domains({"x": Domain("normal", 1000, 1)}, count=1000)
    result = inspect(read("log(exp(x))").formula, samples)
    assert f"{result.eic:.4f}" == "3.0000"
    assert result.bottleneck == 1
    assert result.counts.valid == result.counts.rechecked == 1000  # exp overflows, log exp not
    # Yu et al., Appendix: EIC = log10 sqrt(1 + mu^2) with mu^2 = E[x^2]
    exact = 0.5 * math.log10(1 + float(np.mean(samples.columns["x"] ** 2)))
    assert result.eic == pytest.approx(exact, abs=1e-9)


def test_the_samples_of_log_exp_beyond_the_first_thousand_count_as_invalid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settle_at_most(monkeypatch, 1_000, "log(exp(x))")
    samples = sample_domains({"x": Domain("normal", 1000, 1)}, count=3000)
    counts = inspect(read("log(exp(x))").formula, samples).counts
    assert (counts.rechecked, counts.unresolved) == (1000, 2000)
    assert (counts.valid, counts.invalid) == (1000, 2000)


def test_nearly_equal_multiples_cancel() -> None:
    result = at("10000*x-9999*x", x=[1.0, -3.0, 7e5])
    assert result.eic == pytest.approx(0.5 * math.log10(1 + 3e8 + 3 * 9999.0**2), abs=1e-9)
    assert f"{result.eic:.5f}" == "4.38905"
    assert result.noise_figure_db == 20 * result.eic


def test_x_minus_x_is_singular_everywhere() -> None:
    result = at("x-x", x=[1.0, 2.0, 3.0])
    assert result.eic == math.inf and math.isnan(result.eic_finite)
    assert result.counts.singular == 3 and result.counts.valid == 3


def test_exp_of_zero_difference_uses_the_absolute_form() -> None:
    x = np.array([1.0, -2.0, 0.3])
    result = at("exp(x-x)", x=x)
    expected = 0.5 * math.log10(np.mean(1 + 2 * x**2))
    assert result.nodes[-1].local_eic == pytest.approx(expected, abs=1e-12)
    assert result.nodes[-1].singular == 0 and result.nodes[-2].singular == 3


POINTS = {  # formula: (values, s^2 of the root, its derivation)
    "x*0": ({"x": 2.0}, 3.0),  # kappa = 1 twice
    "sin(x)": ({"x": 0.0}, 2.0),  # kappa -> 1
    "0+0": ({}, 1.0),  # kappa depends on the direction, and nothing moves
    "log(1)": ({}, math.inf),
    "log(x)": ({"x": 1.0}, math.inf),
    "x-x": ({"x": 5.0}, math.inf),
    "(x-x)**2": ({"x": 5.0}, math.inf),
    "exp((x-x)**2)": ({"x": 5.0}, 1.0),  # the square is flat at 0
    "0.1+0.2-0.3": ({}, math.inf),
    "sin(pi)": ({}, math.inf),
    "cos(pi/2)": ({}, math.inf),
    "sqrt(x)": ({"x": 0.0}, 1.25),
    "cbrt(x)": ({"x": 0.0}, 1 + 1 / 9),
    "exp(sqrt(x-x))": ({"x": 1.0}, math.inf),
    "0/x": ({"x": 3.0}, 3.0),
    "x+0": ({"x": 3.0}, 2.0),
    "0*0": ({}, 3.0),
    "-x": ({"x": 0.0}, 2.0),
    "abs(x)": ({"x": 0.0}, 2.0),
    "x**3": ({"x": 0.0}, 10.0),
    "x**0": ({"x": 0.0}, 1.0),
    "x**2.37": ({"x": 0.0}, 1 + 2.37**2),
    "hypot(x, y)": ({"x": 0.0, "y": 0.0}, 1.0),
    "hypot(x, 0)": ({"x": 2.0}, 2.0),
    "atan2(x, 1)": ({"x": 0.0}, 3.0),
    "atan2(x, -1)": ({"x": 0.0}, 1.0),  # a literal 0 stays on its side of the cut
    "atan2(x-x, -1)": ({"x": 2.0}, math.inf),
    "asin(x)": ({"x": 1.0}, math.inf),
    "acos(x)": ({"x": 1.0}, math.inf),
    "acosh(x)": ({"x": 1.0}, math.inf),
    "expm1(x)": ({"x": 0.0}, 2.0),
    "log1p(x)": ({"x": 0.0}, 2.0),
    "tanh(x)": ({"x": 0.0}, 2.0),
    # jumps
    "sign(x)": ({"x": 0.0}, 1.0),
    "sign(x-x)": ({"x": 2.0}, math.inf),
    "floor(x)": ({"x": 2.0}, math.inf),
    "floor(x) ": ({"x": 2.5}, 1.0),
    "floor(x)  ": ({"x": 0.5}, 1.0),
    "ceil(x)": ({"x": -3.0}, math.inf),
    "round(x)": ({"x": 2.5}, math.inf),
    "round(x) ": ({"x": 2.0}, 1.0),
    "floor(x*30)": ({"x": 0.1}, math.inf),  # 3 as decimals, not as doubles
    "round(1e200)": ({}, 1.0),
    # ties
    "min(x, y)": ({"x": 1.0, "y": 1.0}, 2.0),
    "max(x, 2*y)": ({"x": 2.0, "y": 1.0}, 4.0),  # 1 + the noisier operand's 3
    "max(0.1+0.2, 0.3)": ({}, 2 + 5 / 9),
    "min(x, 2*y)": ({"x": 1.9, "y": 1.0}, 2.0),
    # a literal base or root is exact, another operand is not
    "log(x, 10)": ({"x": 10.0}, 1 + 1 / math.log(10) ** 2),
    "root(x, 5)": ({"x": -32.0}, 1.04),
    "x**0.5": ({"x": 9.0}, 1.25),
    "x**y": ({"x": math.e, "y": 3.0}, 1 + 9 + 9),
    # a negative base under an exact exponent is a number
    "x**3 ": ({"x": -2.0}, 10.0),
    "x**-2": ({"x": -2.0}, 5.0),
    # literals beyond double range are numbers, and doubles mean their shortest decimal
    "x*1e400/1e399": ({"x": 2.0}, 5.0),
    "log(1e-400)": ({}, 1 + 1 / (400 * math.log(10)) ** 2),
    "x+y-z": ({"x": 0.1, "y": 0.2, "z": 0.3}, math.inf),
    "x*10-1": ({"x": 0.1}, math.inf),
}


@pytest.mark.parametrize("text", POINTS)
def test_special_point_has_the_amplification_of_the_definition(text: str) -> None:
    values, expected = POINTS[text]
    assert root_s2(text, **values) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "values", "node"),
    [
        ("log(x)", {"x": -1.0}, 1),
        ("log(x)", {"x": 0.0}, 1),
        ("1/x", {"x": 0.0}, 2),
        ("0/0", {}, 2),
        ("1/(0.1+0.2-0.3)", {}, 6),
        ("sqrt(x)", {"x": -1e-300}, 1),
        ("x**0.5", {"x": -1.0}, 1),
        ("x**y", {"x": -2.0, "y": 2.0}, 2),  # the exponent is noisy
        ("x**y", {"x": 0.0, "y": 0.0}, 2),
        ("x**-1", {"x": 0.0}, 1),
        ("root(x, 4)", {"x": -1.0}, 1),
        ("tan(pi/2)", {}, 3),
        ("1/tan(x)", {"x": 0.0}, 3),
        ("asin(x)", {"x": 1.5}, 1),
        ("acosh(x)", {"x": 0.5}, 1),
        ("atanh(x)", {"x": -1.0}, 1),
        ("log1p(x)", {"x": -1.0}, 1),
        ("atan2(x, 0)", {"x": 0.0}, 2),
        ("exp(exp(x))", {"x": 20.0}, 2),  # beyond 10^(10^6)
        ("exp(-exp(x))", {"x": 36.0}, 3),  # below 10^(-3 10^14)
        ("1 + log(x) + 1/x", {"x": 0.0}, 2),  # the first of two, in post-order
    ],
)
def test_point_without_a_real_value_is_invalid_at_its_first_node(
    text: str, values: dict[str, float], node: int
) -> None:
    result = at(text, **values)
    assert result.counts.invalid == 1 and result.counts.valid == 0
    assert [n.node.id for n in result.nodes if n.invalid] == [node]
    assert math.isnan(result.eic) and math.isnan(result.eic_finite)
    assert "no sample is valid" in result.reason


def test_invalid_samples_are_left_out_of_every_mean() -> None:
    x = np.array([-1.0, 2.0, 3.0])
    result = at("exp(x)*log(x)", x=x)
    assert result.counts.valid == 2 and result.nodes[3].invalid == 1
    assert result.nodes[1].s_bar ** 2 == pytest.approx(np.mean(1 + x[1:] ** 2))


def test_one_singular_sample_does_not_hide_the_rest() -> None:
    x = np.array([1.0, 2.0, 4.0])
    result = at("log(x)", x=x)
    assert result.eic == math.inf
    expected = 0.5 * math.log10(np.mean(1 + 1 / np.log(x[1:]) ** 2))
    assert result.eic_finite == pytest.approx(expected, abs=1e-12)
    assert result.nodes[1].singular == 1


def test_eic_finite_is_nan_if_a_node_is_singular_in_every_sample() -> None:
    result = at("x + (y-y)", x=[1.0, 2.0], y=[1.0, 2.0])
    assert result.eic == math.inf and math.isnan(result.eic_finite)
    assert result.nodes[-1].local_eic_finite == pytest.approx(
        0.5 * math.log10(np.mean([2 + 2, 2 + 2])), abs=1e-12
    )


def test_bottleneck_at_ties_is_the_first_in_post_order() -> None:
    assert at("log(x) + log(y)", x=1.0, y=1.0).bottleneck == 1
    assert at("x", x=3.0).bottleneck == 0 and at("x", x=3.0).eic == 0.0


def test_overflow_inside_a_quotient_is_settled_exactly() -> None:
    x = np.array([2.0, 1.0, 0.5])
    result = at("exp(1000*x)/exp(999*x)", x=x)
    assert result.counts.valid == 3 and result.counts.rechecked == 2
    expected = 3 + 3 * (1000 * x) ** 2 + 3 * (999 * x) ** 2
    assert result.eic == pytest.approx(0.5 * math.log10(np.mean(expected)), abs=1e-9)


def test_leaving_double_range_downwards_is_not_invalid() -> None:
    result = at("exp(-1000*x)*exp(1000*x)", x=1.0)
    assert result.counts.valid == 1 and result.counts.rechecked == 1
    assert result.nodes[-1].s_bar ** 2 == pytest.approx(3 + 6e6)


# --- heavy tails --------------------------------------------------------------------------

I_6_2B = "exp(-((theta-theta1)/sigma)**2/2)/(sqrt(2*pi)*sigma)"
"""Feynman I.6.2b: theta - theta1 crosses zero inside the domain."""


def eic_of_i_6_2b(count: int, seed: int) -> float:
    formula = read(I_6_2B).formula
    domains = {name: Domain("uniform", 1, 3) for name in formula.variables}
    return inspect(formula, sample_domains(domains, count=count, seed=seed)).eic


def test_eic_of_a_law_with_a_crossing_grows_half_a_digit_a_decade() -> None:
    few = median(eic_of_i_6_2b(100, seed) for seed in range(41))
    many = median(eic_of_i_6_2b(10_000, seed) for seed in range(41))
    assert few == pytest.approx(2.1, abs=0.25)
    assert (many - few) / 2 == pytest.approx(0.5, abs=0.15)


def test_eic_of_a_law_with_a_crossing_passes_four_at_a_million_samples() -> None:
    assert 3.6 < eic_of_i_6_2b(1_000_000, 1) < 6
