"""A form as text of another language, to be copied."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import FormulaError
from eic_core.formula.copying import COPIED, copied
from eic_core.formula.tree import Formula
from pages.ui.kit.messages import as_sentence
from pages.ui.kit.text import prose
from pages.ui.kit.visit import current_visit
from pages.ui.kit.wiring import figure_cache
from pages.ui.questions.answer_parts import note


def copy_as(formula: Formula, key: str) -> None:
    """A popover with the languages and the text; `key` tells it from others on the page."""
    visit = current_visit()
    widget = f"copy-language-{key}"

    def remember() -> None:
        visit.language = st.session_state[widget]

    with st.popover("Copy as", icon=":material/content_copy:", key=f"copy-as-{key}"):
        languages = tuple(COPIED)
        # All popovers of a page share the language: a choice in one shows in the others.
        st.session_state[widget] = visit.language
        st.selectbox(
            "Language", languages, format_func=COPIED.__getitem__, key=widget, on_change=remember
        )
        try:
            translation = figure_cache().get(
                ("copied", formula.structure(), formula.exponents, visit.language),
                lambda: copied(formula, visit.language),
            )
        except FormulaError as error:
            st.html(f'<p class="eic-note" role="status">{prose(as_sentence(error.message))}</p>')
            return
        st.code(translation.program, language=None, wrap_lines=True)
        note(*translation.notes)
