"""Threats against counts by hand, statsmodels, scipy, and planted effects of known size."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from math import comb
from typing import Any, cast

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from eic_core.errors import UserError
from study.report.document import threats_json
from study.report.exported import Choice, ExportedVote, Side
from study.report.phrases.limits import in_words
from study.report.phrases.threats import threat_sentence
from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import clustered_rate
from study.statistics.preference import Interval
from study.statistics.threats import (
    Gap,
    attention,
    ballots,
    gaps,
    one_sided_raters,
    problem_rates,
    rater_screens,
    sensitivity,
    sides,
    threats_of,
    ties,
)
from study.statistics.threats.attention import FAILED
from study.statistics.threats.gaps import EIC, NODES, R2
from study.statistics.votes import VoteArrays
from tests.effort import cases, combined, examples
from tests.study import recompute
from tests.study.exports import START

NO_RULE = ExclusionRule(0)


def voted(
    rater: str,
    pair: str,
    problem: str,
    choice: Choice,
    lower_side: Side,
    position: int,
    seconds: float = 20.0,
    idle_seconds: float = 0.0,
    session_seconds: float = 200.0,
    **more: Any,
) -> ExportedVote:
    where = (rater, pair, problem, choice, lower_side, position, START, START)
    return ExportedVote("", *where, seconds, idle_seconds, session_seconds, **more)


def said(found: object) -> str:
    return str(threat_sentence(found))


def check(rater: str, ok: bool) -> ExportedVote:
    return voted(rater, "", "", "lower", "left", 99, is_attention=True, attention_ok=ok)


def study(
    seed: int = 0,
    pairs: int = 40,
    raters: int = 40,
    problems: int = 4,
    log_odds: Any = None,
    tie: float = 0.0,
) -> list[ExportedVote]:
    """Ten ballots each; log_odds(rater, pair, left, position) of a vote for the lower EIC."""
    rng = np.random.default_rng(seed)
    votes = []
    pace = rng.lognormal(2.0, 0.7, raters)
    for r in range(raters):
        left = rng.permutation([True, False] * 5)
        seconds = pace[r] * rng.lognormal(0, 0.2, 10)
        for at, pair in enumerate(rng.choice(pairs, 10, replace=False).tolist()):
            eta = log_odds(r, pair, left[at], at + 1) if log_odds else 0.8
            choice = "lower" if rng.uniform() < 1 / (1 + np.exp(-eta)) else "higher"
            choice = "tie" if rng.uniform() < tie else choice
            votes.append(
                voted(
                    f"r{r:03}",
                    f"p{pair:03}",
                    f"q{pair % problems:02}",
                    choice,
                    "left" if left[at] else "right",
                    at + 1,
                    float(seconds[at]),
                    0.0,
                    float(seconds.sum()),
                )
            )
    return votes


def flat_gaps(votes: list[ExportedVote]) -> dict[str, Gap]:
    """Gaps that differ from pair to pair."""
    names = sorted({vote.pair for vote in votes})
    return {
        name: Gap(2 + (i * 7 % 11) / 2, (i * 5 % 9 - 4) / 400, i * 3 % 5 - 2)
        for i, name in enumerate(names)
    }


def ends(interval: Interval | None) -> list[float]:
    return [] if interval is None else [round(end, 12) for end in (interval.low, interval.high)]


# --- exclusion thresholds ---


def test_the_frozen_rule_is_on_the_curve_once_with_its_attention_limit() -> None:
    votes = [*study(1), check("r000", False)]
    found = sensitivity(votes, ExclusionRule(200.0, "vote", max_failed_attention=0))
    assert [p.frozen for p in found.points].count(True) == 1
    assert found.frozen.threshold_seconds == 200 and found.frozen.unit == "vote"
    assert found.of_unit("session")[0].valid == 390  # r000 is out at every threshold


def test_a_result_that_hangs_on_the_threshold_is_pointed_at() -> None:
    """Slow raters prefer the lower EIC, hasty ones the higher."""
    votes = study(5, log_odds=lambda r, *_: 2.0 if r % 2 else -2.0)
    votes = [
        replace(vote, session_seconds=150.0 if int(vote.rater[1:]) % 2 else 50.0) for vote in votes
    ]
    found = sensitivity(votes, ExclusionRule(60))
    assert found.judgement == "look closer" and found.contradicting
    assert "lead to another conclusion" in said(found)
    calm = sensitivity([replace(vote, session_seconds=170.0) for vote in study(5)], ExclusionRule())
    assert {point.unit for point in calm.contradicting} <= {"vote"}
    assert "for whole sessions the rate is" in said(calm)


# --- attention ---


def test_checks_are_counted_by_rater_and_practice_is_no_check() -> None:
    votes = [
        *study(2),
        check("r000", True),
        check("r000", False),
        check("r001", True),
        replace(check("r002", False), is_practice=True),
    ]
    found = attention(votes, NO_RULE)
    assert [(r.rater, r.answered, r.passed) for r in found.raters] == [
        ("r000", 2, 1),
        ("r001", 1, 1),
    ]
    assert (found.answered, found.passed, found.failed_raters) == (3, 2, 1)
    assert found.with_failure.votes == 10 and found.without_failure.votes == 390
    assert said(found).startswith("2 of 3 attention checks passed; 1 of 2 raters failed")


def test_raters_who_fail_and_prefer_otherwise_are_pointed_at() -> None:
    votes = study(7, log_odds=lambda r, *_: -1.5 if r < 15 else 1.5)
    checks = [check(f"r{r:03}", r >= 15 or i > 0) for r in range(40) for i in range(3)]
    found = attention([*votes, *checks], NO_RULE)
    assert found.judgement == "look closer" and "otherwise than the others" in said(found)
    term = found.fit.term(FAILED)
    failed = np.array([[1.0, float(int(v.rater[1:]) < 15)] for v in votes])
    oracle = sm.Logit([float(v.choice == "lower") for v in votes], failed).fit(disp=0)
    assert term is not None and term.estimate == pytest.approx(oracle.params[1], abs=1e-6)
    assert attention([*study(7), *checks], NO_RULE).judgement == "not flagged"


def test_many_failed_checks_ask_for_a_look_though_the_rates_agree() -> None:
    few = [check(f"r{i:03}", i > 3) for i in range(20)]
    many = [check(f"r{i:03}", i > 4) for i in range(20)]
    assert attention([*study(7), *few], NO_RULE).judgement == "not flagged"
    found = attention([*study(7), *many], NO_RULE)
    assert found.judgement == "look closer" and "were read" in said(found)


def test_without_checks_attention_cannot_be_judged() -> None:
    found = attention(study(1), NO_RULE)
    assert found.judgement == "cannot be told" and "No attention check" in said(found)
    assert attention([*study(1), check("r001", True)], NO_RULE).judgement == "not flagged"


# --- sides ---


def test_a_favoured_side_is_found_whatever_side_it_is() -> None:
    for sign, side in ((1, "left"), (-1, "right")):
        votes = study(6, log_odds=lambda r, p, left, at, s=sign: s * (1.0 if left else -1.0))
        found = sides(VoteArrays.of(votes))
        assert found.judgement == "look closer" and f"favour the {side}" in said(found)
    assert sides(VoteArrays.of(study(6))).judgement == "not flagged"


def one_rater(lower: list[bool], left: list[bool], name: str = "a") -> list[ExportedVote]:
    return [
        voted(name, f"p{i}", "q", "lower" if low else "higher", "left" if on else "right", i + 1)
        for i, (low, on) in enumerate(zip(lower, left, strict=True))
    ]


@given(st.lists(st.booleans(), min_size=5, max_size=8), st.data())
def test_chance_of_one_side_is_the_share_of_the_ways_to_deal_sides(
    lower: list[bool], data: Any
) -> None:
    n = len(lower)
    left = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    ways = list(itertools.combinations(range(n), sum(left)))
    one_sided = 0
    for way in ways:
        chosen = [low == (i in way) for i, low in enumerate(lower)]
        one_sided += all(chosen) + (not any(chosen))
    found = one_sided_raters(VoteArrays.of(one_rater(lower, left)))
    assert found.expected == pytest.approx(one_sided / len(ways))
    assert len(ways) == comb(n, sum(left)) and found.candidates == 1


def test_raters_who_always_click_one_side_are_named_and_left_out() -> None:
    votes = [v for v in study(8) if v.rater not in ("r000", "r001", "r002")]
    half = [True, False] * 5
    votes += one_rater(half, half, "r000")  # always left
    votes += one_rater(half, [not x for x in half], "r001")  # always right
    votes += one_rater([True] * 4, [True] * 4, "r002")  # too few votes to say
    found = sides(VoteArrays.of(votes)).one_sided
    assert (found.left, found.right) == (("r000",), ("r001",))
    rest = [v for v in votes if v.rater not in ("r000", "r001")]
    assert found.without_them.lower == sum(v.choice == "lower" for v in rest)
    assert found.without_them.votes == len(rest)
    assert found.p_value is not None and found.p_value < 0.05
    assert found.judgement == "look closer"


# --- single raters ---


def timed(seed: int, raters: int = 40, pairs: int = 60, each: int = 30) -> list[ExportedVote]:
    """Raters of one mind on pairs that are mostly clear, each at a pace of their own."""
    rng = np.random.default_rng(seed)
    clear = rng.normal(0.6, 1.8, pairs)
    votes = []
    for r in range(raters):
        pace = rng.lognormal(2.7, 0.4)
        for at, pair in enumerate(rng.choice(pairs, each, replace=False).tolist()):
            lower = bool(rng.uniform() < 1 / (1 + np.exp(-clear[pair])))
            left = "left" if rng.uniform() < 0.5 else "right"
            choice = "lower" if lower else "higher"
            seconds = float(pace * rng.lognormal(0, 0.4))
            votes.append(
                voted(f"r{r:02}", f"p{pair:02}", "q", choice, left, at + 1, seconds, 0.0, 900.0)
            )
    return votes


def test_a_rater_in_haste_is_named() -> None:
    votes = [replace(v, seconds=v.seconds / 20) if v.rater == "r07" else v for v in timed(1)]
    found = rater_screens(votes, NO_RULE)
    assert [each.rater for each in found.hasty] == ["r07"] and found.judgement == "look closer"
    assert said(found).startswith("Far quicker than the others, by the median vote: r07 (")


def test_a_fast_account_that_tosses_coins_is_seen_where_its_votes_are_many() -> None:
    rng = np.random.default_rng(2)
    toss = {True: "lower", False: "higher"}
    votes = [
        replace(v, choice=toss[bool(rng.uniform() < 0.5)], seconds=v.seconds / 6)
        if v.rater in ("r03", "r04", "r05", "r06")
        else v
        for v in timed(2)
    ]
    found = rater_screens(votes, NO_RULE)
    assert set(found.quick) >= {"r03", "r04", "r05", "r06"}
    assert found.coin_p is not None and found.coin_p < 0.005
    assert "hardly go with those of the others" in said(found)


def test_two_accounts_of_one_person_are_named_and_two_people_of_one_mind_are_not() -> None:
    votes = timed(4, raters=20, pairs=40, each=40)
    of_one = {v.pair: v.choice for v in votes if v.rater == "r03"}
    twins = [replace(v, choice=of_one[v.pair]) if v.rater == "r11" else v for v in votes]
    found = rater_screens(twins, NO_RULE)
    assert [(each.first, each.second) for each in found.alike] == [("r03", "r11")]
    assert found.couples[0].pairs == found.couples[0].alike == 40
    records = [
        vars(v) | {"active": v.seconds, "left": (v.choice == "lower") == (v.lower_side == "left")}
        for v in twins
    ]
    odds = [couple["odds"] for couple in recompute.screened(records, None)["couples"]]
    assert [each.odds for each in found.couples] == pytest.approx(odds)
    assert "r03 and r11 (40 of 40 pairs)" in said(found)
    assert not rater_screens(votes, NO_RULE).alike
    assert "too few to see two accounts of one person" in said(rater_screens(study(4), NO_RULE))


def test_phones_that_press_one_place_are_seen_though_not_always() -> None:
    """Six raters of forty choose the left nine times of ten; nobody always."""
    rng = np.random.default_rng(5)
    votes = timed(5, each=10)
    for i, vote in enumerate(votes):
        if vote.rater < "r06":
            side = "left" if rng.uniform() < 0.9 else "right"
            votes[i] = replace(vote, choice="lower" if vote.lower_side == side else "higher")
    found = rater_screens(votes, NO_RULE)
    assert found.place_p is not None and found.place_p < 0.005
    assert "press one place" in said(found)


def test_the_spread_of_sides_is_that_of_dealing_them_anew() -> None:
    """The gamma tail against 4,000 deals of each rater's sides."""
    rng = np.random.default_rng(6)
    votes = timed(6, raters=30, each=10)
    table = VoteArrays.of(votes)
    lower, shown = (
        np.array([[getattr(v, key) == name for v in votes if v.rater == r] for r in table.raters])
        for key, name in (("choice", "lower"), ("lower_side", "left"))
    )

    def spread(sides_of: Any) -> Any:
        n, a, b = 10, lower.sum(axis=1), shown.sum(axis=1)
        variance = a * b * (n - a) * (n - b) / (n**2 * (n - 1))
        both = (lower & sides_of).sum(axis=1)
        free = variance > 0
        return ((both - a * b / n)[free] ** 2 / variance[free]).sum()

    dealt = [spread(rng.permuted(shown, axis=1)) for _ in range(4000)]
    expected = float(np.mean(np.array(dealt) >= spread(shown) - 1e-9))
    assert rater_screens(votes, NO_RULE).spread_p == pytest.approx(expected, abs=0.03)


def test_raters_without_a_fault_are_seldom_flagged() -> None:
    flagged = sum(
        rater_screens(timed(100 + seed, each=12), NO_RULE).judgement == "look closer"
        for seed in range(examples(60))
    )
    assert flagged <= 0.02 * examples(60) + 3


# --- ballots ---


def test_fatigue_is_found_where_it_was_planted() -> None:
    tired = study(11, log_odds=lambda r, p, left, at: 2.0 - 0.35 * at)
    assert ballots(tired, NO_RULE).judgement == "look closer"
    assert "changes in the course" in said(ballots(tired, NO_RULE))
    assert ballots(study(11), NO_RULE).judgement == "not flagged"
    hurried = [
        replace(v, seconds=30 * 0.9**v.position * (1 + int(v.rater[1:]) / 99)) for v in study(11)
    ]
    found = ballots(hurried, NO_RULE)
    assert found.seconds_change == pytest.approx(0.9, abs=0.02)
    assert "raters get faster by about 10 % a ballot" in said(found)


# --- gaps ---


def test_a_preference_that_is_all_complexity_is_pointed_at() -> None:
    votes = study(13, pairs=60)
    names = sorted({v.pair for v in votes})
    by_pair = {p: Gap(2 + i * 7 % 11 / 2, i * 5 % 9 / 400, -(i % 5)) for i, p in enumerate(names)}
    simple = study(13, pairs=60, log_odds=lambda r, p, *_: -0.6 * by_pair[f"p{p:03}"].complexity)
    found = gaps(VoteArrays.of(simple), by_pair)
    assert clustered_rate(VoteArrays.of(simple)).interval().low > 0.5  # type: ignore[union-attr]
    assert found.judgement == "look closer"
    term = found.fit.term(NODES)
    ratio = term and term.ratio()
    assert ratio is not None and ratio[1].low < np.exp(-0.6) < ratio[1].high
    assert gaps(VoteArrays.of(study(13, pairs=60)), by_pair).judgement == "not flagged"


def test_what_does_not_vary_or_is_not_finite_is_left_out_and_said() -> None:
    votes = study(14)
    by_pair = {name: replace(gap, r2=0.0) for name, gap in flat_gaps(votes).items()}
    found = gaps(VoteArrays.of(votes), by_pair)
    assert found.constant == (R2,)
    assert "The gap in R² is the same for all votes" in said(found)
    by_pair["p003"] = Gap(float("inf"), 0.0, 1)
    dropped = gaps(VoteArrays.of(votes), by_pair)
    assert dropped.left_out == sum(v.pair == "p003" for v in votes)
    rest = [v for v in votes if v.pair != "p003"]
    expected = gaps(VoteArrays.of(rest), by_pair)
    assert [t.estimate for t in dropped.terms] == pytest.approx(
        [t.estimate for t in expected.terms], abs=1e-8
    )
    with pytest.raises(UserError, match="p003"):
        gaps(VoteArrays.of(votes), {k: v for k, v in by_pair.items() if k != "p003"})


# --- problems ---


def test_clustered_votes_are_worth_fewer() -> None:
    """All five votes of a pair agree, so a problem's 40 votes are worth about eight."""
    votes = [
        voted(
            f"r{(p + 7 * k) % 35:02}",
            f"p{p:02}",
            f"q{p % 5}",
            "lower" if p % 3 else "higher",
            "left",
            1,
        )
        for p in range(40)
        for k in range(5)
    ]
    found = problem_rates(VoteArrays.of(votes))
    assert 3.5 < found.design_effect < 7
    for each in found.rates:
        low, high = proportion_confint(
            each.rate * each.votes / found.design_effect,  # type: ignore[operator]
            each.votes / found.design_effect,
            0.05,
            method="wilson",
        )
        assert each.interval is not None
        assert [each.interval.low, each.interval.high] == pytest.approx([low, high])


def test_problems_that_differ_are_described_and_are_no_threat() -> None:
    votes = study(16, log_odds=lambda r, p, *_: 2.0 if p % 4 else -2.0)
    found = problem_rates(VoteArrays.of(votes))
    assert found.p_value is not None and found.p_value < 0.01
    assert "by more than the differences between pairs explain" in said(found)
    assert "is not shown" in said(replace(found, p_value=0.05))
    assert "q00 speaks for the higher EIC" in said(found)
    assert "problems" not in threats_of(votes, NO_RULE, flat_gaps(votes)).each()
    assert [each.problem for each in found.contradicting] == ["q00"]
    assert "In 3 of 4 problems" in said(found) and "(q00)" in said(found)
    assert "is not shown" in said(problem_rates(VoteArrays.of(study(16))))


def test_equal_problems_are_seldom_told_apart() -> None:
    count = cases(30, 150)
    rejected = sum(
        problem_rates(VoteArrays.of(study(500 + seed, raters=20)), draws=199).p_value < 0.05  # type: ignore[operator]
        for seed in range(count)
    )
    assert rejected / count < 0.05 + 3 * (0.05 * 0.95 / count) ** 0.5


# --- ties ---


def test_a_conclusion_that_hangs_on_ties_is_pointed_at() -> None:
    assert ties(VoteArrays.of(study(19, tie=0.4))).judgement == "look closer"
    table = VoteArrays.of(study(19))
    out, half, *_ = ties(table, estimand="these pairs").counted
    assert half.clustered.interval() == out.clustered.interval()
    plain = ties(table)
    assert plain.judgement == "not flagged" and "no ties" in said(plain)
    assert len({each.rate for each in plain.counted}) == 1


# --- all of them ---


def everything(votes: list[ExportedVote], rule: ExclusionRule = NO_RULE) -> dict[str, Any]:
    found = threats_of(votes, rule, flat_gaps([v for v in votes if v.pair]))
    return cast(dict[str, Any], in_words(threats_json(found)))


def judged(found: Any) -> list[tuple[str, str]]:
    return [
        (part["judgement"], part["sentence"])
        for part in (*found.values(), found["sides"]["one_sided"])
    ]


DEGENERATE: dict[str, list[ExportedVote]] = {
    "no votes": [],
    "practice alone": [replace(v, is_practice=True) for v in study(0)[:3]],
    "one vote": study(0)[:1],
    "one rater": [v for v in study(0) if v.rater == "r000"],
    "one pair": [v for v in study(0) if v.pair == "p001"],
    "unanimous": [replace(v, choice="lower") for v in study(0)],
    "unanimous against": [replace(v, choice="higher") for v in study(0)],
    "only ties": [replace(v, choice="tie") for v in study(0)],
    "no time": [replace(v, seconds=0.0, session_seconds=0.0) for v in study(0)],
    "one position": [replace(v, position=1) for v in study(0)],
    "one side": [replace(v, lower_side="left") for v in study(0)],
    "a pair a problem": [replace(v, problem=v.pair) for v in study(0)],
    "all left": [
        replace(v, choice="lower" if v.lower_side == "left" else "higher") for v in study(0)
    ],
    "two raters": [v for v in study(0) if v.rater in ("r000", "r001")],
    "all fail": [*study(0), *(check(f"r{r:03}", False) for r in range(40))],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "rule"),
    combined([*DEGENERATE], [NO_RULE, ExclusionRule(), ExclusionRule(9999)], 1),
)
def test_degenerate_studies_get_sentences_and_no_nan(name: str, rule: ExclusionRule) -> None:
    found = everything(DEGENERATE[name], rule)
    assert json.dumps(found, allow_nan=False)
    for judgement, sentence in judged(found):
        assert judgement in ("not flagged", "look closer", "cannot be told")
        assert sentence.endswith(".")
        assert not re.search(r"\bnan\b|\binf\b|\bNone\b(?! of)", sentence)


rows = st.lists(
    st.builds(
        voted,
        st.sampled_from("abc"),
        st.sampled_from(["p1", "p2", "p3"]),
        st.just("q"),
        st.sampled_from(["lower", "higher", "tie"]),
        st.sampled_from(["left", "right"]),
        st.integers(1, 5),
        st.floats(0, 300),
        st.floats(0, 300),
        st.floats(0, 900),
    ),
    max_size=12,
)


@pytest.mark.filterwarnings("error")
@settings(max_examples=examples(60), deadline=None)
@given(rows)
def test_any_small_study_gets_sentences_and_no_nan(votes: list[ExportedVote]) -> None:
    votes = [replace(v, problem="q" + v.pair[1:]) for v in votes]
    assert json.dumps(everything(votes, ExclusionRule(60)), allow_nan=False)


def numbers(found: Any) -> list[float]:
    if isinstance(found, dict):
        return [x for key in sorted(found) for x in numbers(found[key])]
    if isinstance(found, list):
        return [x for each in found for x in numbers(each)]
    return [float(found)] if isinstance(found, int | float) else []


@settings(max_examples=cases(3, 10), deadline=None)
@given(st.integers(0, 1000))
def test_the_order_of_votes_changes_nothing(seed: int) -> None:
    votes = [*study(20, tie=0.05), *(check(f"r{r:03}", r % 7 > 0) for r in range(40))]
    mixed = [votes[i] for i in np.random.default_rng(seed).permutation(len(votes))]
    one, other = (everything(each, ExclusionRule()) for each in (votes, mixed))
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-6, abs=1e-9)


def test_new_names_of_raters_change_nothing() -> None:
    votes = study(21)
    renamed = [replace(v, rater="x" + v.rater[::-1]) for v in votes]
    one, other = everything(votes), everything(renamed)
    by_rater, renamed_by_rater = (
        sorted(map(numbers, each["raters"].pop("raters"))) for each in (one, other)
    )
    for row, renamed_row in zip(by_rater, renamed_by_rater, strict=True):
        assert row == pytest.approx(renamed_row)
    for each in (one, other):
        each["raters"]["couples"] = sorted(c["odds"] for c in each["raters"]["couples"])
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-6, abs=1e-9)


def test_swapping_lower_and_higher_turns_the_rates_and_effects_round() -> None:
    votes = study(22, tie=0.05)
    other = {"lower": "higher", "higher": "lower", "tie": "tie"}
    sides_of = {"left": "right", "right": "left"}
    swapped = [replace(v, choice=other[v.choice], lower_side=sides_of[v.lower_side]) for v in votes]
    one = threats_of(votes, NO_RULE, flat_gaps(votes))
    two = threats_of(swapped, NO_RULE, flat_gaps(votes))
    assert one.sides.left == two.sides.left and one.sides.p_value == two.sides.p_value
    for here, there in zip(one.sensitivity.points, two.sensitivity.points, strict=True):
        assert (here.rate.rate is None) == (there.rate.rate is None)
        if here.rate.rate is not None:
            assert here.rate.rate == pytest.approx(1 - there.rate.rate)  # type: ignore[operator]
    assert one.ballots.p_value == pytest.approx(two.ballots.p_value, rel=1e-5)
    assert one.problems.p_value == two.problems.p_value
    assert one.ties.counted[2].rate == pytest.approx(1 - (two.ties.counted[3].rate or 0))
    for name in (EIC, R2, NODES):
        here_, there_ = one.gaps.fit.term(name), two.gaps.fit.term(name)
        assert here_ is not None and there_ is not None
        assert here_.estimate == pytest.approx(-there_.estimate, abs=1e-7)
