"""The inspector: paste a formula, see where it loses its digits."""

from __future__ import annotations

import streamlit as st

from pages.ui.diagnosis.summary import finish_summary
from pages.ui.door import may_inspect
from pages.ui.gallery import EXAMPLES
from pages.ui.inputs_data import data_panel
from pages.ui.inputs_formula import example_state, formula_input, gallery_row, reading_panel
from pages.ui.outcome import outcome_of
from pages.ui.unfinished import unfinished_view
from pages.ui.visit import follow_url
from pages.ui.widgets_page import closed, dimmed, header, message, patient_progress
from pages.ui.widgets_verdict import verdict_view
from pages.ui.widgets_workbench import workbench
from pages.ui.wiring import inspector_service


def inspector_page() -> None:
    """Draw the inspector for this visit's state, unless an open study keeps it closed."""
    if not may_inspect():
        closed()
        return
    here = follow_url(example_state(EXAMPLES[0]))
    header()
    left, right = st.columns([5, 4], gap="medium")
    with left:
        formula_input(here)
        gallery_row(here)
        reading_slot = st.container(gap="xsmall", key="reading")
    with patient_progress() as progress:
        outcome = outcome_of(here, inspector_service(), progress)
    with reading_slot:
        reading_panel(outcome)
    with right:
        data_panel(here, outcome)
    message(here, outcome)
    if outcome.result is not None and not outcome.result.complete:
        unfinished_view({"": outcome.result})
        return
    shown = outcome.result or here.last_good
    if shown is not None and not outcome.empty:
        here.last_good = shown
        with dimmed(outcome.result is None):
            place = verdict_view(shown)
            workbench(shown)
            finish_summary(place, shown)
