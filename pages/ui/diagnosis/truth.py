"""The recursion beside Algorithm 2 and the errors of real arithmetic."""

from __future__ import annotations

import math

import streamlit as st

from eic_core.explain.triangulation import TriangulatedNode, Triangulation
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow
from pages.ui.diagnosis.truth_table import BADGES, truth_table
from pages.ui.figures.triangulated import triangulated_figure, triangulated_words
from pages.ui.service import Result
from pages.ui.text import escape, number, prose
from pages.ui.widgets_page import patient_progress
from pages.ui.wiring import diagnosis_service, figure_cache

_SAME = 0.1
"""A difference in digits that is not worth a word."""


def truth_panel(result: Result, node: int) -> None:
    """Answer for all nodes, and the numbers of the selected one."""
    with patient_progress() as progress:
        found = diagnosis_service().triangulation(result, progress)
    st.html(f'<p class="eic-answer">{prose(found.sentence)}</p>')
    if not found.nodes:
        return
    st.html(f'<p class="eic-quiet">{prose(_basis(result, found, node))}</p>')
    _selected(result, found.nodes[node])
    with st.expander(f"All {len(found.nodes):,} nodes", expanded=True):
        truth_table(found, node)
    with st.expander("How to read this"):
        st.html(_READING)


def _basis(result: Result, found: Triangulation, node: int) -> str:
    """On which samples the ways are compared, and what the selected node loses on the others."""
    used, valid = len(found.samples), result.inspection.counts.valid
    which = f"all {used:,} valid samples" if used == valid else (
        f"{used:,} of the {valid:,} valid samples, evenly spaced"
    )
    said = f"Compared on {which}; exact values have 60 digits."
    here, whole = found.nodes[node].recursion, result.inspection.nodes[node].local_eic_finite
    if abs(here - whole) < _SAME or not math.isfinite(here - whole):
        return said
    return (
        f"{said} On these, `{found.nodes[node].text[:80]}` loses {number(here, 1)} digits, on all "
        f"{valid:,} it loses {number(whole, 1)}: the mean depends on which rows are in it."
    )


def _selected(result: Result, node: TriangulatedNode) -> None:
    """The badge, the figure, and the reasons of one node."""
    shape, word = BADGES[node.agreement.badge]
    st.html(
        f'<p class="eic-node"><span class="eic-agreement" title="{escape(glossary.AGREEMENT)}">'
        f"{shape} {word}</span> <code>{escape(node.text, 200)}</code></p>"
    )
    dark, narrow = is_dark(), is_narrow()
    figure = figure_cache().get(
        ("triangulated", result.request, node.node_id, dark, narrow),
        lambda: triangulated_figure(node, dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    st.plotly_chart(
        figure,
        key="truth-figure",
        theme=None,
        config={"displayModeBar": False},
        alt=triangulated_words(node),
    )
    for reason in node.agreement.reasons:
        st.html(f'<p class="eic-quiet">{prose(reason)}</p>')


_READING = (
    '<dl class="eic-terms">'
    f"<dt>recursion</dt><dd>{escape(glossary.RECURSION)}</dd>"
    f"<dt>shared noise</dt><dd>{escape(glossary.SHARED_NOISE)}</dd>"
    f"<dt>shaken by σ</dt><dd>{escape(glossary.SHAKEN)}</dd>"
    "<dt>single, double precision</dt><dd>The error that really occurs in this format, against 60 "
    "digits, in digits above one unit of roundoff. A single rounding has about 0.4 units, that is "
    "−0.4 digits; the grey band shows where the recursion with shared noise expects the error. "
    "The thick stroke is the end: there no digit of the format is left.</dd>"
    f"<dt>{BADGES['ok'][0]} {BADGES['explained'][0]} {BADGES['unclear'][0]}</dt>"
    f"<dd>{escape(glossary.AGREEMENT)}</dd></dl>"
)
