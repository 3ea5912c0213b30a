"""Language models: asked about every pair of a frozen study, beside the page.

Shows how far a model has come and what it costs, and nothing of what it prefers.
"""

from __future__ import annotations

from collections.abc import Mapping

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
from study.model_raters.asking import AskingProgress, Ending
from study.model_raters.plan import ModelPlan
from study.model_raters.service import RunSettings, RunState
from study.organising import OrganiserService

EVERY = 1.0
LOCAL = "http://localhost:11434/v1"
BUDGET = 1_000_000
_OTHERS = {"tie": "ties", "refused": "refused", "unparsable": "unreadable"}


def models_view(service: OrganiserService, draft: StudyDraft) -> None:
    """Runs under way and done, and a form for another."""
    del service
    study = draft.study
    quiet_note(
        "A model gets what raters get: description, data points, both formulas, R² and complexity, "
        "each pair in both orders. Its answers are kept apart from votes, and what it prefers is "
        "shown in the report."
    )
    show_done_message("models")
    show_error_at("models")
    runs = lab().models.runs(study.id)
    if any(_under_way(state) for state in runs):
        _refreshing(study.id)
    else:
        _draw(study.id, runs)
    _form(study, runs)


@st.fragment(run_every=EVERY)
def _refreshing(study_id: int) -> None:
    """The runs alone, while one is under way; asks who is looking, each time."""
    if organiser() is None:
        st.rerun()
    runs = lab().models.runs(study_id)
    if not any(_under_way(state) for state in runs):
        st.rerun()
    _draw(study_id, runs)


def _draw(study_id: int, runs: tuple[RunState, ...]) -> None:
    for state in runs:
        _run(study_id, state)


def _run(study_id: int, state: RunState) -> None:
    """One model: how far it has come, what it has cost, and a way to pause it or go on."""
    job = _job(state.run.id)
    running = job is not None and job.running
    with st.container(border=True, key=f"run-{state.run.id}", gap="small"):
        said = "asking" if running else "asked" if state.complete else "paused"
        st.html(
            f'<p class="eic-row-title">{escape(state.run.label, 200)} '
            f'<span class="eic-state">{said}</span></p><p class="eic-quiet">'
            f"{escape(state.run.base_url, 300)}, temperature {state.run.temperature:g}, each pair "
            f"{state.run.repeats} times"
            f"{f'. Exploratory: {state.undeclared}' if state.undeclared else ''}.</p>"
        )
        share = state.answers / state.wanted if state.wanted else 0.0
        st.progress(min(1.0, share), text=f"{state.answers:,} of {state.wanted:,} answers")
        st.html(f'<p class="eic-quiet">{escape(facts_line(state, _rates(study_id)), 500)}</p>')
        if running and job is not None:
            st.button("Pause", key=f"pause-{state.run.id}", on_click=job.cancel,
                      disabled=job.cancelled, help="Answers under way are kept.")  # fmt: skip
            return
        _ended(job)
        if not state.complete:
            st.button("Go on", key=f"resume-{state.run.id}", on_click=_resume,
                      args=(study_id, state))  # fmt: skip


def facts_line(state: RunState, rates: Mapping[str, float]) -> str:
    """Outcomes, tokens and price so far, in a line; nothing of what the model prefers.

    Parameters
    ----------
    state : RunState
    rates : mapping
        Price of a million tokens, "in" and "out"; both 0: no price is said.
    """
    others = [
        f"{number:,} {name}" for key, name in _OTHERS.items()
        if (number := state.outcomes.get(key, 0))
    ]  # fmt: skip
    parts = [f"{wording.join(others)} among them"] if others else []
    parts.append(f"{state.prompt_tokens:,} tokens in, {state.completion_tokens:,} out")
    if any(rates.values()):
        price = state.price(rates["in"], rates["out"])
        parts.append(f"price so far {price:,.2f}" if price >= 0.01 or not price else
                     "price so far under 0.01")  # fmt: skip
    if state.uncounted:
        parts.append(f"{state.uncounted:,} answers whose tokens the endpoint did not count")
    return "; ".join(parts) + "."


def _ended(job: Job | None) -> None:
    """How the last asking ended, if not by the last answer."""
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
        return
    found = job.result
    if not isinstance(found, AskingProgress):
        return
    if found.ending == Ending.BUDGET:
        show_note(f"The budget is spent: {found.tokens:,} tokens. Go on with a larger one.")
    elif found.ending == Ending.TROUBLE:
        show_error(UserError(f"the endpoint does not answer ({found.trouble})",
                             hint="go on when it does"))  # fmt: skip


# --- another one ---


def _form(study: Study, runs: tuple[RunState, ...]) -> None:
    plan = study.design.model_raters
    asked = {state.run.label for state in runs}
    waiting = [name for name in plan.models if name not in asked] if plan else []
    show_heading("Ask another model" if runs else "Ask a model")
    if waiting:
        show_note(f"Declared, and not asked yet: {wording.join(waiting)}.")
    elif plan is None:
        quiet_note("No model was declared before this study was frozen, so whatever is asked is "
                   "reported as exploratory.")  # fmt: skip
    shown = plan or ModelPlan(("none",))
    key = f"ask-{study.id}"
    left, right = st.columns(2, gap="large")
    with left:
        st.text_input("Address of an OpenAI-compatible endpoint",
                      lab().settings.model_url or LOCAL, key=f"{key}-url",
                      max_chars=300)  # fmt: skip
        st.text_input("Model, as the endpoint knows it", waiting[0] if waiting else "",
                      key=f"{key}-model-{len(runs)}", max_chars=200,
                      placeholder="qwen3:8b")  # fmt: skip
        st.number_input("Times that a pair is asked", 2, 100, shown.repeats, step=2,
                        key=f"{key}-repeats", width=260)  # fmt: skip
        st.number_input("Temperature", 0.0, 2.0, shown.temperature, key=f"{key}-temperature",
                        width=260)  # fmt: skip
    with right:
        st.number_input("Calls at a time", 1, 64, 8, key=f"{key}-concurrency", width=260)
        st.number_input("Budget, in tokens of the whole run", 1, 10**9, BUDGET, step=100_000,
                        key=f"{key}-budget", width=260)  # fmt: skip
        kept = _rates(study.id)
        for way in kept:
            st.number_input(f"Price of a million tokens {way}", 0.0, 1e6, kept[way],
                            key=f"{key}-{way}", width=260)  # fmt: skip
        organiser_desk().page_values[f"{key}-rates"] = _rates(study.id)
    st.button("Ask", key=f"{key}-begin", type="primary", on_click=_begin, args=(study, len(runs)))
    quiet_note(
        "A local endpoint (llama.cpp, vLLM, Ollama) needs no key. Another is named, with its key, "
        "by EIC_LAB_MODEL_URL and EIC_LAB_MODEL_KEY where the app is started; the key is stored "
        "nowhere."
    )


def _rates(study_id: int) -> dict[str, float]:
    """What the organiser has entered; kept while this tab is open."""
    kept = organiser_desk().page_values.get(f"ask-{study_id}-rates", {})
    return {
        way: float(st.session_state.get(f"ask-{study_id}-{way}", kept.get(way, 0.0)) or 0.0)
        for way in ("in", "out")
    }


@uninterrupted()
def _begin(study: Study, runs: int) -> None:
    key = f"ask-{study.id}"

    def do(service: OrganiserService) -> str:
        del service
        typed = {name: st.session_state[f"{key}-{name}"]
                 for name in ("url", "repeats", "temperature")}  # fmt: skip
        settings = RunSettings(
            str(st.session_state[f"{key}-model-{runs}"]), str(typed["url"]), int(typed["repeats"]),
            round(float(typed["temperature"]), 6),
        )  # fmt: skip
        lab().endpoint(settings.base_url)
        run = lab().models.begin(study.id, settings)
        _start(study.id, run.id, run.base_url)
        return ""

    action_callback("models", do)


@uninterrupted()
def _resume(study_id: int, state: RunState) -> None:
    def do(service: OrganiserService) -> str:
        del service
        _start(study_id, state.run.id, state.run.base_url)
        return ""

    action_callback("models", do)


def _start(study_id: int, run_id: int, base_url: str) -> None:
    """Ask beside the page: it goes on when the page is closed."""
    key = f"ask-{study_id}"
    endpoint, service = lab().endpoint(base_url), lab().models
    concurrency = int(st.session_state.get(f"{key}-concurrency") or 8)
    budget = int(st.session_state.get(f"{key}-budget") or BUDGET)

    def work(step: Step) -> AskingProgress:
        return service.ask(
            run_id, endpoint, concurrency=concurrency, budget_tokens=budget,
            progress=lambda state: step(state.done, state.total),
        )

    jobs().start(_key(run_id), "Asking a model", work)


def _key(run_id: int) -> str:
    return f"asking run {run_id}"


def _job(run_id: int) -> Job | None:
    return jobs().get(_key(run_id))


def _under_way(state: RunState) -> bool:
    job = _job(state.run.id)
    return job is not None and job.running
