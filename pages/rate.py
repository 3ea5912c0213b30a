"""The volunteer's page: consent, practice, ballots, thanks."""

from __future__ import annotations

import streamlit as st

from pages.ui.kit.wiring import rating_service
from pages.ui.rating import words
from pages.ui.rating.ballot_view import ballot_page
from pages.ui.rating.other_pages import (
    consent_page,
    ending_page,
    feedback_page,
    known_page,
    message_page,
    pause_page,
    welcome_page,
    withdrawal_page,
)
from pages.ui.rating.pieces import style
from pages.ui.rating.tab import Tab, follow_link, kept_tokens
from study.errors import StudyError
from study.rating_types import NextBallot, Stage


def rate_page() -> None:
    tab = follow_link()
    style()
    with st.container(key="rate-page"):
        try:
            _draw(tab)
        except StudyError as error:
            if tab.shown is not None and tab.shown.ballot is not None:
                tab.notice = tab.notice or words.wait_text(error)
                return ballot_page(tab, tab.shown.visit, tab.shown.ballot)
            message_page("Please wait", (words.wait_text(error),), retry=True)


def _next_step(tab: Tab) -> NextBallot:
    """Where the link stands, asked once a run; a vote has brought the answer already."""
    if tab.visit_after_withdrawal is not None:
        return NextBallot(tab.visit_after_withdrawal)
    brought, tab.following = tab.following, None
    if brought is not None:
        return brought
    # A page between two ballots must not start a ballot's clock.
    waits = bool(tab.link or tab.feedback or tab.confirming_withdrawal)
    return rating_service().next_ballot(tab.token, give=not waits)


def _draw(tab: Tab) -> None:
    if not tab.token:
        return message_page(*words.NO_LINK)
    step = _next_step(tab)
    visit = step.visit
    underway = visit.stage in (Stage.PRACTICE, Stage.RATING)
    if tab.confirming_withdrawal and visit.progress is not None:
        return withdrawal_page(tab, visit)
    if underway and tab.link:
        return welcome_page(tab, visit)
    if underway and tab.feedback:
        return feedback_page(tab, visit)
    if underway and step.ballot is not None:
        tab.shown = step
        return ballot_page(tab, visit, step.ballot)
    tab.shown = None
    if visit.reusable and not tab.someone_else:
        remembered = rating_service().known_here(tab.token, kept_tokens())
        if remembered:
            return known_page(visit, remembered)
    if visit.stage == Stage.CONSENT:
        return consent_page(tab, visit)
    if visit.stage == Stage.PAUSED:
        return pause_page(tab, visit)
    return ending_page(tab, visit)
