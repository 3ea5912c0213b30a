"""Which rows carry the noise of the selected node."""

from __future__ import annotations

import streamlit as st

from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.wiring import diagnosis_service


def rows_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    found = diagnosis_service().where(result, node)
    st.html(f'<p class="eic-answer">{prose(" ".join(found.sentences))}</p>')
