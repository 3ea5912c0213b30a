"""What published counts support, and an effect held against the smallest of interest."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from study.cli import main
from study.report.published import PublishedCounts
from study.statistics.equivalence import effect_size
from study.statistics.inference import clustered_rate
from study.statistics.simulation import StudyModel, simulate_many


def test_the_interval_is_wilsons_for_the_votes_that_they_are_worth() -> None:
    found = PublishedCounts(586, 840, 172, 108, 0.37)
    worth = 840 / (1 + (840 / 172 - 1) * 0.37 + (840 / 108 - 1) * 0.05)
    assert found.effective_votes == pytest.approx(worth)
    expected = proportion_confint(586 / 840 * worth, worth, 0.05, method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)
    score = (586 / 840 - 0.5) / np.sqrt(0.25 / worth)
    assert found.p_value == pytest.approx(stats.norm.sf(score))
    assert PublishedCounts(586, 840).design_effect == 1


def test_the_command_takes_counts_instead_of_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    known = ["--pairs", "172", "--raters", "108", "--kappa", ".37"]
    assert main(["report", "--counts", "586/840", *known]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "303 independent ones" in said and "64 % to 75 %" in said
    assert main(["report", "--counts", "586/840", *known, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["design_effect"] == pytest.approx(2.776, abs=1e-3)
    for wrong in (
        ["--counts", "586"],
        ["--counts", "9/8"],
        [],
        ["--counts", "1/2", "folder"],
        ["folder", "--pairs", "3"],
        ["--counts", "1/2", "--kappa", "2"],
    ):
        assert main(["report", *wrong]) == 2, wrong
        capsys.readouterr()


def test_two_one_sided_tests_keep_their_level_at_the_margin() -> None:
    """At a rate of exactly one half plus the margin neither is right more often than 5 %."""
    model = StudyModel(preference=0.6, kappa=0.2, pairs=60, raters=30, problems=1)
    studies = simulate_many(model, 300, np.random.default_rng(5))
    found = [effect_size(clustered_rate(study.table), 0.1) for study in studies]
    larger = np.mean([each.finding == "lower" for each in found])
    within = np.mean([each.finding == "too small to matter" for each in found])
    assert larger < 0.09 and within < 0.09
    assert all(each.finding for each in found)
