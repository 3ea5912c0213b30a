"""The row of questions, and the panel that answers the one that is asked."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from eic_core.errors import UserError
from pages.ui.diagnosis.digits import digits_panel
from pages.ui.diagnosis.instead import instead_panel
from pages.ui.diagnosis.noise import noise_panel
from pages.ui.diagnosis.refusal import refusal
from pages.ui.diagnosis.rows import rows_panel
from pages.ui.diagnosis.truth import truth_panel
from pages.ui.diagnosis.writing import writing_panel
from pages.ui.service import Result
from pages.ui.state import ASKED_FIRST
from pages.ui.visit import change, follow, visit

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A question, and what answers it.

    Attributes
    ----------
    key : str
        Stands in the URL.
    label : str
    panel : callable (Result, node)
        Draws the answer; may raise `UserError`.
    """

    key: str
    label: str
    panel: Callable[[Result, int], None]


QUESTIONS = (
    Question("noise", "Whose noise?", noise_panel),
    Question("rows", "Which rows?", rows_panel),
    Question("writing", "Function or writing?", writing_panel),
    Question("instead", "What to write instead?", instead_panel),
    Question("truth", "Is it true?", truth_panel),
    Question("digits", "How many digits do I need?", digits_panel),
)
"""What can be asked besides "Where?", which the workbench itself answers."""

_BY_KEY = {question.key: question for question in QUESTIONS}


def asked() -> Question | None:
    """The question that the state asks; None for "Where?"."""
    return _BY_KEY.get(visit().state.ask)


def question_row() -> None:
    """One question at a time."""
    labels = {ASKED_FIRST: "Where?"} | {q.key: q.label for q in QUESTIONS}
    with st.container(key="questions"):
        st.segmented_control(
            "One question at a time",
            list(labels),
            format_func=labels.__getitem__,
            default=visit().state.ask,
            key=follow("ask", visit().state.ask),
            on_change=_asked,
            required=True,
            label_visibility="collapsed",
        )


def _asked() -> None:
    """Take up a choice; the browser sends none where the page itself has set the choice."""
    if (chosen := st.session_state["ask"]) is not None:
        change(ask=chosen)


def answer(question: Question, result: Result, node: int) -> None:
    """Draw the answer; if it fails, say so in its place and leave the page alone."""
    with st.container(key=f"answer-{question.key}", gap="small"):
        try:
            question.panel(result, node)
        except UserError as error:
            refusal(error)
        except Exception:
            _log.exception("the panel %s failed", question.key)
            st.html(
                '<div class="eic-error" role="alert"><p class="eic-error-title">This answer could '
                "not be computed, for a reason of ours</p><p>The other questions still work. "
                "The log has the details.</p></div>"
            )
