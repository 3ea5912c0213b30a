"""The first sentences of a report: what a stranger reads, for every kind of outcome."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from eic_core.phrasing import Phrase
from study.report import ExportedPair, ExportedVote, StudyExport
from study.report.analysis import StudyReport, analyse
from study.report.phrases.limits import limit
from study.report.phrases.verdict import StudyVerdict, verdict
from study.report.text import render_text
from tests.effort import FULL, combined
from tests.study.exports import START


def study(
    share: float,
    *,
    raters: int = 40,
    ballots: int = 10,
    pairs: int = 60,
    problems: int = 4,
    seed: int = 1,
) -> StudyExport:
    """Votes for the lower EIC with a probability that differs from pair to pair."""
    rng = random.Random(seed)
    liking = [min(1.0, max(0.0, share + rng.uniform(-0.15, 0.15))) for _ in range(pairs)]
    if share in (0, 1):
        liking = [share] * pairs
    votes = [
        ExportedVote(
            vote=f"v{rater}-{i}",
            rater=f"r{rater}",
            pair=f"p{number}",
            problem=f"q{number % problems}",
            choice="lower" if rng.random() < liking[number] else "higher",
            lower_side=rng.choice(("left", "right")),
            position=i + 1,
            shown_at=START,
            voted_at=START,
            seconds=20.0,
            session_seconds=200.0,
        )
        for rater in range(raters)
        for i in range(ballots)
        for number in [(rater * ballots + i) % pairs]
    ]
    made = tuple(
        ExportedPair(f"p{n}", f"q{n % problems}", "x0", "x0+0", 0.5, 3.5, 0.9, 0.9, 1, 3)
        for n in range(pairs)
    )
    return StudyExport("s", "Study", "ab", made, tuple(votes), closed_at=START)


def said(share: float, **more: int) -> tuple[StudyReport, StudyVerdict]:
    report = analyse(study(share, **more))
    return report, verdict(report)


def test_a_preference_for_the_lower_eic_is_told_in_natural_frequencies() -> None:
    report, found = said(0.7)
    rate, interval = report.inference.rate, report.inference.interval()
    assert rate is not None and interval is not None
    assert found.finding == "lower" and not found.caution
    first, second, third, looks, flagged = map(str, found.lines)
    assert first == (
        f"In {100 * rate:.0f} of 100 votes people preferred the formula with the lower EIC."
    )
    share = f"{100 * interval.low:.0f} to {100 * interval.high:.0f} of 100"
    assert f"these votes put that share at {share}" in second
    assert "Chance is a poor explanation" in third and "p = " not in found.text
    assert looks.startswith("Whether raters follow EIC or what the eye sees")
    assert flagged == "No other threat is flagged."


def test_the_opposite_preference_is_called_what_it_is() -> None:
    _, found = said(0.3)
    assert found.finding == "higher"
    assert "preference for the higher EIC" in found.text


def test_an_interval_with_one_half_in_it_shows_no_preference() -> None:
    report, found = said(0.5)
    interval = report.inference.interval()
    assert interval is not None and interval.low < 0.5 < interval.high
    assert found.finding == "undecided"
    assert "do not show a preference" in found.text
    assert "poor explanation" not in found.text
    assert [*map(str, found.lines[-2:])] == [
        "More votes would narrow that range.",
        "No threat is flagged.",
    ]


@pytest.mark.parametrize(
    ("share", "level"), combined([0.2, 0.35, 0.5, 0.56, 0.6, 0.8], [0.8, 0.95, 0.999], 1)
)
def test_the_verdict_agrees_with_the_interval_and_the_two_sided_test(
    share: float, level: float
) -> None:
    report = analyse(study(share), level=level)
    p = report.inference.p_two_sided
    assert p is not None
    assert (verdict(report).finding == "undecided") == (p > 1 - level)


def test_a_declared_side_is_told_with_the_test() -> None:
    export = study(0.7)
    design = {
        "estimand": "pairs like these",
        "confidence_level": 0.95,
        "sidedness": "one-sided",
        "smallest_effect": 0.05,
    }
    declared = replace(export, configuration={"format": 2, "design": design})
    for each, told in ((export, False), (declared, True)):
        text = verdict(analyse(each)).text
        assert ("for the lower EIC, the one side that was declared" in text) == told


def test_a_study_that_is_too_small_says_so_beside_its_verdict() -> None:
    report, found = said(0.8, raters=5)
    assert limit(report.inference.too_small) == found.caution is not None
    assert str(found.caution) in found.text
    assert "Taken at face value" in found.text and "poor explanation" not in found.text
    assert f"Take care. {found.caution}" in " ".join(render_text(report).split())


def test_few_votes_are_told_as_they_are() -> None:
    _, found = said(0.8, raters=3, ballots=5)
    assert " of 15 votes people preferred" in str(found.lines[0])


def test_a_unanimous_study_is_not_taken_for_certain() -> None:
    report, found = said(1)
    interval = report.inference.interval()
    assert interval is not None and interval.low < 1
    assert str(found.lines[0]).startswith("In 100 of 100 votes")
    assert found.caution


def test_one_rater_gives_a_count_and_a_reason_why_there_is_no_more() -> None:
    report, found = said(0.8, raters=1)
    assert found.finding == "none"
    assert found.caution == limit(report.inference.reason) is not None


def test_the_verdict_says_whom_it_speaks_of() -> None:
    few, many = study(0.7, problems=4), study(0.7, problems=12)
    assert "other pairs like these, on the same problems" in verdict(analyse(few)).text
    assert "other problems and pairs like these" in verdict(analyse(many)).text
    assert "these same pairs" in verdict(analyse(few, estimand="these pairs")).text


def test_without_votes_there_is_one_sentence() -> None:
    empty = replace(study(0.7), votes=())
    assert verdict(analyse(empty)) == StudyVerdict("none", (Phrase("There are no valid votes."),))


def test_an_interval_that_just_misses_one_half_is_not_rounded_onto_it() -> None:
    """Else the numbers would contradict the words."""
    for seed in range(40) if FULL else (10, 16, 19):  # whose low ends are 50.4, 50.2, 50.1 %
        report, found = said(0.56, seed=seed)
        interval = report.inference.interval()
        assert interval is not None
        if interval.low > 0.5:
            assert "share at 50 to" not in found.text


def test_an_undecided_study_is_told_what_narrows_its_range() -> None:
    export = study(0.5, pairs=60, problems=12)
    rng = random.Random(2)
    by_problem = tuple(
        replace(
            vote, choice="lower" if rng.random() < (0.95, 0.1)[len(vote.problem) % 2] else "higher"
        )
        for vote in export.votes  # q0 to q9 prefer the higher EIC, q10 and q11 the lower
    )
    wide = replace(
        export, votes=tuple(v for v in by_problem if int(v.problem[1:]) > 3 or v.rater < "r3")
    )
    *_, why, _ = map(str, verdict(analyse(wide)).lines)
    assert "carry as much information as about" in why
    assert "because votes on one problem, and votes of one person, resemble each other." in why
    assert why.endswith("More problems would narrow that range most.")


def test_a_flagged_threat_is_named_on_the_first_screen() -> None:
    export = study(0.7)
    left = tuple(
        replace(vote, choice="lower" if vote.lower_side == "left" else "higher")
        if int(vote.rater[1:]) < 12
        else vote
        for vote in export.votes
    )
    last = str(verdict(analyse(replace(export, votes=left))).lines[-1])
    assert last.startswith("Before you rely on this, look closer at ") and "sides" in last
