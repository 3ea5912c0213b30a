"""The diagnosis in four sentences under the verdict, computed beside the page.

The page is drawn at once with the sentences to come; a job computes them, and a fragment looks for
its end.  The job waits a moment before it begins, so that a dragged slider starts none.
"""

from __future__ import annotations

import time

import streamlit as st

from eic_core.drawing.layout import focus_node
from eic_core.errors import UserError
from pages.ui.diagnosis.service import DiagnosisService, Summary
from pages.ui.diagnosis.taking import take_button
from pages.ui.jobs import Job, Jobs, Step
from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.visit import change, visit
from pages.ui.wiring import diagnosis_service, diagnosis_slots

_PATIENCE = 0.3
"""Seconds that a request must last before its diagnosis begins."""

_LINES = (
    ("why", "Why", "noise"),
    ("where", "Where", "rows"),
    ("fault", "Whose fault", "writing"),
    ("instead", "Instead", "instead"),
)


def summary_view(result: Result) -> None:
    """Why, where, whose fault and what to write instead; each leads to its question."""
    here = visit()
    if here.summarised != result.request:
        if here.summary_job is not None:
            here.summary_job.cancel()
        here.summarised, here.summary = result.request, None
        here.summary_job = _begin(result, diagnosis_service())
    if here.summary is None and here.summary_job is not None and not here.summary_job.running:
        here.summary = here.summary_job.result
    with st.container(key="summary", gap=None):
        if here.summary is not None:
            _drawn(result, here.summary)
        elif here.summary_job is not None and here.summary_job.running:
            _waiting(result)
        elif here.summary_job is not None:
            _failed(here.summary_job.error)


def _begin(result: Result, service: DiagnosisService) -> Job:
    slots, node = diagnosis_slots(), focus_node(result.inspection)

    def work(step: Step) -> Summary:
        time.sleep(_PATIENCE)
        step(0, 1)
        while not slots.acquire(timeout=0.5):
            step(0, 1)
        try:
            return service.summary(result, node)
        finally:
            slots.release()

    return Jobs().start("summary", "Diagnosing", work)


@st.fragment(run_every=0.5)
def _waiting(result: Result) -> None:
    """The lines to come, until the job has ended."""
    here = visit()
    if here.summarised == result.request and here.summary_job is not None:
        if not here.summary_job.running:
            st.rerun()
        _drawn(result, Summary("…", "…", "…", "Looking for a form that keeps more digits…"))


def _drawn(result: Result, summary: Summary) -> None:
    for field, label, ask in _LINES:
        with st.container(horizontal=True, key=f"summary-{field}", gap="small"):
            st.button(label, key=f"ask-{ask}", type="tertiary", on_click=_ask, args=(ask,))
            st.html(f'<p class="eic-said">{prose(getattr(summary, field))}</p>', width="stretch")
    if summary.better:
        take_button(result, summary.better, "apply-best", "Inspect that form")


def _failed(error: UserError | None) -> None:
    said = str(error) if error is not None else "The diagnosis was not finished."
    st.html(f'<p class="eic-note">{prose(said)}</p>')


def _ask(ask: str) -> None:
    change(ask=ask)
