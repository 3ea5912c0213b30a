"""The planner: the precision of a study, simulated, in sentences, a picture and a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, isfinite
from pathlib import Path
from typing import cast

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from pages.ui.figures.planning import Point, planning_figure
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import is_organiser, login_key
from pages.ui.kit.jobs import Job, Step
from pages.ui.kit.messages import (
    quiet_note,
    show_error,
    show_heading,
    show_note,
    show_warning,
    table_html,
)
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.progress import show_job
from pages.ui.kit.text import escape, unbroken_prose
from pages.ui.kit.wiring import jobs, workers
from pages.ui.kit.workers import UNHURRIED, repeat_progress
from pages.ui.organising.desk import action_callback, draft_of, go_to, show_error_at
from pages.ui.organising.planner_inputs import PlanRequest, plan_inputs, request_for
from pages.ui.organising.tasks import simulate
from study.design import Sidedness
from study.errors import NotFoundError
from study.material import Study
from study.organising import OrganiserService
from study.planning import (
    CAUTIOUS,
    PAPER,
    Advice,
    Grid,
    MonteCarloEstimate,
    Plan,
    VerdictRule,
    approximate,
    sizes_of,
)
from study.planning.phrases import (
    advice_headline,
    compare_sentence,
    design_sentence,
    paper_assumes,
    plan_sentences,
    route_sentence,
    small_sentence,
)
from study.statistics.clusters import Estimand
from study.statistics.simulation import StudyModel

_ADDRESSES = {
    "pairs": "more pairs",
    "raters": "more raters",
    "pairs and raters": "more of both",
    "problems": "more problems",
}


@dataclass(frozen=True, eq=False)
class PlannerResult:
    request: PlanRequest
    plan: Plan
    grid: Grid
    advice: Advice | None


def draw(result: PlannerResult, *, changed: bool) -> None:
    """Draw a result; `changed` warns that the fields no longer ask for it."""
    plan = result.plan
    if changed:
        show_warning("The numbers above have changed since this was simulated: simulate again.")
    headline, *rest = plan_sentences(plan, warning=False)
    small = small_sentence(plan)
    st.html(
        '<section class="eic-plan" role="status">'
        f'<p class="eic-plan-first">{unbroken_prose(headline)}</p>'
        + "".join(f"<p>{unbroken_prose(text)}</p>" for text in rest)
        + "</section>"
    )
    if small:
        show_warning(str(small))
    if result.advice is not None:
        _advice(result.advice)
    _figure(result)
    _table(plan)
    quiet_note(
        f"{design_sentence(plan.model)} {plan.studies:,} simulated studies, seed {plan.seed}."
    )


def _advice(advice: Advice) -> None:
    first = advice_headline(advice)
    show_heading("What would be enough")
    items = "".join(
        f"<li>{unbroken_prose(route_sentence(advice.model, route, advice.target))}</li>"
        for route in advice.routes
    )
    ways = f'<ul class="eic-list eic-plan-ways">{items}</ul>' if items else ""
    st.html(f'<section class="eic-plan-advice"><p>{unbroken_prose(first)}</p>{ways}</section>')


def _figure(result: PlannerResult) -> None:
    grid = result.grid
    if not any(isfinite(width) for row in grid.half_width for width in row):
        return
    show_heading("Pairs, raters, or problems?")
    compared = compare_sentence(result.plan.model, result.plan.rule)
    if compared:
        st.html(f'<p class="eic-plan-advice">{unbroken_prose(compared)}</p>')
    diamonds = "; diamonds are designs that would be enough" if result.advice else ""
    quiet_note(
        "Each line is a number of raters. To the right the same votes are spread over more pairs "
        "of the same problems; "
        "from one line to the next the same pairs get more votes. The lines are arithmetic. The "
        f"dot is this design, simulated{diamonds}."
    )
    target = result.request.target
    width = target.half_width if target else None
    show_chart(lambda: planning_figure(grid, _points(result), width), key="plan-figure")


def _points(result: PlannerResult) -> list[Point]:
    designs = [("this design", result.plan)]
    if result.advice is not None:
        designs += [
            (_ADDRESSES[route.way], route.simulated)
            for route in result.advice.routes
            if route.simulated is not None and route.reached
        ]
    return [
        Point(p.model.pairs, p.model.raters, p.half_width.value, p.half_width.error, name)
        for name, p in designs
        if p.half_width is not None
    ]


def _table(plan: Plan) -> None:
    show_heading("Clusters allowed for, or not")
    rows = [
        (
            "Half-width of the interval, points",
            _points_of(plan.half_width),
            _points_of(plan.naive_half_width),
        ),
        (
            f"Holds the truth (should be {wording.level_percent(plan.level)})",
            _share(plan.coverage),
            _share(plan.naive_coverage),
        ),
        (
            f"Finds a preference at {wording.level_percent(plan.rule.alpha)}",
            _share(plan.power),
            _share(plan.naive_power),
        ),
        ("Worth, in independent votes", _plain(plan.effective_votes), f"{plan.votes:,.0f}"),
    ]
    st.html(table_html(rows, ("", "allowed for (report’s headline)", "taken as independent")))
    quiet_note(
        "After ±: the Monte-Carlo standard error, by which another seed would move the number."
    )


def _points_of(value: MonteCarloEstimate | None) -> str:
    if value is None:
        return "none"
    return f"{wording.points(value.value)} ± {wording.points(value.error, 2)}"


def _share(value: MonteCarloEstimate | None) -> str:
    if value is None:
        return "none"
    return f"{wording.percent(value.value, 1)} ± {wording.points(value.error)}"


def _plain(value: MonteCarloEstimate | None) -> str:
    return "none" if value is None else f"{value.value:,.0f} ± {value.error:.1f}"


NEW, EXAMPLE = "new", "paper"


@dataclass(frozen=True)
class _Place:
    """The start of a plan: its name in the address, and its study."""

    name: str
    study: Study | None = None


def planner_view(service: OrganiserService) -> None:
    st.html(Path(__file__).with_name("planner.css"))
    place = _place(service)
    _head(place)
    job = jobs().get(_key(place.name))
    try:
        request = plan_inputs(place.name, _start(service, place, job))
    except UserError as error:
        show_error(error)
        request = None
    if request is not None and not (job and _answers(job, request)):
        _instant_estimate(request)
    running = job is not None and job.running
    _buttons(place, request, running)
    show_error_at("plan")
    if job is None:
        quiet_note(
            "A simulation draws many such studies, analyses each as the report will, and "
            "counts. It takes some seconds."
        )
    elif running:
        _progress(_key(place.name))
    else:
        _show_ending(place, job, request)


def _answers(job: Job, request: PlanRequest | None) -> bool:
    return isinstance(job.result, PlannerResult) and job.result.request == request


def _place(service: OrganiserService) -> _Place:
    name = st.query_params.get("plan", NEW)
    if name in (NEW, EXAMPLE):
        return _Place(name)
    try:
        if not (name.isascii() and name.isdecimal() and len(name) < 10):
            raise NotFoundError("there is no such study", hint="plan a new one")
        return _Place(name, service.study(int(name)))
    except NotFoundError as error:
        show_error(error)
        return _Place(NEW)


def _head(place: _Place) -> None:
    study = place.study
    if study is None:
        st.button(
            "All studies",
            key="all-studies",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=go_to,
        )
        st.html('<h1 class="eic-title">Plan a study</h1>')
    else:
        st.button(
            "Back to the design",
            key="back-to-design",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=lambda: go_to(study=study.id, step="design"),
        )
        st.html(f'<h1 class="eic-title">Plan: {escape(study.name, 100)}</h1>')
    if place.name == EXAMPLE:
        source = "The study of Yu et al.: 172 pairs, 1080 votes, 840 that count."
        show_note(f"{source} {paper_assumes()}")
    else:
        quiet_note(
            "How sure will the study be of its answer, and what would make it surer: more "
            "pairs, more raters, more problems? Nothing here changes a study."
        )


def _start(service: OrganiserService, place: _Place, job: Job | None) -> PlanRequest:
    """The request that the fields show at first: the last one of this place, or its default."""
    if job is not None and isinstance(job.result, PlannerResult):
        return job.result.request
    if place.name == EXAMPLE:
        return request_for(PAPER)
    if place.study is None:
        return request_for(CAUTIOUS)
    design = place.study.design
    one_sided = design.sidedness is Sidedness.ONE_SIDED
    estimand = cast("Estimand", design.estimand) if design.estimand else None
    rule = VerdictRule(design.confidence_level, one_sided, estimand)
    return request_for(_model_of(service, place.study), rule)


def _model_of(service: OrganiserService, study: Study) -> StudyModel:
    """A study's own numbers, as far as it has them, with raters enough for the votes it wants."""
    draft = draft_of(service, study)
    sizes = sizes_of(pair.pair.problem for pair in draft.included_pairs)
    pairs, problems = sum(sizes) or CAUTIOUS.pairs, len(sizes) or CAUTIOUS.problems
    ballots = min(study.design.ballots_per_rater, pairs)
    model = replace(CAUTIOUS, pairs=pairs, problems=problems, sizes=sizes, ballots=ballots)
    each = approximate(replace(model, raters=1)).votes
    return replace(model, raters=max(2, ceil(model.pairs * study.design.votes_per_pair / each)))


def _instant_estimate(request: PlanRequest) -> None:
    estimate = approximate(request.model, request.rule)
    width = estimate.half_width
    interval = f"± {wording.points(width)} points" if isfinite(width) else "no interval"
    power = wording.percent(estimate.power, 0)
    finds = f", and a power of {power}" if request.model.preference > 0.5 else ""
    show_note(
        f"By arithmetic alone: about {estimate.votes:,.0f} votes that count, {interval}{finds}. "
        "Simulate to confirm it."
    )


def _buttons(place: _Place, request: PlanRequest | None, running: bool) -> None:
    with st.container(horizontal=True, gap="small", key="plan-buttons"):
        st.button(
            "Simulate",
            key="plan-run",
            type="primary",
            disabled=running or request is None,
            on_click=_begin,
            args=(place.name, request),
        )
        if place.name != EXAMPLE:
            st.button(
                "Worked example: the paper’s study",
                key="plan-example",
                type="tertiary",
                on_click=_example,
            )


@uninterrupted()
def _example() -> None:
    go_to(plan=EXAMPLE)
    if jobs().get(_key(EXAMPLE)) is None:
        _begin(EXAMPLE, request_for(PAPER))


def _key(place: str) -> str:
    return f"plan {place} {login_key()}"


@uninterrupted()
def _begin(place: str, request: PlanRequest) -> None:
    def start(service: OrganiserService) -> None:
        jobs().start(_key(place), "Simulating studies", lambda step: _simulate(request, step))

    action_callback("plan", start)


def _simulate(request: PlanRequest, step: Step) -> PlannerResult:
    progress, wait = repeat_progress(step, 0, request.studies)
    plan, grid, advice = workers().run(
        simulate,
        request.model,
        request.target,
        request.rule,
        request.studies,
        request.seed,
        progress=progress,
        wait=wait,
        seconds=UNHURRIED,
        long=True,
    )
    return PlannerResult(request, plan, grid, advice)


@st.fragment(run_every=0.7)
def _progress(key: str) -> None:
    show_job(
        jobs().get(key) if is_organiser() else None,
        lambda job: f"{job.done:,} of {job.total:,} studies simulated.",
        key="cancel-plan",
    )


def _show_ending(place: _Place, job: Job, request: PlanRequest | None) -> None:
    if isinstance(job.result, PlannerResult):
        draw(job.result, changed=not _answers(job, request))
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet_note("The simulation was cancelled.")
    st.button("Dismiss", key="dismiss-plan", on_click=jobs().forget, args=(_key(place.name),))
