"""The rating page's pages without a ballot: consent, welcome, pause, withdrawal, every end."""

from __future__ import annotations

from datetime import UTC

import streamlit as st

from pages.ui.kit.browser import plot_script
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import rating_service
from pages.ui.rating import words
from pages.ui.rating.pieces import (
    error_beside,
    heading,
    keep_in_browser,
    notice,
    paragraphs,
    prefetch_script,
    progress_bar,
    scroll_to_top,
)
from pages.ui.rating.tab import (
    Tab,
    ask_withdrawal,
    begin_anew,
    continue_session,
    follow_kept,
    give_consent,
    resume,
    withdraw,
)
from study.rating_types import DEGREES, MAX_FIELD, RatingVisit, Stage


def consent_page(tab: Tab, visit: RatingVisit) -> None:
    """The study in short, two questions about the volunteer, and the button."""
    tab.request_id = tab.request_id or rating_service().new_request_id()
    prefetch_script(plot_script())
    notice(tab.notice)
    heading(visit.title, over="You are invited to take part in a study")
    st.html(_facts(visit))
    paragraphs((visit.consent_text,))
    whose = words.LABELLED if visit.labelled else words.UNLABELLED
    st.html(f'<p class="rate-quiet">{escape(whose)}</p>')
    if visit.reusable:
        st.html(f'<p class="rate-quiet">{escape(words.OPEN_LINK)}</p>')
    with st.form("consent", enter_to_submit=False):
        degree, field = "consent-degree", "consent-field"
        st.selectbox(
            "Your highest degree",
            DEGREES,
            index=None,
            key=degree,
            placeholder="Choose one",
            filter_mode=None,
        )
        error_beside(tab.errors.get("degree", ""))
        st.text_input(
            "Your field of study or work",
            key=field,
            max_chars=MAX_FIELD,
            placeholder="For instance: Physics, Teaching, Nursing",
            autocomplete="off",
        )
        error_beside(tab.errors.get("field", ""))
        st.form_submit_button(
            "I agree, and want to take part",
            key="consent-agree",
            type="primary",
            width="stretch",
            on_click=give_consent,
            args=(degree, field),
        )
    st.html('<p class="rate-quiet">If you do not agree, simply close this page.</p>')


def _facts(visit: RatingVisit) -> str:
    facts = [
        ("Time", f"about {visit.expected_minutes} minutes"),
        ("What you do", f"{visit.ballots} times, look at two formulas and choose one"),
    ]
    if visit.deadline is not None:
        until = visit.deadline.astimezone(UTC)
        facts.append(("Open until", f"{until:%d %B %Y, %H:%M} UTC".lstrip("0")))
    if visit.contact:
        facts.append(("Contact", visit.contact))
    rows = "".join(f"<div><dt>{n}</dt><dd>{escape(v)}</dd></div>" for n, v in facts)
    return f'<dl class="rate-facts">{rows}</dl>'


def welcome_page(tab: Tab, visit: RatingVisit) -> None:
    """The personal link and the course of the study, after consent and before any clock runs."""
    scroll_to_top("welcome")
    keep_in_browser()
    notice(tab.notice)
    heading("Thank you for taking part", over=visit.title)
    st.html(f'<p class="rate-prose">{escape(words.KEEP_LINK)}</p>')
    st.code(tab.link, language=None, wrap_lines=True)
    first = "First comes one ballot for practice, which does not count." if visit.practice else ""
    st.html(
        '<h2 class="rate-h2">How it works</h2><ul class="rate-list">'
        f"<li>You will see {visit.ballots} pairs of formulas, one pair at a time. {first}</li>"
        "<li>Both formulas of a pair describe the same data. The picture shows how well.</li>"
        f"<li>For each pair we ask: <b>{escape(visit.question)}</b> There is no right or wrong "
        "answer: we want to know what you think.</li>"
        f"<li><b>R²</b>: {escape(words.R2[0].lower() + words.R2[1:])}</li>"
        f"<li><b>Complexity</b>: {escape(words.COMPLEXITY[0].lower() + words.COMPLEXITY[1:])}</li>"
        "<li>Each answer is saved at once. Take a break whenever you like.</li></ul>"
    )
    name = "Start with the practice ballot" if visit.practice else "Start with the first ballot"
    st.button(name, key="welcome-start", type="primary", width="stretch", on_click=continue_session)


def known_page(visit: RatingVisit, token: str) -> None:
    """Asks whether the person is the one who began with this link in this browser."""
    scroll_to_top("known")
    heading("Welcome back", over=visit.title)
    paragraphs((words.KNOWN_HERE,))
    st.button(
        "Go on where I stopped",
        key="known-continue",
        type="primary",
        width="stretch",
        on_click=follow_kept,
        args=(token,),
    )
    st.button("I am someone else", key="known-other", width="stretch", on_click=begin_anew)


def message_page(title: str, texts: tuple[str, ...], *, retry: bool = False) -> None:
    scroll_to_top(title)
    heading(title)
    paragraphs(texts)
    if retry:
        st.button("Try again", key="retry", type="primary")


def feedback_page(tab: Tab, visit: RatingVisit) -> None:
    """After the practice ballot; the first clock starts with the button."""
    scroll_to_top("feedback")
    heading("That was the practice", over=visit.title)
    paragraphs((tab.feedback,))
    st.button(
        f"Start with ballot 1 of {visit.progress.total if visit.progress else visit.ballots}",
        key="feedback-start",
        type="primary",
        width="stretch",
        on_click=continue_session,
    )


def pause_page(tab: Tab, visit: RatingVisit) -> None:
    scroll_to_top("pause")
    notice(tab.notice)
    heading("Paused", over=visit.title)
    progress_bar(visit.progress)
    paragraphs(
        (
            "Your answers are saved, and the clock stands still. Go on whenever you like: here, "
            "or with your personal link on any device. The address of this page is your link.",
        )
    )
    st.button("Continue", key="pause-continue", type="primary", width="stretch", on_click=resume)
    _way_out()


def withdrawal_page(tab: Tab, visit: RatingVisit) -> None:
    """Asks for confirmation."""
    scroll_to_top("withdrawal")
    notice(tab.notice)
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
        st.button("Keep my answers", key="withdraw-no", type="primary", on_click=continue_session)
        st.button("Withdraw and delete everything", key="withdraw-yes", on_click=withdraw)


def ending_page(tab: Tab, visit: RatingVisit) -> None:
    """Thanks, or why this link leads no further, and what to do."""
    scroll_to_top(str(visit.stage))
    notice(tab.notice)
    title, texts = words.ending_text(visit)
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
