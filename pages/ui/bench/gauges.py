"""The three losses of a result as gauges: sensitivity, writing, measured."""

from __future__ import annotations

import streamlit as st

from eic_core.drawing.gauges import Gauge, gauges_html
from eic_core.explain.phrases.digits import gauge_words
from eic_core.explain.verdict import Verdict
from eic_core.measure.measured import Quantiles
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult


def gauges(result: InspectionResult, writing: Quantiles | None) -> None:
    """Draw them; `writing` is None until it is known, and the size the same."""
    st.html(gauges_of(result.verdict, writing))


def gauges_of(verdict: Verdict, writing: Quantiles | None) -> str:
    """The gauges of a verdict, as HTML."""
    losses = (
        ("Sensitivity", verdict.sensitivity, glossary.SENSITIVITY),
        ("Writing", writing, glossary.WRITING),
        ("Measured", verdict.measured.quantiles, glossary.MEASURED),
    )
    return gauges_html(
        [
            Gauge(name, str(gauge_words(name, digits)), digits, explained)
            for name, digits, explained in losses
        ]
    )
