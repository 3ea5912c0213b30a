"""The list of studies, and the frame around one: its name, state and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from eic_core import wording
from pages.ui.kit.messages import show_error
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import lab
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    confirmation_popover,
    deletion_message,
    go_to,
    organiser_desk,
    remember_version,
    show_done_message,
    show_error_at,
    version_seen,
)
from pages.ui.organising.planner import NEW, planner_view
from study.design import StudyDesign, StudyStatus, check_base_url
from study.errors import DesignError, NotFoundError
from study.material import Study
from study.organising import OrganiserService


@dataclass(frozen=True)
class StudyStep:
    """One page of a study."""

    name: str  # In the address
    title: str
    view: Callable[[OrganiserService, StudyDraft], None]
    done: Callable[[StudyDraft], bool] = lambda _: False  # Whether its work is done; gets a tick


def chosen_study(service: OrganiserService) -> Study | None:
    """The study that the address names."""
    number = st.query_params.get("study", "")
    if not number:
        return None
    try:
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise NotFoundError("there is no such study", hint="choose one below")
        # Before the study is read: what is drawn is then at least as new as the version noted.
        remember_version(service, int(number))
        return service.study(int(number))
    except NotFoundError as error:
        show_error(error)
        return None


def study_step(study: Study, draft: StudyDraft, steps: Sequence[StudyStep]) -> StudyStep:
    """Draw the study's header and its steps; returns the chosen step, for the page to draw."""
    _header(study)
    names = [step.name for step in steps]
    name = st.query_params.get("step", "")
    if name not in names:
        name = next((s.name for s in steps if not s.done(draft)), names[0])
        go_to(study=study.id, step=name)
    titles = {
        step.name: (f"{number}  " if study.status == StudyStatus.DRAFT else "")
        + step.title
        + ("  ✓" if step.done(draft) else "")
        for number, step in enumerate(steps, start=1)
    }
    key = f"step-{study.id}-{study.status}"
    # Set in every run: a step that becomes done has a new label, and a click on the old one in the
    # meantime would leave the browser's choice behind the address.
    st.session_state[key] = name
    with st.container(key="steps"):
        st.segmented_control(
            "Step",
            names,
            default=name,
            key=key,
            format_func=titles.__getitem__,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: go_to(study=study.id, step=st.session_state[key]),
        )
    show_error_at("study")
    show_done_message("study")
    return next(step for step in steps if step.name == name)


def next_step_button(study: Study, step: str, label: str) -> None:
    st.button(
        label,
        key=f"onward-{step}",
        type="primary",
        icon=":material/arrow_forward:",
        on_click=lambda: go_to(study=study.id, step=step),
    )


def _header(study: Study) -> None:
    words = {
        StudyStatus.DRAFT: "Draft",
        StudyStatus.OPEN: "Open",
        StudyStatus.CLOSED: "Closed",
    }
    past_deadline = study.status == StudyStatus.OPEN and not study.takes_votes(lab().clock.now())
    state_text = "Deadline passed" if past_deadline else words[study.status]
    with st.container(key="study-head", gap="small"):
        st.button(
            "All studies",
            key="all-studies",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=go_to,
        )
        st.html(
            f'<h1 class="eic-title">{escape(study.name, 100)} '
            f'<span class="eic-state eic-state-{study.status}">{state_text}</span></h1>'
        )
        if study.status == StudyStatus.DRAFT:
            _more(study)


def _more(study: Study) -> None:
    key = f"rename-{study.id}"

    def rename(service: OrganiserService) -> str:
        service.edit(study.id, name=str(st.session_state[key]))
        return "Renamed."

    def delete(service: OrganiserService) -> str:
        service.delete_draft(study.id, version_seen=version_seen(study))
        go_to()
        return deletion_message(f"The draft `{study.name}` is deleted.")

    with st.popover("Rename or delete", type="tertiary", key="draft-more"):
        st.text_input("Name", study.name, key=key, max_chars=100)
        show_error_at("rename")
        st.button("Rename", key="rename", on_click=action_callback, args=("rename", rename))
        st.divider()
        with confirmation_popover(
            "Delete this draft…",
            "Deletes the draft with its problems, pool and pairs. This cannot be undone.",
            "delete-draft",
        ):
            st.button(
                "Delete it",
                key="delete",
                type="primary",
                on_click=action_callback,
                args=("studies", delete),
            )


_STATES = {StudyStatus.DRAFT: "Draft", StudyStatus.OPEN: "Open", StudyStatus.CLOSED: "Closed"}


def studies_view(service: OrganiserService) -> None:
    """All studies, newest first, and a form for a new one; or the planner."""
    if "plan" in st.query_params:
        planner_view(service)
        return
    st.html('<h1 class="eic-title">Studies</h1>')
    if lab().demo:
        st.html(
            '<p class="eic-note">This is a demo. Whoever sits at this computer is the organiser; '
            "links open on this computer only, and nobody is invited for real. The inspector "
            "stays open while a demo study runs. For a real study, stop this and start "
            "<code>make serve</code>.</p>"
        )
    show_error_at("studies")
    show_done_message("studies")
    studies = service.studies()
    if not studies:
        st.html(
            '<div class="eic-empty eic-small"><p class="eic-empty-title">No study yet</p><p>A '
            "study needs problems (tables of data), a pool of formulas that some search found "
            "for them, and people to send links to. Give it a name to begin.</p></div>"
        )
    for study in studies:
        _row(study)
    _new(bool(studies))
    st.button(
        "Plan a study: how many pairs and raters does it take?",
        key="plan-a-study",
        type="tertiary",
        icon=":material/straighten:",
        on_click=lambda: go_to(plan=NEW),
    )


def _row(study: Study) -> None:
    with st.container(key=f"study-row-{study.id}", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<p class="eic-row-title">{escape(study.name, 100)} '
            f'<span class="eic-state eic-state-{study.status}">{_STATES[study.status]}</span></p>'
            f'<p class="eic-quiet">{_when(study)}</p>',
            width="stretch",
        )
        st.button(
            "Open",
            key=f"open-{study.id}",
            on_click=lambda: go_to(study=study.id),
        )


def _when(study: Study) -> str:
    if study.closed_at is not None:
        return f"closed {wording.minute(study.closed_at)}"
    if study.frozen_at is not None:
        return f"open since {wording.minute(study.frozen_at)}"
    return f"begun {wording.minute(study.created_at)}"


def _new(others: bool) -> None:
    def create(service: OrganiserService) -> str:
        name = str(st.session_state["new-study"])
        study = service.create(name, StudyDesign(public_base_url=_own_address()))
        st.session_state["new-study"] = ""
        go_to(study=study.id, step="problems")
        return ""

    with st.container(key="new-study-form", gap="small"):
        st.html(f'<h3 class="eic-h">{"Another study" if others else "Begin"}</h3>')
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.text_input(
                "Name, for organisers only",
                key="new-study",
                max_chars=100,
                placeholder="Pilot with the physics group",
            )
            st.button(
                "Begin a draft",
                key="create",
                type="primary",
                on_click=action_callback,
                args=("new-study", create),
            )
        show_error_at("new-study")
    organiser_desk().page_values.pop("editing", None)


def _own_address() -> str:
    """The address that this browser uses, a likely start of links."""
    url = st.context.url or ""
    scheme, separator, rest = url.partition("://")
    host = rest.partition("/")[0]
    own = f"{scheme}://{host}" if separator and host else ""
    try:
        check_base_url(own)
    except DesignError:
        return StudyDesign().public_base_url
    return own
