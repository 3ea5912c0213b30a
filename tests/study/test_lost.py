"""How many lost votes would undo a verdict."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from study.report.analysis import analyse
from study.report.exported import RaterCounts
from study.report.phrases.rates import lost_sentence
from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.lost import lost_votes
from study.statistics.simulation import StudyModel, simulate
from study.statistics.validation.scenarios import DEMO_SIZES
from tests.study.test_report_verdict import study

MODEL = StudyModel(preference=0.7, kappa=0.2, pairs=80, problems=16, raters=60)


@pytest.fixture
def rate() -> ClusteredRate:
    return clustered_rate(simulate(MODEL, np.random.default_rng(1)))


def with_more(rate: ClusteredRate, votes: int) -> ClusteredRate:
    """As many more votes for the other formula, with the spread of the log odds that there was."""
    assert rate.standard_error and rate.rate
    error = rate.standard_error / (rate.rate * (1 - rate.rate))
    total = rate.votes + votes
    lower = rate.lower + (votes if rate.rate < 0.5 else 0)
    part = replace(rate.components[0], variance=(error * lower * (total - lower) / total**2) ** 2)
    return replace(rate, lower=lower, votes=total, components=(part, part, part))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("one_sided", [False, True])
def test_with_as_many_more_votes_the_verdict_is_gone_and_with_one_less_it_stands(
    rate: ClusteredRate, level: float, one_sided: bool
) -> None:
    bound = lost_votes(rate, level=level, one_sided=one_sided)
    assert bound.finding == "lower" and bound.needed is not None
    enough, less = (with_more(rate, votes) for votes in (bound.needed, bound.needed - 1))
    assert enough.finding(level, one_sided=one_sided) == "undecided"
    assert less.finding(level, one_sided=one_sided) == "lower"


def test_the_bound_for_a_preference_for_the_higher_eic_is_the_mirror(rate: ClusteredRate) -> None:
    bound, other = lost_votes(rate), lost_votes(replace(rate, lower=rate.votes - rate.lower))
    assert (bound.finding, other.finding) == ("lower", "higher")
    assert bound.needed == other.needed


def test_a_verdict_that_lost_votes_made_does_not_stand() -> None:
    """Studies without a preference that lose votes for the higher EIC, and find one for that."""
    rng = np.random.default_rng(7)
    standing: list[bool | None] = []
    while len(standing) < 40:
        table = simulate(replace(MODEL, preference=0.5), rng)
        gone = (table.lower == 0) & (rng.random(len(table)) < 0.3)
        left = clustered_rate(table.select(~gone))
        if left.finding() == "lower" and clustered_rate(table).finding() == "undecided":
            standing.append(lost_votes(left, left_out=["higher"] * int(gone.sum())).stands)
    assert sum(map(bool, standing)) <= 2  # the interval itself is another one, with other votes


def test_an_open_result_and_a_unanimous_one_have_no_verdict_to_undo(rate: ClusteredRate) -> None:
    for lower in (rate.votes // 2, rate.votes):
        bound = lost_votes(replace(rate, lower=lower), left_out=["higher"] * 9)
        assert bound.needed is None and bound.stands is None and str(lost_sentence(bound)) == ""


def test_a_report_counts_what_is_lost() -> None:
    """Out: a hasty rater's ten votes. Rater 1 stopped after seven, one answer taken back; another
    answer was given again. Two people withdrew."""
    export = study(0.8, raters=30, pairs=60, ballots=10)
    votes = [
        replace(v, session_seconds=30.0) if v.rater == "r0" else v
        for v in export.votes
        if v.rater != "r1" or v.position <= 7
    ]
    back = [v for v in export.votes if v.rater == "r1" and v.position in (7, 8)]
    undone = tuple(
        replace(v, vote=f"{v.vote} undone", undone_at=datetime(2025, 3, 1, 13, tzinfo=UTC))
        for v in back
    )
    export = replace(
        export,
        votes=tuple(votes),
        undone=undone,
        exclusion=ExclusionRule(60.0),
        raters=RaterCounts(32, 32, 30, 2),
        ballots_per_rater=10,
    )
    bound = analyse(export).lost_votes
    counts = bound.left_out, bound.undone, bound.unfinished, bound.withdrawn
    assert counts == (10, 1, 2, 20) and bound.lost == 33
    chosen = [v.choice for v in votes if v.rater == "r0"] + [undone[1].choice]
    assert (bound.lower, bound.higher) == (chosen.count("lower"), chosen.count("higher"))
    assert bound.finding == "lower" and bound.stands
    assert "33 votes were lost: 10 left out, 1 undone, 2 never cast" in str(lost_sentence(bound))


def test_the_sentence_says_whether_the_lost_votes_are_enough(rate: ClusteredRate) -> None:
    needed = lost_votes(rate).needed
    assert needed is not None
    enough = lost_votes(rate, left_out=["higher"] * 3, unfinished=needed - 3)
    assert f"could be undone if {needed} of them had been for the higher EIC" in str(
        lost_sentence(enough)
    )
    less = lost_votes(rate, unfinished=needed - 1)
    assert f"it takes {needed} to undo it" in str(lost_sentence(less))


def test_fewer_votes_leave_the_verdict_if_they_are_spread_and_not_if_they_are_on_one_problem() -> (
    None
):
    rng = np.random.default_rng(5)
    model = replace(MODEL, preference=0.8, pairs=156, problems=14, raters=84, sizes=DEMO_SIZES)
    spread, heaped = [], []
    while len(spread) < 20:
        table = simulate(model, rng)
        bound = lost_votes(clustered_rate(table))
        if bound.needed is None:
            continue
        rater, pair = (
            rng.permutation(each)[: bound.needed - 1] for each in (table.rater, table.pair)
        )
        largest = rng.choice(np.flatnonzero(model.problem_of_pair == 0), len(pair))
        for some, findings in ((pair, spread), (largest, heaped)):
            more = table.select(np.concatenate([np.arange(len(table)), np.zeros(len(some), int)]))
            more.lower[len(table) :] = 0.0
            more.rater[len(table) :], more.pair[len(table) :] = rater, some
            more.problem[len(table) :] = model.problem_of_pair[some]
            findings.append(clustered_rate(more).finding())
    assert spread.count("lower") >= 19
    assert heaped.count("lower") <= 10
    assert "or fewer that are all on a few pairs, problems or raters" in str(
        lost_sentence(replace(bound, unfinished=1))
    )
