"""The volunteer's page over a real database, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import pages.rate
import pages.ui.rating.other_pages
import pages.ui.rating.tab
from pages.ui.rating import words
from study.errors import BusyError
from study.rating_types import Progress, RatingVisit, Stage
from tests.pages.test_app_inspector import html_of
from tests.rehearsal import Rehearsal, token_of

HOSTILE = "<script>alert(1)</script>`$x$`:red[y]**z**"


@pytest.fixture
def rehearsal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rehearsal]:
    made = Rehearsal.at(tmp_path, min_view_seconds=1.0)
    for module in (pages.rate, pages.ui.rating.tab, pages.ui.rating.other_pages):
        monkeypatch.setattr(module, "rating_service", lambda: made.rating)
    yield made
    made.store.dispose()


def _script() -> None:
    from pages.rate import rate_page

    rate_page()


def open_page(token: str | None) -> AppTest:
    page = AppTest.from_function(_script, default_timeout=120)
    if token is not None:
        page.query_params["t"] = token
    return page.run()


def link(rehearsal: Rehearsal, **changes: object) -> str:
    study = rehearsal.opened(**changes)  # type: ignore[arg-type]
    return token_of(rehearsal.organiser.invitations.invite(study.id, [""])[0])


def agree(page: AppTest, degree: str = "Doctorate", field: str = "Physics") -> AppTest:
    page.selectbox(key="consent-degree").set_value(degree)
    page.text_input(key="consent-field").set_value(field)
    return press(page, "consent-agree")


def press(page: AppTest, key: str) -> AppTest:
    button = next(b for b in page.button if str(b.key).startswith(key))
    return button.click().run()


def rating(page: AppTest) -> AppTest:
    return press(agree(page), "welcome-start")


def test_a_link_opens_the_consent_page_and_burns_nothing(rehearsal: Rehearsal) -> None:
    token = link(rehearsal, deadline=rehearsal.clock.now() + timedelta(days=9))
    for _ in range(2):
        page = open_page(token)
        assert not page.exception
        said = html_of(page)
        for part in ("about 15 minutes", "study@example.org", "Open until", "January 2025"):
            assert part in said
    assert rehearsal.rating.open(token).stage == Stage.CONSENT


def test_what_is_missing_is_said_and_nothing_is_made(rehearsal: Rehearsal) -> None:
    page = press(open_page(link(rehearsal)), "consent-agree")
    assert words.ASK_DEGREE in html_of(page) and words.ASK_FIELD in html_of(page)
    page.text_input(key="consent-field").set_value("   ")
    page = press(page, "consent-agree")
    assert words.ASK_FIELD in html_of(page)
    assert len(page.selectbox) == 1


def test_consent_shows_the_link_before_any_clock_runs(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    page = agree(open_page(token))
    assert f"t={token}" in page.code[0].value
    assert words.KEEP_LINK in html_of(page)
    with rehearsal.store.reading() as tx:
        assert tx.assignments.of_rater(1) == ()
    page = press(page, "welcome-start")
    assert "Ballot 1 of 10" in html_of(page) and "saved 0 of 10" in html_of(page)


def test_a_vote_and_its_reason_arrive_together(rehearsal: Rehearsal) -> None:
    page = rating(open_page(link(rehearsal)))
    rehearsal.clock.advance(20)
    next(t for t in page.text_input if str(t.key).startswith("reason-")).set_value("shorter")
    page = press(page, "choose-B")
    assert "saved 1 of 10" in html_of(page)
    with rehearsal.store.reading() as tx:
        [vote] = tx.votes.every(1)
    assert (vote.choice, vote.reason, vote.seconds) == ("right", "shorter", 20.0)
    reason = next(t for t in page.text_input if str(t.key).startswith("reason-"))
    assert reason.value == ""


def test_a_vote_that_comes_too_soon_is_not_saved_and_said(rehearsal: Rehearsal) -> None:
    page = press(rating(open_page(link(rehearsal))), "choose-A")
    assert words.TOO_SOON in html_of(page) and "saved 0 of 10" in html_of(page)
    rehearsal.clock.advance(5)
    page = press(page, "choose-A")
    assert words.TOO_SOON not in html_of(page) and "saved 1 of 10" in html_of(page)


def test_cannot_decide_is_there_only_where_it_is_allowed(rehearsal: Rehearsal) -> None:
    page = rating(open_page(link(rehearsal)))
    assert not [b for b in page.button if "Cannot decide" in b.label]


def test_a_tie_is_saved_where_it_is_allowed(rehearsal: Rehearsal) -> None:
    page = rating(open_page(link(rehearsal, allow_tie=True, ask_reason=False)))
    assert not [t for t in page.text_input if str(t.key).startswith("reason-")]
    rehearsal.clock.advance(5)
    press(page, "choose-none")
    with rehearsal.store.reading() as tx:
        assert [vote.choice for vote in tx.votes.every(1)] == ["tie"]


def test_a_second_tab_is_told_that_the_first_answer_stands(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    one = rating(open_page(token))
    other = open_page(token)
    rehearsal.clock.advance(5)
    press(one, "choose-A")
    other = press(other, "choose-B")
    assert words.ALREADY_SAVED in html_of(other) and "saved 1 of 10" in html_of(other)
    with rehearsal.store.reading() as tx:
        assert [vote.choice for vote in tx.votes.every(1)] == ["left"]


def test_a_tab_left_open_after_withdrawal_saves_nothing(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    one = rating(open_page(token))
    other = open_page(token)
    one = press(press(one, "ask-withdrawal"), "withdraw-yes")
    assert "You have withdrawn" in html_of(one)
    rehearsal.clock.advance(5)
    other = press(other, "choose-B")
    assert not other.exception and "You have withdrawn" in html_of(other)
    with rehearsal.store.reading() as tx:
        assert tx.votes.every(1) == ()


def test_the_practice_is_answered_before_the_first_clock_runs(rehearsal: Rehearsal) -> None:
    page = rating(open_page(link(rehearsal, practice=True)))
    assert words.PRACTICE in html_of(page)
    rehearsal.clock.advance(5)
    page = press(page, "choose-A")
    assert "You chose formula A" in html_of(page)
    with rehearsal.store.reading() as tx:
        assert len(tx.assignments.of_rater(1)) == 1
    assert "Ballot 1 of 10" in html_of(press(page, "feedback-start"))


def test_pause_and_resume(rehearsal: Rehearsal) -> None:
    page = press(rating(open_page(link(rehearsal))), "pause")
    assert "the clock stands still" in html_of(page)
    rehearsal.clock.advance(1000)
    page = press(page, "pause-continue")
    rehearsal.clock.advance(5)
    press(page, "choose-A")
    with rehearsal.store.reading() as tx:
        [vote] = tx.votes.every(1)
    assert vote.idle_seconds == pytest.approx(1000) and vote.seconds == pytest.approx(1005)


def test_an_open_link_gives_a_personal_one_and_never_two(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    shared = token_of(rehearsal.organiser.invitations.open_link(study.id, 5))
    page = agree(open_page(shared))
    own = page.query_params["t"]
    own = own if isinstance(own, str) else own[0]
    assert own != shared and own in page.code[0].value
    page.query_params["t"] = shared  # the back button
    page = page.run()
    assert len(page.selectbox) == 0
    with rehearsal.store.reading() as tx:
        assert len(tx.raters.every(study.id)) == 1


def test_the_instruction_of_a_check_is_shown_plainly(rehearsal: Rehearsal) -> None:
    page = rating(open_page(link(rehearsal, ballots_per_rater=3, attention_checks=3)))
    seen = ""
    for _ in range(6):
        seen += html_of(page)
        rehearsal.clock.advance(5)
        page = press(page, "choose-A")
    assert seen.count("rate-instruction") == 3
    assert "Thank you!" in html_of(page)


@pytest.mark.parametrize("token", [None, "", "nosuchtoken", "../../etc", HOSTILE, "x" * 5000])
def test_links_to_nowhere_explain_themselves(rehearsal: Rehearsal, token: str | None) -> None:
    page = open_page(token)
    assert not page.exception
    assert "link" in html_of(page) and "<script>alert" not in html_of(page)


def test_a_busy_database_is_said_and_loses_nothing(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = rating(open_page(link(rehearsal)))
    rehearsal.clock.advance(5)

    def busy(*_: object, **__: object) -> None:
        raise BusyError()

    with monkeypatch.context() as patch:
        patch.setattr(rehearsal.rating, "vote", busy)
        page = press(page, "choose-A")
    assert words.BUSY_VOTE in html_of(page)
    with monkeypatch.context() as patch:
        patch.setattr(rehearsal.rating, "next_ballot", busy)
        page = page.run()
    assert words.BUSY_PAGE in html_of(page)
    assert "saved 1 of 10" in html_of(press(page.run(), "choose-A"))


def test_what_the_organiser_writes_stays_text(rehearsal: Rehearsal) -> None:
    page = open_page(
        link(rehearsal, title=HOSTILE, question=HOSTILE, consent_text=HOSTILE, contact=HOSTILE)
    )
    assert "<script>alert" not in html_of(page)
    page = rating(page)
    assert not page.exception and "<script>alert" not in html_of(page)


@pytest.mark.parametrize(
    "stage",
    [Stage.UNKNOWN, Stage.REVOKED, Stage.FULL, Stage.CLOSED, Stage.FINISHED, Stage.WITHDRAWN],
)
@pytest.mark.parametrize("progress", [None, Progress(0, 10), Progress(1, 10), Progress(4, 10)])
def test_every_ending_says_what_happened_and_whom_to_ask(
    stage: Stage, progress: Progress | None
) -> None:
    title, texts = words.ending_text(RatingVisit(stage, contact="c@example.org", progress=progress))
    assert title
    assert any(texts)
    if stage not in (Stage.UNKNOWN, Stage.FINISHED):
        assert "c@example.org" in " ".join(texts)
