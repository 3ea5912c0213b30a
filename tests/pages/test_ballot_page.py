"""The volunteer's pages over a real database, without a browser."""

from __future__ import annotations

import contextlib
import gzip
import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import pages.ballot.routes
from pages.ballot import words
from pages.ballot.views import SCRIPT, STYLE
from pages.ui.organising import ballot_preview, login
from study.errors import BusyError, StorageError
from study.material import Study
from study.rating_types import Axis, Progress, RatingVisit, Stage
from study.store import AssignmentRow
from tests.rehearsal import SECRET_METHOD, Rehearsal, token_of

HOSTILE = "<script>alert(1)</script>`$x$`{{ 7*777 }}\x00\u202e"
FRAGMENT = {"X-Requested-With": "ballot"}
FORMS = ("consent", "vote", "undo", "pause", "resume", "withdraw", "beat")
FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "null"},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://testserver.evil.example"},
    {"Origin": "https://evil.example", **FRAGMENT},
)


@pytest.fixture
def rehearsal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rehearsal]:
    made = Rehearsal.at(tmp_path, min_view_seconds=1.0)
    monkeypatch.setattr(pages.ballot.routes, "rating_service", lambda: made.rating)
    yield made
    made.store.dispose()


class Browser:
    """Follows forms as a browser without a script does."""

    def __init__(self, token: str | None) -> None:
        self.client = TestClient(Starlette(routes=pages.ballot.routes.RATE_ROUTES))
        self.get("/rate", t=token)

    def get(self, address: str, **query: str | None) -> Browser:
        given = {name: value for name, value in query.items() if value is not None}
        return self._take(self.client.get(address, params=given or None))

    def _take(self, answer) -> Browser:  # type: ignore[no-untyped-def]
        self.answer, self.text = answer, unescape(answer.text)
        return self

    @property
    def stage(self) -> str:
        return re.search(r'<main data-stage="([a-z]+)"', self.text)[1]  # type: ignore[index]

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(str(self.answer.url)).query)["t"][0]

    def fields(self, part: str) -> tuple[str, str, dict[str, str]]:
        """Method, address and hidden fields of the form that contains some text."""
        forms = re.findall(r"<form.*?</form>", self.answer.text, re.DOTALL)
        form = next(form for form in forms if part in form)
        method, action = re.search(r'method="(\w+)" action="([^"]+)"', form).groups()  # type: ignore[union-attr]
        hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
        return method, action, {name: unescape(value) for name, value in hidden}

    def send(self, part: str, **more: str) -> Browser:
        method, action, fields = self.fields(part)
        if method == "get":
            return self.get(action, **{**fields, **more})
        return self._take(self.client.post(action, data={**fields, **more}))

    def agree(self, degree: str = "Doctorate", field: str = "Physics") -> Browser:
        return self.send('id="agree"', degree=degree, field=field)

    def start(self) -> Browser:
        return self.send('id="start"')

    def choose(self, choice: str, **more: str) -> Browser:
        return self.send('id="choose-A"', choice=choice, **more)


def opened(rehearsal: Rehearsal, **changes: object) -> Study:
    """A small study: to freeze a pair takes longer than to rate it."""
    return rehearsal.opened(problems=2, pairs=2, **{"ballots_per_rater": 4, **changes})  # type: ignore[arg-type]


def link(rehearsal: Rehearsal, **changes: object) -> str:
    study = opened(rehearsal, **changes)
    return token_of(rehearsal.organiser.invitations.invite(study.id, [""])[0])


def rating(token: str) -> Browser:
    return Browser(token).agree().start()


def test_a_link_opens_the_consent_page_and_burns_nothing(rehearsal: Rehearsal) -> None:
    token = link(rehearsal, deadline=rehearsal.clock.now() + timedelta(days=9))
    for _ in range(2):
        page = Browser(token)
        assert page.stage == "consent"
        for part in ("about 15 minutes", "study@example.org", "Open until", "January 2025"):
            assert part in page.text
    assert rehearsal.rating.open(token).stage == Stage.CONSENT


def test_a_head_request_gives_no_ballot_out(rehearsal: Rehearsal) -> None:
    page = Browser(link(rehearsal, practice=False)).agree()
    assert page.client.head("/rate", params={"t": page.token}).status_code == 200
    assert given_out(rehearsal) == ()


def given_out(rehearsal: Rehearsal) -> tuple[AssignmentRow, ...]:
    """The ballots of the first rater."""
    with rehearsal.store.reading() as tx:
        return tx.assignments.of_rater(1)


def choices(rehearsal: Rehearsal) -> list[str]:
    return [vote.choice for vote in rehearsal.votes()]


def test_what_is_missing_stands_beside_its_field_and_what_was_given_stays(
    rehearsal: Rehearsal,
) -> None:
    page = Browser(link(rehearsal)).agree(degree="", field="  ")
    assert page.answer.status_code == 422
    assert words.ASK_DEGREE in page.text and words.ASK_FIELD in page.text
    assert len(re.findall(r"<[^>]* aria-invalid[^>]* autofocus", page.text)) == 1
    page = page.agree(degree="Doctorate", field="x" * 81)
    assert words.LONG_FIELD in page.text and "<option selected>Doctorate" in page.text
    _, address, form = page.fields('id="agree"')
    assert page.agree().stage == "welcome"
    assert page._take(page.client.post(address, data=form)).stage == "rating"  # late, empty


def test_consent_shows_the_link_before_any_clock_runs(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    page = Browser(token).agree()
    for _ in range(2):
        assert f"/rate?t={token}" in page.text and words.KEEP_LINK in page.text
        assert given_out(rehearsal) == ()
        page.get(str(page.answer.url))  # a reload
    page.start()
    assert "Ballot 1 of 4" in page.text and "saved 0 of 4" in page.text


def test_what_is_asked_is_explained_in_the_organisers_words(rehearsal: Rehearsal) -> None:
    page = Browser(link(rehearsal, practice=True, question_meaning="Mind what grows.")).agree()
    assert "Mind what grows." in page.text
    page.start()
    assert "Mind what grows." in page.text
    rehearsal.clock.advance(5)
    page.choose("left")
    assert page.stage == "practised" and words.DECIDES in page.text
    for wrong in words.OTHER_MEANINGS:
        page.send('id="decides"', meant=wrong)
        assert words.WRONG_MEANING[wrong] in page.text and 'id="start"' not in page.text
    page.get(f"/rate?t={page.token}")  # the link, opened again
    assert words.DECIDES in page.text and len(given_out(rehearsal)) == 1
    page.send('id="decides"', meant="yes")
    assert words.RIGHT_MEANING in page.text
    page.start()
    assert "Ballot 1 of 4" in page.text and "Mind what grows." not in page.text


def test_the_practice_is_answered_before_the_first_clock_runs(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal, practice=True, question_meaning=""))
    assert words.PRACTICE in page.text
    rehearsal.clock.advance(5)
    page.choose("left")
    assert "You chose formula A" in page.text and words.DECIDES not in page.text
    assert len(given_out(rehearsal)) == 1
    page.start()
    assert "Ballot 1 of 4" in page.text
    assert 'id="undo"' not in page.text  # practice does not count


def test_a_vote_its_reason_and_its_report_arrive_together(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal))
    rehearsal.clock.advance(20)
    page.choose("right", reason="shorter", report="ms=9000;w=390;seen=1;plot=1;by=pointer")
    assert "saved 1 of 4" in page.text and "shorter" not in page.text
    [vote] = rehearsal.votes()
    assert (vote.choice, vote.reason, vote.seconds) == ("right", "shorter", 20.0)
    assert (vote.rater_seconds, vote.viewport) == (9.0, "narrow")


def test_a_vote_that_comes_too_soon_is_not_saved_and_the_page_says_so(
    rehearsal: Rehearsal,
) -> None:
    page = rating(link(rehearsal))
    assert 'id="choose-none"' not in page.text and 'id="reason"' in page.text
    page.choose("left")
    assert words.TOO_SOON in page.text and "saved 0 of 4" in page.text
    rehearsal.clock.advance(5)
    page.choose("left")
    assert words.TOO_SOON not in page.text and "saved 1 of 4" in page.text


@pytest.mark.parametrize("seen, plot", [(0, 1), (1, 0)])
def test_a_press_before_everything_was_in_view_saves_nothing(
    rehearsal: Rehearsal, seen: int, plot: int
) -> None:
    page = rating(link(rehearsal))
    rehearsal.clock.advance(20)
    page.choose("left", report=f"ms=9000;w=390;seen={seen};plot={plot};by=pointer")
    assert words.UNSEEN in page.text and "saved 0 of 4" in page.text


def test_cannot_decide_and_the_reason_are_there_only_where_they_are_allowed(
    rehearsal: Rehearsal,
) -> None:
    page = rating(link(rehearsal, allow_tie=True, ask_reason=False))
    assert 'id="choose-none"' in page.text and 'id="reason"' not in page.text
    rehearsal.clock.advance(5)
    page.choose("tie")
    assert choices(rehearsal) == ["tie"] and "Saved: cannot decide." in page.text


def test_a_second_tab_learns_that_the_first_answer_stands(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    one, other = rating(token), Browser(token)
    rehearsal.clock.advance(5)
    one.choose("left")
    other.choose("right")
    assert words.ALREADY_SAVED in other.text and "saved 1 of 4" in other.text
    assert choices(rehearsal) == ["left"]


def test_a_vote_that_is_sent_again_after_a_lost_answer_goes_on_in_silence(
    rehearsal: Rehearsal,
) -> None:
    page = rating(link(rehearsal))
    rehearsal.clock.advance(5)
    fields = page.fields('id="choose-A"')[2]
    page.choose("left")
    for again in ({"again": "1"}, {}):  # by the script, or by a browser that sends a form twice
        page._take(page.client.post("/rate/vote", data={**fields, "choice": "left", **again}))
        assert words.ALREADY_SAVED not in page.text and "saved 1 of 4" in page.text


def test_an_answer_can_be_taken_back_for_five_seconds_and_the_last_one_too(
    rehearsal: Rehearsal,
) -> None:
    page = rating(link(rehearsal, ballots_per_rater=1))
    first = page.fields('id="choose-A"')[2]["ballot"]
    rehearsal.clock.advance(5)
    page.choose("left")
    assert page.stage == "finished" and "Saved: formula A." in page.text
    page.send('id="undo"')
    assert words.UNDONE in page.text and "saved 0 of 1" in page.text
    assert page.stage == "rating" and page.fields('id="choose-A"')[2]["ballot"] == first
    rehearsal.clock.advance(5)
    page.choose("right")
    rehearsal.clock.advance(6)
    page.send('id="undo"')
    assert words.TOO_LATE in page.text and choices(rehearsal) == ["right"]


def test_a_withdrawal_is_confirmed_and_a_tab_left_open_after_it_saves_nothing(
    rehearsal: Rehearsal,
) -> None:
    token = link(rehearsal)
    one, other = rating(token), Browser(token)
    one.send('id="ask-withdrawal"').send('id="withdraw-no"')
    assert "Ballot 1 of 4" in one.text
    one.send('id="ask-withdrawal"')
    assert "cannot be undone" in one.text
    one.send('id="withdraw-yes"')
    assert "You have withdrawn" in one.text
    rehearsal.clock.advance(5)
    other.choose("right")
    assert "You have withdrawn" in other.text and rehearsal.votes() == ()


def test_a_pause_is_seen_and_ended_at_another_device_too(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    assert "the clock stands still" in rating(token).send('id="pause"').text
    rehearsal.clock.advance(1000)
    page = Browser(token)
    assert "the clock stands still" in page.text
    page.send('id="resume"')
    rehearsal.clock.advance(5)
    page.choose("left")
    [vote] = rehearsal.votes()
    assert vote.idle_seconds == pytest.approx(1000) and vote.seconds == pytest.approx(1005)


def test_a_sign_of_life_keeps_time_that_is_missing_apart(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal))
    _, _, fields = page.fields('id="choose-A"')
    sign = {"t": fields["t"], "ballot": fields["ballot"]}
    for pause in (15, 600):
        rehearsal.clock.advance(pause)
        assert page.client.post("/rate/beat", data=sign).status_code == 204
    page.choose("left")
    assert [vote.idle_seconds for vote in rehearsal.votes()] == [pytest.approx(600)]


def test_an_open_link_gives_a_personal_one_and_never_two(rehearsal: Rehearsal) -> None:
    study = opened(rehearsal)
    shared = token_of(rehearsal.organiser.invitations.open_link(study.id, 5))
    page = Browser(shared)
    form = page.fields('id="agree"')[2]
    page.agree()
    own = page.token
    assert own != shared and own in page.text
    answers = {**form, "degree": "Doctorate", "field": "Physics"}
    assert page._take(page.client.post("/rate/consent", data=answers)).token == own  # double click
    page.get("/rate", t=shared)
    assert words.KNOWN_HERE in page.text
    assert "Ballot 1" in page.send('id="go-on"').text
    page.get("/rate", t=shared).send('id="someone-else"')
    assert page.stage == "consent"
    with rehearsal.store.reading() as tx:
        assert len(tx.raters.every(study.id)) == 1


def test_the_cookie_that_remembers_raters_is_for_this_site_alone(rehearsal: Rehearsal) -> None:
    page = Browser(link(rehearsal)).agree()
    [cookie] = [c for answer in page.answer.history for c in answer.headers.get_list("set-cookie")]
    assert cookie.startswith("rater=")
    for part in ("HttpOnly", "Max-Age=7776000", "Path=/", "SameSite=lax"):
        assert part.lower() in cookie.lower()


def test_the_instruction_of_a_check_is_shown_plainly(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal, ballots_per_rater=3, attention_checks=3))
    seen = ""
    for _ in range(6):
        seen += page.text
        rehearsal.clock.advance(5)
        page.choose("left")
    assert seen.count('class="instruction"') == 3
    assert "Thank you!" in page.text and "What the study is about" in page.text


def test_links_that_lead_nowhere_say_why_and_what_to_do(rehearsal: Rehearsal) -> None:
    study, invitations = opened(rehearsal), rehearsal.organiser.invitations
    revoked = invitations.invite(study.id, [""])[0]
    invitations.revoke(study.id, revoked.id)
    full = token_of(invitations.open_link(study.id, 1))
    rehearsal.rating.consent(full, degree="Doctorate", field="Physics", request_id="x")
    late = token_of(invitations.invite(study.id, [""])[0])
    ends = {"needs your link": Browser(None), "does not work": Browser("nosuchtoken")}
    ends |= {"taken back": Browser(token_of(revoked)), "All places are taken": Browser(full)}
    assert "Already started?" in Browser(token_of(invitations.open_link(study.id, 5))).text
    rehearsal.organiser.close(study.id)
    ends["is closed"] = Browser(late)
    for said, page in ends.items():
        assert re.search(f"<h1[^>]*>[^<]*{said}", page.text), page.text
        assert re.search("link|write|ask", re.findall("<p[^>]*>([^<]+)</p>", page.text)[-1])


@pytest.mark.parametrize("token", [None, "", "nosuchtoken", "../../etc", HOSTILE, "x" * 5000])
def test_links_to_nowhere_explain_themselves(rehearsal: Rehearsal, token: str | None) -> None:
    page = Browser(token)
    assert page.answer.status_code == 200
    assert "link" in page.text and "<script>alert" not in page.answer.text


def test_a_busy_database_loses_nothing(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = rating(link(rehearsal))
    rehearsal.clock.advance(5)

    def busy(*_: object, **__: object) -> None:
        raise BusyError()

    with monkeypatch.context() as patch:
        patch.setattr(rehearsal.rating, "vote", busy)
        page.choose("left")
        assert words.BUSY_VOTE in page.text and "saved 0 of 4" in page.text
        fields = page.fields('id="choose-A"')[2]
        kept = page.client.post("/rate/vote", data={**fields, "choice": "left"}, headers=FRAGMENT)
        # The script keeps the ballot on the screen.
        assert (kept.status_code, kept.text) == (503, words.BUSY_VOTE)
        assert kept.headers["x-ballot"] == "note"
    with monkeypatch.context() as patch:
        patch.setattr(rehearsal.rating, "next_ballot", busy)
        page.get("/rate", t=fields["t"])
        assert page.answer.status_code == 503 and words.BUSY_PAGE in page.text
    page.send('id="retry"').choose("left")
    assert "saved 1 of 4" in page.text


def test_the_script_gets_the_next_ballot_with_its_vote(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal))
    rehearsal.clock.advance(5)
    _, action, fields = page.fields('id="choose-A"')
    answer = page.client.post(action, data={**fields, "choice": "left"}, headers=FRAGMENT)
    assert answer.status_code == 200 and answer.headers["x-ballot"] == "main"
    assert answer.text.startswith("<main ") and answer.text.endswith("</main>")
    assert "Ballot 2 of 4" in answer.text
    early = {**fields, "ballot": re.search(r'data-ballot="([^"]+)"', answer.text)[1]}  # type: ignore[index]
    early["choice"] = "left"
    too_soon = page.client.post(action, data=early, headers=FRAGMENT)
    assert (too_soon.status_code, too_soon.text) == (409, words.TOO_SOON)


def test_what_people_write_stays_text(rehearsal: Rehearsal) -> None:
    names = ("title", "question", "question_meaning", "consent_text", "contact")
    page = Browser(link(rehearsal, practice=True, **dict.fromkeys(names, HOSTILE)))
    texts = [page.answer.text]
    texts.append(page.agree(degree=HOSTILE, field=HOSTILE * 3).answer.text)
    texts.append(page.agree().answer.text)
    texts.append(page.start().answer.text)
    texts.append(page.send('id="pause"').answer.text)
    for text in texts:
        assert "<script>alert" not in text and "5439" not in text
        assert "\x00" not in text and "\u202e" not in text


def test_a_form_of_another_site_does_nothing(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal))
    vote = {**page.fields('id="choose-A"')[2], "choice": "left", "degree": "Doctorate"}
    rehearsal.clock.advance(5)
    with contextlib.closing(sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"))) as stored:
        before = [*stored.iterdump()]
        for name, headers in product(FORMS, FOREIGN):
            answer = page.client.post(f"/rate/{name}", data=vote, headers=headers)
            assert answer.status_code == 403, (name, headers)
            assert "set-cookie" not in answer.headers
        assert [*stored.iterdump()] == before


@pytest.mark.parametrize("body", [b"\xff", b"&".join(b"a=1" for _ in range(99)), b"t=" * 20_000])
def test_what_is_no_form_is_refused(rehearsal: Rehearsal, body: bytes) -> None:
    answer = Browser(link(rehearsal)).client.post("/rate/vote", content=body)
    assert answer.status_code in (400, 413)


def test_no_answer_runs_a_script_of_its_own_or_stays_anywhere(rehearsal: Rehearsal) -> None:
    token = link(rehearsal)
    for page in (Browser(None), rating(token), Browser(token).send('id="ask-withdrawal"')):
        policy = page.answer.headers["content-security-policy"]
        assert "unsafe" not in policy and "sha256" not in policy
        for part in ("default-src", "base-uri", "frame-ancestors"):
            assert f"{part} 'none'" in policy
        assert "form-action 'self'" in policy
        assert page.answer.headers["cache-control"] == "no-store"
        assert not re.search(r"<style|\sstyle=|<script>|\son\w+=", page.answer.text)
        assert set(re.findall(r'(?:src|href)="(?!#|data:)([^"]+)"', page.answer.text)) <= {
            STYLE.address,
            SCRIPT.address,
        }


def test_style_and_script_are_small_and_stored_for_good(rehearsal: Rehearsal) -> None:
    client = Browser(None).client
    for asset in (STYLE, SCRIPT):
        answer = client.get(asset.address)
        assert "immutable" in answer.headers["cache-control"]
        assert len(gzip.compress(answer.content)) < 30_000
        assert answer.content == asset.part.text
        plain = client.get(asset.address, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers and plain.content == answer.content


def test_no_byte_tells_what_a_rater_may_not_know(rehearsal: Rehearsal) -> None:
    page = rating(link(rehearsal, debrief_text="Thanks."))
    hidden = re.compile(
        rf"\b(eic|lower|higher|pool|{SECRET_METHOD})\b|0\.3217|3\.7654|11\.86", re.I
    )
    for _ in range(4):
        assert page.stage == "rating"
        assert not hidden.search(page.answer.text + str(page.answer.headers))
        rehearsal.clock.advance(5)
        page.choose("left")
    assert page.stage == "finished" and not hidden.search(page.answer.text)


def test_a_ballot_says_in_words_what_it_shows(rehearsal: Rehearsal) -> None:
    text = rating(link(rehearsal)).text
    assert re.search(r"Computed: <b[^>]*><math.*?</math></b>", text)
    assert "Each map shows" in text or "The dots are 15 measurements: level, over time" in text
    assert len(re.findall(r"Formula [AB] [a-z]", text)) >= 2
    assert text.count("<math") >= 4


def test_organisers_see_the_very_page_and_can_press_nothing(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened(rehearsal, practice=True)
    lab = SimpleNamespace(demo=True, organising=rehearsal.organiser)
    for module in (ballot_preview, login):
        monkeypatch.setattr(module, "lab", lambda: lab)
    app = Starlette(routes=ballot_preview.PREVIEW_ROUTES)
    address = f"{ballot_preview.PREVIEW}?study={study.id}"
    assert TestClient(app).get(f"{address}&pair=1").status_code == 401  # a demo on another machine
    client = TestClient(app, base_url="http://localhost")
    shown = {
        which: client.get(f"{address}&{which}")
        for which in ("pair=1", "pair=1&swap=1", "special=0")
    }
    for answer in shown.values():
        buttons = re.findall(r"<button[^>]*>", answer.text)
        assert buttons and all("disabled" in button for button in buttons)
        assert "<script" not in answer.text and answer.headers["x-frame-options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert shown["pair=1"].text != shown["pair=1&swap=1"].text
    assert words.PRACTICE in shown["special=0"].text
    for nothing in ("pair=999", "pair=x", "special=7", f"pair={'9' * 30}"):
        assert client.get(f"{address}&{nothing}").status_code == 404


def test_units_are_words() -> None:
    assert words.axis_note(Axis("t", "s", "time", 0, 1)) == "time, in seconds"
    assert words.axis_note(Axis("t", "furlongs", "", 0, 1)) == "in furlongs"
    assert words.axis_note(Axis("p", "1982 = 100", "prices", 0, 1)) == "prices, 1982 = 100"


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


def test_faults_and_crowds_are_told_apart() -> None:
    fault, busy = StorageError("disk"), BusyError()
    assert words.NOTES[words.failure_note(fault, vote=True)] == words.FAULT_VOTE
    assert words.NOTES[words.failure_note(busy, vote=False)] == words.BUSY_PAGE
