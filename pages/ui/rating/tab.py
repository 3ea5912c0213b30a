"""One browser tab of a rater: its short memory, and the actions of its buttons."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st

from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.wiring import rating_service
from pages.ui.rating import words
from study.errors import DesignError, StorageError, StudyError
from study.rating_types import (
    DEGREES,
    MAX_FIELD,
    BrowserReport,
    NextBallot,
    RatingVisit,
    VoteStatus,
)

Choice = Literal["left", "right", "tie"]
_KEY = "rating"
RATER_COOKIE = "rater"


@dataclass
class Tab:
    # The database alone decides where a rater stands: whatever stands here may be lost.
    token: str = ""  # The token of the link in the address
    # Personal tokens of this tab's consents, by the open link they came through: the back button
    # then leads on, and not to a second consent
    own_tokens: dict[str, str] = field(default_factory=dict)
    request_id: str = ""  # Names the consent form on the screen
    errors: dict[str, str] = field(default_factory=dict)  # Errors in the consent form, by field
    link: str = ""  # The link to show right after consent, until the first ballot is asked for
    notice: str = ""  # A sentence to say above the next page
    # What is said after the practice ballot, until the first ballot is asked for
    feedback: str = ""
    last_answered_ballot: str = ""  # The ballot that this tab voted on last
    confirming_withdrawal: bool = False  # Whether withdrawal waits for its confirmation
    visit_after_withdrawal: RatingVisit | None = None  # The visit to show after a withdrawal
    # Whether the visitor says that another person began in this browser
    someone_else: bool = False
    # heartbeat_ballot, last_heartbeat: the ballot on the screen, and its last sign of life by the
    # monotonic clock
    heartbeat_ballot: str = ""
    last_heartbeat: float = 0.0
    # The ballot on the screen, where it stays while the database is too busy
    shown: NextBallot | None = None
    following: NextBallot | None = None  # What the vote of this run has brought, until it is drawn


def current_tab() -> Tab:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Tab()
    found: Tab = st.session_state[_KEY]
    return found


def follow_link() -> Tab:
    """Take up the link in the address; another link starts afresh."""
    tab = current_tab()
    token = str(st.query_params.get("t", "")).strip()
    if token in tab.own_tokens:
        token = tab.own_tokens[token]
        st.query_params["t"] = token
    if token != tab.token:
        tab = Tab(token=token, own_tokens=tab.own_tokens)
        st.session_state[_KEY] = tab
    return tab


@uninterrupted()
def give_consent(degree_key: str, field_key: str) -> None:
    tab = current_tab()
    degree = str(st.session_state.get(degree_key) or "")
    said = str(st.session_state.get(field_key) or "").strip()
    tab.errors = {}
    if degree not in DEGREES:
        tab.errors["degree"] = words.ASK_DEGREE
    if not said:
        tab.errors["field"] = words.ASK_FIELD
    elif len(said) > MAX_FIELD:
        tab.errors["field"] = words.LONG_FIELD
    if tab.errors:
        return
    try:
        consent = rating_service().consent(
            tab.token, degree=degree, field=said, request_id=tab.request_id
        )
    except DesignError as error:
        tab.errors[error.field] = error.message
    except StorageError as error:
        tab.notice = words.wait_text(error)
    except StudyError:  # the link takes no consent any more: the page will say why
        tab.notice = ""
    else:
        if consent.token != tab.token:
            tab.own_tokens[tab.token] = consent.token
            tab.token = consent.token
            st.query_params["t"] = consent.token
        tab.link = consent.link


def kept_tokens() -> list[str]:
    """The raters that this browser remembers, the newest first."""
    return str(st.context.cookies.to_dict().get(RATER_COOKIE) or "").split(".")


@uninterrupted()
def follow_kept(token: str) -> None:
    """Go on as a rater whom this browser remembers."""
    tab = current_tab()
    tab.own_tokens[tab.token] = token
    tab.token = token
    st.query_params["t"] = token


@uninterrupted()
def begin_anew() -> None:
    """Another person at this computer."""
    current_tab().someone_else = True


@uninterrupted()
def choose(ballot_token: str, choice: Choice, reason_key: str, report_key: str) -> None:
    """The buttons A, B and "cannot decide"."""
    tab = current_tab()
    tab.notice = ""
    reason = str(st.session_state.get(reason_key) or "")
    report = BrowserReport.read(str(st.session_state.get(report_key) or ""))
    try:
        outcome = rating_service().vote(
            tab.token, ballot_token, choice, reason, report, and_next=True
        )
    except StudyError as error:
        tab.notice = words.not_saved_text(error)
        return
    tab.shown, tab.following = None, outcome.following
    if outcome.status == VoteStatus.SAVED:
        tab.last_answered_ballot = ballot_token
        tab.feedback = outcome.feedback
    elif outcome.status == VoteStatus.TOO_SOON:
        tab.notice = words.TOO_SOON
    elif outcome.status == VoteStatus.UNSEEN:
        tab.notice = words.UNSEEN
    elif outcome.status == VoteStatus.ALREADY_SAVED and ballot_token != tab.last_answered_ballot:
        tab.notice = words.ALREADY_SAVED
    elif outcome.status == VoteStatus.STALE:
        tab.notice = words.STALE


@uninterrupted()
def continue_session() -> None:
    """Leave a page between two ballots, or an unconfirmed withdrawal."""
    tab = current_tab()
    tab.link = tab.feedback = tab.notice = ""
    tab.confirming_withdrawal = False


@uninterrupted()
def pause() -> None:
    _unless_busy(lambda: rating_service().pause(current_tab().token))


@uninterrupted()
def resume() -> None:
    continue_session()
    _unless_busy(lambda: rating_service().resume(current_tab().token))


@uninterrupted()
def ask_withdrawal() -> None:
    current_tab().confirming_withdrawal = True


@uninterrupted()
def withdraw() -> None:
    tab = current_tab()
    visit = _unless_busy(lambda: rating_service().withdraw(tab.token))
    if visit is not None:
        st.session_state[_KEY] = Tab(token=tab.token, visit_after_withdrawal=visit)


def start_heartbeats(ballot_token: str) -> None:
    """The page itself was a sign of life: the next is due later."""
    tab = current_tab()
    if tab.heartbeat_ballot != ballot_token:
        tab.heartbeat_ballot, tab.last_heartbeat = ballot_token, time.monotonic()


def send_heartbeat(ballot_token: str, seconds: float) -> None:
    """A sign of life, if the last is some seconds past; one that fails is left out."""
    tab = current_tab()
    now = time.monotonic()
    if now - tab.last_heartbeat < seconds:
        return
    tab.last_heartbeat = now
    try:
        rating_service().heartbeat(tab.token, ballot_token)
    except StudyError:
        return


def _unless_busy(do: Callable[[], RatingVisit]) -> RatingVisit | None:
    """Do it; if the database is too busy, say so above the page."""
    try:
        return do()
    except StudyError as error:
        current_tab().notice = words.wait_text(error)
        return None
