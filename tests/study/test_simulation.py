"""Simulated studies have the truth that was asked for, found by estimators of their own."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from eic_core.errors import UserError
from study.statistics.agreement_coefficients import fleiss, measured
from study.statistics.simulation import (
    SimulatedStudies,
    StudyModel,
    binary_correlation,
    latent_correlation,
    simulate,
    simulate_many,
)
from tests.effort import cases, examples

PAPER = StudyModel(
    preference=0.698,
    kappa=0.37,
    problem_share=0.4,
    rater_correlation=0.08,
    pairs=60,
    problems=6,
    raters=60,
    ballots=10,
)
MODELS = {
    "like the paper": PAPER,
    "no clusters": StudyModel(preference=0.5, kappa=0.0, rater_correlation=0.0, pairs=40),
    "strong clusters": StudyModel(
        preference=0.85, kappa=0.6, problem_share=1.0, rater_correlation=0.05, pairs=45, problems=15
    ),
    "uneven": StudyModel(
        preference=0.3,
        kappa=0.2,
        problem_share=0.5,
        pairs=40,
        problems=7,
        drop_out=0.4,
        excluded=0.3,
        tie_share=0.2,
        unequal=0.7,
    ),
}
STUDIES = cases(600, 1500)


@pytest.fixture(scope="module", params=list(MODELS))
def studies(request: pytest.FixtureRequest) -> SimulatedStudies:
    return simulate_many(MODELS[request.param], STUDIES, np.random.default_rng(11))


def _moment(studies: SimulatedStudies, groups: Callable[[int], list[np.ndarray]]) -> np.ndarray:
    """Per study: correlation of two votes of one group `a` that are of no one group of the others.

    `groups(i)` lists label arrays a, b, c, …: votes must share a and differ in all the rest; the
    ones that share are counted with inclusion and exclusion over sums of residuals.
    """
    p = studies.model.preference
    found = np.empty(len(studies))
    for i in range(len(studies)):
        use = studies.counted[i] & ~np.isnan(studies.lower[i])
        e = studies.lower[i, use] - p
        labels = [g[use] for g in groups(i)]
        total, weight = 0.0, 0.0
        for mask in range(2 ** (len(labels) - 1)):
            chosen = [labels[0]] + [g for k, g in enumerate(labels[1:]) if mask >> k & 1]
            joint = np.ravel_multi_index(chosen, [int(g.max()) + 1 for g in chosen])
            sign = (-1) ** (len(chosen) - 1)
            total += sign * float((np.bincount(joint, e) ** 2).sum())
            weight += sign * float((np.bincount(joint) ** 2).sum())
        found[i] = total / weight / (p * (1 - p)) if weight else math.nan
    return found


def _agrees(values: np.ndarray, expected: float) -> None:
    values = values[~np.isnan(values)]
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - expected) < 4 * error + 1e-9
    assert error < cases(16, 10) / 1000  # or the claim above is empty


def test_the_mean_preference_is_the_one_asked_for(studies: SimulatedStudies) -> None:
    rates = np.array([np.nanmean(study.table.lower) for study in studies])
    _agrees(rates, studies.model.preference)


def test_two_raters_votes_on_a_pair_correlate_by_kappa(studies: SimulatedStudies) -> None:
    _agrees(_moment(studies, lambda i: [studies.pair[i], studies.rater]), studies.model.kappa)


def test_a_raters_votes_on_different_problems_correlate_as_asked(
    studies: SimulatedStudies,
) -> None:
    values = _moment(studies, lambda i: [studies.rater, studies.pair[i] % studies.model.problems])
    _agrees(values, studies.model.rater_correlation)


def test_votes_on_two_pairs_of_a_problem_correlate_by_its_share(studies: SimulatedStudies) -> None:
    model = studies.model
    values = _moment(
        studies,
        lambda i: [studies.pair[i] % model.problems, studies.pair[i], studies.rater],
    )
    latent = model.problem_share * latent_correlation(model.preference, model.kappa)
    _agrees(values, binary_correlation(model.preference, latent))


def test_fleiss_kappa_of_a_large_study_is_the_kappa_of_the_model() -> None:
    model = StudyModel(
        preference=0.698,
        kappa=0.37,
        rater_correlation=0.02,
        pairs=3000,
        problems=3000,
        raters=3000,
        ballots=10,
    )
    counts = simulate(model, np.random.default_rng(3)).counts()
    assert measured(fleiss, counts)[0] == pytest.approx(0.37, abs=0.02)


def test_endless_raters_would_find_the_rate_given_these_pairs() -> None:
    model = StudyModel(
        preference=0.6,
        kappa=0.5,
        problem_share=0.5,
        rater_correlation=0.0,
        pairs=12,
        problems=4,
        raters=20_000,
        ballots=12,
    )
    study = simulate_many(model, 1, np.random.default_rng(5)).study(0)
    assert abs(study.rate_given_pairs - 0.6) > 0.02  # these pairs are not the average ones
    assert np.nanmean(study.table.lower) == pytest.approx(study.rate_given_pairs, abs=0.005)


def test_endless_pairs_would_find_the_rate_given_these_problems() -> None:
    model = StudyModel(
        preference=0.6,
        kappa=0.5,
        problem_share=0.8,
        rater_correlation=0.0,
        pairs=20_000,
        problems=3,
        raters=2000,
        ballots=10,
    )
    study = simulate_many(model, 1, np.random.default_rng(6)).study(0)
    assert abs(study.rate_given_problems - 0.6) > 0.02
    assert np.nanmean(study.table.lower) == pytest.approx(study.rate_given_problems, abs=0.015)
    assert study.rate_given_pairs == pytest.approx(study.rate_given_problems, abs=0.01)


# --- who gets what ---


@settings(max_examples=examples(40), deadline=None)
@given(
    pairs=st.integers(1, 60),
    raters=st.integers(1, 30),
    ballots=st.integers(1, 12),
    problems=st.integers(1, 20),
    drop_out=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 100),
)
def test_nobody_sees_a_pair_twice_and_votes_a_pair_differ_by_one_at_most(
    pairs: int, raters: int, ballots: int, problems: int, drop_out: float, seed: int
) -> None:
    model = StudyModel(
        pairs=pairs,
        problems=min(problems, pairs),
        raters=raters,
        ballots=min(ballots, pairs),
        drop_out=drop_out,
    )
    table = simulate(model, np.random.default_rng(seed))
    seen = set(zip(table.rater.tolist(), table.pair.tolist(), strict=True))
    assert len(seen) == len(table)
    votes = table.counts().sum(axis=1)
    assert votes.max() - votes.min() <= 1
    assert np.array_equal(table.problem, table.pair % model.problems)


def test_a_rater_meets_different_problems_before_any_twice() -> None:
    model = StudyModel(pairs=100, problems=20, raters=10, ballots=10)
    table = simulate(model, np.random.default_rng(1))  # the first vote on each pair
    met = [len(set(table.problem[table.rater == rater])) for rater in range(10)]
    assert met[0] == 10
    assert sum(met) >= 90


def test_raters_who_stop_early_leave_any_number_of_ballots_and_an_excluded_one_leaves_none() -> (
    None
):
    model = StudyModel(drop_out=0.5, excluded=0.2, raters=50, ballots=10)
    studies = simulate_many(model, 400, np.random.default_rng(2))
    votes = studies.counted.reshape(400, 50, 10).sum(axis=2)
    share = np.bincount(votes.ravel(), minlength=11) / votes.size
    early = 0.8 * 0.5 / 10
    assert share[1:10] == pytest.approx(np.full(9, early), abs=0.006)
    assert share[10] == pytest.approx(0.8 * 0.5, abs=0.015)
    assert share[0] == pytest.approx(0.2 + early, abs=0.012)


def test_uneven_studies_are_more_uneven() -> None:
    even, uneven = (
        simulate(StudyModel(unequal=spread, raters=200), np.random.default_rng(4)).counts().sum(1)
        for spread in (0.0, 0.6)
    )
    assert even.std() < 0.5
    assert uneven.std() / uneven.mean() > 0.3


def test_a_share_of_the_votes_decides_for_neither() -> None:
    table = simulate(StudyModel(tie_share=0.25, raters=200), np.random.default_rng(4))
    assert table.ties / len(table) == pytest.approx(0.25, abs=0.04)


def test_a_seed_makes_a_study_again() -> None:
    one, same, other = (
        simulate(MODELS["uneven"], np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.lower, same.lower, equal_nan=True)
    assert np.array_equal(one.pair, same.pair)
    assert not np.array_equal(one.pair[:50], other.pair[:50])


# --- correlations ---


@pytest.mark.parametrize("threshold", [-2.3, 0.0, 0.5187, 1.7])
@pytest.mark.parametrize("latent", [0.0, 0.1, 0.57, 0.93, 0.9999])
def test_the_bivariate_normal_agrees_with_mpmath(threshold: float, latent: float) -> None:
    with mpmath.workdps(30):
        rest = mpmath.sqrt(1 - mpmath.mpf(latent) ** 2)
        exact = mpmath.quad(
            lambda z: mpmath.npdf(z) * mpmath.ncdf((threshold - latent * z) / rest),
            [-14, -6, -3, threshold - 0.1, threshold],
        )
    p = float(ndtr(threshold))
    both = p**2 + binary_correlation(p, latent) * p * (1 - p)
    assert both == pytest.approx(float(exact), abs=1e-12)


@given(st.floats(0.01, 0.99), st.floats(0, 0.95))
def test_latent_and_binary_correlation_are_inverse(preference: float, binary: float) -> None:
    latent = latent_correlation(preference, binary)
    assert binary_correlation(preference, latent) == pytest.approx(binary, abs=1e-9)
    assert binary <= latent + 1e-12


# --- what is refused ---


def test_agreement_that_leaves_nothing_to_chance_is_refused_in_a_sentence() -> None:
    with pytest.raises(UserError, match=r"agree within a pair by 0\.6 .* left to chance"):
        StudyModel(kappa=0.6, rater_correlation=0.6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"preference": 1.0}, "preference must be from 0.01 to 0.99, not 1"),
        ({"preference": math.nan}, "preference must be from"),
        ({"kappa": -0.1}, "kappa must be from 0 to 0.95"),
        ({"drop_out": 1.5}, "drop out must be"),
        ({"raters": 0}, "number of raters must be from 1"),
        ({"pairs": 5, "problems": 6}, "5 pairs cannot come from 6 problems"),
        ({"pairs": 9, "problems": 3}, "10 ballots on 9 pairs"),
    ],
)
def test_a_model_that_cannot_be_is_refused(change: dict[str, float], said: str) -> None:
    with pytest.raises(UserError, match=said):
        StudyModel(**change)  # type: ignore[arg-type]
