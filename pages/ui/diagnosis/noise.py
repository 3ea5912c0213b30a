"""Whose noise it is: the ledger of the selected node."""

from __future__ import annotations

import streamlit as st

from pages.ui.service import Result
from pages.ui.text import prose
from pages.ui.wiring import diagnosis_service


def noise_panel(result: Result, node: int) -> None:
    """Answer for the selected node."""
    ledger = diagnosis_service().blame(result, node)
    st.html(f'<p class="eic-answer">{prose(ledger.sentences[0])}</p>')
