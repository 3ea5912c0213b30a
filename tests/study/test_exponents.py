"""How a study's formulas read literal exponents: from the pool to the frozen rules and ballots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eic_core.errors import DataError, UserError
from study.ballots import BallotContent
from study.matching import MatchingRules
from study.material import Pool, Problem
from study.pairing import match_study, read_upload
from study.report import read_export, write_export
from study.report.preregistration import preregistration
from tests.rehearsal import DESIGN, Rehearsal

TABLE = "x,y\n" + "".join(f"{x / 4},{(x / 4) ** 4}\n" for x in range(4, 40))
FORMULAS = ("x**4", "x**4 + 1e7*x - 1e7*x", "x*x*x*x")
POOL = "problem,formula\n" + "".join(f"powers,{text}\n" for text in FORMULAS)
PROBLEM = Problem("powers", TABLE)
RULES = MatchingRules(max_complexity_gap=10)


def upload(text: str = POOL, exponents: str | None = None) -> Pool:
    return read_upload("pool.csv", text.encode(), [PROBLEM], jobs=1, exponents=exponents).pool


def frozen(rehearsal: Rehearsal, pool: Pool):  # type: ignore[no-untyped-def]
    service = rehearsal.organiser
    design = replace(DESIGN, ballots_per_rater=1, attention_checks=0, practice=False)
    study = service.create(pool.digest[:8], design)
    service.set_problems(study.id, [PROBLEM])
    service.set_pool(study.id, pool)
    match_study(service, study.id, RULES)
    return service.freeze(study.id)


def ballot_of(rehearsal: Rehearsal, study_id: int) -> BallotContent:
    with rehearsal.store.reading() as tx:
        return BallotContent.from_json(tx.materials.ballot(tx.materials.pairs(study_id)[0].id))


def test_rules_of_before_are_exact_and_keep_their_json() -> None:
    assert "exponents" not in MatchingRules().to_json()
    assert MatchingRules.from_json({}).exponents == "exact"
    assert MatchingRules(exponents="noisy").to_json()["exponents"] == "noisy"
    with pytest.raises(UserError):
        MatchingRules(exponents="loud")  # type: ignore[arg-type]


def test_a_noisy_pool_makes_a_noisy_study(rehearsal: Rehearsal, tmp_path) -> None:
    study = frozen(rehearsal, upload(exponents="noisy"))
    assert study.rules["exponents"] == "noisy" and study.exponents == "noisy"
    pair = rehearsal.organiser.pairs(study.id)[0].pair
    by_text = {member.formula: member.complexity for member in (pair.lower, pair.higher)}
    content = ballot_of(rehearsal, study.id)
    assert [content.lower.complexity, content.higher.complexity] == [
        pair.lower.complexity,
        pair.higher.complexity,
    ]
    assert by_text.get("x**4 + 1e7*x - 1e7*x") == 11
    assert rehearsal.organiser.verify(study.id)
    rehearsal.organiser.close(study.id)
    export = rehearsal.organiser.monitor.export(study.id)
    assert "noisy operands" in preregistration(export.configuration)
    write_export(tmp_path / "out", export)
    assert read_export(tmp_path / "out").rules["exponents"] == "noisy"


def test_an_exact_study_says_nothing_and_freezes_as_before(rehearsal: Rehearsal) -> None:
    study = frozen(rehearsal, upload())
    assert "exponents" not in study.rules and study.exponents == "exact"
    old = upload().csv.replace(",exponents", "").replace(",exact", "")
    again = frozen(rehearsal, Pool("pool.csv", old, len(FORMULAS)))
    assert again.exponents == "exact"
    assert {p.pair.lower.formula for p in rehearsal.organiser.pairs(again.id)} == {
        p.pair.lower.formula for p in rehearsal.organiser.pairs(study.id)
    }


def test_the_columns_of_a_pool_decide_where_nobody_chose() -> None:
    asked = POOL.replace("formula\n", "formula,exponents\n").replace("\npowers", ",noisy\npowers")
    asked = asked.replace("exponents,noisy", "exponents").rstrip("\n") + ",noisy\n"
    assert ",noisy," in upload(asked).csv


def test_a_pool_of_two_ways_is_refused(rehearsal: Rehearsal) -> None:
    mixed = upload(exponents="noisy").csv.replace(",noisy,", ",exact,", 1)
    with pytest.raises(DataError, match="mixes"):
        frozen(rehearsal, Pool("pool.csv", mixed, len(FORMULAS)))
