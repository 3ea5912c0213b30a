"""The clustered rate, the bootstraps and the sign test, from independent sides."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from eic_core.errors import UserError
from study.report.phrases.limits import in_words, limit
from study.report.phrases.rates import rate_sentence, sign_test_sentence
from study.statistics.bootstrap import pair_bootstrap, two_way_bootstrap
from study.statistics.clusters import Estimand
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.limits import (
    FewClusters,
    FewDissenting,
    FewProblems,
    Lack,
    Limit,
    NearlyOneProblem,
    OneCluster,
    SinglePairs,
)
from study.statistics.sign_test import SignTest, sign_test
from study.statistics.simulation import StudyModel, simulate
from study.statistics.votes import VoteArrays
from tests.effort import examples

Vote = tuple[str, str, str, str]
"""Rater, pair, problem, choice."""


def _table(votes: Sequence[Vote]) -> VoteArrays:
    return VoteArrays.of(
        SimpleNamespace(
            rater=rater, pair=pair, problem=problem, choice=choice, lower_side="left", position=1
        )
        for rater, pair, problem, choice in votes
    )


def _simulated(seed: int = 1, **changes: float) -> VoteArrays:
    given = {
        "preference": 0.7,
        "kappa": 0.3,
        "pairs": 40,
        "raters": 20,
        "problems": 1,
        "rater_correlation": 0.1,
        "drop_out": 0.3,
        "unequal": 0.4,
        **changes,
    }
    return simulate(StudyModel(**given), np.random.default_rng(seed))


def _variances(rate: ClusteredRate) -> list[float]:
    return [part.variance for part in rate.components]


# --- the variance, against statsmodels ---


def test_independent_votes_on_fixed_pairs_have_the_textbook_variance() -> None:
    """Every rater votes once: a stratified sample (Cochran, 1977, Sampling Techniques, 5.4)."""
    rng = np.random.default_rng(3)
    votes = [
        (f"r{pair}.{i}", f"p{pair}", "q", "lower" if rng.random() < 0.3 + 0.03 * pair else "higher")
        for pair in range(20)
        for i in range(6)
    ]
    table = _table(votes)
    expected = (
        sum(36 * np.var(table.lower[table.pair == pair], ddof=1) / 6 for pair in range(20)) / 120**2
    )
    rate = clustered_rate(table, estimand="these pairs")
    assert rate.variance == pytest.approx(expected * 120 / 119)


# --- what follows from it ---


@pytest.mark.parametrize("copies", [2, 5, 9])
def test_copied_votes_have_a_design_effect_of_their_number(copies: int) -> None:
    votes = [
        (f"r{pair}.{i}", f"p{pair}", "q", "higher" if pair % 3 == 0 else "lower")
        for pair in range(30)
        for i in range(copies)
    ]
    rate = clustered_rate(_table(votes))
    assert rate.design_effect == pytest.approx(copies * 30 / 29)
    assert rate.effective_votes == pytest.approx(29)


@given(st.integers(0, 60), st.sampled_from([0.5, 0.6, 0.8]), st.sampled_from([1, 4, 12]))
@settings(max_examples=examples(40), deadline=None)
def test_the_interval_and_the_two_sided_test_agree(
    seed: int, preference: float, problems: int
) -> None:
    rate = clustered_rate(_simulated(seed, preference=preference, problems=problems))
    p = rate.p_two_sided
    assert p is not None
    if 1e-9 < p < 1:
        edge = rate.interval(1 - p)
        assert edge is not None
        assert min(abs(edge.low - 0.5), abs(edge.high - 0.5)) < 1e-6


def test_where_votes_balance_better_than_chance_the_variance_stops_at_the_floor() -> None:
    votes = [
        (f"r{r:02d}", f"p{p:02d}", "q", "lower" if (r + p) % 2 else "higher")
        for r in range(12)
        for p in range(13)
    ]
    rate = clustered_rate(_table(votes))
    pair, rater, both = _variances(rate)
    assert pair + rater - both < 0 == pair < rater
    assert rate.variance == 0 and rate.too_small is Lack.BALANCED
    found = rate.interval()
    exact = stats.binomtest(6, 12).proportion_ci(0.95, "exact")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert rate.p_value == pytest.approx(stats.binom.sf(5, 12, 0.5))


@pytest.mark.parametrize("sizes", [(30, 5, 5, 5, 5, 5, 5, 5, 5, 5), (7,) * 8])
def test_problems_of_unequal_sizes_count_by_their_effective_number(sizes: tuple[int, ...]) -> None:
    table = _simulated(
        sizes=sizes, pairs=sum(sizes), problems=len(sizes), raters=60, problem_share=0.4
    )
    rate = clustered_rate(replace(table, sampled="problems"))
    votes = Counter(table.decided().problem.tolist()).values()
    expected = sum(votes) ** 2 / sum(n * n for n in votes)
    assert rate.effective_problems == pytest.approx(expected)
    assert rate.degrees_of_freedom == pytest.approx(expected - 1)
    assert bool(rate.too_small) == (expected < 6) == (len(sizes) == 10)
    if rate.too_small:
        assert isinstance(rate.too_small, FewProblems)
        assert rate.too_small.largest == round(100 * max(votes) / sum(votes))
    found = rate.interval()
    assert found is not None and rate.standard_error is not None and rate.rate is not None
    half = (math.log(found.high / (1 - found.high)) - math.log(found.low / (1 - found.low))) / 2
    assert half == pytest.approx(
        stats.t.ppf(0.975, expected - 1) * rate.standard_error / (rate.rate * (1 - rate.rate))
    )


def test_what_is_estimated_hangs_on_the_design_not_on_the_votes() -> None:
    table = _simulated(problems=10)
    fewer = table.select(table.problem < 6)
    assert clustered_rate(fewer).estimand == clustered_rate(table).estimand == "problems like these"
    for sampled, estimand in (("pairs", "pairs like these"), ("problems", "problems like these")):
        assert clustered_rate(replace(fewer, sampled=sampled)).estimand == estimand


def test_votes_on_one_problem_say_nothing_of_others() -> None:
    table = replace(_simulated(problems=4), sampled="problems")
    rate = clustered_rate(table.select(table.problem == 1))
    assert rate.reason == OneCluster("problem") and rate.interval() is None
    nearly = table.select((table.problem == 1) | (np.arange(len(table)) < 4))
    assert clustered_rate(nearly).reason == NearlyOneProblem(3)


def test_ten_problems_are_the_clusters_and_nine_are_held_fixed() -> None:
    ten, nine = (clustered_rate(_simulated(problems=number)) for number in (10, 9))
    assert [name for name, _ in ten.clusters] == ["problem", "rater"]
    assert not ten.conditional_on_problems and "held fixed" not in str(rate_sentence(ten))
    assert [name for name, _ in nine.clusters] == ["pair", "rater"]
    assert nine.conditional_on_problems and "The 9 problems are held fixed" in str(
        rate_sentence(nine)
    )


def test_ties_are_in_no_number() -> None:
    table = _simulated(tie_share=0.2)
    assert table.ties
    for estimand in ("pairs like these", "these pairs"):
        with_ties = clustered_rate(table, estimand=estimand).to_json()
        assert with_ties == clustered_rate(table.decided(), estimand=estimand).to_json()


# --- invariances ---

CELLS = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.sampled_from(["lower", "higher", "tie"])),
    min_size=0,
    max_size=80,
    unique_by=lambda cell: cell[:2],
)
ESTIMANDS: tuple[Estimand, ...] = ("pairs like these", "these pairs")


def _votes(cells: list[tuple[int, int, str]], problems: int) -> list[Vote]:
    return [(f"r{r}", f"p{p:02d}", f"q{p % problems}", choice) for r, p, choice in cells]


@given(CELLS, st.sampled_from([1, 3, 12]), st.randoms(use_true_random=False))
@settings(max_examples=examples(60), deadline=None)
def test_order_and_names_change_nothing(cells, problems, random) -> None:  # type: ignore[no-untyped-def]
    votes = _votes(cells, problems)
    names = [f"n{i:02d}" for i in range(15)]
    raters, pairs, tasks = (random.sample(names, 15) for _ in range(3))
    other = [(raters[r], pairs[p], tasks[p % problems], choice) for r, p, choice in cells]
    random.shuffle(other)
    for estimand in ESTIMANDS:
        one, two = (clustered_rate(_table(v), estimand=estimand) for v in (votes, other))
        for key, value in one.to_json().items():
            again = two.to_json()[key]
            if isinstance(value, float):
                assert again == pytest.approx(value, rel=1e-9, abs=1e-12), key
            elif key not in ("variances", "interval"):
                assert again == value, key
    if cells:
        low, high = (
            pair_bootstrap(_table(votes), draws=100),
            pair_bootstrap(_table(other), draws=100),
        )
        assert (low is None) == (high is None)
        if low is not None and high is not None:
            assert (low.low, low.high) == pytest.approx((high.low, high.high))


@given(CELLS, st.sampled_from([1, 3, 12]))
@settings(max_examples=examples(60), deadline=None)
def test_swapping_lower_and_higher_mirrors_everything(cells, problems) -> None:  # type: ignore[no-untyped-def]
    swap = {"lower": "higher", "higher": "lower", "tie": "tie"}
    votes = _votes(cells, problems)
    for estimand in ESTIMANDS:
        one = clustered_rate(_table(votes), estimand=estimand)
        two = clustered_rate(
            _table([(*vote[:3], swap[vote[3]]) for vote in votes]), estimand=estimand
        )
        assert one.too_small == two.too_small and one.reason == two.reason
        if one.rate is not None:
            assert two.rate == pytest.approx(1 - one.rate)
        here, there = one.interval(), two.interval()
        if here is not None and there is not None:
            assert there.low == pytest.approx(1 - here.high, abs=1e-9)
            assert two.p_two_sided == pytest.approx(one.p_two_sided, rel=1e-6, abs=1e-12)


@given(CELLS, st.sampled_from([1, 3, 12]))
@settings(max_examples=examples(100), deadline=None)
def test_whatever_the_votes_there_are_numbers_or_sentences(cells, problems) -> None:  # type: ignore[no-untyped-def]
    table = _table(_votes(cells, problems))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimand in ESTIMANDS:
            rate = clustered_rate(table, estimand=estimand)
            json.dumps(in_words(rate.to_json()), allow_nan=False)
            assert (rate.interval() is None) == bool(rate.reason)
            assert str(rate_sentence(rate)).endswith(".")
            interval = rate.interval()
            if interval is not None and rate.rate is not None:
                assert 0 <= interval.low <= rate.rate <= interval.high <= 1
                assert interval.low < interval.high
        json.dumps(in_words(sign_test(table).to_json()), allow_nan=False)
        pair_bootstrap(table, draws=100)
        two_way_bootstrap(table, draws=100)


# --- degenerate and small studies ---


def _grid(raters: int, pairs: int, choice: str = "lower") -> list[Vote]:
    return [(f"r{r}", f"p{p}", "q", choice) for r in range(raters) for p in range(pairs)]


@pytest.mark.parametrize(
    "votes, estimand, reason",
    [
        ([], "pairs like these", Lack.NO_VALID_VOTES),
        (_grid(3, 3, "tie"), "pairs like these", Lack.NOBODY_DECIDED),
        (_grid(1, 12), "pairs like these", OneCluster("rater")),
        (_grid(1, 12), "these pairs", OneCluster("rater")),
        (_grid(12, 1), "pairs like these", OneCluster("pair")),
        (_grid(1, 1), "pairs like these", OneCluster("rater")),
        (
            [(f"r{i}", f"p{i % 4}", f"q{i % 4}", "lower") for i in range(20)],
            "pairs like these",
            SinglePairs(4),
        ),
    ],
)
def test_where_nothing_can_be_said_there_is_a_reason(
    votes: list[Vote], estimand: Estimand, reason: Limit
) -> None:
    rate = clustered_rate(_table(votes), estimand=estimand)
    assert rate.reason == reason and rate_sentence(rate) == limit(reason)
    assert rate.interval() is rate.p_value is rate.p_two_sided is rate.design_effect is None
    assert rate.too_small is None


def test_one_pair_is_enough_for_a_rate_of_this_pair() -> None:
    votes = [(f"r{i}", "p", "q", "lower" if i % 3 else "higher") for i in range(24)]
    rate = clustered_rate(_table(votes), estimand="these pairs")
    assert not rate.reason and not rate.too_small and rate.interval() is not None


def test_a_unanimous_study_gets_the_exact_bound_of_its_scarcer_clusters() -> None:
    rate = clustered_rate(_table(_grid(20, 40)))
    found = rate.interval()
    assert found is not None and rate.too_small is Lack.UNANIMOUS
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert found.low == pytest.approx(stats.binomtest(20, 20).proportion_ci(0.95, "exact").low)
    assert rate.p_value == pytest.approx(0.5**20)
    assert rate.design_effect is None and rate.standard_error == 0.0
    mirrored = clustered_rate(_table(_grid(20, 40, "higher")))
    assert mirrored.p_value == 1.0 and mirrored.p_two_sided == pytest.approx(2 * 0.5**20)


@pytest.mark.parametrize(
    "raters, pairs, limit",
    [(9, 40, FewClusters("rater", 9, 10)), (20, 9, FewClusters("pair", 9, 10)), (10, 10, None)],
)
def test_fewer_than_ten_clusters_are_too_few(raters: int, pairs: int, limit: Limit | None) -> None:
    rng = np.random.default_rng(1)
    votes = [
        (*vote[:3], "lower" if rng.random() < 0.6 else "higher") for vote in _grid(raters, pairs)
    ]
    rate = clustered_rate(_table(votes))
    assert rate.too_small == limit
    assert rate.interval() is not None


def test_a_rarer_choice_from_few_raters_is_too_little_to_go_by() -> None:
    votes = [
        (*vote[:3], "higher" if vote[0] in ("r1", "r2", "r3", "r4") and vote[1] < "p2" else "lower")
        for vote in _grid(20, 40)
    ]
    assert clustered_rate(_table(votes)).too_small == FewDissenting(4, 5)
    more = [(*v[:3], "higher") if v[:2] == ("r5", "p1") else v for v in votes]
    assert clustered_rate(_table(more)).too_small is None


def test_a_level_and_an_estimand_are_checked() -> None:
    rate = clustered_rate(_table(_grid(20, 40)))
    for level in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(UserError, match="level"):
            rate.interval(level)
    with pytest.raises(UserError, match="these pairs"):
        clustered_rate(_table([]), estimand="all pairs")  # type: ignore[arg-type]


# --- bootstraps and the sign test ---


def _spread(interval: object) -> float:
    assert interval is not None
    return (interval.high - interval.low) / (2 * stats.norm.ppf(0.975))  # type: ignore[attr-defined]


@pytest.mark.parametrize("problems", [1, 4, 40])
def test_the_pair_bootstrap_spreads_like_the_pair_variance(problems: int) -> None:
    table = _simulated(pairs=160, raters=80, problems=problems, rater_correlation=0.0)
    rate = clustered_rate(table)
    lost, clusters = (problems if problems < 10 else 1), rate.clusters[0][1]
    plain = math.sqrt(rate.components[0].variance * (clusters - lost) / clusters)
    assert _spread(pair_bootstrap(table, draws=8000)) == pytest.approx(plain, rel=0.05)


def test_the_two_way_bootstrap_adds_pair_rater_and_vote() -> None:
    table = _simulated(pairs=160, raters=80, problems=1)
    total = math.sqrt(sum(_variances(clustered_rate(table))))  # Owen (2007), theorem 3
    assert _spread(two_way_bootstrap(table, draws=8000)) == pytest.approx(total, rel=0.06)


def test_bootstraps_repeat_with_the_seed_and_differ_without() -> None:
    table = _simulated()
    for bootstrap in (pair_bootstrap, two_way_bootstrap):
        assert bootstrap(table, seed=5) == bootstrap(table, seed=5) != bootstrap(table, seed=6)
        with pytest.raises(UserError, match="draws"):
            bootstrap(table, draws=10)
        with pytest.raises(UserError, match="level"):
            bootstrap(table, level=95)
        assert bootstrap(_table(_grid(5, 5))) is None
        assert bootstrap(_table([])) is None


@pytest.mark.parametrize("lower, higher", [(9, 1), (1, 9), (7, 7), (1, 0)])
def test_the_sign_test_is_the_binomial_tail(lower: int, higher: int) -> None:
    expected = sum(math.comb(lower + higher, k) for k in range(lower, lower + higher + 1))
    assert SignTest(lower, higher, 3).p_value == pytest.approx(expected / 2 ** (lower + higher))


def test_pairs_are_counted_by_their_majority() -> None:
    rows = {"a": "lll", "b": "llh", "c": "lhh", "d": "lh", "e": "t", "f": "tl"}
    word = {"l": "lower", "h": "higher", "t": "tie"}
    votes = [
        (f"r{i}", pair, "q", word[letter])
        for pair, row in rows.items()
        for i, letter in enumerate(row)
    ]
    test = sign_test(_table(votes))
    assert (test.lower, test.higher, test.split, test.pairs) == (3, 1, 1, 4)
    assert sign_test(_table([])).reason is Lack.NO_PAIR_WITH_VOTE
    assert sign_test(_table([("r", "p", "q", "tie")])).p_value is None
    even = sign_test(_table([("r", "p", "q", "lower"), ("s", "p", "q", "higher")]))
    assert even.reason is Lack.ALL_SPLIT
    assert str(sign_test_sentence(even)) == "The votes on every pair are split evenly."
    with pytest.raises(UserError):
        SignTest(-1, 0)
