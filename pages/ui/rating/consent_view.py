"""Before the first ballot: consent, and what to know."""

from __future__ import annotations

from datetime import UTC

import streamlit as st

from pages.ui.assets import plot_script
from pages.ui.rating import words
from pages.ui.rating.pieces import (
    arrive,
    error_beside,
    fetch_ahead,
    heading,
    notice,
    paragraphs,
)
from pages.ui.rating.tab import Tab, agree, go_on
from pages.ui.text import escape
from pages.ui.wiring import rating_service
from study.rating_types import DEGREES, MAX_FIELD, Visit


def consent_page(here: Tab, visit: Visit) -> None:
    """What the study is, the two questions about the volunteer, and the button."""
    here.request_id = here.request_id or rating_service().new_request_id()
    fetch_ahead(plot_script())
    notice(here.notice)
    heading(visit.title, over="You are invited to take part in a study")
    st.html(_facts(visit))
    paragraphs((visit.consent_text,))
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
        error_beside(here.errors.get("degree", ""))
        st.text_input(
            "Your field of study or work",
            key=field,
            max_chars=MAX_FIELD,
            placeholder="For instance: Physics, Teaching, Nursing",
            autocomplete="off",
        )
        error_beside(here.errors.get("field", ""))
        st.form_submit_button(
            "I agree, and want to take part",
            key="consent-agree",
            type="primary",
            width="stretch",
            on_click=agree,
            args=(degree, field),
        )
    st.html('<p class="rate-quiet">If you do not agree, simply close this page.</p>')


def _facts(visit: Visit) -> str:
    """Time, number of ballots, deadline, contact."""
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


def welcome_page(here: Tab, visit: Visit) -> None:
    """Right after consent, before any clock runs: the personal link, and how it goes."""
    arrive("welcome")
    notice(here.notice)
    heading("Thank you for taking part", over=visit.title)
    st.html(f'<p class="rate-prose">{escape(words.KEEP_LINK)}</p>')
    st.code(here.link, language=None, wrap_lines=True)
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
    st.button(name, key="welcome-start", type="primary", width="stretch", on_click=go_on)
