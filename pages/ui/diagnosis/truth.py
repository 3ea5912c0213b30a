"""The recursion beside Algorithm 2 and the errors of real arithmetic."""

from __future__ import annotations

import streamlit as st

from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.wiring import diagnosis_service


def truth_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    found = diagnosis_service().triangulation(result)
    st.html(f'<p class="eic-answer">{prose(str(len(found.nodes)))}</p>')
