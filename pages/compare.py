"""The comparison: many formulas by accuracy, complexity and EIC, and two side by side."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui import glossary
from pages.ui.door import may_inspect
from pages.ui.organising.desk import heading, quiet
from pages.ui.service import InspectorService
from pages.ui.triage.desk import Desk, desk
from pages.ui.triage.inputs import data_input, examples, list_input
from pages.ui.triage.pair import Pair, measured_pair, pair_inputs, pair_view
from pages.ui.triage.results import ended, progress, results
from pages.ui.triage.scoring import advance, scoring_notices
from pages.ui.triage.state import CompareState
from pages.ui.visit import Visit, change, follow_url, write_url
from pages.ui.widgets_page import closed
from pages.ui.wiring import inspector_service


def compare_page() -> None:
    """Draw the page for this visit's state, unless an open study keeps it closed."""
    if not may_inspect():
        closed()
        return
    st.html(Path(__file__).parent / "ui" / "triage" / "triage.css")
    table = desk()
    here = follow_url(table.last or CompareState())
    if here.table is not None and here.state.target is None:
        change(target=here.table.names[-1])
    write_url()
    state = here.state
    assert isinstance(state, CompareState)
    table.last = state
    _header()
    pair = _inputs(here, table, state, inspector_service())
    _list(here, table, state)
    heading("Two formulas side by side", 3)
    pair_inputs(state)
    pair_view(pair)
    if state.formula and state.other and "b" not in state.to_query():
        quiet("These formulas are too long for a web address: a shared link will not hold both.")


def _header() -> None:
    with st.container(key="header", gap="small"):
        st.markdown("### Compare", anchors=False, width="content")
        st.markdown("Which formula keeps its digits at the same accuracy?",
                    help=glossary.WHAT_IS_EIC, width="content")  # fmt: skip


def _inputs(here: Visit, table: Desk, state: CompareState, service: InspectorService) -> Pair:
    left, right = st.columns([5, 4], gap="medium")
    pair = measured_pair(here, state, service)
    with left:
        list_input(table)
    with right:
        data_input(here, tuple(dict.fromkeys([*table.variables, *pair.variables])))
    return pair


def _list(here: Visit, table: Desk, state: CompareState) -> None:
    """The front of the list, or what stands in its way."""
    if table.imported is None:
        if table.raw is None and not (state.formula or state.other):
            examples()
        return
    if state.upload and here.table is None and not table.as_stored:
        quiet("The list is scored once its table is here: choose it under Data.")
        return
    advance(table, state, here.table)
    if table.scored is not None and table.scored_for == table.wanted:
        results(table, table.scored, scoring_notices(table, state, here.table))
    elif table.job is not None and table.job.running:
        progress(f"scoring-{table.number}")
    else:
        ended(table)
