"""What the answers share: the sentence, quiet notes, and charts that are drawn once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from eic_core.drawing.chart import Chart
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.text import prose


def answer(text: object) -> None:
    """The sentence that answers the question."""
    st.html(f'<p class="eic-answer">{prose(str(text))}</p>')


def note(*texts: object) -> None:
    """Quiet sentences, each in a line of its own; none for an empty text."""
    for text in filter(None, map(str, texts)):
        st.html(f'<p class="eic-quiet">{prose(text)}</p>')


def chart(
    result: InspectionResult,
    what: tuple[object, ...],
    make: Callable[[], Chart],
    **options: Any,
) -> None:
    """A figure of `show_chart`, which a result and `what` tell from all others."""
    show_chart(make, what=(result.request, *what), **options)
