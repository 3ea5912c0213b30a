"""The verdict: one sentence, the ruler, and the figures behind it."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.explain.verdict import LEVELS, verdict
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow
from pages.ui.diagnosis.summary import Place, begin_summary
from pages.ui.figures import ruler_figure
from pages.ui.service import Result
from pages.ui.text import escape, number, prose
from pages.ui.wiring import figure_cache


def verdict_view(result: Result) -> Place | None:
    """Cause, sentence, ruler, metrics, notices; the diagnosis, or its place while it is to come."""
    inspection = result.inspection
    said = verdict(inspection)
    dark, narrow = is_dark(), is_narrow()
    with st.container(key="verdict", gap="small"):
        st.html(
            f'<div><p class="eic-cause"><span class="eic-level eic-{said.level}" '
            f'title="{escape(LEVELS[said.level])}">{said.level}</span> {prose(said.cause)}</p>'
            f'<p class="eic-sentence">{prose(said.sentence)}</p></div>'
        )
        place = begin_summary(result)
        figure = figure_cache().get(
            ("ruler", inspection.eic, inspection.eic_finite, dark, narrow),
            lambda: ruler_figure(inspection.eic, inspection.eic_finite, dark=dark, narrow=narrow),
            lambda _: 0.2,
        )
        st.plotly_chart(figure, key="ruler", theme=None, config={"displayModeBar": False})
        _metrics(result)
        for notice in (*said.notes, *result.notices):
            st.html(f'<p class="eic-note">{prose(notice)}</p>')
    return place


def _metrics(result: Result) -> None:
    inspection = result.inspection
    counts, tail = inspection.counts, inspection.tail
    cells = [metric("EIC", number(inspection.eic), glossary.EIC)]
    if math.isinf(inspection.eic):
        cells.append(metric("EIC, finite", number(inspection.eic_finite), glossary.FINITE))
    cells += [
        metric("Digits lost", number(inspection.digits_lost, 1), glossary.DIGITS),
        metric("Noise figure", _decibel(inspection.noise_figure_db), glossary.NOISE_FIGURE),
        metric("Nodes", f"{inspection.formula.complexity:,}", glossary.COMPLEXITY),
        metric("Valid samples", _of(counts.valid, counts.total), glossary.VALID),
    ]
    if counts.singular:
        cells.append(metric("Singular", f"{counts.singular:,}", glossary.SINGULAR))
    if counts.rechecked:
        left = f" <small>of {counts.rechecked + counts.unresolved:,}</small>"
        shown = f"{counts.rechecked:,}" + (left if counts.unresolved else "")
        cells.append(metric("Checked exactly", shown, glossary.RECHECKED))
    if tail is not None:
        settled = {None: "too few", True: "no", False: "yes"}[tail.divergent]
        spread = " / ".join(number(q, 1) for q in (tail.q50, tail.q90, tail.q99))
        cells += [
            metric("50 / 90 / 99 %", spread, glossary.QUANTILES),
            metric("Worst 1 % carries", _percent(tail.top1_share), glossary.TOP_SHARE),
            metric("Mean settled", settled, glossary.SETTLED),
        ]
    st.html(f'<div class="eic-metrics">{"".join(cells)}</div>')


def _decibel(value: float) -> str:
    return number(value) if math.isnan(value) else f"{number(value, 0)} dB"


def _of(part: int, whole: int) -> str:
    return f"{part:,}" if part == whole else f"{part:,} <small>of {whole:,}</small>"


def metric(name: str, value: str, explained: str) -> str:
    """One figure with its name, explained on hover and on focus; `value` is HTML."""
    return (
        f'<div class="eic-metric" tabindex="0"><span class="name">{name}</span>'
        f'<span class="value">{value}</span><span class="eic-tip" role="tooltip">'
        f"{escape(explained, 1000)}</span></div>"
    )


def _percent(share: float) -> str:
    return "—" if math.isnan(share) else f"{100 * share:.0f} %"
