""" "Is it true?": the prediction beside trials (the paper's Algorithms 1 and 2) and real
arithmetic.
"""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import streamlit as st

from eic_core import wording
from eic_core.explain.triangulation import TriangulatedNode, Triangulation
from pages.ui.figures.noise import observed_text, triangulated
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.progress import patient_progress
from pages.ui.kit.text import escape
from pages.ui.kit.visit import change_state
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import answer, chart, note

# Shape and word of each badge.
BADGES = {"ok": ("✓", "agrees"), "explained": ("◆", "explained"), "unclear": ("?", "unclear")}

_HEIGHT = 420
_KEY = "truth-table"
_TEXT = 200


def truth_table(triangulation: Triangulation, node: int) -> None:
    """Every node, the ones that need explaining first, then by local EIC."""
    order = sorted(triangulation.nodes, key=_rank)
    ids = [n.node_id for n in order]
    row = ids.index(node)
    chosen: Any = {"selection": {"rows": [row], "columns": [], "cells": []}}
    # The table remembers its own selection: where the node was chosen elsewhere it must be set
    # before the widget is drawn, and a default beside a set value is refused.
    stale = list(st.session_state.get(_KEY, chosen)["selection"]["rows"]) != [row]
    if stale:
        st.session_state[_KEY] = chosen
    config = st.column_config
    sigmas = [s.sigma for s in triangulation.nodes[0].shaken]
    narrow = is_narrow()
    st.dataframe(
        _columns(order, narrow),
        key=_KEY,
        on_select=lambda: _select_row(ids, row),
        selection_mode="single-row",
        selection_default=None if stale else chosen,
        hide_index=True,
        height=min(_HEIGHT, 37 + 35 * len(order)),
        column_config={
            "badge": config.TextColumn("", width=38 if narrow else 95, help=glossary.AGREEMENT),
            "expression": config.TextColumn("Node", width=110 if narrow else 200),
            "recursion": config.NumberColumn(
                "Predicted", format="%.2f", width=78, help=glossary.PREDICTED
            ),
            "shared": config.NumberColumn(
                "Shared noise", format="%.2f", width=95, help=glossary.SHARED_NOISE
            ),
            "float32": config.TextColumn("In float32", width=85, help=glossary.OBSERVED),
            "float64": config.TextColumn("In float64", width=85, help=glossary.OBSERVED),
        }
        | {
            _name(sigma): config.TextColumn(
                f"Tried, errors of {wording.significant(sigma)}", width=165, help=glossary.TRIALS
            )
            for sigma in sigmas
        },
        placeholder="—",
        alt="Every node's local EIC as predicted, as tried with small errors, and as observed in "
        "real arithmetic",
    )


def _columns(order: list[TriangulatedNode], narrow: bool) -> pa.Table:
    badges = [BADGES[n.agreement.badge] for n in order]
    columns: dict[str, list[str] | list[float | None]] = {
        "badge": [shape if narrow else f"{shape} {word}" for shape, word in badges],
        "expression": [n.text[:_TEXT] for n in order],
        "recursion": [_finite_or_none(n.recursion) for n in order],
        "shared": [_finite_or_none(n.shared) for n in order],
        "float32": [observed_text(n.float32) for n in order],
        "float64": [observed_text(n.float64) for n in order],
    }
    for k, shaken in enumerate(order[0].shaken):
        columns[_name(shaken.sigma)] = [_interval(n, k) for n in order]
    return pa.table(columns)


def _name(sigma: float) -> str:
    return f"sigma {sigma:g}"


def _interval(node: TriangulatedNode, k: int) -> str:
    shaken = node.shaken[k]
    if math.isnan(shaken.low):
        return "—"
    low, high = wording.number(shaken.low), wording.number(shaken.high)
    return f"{wording.number(shaken.local_eic)} ({low} to {high})"


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rank(node: TriangulatedNode) -> tuple[int, float, int]:
    loss = -math.inf if math.isnan(node.recursion) else node.recursion
    return -list(BADGES).index(node.agreement.badge), -loss, node.node_id


def _select_row(ids: list[int], before: int) -> None:
    rows = st.session_state[_KEY]["selection"]["rows"]
    if rows and rows[0] != before and rows[0] < len(ids):
        change_state(node=ids[rows[0]])


def truth_panel(result: InspectionResult, node: int) -> None:
    with patient_progress() as progress:
        triangulation = diagnosis_service().triangulation(result, progress)
    answer(triangulation.sentence)
    if not triangulation.nodes:
        return
    _selected(result, triangulation.nodes[node])
    note(_basis(result, triangulation, node))
    with st.expander(f"All {len(triangulation.nodes):,} nodes", expanded=True):
        truth_table(triangulation, node)
    with st.expander("How to read this"):
        st.html(_READING)


def _basis(result: InspectionResult, triangulation: Triangulation, node: int) -> str:
    """The samples on which the ways are compared, and the node's local EIC on all samples."""
    used, valid = len(triangulation.samples), result.inspection.counts.valid
    which = (
        f"all {used:,} valid samples"
        if used == valid
        else (f"{used:,} of the {valid:,} valid samples, evenly spaced")
    )
    basis = f"Compared on {which}; exact values are proved to 33 digits."
    looked_at = result.inspection.nodes[node]
    own, whole = triangulation.nodes[node].recursion, looked_at.local_eic_finite
    digits = [wording.digits_lost(value) for value in (own, whole)]
    if digits[0] == digits[1] or not math.isfinite(own - whole):
        return basis
    evaluated = looked_at.evaluated if looked_at.evaluated >= 0 else valid
    finite = evaluated - looked_at.singular
    does = ["is evaluated"] * (evaluated < valid) + ["keeps a digit"] * (finite < evaluated)
    every = f"all {finite:,}"
    if does:
        every = f"the {finite:,} of all {valid:,} at which it {' and '.join(does)}"
    return (
        f"{basis} On these, the local EIC of `{triangulation.nodes[node].text[:80]}` is "
        f"{digits[0]} digits, on {every} it is {digits[1]}: the mean depends on which rows are in "
        "it."
    )


def _selected(result: InspectionResult, node: TriangulatedNode) -> None:
    shape, word = BADGES[node.agreement.badge]
    st.html(
        f'<p class="eic-node"><span class="eic-agreement" title="{escape(glossary.AGREEMENT)}">'
        f"{shape} {word}</span> <code>{escape(node.text, 200)}</code></p>"
    )
    narrow = is_narrow()
    what = "triangulated", node.node_id, narrow
    chart(result, what, lambda: triangulated(node, narrow=narrow), key="truth-figure")
    note(*node.agreement.sentences)


_READING = (
    '<dl class="eic-terms">'
    f"<dt>predicted, independent noise</dt><dd>{escape(glossary.PREDICTED)}</dd>"
    f"<dt>predicted, shared noise</dt><dd>{escape(glossary.SHARED_NOISE)}</dd>"
    f"<dt>tried, errors of …</dt><dd>{escape(glossary.TRIALS)}</dd>"
    "<dt>measured in float32, float64 (single, double)</dt><dd>The error that really occurs in "
    "this format, against 60 "
    "digits at the inputs as the format has them, in digits above the largest error of a single "
    "rounding (the unit roundoff). A single rounding makes about 0.4 of that, −0.4 digits; the "
    "grey band shows where the error of roundings alone, amplified as predicted, is expected. "
    "The thick stroke is the end: there no digit of the format is left.</dd>"
    f"<dt>{BADGES['ok'][0]} {BADGES['explained'][0]} {BADGES['unclear'][0]}</dt>"
    f"<dd>{escape(glossary.AGREEMENT)}</dd></dl>"
)
