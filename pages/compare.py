"""The comparison: many formulas by accuracy, complexity and EIC, and two side by side."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import streamlit as st

from pages.gap import gap_page
from pages.ui.compare.desk import (
    CompareDesk,
    CompareState,
    advance_scoring,
    compare_desk,
    detected_counting,
    scoring_notices,
    variables_without_range,
)
from pages.ui.compare.inputs import (
    ask_for_data,
    data_input,
    follow_list_link,
    inputs_line,
    list_input,
    list_notes,
)
from pages.ui.compare.pair import Pair, measure_pair, pair_inputs, pair_view
from pages.ui.compare.results import (
    ask_about_table,
    reading_notes,
    results_view,
    show_end,
    show_left_out,
    show_progress,
)
from pages.ui.inspector.headline import closed_notice
from pages.ui.kit import glossary
from pages.ui.kit.door import may_inspect
from pages.ui.kit.messages import quiet_note
from pages.ui.kit.visit import Visit, change_state, sync_with_url, write_url
from pages.ui.kit.wiring import inspector_service


def compare_page() -> None:
    if not may_inspect():
        closed_notice()
        return
    st.html(Path(__file__).parent / "ui" / "compare" / "compare.css")
    desk = compare_desk()
    visit = sync_with_url(desk.last_state or CompareState())
    assert isinstance(visit.state, CompareState)
    follow_list_link(desk, visit.state)
    if visit.table is not None and visit.state.target is None:
        change_state(target=visit.table.names[-1])
    write_url()
    state = visit.state
    assert isinstance(state, CompareState)
    desk.last_state = state
    pair = measure_pair(visit, state, inspector_service())
    unknown = variables_without_range(desk, state, visit.table)
    waiting = bool(state.upload) and visit.table is None and not desk.as_stored
    if desk.imported is not None and not unknown and not waiting:
        advance_scoring(desk, state, visit.table)
    _header()
    _inputs(visit, desk, state, pair)
    if desk.imported is not None:
        _list(visit, desk, unknown, waiting)
    pair_inputs(state, pair)
    pair_view(pair)


def _header() -> None:
    with st.container(key="header", gap="small"):
        st.markdown("### Compare", anchors=False, width="content")
        st.markdown(
            "Which formula keeps its digits at the same accuracy?",
            help=glossary.WHAT_IS_EIC,
            width="content",
        )
        st.page_link(
            st.Page(gap_page, title="Stability gap", url_path="gap"),
            label="Stability gap: EIC of laws",
            icon=":material/arrow_forward:",
            icon_position="right",
            width="content",
        )


def _inputs(visit: Visit, desk: CompareDesk, state: CompareState, pair: Pair) -> None:
    """The list and the data: open until they have been read, then a line that opens them."""
    settled = desk.settled or (desk.raw is None and pair.measured)
    scored = desk.scored if desk.settled else None
    notices = [] if scored is None else scoring_notices(desk, state, visit.table)
    with ExitStack() as stack:
        if settled:
            line = inputs_line(desk, visit, len(notices))
            stack.enter_context(st.expander(line, key=f"inputs-{desk.number}"))
        list_column, data_column = st.columns([5, 4], gap="medium")
        with list_column:
            list_input(desk)
            list_notes(desk, state)
            if scored is not None:
                reading_notes(desk, scored, notices)
        with data_column:
            names = [*desk.variable_names(state.list_base), *pair.variables]
            data_input(
                visit, tuple(dict.fromkeys(names)), detected_counting(desk, state, visit.table)
            )


def _list(visit: Visit, desk: CompareDesk, unknown: tuple[str, ...], waiting: bool) -> None:
    """The front of the list, or the reason why there is none."""
    if waiting:
        quiet_note("The list is scored once its table is here: choose it under Data.")
    elif unknown:
        ask_for_data(unknown)
    elif desk.scored is not None and desk.settled:
        results_view(desk, desk.scored, visit)
    elif desk.scored is not None and desk.scored_for == desk.job_key:
        ask_about_table(desk.scored)
        show_left_out(desk, desk.scored, visit)
    elif desk.job is not None and desk.job.running:
        show_progress(f"scoring-{desk.number}")
    else:
        show_end(desk)
