"""Long work as a visitor sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui.kit.caches import Progress
from pages.ui.kit.jobs import Job


def show_job(
    job: Job | None,
    text: Callable[[Job], str],
    *,
    key: str,
    label: str = "Cancel",
    help: str | None = None,
) -> None:
    """A job's progress and a button that ends it, for a fragment that runs again and again."""
    if job is None or not job.running:  # the page is to be drawn anew, outside the fragment
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    st.progress(min(1.0, share), text=text(job))
    st.button(label, key=key, on_click=job.cancel, disabled=job.cancelled, help=help)


def progress_text(job: Job, verb: str, things: str, before: str) -> str:
    """How far a job is; `before` is what it does before it has a number of things.

    >>> progress_text(Job("", 3, 5), "Scoring", "formulas", "reading the list")
    'Scoring: 3 of 5 formulas'
    >>> progress_text(Job(""), "Scoring", "formulas", "reading the list")
    'Scoring: reading the list'
    """
    return f"{verb}: {job.done:,} of {job.total:,} {things}" if job.total else f"{verb}: {before}"


_PATIENCE = 0.3
"""Seconds of work before a progress bar appears."""

_MEASURING = "Measuring; doubtful samples are computed exactly…"


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
