"""What models prefer beside people: averaged, balanced, clustered, and never pooled with votes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from eic_core.drawing.chart import Label, Points
from eic_core.errors import DataError
from study.model_plan import Contrast
from study.report import StudyExport, read_export, write_export
from study.report.analysis import StudyReport, analyse
from study.report.document import document
from study.report.exported_models import ExportedAnswer
from study.report.figures import FIGURES
from study.report.sections import sections_of
from study.report.text import render_text
from study.statistics.agreement import agreement_of
from study.statistics.limits import FewPairsOfRarerChoice
from study.statistics.models import (
    OrderConsistency,
    PairScore,
    mean_over_pairs,
    pair_scores,
    with_people,
    within_model,
)
from study.statistics.simulation import StudyModel, simulate, simulate_many
from study.statistics.validation.scenarios import DEMO_SIZES
from study.statistics.votes import Floats, Sampled, VoteArrays
from tests.effort import FULL, cases
from tests.study.simulated_models import MODELS, with_models
from tests.study.test_report_bundle import export as people


def answer(pair: str, first: str, outcome: str) -> SimpleNamespace:
    return SimpleNamespace(pair=pair, first=first, outcome=outcome)


def vote(rater: int, pair: str, choice: str) -> SimpleNamespace:
    return SimpleNamespace(
        rater=f"r{rater}", pair=pair, problem="q", choice=choice, lower_side="left", position=1
    )


def test_repeats_are_averaged_and_both_orders_weigh_the_same() -> None:
    """Four answers with the lower EIC first, one with it second: an order is half of the score."""
    answers = [answer("p", "lower", "lower")] * 4 + [answer("p", "higher", "higher")]
    assert pair_scores(answers)["p"].score == 0.5
    one_order = pair_scores([answer("p", "lower", "lower")] * 4)["p"]
    assert one_order.score is None and one_order.first is None
    others = [answer("q", "lower", outcome) for outcome in ("tie", "refused", "unparsable")]
    assert pair_scores(others) == {}


def test_a_model_that_always_takes_the_first_prefers_nothing() -> None:
    scores = [PairScore((4, 4), (0, 4))] * 12
    assert {each.score for each in scores} == {0.5} and {each.first for each in scores} == {1.0}
    assert OrderConsistency.of(scores) == OrderConsistency(0, 12, 0, 0)
    assert OrderConsistency.of(
        [PairScore((2, 2), (3, 4)), PairScore((1, 2), (2, 2)), PairScore((0, 2), (2, 2))]
    ) == OrderConsistency(1, 0, 1, 1)
    assert within_model(scores) == (1.0, 24)


def test_more_repeats_of_the_same_answers_change_nothing() -> None:
    def rate(times: int) -> tuple[float | None, float | None]:
        answers = [
            answer(f"p{i}", first, "lower" if i % 3 else "higher")
            for i in range(15)
            for first in ("lower", "higher")
            for _ in range(times)
        ]
        scores = {p: s.score or 0.0 for p, s in pair_scores(answers).items()}
        found = mean_over_pairs(scores, dict.fromkeys(scores, "q"), share=True)
        return found.value, found.standard_error

    assert rate(1) == rate(10)


def simulated(
    rng: np.random.Generator, pairs: int, votes: int, coupling: float
) -> tuple[dict[str, float], list[SimpleNamespace], float]:
    """Scores, votes, and the correlation of the scores with what endless votes would give."""
    truth = rng.beta(1.5, 1.5, pairs)
    score = np.clip(coupling * truth + (1 - coupling) * rng.random(pairs), 0, 1)
    cast = [
        vote(r, f"p{i:03}", "lower" if rng.random() < truth[i] else "higher")
        for i in range(pairs)
        for r in range(votes)
    ]
    named = {f"p{i:03}": float(s) for i, s in enumerate(score)}
    return named, cast, float(np.corrcoef(truth, score)[0, 1])


def test_the_corrected_correlation_is_that_of_endless_votes() -> None:
    """Four votes a pair lower it by a third; corrected, it is right on average."""
    rng = np.random.default_rng(3)
    plain, corrected, true = [], [], []
    for _ in range(cases(6, 20)):
        scores, cast, known = simulated(rng, 400, 4, 0.5)
        found = with_people(scores, cast)
        plain.append(found.correlation)
        corrected.append(found.corrected)
        true.append(known)
    assert np.mean(plain) < 0.82 * np.mean(true)
    assert np.mean(corrected) == pytest.approx(np.mean(true), abs=0.02 if FULL else 0.05)


def test_a_model_that_is_one_of_the_people_reaches_the_ceiling_and_no_more() -> None:
    """Its scores are single votes drawn as people's are; averaging many gains it nothing."""
    rng, pairs = np.random.default_rng(4), cases(900, 3000)
    truth = rng.beta(1, 1, pairs)
    cast = [
        vote(r, f"p{i:04}", "lower" if rng.random() < truth[i] else "higher")
        for i in range(pairs)
        for r in range(3)
    ]
    person = {f"p{i:04}": float(rng.random() < truth[i]) for i in range(pairs)}
    many = {f"p{i:04}": float(truth[i]) for i in range(pairs)}
    for scores in (person, many):
        found = with_people(scores, cast)
        assert found.people == pytest.approx(2 / 3, abs=0.02 if FULL else 0.04)
        assert found.difference == pytest.approx(0, abs=0.02 if FULL else 0.04)


def people_of(table: VoteArrays) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            rater=table.raters[r],
            pair=table.pairs[p],
            problem=table.problems[q],
            choice="lower" if y else "higher",
            lower_side="left",
            position=1,
        )
        for r, p, q, y in zip(table.rater, table.pair, table.problem, table.lower, strict=True)
    ]


def test_two_persons_agree_as_the_reports_raw_agreement_says_with_one_interval() -> None:
    """One agreement, one number: that of people beside a model is the report's."""
    table = simulate(StudyModel(pairs=40, problems=12, raters=30), np.random.default_rng(1))
    cast = people_of(table)
    scores = {pair: 0.01 * place for place, pair in enumerate(table.pairs)}
    designs: tuple[Sampled, ...] = ("problems", "pairs")
    for sampled in designs:
        beside = with_people(scores, cast, sampled=sampled)
        alone = agreement_of(VoteArrays.of(cast, sampled)).raw_agreement
        assert beside.people == pytest.approx(alone.value, abs=1e-12)
        one, other = beside.intervals["people"], alone.interval
        assert one is not None and other is not None
        assert [one.low, one.high] == pytest.approx([other.low, other.high], abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_intervals_beside_people_cover_at_the_demos_sizes(share: float) -> None:
    """A bootstrap of pairs covered the corrected correlation in 77 % where problems differ."""
    model = StudyModel(
        kappa=0.37, problem_share=share, pairs=156, problems=14, raters=84, sizes=DEMO_SIZES
    )

    def scores_of(rates: Floats, rng: np.random.Generator) -> Floats:
        return ndtr(0.7 * ndtri(np.clip(rates, 1e-9, 1 - 1e-9)) + 0.6 * rng.normal(size=rates.size))

    rng = np.random.default_rng(1)
    shared = model.variances.problem + model.variances.pair
    latent = model.threshold + np.sqrt(shared) * rng.normal(size=200_000)
    rates = ndtr(latent / np.sqrt(1 - shared))
    score = scores_of(rates, rng)
    agree = rates**2 + (1 - rates) ** 2
    like_model = score * rates + (1 - score) * (1 - rates)
    true = {
        "corrected": np.corrcoef(score, rates)[0, 1],
        "model": like_model.mean(),
        "people": agree.mean(),
        "difference": (like_model - agree).mean(),
    }
    studies, covered = cases(40, 400), Counter[str]()
    for study in simulate_many(model, studies, rng):
        table = study.table
        cast = people_of(table)
        scores = dict(zip(table.pairs, scores_of(study.pair_rates, rng).tolist(), strict=True))
        intervals = with_people(scores, cast, sampled="problems").intervals
        for name, truth in true.items():
            interval = intervals[name]
            covered[name] += interval is not None and interval.low <= truth <= interval.high
    least = 0.93 - 2.6 * np.sqrt(0.05 * 0.95 / studies)
    assert min(covered[name] / studies for name in true) > least, covered


def test_too_few_pairs_of_the_rarer_choice_are_said_beside_the_intervals() -> None:
    """Choices are mixed on the first pairs alone."""
    for mixed, small in ((6, FewPairsOfRarerChoice(6, 10)), (30, None)):
        rng = np.random.default_rng(6)
        cast = [
            vote(r, f"p{i:02}", "higher" if i < mixed and rng.random() < 0.5 else "lower")
            for i in range(60)
            for r in range(14)
        ]
        scores = {f"p{i:02}": float(rng.random()) for i in range(60)}
        found = with_people(scores, cast, sampled="pairs")
        assert found.intervals["people"] is not None
        assert found.too_small == found.to_json()["too_small"] == small


def test_noise_alone_gives_no_corrected_correlation_but_a_reason() -> None:
    rng = np.random.default_rng(5)
    cast = [vote(r, f"p{i}", "lower" if r < 2 else "higher") for i in range(30) for r in range(4)]
    scores = {f"p{i}": float(rng.random()) for i in range(30)}
    found = with_people(scores, cast)
    assert found.corrected is None and found.correlation is None and found.model is not None
    assert with_people({"p1": 1.0}, cast).model is None, "one pair"


# --- the report ---


@pytest.fixture(scope="module")
def export() -> StudyExport:
    return with_models(people())


@pytest.fixture(scope="module")
def report(export: StudyExport) -> StudyReport:
    return analyse(export)


def said(report: StudyReport) -> str:
    """What the report says of models, in one line."""
    text = " ".join(render_text(report).split())
    return text.partition("PEOPLE BESIDE MODELS")[2].partition("WHAT COULD BE WRONG")[0]


def test_models_change_no_number_of_people(report: StudyReport) -> None:
    without = replace(report.export, model_runs=(), model_answers=(), configuration={})
    with_them, alone = document(report), document(analyse(without))
    assert with_them.pop("models")["runs"] and not alone.pop("models")["runs"]
    assert with_them == alone


def test_the_report_says_what_models_are_not(report: StudyReport) -> None:
    text, sections = said(report), sections_of(report)
    for words in (
        "Models are no raters",
        "in no vote, rate or kappa of people",
        "under 60 seconds does not apply to models",
        "69.8 % for people, and 72.19 % for two language models",
        "not this study's",
        "declared before the study was frozen, is “model less people”",
        "Holm's correction",
        "Exploratory, and in no test: `stuck` (not declared before",
        "Not asked to the end: fickle",
        "cd" * 32,
    ):
        assert words in text, words
    keys = [section.key for section in sections]
    assert keys[3:7] == ["models", "model-agreement", "model-places", "model-runs"]
    places = next(s for s in sections if s.key == "model-places")
    assert (
        places.judgement == "look closer"
        and "stuck (exploratory) chooses the first" in (places.lines[0])
    )


def test_the_first_model_is_the_one_declared_first_whichever_was_asked_first() -> None:
    contrast: Contrast = "first model less second"
    value: list[float | None] = []
    for declared in (("keen", "fickle"), ("fickle", "keen")):
        [test] = analyse(with_models(people(), contrast=contrast, declared=declared)).models.primary
        assert test.label == f"{declared[0]} less {declared[1]}"
        value.append(test.estimate.value)
    assert value[0] == -value[1] != 0


def test_a_model_that_changes_midway_is_named(report: StudyReport) -> None:
    assert "Not one model from the first" not in said(report)
    answers = changed(report.export, snapshot="another-2027")
    told = said(analyse(replace(report.export, model_answers=answers)))
    assert "to the last, as the endpoint says: keen. The rates are of a mixture" in told
    assert "another-2027, keen-2026" in told


def test_a_declared_model_that_was_not_asked_is_named(export: StudyExport) -> None:
    text = said(analyse(with_models(export, names=("stuck",))))
    assert "no model that was declared was asked" in text
    assert "not asked as declared: `keen` and `fickle`" in text


def test_the_figure_shows_people_models_and_the_papers_numbers_as_theirs(
    report: StudyReport,
) -> None:
    [panel] = FIGURES["preference"].describe(report).panels
    names = [mark.text for mark in panel.marks if isinstance(mark, Label) and mark.x == 0]
    assert names[:-1][::-1] == [
        "people",
        "keen",
        "fickle",
        "stuck (exploratory)",
        "people, Yu et al.",
        "models, Yu et al.",
    ]
    points = [mark for mark in panel.marks if isinstance(mark, Points)]
    assert [mark.x[0] for mark in points if mark.symbol == "circle-open"] == [0.7219, 0.698]


# --- the export ---


def test_an_export_with_models_is_read_as_it_was_written(
    tmp_path: Path,
) -> None:
    export = people()
    write_export(tmp_path, export)
    assert read_export(tmp_path) == export
    assert {a.run for a in export.model_answers} == set(MODELS)
    write_export(tmp_path / "without", replace(export, model_runs=(), model_answers=()))
    assert not (tmp_path / "without" / "model_answers.csv").exists()
    assert "model_runs" not in (tmp_path / "without" / "study.json").read_text()


def changed(export: StudyExport, **changes: object) -> tuple[ExportedAnswer, ...]:
    first, *rest = export.model_answers
    return (replace(first, **changes), *rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"run": "nobody"}, "no run of the study"),
        ({"pair": "p99"}, "no pair"),
        ({"repeat": 3}, "one too many"),
        ({"repeat": 2}, "one too many"),
        ({"outcome": "left"}, "an outcome is"),
        ({"first": "left"}, "the first formula is"),
    ],
)
def test_answers_that_do_not_fit_are_refused(
    export: StudyExport, changes: dict[str, object], told: str
) -> None:
    with pytest.raises(DataError, match=told):
        replace(export, model_answers=changed(export, **changes))


def test_a_bad_cell_is_named_with_its_row(tmp_path: Path) -> None:
    write_export(tmp_path, people())
    file = tmp_path / "model_answers.csv"
    file.write_text(file.read_text().replace(",true,", ",maybe,", 1))
    with pytest.raises(DataError, match="model_answers.csv, row 1: `maybe` is no structured"):
        read_export(tmp_path)
    file.unlink()
    assert read_export(tmp_path).model_answers == ()
