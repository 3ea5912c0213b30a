"""In place of an answer: why there is none, and what helps."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import UserError
from pages.ui.text import prose


def refusal(error: UserError) -> None:
    """An error that the user can mend, as two sentences."""
    st.html(f'<p class="eic-answer">{prose(sentence(error.message))}</p>')
    if error.hint:
        st.html(f'<p class="eic-quiet">What helps: {prose(error.hint.rstrip("."))}.</p>')


def sentence(text: str) -> str:
    """With a capital letter and a full stop.

    Examples
    --------
    >>> sentence("the table is empty"), sentence("`x` is no number.")
    ('The table is empty.', '`x` is no number.')
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
