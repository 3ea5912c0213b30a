"""Whether the function or its writing is to blame."""

from __future__ import annotations

import streamlit as st

from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.wiring import diagnosis_service


def writing_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    loss = diagnosis_service().writing(result)
    st.html(f'<p class="eic-answer">{prose(loss.sentence)}</p>')
