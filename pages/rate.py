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
    message_page,
    pause_page,
    welcome_page,
    withdrawal_page,
)
from pages.ui.rating.pieces import style
from pages.ui.rating.tab import Tab, follow_link
from study.errors import StudyError
from study.rating_types import Stage


def rate_page() -> None:
    """Draw what the link in the address leads to."""
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


def _draw(tab: Tab) -> None:
    """The page of the stage that the database says."""
    if not tab.token:
        return message_page(*words.NO_LINK)
    service = rating_service()
    visit = tab.visit_after_withdrawal or service.open(tab.token)
    underway = visit.stage in (Stage.PRACTICE, Stage.RATING)
    if tab.confirming_withdrawal and visit.progress is not None:
        return withdrawal_page(tab, visit)
    if underway and tab.link:
        return welcome_page(tab, visit)
    if underway and tab.feedback:
        return feedback_page(tab, visit)
    if underway:
        step = service.next_ballot(tab.token)
        if step.ballot is not None:
            tab.shown = step
            return ballot_page(tab, step.visit, step.ballot)
        visit = step.visit
    tab.shown = None
    if visit.stage == Stage.CONSENT:
        return consent_page(tab, visit)
    if visit.stage == Stage.PAUSED:
        return pause_page(tab, visit)
    return ending_page(tab, visit)
