"""The digits of one row."""

from __future__ import annotations

import streamlit as st

from pages.ui.kit.inspector_service import InspectionResult


def digit_row(result: InspectionResult) -> None:
    st.html(f'<div style="height:96px;border:1px dashed gray">{result.inspection.eic:.2f}</div>')
