"""Settings of a study: checked, frozen, hashed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from pages.ui.organising import step_design
from study import monitoring
from study.design import (
    AttentionKind,
    ExclusionUnit,
    Sidedness,
    StudyDesign,
    StudyStatus,
    canonical_json,
    frozen_hash,
)
from study.errors import DesignError
from study.freezing import merged_design
from study.matching import MatchingRules
from study.material import Problem, Study
from study.model_plan import ModelPlan
from study.report import StudyExport
from study.report.analysis import analyse
from study.report.document import document
from study.report.exported import edits_of, read_export, write_export
from study.report.methods import methods_markdown
from study.report.preregistration import preregistration
from tests.rehearsal import DESIGN, Rehearsal


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


def test_json_there_and_back_is_the_same_design_which_cannot_be_changed() -> None:
    design = StudyDesign(
        deadline=datetime(2030, 1, 1, tzinfo=UTC),
        attention_kind=AttentionKind.OBVIOUS,
        exclusion_unit=ExclusionUnit.VOTE,
        max_failed_attention=1,
    )
    assert StudyDesign.from_json(design.to_json()) == design
    with pytest.raises(DesignError, match="no setting `ballot`"):
        StudyDesign.from_json({"ballot": 1})
    with pytest.raises(FrozenInstanceError):
        design.title = "x"  # type: ignore[misc]


BASE = replace(
    DESIGN, ballots_per_rater=2, attention_checks=1, attention_kind=AttentionKind.OBVIOUS,
    max_failed_attention=1, estimand="pairs like these",
)  # fmt: skip
CHANGED: dict[str, object] = {
    "title": "Another study", "question": "Which is simpler?", "question_meaning": "As you like.",
    "ballots_per_rater": 3, "votes_per_pair": 7, "consent_text": "Agreed?", "debrief_text": "Bye.",
    "expected_minutes": 20, "contact": "other@example.org", "practice": True,
    "attention_checks": 2, "attention_kind": AttentionKind.INSTRUCTED, "max_failed_attention": 2,
    "deadline": datetime(2030, 1, 1, tzinfo=UTC), "exclusion_seconds": 61.0,
    "exclusion_unit": ExclusionUnit.VOTE, "allow_tie": True, "ask_reason": False,
    "inspector_open_during_study": True, "reservation_minutes": 31,
    "model_raters": ModelPlan(("a-model",)), "estimand": "these pairs", "confidence_level": 0.9,
    "sidedness": Sidedness.ONE_SIDED, "smallest_effect": 0.1, "subgroups": "degree",
    "public_base_url": "https://study.example.org", "giveaway_reason": "All that there are.",
}  # fmt: skip
"""A setting, and another value of it than `BASE` has."""

_ADDRESS = {"public_base_url": "it may change after freezing"}
_RUNNING = _ADDRESS | dict.fromkeys(
    "consent_text debrief_text expected_minutes contact practice attention_kind deadline ask_reason"
    " inspector_open_during_study reservation_minutes".split(),
    "it is how the study runs; the frozen configuration says it",
)
_FACTS = dict.fromkeys(
    "question votes_per_pair attention_checks".split(), "votes and checks are counted as they came"
)
MISSING_FROM: dict[str, dict[str, str]] = {
    "study/design.py, inference_json (the hash)": _ADDRESS,
    "study/design.py, from_json": {},
    "study/freezing.py, merged_design": {},
    "pages/ui/organising/step_design.py, design_view": {},
    "pages/ui/organising/step_design.py, design_facts": _ADDRESS,
    "study/report/preregistration.py": _RUNNING
    | {"model_raters": "models are no raters; the frozen configuration has their plan"},
    "study/report/methods.py": _RUNNING
    | _FACTS
    | {
        "model_raters": "of models the runs that were made are told",
        "subgroups": "their rates stand in the report, and no conclusion rests on them",
    },
    "study/report/document.py": _RUNNING
    | _FACTS
    | {
        "question_meaning": "the methods say what raters were told",
        "giveaway_reason": "the methods say it",
        "allow_tie": "the votes say how many could not decide",
    },
    "study/report/exported.py, read back": _ADDRESS,
}
"""A place, and the settings that it need not have, with the reason."""


def test_each_setting_is_in_every_place_or_has_a_reason_not_to_be(
    rehearsal: Rehearsal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CHANGED.keys() == {field.name for field in fields(StudyDesign)}, f"CHANGED of {__file__}"
    calls: list[partial[StudyExport]] = []
    export_of = monitoring.export_of
    monkeypatch.setattr(
        monitoring, "export_of", lambda *a, **k: calls.append(partial(export_of, *a, **k))
    )
    opened = rehearsal.opened(BASE)
    for _ in range(3):
        rehearsal.rate(rehearsal.rater(opened), 2, seconds=40)
    rehearsal.organiser.close(opened.id)
    rehearsal.organiser.monitor.export(opened.id)
    study, configuration, *rest = calls[0].args

    def exported(design: StudyDesign) -> StudyExport:
        frozen = {**configuration, "design": design.inference_json()}
        return export_of(replace(study, design=design), frozen, *rest, **calls[0].keywords)

    def read_back(design: StudyDesign) -> object:
        export = replace(exported(design), votes=(), undone=(), seals=())
        export = replace(export, hash=frozen_hash(export.configuration))
        write_export(tmp_path, export)
        assert read_export(tmp_path) == export and not edits_of(export), "exported.py"
        return export.configuration["design"]

    def declared(design: StudyDesign) -> str:
        text = preregistration({**configuration, "design": design.inference_json()})
        return re.sub("`[0-9a-f]{64}`", "", text)

    def widget(design: StudyDesign) -> object:
        source = inspect.getsource(step_design)
        changed = [name for name in CHANGED if getattr(design, name) != getattr(BASE, name)]
        return [name for name in changed if f'study, "{name}"' in source]

    makers: tuple[Callable[[StudyDesign], object], ...] = (
        lambda design: frozen_hash(design.inference_json()),
        lambda design: StudyDesign.from_json(design.to_json()),
        lambda design: merged_design(BASE, BASE, design),
        widget,
        step_design.design_facts,
        declared,
        lambda design: methods_markdown(analyse(exported(design))),
        lambda design: document(analyse(exported(design))),
        read_back,
    )
    faults = []
    for (place, reasons), maker in zip(MISSING_FROM.items(), makers, strict=True):
        base = maker(BASE)
        for name, value in CHANGED.items():
            is_there = maker(replace(BASE, **{name: value})) != base  # type: ignore[arg-type]
            if is_there and name in reasons:
                faults.append(f"{place} has `{name}`: strike it off MISSING_FROM")
            elif not is_there and name not in reasons:
                faults.append(f"{place} lacks `{name}`: add it, or say why not in MISSING_FROM")
    assert not faults, "\n".join(faults)


RULES: dict[str, object] = {
    "max_complexity_gap": 3, "max_r2_gap": 0.03, "min_eic_gap": 2.5, "min_best_r2": 0.9,
    "r2_column": "score", "include_invalid": True, "include_singular": True,
    "exclude_same_function": True, "max_calls_gap": 1, "max_depth_gap": 1, "max_length_gap": 9,
    "min_gap_share": 0.9, "gap_without_worst_row": True, "distinct": "row", "near_twins": True,
    "exponents": "noisy", "same_function_tolerance": 1e-9,
}  # fmt: skip
"""A matching rule, and another value of it than the paper's."""


def test_each_matching_rule_stands_in_what_is_fixed_for_good() -> None:
    assert RULES.keys() == {field.name for field in fields(MatchingRules)}, f"RULES of {__file__}"

    def facts(rules: MatchingRules) -> str:
        stored = {**rules.to_json(), "mode": "matching", "k": None}
        study = Study(1, "s", StudyStatus.DRAFT, BASE, datetime(2025, 1, 1, tzinfo=UTC), stored)
        return step_design.rules_facts(study)

    base = MatchingRules(exclude_same_function=True)
    for name, value in RULES.items():
        other = replace(base, **{name: False if value == base.__dict__[name] else value})  # type: ignore[arg-type]
        assert facts(other) != facts(base), f"pages/ui/organising/step_design.py lacks `{name}`"
    assert "share of draws of the rows with the gap ≥ 0.9" in facts(
        replace(base, min_gap_share=0.9)
    )


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
