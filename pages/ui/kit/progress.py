"""Long or unfinished work as a visitor sees it, and the button that finishes it (ADR 0013)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.caches import Progress
from pages.ui.kit.inspector_service import InspectionResult, InspectorService
from pages.ui.kit.jobs import Cancelled, Job, Jobs, Step, holding
from pages.ui.kit.text import escape, prose
from pages.ui.kit.visit import Visit, current_visit
from pages.ui.kit.wiring import finishing_slots, inspector_service

UNSEEN = 300.0
"""Seconds after which work ends if nobody looks at its progress."""

_PARTS = 1_000
"""Steps of a whole job: jobs count in whole numbers."""


def unfinished_view(results: Mapping[str, InspectionResult]) -> None:
    """What is missing of each inspection, by its name ("" if there is but one), and a button."""
    lines = "".join(f"<p>{escape(_with_name(n, r.missing), 1000)}</p>" for n, r in results.items())
    with st.container(key="unfinished", gap="small"):
        st.html(
            '<div class="eic-unfinished" role="status"><p class="eic-unfinished-title">The check '
            f"is not finished, so there is no result yet</p>{lines}</div>"
        )
        finish_button(
            "Finish the check",
            "Checking doubtful samples exactly…",
            lambda: finish_check(current_visit(), inspector_service(), tuple(results.values())),
        )
        st.html(
            '<p class="eic-quiet">Double precision alone cannot tell. With fewer samples, under '
            "Data, the check takes less time.</p>"
        )
        for notice in dict.fromkeys(n for result in results.values() for n in result.notices):
            st.html(f'<p class="eic-note">{prose(notice)}</p>')


def _with_name(name: str, missing: str) -> str:
    return f"{name}: {missing}" if name else missing


def finish_check(
    visit: Visit, service: InspectorService, results: tuple[InspectionResult, ...]
) -> Job:
    """Inspect again without a limit, beside the page; the finished results stay for everybody."""
    table, aside = visit.table, visit.aside

    def work(progress: Progress) -> int:
        for place, result in enumerate(results):

            def part(fraction: float, done: int = place) -> None:
                progress((done + fraction) / len(results))

            finished = service.inspect(result.request, table, part, seconds=math.inf)
            aside.put(result.request, finished)
        return len(results)

    return start_finishing(visit, work)


def start_finishing(visit: Visit, work: Callable[[Progress], object]) -> Job:
    """Begin to finish an answer; the work ends if the visit asks for something else or is gone."""
    visit.last_watched = time.monotonic()
    slots = finishing_slots()

    def watched(step: Step) -> object:
        def progress(fraction: float) -> None:
            step(round(fraction * _PARTS), _PARTS)
            if time.monotonic() - visit.last_watched > UNSEEN:
                raise Cancelled

        with holding(slots, lambda: progress(0.0)):
            return work(progress)

    visit.finishing = Jobs().start("finish", "Finishing", watched)
    return visit.finishing


def finish_button(label: str, doing: str, start: Callable[[], object]) -> None:
    """The button that finishes an answer by calling `start`, or its progress beside `doing`."""
    job = current_visit().finishing
    if job is not None and job.running:
        _progress(doing)
        return
    if job is not None and job.error is not None:
        st.html(f'<p class="eic-note eic-bad">{prose(str(job.error))}</p>')
    st.button(
        label,
        key="finish",
        type="primary",
        icon=":material/hourglass_top:",
        on_click=_start,
        args=(start,),
    )


@uninterrupted()
def _start(start: Callable[[], object]) -> None:
    start()


@st.fragment(run_every=0.6)
def _progress(doing: str) -> None:
    visit = current_visit()
    visit.last_watched = time.monotonic()
    show_job(visit.finishing, lambda _: doing, key="stop-finishing", label="Stop")


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
