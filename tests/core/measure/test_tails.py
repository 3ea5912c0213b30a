"""Quantiles, concentration and divergence of s^2."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, Tail, inspect, sample_domains, tails
from eic_core.measure.tails import MIN_SAMPLES_FOR_HILL, hill_index, tail_of
from tests.inspections import settle_at_most

UNIT = {"x": Domain("uniform", 0.5, 1.5)}


def tail(text: str, low: float, high: float, count: int, seed: int = 0) -> Tail:
    formula = read(text).formula
    domains = {name: Domain("uniform", low, high) for name in formula.variables}
    found = inspect(formula, sample_domains(domains, count=count, seed=seed)).tail
    assert found is not None
    return found


@pytest.mark.parametrize("n", (1, 2, 3, 7, 99, 100, 101, 1000))
def test_quantiles_are_those_of_numpys_inverted_cdf(n: int) -> None:
    s2 = 1 + np.random.default_rng(n).pareto(1.5, n)
    s2[: n // 50] = np.inf
    found = tail_of(0, s2, ())
    expected = np.quantile(0.5 * np.log10(s2), (0.5, 0.9, 0.99), method="inverted_cdf")
    assert (found.q50, found.q90, found.q99) == pytest.approx(tuple(expected), abs=1e-12)


def test_quantiles_count_singular_samples_as_infinite() -> None:
    found = tail_of(0, np.array([1.0, 4.0, np.inf]), ())
    assert found.q50 == pytest.approx(math.log10(2)) and found.q90 == found.q99 == math.inf


@pytest.mark.parametrize(("n", "largest"), ((1, 1), (100, 1), (101, 2), (250, 3)))
def test_top1_share_takes_the_largest_hundredth_rounded_up(n: int, largest: int) -> None:
    s2 = np.random.default_rng(1).uniform(1, 50, n)
    expected = np.sort(s2)[-largest:].sum() / s2.sum()
    assert tail_of(0, s2, ()).top1_share == pytest.approx(expected, rel=1e-12)


def test_top1_share_is_over_the_finite_sum() -> None:
    assert tail_of(0, np.array([1.0, 3.0, np.inf]), ()).top1_share == pytest.approx(0.75)
    assert math.isnan(tail_of(0, np.array([np.inf]), ()).top1_share)


def test_hill_index_recovers_the_exponent_of_a_pareto_tail() -> None:
    for exponent in (0.5, 1.0, 2.0):
        values = np.random.default_rng(3).uniform(size=200_000) ** (-1 / exponent)
        k = math.ceil(math.sqrt(len(values)))
        assert hill_index(values, k) == pytest.approx(exponent, rel=0.15)


def test_tail_is_divergent_where_the_mean_does_not_exist() -> None:
    assert tail("1/(x-1)", 0.5, 1.5, 1000).divergent is True  # a crossing
    heavy = np.random.default_rng(0).uniform(size=10_000) ** -2.0  # index 1/2, no crossing
    assert tail_of(0, heavy, ()).divergent is True


def test_mean_is_called_unsettled_only_beyond_hills_own_error() -> None:
    between = 0
    for seed in range(40):
        found = tail_of(0, np.random.default_rng(seed).uniform(size=400) ** -1.0, ())
        k = math.ceil(math.sqrt(400))
        assert found.divergent is (found.hill * (1 + 1.645 / math.sqrt(k)) < 1)
        between += found.hill < 1 and found.divergent is False
    assert between > 5


def test_tail_is_settled_where_the_mean_exists() -> None:
    assert tail("exp(x)*sin(x)", 0.5, 1.5, 1000).divergent is False
    light = np.random.default_rng(0).uniform(size=10_000) ** -0.5  # index 2
    assert tail_of(0, light, ()).divergent is False


def test_too_few_samples_leave_it_open_unless_a_crossing_was_seen() -> None:
    few = MIN_SAMPLES_FOR_HILL - 1
    assert tail("exp(x)", 0.5, 1.5, few).divergent is None
    assert tail("exp(x)", 0.5, 1.5, few + 1).divergent is False
    assert tail("x-1", 0.5, 1.5, few).divergent is True


CROSSINGS = {  # formula over (0.5, 1.5): whether a watched operator takes both signs there
    "x - 1": True,
    "1 - x": True,
    "x + 1": False,
    "log(x)": True,
    "log(x + 1)": False,
    "cos(2*x)": True,
    "cos(x)": False,
    "sin(x)": False,
    "sin(4*x)": True,  # sin changes sign at pi, its argument does not
    "tan(x - 1)": True,  # through x - 1
    "(x - 1)**2": True,
    "exp(x - 1)": True,
}


@pytest.mark.parametrize("text", CROSSINGS)
def test_crossing_is_a_change_of_sign_of_a_watched_operator(text: str) -> None:
    assert bool(tail(text, 0.5, 1.5, 200).crossings) is CROSSINGS[text]


def test_sine_through_the_origin_is_no_crossing() -> None:
    assert tail("sin(x)", -1, 1, 500).crossings == ()
    assert tail("tan(x)", -1, 1, 500).divergent is False


def test_crossings_are_seen_across_blocks_and_in_the_careful_path() -> None:
    x = np.full(40_000, 2.0)
    x[-1] = 0.5
    found = inspect(read("x - 1").formula, Samples.from_columns({"x": x})).tail
    assert found is not None and found.crossings == (2,)
    x[5] = 1.0  # an exact zero sends the first block to the careful path
    found = inspect(read("x - 1").formula, Samples.from_columns({"x": x})).tail
    assert found is not None and found.crossings == (2,)


def test_tail_stands_at_the_node_of_largest_finite_mean() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]})
    result = inspect(read("log(x) + exp(10*x)").formula, samples)
    assert result.bottleneck == 1 and result.eic == math.inf  # log 1
    assert result.tail is not None and result.tail.node == 6


def test_no_valid_sample_has_no_tail_and_says_why() -> None:
    result = inspect(read("log(x)").formula, Samples.from_columns({"x": [-1.0, -2.0]}))
    assert result.tail is None and "log(x)" in result.reason
    document = json.loads(json.dumps(result.to_json()))
    assert document["eic"] == "nan" and document["tail"]["q50"] == "nan"
    assert (document["bottleneck"], document["no_value_at"]) == (0, 1)
    assert document["samples"] == {
        "total": 2,
        "valid": 0,
        "invalid": 2,
        "singular": 0,
        "rechecked": 0,
        "unresolved": 0,
    }


@pytest.mark.parametrize(
    "shape", ["flat", "heavy", "some infinite", "most infinite", "ties", "one"]
)
def test_many_values_are_parted_into_the_order_that_few_are_sorted_into(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    n = 3 * tails._MANY
    values = {
        "flat": rng.uniform(1, 5, n),
        "heavy": 1 + rng.pareto(0.7, n),
        "some infinite": np.where(rng.random(n) < 0.02, np.inf, 1 + rng.pareto(1, n)),
        "most infinite": np.where(rng.random(n) < 0.6, np.inf, 1 + rng.pareto(1, n)),
        "ties": np.round(rng.uniform(1, 50, n)),
        "one": np.full(n, 2.0),
    }[shape]
    parted = tail_of(0, values, ())
    monkeypatch.setattr(tails, "_MANY", n + 1)
    assert parted == tail_of(0, values, ())


def test_the_node_without_values_is_told_beside_the_bottleneck() -> None:
    samples = Samples.from_columns({"x": [-1.0, 1.0, 3.0]})
    some = inspect(read("sqrt(x) + log(x - 2)").formula, samples)
    assert [n.invalid for n in some.nodes] == [0, 1, 0, 0, 0, 1, 0]
    assert some.no_value_at == 5  # of equals the last, as the page has it
    assert inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0]})).no_value_at is None


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x) + 1/x",
        "exp(400*x) * exp(-399*x)",
        "(x + 1e12) - 1e12",
        "x**2 - x",
        "log(x)*y",
        "where(x > 1, log(x), y)",
        "(0.1 + 0.2 - 0.3) + x*y",
    ],
)
@pytest.mark.parametrize("recheck", [False, True])
@pytest.mark.parametrize("room", [0, 1 << 17])
def test_what_the_first_pass_keeps_is_what_a_second_finds(
    text: str, recheck: bool, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With invalid and singular samples, such beyond double range, and those in balls."""
    monkeypatch.setattr("eic_core.engine.amplify._ROOM", room)
    settle_at_most(monkeypatch, 40, text)
    x = np.concatenate([np.linspace(-0.5, 5, 300), [0.0, 1.0, 1e-9]])
    samples = Samples.from_columns({"x": x, "y": np.cos(3 * x)})
    found = inspect(read(text).formula, samples, recheck=recheck).amplification
    for k in range(len(found.formula)):
        s = found.trace(k)[1]
        assert np.array_equal(np.sqrt(found.valid_s2(k)), s[found.evaluated(k)], equal_nan=True)


def test_a_rank_that_was_parted_stays_in_its_place() -> None:
    rng = np.random.default_rng(0)
    for n in rng.integers(tails._MANY, 20_000, 40).tolist():
        for values in (1 + rng.pareto(0.7, n), rng.integers(1, 300, n).astype(float)):
            ranks = [n // 2, 9 * n // 10, 99 * n // 100]
            found, top = tails._ordered(values, ranks, n - n // 50, n)
            expected = np.sort(values)
            assert found == expected[ranks].tolist()
            assert np.array_equal(top, expected[n - n // 50 :])
