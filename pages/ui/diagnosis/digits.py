"""How many digits each constant and each input needs."""

from __future__ import annotations

import streamlit as st

from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.wiring import diagnosis_service


def digits_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    budget = diagnosis_service().budget(result, 1e-3)
    st.html(f'<p class="eic-answer">{prose(" ".join(budget.sentences))}</p>')
