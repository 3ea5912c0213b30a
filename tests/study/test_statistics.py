"""Preference, agreement and exclusions against published and independent values."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from eic_core.errors import UserError
from study.report.phrases.rates import exclusion_sentence
from study.statistics.agreement_coefficients import fleiss, measured
from study.statistics.exclusions import (
    FAILED_ATTENTION,
    HASTY_SESSION,
    HASTY_VOTE,
    ExclusionRule,
    exclusion_reasons,
    session_seconds,
)
from study.statistics.limits import Lack
from study.statistics.preference import Preference

# --- preference ---


def test_the_counts_of_the_paper_give_its_test_and_intervals() -> None:
    counts = Preference(586, 254)  # Yu et al.: 69.8 % of 840
    assert counts.p_value == pytest.approx(2.7e-31, rel=0.02)
    wilson, exact = counts.wilson(), counts.clopper_pearson()
    assert wilson is not None and exact is not None
    assert (round(wilson.low, 3), round(wilson.high, 3)) == (0.666, 0.728)
    assert (round(exact.low, 3), round(exact.high, 3)) == (0.665, 0.729)


def test_the_one_sided_p_is_the_upper_tail() -> None:
    assert Preference(9, 1).p_value == pytest.approx(11 / 1024)
    assert Preference(1, 9).p_value == pytest.approx(1023 / 1024)
    assert Preference(0, 3).p_value == 1


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_intervals_are_those_of_statsmodels(lower: int, higher: int, level: float) -> None:
    counts = Preference(lower, higher)
    if not counts.votes:
        assert counts.wilson(level) is None
        return
    for ours, method in ((counts.wilson(level), "wilson"), (counts.clopper_pearson(level), "beta")):
        low, high = proportion_confint(lower, counts.votes, 1 - level, method=method)
        assert ours is not None
        # statsmodels gives nan for the trivial end of an exact interval
        assert ours.low == pytest.approx(0.0 if math.isnan(low) else low, abs=1e-9)
        assert ours.high == pytest.approx(1.0 if math.isnan(high) else high, abs=1e-9)


def test_without_votes_there_is_a_reason_and_no_number() -> None:
    for counts, reason in (
        (Preference(0, 0), Lack.NO_VALID_VOTES),
        (Preference(0, 0, 3), Lack.NOBODY_DECIDED),
    ):
        assert counts.rate is counts.p_value is counts.wilson() is counts.clopper_pearson() is None
        assert counts.reason is reason
        assert counts.to_json()["rate"] is None


def test_ties_change_no_rate() -> None:
    assert Preference(3, 1, 50).rate == Preference(3, 1).rate == 0.75


def test_senseless_counts_choices_and_levels_are_refused() -> None:
    with pytest.raises(UserError):
        Preference(-1, 2)
    with pytest.raises(UserError):
        Preference.of(["left"])
    with pytest.raises(UserError):
        Preference(1, 1).wilson(95)


# --- agreement ---

# Fleiss (1971), Psychological Bulletin 76:378-382, table 1: six psychiatrists assign each of
# 30 patients one of five diagnoses.  He gives kappa = 0.430.
DIAGNOSES = """
    0 0 0 6 0   0 3 0 0 3   0 1 4 0 1   0 0 0 0 6   0 3 0 3 0   2 0 4 0 0
    0 0 4 0 2   2 0 3 1 0   2 0 0 4 0   0 0 0 0 6   1 0 0 5 0   1 1 0 4 0
    0 3 3 0 0   1 0 0 5 0   0 2 0 3 1   0 0 5 0 1   3 0 0 1 2   5 1 0 0 0
    0 2 0 4 0   1 0 2 0 3   0 0 0 0 6   0 1 0 5 0   0 2 0 1 3   2 0 0 4 0
    1 0 0 4 1   0 5 0 1 0   4 0 0 0 2   0 2 0 4 0   1 0 5 0 0   0 0 0 0 6
"""
# Wikipedia, "Fleiss' kappa", worked example: 14 raters, 10 subjects, kappa = 0.210.
WORKED = """
    0 0 0 0 14   0 2 6 4 2   0 0 3 5 6   0 3 9 2 0   2 2 8 1 1
    7 7 0 0 0    3 2 6 3 0   2 5 3 2 2   6 5 2 1 0   0 2 2 3 7
"""


def table(text: str) -> list[list[int]]:
    return np.array(text.split(), dtype=int).reshape(-1, 5).tolist()


def value(counts: list[list[int]]) -> float:
    return measured(fleiss, counts)[0]


@pytest.mark.parametrize(("text", "published"), [(DIAGNOSES, 0.430), (WORKED, 0.210)])
def test_kappa_is_that_of_the_published_examples(text: str, published: float) -> None:
    assert round(value(table(text)), 3) == published


def test_pairs_with_fewer_than_two_votes_change_nothing() -> None:
    assert value([[4, 1], [0, 3]]) == value([[4, 1], [1, 0], [0, 0], [0, 3]])


# --- exclusions ---


def vote(rater: str, seconds: float, **more: Any) -> Any:
    base = {
        "idle_seconds": 0.0,
        "session_seconds": 0.0,
        "is_practice": False,
        "is_attention": False,
        "attention_ok": None,
    }
    return SimpleNamespace(rater=rater, seconds=seconds, **{**base, **more})


def test_sixty_seconds_count_and_a_moment_less_does_not() -> None:
    votes = [vote("a", 9, session_seconds=60.0), vote("b", 9, session_seconds=59.999)]
    assert exclusion_reasons(votes, ExclusionRule()) == ["", HASTY_SESSION]
    votes = [vote("a", 60.0), vote("a", 59.999)]
    assert exclusion_reasons(votes, ExclusionRule(60, "vote")) == ["", HASTY_VOTE]


def test_idle_time_does_not_save_a_hasty_vote() -> None:
    votes = [vote("a", 3600, idle_seconds=3590)]
    assert exclusion_reasons(votes, ExclusionRule(60, "vote")) == [HASTY_VOTE]


def test_a_session_is_the_sum_of_its_ballots_without_practice() -> None:
    votes = [
        vote("a", 30),
        vote("a", 50, idle_seconds=10),
        vote("a", 90, is_practice=True),
        vote("b", 5, idle_seconds=9),
    ]
    assert session_seconds(votes) == {"a": 70.0, "b": 0.0}


def test_practice_and_attention_ballots_get_no_reason() -> None:
    votes = [vote("a", 1, is_practice=True), vote("a", 1, is_attention=True, attention_ok=False)]
    assert exclusion_reasons(votes, ExclusionRule()) == ["", ""]


def test_failed_attention_checks_exclude_only_if_the_rule_says_so() -> None:
    votes = [
        vote("a", 99, session_seconds=99),
        vote("a", 9, session_seconds=99, is_attention=True, attention_ok=False),
    ]
    assert exclusion_reasons(votes, ExclusionRule()) == ["", ""]
    assert exclusion_reasons(votes, ExclusionRule(max_failed_attention=1)) == ["", ""]
    one = str(exclusion_sentence(ExclusionRule(max_failed_attention=1)))
    assert "more than 1 failed attention check are" in one
    strict = ExclusionRule(max_failed_attention=0)
    assert exclusion_reasons(votes, strict) == [FAILED_ATTENTION, ""]
    assert "more than 0 failed attention checks" in str(exclusion_sentence(strict))


def test_a_threshold_of_zero_leaves_nothing_out() -> None:
    assert exclusion_reasons([vote("a", 0.0)], ExclusionRule(0, "vote")) == [""]
    assert str(exclusion_sentence(ExclusionRule(0))) == "No vote is left out for haste."
