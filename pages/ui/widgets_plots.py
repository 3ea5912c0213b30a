"""The data plots of the selected node: curve, surface, slices, residuals."""

from __future__ import annotations

import streamlit as st

from pages.ui.device import is_dark, is_narrow
from pages.ui.pending import curve_figure
from pages.ui.service import Result


def plots(result: Result, node: int) -> None:
    """One variable: curve and amplification; two: maps; more: slices."""
    figure = curve_figure(result.inspection, node, dark=is_dark(), narrow=is_narrow())
    st.plotly_chart(figure, key="plots", theme=None)
