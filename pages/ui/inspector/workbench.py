"""The workbench: the tree on the left, one question at a time about a node on the right."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from eic_core.errors import UserError
from pages.ui.bench.digit_row import digit_row
from pages.ui.bench.tree_pane import tree_pane
from pages.ui.inspector.headline import known_summary
from pages.ui.inspector.share import COPY_SCRIPT, share_panel
from pages.ui.kit.diagnosis_service import Summary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.messages import show_refusal
from pages.ui.kit.visit import ASKED_FIRST, change_state, current_visit, sync_widget
from pages.ui.questions.digits import digits_panel
from pages.ui.questions.instead import instead_panel
from pages.ui.questions.noise import noise_panel
from pages.ui.questions.own_or_writing import writing_panel
from pages.ui.questions.rows import rows_panel
from pages.ui.questions.truth import truth_panel
from pages.ui.questions.where import plots

_log = logging.getLogger(__name__)


def data_panel(result: InspectionResult, node: int) -> DeltaGenerator | None:
    """The digits of one row above the data; their place, until a better form is known."""
    with st.container(key="digit-place"):  # of their size, also while they are drawn again
        place = st.empty()
    summary = known_summary(result)
    with place:
        _digits(result, summary)
    with st.container(key="plots", gap="xsmall"):
        plots(result, node)
    return place if summary is None else None


def _digits(result: InspectionResult, summary: Summary | None) -> None:
    if summary is None:
        digit_row(result, searching=True)
    else:
        digit_row(result, summary.form, complete=not summary.stop)


def finish_digits(place: DeltaGenerator | None, result: InspectionResult) -> None:
    """Draw the digits again, with those of the better form that the diagnosis has brought."""
    summary = known_summary(result)
    if place is not None and summary is not None:
        with place:
            _digits(result, summary)


@dataclass(frozen=True)
class Question:
    key: str  # Stands in the URL
    label: str  # A tab's
    # Draws the answer; may raise `UserError`
    panel: Callable[[InspectionResult, int], DeltaGenerator | None]


QUESTIONS = (
    Question(ASKED_FIRST, "Data", data_panel),
    Question("noise", "Whose noise?", noise_panel),
    Question("rows", "Which rows?", rows_panel),
    Question("writing", "Writing?", writing_panel),
    Question("instead", "Instead", instead_panel),
    Question("truth", "True?", truth_panel),
    Question("digits", "Digits", digits_panel),
)

_BY_KEY = {question.key: question for question in QUESTIONS}


def _tabs() -> None:
    asks = current_visit().state.ask
    st.segmented_control(
        "One question at a time",
        list(_BY_KEY),
        format_func=lambda key: _BY_KEY[key].label,
        default=asks,
        key=sync_widget("ask", asks),
        on_change=_change_question,
        required=True,
        label_visibility="collapsed",
    )


def _change_question() -> None:
    # The browser sends no choice where the page itself has set it.
    if (chosen := st.session_state["ask"]) is not None:
        change_state(ask=chosen)


def answer_panel(question: Question, result: InspectionResult, node: int) -> DeltaGenerator | None:
    """Draw the answer; a failure is reported in its place and leaves the page alone."""
    with st.container(key=f"answer-{question.key}", gap="small"):
        try:
            return question.panel(result, node)
        except UserError as error:
            show_refusal(error)
        except Exception:
            _log.exception("the panel %s failed", question.key)
            st.html(
                '<div class="eic-error" role="alert"><p class="eic-error-title">This answer could '
                "not be computed, for a reason of ours</p><p>The other questions still work. "
                "The log has the details.</p></div>"
            )
    return None


def workbench_scripts() -> tuple[str, ...]:
    """The scripts of the page; its content security policy lets a browser run these alone."""
    return (COPY_SCRIPT,)


def selected_node(result: InspectionResult) -> int:
    """The node that the state selects, or the worst step."""
    node = current_visit().state.node
    inspection = result.inspection
    # A link may name a node of a formula that was longer.
    return node if node is not None and node < len(inspection.nodes) else inspection.worst_step


@st.fragment
def workbench(result: InspectionResult) -> DeltaGenerator | None:
    """Everything that follows the selected node; a selection reruns only this.

    Returns the place of the digits, where they wait for the diagnosis.
    """
    node = selected_node(result)
    question = _BY_KEY[current_visit().state.ask]
    with st.container(key="share", horizontal=True, gap="xsmall", width="content"):
        share_panel(result, node)
    with st.container(key="panes", horizontal=True, gap="small"):
        with st.container(key="tree-pane"):
            tree_pane(result, node)
        with st.container(key="answer-pane", gap="xsmall"):
            with st.container(key="questions"):
                _tabs()
            place = answer_panel(question, result, node)
    st.html("".join(workbench_scripts()), unsafe_allow_javascript=True)
    return place
