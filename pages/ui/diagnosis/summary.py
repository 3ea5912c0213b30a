"""The diagnosis in four sentences under the verdict, which comes after the page.

The page is drawn at once, with lines where the sentences will be; a job computes them.  The run
of the page stays for a moment at its end, open to the next click, to draw them; where they take
longer a fragment does.  The job begins a little late, so that a dragged slider starts none.
"""

from __future__ import annotations

import time

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from eic_core.drawing.layout import focus_node
from eic_core.errors import UserError
from pages.ui.diagnosis.service import DiagnosisService, Summary
from pages.ui.diagnosis.taking import take_button
from pages.ui.jobs import Job, Jobs, Step
from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.visit import change, visit
from pages.ui.wiring import diagnosis_service, diagnosis_slots

PATIENCE = 0.15
"""Seconds that a request must last before its diagnosis begins."""

WAIT = 0.9
"""Seconds that the run of a page stays for its diagnosis."""

YIELD = 0.03
"""Seconds between two looks whether the visitor wants something else."""

_LINES = (
    ("why", "Why", "noise"),
    ("where", "Where", "rows"),
    ("fault", "Whose fault", "writing"),
    ("instead", "Instead", "instead"),
)


def begin_summary(result: Result) -> DeltaGenerator:
    """The place of the sentences, with them if they are known; else their job begins."""
    here = visit()
    if here.summarised != result.request:
        if here.summary_job is not None:
            here.summary_job.cancel()
        here.summarised, here.summary = result.request, None
        here.summary_job = _begin(result, diagnosis_service())
    with st.container(key="summary", gap=None):
        slot = st.empty()
    with slot.container(gap=None):
        if _settled():
            _drawn(result)
        else:
            _lines_to_come()
    return slot


def finish_summary(slot: DeltaGenerator, result: Result) -> None:
    """Draw the sentences that `begin_summary` had not, after everything else of the page."""
    here = visit()
    if here.summary is not None or here.summary_job is None:
        return
    ends = time.monotonic() + WAIT
    while not here.summary_job.wait(YIELD) and time.monotonic() < ends:
        visit()  # reads the session state: here a newer request ends this run
    with slot.container(gap=None):
        if _settled():
            _drawn(result)
        else:
            _later(result)


def _begin(result: Result, service: DiagnosisService) -> Job:
    slots, node = diagnosis_slots(), focus_node(result.inspection)

    def work(step: Step) -> Summary:
        time.sleep(PATIENCE)
        step(0, 1)
        while not slots.acquire(timeout=0.2):
            step(0, 1)
        try:
            return service.summary(result, node, progress=lambda _: step(0, 1))
        finally:
            slots.release()

    return Jobs().start("summary", "Diagnosing", work)


def _settled() -> bool:
    """Whether the job has ended; its answer is taken up."""
    here = visit()
    if here.summary is None and here.summary_job is not None and not here.summary_job.running:
        here.summary = here.summary_job.result
    return here.summary is not None or here.summary_job is None or not here.summary_job.running


@st.fragment(run_every=1.0)
def _later(result: Result) -> None:
    """The sentences once they have come; the next run of the page ends the looking."""
    if visit().summarised != result.request:
        return
    if not _settled():
        _lines_to_come()
    elif _drawn(result):
        st.rerun()


def _drawn(result: Result) -> bool:
    """The sentences, or why there are none; whether one was clicked."""
    summary = visit().summary
    if summary is None:
        job = visit().summary_job
        _failed(None if job is None else job.error)
        return False
    clicked = False
    for field, label, ask in _LINES:
        with st.container(horizontal=True, key=f"summary-{field}", gap="small"):
            clicked |= st.button(
                label, key=f"ask-{ask}", type="tertiary", on_click=_ask, args=(ask,)
            )
            st.html(f'<p class="eic-said">{prose(getattr(summary, field))}</p>', width="stretch")
    if summary.better:
        take_button(result, summary.better, "apply-best", "Inspect that form")
    return clicked


def _lines_to_come() -> None:
    for field, label, _ in _LINES:
        text = "Looking for a form that keeps more digits…" if field == "instead" else "…"
        st.html(f'<p class="eic-to-come"><span>{label}</span>{text}</p>')


def _failed(error: UserError | None) -> None:
    said = str(error) if error is not None else "The diagnosis was not finished."
    st.html(f'<p class="eic-note">{prose(said)}</p>')


def _ask(ask: str) -> None:
    change(ask=ask)
