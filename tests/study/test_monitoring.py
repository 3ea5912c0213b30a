"""Watching an open study without its results, and looking at them early: what it takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from db.commands import main
from study.errors import NotFoundError, StudyError
from study.material import PairKind, Study
from study.monitoring import Monitor
from study.report import read_export
from study.store import Store, Tx, VoteRow
from study.unblinding import ACTION
from tests.rehearsal import Rehearsal


class Sealed:
    """A vote on a pair that nobody may ask which way it went."""

    def __init__(self, vote: VoteRow) -> None:
        self._vote = vote

    def __getattr__(self, name: str) -> Any:
        if name in ("choice", "chosen", "lower_left", "reason"):
            raise AssertionError(f"`{name}` of a vote was asked for while the study was open")
        return getattr(self._vote, name)


class SealedVotes:
    """All votes, those on pairs sealed."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx

    def every(self, study_id: int) -> tuple[Any, ...]:
        return self._sealed(self._tx.votes.every(study_id))

    def undone(self, study_id: int) -> tuple[Any, ...]:
        return self._sealed(self._tx.votes.undone(study_id))

    def _sealed(self, votes: tuple[VoteRow, ...]) -> tuple[Any, ...]:
        return tuple(Sealed(v) if v.kind == PairKind.MAIN else v for v in votes)


class SealedStore:
    """A store whose votes on pairs keep their direction to themselves."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def reading(self) -> Iterator[Any]:
        with self._store.reading() as tx:

            class Reading:
                votes = SealedVotes(tx)

                def __getattr__(self, name: str) -> Any:
                    return getattr(tx, name)

            yield Reading()


def rated(rehearsal: Rehearsal, **changes: object) -> Study:
    """Three raters: one has finished, one is hasty and fails his checks, one has stopped."""
    study = rehearsal.opened(ballots_per_rater=4, attention_checks=2, **changes)
    rehearsal.rate(rehearsal.rater(study), 6, seconds=30)
    rehearsal.rate(rehearsal.rater(study), 6, seconds=5)
    rehearsal.rate(rehearsal.rater(study), 1, seconds=20)
    return study


@pytest.fixture
def study(rehearsal: Rehearsal) -> Study:
    return rated(rehearsal)


def names(rehearsal: Rehearsal, study: Study) -> list[str]:
    return [line.action for line in rehearsal.organiser.audit(study.id)]


# --- watching ---


def test_the_live_list_never_asks_which_way_a_vote_went(rehearsal: Rehearsal, study: Study) -> None:
    sealed = Monitor(SealedStore(rehearsal.store), rehearsal.clock)  # type: ignore[arg-type]
    assert sealed.live(study.id) == rehearsal.organiser.monitor.live(study.id)


def test_the_seal_breaks_where_results_are_read(rehearsal: Rehearsal, study: Study) -> None:
    rehearsal.organiser.close(study.id)
    sealed = Monitor(SealedStore(rehearsal.store), rehearsal.clock)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="asked for"):
        sealed.export(study.id)


def test_the_live_list_counts_progress_haste_drop_outs_and_failed_checks(
    rehearsal: Rehearsal,
    study: Study,
) -> None:
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.consented, live.finished, live.active, live.dropped_out) == (3, 2, 1, 0)
    assert live.votes == 4 + 4 + 1 and sum(p.votes for p in live.pairs) == 9
    # 30 s four times, 5 s four times, 20 s once.
    assert live.median_seconds == 20 and live.middle_half == (5, 30)
    assert live.too_fast == 1  # 6 ballots of 5 s are under 60 s
    assert live.attention_passed + live.attention_failed == 4
    assert sum(n * raters for n, raters in live.failed_checks) == live.attention_failed
    assert live.last_vote_at == rehearsal.clock.now()
    assert live.stopped_after == ()
    rehearsal.clock.advance(25 * 3600)
    assert rehearsal.organiser.monitor.live(study.id).stopped_after == ((1, 1),)


def test_with_a_rule_on_single_votes_the_fast_votes_are_counted(rehearsal: Rehearsal) -> None:
    study = rated(rehearsal, exclusion_unit="vote", exclusion_seconds=20)
    assert rehearsal.organiser.monitor.live(study.id).too_fast == 4


def test_a_study_without_votes_has_a_live_list(rehearsal: Rehearsal) -> None:
    live = rehearsal.organiser.monitor.live(rehearsal.opened().id)
    assert (live.median_seconds, live.middle_half, live.last_vote_at) == (None, None, None)
    assert (live.votes, live.too_fast, live.failed_checks) == (0, 0, ())


# --- looking early ---


def test_without_a_confirmed_look_an_open_study_gives_no_votes(
    rehearsal: Rehearsal, study: Study
) -> None:
    with pytest.raises(StudyError, match="still open"):
        rehearsal.organiser.monitor.export(study.id)


@pytest.mark.parametrize("typed", ["", "yes", "REHEARSAL", "rehearsal2"])
def test_a_look_needs_the_studys_name(rehearsal: Rehearsal, study: Study, typed: str) -> None:
    with pytest.raises(StudyError, match="not the study's name"):
        rehearsal.organiser.early.look(study.id, confirmed=typed, after=0)
    assert rehearsal.organiser.early.of(study.id) == ()
    assert ACTION not in names(rehearsal, study)


def test_a_look_is_logged_with_time_and_votes_and_stays_on_the_report(
    rehearsal: Rehearsal,
    study: Study,
) -> None:
    at = rehearsal.clock.now()
    look = rehearsal.organiser.early.look(study.id, confirmed=" rehearsal ", after=0)
    assert (look.at, look.votes, look.actor) == (at, 9, "organiser")
    export = rehearsal.organiser.monitor.export(study.id)
    assert [dataclasses.astuple(u) for u in export.unblindings] == [(at, 9)]
    assert export.exported_at == at and export.closed_at is None
    rehearsal.clock.advance(60)
    rehearsal.organiser.close(study.id)
    assert rehearsal.organiser.monitor.export(study.id).unblindings == export.unblindings


def test_a_look_opens_the_votes_cast_until_then_and_no_later_one(
    rehearsal: Rehearsal, study: Study
) -> None:
    rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)
    before = rehearsal.organiser.monitor.export(study.id)
    rehearsal.rate(rehearsal.rater(study), 2)
    assert rehearsal.organiser.monitor.export(study.id).votes == before.votes
    rehearsal.organiser.early.look(study.id, confirmed=study.name, after=1)
    after = rehearsal.organiser.monitor.export(study.id)
    assert len(after.votes) == len(before.votes) + 2
    assert [u.votes_then for u in after.unblindings][0] == 9


def test_two_organisers_who_confirm_at_once_are_one_look(
    rehearsal: Rehearsal, study: Study
) -> None:
    first = rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)
    rehearsal.rate(rehearsal.rater(study), 2)
    second = rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)
    assert second == first and names(rehearsal, study).count(ACTION) == 1


def test_looking_again_at_the_same_votes_is_no_further_look(
    rehearsal: Rehearsal, study: Study
) -> None:
    first = rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)
    rehearsal.clock.advance(60)
    assert rehearsal.organiser.early.look(study.id, confirmed=study.name, after=1) == first
    assert len(rehearsal.organiser.early.of(study.id)) == 1


def test_drafts_and_closed_studies_have_no_early_look(rehearsal: Rehearsal) -> None:
    draft = rehearsal.draft()
    with pytest.raises(StudyError, match="draft"):
        rehearsal.organiser.early.look(draft.id, confirmed=draft.name, after=0)
    rehearsal.organiser.freeze(draft.id)
    rehearsal.organiser.close(draft.id)
    with pytest.raises(StudyError, match="closed"):
        rehearsal.organiser.early.look(draft.id, confirmed=draft.name, after=0)
    with pytest.raises(NotFoundError):
        rehearsal.organiser.early.look(99, confirmed="x", after=0)
    assert ACTION not in names(rehearsal, draft)


def test_the_command_line_logs_its_look_too(
    rehearsal: Rehearsal, study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = ["--database", rehearsal.url, "export", study.name, "--out"]
    assert main([*export, str(tmp_path / "closed")]) == 2
    assert "still open" in capsys.readouterr().err and names(rehearsal, study)[0] != ACTION
    assert main([*export, str(tmp_path / "out"), "--even-if-open"]) == 0
    (look,) = rehearsal.organiser.early.of(study.id)
    assert (look.actor, look.votes) == ("command line", 9)
    assert [u.votes_then for u in read_export(tmp_path / "out").unblindings] == [9]


@pytest.mark.parametrize("ballots", [1, 2, 3])
def test_every_attention_check_of_the_design_is_shown_however_few_the_ballots(
    rehearsal: Rehearsal, ballots: int
) -> None:
    study = rehearsal.opened(ballots_per_rater=ballots, attention_checks=3)
    rehearsal.rate(rehearsal.rater(study), ballots + 3)
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.votes, live.attention_passed + live.attention_failed) == (ballots, 3)
    assert live.finished == 1


def test_looks_confirmed_in_the_same_instant_are_one_line_in_the_log(
    rehearsal: Rehearsal, study: Study
) -> None:

    def look(_: int) -> object:
        return rehearsal.organiser.early.look(study.id, confirmed=study.name, after=0)

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(look, range(12)))) == 1
    assert names(rehearsal, study).count(ACTION) == 1
