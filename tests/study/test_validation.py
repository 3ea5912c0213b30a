"""The validation itself: small, seeded, and able to fail."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eic_core.errors import UserError
from study.statistics.preference import Interval
from study.statistics.simulation import StudyModel, simulate_many
from study.statistics.validation import SCENARIOS, Scenario, ValidationRow, validate, verdicts
from study.statistics.validation.__main__ import main
from study.statistics.validation.running import METHODS, MethodResult, Tally, apply_all, true_rate
from study.statistics.validation.unthreatened import RehearsedVote, null_threats
from study.statistics.validation.verdicts import csv_table, report, text_table
from tests.effort import cases

SMALL = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=40,
    raters=20,
    problems=1,
    rater_correlation=0.05,
    drop_out=0.3,
    unequal=0.5,
)
TRIED = (
    Scenario("smallest", SMALL),
    Scenario("smallest", replace(SMALL, preference=0.85)),
    Scenario("problems", replace(SMALL, preference=0.7, problems=4, problem_share=0.5)),
    Scenario("few raters", replace(SMALL, raters=8)),
)


@pytest.fixture(scope="module")
def rows() -> list[ValidationRow]:
    return validate(TRIED, studies=cases(200, 400), seed=11, draws=100)


def _row(rows: list[ValidationRow], name: str, which: int = 0) -> ValidationRow:
    return [row for row in rows if row.method.name == name][which]


def test_the_headline_is_within_two_points_of_nominal(rows: list[ValidationRow]) -> None:
    binding = [verdict for verdict in verdicts(rows) if verdict.binding]
    assert [verdict.rows for verdict in binding] == [4, 2]
    assert all(verdict.holds for verdict in binding)


def test_methods_that_ignore_the_pairs_are_seen_to_fail(rows: list[ValidationRow]) -> None:
    for name in ("Wilson", "Clopper-Pearson", "by rater"):
        assert (_row(rows, name).coverage or 1.0) < 0.89
    assert (_row(rows, "binomial").type_one or 0.0) > 0.11
    named = {verdict.aim.split()[0] for verdict in verdicts(rows) if not verdict.holds}
    assert {"Wilson", "binomial"} <= named


def test_few_problems_stand_for_themselves_only(rows: list[ValidationRow]) -> None:
    assert (_row(rows, "two-way", 2).coverage or 0.0) > 0.91
    assert (_row(rows, "other problems", 2).coverage or 1.0) < 0.80
    assert _row(rows, "two-way", 2).type_one is None  # the truth is not one half for these problems


def test_a_study_of_eight_raters_is_called_too_small(rows: list[ValidationRow]) -> None:
    assert _row(rows, "two-way", 3).flagged == 1.0
    assert _row(rows, "two-way", 0).flagged == 0.0


@pytest.mark.parametrize("name", ["Wilson", "two-way bootstrap"])
def test_a_headline_that_covers_too_little_or_too_much_is_found_out(
    rows: list[ValidationRow], name: str
) -> None:
    """The counts of another method, put under the headline's name, miss the aim."""
    independent = Scenario("independent", replace(SMALL, kappa=0.0, rater_correlation=0.0))
    tried = rows if name == "Wilson" else validate([independent], studies=400, seed=2, draws=100)
    headline = next(method for method in METHODS if method.name == "two-way")
    false = [
        ValidationRow(row.scenario, headline, row.tally) for row in tried if row.method.name == name
    ]
    verdict = verdicts(false)[0]
    assert verdict.binding and not verdict.holds
    assert "40 pairs, 20 raters" in verdict.sentence and verdict.sentence.startswith("MISS")


def test_studies_called_too_small_excuse_misses_but_not_all_caution() -> None:
    headline = next(method for method in METHODS if method.name == "two-way")

    def holds(**counts: int) -> bool:
        return verdicts([ValidationRow(TRIED[1], headline, Tally(studies=1000, **counts))])[0].holds

    assert holds(intervals=1000, covered=950, missed_unflagged=50)
    assert not holds(intervals=1000, covered=890, missed_unflagged=110)
    assert holds(intervals=1000, covered=890, missed_unflagged=40, flagged=300)
    assert not holds(intervals=1000, covered=1000, missed_unflagged=0)
    assert holds(intervals=1000, covered=1000, missed_unflagged=0, flagged=900)


def test_a_study_is_counted_as_it_came_out() -> None:
    interval = Interval(0.4, 0.6, 0.95, "any")
    assert Tally.of(MethodResult(interval, 0.2), 0.5) == Tally(
        1, 0, 1, 1, 0, 0, interval.high - 0.4, 1
    )
    below = Tally.of(MethodResult(interval, 0.05), 0.3)
    assert (below.covered, below.truth_below, below.missed_unflagged) == (0, 1, 1)
    assert (below.tests, below.rejected, below.rejected_unflagged) == (1, 1, 1)
    excused = Tally.of(MethodResult(interval, 0.01, too_small=True), 0.7)
    assert (excused.truth_below, excused.flagged) == (0, 1)
    assert (excused.missed_unflagged, excused.rejected_unflagged) == (0, 0)
    assert Tally.of(MethodResult(), 0.5) == Tally(studies=1)


def test_each_method_is_held_against_its_own_truth() -> None:
    study = simulate_many(TRIED[2].model, 1, np.random.default_rng(0)).study(0)
    votes = study.table.decided()
    truths = {
        kind: true_rate(kind, TRIED[2], study)
        for kind in ("rate", "these pairs", "other problems", "kappa")
    }
    assert truths["kappa"] == 0.37 and truths["other problems"] == 0.7
    assert truths["these pairs"] == pytest.approx(
        sum(study.pair_rates[pair] for pair in votes.pair) / len(votes)
    )
    assert len({round(value, 6) for value in truths.values()}) == 4
    assert true_rate("rate", TRIED[0], study) == 0.5
    assert set(apply_all(study, 100)) == {method.name for method in METHODS}


def test_the_counts_repeat_with_the_seed_whatever_the_processes(rows: list[ValidationRow]) -> None:
    few = TRIED[:2]
    one = validate(few, studies=30, seed=3, draws=100)
    two = validate(few, studies=30, seed=3, draws=100, processes=2)
    other = validate(few, studies=30, seed=4, draws=100)
    assert [row.tally for row in one] == [row.tally for row in two]
    assert [row.tally for row in one] != [row.tally for row in other]
    with pytest.raises(UserError):
        validate(few, studies=0)


def test_the_scenarios_span_what_is_claimed() -> None:
    models = [scenario.model for scenario in SCENARIOS]
    assert {0.0, 0.2, 0.37, 0.6} <= {model.kappa for model in models}
    assert {(40, 20), (172, 84), (172, 108)} <= {(m.pairs, m.raters) for m in models}
    assert {0.5, 0.7, 0.85} <= {model.preference for model in models}
    assert any(m.drop_out and m.unequal for m in models) and any(not m.unequal for m in models)
    assert {1, 4, 8, 10, 20} <= {model.problems for model in models}
    assert len(set(SCENARIOS)) == len(SCENARIOS)


def test_the_table_is_aligned_and_the_csv_holds_every_row(rows: list[ValidationRow]) -> None:
    lines = [line for line in text_table(rows).splitlines() if line.startswith("   40")]
    assert len(lines) == 4 and len({len(line) for line in lines}) == 1
    assert "±" in lines[0] and "100%" in lines[3]
    read = list(csv.DictReader(io.StringIO(csv_table(rows))))
    assert len(read) == len(rows) == 4 * len(METHODS)
    assert float(read[1]["coverage"]) == _row(rows, "Wilson").coverage
    assert report(rows, verdicts(rows)).count("two-way covers") == 1


def test_few_studies_without_a_fault_have_a_threat_to_look_at_and_a_fault_is_seen() -> None:
    """At most one in ten, beside two Monte-Carlo errors: a wrong preference is among them."""
    studies = cases(16, 200)
    found = null_threats(studies, seed=5)
    assert found.studies == studies and found.looks <= 0.1 * studies + 2 * (0.09 * studies) ** 0.5
    assert found.looks < found.uncorrected

    def to_the_left(vote: RehearsedVote) -> RehearsedVote:
        chosen = "lower" if vote.lower_side == "left" else "higher"
        return replace(vote, choice=chosen) if vote.position % 2 else vote

    assert null_threats(3, seed=5, spoil=to_the_left).by_threat["sides"] == 3


def test_the_command_prints_the_table_or_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    few = ["--studies", "10", "--processes", "1", "--only", "Yu et al."]
    code = main([*few, "--csv", str(tmp_path / "rows.csv"), "--null-studies", "1"])
    printed = capsys.readouterr()
    assert "Of 1 studies" not in printed.out and "Of 1 study that nothing" in printed.out
    assert code in (0, 1) and "two-way covers 95 %" in printed.out and "100 %" in printed.err
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + 2 * len(METHODS)
    assert main([*few, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["seed"] == 1 and len(found["rows"]) == 2 * len(METHODS)
    assert main(["--only", "no such group"]) == 2
    assert "no group of scenarios has `no such group`" in capsys.readouterr().err
    assert main(["--studies", "0"]) == 2
    assert main([*few, "--csv", str(tmp_path / "none" / "rows.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err
