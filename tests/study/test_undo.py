"""A vote is undone within five seconds, and the rater's last answer counts."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.balance import ReadMark, StoredBallot
from study.material import Study
from study.rating_types import UNDO_SECONDS, Ballot, Stage, Undoable, VoteStatus
from study.report.exported import edits_of
from study.store import AssignmentRow, Choice, VoteRow
from tests.effort import cases
from tests.rehearsal import Rehearsal, token_of


def after_an_undo(lab: Rehearsal) -> tuple[str, Ballot, Ballot]:
    """A rater who has undone the first answer, that ballot and the next one."""
    _, token, first = lab.begun()
    lab.rating.vote(token, first.token, "left")
    second = lab.ballot(token)
    lab.rating.undo(token, first.token)
    return token, first, second


def undone(lab: Rehearsal) -> tuple[VoteRow, ...]:
    with lab.store.reading() as tx:
        return tx.votes.undone(1)


def rows(lab: Rehearsal) -> tuple[AssignmentRow, ...]:
    with lab.store.reading() as tx:
        return tx.assignments.of_rater(1)


def test_the_ballot_is_back_with_its_times_and_the_last_answer_counts(
    rehearsal: Rehearsal,
) -> None:
    study, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(20)
    outcome = rehearsal.rating.vote(token, ballot.token, "left", and_next=True)
    assert outcome.visit.undoable == Undoable(ballot.token, "A", UNDO_SECONDS)
    assert outcome.following is not None and outcome.following.ballot is not None
    ahead = outcome.following.ballot
    rehearsal.clock.advance(4)
    assert rehearsal.rating.open(token).undoable == Undoable(ballot.token, "A", 1.0)
    assert rehearsal.rating.next_ballot(token).visit.undoable is not None
    again = rehearsal.rating.undo(token, ballot.token)
    assert again.status == VoteStatus.UNDONE and again.visit.undoable is None
    assert again.following is not None and again.following.ballot == ballot
    assert str(again.visit.progress) == "saved 0 of 10"
    assert rehearsal.ballot(token) == ballot
    rehearsal.clock.advance(7)
    second = rehearsal.rating.vote(token, ballot.token, "right", "on second thought")
    assert second.status == VoteStatus.SAVED and str(second.visit.progress) == "saved 1 of 10"
    assert rehearsal.ballot(token) == ahead
    [vote], [gone] = rehearsal.votes(), undone(rehearsal)
    assert (gone.choice, vote.choice, vote.reason) == ("left", "right", "on second thought")
    assert gone.assignment_id == vote.assignment_id and gone.shown_at == vote.shown_at
    assert gone.undone_at is not None and (gone.undone_at - gone.voted_at).total_seconds() == 4
    # What lay between vote and undoing was spent elsewhere.
    assert (vote.seconds, vote.idle_seconds) == (31, 4)
    assert vote.page == gone.page == 3
    rehearsal.clock.advance(10)
    rehearsal.rating.vote(token, ahead.token, "left")
    last = rehearsal.votes()[-1]
    # Seven of the 21 seconds since it was first shown the rater was back on the other one.
    assert (last.seconds, last.idle_seconds) == (21, 7)
    assert [row.position for row in rows(rehearsal)] == [1, 2]


def test_it_may_be_said_twice_and_only_of_the_last_vote(rehearsal: Rehearsal) -> None:
    study, token, first = rehearsal.begun()
    rehearsal.rating.vote(token, first.token, "left")
    second = rehearsal.ballot(token)
    assert rehearsal.rating.undo(token, second.token).status == VoteStatus.STALE
    rehearsal.rating.vote(token, second.token, "left")
    assert rehearsal.rating.undo(token, first.token).status == VoteStatus.STALE
    assert rehearsal.rating.undo(token, "nonsense").status == VoteStatus.STALE
    assert rehearsal.rating.undo("nonsense", second.token).status == VoteStatus.STALE
    for _ in range(3):
        assert rehearsal.rating.undo(token, second.token).status == VoteStatus.UNDONE
    rehearsal.clock.advance(600)
    late = rehearsal.rating.undo(token, second.token)
    assert late.status == VoteStatus.UNDONE and late.following is not None
    assert late.following.ballot == second
    assert len(undone(rehearsal)) == 1 and len(rehearsal.votes()) == 1


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(5.0, "undone"), (5.001, "too late"), (-3600.0, "too late")],  # the last: a clock set back
)
def test_five_seconds_by_the_servers_clock(
    rehearsal: Rehearsal, seconds: float, status: str
) -> None:
    _, token, ballot = rehearsal.begun()
    rehearsal.rating.vote(token, ballot.token, "right")
    rehearsal.clock.advance(seconds)
    assert (rehearsal.rating.open(token).undoable is None) == (status == "too late")
    assert rehearsal.rating.undo(token, ballot.token).status == status


def test_after_the_last_ballot_the_rater_is_back_in_the_study(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=2, allow_tie=True)
    token = rehearsal.rater(study)
    rehearsal.rate(token)
    last = rehearsal.ballot(token)
    done = rehearsal.rating.vote(token, last.token, "tie", and_next=True)
    assert done.visit.stage == Stage.FINISHED and done.visit.undoable is not None
    assert done.visit.undoable.letter == ""
    outcome = rehearsal.rating.undo(token, last.token)
    assert outcome.status == VoteStatus.UNDONE and outcome.visit.stage == Stage.RATING
    assert outcome.following is not None and outcome.following.ballot == last
    assert rehearsal.organiser.monitor.live(study.id).finished == 0
    rehearsal.rating.vote(token, last.token, "left")
    assert rehearsal.rating.open(token).stage == Stage.FINISHED


def test_the_practice_ballot_too(rehearsal: Rehearsal) -> None:
    _, token, practice = rehearsal.begun(practice=True)
    rehearsal.rating.vote(token, practice.token, "left")
    first = rehearsal.ballot(token)
    outcome = rehearsal.rating.undo(token, practice.token)
    assert outcome.visit.stage == Stage.PRACTICE and rehearsal.ballot(token) == practice
    assert rehearsal.rating.vote(token, practice.token, "right").practised
    assert rehearsal.ballot(token) == first


def test_a_ballot_given_out_meanwhile_may_be_answered_in_its_own_tab(
    rehearsal: Rehearsal,
) -> None:
    token, first, second = after_an_undo(rehearsal)
    assert rehearsal.rating.vote(token, second.token, "left").status == VoteStatus.SAVED
    assert rehearsal.ballot(token) == first
    rehearsal.rating.vote(token, first.token, "right")
    assert [vote.position for vote in rehearsal.votes()] == [2, 1]
    assert rehearsal.ballot(token).number == 3


def test_a_pause_on_the_undone_ballot_counts_for_both(rehearsal: Rehearsal) -> None:
    token, first, second = after_an_undo(rehearsal)
    rehearsal.clock.advance(10)
    rehearsal.rating.pause(token)
    rehearsal.clock.advance(1000)
    rehearsal.rating.resume(token)
    rehearsal.clock.advance(5)
    rehearsal.rating.vote(token, first.token, "left")
    rehearsal.clock.advance(3)
    rehearsal.rating.vote(token, second.token, "left")
    one, two = rehearsal.votes()
    assert (one.seconds, one.idle_seconds) == (1015, 1000)
    assert (two.seconds, two.idle_seconds) == (1018, 1015)


def test_an_undo_during_a_pause_ends_it(rehearsal: Rehearsal) -> None:
    _, token, first = rehearsal.begun()
    rehearsal.rating.vote(token, first.token, "left")
    rehearsal.rating.pause(token)
    assert rehearsal.rating.undo(token, first.token).status == VoteStatus.UNDONE
    assert rehearsal.ballot(token) == first


def test_where_no_other_answer_is_taken_the_vote_stands(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    link = rehearsal.organiser.invitations.invite(study.id, [""])[0]
    revoked, other = token_of(link), rehearsal.rater(study)
    rehearsal.rating.consent(revoked, degree="a", field="b")
    ballots = {token: rehearsal.ballot(token) for token in (revoked, other)}
    for token, ballot in ballots.items():
        rehearsal.rating.vote(token, ballot.token, "left")
    rehearsal.organiser.invitations.revoke(study.id, link.id)
    assert rehearsal.rating.undo(revoked, ballots[revoked].token).status == VoteStatus.CLOSED
    rehearsal.organiser.close(study.id)
    outcome = rehearsal.rating.undo(other, ballots[other].token)
    assert outcome.status == VoteStatus.CLOSED and outcome.visit.undoable is None
    assert len(rehearsal.votes()) == 2


def test_one_ballot_is_undone_ten_times_at_most(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    statuses = []
    for _ in range(12):
        rehearsal.rating.vote(token, ballot.token, "left")
        statuses.append(rehearsal.rating.undo(token, ballot.token).status)
    assert statuses == ["undone"] * 10 + ["too late"] * 2
    assert len(rehearsal.votes()) == 1


def test_a_pair_whose_vote_was_undone_is_reserved_and_not_counted(rehearsal: Rehearsal) -> None:
    token, ballot, _ = after_an_undo(rehearsal)
    assert rehearsal.organiser.monitor.live(1).votes == 0

    def first_given() -> StoredBallot:
        with rehearsal.store.reading() as tx:
            [(_, given)] = tx.assignments.changes(1, ReadMark()).raters.values()
        return given[0]

    assert not first_given().voted and first_given().reserved_until > rehearsal.clock.now()
    rehearsal.rating.vote(token, ballot.token, "left")
    assert first_given().voted


def test_withdrawing_deletes_undone_votes_and_empties_their_seals(rehearsal: Rehearsal) -> None:
    token, ballot, _ = after_an_undo(rehearsal)
    rehearsal.rating.vote(token, ballot.token, "right")
    rehearsal.rating.withdraw(token)
    assert rehearsal.votes() == undone(rehearsal) == ()
    with rehearsal.store.reading() as tx:
        seals = tx.seals.every(1)
    assert [(seal.vote, seal.salt, seal.undo) for seal in seals] == [
        ("", "", False),
        ("", "", True),
        ("", "", False),
    ]


TABS = st.sampled_from(["here", "there"])
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["next", "vote", "vote and next", "undo", "pause", "resume", "beat"]),
        TABS,
        st.floats(0.0, 8.0),
    ),
    max_size=40,
)


@settings(max_examples=cases(5, 25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTS)
def test_whatever_two_tabs_do_what_was_acknowledged_is_stored(
    acts: list[tuple[str, str, float]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lab = Rehearsal.at(Path(folder))
        study = lab.opened(practice=True, attention_checks=1, ballots_per_rater=4)
        token = lab.rater(study)
        shown: dict[str, Ballot | None] = {"here": None, "there": None}
        standing: dict[str, str] = {}  # what the server has acknowledged, by ballot
        undoings = 0
        for act, tab, seconds in acts:
            lab.clock.advance(seconds)
            ballot = shown[tab]
            if act == "next" or ballot is None:
                shown[tab] = lab.rating.next_ballot(token).ballot
            elif act in ("vote", "vote and next"):
                choice: Choice = "left" if tab == "here" else "right"
                outcome = lab.rating.vote(token, ballot.token, choice, and_next=act != "vote")
                if outcome.status == VoteStatus.SAVED:
                    assert ballot.token not in standing
                    standing[ballot.token] = choice
                    assert outcome.visit.undoable is not None
                    assert outcome.visit.undoable.ballot_token == ballot.token
                if outcome.following is not None:
                    shown[tab] = outcome.following.ballot
            elif act == "undo":
                undoable = lab.rating.open(token).undoable
                wanted = undoable.ballot_token if undoable else ballot.token
                outcome = lab.rating.undo(token, wanted)
                if undoable:
                    assert outcome.status == VoteStatus.UNDONE
                    del standing[wanted]
                    undoings += 1
                else:
                    assert outcome.status != VoteStatus.UNDONE or wanted not in standing
                if outcome.following is not None:
                    shown[tab] = outcome.following.ballot
            elif act == "pause":
                lab.rating.pause(token)
            elif act == "resume":
                lab.rating.resume(token)
            else:
                lab.rating.heartbeat(token, ballot.token)
            _check(lab, study, standing, undoings)
        lab.organiser.close(study.id)
        export = lab.organiser.monitor.export(study.id)
        assert edits_of(export) == ()
        assert len(export.votes) == len(standing) and len(export.undone) == undoings
        lab.store.dispose()


def _check(lab: Rehearsal, study: Study, standing: dict[str, str], undoings: int) -> None:
    given_out = rows(lab)
    assert {row.token: row.vote.choice for row in given_out if row.vote} == standing
    first = 0 if given_out and given_out[0].position == 0 else 1
    assert [row.position for row in given_out] == [*range(first, first + len(given_out))]
    cast, gone = lab.votes(), undone(lab)
    assert len(cast) == len(standing) and len(gone) == undoings
    for vote in (*cast, *gone):
        assert 0 <= vote.idle_seconds <= vote.seconds + 1e-6
    for vote in gone:
        assert vote.undone_at is not None
        assert 0 <= (vote.undone_at - vote.voted_at).total_seconds() <= UNDO_SECONDS
