"""The inspector: paste a formula, see where it loses its digits."""

from __future__ import annotations

import streamlit as st

from pages.ui.inspector.data_input import data_panel
from pages.ui.inspector.first_minute import first_minute, recent_inputs
from pages.ui.inspector.formula_input import (
    formula_buttons,
    formula_error,
    formula_input,
    reading_menu,
)
from pages.ui.inspector.headline import (
    answer_message,
    closed_notice,
    finish_summary,
    verdict_view,
)
from pages.ui.inspector.workbench import finish_digits, workbench
from pages.ui.kit.door import may_inspect
from pages.ui.kit.progress import patient_progress
from pages.ui.kit.visit import PageState, request_of, sync_with_url
from pages.ui.kit.wiring import inspector_service


def inspector_page() -> None:
    if not may_inspect():
        closed_notice()
        return
    visit = sync_with_url(PageState())
    with st.container(key="inputs", horizontal=True, gap="small"):
        with st.container(key="formula-box", gap="xsmall"):
            formula_input(visit)
        formula_buttons(visit)
        recent_inputs(visit)
        menu = st.container(horizontal=True, key="menu", gap="xsmall", width="content")
        data = st.container(key="data")
    first_minute(visit)
    with patient_progress() as progress:
        answer = inspector_service().answer(
            request_of(visit.state),
            visit.table,
            progress,
            last_good=visit.last_good,
        )
    with menu:
        reading_menu(visit, answer)
    with data:
        data_panel(visit, answer)
    if answer.formula_error is not None:
        formula_error(answer.formula_error)
    answer_message(visit, answer)
    result = answer.result
    if result is None:
        return
    visit.last_good = result
    place = verdict_view(result)
    digits = workbench(result)
    finish_summary(place, result)
    finish_digits(digits, result)
