"""The formula, its tree and its table."""

from __future__ import annotations

import streamlit as st

from eic_core.drawing.svg import tree_svg
from pages.ui.kit.browser import is_dark
from pages.ui.kit.inspector_service import InspectionResult


def tree_pane(result: InspectionResult, node: int) -> None:
    svg = tree_svg(result.inspection, selected=node, dark=is_dark(), width=540)
    st.image(svg, width="content")
