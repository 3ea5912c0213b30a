"""What was frozen and cast cannot be edited unnoticed, and what is declared is kept to."""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db import open_database
from eic_core.errors import DataError, UserError
from eic_core.phrasing import one_after_another
from study.design import Sidedness
from study.material import Study
from study.rating_types import BrowserReport
from study.report import StudyExport, read_export, write_export
from study.report.analysis import analyse
from study.report.bundle import PREREGISTERED_FILE, bundle_files
from study.report.document import document
from study.report.exported import cast_vote, edits_of
from study.report.phrases.notes import notes
from study.report.phrases.verdict import verdict
from study.report.text import render_text
from tests.rehearsal import Rehearsal

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> StudyExport:
    """Four raters, one of whom has withdrawn."""
    lab = Rehearsal.at(tmp_path_factory.mktemp("sealed"))
    study = lab.opened(
        ballots_per_rater=4,
        problems=3,
        attention_checks=1,
        practice=True,
        estimand="these pairs",
        confidence_level=0.9,
        sidedness=Sidedness.ONE_SIDED,
        exclusion_seconds=0.0,
    )
    raters = [lab.rater(study) for _ in range(4)]
    first = lab.ballot(raters[0])
    lab.clock.advance(20)
    lab.rating.vote(
        raters[0], first.token, "left", "", BrowserReport(12.25, "narrow", True, False, False)
    )
    for rater in raters:
        lab.rate(rater, 5 if rater == raters[0] else 6)
    lab.rating.withdraw(raters[1])
    lab.organiser.close(study.id)
    return lab.organiser.monitor.export(study.id)


def test_the_chain_is_that_of_the_commitments_and_begins_at_the_frozen_hash(
    exported: StudyExport,
) -> None:
    link = exported.hash
    for seal in exported.seals:
        link = hashlib.sha256(f"{link}\n{seal.commitment}".encode()).hexdigest()
    assert exported.chain == link and len(exported.seals) == 24
    assert sum(not seal.vote for seal in exported.seals) == 6
    assert all(bool(seal.salt) == bool(seal.vote) for seal in exported.seals)
    first = exported.seals[0]
    vote = next(v for v in exported.votes if v.vote == first.vote)
    cast = {
        "vote": vote.vote,
        "rater": vote.rater,
        "pair": "",
        "kind": "practice",
        "choice": vote.choice,
        "lower_side": vote.lower_side,
        "position": 0,
        "shown_at": vote.shown_at.isoformat(timespec="microseconds"),
        "voted_at": vote.voted_at.isoformat(timespec="microseconds"),
        "idle_seconds": "0.0",
        "degree": "Doctorate",
        "field": "Physics",
        "reason": "",
        "rater_seconds": "12.25",
        "viewport": "narrow",
        "in_view": True,
        "plot_in_view": False,
        "page": 3,
    }
    text = json.dumps([first.salt, cast], sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == first.commitment


def test_an_export_as_it_was_written_is_read_again(exported: StudyExport, tmp_path: Path) -> None:
    write_export(tmp_path, exported)
    assert read_export(tmp_path) == exported
    assert document(analyse(exported))["seals"] == {
        "votes": 18,
        "withdrawn": 6,
        "undone": 0,
        "unsealed": 0,
        "last_link": exported.chain,
    }


def _flipped(export: StudyExport) -> StudyExport:
    vote = export.votes[3]
    choice = "higher" if vote.choice == "lower" else "lower"
    return replace(
        export, votes=(*export.votes[:3], replace(vote, choice=choice), *export.votes[4:])
    )


def _emptied(export: StudyExport) -> StudyExport:
    gone = export.votes[2].vote
    return replace(
        export,
        votes=tuple(v for v in export.votes if v.vote != gone),
        raters=replace(export.raters, withdrawn=0),
        seals=tuple(
            replace(seal, vote="", salt="") if seal.vote == gone else seal for seal in export.seals
        ),
    )


def _frozen(export: StudyExport, **changes: Any) -> StudyExport:
    design = {**export.configuration["design"], **changes}
    return replace(export, configuration={**export.configuration, "design": design})


EDITS: dict[str, tuple[Callable[[StudyExport], StudyExport], str]] = {
    "a vote flipped": (_flipped, "vote `v4` is not what was cast"),
    "a row deleted": (
        lambda e: replace(e, votes=e.votes[:2] + e.votes[3:]),
        "vote `v3` was taken away",
    ),
    "a withdrawal made up": (_emptied, "as if their rater had withdrawn, and nobody has"),
    "a vote without its seal": (
        lambda e: replace(e, seals=e.seals[:-1]),
        f"vote `v{24}` was never cast",
    ),
    "a seal left out": (lambda e: replace(e, seals=e.seals[1:]), "seal 1 is missing"),
    "an EIC changed": (
        lambda e: replace(e, pairs=(replace(e.pairs[0], lower_eic=0.01), *e.pairs[1:])),
        "lower eic of pair `p001` differs",
    ),
    "a pair left out": (
        lambda e: replace(e, pairs=e.pairs, votes=e.votes, title="Other"),
        "the title differs",
    ),
    "another rule": (
        lambda e: replace(e, exclusion=replace(e.exclusion, threshold_seconds=9.0)),
        "the exclusion rule differs",
    ),
    "another declaration": (
        lambda e: _frozen(e, estimand="problems like these"),
        "does not have the hash",
    ),
    "a time changed": (
        lambda e: replace(e, votes=(replace(e.votes[0], seconds=1.0), *e.votes[1:])),
        "the seconds of vote `v1`",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_export_is_refused_and_the_edit_named(
    exported: StudyExport, tmp_path: Path, edit: str
) -> None:
    change, said = EDITS[edit]
    edited = change(exported)
    assert any(said in each for each in edits_of(edited)), edits_of(edited)
    write_export(tmp_path, edited)
    with pytest.raises(DataError, match="edited after it was written"):
        read_export(tmp_path)


@pytest.fixture(scope="module")
def undone(tmp_path_factory: pytest.TempPathFactory) -> StudyExport:
    """Two raters, one of whom undid an answer and gave it again."""
    lab = Rehearsal.at(tmp_path_factory.mktemp("undone"))
    study = lab.opened(ballots_per_rater=3, problems=3, exclusion_seconds=0.0)
    raters = [lab.rater(study) for _ in range(2)]
    for rater in raters:
        lab.rate(rater, 2)
    last = lab.ballot(raters[0])
    lab.rating.vote(raters[0], last.token, "left")
    lab.clock.advance(3)
    lab.rating.undo(raters[0], last.token)
    lab.rating.vote(raters[0], last.token, "right")
    lab.rate(raters[1], 1)
    lab.organiser.close(study.id)
    return lab.organiser.monitor.export(study.id)


def test_an_undone_vote_is_exported_and_sealed_and_counts_nowhere(
    undone: StudyExport, tmp_path: Path
) -> None:
    write_export(tmp_path, undone)
    assert read_export(tmp_path) == undone
    rows = (tmp_path / "votes.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 7 and rows[0].endswith("in_view,plot_in_view,page,undone_at")
    [gone] = undone.undone
    assert gone.undone_at is not None and gone.vote == "v5" and len(undone.votes) == 6
    assert [(seal.vote, seal.undo) for seal in undone.seals[4:]] == [
        ("v5", False),
        ("v5", True),
        ("v6", False),
        ("v7", False),
    ]
    assert edits_of(undone) == ()
    report = analyse(undone)
    assert len(report.votes_cast) == len(report.valid_votes) == 6
    assert document(report)["seals"] == {
        "votes": 7,
        "withdrawn": 0,
        "undone": 1,
        "unsealed": 0,
        "last_link": undone.chain,
    }
    assert document(report)["flow"]["undone"] == 1
    assert "1 answer on a pair was undone within five seconds" in render_text(report)


UNDOING: dict[str, tuple[Callable[[StudyExport], StudyExport], str]] = {
    "a vote that counts is marked": (
        lambda e: replace(
            e,
            votes=e.votes[1:],
            undone=(replace(e.votes[0], undone_at=e.votes[0].voted_at), *e.undone),
        ),
        "vote `v1` was never undone by its rater",
    ),
    "an undone vote is counted again": (
        lambda e: replace(
            e,
            votes=(*(v for v in e.votes if v.vote != "v6"), replace(e.undone[0], undone_at=None)),
            undone=(),
        ),
        "vote `v5` was undone, and not as it is marked",
    ),
    "another time": (
        lambda e: replace(e, undone=(replace(e.undone[0], undone_at=e.undone[0].voted_at),)),
        "vote `v5` was undone, and not as it is marked",
    ),
    "taken away": (lambda e: replace(e, undone=()), "vote `v5` was taken away"),
    "its seal left out": (
        lambda e: replace(e, seals=tuple(seal for seal in e.seals if not seal.undo)),
        "seal 6 is missing",
    ),
}


@pytest.mark.parametrize("edit", UNDOING)
def test_nobody_undoes_a_vote_afterwards(undone: StudyExport, edit: str) -> None:
    change, said = UNDOING[edit]
    edits = edits_of(change(undone))
    assert any(said in each for each in edits), edits


def test_a_vote_of_before_keeps_its_commitment_and_gets_no_plot_in_view_afterwards(
    exported: StudyExport,
) -> None:
    """Without a page, what is sealed is what was sealed before pages were told apart."""
    vote = replace(exported.votes[0], page=None, plot_in_view=None)
    sealed = cast_vote(vote).commitment("salt")
    values = dataclasses.asdict(cast_vote(vote))
    del values["page"], values["plot_in_view"]
    for name in ("shown_at", "voted_at"):
        values[name] = values[name].isoformat(timespec="microseconds")
    values |= {name: repr(values[name]) for name in ("idle_seconds", "rater_seconds")}
    text = json.dumps(["salt", values], sort_keys=True, separators=(",", ":"))
    assert sealed == hashlib.sha256(text.encode()).hexdigest()
    assert cast_vote(replace(vote, plot_in_view=True)).commitment("salt") != sealed


def test_an_early_look_knows_a_vote_as_it_stood_then(rehearsal: Rehearsal, tmp_path: Path) -> None:
    study = rehearsal.opened(ballots_per_rater=3, problems=3)
    rater = rehearsal.rater(study)
    rehearsal.rate(rater)
    before, later = (_looked(rehearsal, study, rater, undo_first) for undo_first in (True, False))
    for name, export, counts in (("a", before, (1, 1)), ("b", later, (2, 1))):
        assert (len(export.votes), len(export.undone)) == counts
        write_export(tmp_path / name, export)
        assert read_export(tmp_path / name) == export


def _looked(lab: Rehearsal, study: Study, rater: str, undo_first: bool) -> StudyExport:
    """As of a look before or after the second ballot's answer was undone."""
    ballot = lab.ballot(rater)
    lab.rating.vote(rater, ballot.token, "left")
    if undo_first:
        lab.clock.advance(1)
        lab.rating.undo(rater, ballot.token)
    lab.clock.advance(1)
    seen = len(lab.organiser.early.of(study.id))
    lab.organiser.early.look(study.id, confirmed=study.name, after=seen)
    lab.clock.advance(1)
    if not undo_first:
        lab.rating.undo(rater, ballot.token)
        lab.rating.vote(rater, ballot.token, "right")
    return lab.organiser.monitor.export(study.id)


def test_a_new_chain_has_another_last_link(exported: StudyExport) -> None:
    """Who makes up votes with their seals is found out by the link of the audit trail."""
    seals = tuple(
        replace(seal, commitment=f"{number:064x}") for number, seal in enumerate(exported.seals)
    )
    assert replace(exported, seals=seals).chain != exported.chain


def test_the_report_keeps_to_what_was_declared_and_says_where_it_departs(
    exported: StudyExport,
) -> None:
    report = analyse(exported)
    assert (report.estimand, report.level, report.one_sided) == ("these pairs", 0.9, True)
    assert not any("declared before the first vote" in str(note) for note in notes(report))
    assert "two-sided" not in verdict(report).text
    other = analyse(exported, level=0.95, estimand="pairs like these")
    said = [text for text in map(str, notes(other)) if "declared before the first vote" in text]
    assert len(said) == 2 and "an estimate for these pairs" in said[0] and "90 %" in said[1]


def test_a_study_of_format_1_declares_nothing_and_its_votes_are_named_unsealed() -> None:
    report = analyse(read_export(GOLDEN / "export"))
    assert report.declared is None and report.unsealed == len(report.export.votes)
    text = str(one_after_another(notes(report)))
    assert "This study declared neither what the result is about" in text
    assert "before votes were sealed" in text


def test_what_was_declared_is_a_document_with_the_hash_that_the_archive_holds_as_it_was(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened(ballots_per_rater=2, problems=2, pairs=2, smallest_effect=0.07)
    assert study.design.estimand == "pairs like these" and rehearsal.organiser.verify(study.id)
    offered = rehearsal.organiser.preregistration(study.id)
    text = " ".join(offered.split())
    assert study.hash in text and "4 pairs of formulas from 2 problems" in text
    assert "an estimate for pairs like these, 95 % intervals, a two-sided test" in text
    assert "7 points to either side" in text and "|ΔR²| ≤ 0.02" in text
    draft = rehearsal.draft(name="draft", problems=2, pairs=2)
    with pytest.raises(UserError, match="declared nothing yet"):
        rehearsal.organiser.preregistration(draft.id)
    rehearsal.rate(rehearsal.rater(study), 2)
    rehearsal.organiser.close(study.id)
    files = dict(bundle_files(analyse(rehearsal.organiser.monitor.export(study.id))))
    assert files[PREREGISTERED_FILE] == offered.encode()


def test_the_upgrade_of_a_populated_database_keeps_every_trigger(tmp_path: Path) -> None:
    path = tmp_path / "golden.sqlite3"
    path.write_bytes(gzip.decompress((GOLDEN / "studies.sqlite3.gz").read_bytes()))

    def triggers() -> dict[str, str]:
        with contextlib.closing(sqlite3.connect(path)) as here:
            wanted = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            return dict(here.execute(wanted).fetchall())

    before = triggers()
    open_database(f"sqlite:///{path}").dispose()
    after = triggers()
    changed = "guard_vote_update_0"  # lets a vote be undone
    assert before.pop(changed) != after[changed]
    assert len(before) > 20 and before.items() <= after.items()
    assert {name for name in after.keys() - before.keys() if name.startswith("guard_seal_")} == {
        "guard_seal_update_1",
        "guard_seal_delete_2",
        "guard_seal_insert_3",
    }


def test_the_database_guards_the_seals(rehearsal: Rehearsal) -> None:
    _, token, _ = rehearsal.begun(ballots_per_rater=2, problems=2, pairs=2)
    rehearsal.rate(token, 2)
    with contextlib.closing(sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"))) as here:
        for statement in (
            "UPDATE seal SET salt = ''",
            "UPDATE seal SET salt = '', vote_id = NULL",
            "UPDATE seal SET commitment = 'x'",
            "DELETE FROM seal",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                here.execute(statement)
