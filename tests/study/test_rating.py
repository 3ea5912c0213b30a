"""A rater's session, from link to thank-you, and everything that goes wrong on the way."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sqlite3
from collections import Counter
from datetime import timedelta

import pytest

from study.clock import SystemChance
from study.design import DEFAULT_MEANING
from study.errors import DesignError, StudyError
from study.rating import RatingService
from study.rating_types import BrowserReport, Stage, VoteStatus
from study.store import Choice
from tests.rehearsal import DESIGN, Rehearsal, token_of


def test_a_whole_session_from_link_to_debrief(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(practice=True, attention_checks=1)
    token = token_of(rehearsal.organiser.invitations.invite(study.id, ["Ann"])[0])
    visit = rehearsal.rating.open(token)
    assert (visit.stage, visit.ballots, visit.practice) == (Stage.CONSENT, 11, True)
    assert visit.expected_minutes == 15 and visit.contact == DESIGN.contact and visit.consent_text
    consent = rehearsal.rating.consent(token, degree="Doctorate", field="Physics")
    assert consent.token == token and consent.link.endswith(f"/rate?t={token}")
    assert consent.visit.stage == Stage.PRACTICE
    practice = rehearsal.ballot(token)
    assert practice.practice and practice.number == 0
    outcome = rehearsal.rating.vote(token, practice.token, "left")
    assert outcome.practised and str(outcome.visit.progress) == "saved 0 of 11"
    numbers = []
    while (step := rehearsal.rating.next_ballot(token)).ballot is not None:
        numbers.append(step.ballot.number)
        rehearsal.clock.advance(20)
        assert rehearsal.rating.vote(token, step.ballot.token, "right").practised is False
    assert numbers == list(range(1, 12))
    assert step.visit.stage == Stage.FINISHED and step.visit.debrief
    assert str(step.visit.progress) == "saved 11 of 11"
    kinds = Counter(vote.kind for vote in rehearsal.votes())
    assert kinds == {"main": 10, "practice": 1, "attention": 1}


def test_opening_a_link_burns_nothing(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    token = token_of(rehearsal.organiser.invitations.invite(study.id, [""])[0])
    for _ in range(5):
        assert rehearsal.rating.open(token).stage == Stage.CONSENT
        assert rehearsal.rating.next_ballot(token).ballot is None
    assert rehearsal.organiser.monitor.live(study.id).consented == 0


def test_an_unknown_link_says_so_and_nothing_else(rehearsal: Rehearsal) -> None:
    rehearsal.opened()
    visit = rehearsal.rating.open("nonsense")
    assert visit.stage == Stage.UNKNOWN and visit.title == ""
    assert rehearsal.rating.vote("nonsense", "x", "left").status == VoteStatus.STALE
    assert rehearsal.rating.withdraw("nonsense").stage == Stage.UNKNOWN
    with pytest.raises(StudyError, match="takes no consent"):
        rehearsal.rating.consent("nonsense", degree="a", field="b")


@pytest.mark.parametrize(
    ("degree", "field", "wrong"),
    [
        ("", "Physics", "degree"),
        ("Doctorate", "  ", "field"),
        ("Doctorate", "x" * 81, "field"),
    ],
)
def test_consent_needs_degree_and_field(
    rehearsal: Rehearsal, degree: str, field: str, wrong: str
) -> None:
    token = token_of(rehearsal.organiser.invitations.invite(rehearsal.opened().id, [""])[0])
    with pytest.raises(DesignError) as error:
        rehearsal.rating.consent(token, degree=degree, field=field)
    assert error.value.field == wrong
    assert rehearsal.rating.open(token).stage == Stage.CONSENT


def test_an_open_link_makes_a_rater_of_their_own_for_each_consent_and_withdrawing_refills_none(
    rehearsal: Rehearsal,
) -> None:
    link = token_of(rehearsal.organiser.invitations.open_link(rehearsal.opened().id, quota=2))
    assert rehearsal.rating.open(link).reusable
    tokens = {
        rehearsal.rating.consent(link, degree="a", field="b", request_id=r).token
        for r in ("one", "one", "two")
    }
    assert len(tokens) == 2 and link not in tokens
    assert rehearsal.rating.open(link).stage == Stage.FULL
    assert {rehearsal.rating.open(token).stage for token in tokens} == {Stage.RATING}
    gone = tokens.pop()
    rehearsal.rating.withdraw(gone)
    assert rehearsal.rating.open(link).stage == Stage.FULL
    assert rehearsal.rating.open(gone).stage == Stage.UNKNOWN


def test_a_second_vote_on_the_same_ballot_is_refused_with_the_state(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    assert rehearsal.rating.vote(token, ballot.token, "left").status == VoteStatus.SAVED
    for choice in ("left", "right"):
        again = rehearsal.rating.vote(token, ballot.token, choice)  # type: ignore[arg-type]
        assert again.status == VoteStatus.ALREADY_SAVED
        assert str(again.visit.progress) == "saved 1 of 10"
    (vote,) = rehearsal.votes()
    assert vote.choice == "left"


def test_a_ballot_of_somebody_else_is_stale(rehearsal: Rehearsal) -> None:
    study, _, ballot = rehearsal.begun()
    mine = rehearsal.rater(study)
    assert rehearsal.rating.vote(mine, ballot.token, "left").status == VoteStatus.STALE
    assert rehearsal.votes() == ()


def test_a_held_key_does_not_vote_on_the_next_ballot(rehearsal: Rehearsal) -> None:
    service = RatingService(rehearsal.store, rehearsal.clock, SystemChance(), min_view_seconds=1.0)
    _, token, ballot = rehearsal.begun()
    for _ in range(40):  # a key repeats every 230 ms
        assert service.next_ballot(token).ballot == ballot
        rehearsal.clock.advance(0.23)
        assert service.vote(token, ballot.token, "left").status == VoteStatus.TOO_SOON
    rehearsal.clock.advance(1.0)
    assert service.vote(token, ballot.token, "left").status == VoteStatus.SAVED
    assert len(rehearsal.votes()) == 1


def test_the_second_before_a_vote_counts_from_what_the_rater_saw(rehearsal: Rehearsal) -> None:
    service = RatingService(rehearsal.store, rehearsal.clock, SystemChance(), min_view_seconds=1.0)
    _, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(2.5)  # a slow server: the rater has seen the ballot for a blink
    at_once = BrowserReport.read("ms=120;w=1440;seen=1;by=keys")
    assert service.vote(token, ballot.token, "left", "", at_once).status == VoteStatus.TOO_SOON
    rehearsal.clock.advance(1.1)
    meant = BrowserReport.read("ms=1200;w=1440;seen=1;by=keys")
    assert service.vote(token, ballot.token, "left", "", meant).status == VoteStatus.SAVED
    (vote,) = rehearsal.votes()
    assert (vote.rater_seconds, vote.viewport, vote.in_view) == (1.2, "wide", True)
    assert vote.seconds == pytest.approx(3.6)


@pytest.mark.parametrize(
    ("told", "seconds", "viewport"),
    [
        ("ms=21200;w=390;seen=?;by=pointer", None, "narrow"),  # before the ballot was there
        ("ms=20900;w=768;seen=1;by=pointer", 20.9, "medium"),
        ("ms=nan;w=390;seen=1;by=pointer", None, ""),
        ("ms=99999999999;w=1;seen=1;by=keys", None, ""),
        ("ms=1;w=390;seen=1;by=keys;" + "x" * 100_000, None, ""),
        ("ms=１２;w=390;seen=1;by=keys", None, ""),
    ],
)
def test_a_browser_cannot_tell_times_that_cannot_be(
    rehearsal: Rehearsal, told: str, seconds: float | None, viewport: str
) -> None:
    _, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(20)
    report = BrowserReport.read(told)
    assert rehearsal.rating.vote(token, ballot.token, "left", "", report).status == "saved"
    (vote,) = rehearsal.votes()
    assert (vote.rater_seconds, vote.viewport) == (seconds, viewport)


@pytest.mark.parametrize(
    ("told", "status", "in_view", "plot", "page"),
    [
        ("seen=0;by=pointer", "unseen", None, None, 2),
        ("seen=?;by=pointer", "saved", None, None, 2),
        ("seen=0;by=keys", "saved", False, None, 2),
        ("seen=1;plot=0;page=3;by=pointer", "unseen", None, None, 3),
        ("seen=0;plot=1;page=3;by=pointer", "unseen", None, None, 3),
        ("seen=1;plot=?;page=3;by=pointer", "saved", True, None, 3),
        ("seen=1;plot=0;page=3;by=keys", "saved", True, False, 3),
        ("seen=1;plot=1;page=3;by=pointer", "saved", True, True, 3),
        # a script that was loaded before the server was updated, and one that does not fit
        ("seen=1;plot=1;by=pointer", "saved", True, True, 2),
        ("seen=1;by=pointer", "saved", True, None, 2),
        ("seen=1;plot=1;page=4;by=pointer", "saved", None, None, 3),
    ],
)
def test_a_pointer_counts_once_formulas_and_plot_were_in_view_keys_always_and_pages_are_told(
    rehearsal: Rehearsal,
    told: str,
    status: str,
    in_view: bool | None,
    plot: bool | None,
    page: int,
) -> None:
    _, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(9)
    report = BrowserReport.read(f"ms=9000;w=390;{told}")
    assert rehearsal.rating.vote(token, ballot.token, "left", "", report).status == status
    seen = [(vote.in_view, vote.plot_in_view, vote.page) for vote in rehearsal.votes()]
    assert seen == [(in_view, plot, page)] * (status == "saved")


def test_what_the_question_means_is_told_before_and_on_ballots(rehearsal: Rehearsal) -> None:
    study, token, ballot = rehearsal.begun(question_meaning="Which would you rather explain?")
    visit = rehearsal.rating.open(token)
    assert ballot.meaning == visit.meaning == "Which would you rather explain?"
    text = " ".join(rehearsal.organiser.preregistration(study.id).split())
    assert "told what that means: “Which would you rather explain?”" in text


def test_a_draft_of_the_version_before_is_frozen_with_the_meaning_that_it_shows(
    rehearsal: Rehearsal,
) -> None:
    draft = rehearsal.draft()
    path = rehearsal.url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(path)) as here:
        here.execute("UPDATE study SET design = json_remove(design, '$.question_meaning')")
        here.commit()
    assert rehearsal.organiser.study(draft.id).design.question_meaning == DEFAULT_MEANING
    assert rehearsal.organiser.verify(rehearsal.organiser.freeze(draft.id).id)
    assert rehearsal.organiser.study(draft.id).design.question_meaning == DEFAULT_MEANING


def test_a_refresh_restart_or_other_device_shows_the_same_ballot_and_keeps_its_time(
    rehearsal: Rehearsal,
) -> None:
    _, token, first = rehearsal.begun()
    rehearsal.clock.advance(30)
    restarted = RatingService(rehearsal.store, rehearsal.clock, SystemChance(), min_view_seconds=0)
    assert restarted.next_ballot(token).ballot == first
    rehearsal.clock.advance(12)
    restarted.vote(token, first.token, "left")
    (vote,) = rehearsal.votes()
    assert vote.seconds == 42 and vote.idle_seconds == 0
    visit = rehearsal.rating.open(token)
    assert visit.stage == Stage.RATING and str(visit.progress) == "saved 1 of 10"


def test_silence_between_heartbeats_is_kept_apart_as_idle(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    for _ in range(3):
        rehearsal.clock.advance(15)
        rehearsal.rating.heartbeat(token, ballot.token)
    rehearsal.clock.advance(600)  # the laptop was closed
    rehearsal.rating.heartbeat(token, ballot.token)
    rehearsal.clock.advance(20)
    rehearsal.rating.heartbeat(token, ballot.token, active=False)  # another tab
    rehearsal.clock.advance(5)
    rehearsal.rating.vote(token, ballot.token, "left")
    (vote,) = rehearsal.votes()
    assert (vote.seconds, vote.idle_seconds) == (670, 620)


def test_a_pause_is_idle_time(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(10)
    assert rehearsal.rating.pause(token).stage == Stage.PAUSED
    assert rehearsal.rating.next_ballot(token).ballot is None
    rehearsal.clock.advance(7200)
    rehearsal.rating.heartbeat(token, ballot.token)  # a forgotten tab
    assert rehearsal.rating.resume(token).stage == Stage.RATING
    assert rehearsal.rating.next_ballot(token).ballot == ballot
    rehearsal.clock.advance(8)
    rehearsal.rating.vote(token, ballot.token, "right")
    (vote,) = rehearsal.votes()
    assert (vote.seconds, vote.idle_seconds) == (7218, 7200)


def test_a_vote_from_a_tab_that_missed_the_pause_is_saved(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    rehearsal.rating.pause(token)
    rehearsal.clock.advance(100)
    outcome = rehearsal.rating.vote(token, ballot.token, "left")
    assert outcome.status == VoteStatus.SAVED and outcome.visit.stage == Stage.RATING
    assert rehearsal.votes()[0].idle_seconds == 100


def test_withdrawing_deletes_everything_and_leaves_a_line_without_content(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened()
    stays, goes = rehearsal.rater(study), rehearsal.rater(study)
    rehearsal.rate(stays, 2)
    rehearsal.rate(goes, 3)
    assert rehearsal.rating.withdraw(goes).stage == Stage.WITHDRAWN
    assert rehearsal.rating.open(goes).stage == Stage.WITHDRAWN
    assert rehearsal.rating.next_ballot(goes).ballot is None
    with pytest.raises(StudyError):
        rehearsal.rating.consent(goes, degree="a", field="b")
    assert len(rehearsal.votes()) == 2
    line = rehearsal.organiser.audit(study.id)[0]
    assert (line.actor, line.action, line.detail) == ("rater", "withdrew", "")
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.consented, live.withdrawn, live.votes) == (2, 1, 2)


def test_after_the_deadline_nothing_is_taken(rehearsal: Rehearsal) -> None:
    deadline = rehearsal.clock.now() + timedelta(hours=1)
    study = rehearsal.opened(deadline=deadline)
    early = rehearsal.rater(study)
    late = token_of(rehearsal.organiser.invitations.invite(study.id, [""])[0])
    ballot = rehearsal.ballot(early)
    rehearsal.clock.advance(3600)
    assert rehearsal.rating.vote(early, ballot.token, "left").status == VoteStatus.CLOSED
    assert rehearsal.rating.open(late).stage == Stage.CLOSED
    assert rehearsal.votes() == ()


def test_a_closed_study_thanks_those_who_finished_and_turns_others_away(
    rehearsal: Rehearsal,
) -> None:
    study, done, _ = rehearsal.begun(ballots_per_rater=2)
    half = rehearsal.rater(study)
    rehearsal.rate(done, 2)
    rehearsal.rate(half, 1)
    rehearsal.organiser.close(study.id)
    assert rehearsal.rating.open(done).stage == Stage.FINISHED
    assert rehearsal.rating.open(half).stage == Stage.CLOSED


def test_a_revoked_link_takes_no_further_vote(rehearsal: Rehearsal) -> None:
    study, token, ballot = rehearsal.begun()
    (made,) = rehearsal.organiser.invitations.every(study.id)
    rehearsal.organiser.invitations.revoke(study.id, made.id)
    assert rehearsal.rating.open(token).stage == Stage.REVOKED
    assert rehearsal.rating.vote(token, ballot.token, "left").status == VoteStatus.CLOSED


def test_a_tie_is_refused_unless_it_is_offered(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    assert not ballot.allow_tie
    for choice in ("tie", "lower", ""):
        with pytest.raises(StudyError):
            rehearsal.rating.vote(token, ballot.token, choice)  # type: ignore[arg-type]


def test_a_reason_is_one_line_of_at_most_two_hundred_characters(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun(allow_tie=True)
    assert ballot.allow_tie
    rehearsal.rating.vote(token, ballot.token, "tie", reason="two\nlines " + "x" * 300)
    (vote,) = rehearsal.votes()
    assert vote.reason.startswith("two lines xxx") and len(vote.reason) == 200
    assert vote.chosen == "tie"


def test_an_abandoned_ballot_goes_to_others_and_its_rater_may_still_vote(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened(ballots_per_rater=1, problems=2, pairs=1)
    slow = rehearsal.rater(study)
    ballot = rehearsal.ballot(slow)
    second = rehearsal.ballot(rehearsal.rater(study))
    assert second.title != ballot.title  # reserved, so not given again
    rehearsal.clock.advance(31 * 60)
    rehearsal.rate(rehearsal.rater(study), 1)
    rehearsal.rate(rehearsal.rater(study), 1)
    pairs = rehearsal.organiser.monitor.live(study.id).pairs
    assert [pair.votes for pair in pairs] == [1, 1]
    assert rehearsal.rating.vote(slow, ballot.token, "left").status == VoteStatus.SAVED


def test_showing_a_ballot_again_writes_nothing(rehearsal: Rehearsal) -> None:
    _, token, ballot = rehearsal.begun()
    with rehearsal.store.writing():  # whoever needs to write now would wait for half a minute
        assert rehearsal.ballot(token) == ballot
        assert rehearsal.rating.open(token).stage == Stage.RATING


def test_attention_checks_are_interleaved_and_not_called_so(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(attention_checks=2, ballots_per_rater=5)
    places = set()
    for _ in range(6):
        token = rehearsal.rater(study)
        while (ballot := rehearsal.rating.next_ballot(token).ballot) is not None:
            assert {f.name for f in dataclasses.fields(ballot)} & {"kind", "attention"} == set()
            side: Choice = "left"
            if ballot.instruction:
                places.add(ballot.number)
                side = "left" if "formula A" in ballot.instruction else "right"
            rehearsal.rating.vote(token, ballot.token, side)
    assert min(places) >= 3 and len(places) > 1
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.attention_passed, live.attention_failed, live.votes) == (12, 0, 30)


def test_a_rater_meets_every_problem_before_any_comes_again(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(problems=5, pairs=4)
    for _ in range(4):
        titles: Counter[str] = Counter()
        token = rehearsal.rater(study)
        while (ballot := rehearsal.rating.next_ballot(token).ballot) is not None:
            titles[ballot.title] += 1
            rehearsal.rating.vote(token, ballot.token, "left")
        assert max(titles.values()) <= 3


def test_a_clock_set_back_makes_no_negative_time_and_loses_no_vote(rehearsal: Rehearsal) -> None:
    service = RatingService(rehearsal.store, rehearsal.clock, SystemChance(), min_view_seconds=1.0)
    _, token, ballot = rehearsal.begun()
    rehearsal.clock.advance(-3600)
    assert service.vote(token, ballot.token, "left").status == VoteStatus.SAVED
    assert rehearsal.votes()[0].seconds == 0


class _Signs(SystemChance):
    """Tokens as they may come: one in 64 begins with a minus."""

    def token(self) -> str:
        return f"-{super().token()}"[:22]


def test_a_rater_is_never_called_what_a_spreadsheet_takes_for_more_than_a_name(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened()
    service = RatingService(rehearsal.store, rehearsal.clock, _Signs(), min_view_seconds=0)
    for invitation in rehearsal.organiser.invitations.invite(study.id, [""] * 3):
        token = token_of(invitation)
        service.consent(token, degree="Doctorate", field="Physics", request_id="x")
        service.vote(token, rehearsal.ballot(token).token, "left")
    raters = [vote.rater_code for vote in rehearsal.votes()]
    assert len(set(raters)) == 3
    assert [name for name in raters if not re.fullmatch("r[0-9a-f]{15}", name)] == []


def test_a_study_that_ends_takes_in_nobody_new_and_lets_those_at_work_finish(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened(ballots_per_rater=2)
    at_work, unused = rehearsal.rater(study), rehearsal.organiser.invitations.invite(study.id, [""])
    rehearsal.rate(at_work)
    rehearsal.organiser.end_admission(study.id)
    assert rehearsal.rating.open(token_of(unused[0])).stage == Stage.ENDING
    with pytest.raises(StudyError, match="takes no consent"):
        rehearsal.rating.consent(token_of(unused[0]), degree="a", field="b")
    with pytest.raises(StudyError, match="nobody new"):
        rehearsal.organiser.invitations.invite(study.id, [""])
    rehearsal.rate(at_work)
    assert rehearsal.rating.open(at_work).stage == Stage.FINISHED
    assert rehearsal.organiser.verify(study.id), "the frozen hash"


def test_a_replaced_link_goes_on_where_the_lost_one_stopped(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    lost = rehearsal.rater(study, "Ann")
    rehearsal.rate(lost, 2)
    (invited,) = rehearsal.organiser.invitations.every(study.id)
    made = rehearsal.organiser.invitations.replace(study.id, invited.id)
    assert rehearsal.rating.open(lost).stage == Stage.UNKNOWN
    assert str(rehearsal.rating.open(token_of(made)).progress) == "saved 2 of 10"
    rehearsal.rate(token_of(made))
    shared = rehearsal.organiser.invitations.open_link(study.id, 5)
    with pytest.raises(StudyError, match="nobody's own"):
        rehearsal.organiser.invitations.replace(study.id, shared.id)


def test_withdrawing_clears_the_label_and_only_personal_labels_are_told_of(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.opened()
    named, bare = (
        token_of(each) for each in rehearsal.organiser.invitations.invite(study.id, ["Ann Ex", ""])
    )
    assert [rehearsal.rating.open(token).labelled for token in (named, bare)] == [True, False]
    rehearsal.rating.consent(named, degree="a", field="b")
    rehearsal.rating.withdraw(named)
    assert {each.label for each in rehearsal.organiser.invitations.every(study.id)} == {""}
    said = [line.detail for line in rehearsal.organiser.audit(study.id)]
    assert not any("Ann" in detail for detail in said)


def test_a_browser_is_known_again_on_its_own_open_link_only(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    links = [token_of(rehearsal.organiser.invitations.open_link(study.id, 5)) for _ in range(2)]
    own = rehearsal.rating.consent(links[0], degree="a", field="b", request_id="one").token
    assert rehearsal.rating.known_here(links[0], ["nonsense", own]) == own
    assert rehearsal.rating.known_here(links[1], [own]) == ""
    assert rehearsal.rating.known_here(own, [own]) == ""
    assert rehearsal.rating.known_here(links[0], ["x"] * 50 + [own]) == "", "only a few are asked"
