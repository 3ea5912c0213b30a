"""The verdict: one sentence, the ruler, and the figures behind it."""

from __future__ import annotations

import math

import streamlit as st

from pages.ui.pending import verdict
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow
from pages.ui.figures import ruler_figure
from pages.ui.service import Result
from pages.ui.text import code_label, number, prose
from pages.ui.visit import change
from pages.ui.wiring import figure_cache


def verdict_view(result: Result) -> None:
    """Sentence, cause, ruler, metrics and notices."""
    inspection = result.inspection
    said = verdict(inspection)
    dark, narrow = is_dark(), is_narrow()
    with st.container(key="verdict", gap="small"):
        st.html(
            f'<div class="eic-verdict eic-{said.level}"><p class="eic-sentence">'
            f"{prose(said.sentence)}</p><p class='eic-cause'>{prose(said.cause)}</p></div>"
        )
        figure = figure_cache().get(
            ("ruler", inspection.eic, inspection.eic_finite, dark, narrow),
            lambda: ruler_figure(inspection.eic, inspection.eic_finite, dark=dark, narrow=narrow),
            lambda _: 0.2,
        )
        st.plotly_chart(figure, key="ruler", theme=None, config={"displayModeBar": False})
        _metrics(result)
        for notice in (*said.notes, *result.notices):
            st.html(f'<p class="eic-note">{prose(notice)}</p>')


def _metrics(result: Result) -> None:
    inspection = result.inspection
    counts, tail = inspection.counts, inspection.tail
    with st.container(horizontal=True, key="metrics", gap="small"):
        _metric("EIC", number(inspection.eic), glossary.EIC)
        if math.isinf(inspection.eic):
            _metric("EIC, finite", number(inspection.eic_finite), glossary.FINITE)
        _metric("Digits lost", number(inspection.digits_lost, 1), glossary.DIGITS)
        _metric(
            "Noise figure", f"{number(inspection.noise_figure_db, 0)} dB", glossary.NOISE_FIGURE
        )
        _metric("Complexity", f"{inspection.formula.complexity:,}", glossary.COMPLEXITY)
        _metric("Valid samples", f"{counts.valid:,} / {counts.total:,}", glossary.VALID)
        if counts.singular:
            _metric("Singular", f"{counts.singular:,}", glossary.SINGULAR)
        if counts.rechecked:
            shown = f"{counts.rechecked:,}"
            if counts.unresolved:
                shown += f" (+{counts.unresolved:,})"
            _metric("Rechecked", shown, glossary.RECHECKED)
        if tail is not None:
            _metric("Typical loss", number(tail.q50), glossary.TYPICAL)
            _metric("90 % / 99 %", f"{number(tail.q90)} / {number(tail.q99)}", glossary.TAIL_90)
            _metric("Worst 1 %", _percent(tail.top1_share), glossary.TOP_SHARE)
            settled = {None: "too few", True: "no", False: "yes"}[tail.divergent]
            _metric("Mean settled", settled, glossary.SETTLED)
    node = inspection.nodes[inspection.bottleneck]
    with st.container(horizontal=True, vertical_alignment="center", key="bottleneck-row"):
        st.html('<span class="eic-overline">Bottleneck</span>', width="content")
        st.button(
            code_label(node.text, 60),
            key="go-bottleneck",
            help=glossary.BOTTLENECK,
            shortcut="B",
            on_click=change,
            kwargs={"node": node.node.id},
        )


def _metric(name: str, value: str, explained: str) -> None:
    st.metric(name, value, help=explained, width="content")


def _percent(share: float) -> str:
    return "—" if math.isnan(share) else f"{100 * share:.0f} %"
