"""The organiser's pages: create, preview, freeze, invite, watch, report."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.kit.door import login_key, organiser
from pages.ui.organising import (
    asking,
    report,
    running,
    step_design,
    step_material,
    step_pairs,
    step_preview,
)
from pages.ui.organising.desk import draft_of
from pages.ui.organising.login import account, door_view, problem_line
from pages.ui.organising.studies import StudyStep, chosen_study, studies_view, study_step
from study.design import StudyStatus

STEPS = {
    StudyStatus.DRAFT: (
        StudyStep("problems", "Problems", step_material.problems_view, step_material.problems_done),
        StudyStep("pool", "Pool", step_material.pool_view, step_material.pool_done),
        StudyStep("pairs", "Pairs", step_pairs.pairs_view, step_pairs.pairs_done),
        StudyStep("preview", "Preview", step_preview.preview_view),
        StudyStep("design", "Design", step_design.design_view, step_design.design_done),
        StudyStep("freeze", "Freeze", step_design.freeze_view),
    ),
    StudyStatus.OPEN: (
        StudyStep("live", "Live", running.live_view),
        StudyStep("invitations", "Invitations", running.links_view),
        StudyStep("preview", "Pairs", step_preview.preview_view),
        StudyStep("models", "Models", asking.models_view),
        StudyStep("report", "Report", report.report_view),
        StudyStep("settings", "Settings", step_design.settings_view),
    ),
    StudyStatus.CLOSED: (
        StudyStep("report", "Report", report.report_view),
        StudyStep("live", "Turnout", running.live_view),
        StudyStep("preview", "Ballots", step_preview.preview_view),
        StudyStep("models", "Models", asking.models_view),
        StudyStep("settings", "Settings", step_design.settings_view),
    ),
}


def organise_page() -> None:
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
    draft = draft_of(service, study)
    study_step(study, draft, STEPS[study.status]).view(service, draft)
