"""All nodes, each measured in four ways; a selected row selects the node everywhere."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import streamlit as st

from eic_core.explain import words
from eic_core.explain.triangulation import TriangulatedNode, Triangulation
from pages.ui import glossary
from pages.ui.device import is_narrow
from pages.ui.figures.triangulated import observed_text
from pages.ui.visit import change

BADGES = {"ok": ("✓", "agrees"), "explained": ("◆", "explained"), "unclear": ("?", "unclear")}
"""Shape and word of each badge."""

_HEIGHT = 420
_KEY = "truth-table"
_TEXT = 200


def truth_table(found: Triangulation, node: int) -> None:
    """Every node, those that need a word first, then by loss."""
    order = sorted(found.nodes, key=_rank)
    ids = [n.node_id for n in order]
    row = ids.index(node)
    chosen: Any = {"selection": {"rows": [row], "columns": [], "cells": []}}
    stale = list(st.session_state.get(_KEY, chosen)["selection"]["rows"]) != [row]
    if stale:
        st.session_state[_KEY] = chosen
    config = st.column_config
    sigmas = [s.sigma for s in found.nodes[0].shaken]
    narrow = is_narrow()
    st.dataframe(
        _columns(order, narrow),
        key=_KEY,
        on_select=lambda: _row_selected(ids, row),
        selection_mode="single-row",
        selection_default=None if stale else chosen,
        hide_index=True,
        height=min(_HEIGHT, 37 + 35 * len(order)),
        column_config={
            "badge": config.TextColumn("", width=38 if narrow else 95, help=glossary.AGREEMENT),
            "expression": config.TextColumn("Node", width=110 if narrow else 200),
            "recursion": config.NumberColumn(
                "Recursion", format="%.2f", width=78, help=glossary.RECURSION
            ),
            "shared": config.NumberColumn(
                "Shared noise", format="%.2f", width=95, help=glossary.SHARED_NOISE
            ),
            "float32": config.TextColumn("Single", width=70, help=glossary.OBSERVED),
            "float64": config.TextColumn("Double", width=70, help=glossary.OBSERVED),
        }
        | {
            _name(sigma): config.TextColumn(
                f"Shaken, σ = {words.number(sigma)}", width=150, help=glossary.SHAKEN
            )
            for sigma in sigmas
        },
        placeholder="—",
        alt="Every node's loss by the recursion, by shaking, and as observed in real arithmetic",
    )


def _columns(order: list[TriangulatedNode], narrow: bool) -> pa.Table:
    badges = [BADGES[n.agreement.badge] for n in order]
    columns: dict[str, list[str] | list[float | None]] = {
        "badge": [shape if narrow else f"{shape} {word}" for shape, word in badges],
        "expression": [n.text[:_TEXT] for n in order],
        "recursion": [_shown(n.recursion) for n in order],
        "shared": [_shown(n.shared) for n in order],
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
    text = f"{shaken.local_eic:.2f} ({shaken.low:.2f} to {shaken.high:.2f})"
    return text.replace("-", "−")


def _shown(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rank(node: TriangulatedNode) -> tuple[int, float, int]:
    loss = -math.inf if math.isnan(node.recursion) else node.recursion
    return -list(BADGES).index(node.agreement.badge), -loss, node.node_id


def _row_selected(ids: list[int], before: int) -> None:
    rows = st.session_state[_KEY]["selection"]["rows"]
    if rows and rows[0] != before and rows[0] < len(ids):
        change(node=ids[rows[0]])
