"""The sweep equals the naive join, and the best K are the first K of all."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.errors import UserError
from study.matching.rules import MatchingRules, loss
from study.matching.sweep import PairSweep, best_pairs, units
from tests.effort import examples

RULES = MatchingRules()
EDGY_R2 = st.sampled_from([0.83, 0.84, 0.85, 0.850001, 0.86, 0.87, 0.88, 0.95, 0.97, 0.99, 1.0])
EDGY_EIC = st.sampled_from([0.0, 0.1, 0.3, 1.0, 1.999999, 2.0, 2.1, 2.3, 3.0, 4.1, 4.3])
FORMULAS = st.lists(
    st.tuples(
        st.integers(1, 8),
        EDGY_R2 | st.floats(-2, 1).map(lambda v: round(v, 3)) | st.floats(0.8, 1),
        EDGY_EIC | st.floats(0, 7),
    ),
    max_size=40,
)
RULE_SETS = st.builds(
    MatchingRules,
    max_complexity_gap=st.integers(0, 4),
    max_r2_gap=st.sampled_from([0.0, 0.01, 0.02, 0.1, 3.0]),
    min_eic_gap=st.sampled_from([1e-3, 0.5, 2.0, 2.2]),
    min_best_r2=st.sampled_from([-10.0, 0.5, 0.85, 0.97]),
)


def naive(formulas: list[tuple[int, float, float]], rules: MatchingRules) -> list[tuple[int, int]]:
    """(higher, lower), by the definition."""
    return [
        (i, j)
        for i, (ci, ri, ei) in enumerate(formulas)
        for j, (cj, rj, ej) in enumerate(formulas)
        if ei > ej and rules.allows((ci, cj), (ri, rj), (ei, ej))
    ]


def sweep_of(formulas: list[tuple[int, float, float]], rules: MatchingRules) -> PairSweep:
    table = np.array(formulas, dtype=float).reshape(-1, 3)
    return PairSweep(table[:, 0], table[:, 1], table[:, 2], rules)


@settings(max_examples=examples(300), deadline=None)
@given(FORMULAS, RULE_SETS)
def test_the_sweep_equals_the_naive_join(
    formulas: list[tuple[int, float, float]], rules: MatchingRules
) -> None:
    sweep = sweep_of(formulas, rules)
    higher, lower = sweep.pairs()
    expected = naive(formulas, rules)
    assert list(zip(higher.tolist(), lower.tolist(), strict=True)) == expected
    assert sweep.total == len(expected)
    partners = {i for pair in expected for i in pair}
    assert set(np.flatnonzero(sweep.has_partner()).tolist()) == partners


@settings(max_examples=examples(200), deadline=None)
@given(FORMULAS, RULE_SETS, st.integers(1, 60))
def test_the_best_k_are_the_first_k_of_all_pairs(
    formulas: list[tuple[int, float, float]], rules: MatchingRules, k: int
) -> None:
    sweep = sweep_of(formulas, rules)
    higher, lower = sweep.pairs()
    first = np.lexsort((lower, higher, sweep.losses(higher, lower)))[:k]
    best = best_pairs(sweep, k)
    assert best[0].tolist() == higher[first].tolist()
    assert best[1].tolist() == lower[first].tolist()


@settings(max_examples=examples(50), deadline=None)
@given(FORMULAS)
def test_having_a_like_formula_means_what_it_says(formulas: list[tuple[int, float, float]]) -> None:
    r2 = units(np.array([f[1] for f in formulas]))
    expected = [
        any(
            i != j
            and abs(ci - cj) <= 2
            and abs(r2[i] - r2[j]) <= RULES.r2_gap_units
            and max(r2[i], r2[j]) > RULES.best_r2_units
            for j, (cj, _, _) in enumerate(formulas)
        )
        for i, (ci, _, _) in enumerate(formulas)
    ]
    assert sweep_of(formulas, RULES).has_like().tolist() == expected


def pool(size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    complexity = np.clip(np.rint(rng.lognormal(3, 0.5, size)), 1, 200).astype(int)
    r2 = np.round(1 - rng.gamma(1.2, 0.08, size), 3)  # many ties
    return complexity, r2, np.round(rng.gamma(1.0, 0.9, size), 2)


def test_ten_thousand_formulas_give_the_pairs_of_the_naive_join() -> None:
    complexity, r2, eic = pool(10_000)
    higher, lower = PairSweep(complexity, r2, eic, RULES).pairs()
    found = np.sort(higher * len(r2) + lower)
    r2_units, eic_units = units(r2), units(eic)
    expected = []
    for i in range(len(r2)):
        good = (
            (np.abs(complexity - complexity[i]) <= 2)
            & (np.abs(r2_units - r2_units[i]) <= RULES.r2_gap_units)
            & (eic_units[i] - eic_units >= RULES.eic_gap_units)
            & (np.maximum(r2_units, r2_units[i]) > RULES.best_r2_units)
        )
        expected.append(i * len(r2) + np.flatnonzero(good))
    assert np.array_equal(found, np.concatenate(expected))


def test_pairs_come_in_chunks_of_whole_windows() -> None:
    sweep = PairSweep(*pool(2_000), RULES)
    parts = [*sweep.chunks(size=500)]
    assert len(parts) > 5
    joined = np.sort(np.concatenate([h * len(sweep) + low for h, low in parts]))
    higher, lower = sweep.pairs()
    assert np.array_equal(joined, higher * len(sweep) + lower)


def test_memory_does_not_grow_with_the_number_of_pairs() -> None:
    size = 6_000
    sweep = PairSweep(np.full(size, 9), np.full(size, 0.9), np.linspace(0, 9, size), RULES)
    tracemalloc.start()
    seen = sum(len(higher) for higher, _ in sweep.chunks(size=200_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == sweep.total > 10_000_000
    assert peak < 100e6  # 16 bytes a pair would be above 160 MB


def test_the_best_k_of_many_equal_formulas_is_quick() -> None:
    size = 50_000
    eic = np.where(np.arange(size) % 2, 3.0, 0.0)
    higher, lower = best_pairs(PairSweep(np.full(size, 9), np.full(size, 0.9), eic, RULES), 5)
    assert higher.tolist() == [1] * 5
    assert lower.tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("size", [0, 1])
def test_no_formulas_give_no_pairs(size: int) -> None:
    sweep = PairSweep(np.full(size, 3), np.full(size, 0.9), np.zeros(size), RULES)
    assert sweep.total == 0 and not len(sweep.pairs()[0])
    assert not len(best_pairs(sweep, 3)[0])


# --- The rules: their boundaries, and what they refuse ---


def allowed(dc: int = 0, r2: tuple[float, float] = (0.9, 0.9), eic: float = 2.0) -> bool:
    return RULES.allows((7, 7 + dc), r2, (1.0, 1.0 + eic))


def test_a_complexity_gap_of_two_is_allowed_and_of_three_is_not() -> None:
    assert allowed(dc=2) and allowed(dc=-2)
    assert not allowed(dc=3)


def test_an_r2_gap_of_exactly_two_hundredths_is_allowed_whatever_binary_says() -> None:
    assert 0.97 - 0.95 > 0.02  # in double precision
    assert 0.90 - 0.88 < 0.0200000000000001
    for high in (0.86, 0.87, 0.9, 0.95, 0.97, 0.99, 1.0):
        assert allowed(r2=(high, round(high - 0.02, 2)))
        assert allowed(r2=(round(high - 0.02, 2), high))
        assert not allowed(r2=(high, round(high - 0.020001, 6)))


def test_an_eic_gap_of_exactly_two_is_allowed() -> None:
    assert RULES.allows((7, 7), (0.9, 0.9), (0.1, 2.1))  # 2.1 - 0.1 is 2.0
    assert RULES.allows((7, 7), (0.9, 0.9), (0.3, 2.3))  # 2.3 - 0.3 is below 2 in double
    assert not allowed(eic=1.999999)


def test_the_better_r2_must_be_above_and_not_at_85_hundredths() -> None:
    assert not allowed(r2=(0.85, 0.85))
    assert not allowed(r2=(0.85, 0.84))
    assert allowed(r2=(0.850001, 0.84))
    assert allowed(r2=(0.84, 0.850001))


def test_loss_is_that_of_the_paper() -> None:
    assert loss(1.0, 0.01, 3.0) == pytest.approx(1 + 0.0001 - 9)


@pytest.mark.parametrize(
    "bad",
    [
        {"max_complexity_gap": -1},
        {"max_complexity_gap": 1.5},
        {"max_r2_gap": -0.1},
        {"max_r2_gap": math.nan},
        {"min_eic_gap": 0.0},
        {"min_eic_gap": math.inf},
        {"min_best_r2": 1.0},
        {"min_best_r2": "0.85"},
        {"r2_column": " "},
        {"same_function_tolerance": -1},
    ],
)
def test_senseless_rules_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UserError):
        MatchingRules(**bad)  # type: ignore[arg-type]


def test_rules_survive_json_and_unknown_ones_are_refused() -> None:
    rules = MatchingRules(max_r2_gap=0.05, exclude_same_function=True)
    assert MatchingRules.from_json(rules.to_json()) == rules
    with pytest.raises(UserError, match="no matching rule `max_gap`"):
        MatchingRules.from_json({"max_gap": 1})
