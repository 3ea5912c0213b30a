"""Subgroups that were declared beforehand, and the reasons that raters wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from study.design import StudyDesign, frozen_hash
from study.errors import DesignError
from study.report.analysis import analyse
from study.report.phrases.rates import subgroups_sentence
from study.report.preregistration import preregistration
from study.report.sections import sections_of
from study.statistics.reasons import reasons_of
from study.statistics.simulation import StudyModel, simulate
from study.statistics.subgroups import subgroups
from tests.effort import cases
from tests.rehearsal import Rehearsal

MODEL = StudyModel(
    preference=0.6, kappa=0.2, pairs=60, raters=40, problems=12, rater_correlation=0.05
)


@dataclass(frozen=True)
class Said:
    rater: str
    choice: str
    reason: str


def fields(raters: Mapping[str, int] | tuple[str, ...]) -> dict[str, str]:
    return {name: ("Physics", " physics", "Biology", "Law")[i % 4] for i, name in enumerate(raters)}


def test_answers_are_one_whatever_their_case_and_few_raters_are_taken_together() -> None:
    table = simulate(replace(MODEL, raters=14), np.random.default_rng(2))
    found = subgroups(table, fields(table.raters), "field")
    assert [(each.name, each.raters) for each in found.groups] == [
        ("physics", 8),
        ("all others", 6),
    ]
    assert sum(each.votes for each in found.groups) == len(table)
    assert "By field, physics: " in str(subgroups_sentence(found))


def test_groups_that_do_not_differ_are_said_to_differ_in_few_studies_and_others_in_most() -> None:
    studies = cases(24, 200)
    rng = np.random.default_rng(7)
    null = different = 0
    for _ in range(studies):
        table = simulate(replace(MODEL, sizes=(5,) * 12), rng)
        told = fields(table.raters)
        p = subgroups(table, told, "field").p_value
        biased = np.array([told[name] == "Biology" for name in table.raters])[table.rater]
        spoilt = replace(
            table, lower=np.where(biased & (rng.random(len(table)) < 0.6), 0.0, table.lower)
        )
        other = subgroups(spoilt, told, "field").p_value
        assert p is not None and other is not None
        null += p < 0.05
        different += other < 0.05
    assert null <= 0.05 * studies + 2.5 * (0.05 * 0.95 * studies) ** 0.5
    assert different >= 0.6 * studies


def test_what_was_not_declared_is_neither_frozen_nor_reported(rehearsal: Rehearsal) -> None:
    plain, declared = StudyDesign(), StudyDesign(subgroups="degree and field")
    assert "subgroups" not in plain.inference_json()
    assert frozen_hash(plain.inference_json()) != frozen_hash(declared.inference_json())
    assert StudyDesign.from_json(declared.to_json()) == declared
    with pytest.raises(DesignError, match="subgroups are by"):
        StudyDesign(subgroups="age")
    organiser = rehearsal.organiser
    study = rehearsal.opened(ballots_per_rater=2, problems=2, pairs=2, subgroups="degree")
    rehearsal.rate(rehearsal.rater(study), 2)
    assert organiser.verify(study.id)
    organiser.close(study.id)
    export = organiser.monitor.export(study.id)
    report = analyse(export)
    assert [each.what for each in report.subgroups] == ["degree"]
    assert "subgroups" in {section.key for section in sections_of(report)}
    assert "The rate is reported by degree of the raters" in preregistration(export.configuration)
    bare = replace(export, configuration={}, hash="")
    assert "subgroups" not in {section.key for section in sections_of(analyse(bare))}


def test_reasons_are_counted_by_what_they_touch_on() -> None:
    found = reasons_of(
        [
            Said("a", "lower", "SHORTER, fewer brackets"),
            Said("a", "higher", "known from school"),
            Said("b", "lower", "sinus is odd"),
            Said("b", "tie", "  "),
            Said("c", "lower", "hm"),
        ]
    )
    assert (found.votes, found.given, found.raters) == (5, 4, 3)
    assert {each.name: (each.reasons, each.lower, each.higher) for each in found.subjects} == {
        "length and simplicity": (1, 1, 0),
        "nesting and brackets": (1, 1, 0),
        "known laws": (1, 0, 1),
        "functions": (1, 1, 0),
        "none of these": (1, 1, 0),
    }
    assert dict(found.words)["school"] == 1 and "from" not in dict(found.words)
