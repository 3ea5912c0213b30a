"""The planner: how sharp a study will be, simulated before anybody is asked to vote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from eic_core.errors import UserError
from pages.ui.door import is_organiser, login_key
from pages.ui.jobs import Job, Step
from pages.ui.organising.desk import act, complaint, go, note, quiet, show_error
from pages.ui.organising.drafts import draft_of
from pages.ui.organising.planner_inputs import Request, ask, request_for
from pages.ui.organising.planner_result import Planned, draw
from pages.ui.text import escape
from pages.ui.undisturbed import undisturbed
from pages.ui.wiring import jobs
from study.errors import NotFoundError
from study.material import Study
from study.organising import OrganiserService
from study.planning import PAPER, PAPER_ASSUMES, advise, approximate, most_studies, plan, width_grid
from study.planning.words import points
from study.statistics.simulation import StudyModel

NEW, EXAMPLE = "new", "paper"
ADVICE_STUDIES = 400
"""Simulated studies for each design that is tried on the way to a target, at most."""


@dataclass(frozen=True)
class _Place:
    """Where a plan begins: its name in the address, and the study it is for."""

    name: str
    study: Study | None = None


def planner_view(service: OrganiserService) -> None:
    """Fields, what arithmetic says at once, and what simulation says."""
    st.html(Path(__file__).with_name("planner.css"))
    place = _place(service)
    _head(place)
    job = jobs().get(_key(place.name))
    try:
        request = ask(place.name, _start(service, place, job))
    except UserError as error:
        show_error(error)
        request = None
    if request is not None and not (job and _answers(job, request)):
        _at_once(request)
    running = job is not None and job.running
    _buttons(place, request, running)
    complaint("plan")
    if job is None:
        quiet("A simulation draws many such studies, analyses each as the report will, and "
              "counts. It takes some seconds.")  # fmt: skip
    elif running:
        _progress(_key(place.name))
    else:
        _ended(place, job, request)


def _answers(job: Job, request: Request | None) -> bool:
    return isinstance(job.result, Planned) and job.result.request == request


def _place(service: OrganiserService) -> _Place:
    wanted = st.query_params.get("plan", NEW)
    if wanted in (NEW, EXAMPLE):
        return _Place(wanted)
    try:
        if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 10):
            raise NotFoundError("there is no such study", hint="plan a new one")
        return _Place(wanted, service.study(int(wanted)))
    except NotFoundError as error:
        show_error(error)
        return _Place(NEW)


def _head(place: _Place) -> None:
    study = place.study
    if study is None:
        st.button("All studies", key="all-studies", type="tertiary",
                  icon=":material/arrow_back:", on_click=go)  # fmt: skip
        st.html('<h1 class="eic-title">Plan a study</h1>')
    else:
        st.button("Back to the design", key="back-to-design", type="tertiary",
                  icon=":material/arrow_back:",
                  on_click=lambda: go(study=study.id, step="design"))  # fmt: skip
        st.html(f'<h1 class="eic-title">Plan: {escape(study.name, 100)}</h1>')
    if place.name == EXAMPLE:
        note(f"The study of Yu et al.: 172 pairs, 1080 votes, 840 that count. {PAPER_ASSUMES}")
    else:
        quiet("How sure will the study be of its answer, and what would make it surer: more "
              "pairs, more raters? Nothing here changes a study.")  # fmt: skip


def _start(service: OrganiserService, place: _Place, job: Job | None) -> Request:
    """What the fields show at first: the last run of this place, or where it begins."""
    if job is not None and isinstance(job.result, Planned):
        return job.result.request
    if place.name == EXAMPLE:
        return request_for(PAPER)
    return request_for(_model_of(service, place.study) if place.study else StudyModel())


def _model_of(service: OrganiserService, study: Study) -> StudyModel:
    """A draft's own numbers, as far as it has them."""
    draft, usual = draft_of(service, study), StudyModel()
    pairs = len(draft.kept) or usual.pairs
    ballots = min(study.design.ballots_per_rater, pairs)
    return StudyModel(
        pairs=pairs,
        problems=len({pair.pair.problem for pair in draft.kept}) or usual.problems,
        raters=max(2, -(-pairs * study.design.votes_per_pair // ballots)),
        ballots=ballots,
    )


def _at_once(request: Request) -> None:
    """What arithmetic says, while the numbers are being typed."""
    found = approximate(request.model)
    width = found.half_width(request.level)
    said = f"± {points(width)} points" if width != float("inf") else "no interval"
    note(f"By arithmetic alone: about {found.votes:,.0f} votes that count, and {said}. "
         "Simulate to confirm it.")  # fmt: skip


def _buttons(place: _Place, request: Request | None, running: bool) -> None:
    with st.container(horizontal=True, gap="small", key="plan-buttons"):
        st.button("Simulate", key="plan-run", type="primary", disabled=running or request is None,
                  on_click=_begin, args=(place.name, request))  # fmt: skip
        if place.name != EXAMPLE:
            st.button("Worked example: the paper’s study", key="plan-example", type="tertiary",
                      on_click=_example)  # fmt: skip


@undisturbed()
def _example() -> None:
    go(plan=EXAMPLE)
    if jobs().get(_key(EXAMPLE)) is None:
        _begin(EXAMPLE, request_for(PAPER))


def _key(place: str) -> str:
    return f"plan {place} {login_key()}"


@undisturbed()
def _begin(place: str, request: Request) -> None:
    def start(service: OrganiserService) -> None:
        del service
        jobs().start(_key(place), "Simulating studies", lambda step: _work(request, step))

    act("plan", start)


def _work(request: Request, step: Step) -> Planned:
    model, target, studies = request.model, request.target, request.studies
    settings = {"level": request.level, "alpha": request.alpha}
    if target is None:
        found = plan(model, studies=studies, seed=request.seed, progress=step, **settings)
        return Planned(request, found, width_grid(model, request.level), None)
    tries = min(studies, ADVICE_STUDIES)
    total = studies + most_studies(model, tries)
    found = plan(model, studies=studies, seed=request.seed,
                 progress=lambda n, _: step(n, total), **settings)  # fmt: skip
    advice = advise(model, target, start=found, studies=tries, seed=request.seed,
                    progress=lambda n, _: step(studies + n, total), **settings)  # fmt: skip
    return Planned(request, found, advice.grid, advice)


@st.fragment(run_every=0.7)
def _progress(key: str) -> None:
    """How far it has come; the page follows when it has ended."""
    job = jobs().get(key)
    if job is None or not job.running or not is_organiser():
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    st.progress(min(1.0, share), text=f"{job.done:,} of {job.total:,} studies simulated.")
    st.button("Cancel", key="cancel-plan", on_click=job.cancel, disabled=job.cancelled)


def _ended(place: _Place, job: Job, request: Request | None) -> None:
    if isinstance(job.result, Planned):
        draw(job.result, changed=not _answers(job, request))
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet("The simulation was cancelled.")
    st.button("Dismiss", key="dismiss-plan", on_click=jobs().forget, args=(_key(place.name),))
