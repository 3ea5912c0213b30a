"""The table of a scored list: sortable, and its selected rows are what is picked."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pyarrow as pa
import streamlit as st

from eic_core.pool.listing import ListedScore
from pages.ui import glossary
from pages.ui.device import is_narrow
from pages.ui.organising.desk import quiet
from pages.ui.text import clean
from pages.ui.triage.desk import Scored, desk
from pages.ui.triage.front_figure import FrontView

_MOST_ROWS = 20_000
"""Most rows that the table shows; the file has all."""


def scores_table(view: FrontView, scored: Scored, name: str) -> None:
    """The formulas shown, the front first, then by error and EIC."""
    order = sorted(view.shown.tolist(), key=lambda i: _rank(view, i))[:_MOST_ROWS]
    key = f"front-table-{desk().number}"
    rows = [k for k, i in enumerate(order) if i in view.picked]
    current = st.session_state.get(key)
    if current is not None and sorted(current["selection"]["rows"]) != sorted(rows):
        st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.dataframe(
        _columns([scored.scores[i] for i in order], view, order),
        key=key,
        on_select=partial(_rows_chosen, key, tuple(order)),
        selection_mode="multi-row",
        hide_index=True,
        height=min(440, 38 + 35 * max(1, len(order))),
        column_order=_shown(view, scored, name),
        column_config=_settings(view.accuracy_name),
        placeholder="—",
        alt="The formulas with their scores, the front first",
    )
    if len(view.shown) > _MOST_ROWS:
        quiet(f"The first {_MOST_ROWS:,} of {len(view.shown):,}; the file has all.")


def _rank(view: FrontView, place: int) -> tuple[bool, float, float]:
    error = math.nan if view.accuracy is None else float(view.accuracy[place])
    eic = view.scores[place].score.eic
    return (
        not view.on_front[place],
        math.inf if math.isnan(error) else error,
        math.inf if math.isnan(eic) else eic,
    )


def _rows_chosen(key: str, order: tuple[int, ...]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    here = desk()
    chosen = [order[r] for r in rows if r < len(order)]
    kept = [p for p in here.picked if p in chosen]
    here.picked = tuple([*kept, *(p for p in chosen if p not in kept)][-2:])


def _columns(scores: list[ListedScore], view: FrontView, order: list[int]) -> pa.Table:
    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    accuracy = view.accuracy
    return pa.table(
        {
            "row": [s.listed.row for s in scores],
            "front": ["●" if view.on_front[i] else "" for i in order],
            "eic": [known(s.score.eic) for s in scores],
            "finite": [known(s.score.eic_finite) for s in scores],
            "r2": [known(s.score.r2) for s in scores],
            "error": [None if accuracy is None else known(float(accuracy[i])) for i in order],
            "nodes": [s.score.complexity for s in scores],
            "method": [clean(s.listed.method, 60) for s in scores],
            "formula": [" ".join(clean(s.listed.formula, 300).split()) for s in scores],
            "invalid": [s.score.invalid for s in scores],
        }
    )


def _shown(view: FrontView, scored: Scored, name: str) -> list[str]:
    scores = scored.scores
    names = ["front", "eic"]
    if any(math.isinf(s.score.eic) for s in scores):
        names.append("finite")
    if not all(math.isnan(s.score.r2) for s in scores):
        names.append("r2")
    if name and name != "1 − R²":
        names.append("error")
    names += ["nodes", "formula"]
    if is_narrow():
        names.remove("formula")
        names.insert(2, "formula")
    if any(s.listed.method for s in scores):
        names.append("method")
    if any(s.score.invalid for s in scores):
        names.append("invalid")
    return [*names, "row"]


def _settings(accuracy_name: str) -> dict[str, Any]:
    config = st.column_config
    return {
        "front": config.TextColumn("Front", width=52, help="● : on the front"),
        "eic": config.NumberColumn("EIC", format="%.2f", width=62, help=glossary.EIC),
        "finite": config.NumberColumn("Finite", format="%.2f", width=62, help=glossary.FINITE),
        "r2": config.NumberColumn("R²", format="%.5g", width=82, help=glossary.R2),
        "error": config.NumberColumn(accuracy_name or "Error", format="%.4g", width=110),
        "nodes": config.NumberColumn("Nodes", width=62, help=glossary.COMPLEXITY),
        "formula": config.TextColumn("Formula", width=330),
        "method": config.TextColumn("Method", width=90),
        "invalid": config.NumberColumn("No value", width=76, help=glossary.VALID),
        "row": config.NumberColumn("Row", width=56, help="In the list, from 1"),
    }
