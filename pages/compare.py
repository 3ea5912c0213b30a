"""The comparison: many formulas by accuracy, complexity and EIC, and two side by side."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.compare.desk import (
    CompareDesk,
    CompareState,
    advance_scoring,
    compare_desk,
    scoring_notices,
    variables_without_range,
)
from pages.ui.compare.inputs import ask_for_data, data_input, examples, list_input
from pages.ui.compare.pair import Pair, measured_pair, pair_inputs, pair_view
from pages.ui.compare.results import ask_about_table, results_view, show_end, show_progress
from pages.ui.inspector.headline import closed_notice
from pages.ui.kit import glossary
from pages.ui.kit.door import may_inspect
from pages.ui.kit.inspector_service import InspectorService
from pages.ui.kit.messages import quiet_note, show_heading
from pages.ui.kit.visit import Visit, change_state, sync_with_url, write_url
from pages.ui.kit.wiring import inspector_service


def compare_page() -> None:
    """Draw the page for this visit's state, unless an open study keeps it closed."""
    if not may_inspect():
        closed_notice()
        return
    st.html(Path(__file__).parent / "ui" / "compare" / "compare.css")
    table = compare_desk()
    here = sync_with_url(table.last or CompareState())
    if here.table is not None and here.state.target is None:
        change_state(target=here.table.names[-1])
    write_url()
    state = here.state
    assert isinstance(state, CompareState)
    table.last = state
    _header()
    pair = _inputs(here, table, state, inspector_service())
    _list(here, table, state)
    show_heading("Two formulas side by side", 3)
    pair_inputs(state)
    pair_view(pair)
    if state.formula and state.other and "b" not in state.to_query():
        quiet_note(
            "These formulas are too long for a web address: a shared link will not hold both."
        )


def _header() -> None:
    with st.container(key="header", gap="small"):
        st.markdown("### Compare", anchors=False, width="content")
        st.markdown("Which formula keeps its digits at the same accuracy?",
                    help=glossary.WHAT_IS_EIC, width="content")  # fmt: skip


def _inputs(
    here: Visit, table: CompareDesk, state: CompareState, service: InspectorService
) -> Pair:
    left, right = st.columns([5, 4], gap="medium")
    pair = measured_pair(here, state, service)
    with left:
        list_input(table)
    with right:
        listed = table.variable_names(state.list_base)
        data_input(here, tuple(dict.fromkeys([*listed, *pair.variables])))
    return pair


def _list(here: Visit, table: CompareDesk, state: CompareState) -> None:
    """The front of the list, or what stands in its way."""
    if table.imported is None:
        if table.raw is None and not (state.formula or state.other):
            examples()
        return
    if state.upload and here.table is None and not table.as_stored:
        quiet_note("The list is scored once its table is here: choose it under Data.")
        return
    if unknown := variables_without_range(table, state, here.table):
        ask_for_data(unknown)
        return
    advance_scoring(table, state, here.table)
    if table.scored is not None and table.scored_for == table.wanted:
        if not table.scored.check.passed and table.table_confirmed_for != table.scored_for:
            ask_about_table(table.scored)
            return
        results_view(table, table.scored, scoring_notices(table, state, here.table))
    elif table.job is not None and table.job.running:
        show_progress(f"scoring-{table.number}")
    else:
        show_end(table)
