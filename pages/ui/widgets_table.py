"""The table of all nodes: sortable, and a selected row selects the node everywhere."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import streamlit as st

from eic_core.measure import NodeAmplification
from pages.ui import glossary
from pages.ui.device import is_narrow
from pages.ui.service import Result
from pages.ui.visit import change, visit

_HEIGHT = 420
_LEGIBLE = 1e9
"""Larger amplifications have too many digits to be read; the digits lost say it."""

KEY = "node_table"


def node_table(result: Result, node: int) -> None:
    """Every node, the hottest first."""
    order = sorted(result.inspection.nodes, key=lambda n: (_rank(n.local_eic), n.node.id))
    here = visit()
    here.table_order = tuple(n.node.id for n in order)
    here.table_row = row = here.table_order.index(node)
    chosen: Any = {"selection": {"rows": [row], "columns": [], "cells": []}}
    current = st.session_state.get(KEY)
    stale = current is None or list(current["selection"]["rows"]) != [row]
    if stale:
        st.session_state[KEY] = chosen
    st.dataframe(
        _columns(order),
        key=KEY,
        on_select=_row_selected,
        selection_mode="single-row",
        selection_default=None if stale else chosen,  # as with `follow`
        hide_index=True,
        height=min(_HEIGHT, 37 + 35 * len(order)),
        column_order=_shown(order, is_narrow()),
        column_config=_settings(order, is_narrow()),
        placeholder="—",
        alt="Every node of the formula with the digits lost there",
    )


def _columns(order: list[NodeAmplification]) -> pa.Table:
    return pa.table(
        {
            "node": [n.node.id for n in order],
            "expression": [n.text[:200] for n in order],
            "digits": [_known(n.local_eic) for n in order],
            "s": [_known(n.s_bar) for n in order],
            "finite": [_known(n.local_eic_finite) for n in order],
            "singular": [n.singular for n in order],
            "invalid": [n.invalid for n in order],
        }
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(order: list[NodeAmplification], narrow: bool) -> list[str]:
    names = ["digits", "expression", "node"] if narrow else ["node", "expression", "digits"]
    if all(n.s_bar < _LEGIBLE for n in order):
        names.append("s")
    if any(n.singular for n in order):
        names += ["finite", "singular"]
    if any(n.invalid for n in order):
        names.append("invalid")
    return names


def _settings(order: list[NodeAmplification], narrow: bool) -> dict[str, Any]:
    config = st.column_config
    return {
        "node": config.NumberColumn("#", width=45, help="Order of computation"),
        "expression": config.TextColumn("Sub-expression", width=165 if narrow else 820),
        "digits": config.NumberColumn("Digits lost", format="%.2f", width=95, help=glossary.EIC),
        "s": config.NumberColumn("s̄", format="%.3g", width=95, help=glossary.S_BAR),
        "finite": config.NumberColumn("Finite", format="%.2f", help=glossary.FINITE),
        "singular": config.NumberColumn("Singular", help=glossary.SINGULAR),
        "invalid": config.NumberColumn("No value", help=glossary.VALID),
    }


def _rank(value: float) -> float:
    return math.inf if math.isnan(value) else -value


def _row_selected() -> None:
    rows = st.session_state[KEY]["selection"]["rows"]
    here = visit()
    if rows and rows[0] != here.table_row and rows[0] < len(here.table_order):
        change(node=here.table_order[rows[0]])
