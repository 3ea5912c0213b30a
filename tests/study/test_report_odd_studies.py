"""Odd and degenerate studies: each output is made of sentences and numbers that do not contradict.

The studies are drawn at random from the shapes that break statistics: nobody, one person, one pair,
one problem, all of one mind, only ties, everything left out, no time passed, one side only.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core import wording
from eic_core.drawing.paper import figure_of
from study.report import ExportedPair, ExportedVote, StudyExport
from study.report.analysis import ESTIMANDS, StudyReport, analyse
from study.report.document import document_text
from study.report.exported import Choice, Side
from study.report.figures import FIGURES
from study.report.methods import methods_text
from study.report.phrases.limits import limit
from study.report.phrases.looks import held_equal
from study.report.phrases.notes import notes
from study.report.phrases.numbers import interval_text
from study.report.phrases.threats import threat_sentence
from study.report.phrases.verdict import verdict
from study.report.printing import to_svg
from study.report.sections import sections_of
from study.report.tables import long_csv, pairs_csv, raters_csv
from study.report.text import render_text
from study.statistics.exclusions import (
    ExclusionRule,
    RuleColumns,
    exclusion_reasons,
    session_seconds,
)
from study.statistics.inference import clustered_rate
from study.statistics.limits import Lack
from study.statistics.preference import Interval, Preference
from study.statistics.regression import least_squares, logistic
from study.statistics.threats import Gap, ballots, gaps
from study.statistics.votes import VoteArrays
from tests.effort import cases, dear
from tests.study.clusterings import clustering
from tests.study.exports import START

NOT_A_SENTENCE = re.compile(
    r"(?<![\w'\"-])(nan|inf|-inf|None(?! of)|NaN|null|Infinity)(?!\w)"  # a value that is none
    r"|0\.0e\+00|p = 0(?![\d.])"  # a p value of 0
    r"|(?<![\d.])-0\.0+(?!\d)|e\+\d\d"  # minus nothing, powers of ten
    r"|(?<![\d.,])1 (votes|pairs|raters|thresholds|problems|studies|ties|independent ones)\b"
    r"|(?<![\d.])0 independent|the rate is no votes"
)
ODDITIES = (
    "",
    "one pair",
    "only ties",
    "of one mind",
    "same time",
    "no time",
    "slow",
    "left only",
    "always left",
    "infinite EIC",
    "after closing",
    "checks",
)


def odd_study(seed: int) -> StudyExport:
    """A study of a shape drawn at random."""
    rng = random.Random(seed)
    odd = rng.choice(ODDITIES)
    pairs, ballots_each = rng.choice((1, 2, 3, 10, 30)), rng.choice((1, 2, 5, 10))
    problems = min(pairs, rng.choice((1, 2, 9, 12)))
    share, tie = rng.choice((0.02, 0.5, 0.7, 0.98)), rng.choice((0.0, 0.0, 0.1, 0.9))
    fixed = rng.random() < 0.3
    made = tuple(
        ExportedPair(
            f"p{n}",
            f"q{n % problems}",
            "x0",
            "x0+0",
            0.5,
            float("inf") if odd == "infinite EIC" and not n else 3 + rng.random(),
            0.95,
            0.94 if fixed else rng.uniform(0.93, 0.97),
            10,
            8 if fixed else rng.randint(8, 12),
        )
        for n in range(pairs)
    )
    votes: list[ExportedVote] = []
    for rater in range(rng.choice((0, 1, 2, 3, 12, 30))):
        chosen = rng.sample(range(pairs), min(pairs, rng.randint(1, ballots_each)))
        for at, n in enumerate([0] if odd == "one pair" else chosen, start=1):
            side: Side = "left" if odd == "left only" else rng.choice(("left", "right"))
            choice: Choice = (
                "tie"
                if odd == "only ties" or rng.random() < tie
                else "lower"
                if odd == "of one mind" or rng.random() < share
                else "higher"
            )
            if odd == "always left":
                choice = "lower" if side == "left" else "higher"
            seconds = {"same time": 20.0, "no time": 0.0, "slow": 1000 + 9000 * rng.random()}.get(
                odd, rng.lognormvariate(2.5, 0.6)
            )
            shown = START + timedelta(days=90 if odd == "after closing" else 0)
            votes.append(
                ExportedVote(
                    f"v{rater}-{at}",
                    f"r{rater}",
                    f"p{n}",
                    f"q{n % problems}",
                    choice,
                    side,
                    at,
                    shown,
                    shown,
                    seconds,
                )
            )
        if odd == "checks":
            ok = rng.random() < 0.5
            votes.append(
                ExportedVote(
                    f"c{rater}",
                    f"r{rater}",
                    "",
                    "",
                    "lower" if ok else "higher",
                    "left",
                    99,
                    START,
                    START,
                    5.0,
                    is_attention=True,
                    attention_ok=ok,
                )
            )
    rng.shuffle(votes)
    session = session_seconds(votes)
    rule = rng.choice(
        (
            ExclusionRule(),
            ExclusionRule(0),
            ExclusionRule(0),
            ExclusionRule(1e6),
            ExclusionRule(5, "vote"),
            ExclusionRule(0, "session", 0),
        )
    )
    return StudyExport(
        "s",
        "Odd",
        "ab",
        made,
        tuple(replace(vote, session_seconds=session[vote.rater]) for vote in votes),
        frozen_at=START,
        closed_at=START + timedelta(days=30),
        ballots_per_rater=ballots_each,
        tie_allowed=tie > 0,
        exclusion=rule,
    )


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    else:
        yield path, value


def said_in(report: StudyReport) -> Iterator[str]:
    """Every piece of text that a reader is shown."""
    yield from map(str, verdict(report).lines)
    yield from map(str, notes(report))
    yield " ".join(methods_text(report).split())
    for section in sections_of(report):
        yield from section.lines
        yield from (fact.value for fact in section.facts)
        for table in section.tables:
            yield table.caption or "none"
            yield from (cell for row in table.rows for cell in row)


@dear(3)
@pytest.mark.parametrize("start", range(0, 120, 20))
def test_every_output_of_an_odd_study_is_made_of_sentences(start: int) -> None:
    for seed in range(start, start + 20):
        level, estimand = (0.95, 0.5, 0.999)[seed // 3 % 3], ESTIMANDS[seed % 3]
        report = analyse(odd_study(seed), level=level, estimand=estimand)
        assert render_text(report)
        for text in said_in(report):
            assert text.strip() and not NOT_A_SENTENCE.search(text), (seed, text)
        for path, value in leaves(json.loads(document_text(report))):
            if isinstance(value, str):
                assert not NOT_A_SENTENCE.search(value), (seed, path, value)
            if path[-1] in ("p_value", "p_two_sided") and value is not None:
                assert 0 <= value <= 1, (seed, path)
        for table in (long_csv, pairs_csv, raters_csv):
            assert not re.search(r"(?<=[,\n])(nan|-?inf|None)(?=[,\n])", table(report)), seed


def test_the_methods_do_not_call_a_rate_of_nothing_a_p_value() -> None:
    export = odd_study(0)
    pairs = tuple(replace(export.pairs[0], pair=f"p{p:02}", problem="q") for p in range(12))
    votes = tuple(replace(vote, choice="higher") for vote in crossed())
    report = analyse(replace(export, pairs=pairs, votes=votes, exclusion=ExclusionRule(0)))
    text = " ".join(methods_text(report).split())
    assert report.inference.rate == 0 and "its mean p is 0." in text
    assert not NOT_A_SENTENCE.search(text)


def test_the_first_screen_the_headline_and_the_methods_agree_on_an_odd_study() -> None:
    for seed in range(cases(20, 60)):
        report = analyse(odd_study(seed))
        said, found, text = verdict(report), report.inference, methods_text(report)
        flat = " ".join(text.split())
        interval = found.interval()
        if found.rate is None:
            assert said.lines == (limit(found.reason),) and str(limit(found.reason)) in flat
        elif interval is None:
            assert said.finding == "none" and said.caution == limit(found.reason)
            assert str(said.caution) in flat
        else:
            assert said.caution == limit(found.too_small) and str(said.caution or "") in flat
            assert wording.percent_range(interval.low, interval.high, 1) in flat
            conditional = found.conditional_on_problems
            assert ("conditional on the problems of this study" in flat) == conditional
            assert ("on the same problems" in said.text) == conditional


def test_the_methods_say_what_is_a_sample_and_what_is_held_fixed() -> None:
    pair = odd_study(0).pairs[0]
    for problems, estimand, said in (
        (4, "pairs like these", "conditional on the problems of this study and takes its pairs"),
        (4, "problems like these", "takes the problems, with their pairs, and the raters for"),
        (12, None, "takes the problems, with their pairs, and the raters for random samples"),
        (4, "these pairs", "conditional on the pairs of this study and takes its raters"),
    ):
        votes = tuple(replace(v, problem=f"q{int(v.pair[1:]) % problems}") for v in crossed(24))
        names = sorted({(v.pair, v.problem) for v in votes})
        pairs = tuple(
            replace(
                pair,
                pair=name,
                problem=problem,
                lower_formula=("x", "sin(x) + 2")[i % 2],
                higher_formula=("sin(x) + 2", "x")[i % 2],
                lower_r2=0.9 + i / 999,
                higher_eic=3 + i % 5,
            )
            for i, (name, problem) in enumerate(names)
        )
        export = replace(odd_study(0), pairs=pairs, votes=votes, exclusion=ExclusionRule(0))
        flat = " ".join(methods_text(analyse(export, estimand=estimand)).split())
        assert said in flat and "every deciding vote weighs the same" in flat
        assert "regressed on the gaps of their pairs" in flat


# --- rounding ---


@given(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
def test_no_rate_and_no_end_of_an_interval_is_rounded_onto_a_mark(rate: float, mark: float) -> None:
    near = mark + (rate - mark) * 10.0 ** -(1 + int(10 * rate) % 4)
    if abs(near - mark) > 1e-5:
        assert wording.percent(near, 0) != f"{100 * mark:.0f} %"
        assert wording.percent(near, 1) != f"{100 * mark:.1f} %"
        shown = interval_text(Interval(near, near, 0.95, ""))
        assert mark not in [float(end) for end in re.findall(r"[\d.]+", shown)]


@given(st.floats(1e-9, 1))
def test_a_p_value_is_told_on_its_own_side_of_every_usual_level(p: float) -> None:
    for text in (wording.p_number(p, 3), wording.p_clause(p).removeprefix("p = ")):
        for level in (0.05, 0.01, 0.1, 1.0):
            if abs(p - level) > 1e-5:
                assert (number_of(text) < level) == (p < level)


def number_of(text: str) -> float:
    """A p value as it is written: 0.031, 2.7·10⁻³¹, 10⁻⁴."""
    head, _, power = text.partition("10⁻")
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    return float(f"{head.strip('·') or 1}e-{power.translate(digits)}" if power else text)


def test_a_p_value_too_small_for_a_number_is_an_inequality() -> None:
    counts = Preference(70_000, 30_000)
    assert counts.p_value == 0.0  # 10^-3600 in truth
    assert wording.p_number(counts.p_value) == "< 10⁻³⁰⁰"
    assert wording.p_clause(0.0) == "p < 10⁻³⁰⁰"


# --- what is compared, and with what ---


def crossed(pairs: int = 12, raters: int = 12, **more: Any) -> list[ExportedVote]:
    rng = random.Random(3)
    return [
        ExportedVote(
            f"v{p}-{r}",
            f"r{r}",
            f"p{p:02}",
            "q",
            "lower" if rng.random() < 0.7 else "higher",
            rng.choice(("left", "right")),
            p + 1,
            START,
            START,
            20.0,
            session_seconds=999.0,
            **more,
        )
        for p in range(pairs)
        for r in range(raters)
    ]


def test_a_gap_that_all_pairs_share_is_not_called_equal() -> None:
    table = VoteArrays.of(crossed())
    shared = gaps(table, {f"p{p:02}": Gap(2 + p / 4, 0.01, p % 3) for p in range(12)})
    assert str(held_equal(shared)) == "equal complexity and the gap in R² that all pairs share"
    assert f"Between formulas of {held_equal(shared)} whose EICs" in str(threat_sentence(shared))
    none = gaps(table, {f"p{p:02}": Gap(2 + p / 4, 0.0, p % 3) for p in range(12)})
    assert str(held_equal(none)) == "equal R² and complexity"
    both = gaps(table, {f"p{p:02}": Gap(2 + p / 4, 0.01, -2) for p in range(12)})
    assert str(held_equal(both)) == "the gaps in R² and complexity that all pairs share"


def test_a_pace_that_never_changes_is_not_tested() -> None:
    assert "raters keep their pace" in str(threat_sentence(ballots(crossed(), ExclusionRule(0))))
    faster = [replace(v, seconds=20.0 * 0.9**v.position) for v in crossed()]
    said = str(threat_sentence(ballots(faster, ExclusionRule(0))))
    assert "raters get faster by about 10 % a ballot, each of them alike." in said


def test_a_regression_whose_clusters_all_cancel_has_no_test() -> None:
    """Each cluster holds the same votes, so no two differ, and a p of 0 would be absurd."""
    y, x = np.tile([1.0, 1, 0, 1, 0, 0], 12), np.tile([1.0, 1, 1, 0, 0, 0], 12)[:, None]
    cluster = np.arange(72) // 6
    fit = logistic(y, x, ["x"], clustering(cluster))
    assert not fit.terms and fit.reason is Lack.NO_CLUSTERS_DIFFER
    line = least_squares(y, x, ["x"], clustering(cluster)).term("x")
    assert line is not None and line.estimate == pytest.approx(1 / 3)
    assert line.p_value is None


def test_rounding_is_not_taken_for_spread() -> None:
    """Thirds do not cancel to the last bit; a rater's votes are pair by pair two thirds for."""
    votes = [
        ExportedVote(
            f"v{p}-{r}-{i}",
            f"r{r}",
            f"p{p}",
            "q",
            "lower" if i else "higher",
            "left",
            1,
            START,
            START,
            20.0,
        )
        for p in range(13)
        for r in range(11)
        for i in range(3)
    ]
    for estimand in ("pairs like these", "these pairs"):
        found = clustered_rate(VoteArrays.of(votes), estimand=estimand)
        assert found.variance == 0.0 and found.too_small is Lack.BALANCED
        assert found.p_two_sided is not None and found.p_two_sided > 0.05


def test_the_methods_do_not_claim_that_freezing_came_first_where_it_did_not() -> None:
    export = odd_study(4)
    votes = tuple(crossed(1, 4))
    pair = replace(export.pairs[0], pair="p00", problem="q")
    early = replace(export, pairs=(pair,), votes=votes, frozen_at=START + timedelta(days=1))
    assert "before the first vote" not in methods_text(analyse(early))
    timely = replace(early, frozen_at=START - timedelta(days=1))
    assert "before the first vote" in " ".join(methods_text(analyse(timely)).split())


# --- many votes ---


@given(st.integers(0, 400))
def test_a_rule_on_columns_keeps_the_votes_that_have_no_reason(seed: int) -> None:
    export = odd_study(seed)
    on_pairs = [vote.on_a_pair for vote in export.votes]
    columns = RuleColumns.of(export.votes)
    for rule in (ExclusionRule(), ExclusionRule(12, "vote"), ExclusionRule(30, "session", 0)):
        reasons = exclusion_reasons(export.votes, rule)
        kept = [not why for why, on in zip(reasons, on_pairs, strict=True) if on]
        assert columns.kept_by(rule).tolist() == kept


def test_pairs_of_unknown_r2_are_drawn_without_a_warning() -> None:
    export = odd_study(1)
    unknown = tuple(replace(p, lower_r2=float("nan"), higher_r2=float("nan")) for p in export.pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pairs in (unknown, (replace(unknown[0], lower_r2=0.9),), ()):
            assert to_svg(
                figure_of(
                    FIGURES["distributions"].describe(
                        analyse(replace(export, pairs=pairs, votes=()))
                    )
                )
            )


@pytest.mark.filterwarnings("error")
def test_a_study_without_votes_or_pairs_says_so_in_every_printed_figure() -> None:
    for name, kind in FIGURES.items():
        figure = figure_of(kind.describe(analyse(StudyExport("s", "Nothing", "", (), ()))))
        assert to_svg(figure).startswith("<svg")
        said = [text.get_text() for ax in figure.axes for text in ax.texts]
        assert any(text.lower().startswith(("no ", "there ")) for text in said), name
