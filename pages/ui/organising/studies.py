"""The list of studies, and how a new one begins."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from pages.ui.organising.desk import act, complaint, desk, go, told
from pages.ui.organising.planner import NEW, planner_view
from pages.ui.text import escape
from pages.ui.wiring import lab
from study.design import StudyDesign, StudyStatus, check_base_url
from study.errors import DesignError
from study.material import Study
from study.organising import OrganiserService

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
    complaint("studies")
    told("studies")
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
    st.button("Plan a study: how many pairs and raters does it take?", key="plan-a-study",
              type="tertiary", icon=":material/straighten:",
              on_click=lambda: go(plan=NEW))  # fmt: skip


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
            on_click=lambda: go(study=study.id),
        )


def _when(study: Study) -> str:
    if study.closed_at is not None:
        return f"closed {date(study.closed_at)}"
    if study.frozen_at is not None:
        return f"open since {date(study.frozen_at)}"
    return f"begun {date(study.created_at)}"


def date(at: datetime) -> str:
    """A time for reading."""
    return f"{at:%d %b %Y, %H:%M} UTC"


def _new(others: bool) -> None:
    def create(service: OrganiserService) -> str:
        name = str(st.session_state["new-study"])
        study = service.create(name, StudyDesign(public_base_url=_own_address()))
        st.session_state["new-study"] = ""
        go(study=study.id, step="problems")
        return ""

    with st.container(key="new-study-form", gap="small"):
        st.html(f'<h3 class="eic-h">{"Another study" if others else "Begin"}</h3>')
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.text_input(
                "Name, for organisers only", key="new-study", max_chars=100,
                placeholder="Pilot with the physics group",
            )  # fmt: skip
            st.button(
                "Begin a draft", key="create", type="primary", on_click=act,
                args=("new-study", create),
            )  # fmt: skip
        complaint("new-study")
    desk().kept.pop("editing", None)


def _own_address() -> str:
    """The address that this browser uses: where links may well start."""
    url = st.context.url or ""
    scheme, found, rest = url.partition("://")
    host = rest.partition("/")[0]
    own = f"{scheme}://{host}" if found and host else ""
    try:
        check_base_url(own)
    except DesignError:
        return StudyDesign().public_base_url
    return own
