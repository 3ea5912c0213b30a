"""The frame of the inspector: header, progress, and the states without a picture."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui import glossary
from pages.ui.outcome import Outcome
from pages.ui.service import Progress
from pages.ui.text import escape, prose
from pages.ui.visit import Visit

_PATIENCE = 0.3
"""Seconds of work before a progress bar appears."""

_MEASURING = "Measuring; doubtful samples are computed with 60 digits…"


def header() -> None:
    """Name, purpose, and what EIC is on hover."""
    with st.container(key="header", gap="small"):
        st.markdown(
            "### EIC Lab",
            anchors=False,
            width="content",
        )
        st.markdown(
            "Where does a formula lose its digits, and why?",
            help=glossary.WHAT_IS_EIC,
            width="content",
        )


def closed() -> None:
    """In place of the inspector while an open study needs its raters not to have it."""
    with st.container(key="header", gap="small"):
        st.markdown("### EIC Lab", anchors=False, width="content")
    st.html(
        '<div class="eic-empty"><p class="eic-empty-title">The inspector is closed for now</p>'
        "<p>A study is under way here, and its volunteers should judge with their own eyes. The "
        "inspector opens again when the study ends.</p></div>"
    )


@contextmanager
def patient_progress(text: str = _MEASURING) -> Iterator[Progress]:
    """A progress callback that shows itself, with its text, only when the work takes long."""
    slot = st.empty()
    started = time.monotonic()
    last = 0.0

    def progress(fraction: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - started > _PATIENCE and now - last > 0.1:
            last = now
            slot.progress(min(1.0, max(0.0, fraction)), text=text)

    try:
        yield progress
    finally:
        if last:
            slot.empty()


def message(here: Visit, outcome: Outcome) -> None:
    """What stands between the visitor and a picture, or should be known about it."""
    state = here.state
    if here.first:
        st.html(
            '<p class="eic-quiet">This is an example. Paste your own formula above, as you have '
            "it: Python, LaTeX, or what your symbolic-regression tool printed.</p>"
        )
    if outcome.empty:
        st.html(
            '<div class="eic-empty"><p class="eic-empty-title">Paste a formula above, or take an '
            "example.</p><p>You will see its tree coloured by the digits it loses, the "
            "sub-expression to blame, and the data beside it.</p></div>"
        )
    elif outcome.waiting:
        name = escape(state.upload_name or "a table", 60)
        st.html(
            f'<div class="eic-empty"><p class="eic-empty-title">This link needs the file '
            f"<code>{name}</code></p><p>Choose it under Data (hash <code>{escape(state.upload)}"
            "</code>). Uploaded files are never stored on the server, so a link cannot carry "
            "them.</p></div>"
        )
    elif outcome.data_error is not None:
        error = outcome.data_error
        items = "".join(f"<li>{prose(p)}</li>" for p in error.problems[:20])
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">'
            f"{prose(error.message)}</p><p>{prose(error.hint)}</p><ul>{items}</ul></div>"
        )
    if not state.fits_url:
        st.html(
            '<p class="eic-note">The formula is too long for a web address, so reload and shared '
            "links will not restore it. Download the JSON to keep it.</p>"
        )


@contextmanager
def dimmed(stale: bool) -> Iterator[None]:
    """A container for the picture, dimmed while it shows an earlier formula."""
    if stale:
        st.html('<p class="eic-quiet">Below: the last formula that could be measured.</p>')
    with st.container(key="picture-stale" if stale else "picture"):
        yield
