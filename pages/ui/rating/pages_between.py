"""The pages without a ballot: after practice, pause, withdrawal, and every way it can end."""

from __future__ import annotations

import streamlit as st

from pages.ui.rating import words
from pages.ui.rating.pieces import arrive, heading, notice, paragraphs, progress_bar
from pages.ui.rating.tab import Tab, ask_withdrawal, go_on, resume, withdraw
from study.rating_types import Stage, Visit


def message_page(title: str, texts: tuple[str, ...], *, retry: bool = False) -> None:
    """A page that only says something."""
    arrive(title)
    heading(title)
    paragraphs(texts)
    if retry:
        st.button("Try again", key="retry", type="primary")


def feedback_page(here: Tab, visit: Visit) -> None:
    """After the practice ballot; the first clock starts with the button."""
    arrive("feedback")
    heading("That was the practice", over=visit.title)
    paragraphs((here.feedback,))
    st.button(
        f"Start with ballot 1 of {visit.progress.total if visit.progress else visit.ballots}",
        key="feedback-start",
        type="primary",
        width="stretch",
        on_click=go_on,
    )


def pause_page(here: Tab, visit: Visit) -> None:
    """The clock stands still."""
    arrive("pause")
    notice(here.notice)
    heading("Paused", over=visit.title)
    progress_bar(visit.progress)
    paragraphs(
        (
            "Your answers are saved, and the clock stands still. Go on whenever you like: here, "
            "or with your personal link on any device. The address of this page is your link.",
        )
    )
    st.button(
        "Continue", key="pause-continue", type="primary", width="stretch", on_click=resume
    )
    _way_out()


def withdrawal_page(here: Tab, visit: Visit) -> None:
    """Are you sure?"""
    arrive("withdrawal")
    notice(here.notice)
    heading("Withdraw from the study?", over=visit.title)
    paragraphs(
        (
            "Everything that you gave us will be deleted at once: your answers "
            f"({visit.progress.saved if visit.progress else 0} so far), your degree and your "
            "field. This cannot be undone, and your link will stop working.",
            "If you only want a break, choose “Keep my answers”, and then Pause.",
        )
    )
    with st.container(horizontal=True, key="rate-confirm"):
        st.button("Keep my answers", key="withdraw-no", type="primary", on_click=go_on)
        st.button("Withdraw and delete everything", key="withdraw-yes", on_click=withdraw)


def ending_page(here: Tab, visit: Visit) -> None:
    """Thanks, or why this link leads no further, and what to do."""
    arrive(str(visit.stage))
    notice(here.notice)
    title, texts = words.ending(visit)
    heading(title, over=visit.title)
    paragraphs(texts)
    if visit.stage == Stage.FINISHED:
        if visit.debrief:
            st.html('<h2 class="rate-h2">What the study is about</h2>')
            paragraphs((visit.debrief,))
        if visit.contact:
            paragraphs((f"Questions? Please write to {visit.contact}.",))
    if visit.progress is not None:
        _way_out()


def _way_out() -> None:
    st.button(
        "Withdraw from the study", key="ask-withdrawal", type="tertiary", on_click=ask_withdrawal
    )
