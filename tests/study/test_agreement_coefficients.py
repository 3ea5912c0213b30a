"""Coefficients of agreement against krippendorff, statsmodels, irrCAC and published examples, and
their intervals by simulation; against the definition of the jackknife in `test_recomputed.py`.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import krippendorff as krippendorffs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from eic_core.errors import UserError
from study.report.phrases.agreement import (
    agreement_sentence,
    prevalence_sentence,
    units_sentence,
)
from study.report.phrases.limits import in_words
from study.statistics.agreement import Agreement, agreement_of
from study.statistics.agreement_coefficients import (
    Coefficient,
    fleiss,
    gwet,
    krippendorff,
    measured,
    raw,
    terms,
)
from study.statistics.clusters import Estimand
from study.statistics.jackknife import PairSums
from study.statistics.limits import FewPairsOfRarerChoice, Lack, Limit, OneCluster
from study.statistics.simulation import StudyModel, simulate, simulate_many
from study.statistics.validation.scenarios import DEMO_SIZES
from study.statistics.votes import VoteArrays
from tests.effort import cases

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

ESTIMANDS: tuple[Estimand, ...] = ("problems like these", "pairs like these", "these pairs")
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


def every(found: Agreement) -> tuple[Coefficient, ...]:
    return (*found.coefficients, found.krippendorff_alpha)


@pytest.mark.parametrize("text", IRRCAC)
def test_kappa_alpha_and_ac1_with_unequal_counts_are_those_of_irrcac(text: str) -> None:
    values = [measured(each, parsed(text))[0] for each in (fleiss, krippendorff, gwet)]
    assert values == pytest.approx(IRRCAC[text], abs=1e-11)


def test_the_parts_of_kappa_are_those_of_irrcac() -> None:
    parts = measured(fleiss, parsed(GWET))
    assert parts == pytest.approx((0.762483130904, 0.8181818182, 0.2345041322), abs=1e-9)


@given(rows)
def test_alpha_is_that_of_the_krippendorff_package(counts: list[tuple[int, int]]) -> None:
    found = agreement_of(votes(counts)).krippendorff_alpha
    used = np.array([row for row in counts if sum(row) >= 2])
    if len(used) == 0 or (used.sum(axis=0) == 0).any():
        assert found.value is None and found.reason
        return
    oracle = krippendorffs.alpha(
        value_counts=np.array(counts), value_domain=[0, 1], level_of_measurement="nominal"
    )
    assert found.value == pytest.approx(oracle, abs=1e-10)


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.lists(st.integers(0, n).map(lambda k: (k, n - k)), min_size=1, max_size=20)
    )
)
def test_kappa_with_equal_counts_is_that_of_statsmodels(counts: list[tuple[int, int]]) -> None:
    found = agreement_of(votes(counts)).fleiss_kappa
    if found.value is not None:
        assert found.value == pytest.approx(statsmodels_kappa(np.array(counts)), abs=1e-10)


@given(rows)
def test_kappa_of_a_study_is_that_of_its_counts(counts: list[tuple[int, int]]) -> None:
    found = agreement_of(votes(counts)).fleiss_kappa
    used = [row for row in counts if sum(row) >= 2]
    assert (found.pairs, found.left_out) == (len(used), len(counts) - len(used))
    assert found.votes == sum(map(sum, used))
    if found.value is None:
        assert found.reason is not None
    else:
        assert not found.reason and found.value <= 1
        assert found.value == pytest.approx(measured(fleiss, counts)[0], abs=1e-12)


@given(rows)
def test_raw_agreement_counts_the_couples_that_agree(counts: list[tuple[int, int]]) -> None:
    shares = []
    for low, high in counts:
        ballots = [1] * low + [0] * high
        couples = [a == b for i, a in enumerate(ballots) for b in ballots[:i]]
        if couples:
            shares.append(sum(couples) / len(couples))
    found = agreement_of(votes(counts)).raw_agreement
    if shares:
        assert found.value == pytest.approx(sum(shares) / len(shares))
        assert found.observed == found.value and found.expected is None
    else:
        assert found.value is None and found.reason


def alike(one: Agreement, other: Agreement) -> None:
    """The same values and intervals, but for rounding."""
    for first, second in zip(every(one), every(other), strict=True):
        assert (first.value is None) == (second.value is None)
        if first.value is not None:
            assert first.value == pytest.approx(second.value, abs=1e-12)
        assert (first.interval is None) == (second.interval is None)
        if first.interval and second.interval:
            assert first.interval.low == pytest.approx(second.interval.low, abs=1e-9)
            assert first.interval.high == pytest.approx(second.interval.high, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(ESTIMANDS))
def test_neither_names_nor_the_order_of_votes_nor_swapped_categories_change_anything(
    seed: int, estimand: Estimand
) -> None:
    rng = np.random.default_rng(seed)
    table = simulate(StudyModel(pairs=20, problems=12, raters=12, ballots=6), rng)
    swapped = replace(table, lower=1 - table.lower)
    found = agreement_of(table, estimand)
    for other in (table.select(rng.permutation(len(table))), swapped):
        alike(found, agreement_of(other, estimand))


@pytest.mark.filterwarnings("error")
@given(rows)
def test_every_study_gives_numbers_or_sentences(counts: list[tuple[int, int]]) -> None:
    found = agreement_of(votes(counts, ties=1))
    assert json.dumps(in_words(found.to_json()), allow_nan=False)
    assert str(agreement_sentence(found)).endswith(".")
    for each in every(found):
        assert (each.value is None) == bool(each.reason)
        assert (each.interval is None) == bool(each.interval_reason)
        if each.interval is not None:
            assert -1 <= each.interval.low < each.interval.high <= 1


@pytest.mark.parametrize(("preference", "share"), [(0.5, 0.0), (0.7, 0.5)])
def test_intervals_cover_the_truth_as_often_as_they_say_at_the_demos_sizes(
    preference: float, share: float
) -> None:
    """A bootstrap of pairs covered 81 to 84 % where problems differ."""
    model = StudyModel(
        preference=preference,
        kappa=0.37,
        problem_share=share,
        pairs=156,
        problems=14,
        raters=84,
        sizes=DEMO_SIZES,
    )
    apart = 2 * preference * (1 - preference)
    agree = 1 - apart * (1 - 0.37)
    true = (agree, 0.37, (agree - apart) / (1 - apart), 0.37)
    studies, covered = cases(100, 1000), np.zeros(4)
    for study in simulate_many(model, studies, np.random.default_rng(20)):
        found = agreement_of(study.table, "problems like these")
        for i, (each, truth) in enumerate(zip(every(found), true, strict=True)):
            assert each.interval is not None and each.too_small is None
            covered[i] += each.interval.low <= truth <= each.interval.high
    noise = 2.6 * math.sqrt(0.05 * 0.95 / studies)
    assert (covered / studies > 0.93 - noise).all()
    if preference == 0.5:
        assert (covered / studies < 0.98 + noise).all()


def test_where_pairs_are_fixed_couples_of_votes_are_not_counted_twice() -> None:
    """The variance of kappa about its truth on these pairs, in studies whose raters differ little:
    a jackknife of raters alone came to twice of it, and its interval covered 98 to 99 %.
    """
    model = StudyModel(preference=0.6, kappa=0.05, pairs=40, problems=1, raters=20)
    errors, variances, plain = [], [], []
    for study in simulate_many(model, cases(120, 1000), np.random.default_rng(11)):
        rates = study.pair_rates
        share, agree = rates.mean(), (rates**2 + (1 - rates) ** 2).mean()
        chance = share**2 + (1 - share) ** 2
        sums = PairSums.of(study.table, terms, "these pairs")
        changes = sums.changes(lambda some: fleiss(some)[0])
        errors.append(fleiss(sums.whole)[0] - (agree - chance) / (1 - chance))
        variances.append(sums.variance(changes))
        plain.append(sums.of_raters(changes))
    true = np.var(errors)
    assert 0.75 * true < np.mean(variances) < 1.25 * true
    assert np.mean(plain) > 1.6 * true


def test_an_interval_that_covers_too_little_is_called_too_small() -> None:
    rng = np.random.default_rng(4)
    few = agreement_of(simulate(StudyModel(preference=0.85, pairs=20, raters=20), rng))
    kappa = few.fleiss_kappa
    assert kappa.interval is not None and isinstance(kappa.too_small, FewPairsOfRarerChoice)
    assert kappa.too_small.enough == 20
    many = agreement_of(simulate(StudyModel(pairs=172, problems=1, raters=84), rng))
    assert many.fleiss_kappa.too_small is None


def test_levels_nest_and_the_estimand_decides_what_is_left_out() -> None:
    model = StudyModel(pairs=60, problems=12, raters=40, problem_share=0.8, kappa=0.4)
    table = simulate(model, np.random.default_rng(2))
    narrow, wide = (agreement_of(table, level=level).fleiss_kappa.interval for level in (0.5, 0.99))
    assert narrow is not None and wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high
    widths = []
    for estimand in ESTIMANDS:
        interval = agreement_of(table, estimand).fleiss_kappa.interval
        assert interval is not None
        widths.append(interval.high - interval.low)
        assert ("problem" if estimand == "problems like these" else "pair") in interval.method
    assert widths[0] > widths[1]
    said = [str(units_sentence(estimand)) for estimand in ESTIMANDS]
    assert "each problem, with all its pairs, and each rater" in said[0]
    assert "each pair and each rater" in said[1] and "each rater is" in said[2]


def reasons(found: Agreement) -> set[Limit | None]:
    return {each.interval_reason for each in every(found)}


def test_degenerate_studies_get_reasons() -> None:
    assert reasons(agreement_of(votes([]))) == {Lack.NO_VOTES}
    assert "nothing can be said" in str(agreement_sentence(agreement_of(votes([]))))
    assert reasons(agreement_of(votes([(0, 0)], ties=4))) == {Lack.NO_PAIR_OF_TWO_VOTES}
    assert reasons(agreement_of(votes([(1, 0), (0, 1)]))) == {Lack.NO_PAIR_OF_TWO_VOTES}
    assert reasons(agreement_of(votes([(3, 2)]))) == {OneCluster("pair")}
    unanimous = agreement_of(votes([(3, 0), (4, 0), (2, 0)]))
    assert unanimous.raw_agreement.value == 1 and unanimous.gwet_ac1.value == 1
    assert unanimous.raw_agreement.interval is None  # never [1, 1]
    assert unanimous.fleiss_kappa.reason is Lack.ONE_CATEGORY
    assert "not defined" in str(agreement_sentence(unanimous))
    assert agreement_of(votes([(3, 0), (0, 2)])).fleiss_kappa.value == 1
    single = agreement_of(votes([(3, 0), (4, 0), (2, 2)]))
    assert single.fleiss_kappa.interval_reason is Lack.RARE_CHOICE


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
            measured(raw, bad)
    with pytest.raises(UserError):
        agreement_of(votes([(1, 2)]), level=95)


def test_a_coefficient_carries_its_counts() -> None:
    found = agreement_of(votes([(4, 1), (1, 0), (0, 0), (2, 2)])).gwet_ac1
    assert (found.pairs, found.left_out, found.votes) == (2, 2, 9)
