"""Coefficients of agreement against krippendorff, statsmodels, irrCAC and published examples."""

from __future__ import annotations

import json
import math
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from eic_core.errors import UserError
from study.report.phrases.agreement import agreement_sentence, prevalence_sentence
from study.report.phrases.limits import in_words
from study.statistics.agreement import Agreement, agreement_of, fleiss_kappa
from study.statistics.agreement_coefficients import (
    Coefficient,
    fleiss_coefficient,
    fleiss_interval,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from study.statistics.limits import FewPairsOfRarerChoice, Lack, Limit
from study.statistics.votes import VoteArrays

COEFFICIENTS = (raw_agreement, fleiss_coefficient, krippendorff_alpha, gwet_ac1)

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve
# units, five values, missing data; nominal alpha 0.743.  The twelfth unit has one value.  The same
# data are Gwet's (Handbook of Inter-Rater Reliability, ch. 2): AC1 0.775.
GWET = """
    3 0 0 0 0   0 3 1 0 0   0 0 4 0 0   0 0 4 0 0   0 4 0 0 0   1 1 1 1 0
    0 0 0 4 0   3 1 0 0 0   0 4 0 0 0   0 0 0 0 3   2 0 0 0 0
"""
# Unequal counts of two categories; the values below are of irrCAC 0.4.4 (CAC(...).gwet(), .fleiss()
# and .krippendorff() with digits=12, numpy 1.26.4).
UNEQUAL = "0 5   1 1   1 2   4 1   2 3   0 5   2 2   2 2"
SKEWED = "9 1   8 0   6 1   5 5   3 0   7 2   2 0   10 0"
IRRCAC = {
    GWET: (0.762483130904, 0.743421052632, 0.775151708719),
    UNEQUAL: (-0.062025223099, 0.089947089947, 0.055180106292),
    SKEWED: (0.157398940718, 0.158641975309, 0.773087415092),
}

rows = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)


def parsed(text: str) -> Any:
    return np.array(text.split(), dtype=int).reshape(-1, 5 if text is GWET else 2)


def votes(counts: Any, ties: int = 0) -> VoteArrays:
    """A table with these counts on its pairs; raters 0, 1, … vote in turn."""
    lower, pair, rater = [], [], []
    for p, (low, high) in enumerate(counts):
        for r, choice in enumerate([1.0] * low + [0.0] * high + [float("nan")] * ties):
            lower.append(choice)
            pair.append(p)
            rater.append(r)
    n, most = len(lower), max(rater, default=-1) + 1
    return VoteArrays(
        np.array(lower, dtype=float),
        np.array(pair, dtype=np.intp),
        np.array(rater, dtype=np.intp),
        np.zeros(n, dtype=np.intp),
        tuple(f"p{i:03}" for i in range(len(counts))),
        tuple(f"r{i:03}" for i in range(most)),
        ("q",),
        np.ones(n, dtype=bool),
        np.ones(n, dtype=np.intp),
    )


@pytest.mark.parametrize("text", IRRCAC)
def test_kappa_alpha_and_ac1_with_unequal_counts_are_those_of_irrcac(text: str) -> None:
    kappa, alpha, ac1 = IRRCAC[text]
    counts = parsed(text)
    assert fleiss_coefficient(counts).value == pytest.approx(kappa, abs=1e-11)
    assert krippendorff_alpha(counts).value == pytest.approx(alpha, abs=1e-11)
    assert gwet_ac1(counts).value == pytest.approx(ac1, abs=1e-11)


def test_the_published_alpha_and_ac1_come_out() -> None:
    alpha, ac1 = krippendorff_alpha(parsed(GWET)).value, gwet_ac1(parsed(GWET)).value
    assert alpha is not None and round(alpha, 3) == 0.743  # Krippendorff (2011)
    assert ac1 is not None and round(ac1, 3) == 0.775  # Gwet (2014)


@given(rows)
def test_alpha_is_that_of_the_krippendorff_package(counts: list[tuple[int, int]]) -> None:
    found = krippendorff_alpha(counts, draws=100)
    used = np.array([row for row in counts if sum(row) >= 2])
    if len(used) == 0 or (used.sum(axis=0) == 0).any():
        assert found.value is None and found.reason
        return
    oracle = krippendorff.alpha(
        value_counts=np.array(counts), value_domain=[0, 1], level_of_measurement="nominal"
    )
    assert found.value == pytest.approx(oracle, abs=1e-10)


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.lists(st.integers(0, n).map(lambda k: (k, n - k)), min_size=1, max_size=20)
    )
)
def test_kappa_with_equal_counts_is_that_of_statsmodels(counts: list[tuple[int, int]]) -> None:
    found = fleiss_coefficient(counts, draws=100)
    if found.value is not None:
        assert found.value == pytest.approx(statsmodels_kappa(np.array(counts)), abs=1e-10)


@given(rows)
def test_both_ways_to_kappa_agree(counts: list[tuple[int, int]]) -> None:
    plain, found = fleiss_kappa(counts), fleiss_coefficient(counts, draws=100)
    assert found.reason == plain.reason
    assert (found.pairs, found.left_out, found.votes) == (
        plain.subjects,
        plain.left_out,
        plain.votes,
    )
    if plain.value is not None:
        assert found.value == pytest.approx(plain.value, abs=1e-12)


@given(rows)
def test_raw_agreement_counts_the_couples_that_agree(counts: list[tuple[int, int]]) -> None:
    shares = []
    for low, high in counts:
        ballots = [1] * low + [0] * high
        couples = [a == b for i, a in enumerate(ballots) for b in ballots[:i]]
        if couples:
            shares.append(sum(couples) / len(couples))
    found = raw_agreement(counts, draws=100)
    if shares:
        assert found.value == pytest.approx(sum(shares) / len(shares))
        assert found.observed == found.value and found.expected is None
    else:
        assert found.value is None and found.reason


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_nothing(counts: list[tuple[int, int]], rng: Any) -> None:
    shuffled = list(counts)
    rng.shuffle(shuffled)
    for measure in COEFFICIENTS:
        assert measure(counts, draws=100) == measure(shuffled, draws=100)


@given(rows)
def test_swapping_the_categories_changes_no_value(counts: list[tuple[int, int]]) -> None:
    for measure in COEFFICIENTS:
        one = measure(counts, draws=100)
        other = measure([(high, low) for low, high in counts], draws=100)
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-12)


@pytest.mark.filterwarnings("error")
@given(rows)
def test_every_study_gives_numbers_or_sentences(counts: list[tuple[int, int]]) -> None:
    found = agreement_of(votes(counts, ties=1), draws=100)
    assert json.dumps(in_words(found.to_json()), allow_nan=False)
    assert str(agreement_sentence(found)).endswith(".")
    for each in found.coefficients:
        assert (each.value is None) == bool(each.reason)
        assert (each.interval is None) == bool(each.interval_reason)
        if each.interval is not None:
            assert -1 <= each.interval.low < each.interval.high <= 1


def test_the_interval_is_that_of_the_documented_draws() -> None:
    """The recipe of the docstring, with a loop over the draws and the textbook formula."""
    counts = [(4, 1), (0, 3), (2, 2), (5, 0), (3, 2), (1, 4), (5, 1)] * 4
    ordered = np.array(sorted(counts))
    m, draws = len(ordered), 400
    weights = np.random.default_rng(3).multinomial(m, [1 / m] * m, size=draws)
    drawn = np.array([fleiss_kappa(np.repeat(ordered, w, axis=0).tolist()).value for w in weights])
    value = fleiss_kappa(counts).value
    z0 = norm.ppf(np.mean(drawn < value))
    reach = math.sqrt(m / (m - 1)) * t.ppf(0.95, m - 1)
    low, high = np.quantile(drawn, norm.cdf([2 * z0 - reach, 2 * z0 + reach]))
    found = fleiss_interval(counts, draws=draws, seed=3, level=0.9)
    assert found is not None
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-12)


def simulated(rng: np.random.Generator, pairs: int, rate: float, kappa: float) -> Any:
    """Beta-binomial votes, whose Fleiss' kappa in the population is the intra-pair correlation."""
    odds = (1 - kappa) / kappa
    share = rng.beta(rate * odds, (1 - rate) * odds, pairs)
    n = rng.poisson(5, pairs)
    low = rng.binomial(n, share)
    return np.stack([low, n - low], axis=1)


@pytest.mark.parametrize(("pairs", "rate", "kappa"), [(172, 0.7, 0.37), (60, 0.7, 0.2)])
def test_the_interval_of_kappa_covers_the_truth_as_often_as_it_says(
    pairs: int, rate: float, kappa: float
) -> None:
    rng = np.random.default_rng(20)
    found = [fleiss_interval(simulated(rng, pairs, rate, kappa), draws=1000) for _ in range(400)]
    covered = np.mean([i is not None and i.low <= kappa <= i.high for i in found])
    assert 0.95 - 0.05 < covered < 0.95 + 0.035  # 2 points and 2.5 standard errors of 400 studies


def test_an_interval_that_covers_too_little_is_called_too_small() -> None:
    rng = np.random.default_rng(4)
    few = fleiss_coefficient(simulated(rng, 20, 0.85, 0.37))
    assert few.interval is not None and isinstance(few.too_small, FewPairsOfRarerChoice)
    assert few.too_small.enough == 20
    assert fleiss_coefficient(simulated(rng, 172, 0.7, 0.37)).too_small is None


def test_seeds_reproduce_and_levels_nest() -> None:
    counts = [(4, 1), (0, 3), (2, 2), (5, 0)] * 10
    assert fleiss_interval(counts, seed=5) == fleiss_interval(counts, seed=5)
    assert fleiss_interval(counts, seed=5) != fleiss_interval(counts, seed=6)
    narrow, wide = fleiss_interval(counts, level=0.5), fleiss_interval(counts, level=0.99)
    assert narrow is not None and wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def reasons(found: Agreement) -> set[Limit | None]:
    return {each.interval_reason for each in found.coefficients}


def test_degenerate_studies_get_reasons() -> None:
    assert reasons(agreement_of(votes([]))) == {Lack.NO_VOTES}
    assert "nothing can be said" in str(agreement_sentence(agreement_of(votes([]))))
    assert reasons(agreement_of(votes([(0, 0)], ties=4))) == {Lack.NO_PAIR_OF_TWO_VOTES}
    assert reasons(agreement_of(votes([(1, 0), (0, 1)]))) == {Lack.NO_PAIR_OF_TWO_VOTES}
    one_pair = agreement_of(votes([(3, 2)]))
    assert reasons(one_pair) == {Lack.ONE_PAIR}
    unanimous = agreement_of(votes([(3, 0), (4, 0), (2, 0)]))
    assert unanimous.raw_agreement.value == 1 and unanimous.gwet_ac1.value == 1
    assert unanimous.raw_agreement.interval is None  # never [1, 1]
    assert unanimous.fleiss_kappa.reason is Lack.ONE_CATEGORY
    assert "not defined" in str(agreement_sentence(unanimous))


def test_the_prevalence_sentence_is_there_only_where_an_uneven_split_lowers_kappa() -> None:
    skewed = agreement_of(votes([(5, 0), (4, 1), (5, 0), (5, 0), (4, 1), (5, 0)] * 5))
    assert skewed.raw_agreement.value is not None and skewed.raw_agreement.value > 0.8
    assert skewed.fleiss_kappa.value is not None and skewed.fleiss_kappa.value < 0
    assert "93 % of the votes go to the formula of lower EIC" in str(prevalence_sentence(skewed))
    flipped = agreement_of(votes([(0, 5), (1, 4), (0, 5), (0, 5), (1, 4), (0, 5)] * 5))
    assert "93 % of the votes go to the formula of higher EIC" in str(prevalence_sentence(flipped))
    for even in ([(5, 0), (0, 5), (4, 1), (1, 4)] * 5, [(2, 3), (3, 2)] * 5):
        assert str(prevalence_sentence(agreement_of(votes(even)))) == ""


def test_the_coding_is_stated() -> None:
    assert "ties are no vote" in agreement_of(votes([(3, 1), (1, 2)])).to_json()["coding"]


def test_senseless_input_is_refused() -> None:
    for bad in ([(1, 2), (1, 2, 3)], [(-1, 2)], [(1,)]):
        with pytest.raises(UserError):
            raw_agreement(bad)
    with pytest.raises(UserError):
        fleiss_interval([(1, 2)], draws=10)
    with pytest.raises(UserError):
        fleiss_interval([(1, 2)], level=95)


def test_a_coefficient_carries_its_counts() -> None:
    found: Coefficient = gwet_ac1([(4, 1), (1, 0), (0, 0), (2, 2)])
    assert (found.pairs, found.left_out, found.votes) == (2, 2, 9)
