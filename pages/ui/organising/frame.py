"""The frame of a study's pages: which study, its name and state, and its steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.organising.desk import act, complaint, confirming, go, see, seen, show_error, told
from pages.ui.organising.drafts import Draft, draft_of
from pages.ui.text import escape
from pages.ui.wiring import lab
from study.design import StudyStatus
from study.errors import NotFoundError
from study.material import Study
from study.organising import OrganiserService


def _never(draft: Draft) -> bool:
    del draft
    return False


@dataclass(frozen=True)
class Step:
    """One page of a study.

    Attributes
    ----------
    name : str
        In the address.
    title : str
    view : callable (service, draft) -> None
    done : callable (draft) -> bool
        Whether its work is done; gets a tick.
    """

    name: str
    title: str
    view: Callable[[OrganiserService, Draft], None]
    done: Callable[[Draft], bool] = _never


def chosen_study(service: OrganiserService) -> Study | None:
    """The study that the address names."""
    wanted = st.query_params.get("study", "")
    if not wanted:
        return None
    try:
        if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 10):
            raise NotFoundError("there is no such study", hint="choose one below")
        see(service, int(wanted))  # before the study is read: what is drawn is at least as new
        return service.study(int(wanted))
    except NotFoundError as error:
        show_error(error)
        return None


def study_frame(service: OrganiserService, study: Study, steps: Sequence[Step]) -> None:
    """Header, steps, and the step's own view."""
    draft = draft_of(service, study)
    _header(study)
    names = [step.name for step in steps]
    wanted = st.query_params.get("step", "")
    if wanted not in names:
        wanted = next((s.name for s in steps if not s.done(draft)), names[0])
        go(study=study.id, step=wanted)
    titles = {
        step.name: (f"{number}  " if study.status == StudyStatus.DRAFT else "")
        + step.title
        + ("  ✓" if step.done(draft) else "")
        for number, step in enumerate(steps, start=1)
    }
    key = f"step-{study.id}-{study.status}"
    # Set in every run: a step that becomes done has a new label, and a click on the old one in the
    # meantime would leave the browser's choice behind the address.
    st.session_state[key] = wanted
    with st.container(key="steps"):
        st.segmented_control(
            "Step",
            names,
            default=wanted,
            key=key,
            format_func=titles.__getitem__,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: go(study=study.id, step=st.session_state[key]),
        )
    complaint("study")
    told("study")
    next(step for step in steps if step.name == wanted).view(service, draft)


def onward(study: Study, step: str, label: str) -> None:
    """A button to the next step."""
    st.button(
        label, key=f"onward-{step}", type="primary", icon=":material/arrow_forward:",
        on_click=lambda: go(study=study.id, step=step),
    )  # fmt: skip


def _header(study: Study) -> None:
    words = {
        StudyStatus.DRAFT: "Draft",
        StudyStatus.OPEN: "Open",
        StudyStatus.CLOSED: "Closed",
    }
    past_deadline = study.status == StudyStatus.OPEN and not study.takes_votes(lab().clock.now())
    shown = "Deadline passed" if past_deadline else words[study.status]
    with st.container(key="study-head", gap="small"):
        st.button(
            "All studies", key="all-studies", type="tertiary", icon=":material/arrow_back:",
            on_click=go,
        )  # fmt: skip
        st.html(
            f'<h1 class="eic-title">{escape(study.name, 100)} '
            f'<span class="eic-state eic-state-{study.status}">{shown}</span></h1>'
        )
        if study.status == StudyStatus.DRAFT:
            _more(study)


def _more(study: Study) -> None:
    """Rename or delete a draft."""
    key = f"rename-{study.id}"

    def rename(service: OrganiserService) -> str:
        service.edit(study.id, name=str(st.session_state[key]))
        return "Renamed."

    def delete(service: OrganiserService) -> str:
        service.delete_draft(study.id, seen=seen(study))
        go()
        return f"The draft `{study.name}` is deleted."

    with st.popover("Rename or delete", type="tertiary", key="draft-more"):
        st.text_input("Name", study.name, key=key, max_chars=100)
        complaint("rename")
        st.button("Rename", key="rename", on_click=act, args=("rename", rename))
        st.divider()
        with confirming(
            "Delete this draft…",
            "The draft goes with its problems, pool and pairs. This cannot be undone.",
            "delete-draft",
        ):
            st.button("Delete it", key="delete", type="primary", on_click=act,
                      args=("studies", delete))  # fmt: skip
