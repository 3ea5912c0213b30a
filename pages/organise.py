"""The organiser's pages: create, preview, freeze, invite, watch, report."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.door import login_key, organiser
from pages.ui.organising import (
    invitations,
    live,
    report,
    settings,
    step_design,
    step_freeze,
    step_pairs,
    step_pool,
    step_preview,
    step_problems,
)
from pages.ui.organising.frame import Step, chosen_study, study_frame
from pages.ui.organising.login import account, door_view, problem_line
from pages.ui.organising.studies import studies_view
from study.design import StudyStatus

STEPS = {
    StudyStatus.DRAFT: (
        Step("problems", "Problems", step_problems.view, step_problems.done),
        Step("pool", "Pool", step_pool.view, step_pool.done),
        Step("pairs", "Pairs", step_pairs.view, step_pairs.done),
        Step("preview", "Preview", step_preview.view),
        Step("design", "Design", step_design.view, step_design.done),
        Step("freeze", "Freeze", step_freeze.view),
    ),
    StudyStatus.OPEN: (
        Step("live", "Live", live.view),
        Step("invitations", "Invitations", invitations.view),
        Step("preview", "Pairs", step_preview.view),
        Step("report", "Report", report.view),
        Step("settings", "Settings", settings.view),
    ),
    StudyStatus.CLOSED: (
        Step("report", "Report", report.view),
        Step("live", "Turnout", live.view),
        Step("preview", "Ballots", step_preview.view),
        Step("settings", "Settings", settings.view),
    ),
}


def organise_page() -> None:
    """Draw the organiser's pages, or the door to them."""
    st.html(Path(__file__).parent / "ui" / "organising" / "organising.css")
    service = organiser()
    if service is None:
        door_view()
        return
    problem_line()
    with st.container(key="account-corner", horizontal=True, horizontal_alignment="right"):
        account(login_key())
    study = chosen_study(service)
    if study is None:
        studies_view(service)
        return
    study_frame(service, study, STEPS[study.status])
