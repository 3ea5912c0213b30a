"""Language models: asked about every pair of a frozen study, beside the page.

The page shows the progress and price of a model, and nothing of what it prefers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import organiser
from pages.ui.kit.jobs import Job, Step
from pages.ui.kit.messages import quiet_note, show_error, show_heading, show_note
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import jobs, lab
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    organiser_desk,
    show_done_message,
    show_error_at,
)
from study.material import Study
from study.model_plan import ModelPlan
from study.model_raters.asking import AskingProgress, Ending
from study.model_raters.service import MAX_TOKENS, RunSettings, RunState
from study.organising import OrganiserService
from study.store import ModelRunRow

EVERY = 1.0
LOCAL = "http://localhost:11434/v1"
BUDGET = 1_000_000
_OTHERS = {"tie": "ties", "refused": "refused", "unparsable": "unreadable"}


@dataclass
class AskingTask:
    """The run of a job, and its present trouble with the endpoint."""

    run: ModelRunRow
    trouble: str = ""


def models_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    quiet_note(
        "A model gets what raters get: description, data points, both formulas, R² and complexity, "
        "each pair in both orders. Its answers are kept apart from votes, and what it prefers is "
        "shown in the report."
    )
    show_done_message("models")
    show_error_at("models")
    runs = _states(study.id)
    if any(_under_way(state) for state in runs):
        _refreshing(study.id)
    else:
        _draw(study.id, runs)
    _form(study, tuple(state for state in runs if state.run.id or _under_way(state)))


def _states(study_id: int) -> tuple[RunState, ...]:
    """Runs with answers, then runs that were started and have none yet."""
    service = lab().models
    runs = service.runs(study_id)
    stored = {state.run.label for state in runs}
    started = [job.about.run for job in jobs().under(_key(study_id, ""))]
    return (*runs, *(service.state(run) for run in started if run.label not in stored))


@st.fragment(run_every=EVERY)
def _refreshing(study_id: int) -> None:
    """The runs alone, while one is under way."""
    # A fragment polls on after a logout in another tab: each run checks the login anew.
    if organiser() is None:
        st.rerun()
    runs = _states(study_id)
    if not any(_under_way(state) for state in runs):
        st.rerun()
    _draw(study_id, runs)


def _draw(study_id: int, runs: tuple[RunState, ...]) -> None:
    for number, state in enumerate(runs, 1):
        _run(study_id, state, number)


def _run(study_id: int, state: RunState, number: int) -> None:
    job = _job(state)
    running = job is not None and job.running
    with st.container(border=True, key=f"run-{number}", gap="small"):
        word = (
            "pausing"
            if running and job is not None and job.cancelled
            else "asking"
            if running
            else "asked"
            if state.complete
            else "paused"
            if state.answers
            else "no answer yet"
        )
        st.html(
            f'<p class="eic-row-title">{escape(state.run.label, 200)} '
            f'<span class="eic-state">{word}</span></p><p class="eic-quiet">'
            f"{escape(state.run.base_url, 300)}, temperature {state.run.temperature:g}, each pair "
            f"{state.run.repeats} times"
            f"{f'. Exploratory: {state.undeclared}' if state.undeclared else ''}.</p>"
        )
        share = state.answers / state.questions if state.questions else 0.0
        st.progress(min(1.0, share), text=f"{state.answers:,} of {state.questions:,} answers")
        st.html(f'<p class="eic-quiet">{escape(facts_line(state, _rates(study_id)), 500)}</p>')
        if running and job is not None:
            if job.about.trouble:
                show_note(f"{job.about.trouble}.")
            st.button(
                "Pause",
                key=f"pause-{number}",
                on_click=_pause,
                args=(job,),
                disabled=job.cancelled,
                help="Answers under way are kept.",
            )
            return
        if state.complete:
            return
        _show_ending(job)
        st.button(
            "Go on" if state.answers else "Try again",
            key=f"resume-{number}",
            on_click=_resume,
            args=(state,),
            help="Takes the budget, the calls at a time and the longest answer from below.",
        )


def facts_line(state: RunState, rates: Mapping[str, float]) -> str:
    """Outcomes, tokens and price so far; `rates` are prices of a million tokens, "in" and "out",
    and no price is given where both are 0.
    """
    others = [
        f"{number:,} {name}"
        for key, name in _OTHERS.items()
        if (number := state.outcomes.get(key, 0))
    ]
    parts = [f"{wording.join(others)} among them"] if others else []
    parts.append(f"{state.prompt_tokens:,} tokens in, {state.completion_tokens:,} out")
    if any(rates.values()):
        price = state.price(rates["in"], rates["out"])
        parts.append(
            f"price so far {price:,.2f}"
            # Two decimals would call a small price 0.00.
            if price >= 0.01 or not price
            else "price so far under 0.01"
        )
    if state.uncounted:
        parts.append(f"{state.uncounted:,} answers whose tokens the endpoint did not count")
    return "; ".join(parts) + "."


def _show_ending(job: Job | None) -> None:
    """Say how the last job ended, if not by the last answer."""
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
        return
    progress = job.result
    if not isinstance(progress, AskingProgress):
        return
    if progress.ending == Ending.BUDGET:
        show_note(
            f"The budget allows no further call: {progress.tokens:,} tokens are spent. "
            "Enter a larger one below and go on."
        )
    elif progress.ending == Ending.TROUBLE:
        show_error(
            UserError(
                f"the endpoint does not answer ({progress.trouble})", hint="go on when it does"
            )
        )


# --- another model ---


def _form(study: Study, runs: tuple[RunState, ...]) -> None:
    plan = study.design.model_raters
    labels = {state.run.label for state in runs}
    waiting = [name for name in plan.models if name not in labels] if plan else []
    show_heading("Ask another model" if runs else "Ask a model")
    if waiting:
        show_note(f"Declared, and not asked yet: {wording.join(waiting)}.")
    elif plan is None:
        quiet_note(
            "No model was declared before this study was frozen, so whatever is asked is "
            "reported as exploratory."
        )
    defaults = plan or ModelPlan(("none",))
    key = f"ask-{study.id}"
    usual = runs[-1].run.base_url if runs else lab().settings.model_url or LOCAL
    left, right = st.columns(2, gap="large")
    with left:
        st.text_input(
            "Address of an OpenAI-compatible endpoint", usual, key=f"{key}-url", max_chars=300
        )
        st.text_input(
            "Model, as the endpoint knows it",
            waiting[0] if waiting else "",
            key=f"{key}-model-{len(runs)}",
            max_chars=200,
            placeholder="qwen3:8b",
        )
        st.number_input(
            "Times that a pair is asked",
            2,
            100,
            defaults.repeats,
            step=2,
            key=f"{key}-repeats",
            width=260,
        )
        st.number_input(
            "Temperature", 0.0, 2.0, defaults.temperature, key=f"{key}-temperature", width=260
        )
    with right:
        _limit_fields(study.id)
    st.button("Ask", key=f"{key}-begin", type="primary", on_click=_begin, args=(study, len(runs)))
    quiet_note(
        "A local endpoint (llama.cpp, vLLM, Ollama) needs no key. Another is named, with its key, "
        "by EIC_LAB_MODEL_URL and EIC_LAB_MODEL_KEY where the app is started; the key is stored "
        "nowhere."
    )


def _limit_fields(study_id: int) -> None:
    key = f"ask-{study_id}"
    st.number_input("Calls at a time", 1, 64, 8, key=f"{key}-concurrency", width=260)
    st.number_input(
        "Budget, in tokens of the whole run",
        1,
        10**9,
        BUDGET,
        step=100_000,
        key=f"{key}-budget",
        width=260,
    )
    st.number_input(
        "Longest answer, in tokens",
        1,
        10**6,
        MAX_TOKENS,
        step=1000,
        key=f"{key}-longest",
        width=260,
        help="Thoughts count, too: a model that thinks needs 4,000 or more. An answer that"
        " is cut off cannot be read.",
    )
    rates = _rates(study_id)
    for way in rates:
        st.number_input(
            f"Price of a million tokens {way}",
            0.0,
            1e6,
            rates[way],
            key=f"{key}-{way}",
            width=260,
        )
    # Streamlit forgets the fields when another step is shown; the desk does not.
    organiser_desk().page_values[f"{key}-rates"] = _rates(study_id)


def _rates(study_id: int) -> dict[str, float]:
    """The prices that the organiser has entered, kept while this tab is open."""
    stored = organiser_desk().page_values.get(f"ask-{study_id}-rates", {})
    return {
        way: float(st.session_state.get(f"ask-{study_id}-{way}", stored.get(way, 0.0)) or 0.0)
        for way in ("in", "out")
    }


@uninterrupted()
def _begin(study: Study, runs: int) -> None:
    key = f"ask-{study.id}"

    def do(service: OrganiserService) -> str:
        typed = {
            name: st.session_state[f"{key}-{name}"] for name in ("url", "repeats", "temperature")
        }
        settings = RunSettings(
            str(st.session_state[f"{key}-model-{runs}"]),
            str(typed["url"]),
            int(typed["repeats"]),
            round(float(typed["temperature"]), 6),
        )
        lab().endpoint(settings.base_url)
        _start(lab().models.begin(study.id, settings))
        return ""

    action_callback("models", do)


@uninterrupted()
def _resume(state: RunState) -> None:
    def do(service: OrganiserService) -> str:
        _start(state.run)
        return ""

    action_callback("models", do)


@uninterrupted()
def _pause(job: Job) -> None:
    def do(service: OrganiserService) -> str:
        job.cancel()
        return ""

    action_callback("models", do)


def _start(run: ModelRunRow) -> None:
    """Ask beside the page; the job goes on when the page is closed."""
    key, about = f"ask-{run.study_id}", AskingTask(run)
    endpoint, service = lab().endpoint(run.base_url), lab().models
    # Read now: the job's thread has no session state.
    concurrency = int(st.session_state.get(f"{key}-concurrency") or 8)
    budget = int(st.session_state.get(f"{key}-budget") or BUDGET)
    longest = int(st.session_state.get(f"{key}-longest") or MAX_TOKENS)

    def work(step: Step) -> AskingProgress:
        def progress(state: AskingProgress) -> None:
            failed = wording.count(state.failures, "call")
            about.trouble = f"{failed} failed: {state.trouble}" if state.failures else ""
            step(state.done, state.total)

        return service.ask(
            run,
            endpoint,
            concurrency=concurrency,
            budget_tokens=budget,
            max_tokens=longest,
            progress=progress,
        )

    jobs().start(_key(run.study_id, run.label), "Asking a model", work, about)


def _key(study_id: int, label: str) -> str:
    return f"asking {study_id} {label}"


def _job(state: RunState) -> Job | None:
    return jobs().get(_key(state.run.study_id, state.run.label))


def _under_way(state: RunState) -> bool:
    job = _job(state)
    return job is not None and job.running
