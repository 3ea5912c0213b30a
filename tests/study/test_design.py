"""Settings of a study: checked, frozen, hashed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from study.design import (
    AttentionKind,
    ExclusionUnit,
    StudyDesign,
    StudyStatus,
    canonical_json,
    frozen_hash,
)
from study.errors import DesignError
from study.material import Problem, Study


def test_the_defaults_are_the_papers() -> None:
    design = StudyDesign()
    assert (design.ballots_per_rater, design.exclusion_seconds) == (10, 60.0)
    assert design.exclusion_unit == ExclusionUnit.SESSION
    assert not design.allow_tie and not design.inspector_open_during_study


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ballots_per_rater", 0),
        ("ballots_per_rater", 101),
        ("votes_per_pair", 0),
        ("expected_minutes", 0),
        ("attention_checks", 4),
        ("exclusion_seconds", -1.0),
        ("reservation_minutes", 0),
        ("title", " "),
        ("consent_text", ""),
        ("question", "?" * 201),
        ("public_base_url", "study.example.org"),
        ("public_base_url", "javascript:alert(1)"),
        ("public_base_url", "https://a.b/?x=1"),
        ("public_base_url", "http://a:port"),
        ("deadline", datetime(2025, 1, 1)),
        ("max_failed_attention", 9),
    ],
)
def test_a_bad_setting_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(DesignError) as error:
        StudyDesign(**{field: value})  # type: ignore[arg-type]
    assert error.value.field == field


def test_a_design_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        StudyDesign().title = "x"  # type: ignore[misc]


def test_json_there_and_back_is_the_same_design() -> None:
    design = StudyDesign(
        deadline=datetime(2030, 1, 1, tzinfo=UTC),
        attention_kind=AttentionKind.OBVIOUS,
        exclusion_unit=ExclusionUnit.VOTE,
        max_failed_attention=1,
    )
    assert StudyDesign.from_json(design.to_json()) == design


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(DesignError, match="no setting `ballot`"):
        StudyDesign.from_json({"ballot": 1})


def test_every_setting_but_the_address_changes_the_hash() -> None:
    base = StudyDesign()
    other = StudyDesign(public_base_url="https://study.example.org")
    assert base.inference_json() == other.inference_json()
    for changed in (
        StudyDesign(question="Which is simpler?"),
        StudyDesign(exclusion_seconds=61),
        StudyDesign(allow_tie=True),
        StudyDesign(inspector_open_during_study=True),
    ):
        assert frozen_hash(changed.inference_json()) != frozen_hash(base.inference_json())


def test_what_the_question_means_is_frozen_from_format_3_on() -> None:
    silent = StudyDesign(question_meaning="")
    assert "question_meaning" not in silent.inference_json(2)
    assert silent.inference_json(2) == StudyDesign().inference_json(2)
    assert silent.inference_json() != StudyDesign().inference_json()
    with pytest.raises(DesignError) as error:
        StudyDesign(question_meaning="x" * 501)
    assert error.value.field == "question_meaning"


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert frozen_hash({"a": 1, "b": 2.5}) == frozen_hash({"b": 2.5, "a": 1})
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


def test_a_study_takes_votes_until_its_deadline_exactly() -> None:
    deadline = datetime(2025, 1, 1, 12, tzinfo=UTC)
    study = Study(1, "s", StudyStatus.OPEN, StudyDesign(deadline=deadline), deadline)
    assert study.takes_votes(deadline.replace(hour=11))
    assert not study.takes_votes(deadline)


@pytest.mark.parametrize("name", ["", "a/b", "..\\x", "a\0b", "x" * 201])
def test_a_problem_with_an_unsafe_name_is_refused(name: str) -> None:
    with pytest.raises(Exception, match="name of a problem"):
        Problem(name, "x,y\n1,2\n")
