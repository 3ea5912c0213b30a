"""The diagnosis in four sentences under the verdict, which comes after the page.

The page is drawn at once, with lines where the sentences will be; a job computes them.  The run
of the page stays for a moment at its end, open to the next click, to draw them; where they take
longer a fragment does.  The job begins a little late, so that a dragged slider starts none.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from eic_core.drawing.layout import focus_node
from pages.ui.diagnosis.service import DiagnosisService, Summary
from pages.ui.diagnosis.taking import take_button
from pages.ui.jobs import Job, Jobs, Step, holding
from pages.ui.service import Aside, Result
from pages.ui.text import prose
from pages.ui.visit import Visit, change, visit
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


@dataclass(frozen=True)
class Place:
    """Where the sentences will be, and the lines that stand there until then.

    What is drawn twice in one run replaces what was there only element by element: so the lines
    have a place of their own, to be emptied.
    """

    waiting: DeltaGenerator
    said: DeltaGenerator


def begin_summary(result: Result) -> Place | None:
    """The sentences, if they are known; else their place, for `finish_summary`."""
    here = visit()
    if here.summarised != result.request or _outdated(here):
        if here.summary_job is not None:
            here.summary_job.cancel()
        here.summarised = result.request
        here.summary_job = _begin(result, diagnosis_service(), here.aside)
    with st.container(key="summary", gap=None):
        place = Place(st.empty(), st.container(gap=None))
    if here.summary_job is not None and not here.summary_job.running:
        with place.said:
            _sentences(result)
        return None
    with place.waiting.container(gap=None):
        _lines_to_come()
    return place


def _outdated(here: Visit) -> bool:
    """Whether what the summary had to leave open has been finished since."""
    job, finishing = here.summary_job, here.finishing
    if job is None or finishing is None or finishing.result is None:
        return False
    return isinstance(job.result, Summary) and not job.result.complete


def finish_summary(place: Place | None, result: Result) -> None:
    """Draw the sentences that `begin_summary` had not, after everything else of the page."""
    job = visit().summary_job
    if place is None or job is None:
        return
    ends = time.monotonic() + WAIT
    while not job.wait(YIELD) and time.monotonic() < ends:
        visit()  # reads the session state: here a newer request ends this run
    place.waiting.empty()
    with place.said:
        if job.running:
            _later(result)
        else:
            _sentences(result)


def _begin(result: Result, service: DiagnosisService, aside: Aside) -> Job:
    slots, node = diagnosis_slots(), focus_node(result.inspection)

    def work(step: Step) -> Summary:
        time.sleep(PATIENCE)
        step(0, 1)
        with holding(slots, lambda: step(0, 1)):
            return service.summary(result, node, lambda _: step(0, 1), aside=aside)

    return Jobs().start("summary", "Diagnosing", work)


@st.fragment(run_every=1.0)
def _later(result: Result) -> None:
    """The sentences once they have come; the next run of the page ends the looking."""
    here = visit()
    if here.summarised != result.request or here.summary_job is None:
        return
    with st.container(gap=None):
        if here.summary_job.running:
            _lines_to_come()
        elif _sentences(result):
            st.rerun()


def _sentences(result: Result) -> bool:
    """What the job found, or why nothing; whether a sentence's question was clicked."""
    job = visit().summary_job
    if job is None or job.result is None:
        said = "The diagnosis was not finished." if job is None or job.error is None else job.error
        st.html(f'<p class="eic-note">{prose(str(said))}</p>')
        return False
    summary: Summary = job.result
    clicked = False
    for field, label, ask in _LINES:
        with st.container(horizontal=True, key=f"summary-{field}", gap="small"):
            clicked |= st.button(
                label, key=f"ask-{ask}", type="tertiary", on_click=change, kwargs={"ask": ask}
            )
            st.html(f'<p class="eic-said">{prose(getattr(summary, field))}</p>', width="stretch")
    if summary.better:
        take_button(result, summary.better, "apply-best", "Inspect that form")
    return clicked


def _lines_to_come() -> None:
    for field, label, _ in _LINES:
        text = "Looking for a form that keeps more digits…" if field == "instead" else "…"
        st.html(f'<p class="eic-to-come"><span>{label}</span>{text}</p>')
