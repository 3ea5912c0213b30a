"""One browser tab of a rater: what the server remembers of it, and what its buttons do.

Nothing here is needed to go on: after a reload, on another device or after a restart the database
alone says where a rater stands.  What is lost is a notice or a page between two ballots.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st

from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.wiring import rating_service
from pages.ui.rating import words
from study.errors import BusyError, DesignError, StudyError
from study.rating_types import DEGREES, MAX_FIELD, RatingVisit, VoteStatus

Choice = Literal["left", "right", "tie"]
_KEY = "rating"


@dataclass
class Tab:
    """What is remembered of a tab.

    Attributes
    ----------
    token : str
        Of the link in the address.
    own : dict
        Personal tokens of this tab's consents, by the open link they came through: the back
        button then leads on, and not to a second consent.
    request_id : str
        Of the consent form on the screen.
    errors : dict
        Of the consent form, by field.
    link : str
        To be shown right after consent, until the first ballot is asked for.
    notice : str
        To be said above the next page.
    feedback : str
        After the practice ballot, until the first ballot is asked for.
    answered : str
        The ballot that this tab voted on last.
    leaving : bool
        Whether withdrawal waits for its confirmation.
    gone : Visit or None
        After a withdrawal.
    beating, beaten : str, float
        The ballot on the screen, and its last sign of life by the monotonic clock.
    """

    token: str = ""
    own: dict[str, str] = field(default_factory=dict)
    request_id: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    link: str = ""
    notice: str = ""
    feedback: str = ""
    answered: str = ""
    leaving: bool = False
    gone: RatingVisit | None = None
    beating: str = ""
    beaten: float = 0.0


def tab() -> Tab:
    """The state of this tab."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Tab()
    found: Tab = st.session_state[_KEY]
    return found


def follow_link() -> Tab:
    """Take up the link in the address; another link starts afresh."""
    here = tab()
    token = str(st.query_params.get("t", "")).strip()
    if token in here.own:
        token = here.own[token]
        st.query_params["t"] = token
    if token != here.token:
        here = Tab(token=token, own=here.own)
        st.session_state[_KEY] = here
    return here


@uninterrupted()
def give_consent(degree_key: str, field_key: str) -> None:
    """The button of the consent form."""
    here = tab()
    degree = str(st.session_state.get(degree_key) or "")
    said = str(st.session_state.get(field_key) or "").strip()
    here.errors = {}
    if degree not in DEGREES:
        here.errors["degree"] = words.ASK_DEGREE
    if not said:
        here.errors["field"] = words.ASK_FIELD
    elif len(said) > MAX_FIELD:
        here.errors["field"] = words.LONG_FIELD
    if here.errors:
        return
    try:
        consent = rating_service().consent(
            here.token, degree=degree, field=said, request_id=here.request_id
        )
    except DesignError as error:
        here.errors[error.field] = error.message
    except BusyError:
        here.notice = words.BUSY_PAGE
    except StudyError:  # the link takes no consent any more: the page will say why
        here.notice = ""
    else:
        if consent.token != here.token:
            here.own[here.token] = consent.token
            here.token = consent.token
            st.query_params["t"] = consent.token
        here.link = consent.link


@uninterrupted()
def choose(ballot_token: str, choice: Choice, reason_key: str) -> None:
    """The buttons A, B and "cannot decide"."""
    here = tab()
    here.notice = ""
    reason = str(st.session_state.get(reason_key) or "")
    try:
        outcome = rating_service().vote(here.token, ballot_token, choice, reason)
    except StudyError as error:
        here.notice = words.BUSY_VOTE if isinstance(error, BusyError) else words.NOT_TAKEN
        return
    if outcome.status == VoteStatus.SAVED:
        here.answered = ballot_token
        here.feedback = outcome.feedback
    elif outcome.status == VoteStatus.TOO_SOON:
        here.notice = words.TOO_SOON
    elif outcome.status == VoteStatus.ALREADY_SAVED and ballot_token != here.answered:
        here.notice = words.ALREADY_SAVED
    elif outcome.status == VoteStatus.STALE:
        here.notice = words.STALE


@uninterrupted()
def continue_session() -> None:
    """Leave the pages between: after consent, after practice, after a pause, or from leaving."""
    here = tab()
    here.link = here.feedback = here.notice = ""
    here.leaving = False


@uninterrupted()
def pause() -> None:
    """Stop the clock."""
    _unless_busy(lambda: rating_service().pause(tab().token))


@uninterrupted()
def resume() -> None:
    """Go on after a pause."""
    continue_session()
    _unless_busy(lambda: rating_service().resume(tab().token))


@uninterrupted()
def ask_withdrawal() -> None:
    """Show the confirmation."""
    tab().leaving = True


@uninterrupted()
def withdraw() -> None:
    """Delete this rater."""
    here = tab()
    visit = _unless_busy(lambda: rating_service().withdraw(here.token))
    if visit is not None:
        st.session_state[_KEY] = Tab(token=here.token, gone=visit)


def start_heartbeats(ballot_token: str) -> None:
    """The page itself was a sign of life: the next is due later."""
    here = tab()
    if here.beating != ballot_token:
        here.beating, here.beaten = ballot_token, time.monotonic()


def send_heartbeat(ballot_token: str, seconds: float) -> None:
    """A sign of life, if the last is some seconds past; one that fails is left out."""
    here = tab()
    now = time.monotonic()
    if now - here.beaten < seconds:
        return
    here.beaten = now
    try:
        rating_service().heartbeat(here.token, ballot_token)
    except StudyError:
        return


def _unless_busy(do: Callable[[], RatingVisit]) -> RatingVisit | None:
    """Do it; if the database is too busy, say so above the page."""
    try:
        return do()
    except StudyError:
        tab().notice = words.BUSY_PAGE
        return None
