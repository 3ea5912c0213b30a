"""The scored list: progress, the front, the table, what was refused, and the file."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import streamlit as st

from eic_core.pool.listing import ListedScore
from pages.ui import glossary
from pages.ui.device import is_dark, is_narrow, plotly_config
from pages.ui.organising.desk import heading, note, quiet, show_error
from pages.ui.text import clean, escape, number, prose
from pages.ui.triage.desk import Desk, Scored, desk
from pages.ui.triage.export import scored_csv
from pages.ui.triage.front_figure import (
    MOST_POINTS,
    FrontView,
    drawn_places,
    front_figure,
    on_the_edge,
)
from pages.ui.triage.picked import picked_bar

_LISTED = 500
_MOST_ROWS = 20_000
"""Most rows that the table shows; the file has all."""


@st.fragment(run_every=0.6)
def progress(key: str) -> None:
    """How far scoring has come; the page follows when it has ended."""
    here = desk()
    here.seen = time.monotonic()
    job = here.job
    if job is None or not job.running:
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    said = f"{job.done:,} of {job.total:,} formulas" if job.total else "reading the list"
    st.progress(min(1.0, share), text=f"Scoring: {said}")
    st.button("Cancel", key=f"cancel-{key}", on_click=job.cancel, disabled=job.cancelled)


def ended(here: Desk) -> None:
    """Why there are no scores."""
    job = here.job
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet("Scoring was cancelled.")
    st.button("Score again", key="score-again", on_click=_again)


def _again() -> None:
    desk().job = desk().wanted = None


def results(here: Desk, scored: Scored, notices: list[str]) -> None:
    """Everything below the inputs, one fragment."""
    for text in notices:
        note(text)
    _results(here.number)
    _refused(scored)


@st.fragment
def _results(number_of_list: int) -> None:
    here = desk()
    scored = here.scored
    if scored is None or here.number != number_of_list:
        return
    with st.container(key="front-box", gap="small"):
        name = _accuracy(scored)
        on_front = scored.fronts[name]
        _summary(scored, on_front, name)
        shown = _filtered(scored, on_front)
        view = FrontView(
            scored.scores, shown, on_front, scored.accuracies.get(name), name, here.picked
        )
        left, right = st.columns([1, 1], gap="medium")
        with left:
            _plot(view)
        with right:
            _table(view, scored, name)
            _file(scored, on_front)
        picked_bar(scored)


def _accuracy(scored: Scored) -> str:
    """Which accuracy is looked at; "" for none."""
    names = [*scored.accuracies, ""]
    if len(names) < 2:
        return ""
    chosen = st.segmented_control(
        "Accuracy",
        names,
        default=scored.usual,
        key=f"front-accuracy-{scored.usual}",
        format_func=lambda name: name or "leave out",
        required=True,
        help="Against the target here, or as it came with the list.",
    )
    return chosen if chosen in scored.accuracies else ""


def _filtered(scored: Scored, on_front: np.ndarray) -> np.ndarray:
    """Places of the formulas that the filters let through."""
    scores = scored.scores
    keep = np.array([not s.score.error for s in scores], dtype=bool)
    methods = list(dict.fromkeys(s.listed.method for s in scores if s.listed.method))
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters", gap="small"):
        text = st.text_input("Find", key="filter-text", placeholder="part of a formula", width=180)
        most = st.number_input("EIC at most", min_value=0.0, value=None, step=0.5, width=120,
                               key="filter-eic", placeholder="any")  # fmt: skip
        nodes = st.number_input("Nodes at most", min_value=1, value=None, step=5, width=120,
                                key="filter-nodes", placeholder="any")  # fmt: skip
        wanted = (
            st.multiselect(
                "Methods",
                methods,
                key="filter-methods",
                format_func=clean,
                width=260,
                placeholder="all",
            )  # fmt: skip
            if len(methods) > 1
            else []
        )
        only = st.toggle("Front only", key="filter-front")
    for i, s in enumerate(scores):
        keep[i] &= not text or text.lower() in s.listed.formula.lower()
        keep[i] &= most is None or s.score.eic <= most
        keep[i] &= nodes is None or (s.score.complexity or 0) <= nodes
        keep[i] &= not wanted or s.listed.method in wanted
    return np.flatnonzero(keep & on_front if only else keep)


def _summary(scored: Scored, on_front: np.ndarray, name: str) -> None:
    scores = scored.scores
    members = [s for s, member in zip(scores, on_front, strict=True) if member]
    read = sum(not s.score.error for s in scores)
    eics = [s.score.eic for s in members if math.isfinite(s.score.eic)]
    low, high = (number(min(eics), 1), number(max(eics), 1)) if eics else ("", "")
    spread = f" and lose {low if low == high else f'{low} to {high}'} digits" if eics else ""
    which = "accuracy, complexity and EIC" if name else "complexity and EIC"
    took = f" Scored in {scored.seconds:.1f} s." if scored.seconds >= 1 else ""
    verb = "is" if len(members) == 1 else "are"
    spread = spread.replace("lose", "loses") if len(members) == 1 else spread
    st.html(
        f'<p class="eic-lead"><b>{len(members):,} of {read:,} formulas</b> {verb} on the front of '
        f'{which}{spread}.</p><p class="eic-quiet">No other formula is at least as good in every '
        f"one of these and better in one; such formulas are outlined.{took}</p>"
    )


def _plot(view: FrontView) -> None:
    drawn = drawn_places(view)
    st.plotly_chart(
        front_figure(view, dark=is_dark(), narrow=is_narrow()),
        key="front-plot",
        theme=None,
        on_select=_point_clicked,
        selection_mode="points",
        config=plotly_config("eic-front"),
        alt="Every formula by complexity and error, coloured by EIC; the table says the same.",
    )
    if edge := on_the_edge(view):
        top = "EIC above 12" if view.accuracy is None else (
            "an R² below −1" if "loss" not in view.accuracy_name else "a far larger loss"
        )  # fmt: skip
        quiet(f"{edge:,} with {top} {'are' if edge > 1 else 'is'} drawn on the upper edge.")
    hidden = len(view.shown) - len(drawn)
    if hidden:
        why = "no finite error or no EIC"
        if len(view.shown) > MOST_POINTS:
            why = f"at most {MOST_POINTS:,} points are, the members of the front first"
        which = "formula is" if hidden == 1 else "formulas are"
        quiet(f"{hidden:,} {which} not drawn: {why}.")


def _point_clicked() -> None:
    points = st.session_state["front-plot"].selection.points
    if points and (data := points[0].get("customdata")) is not None:
        place = int(data[0] if isinstance(data, list) else data)
        desk().picked = (place,)


def _table(view: FrontView, scored: Scored, name: str) -> None:
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


def _file(scored: Scored, on_front: np.ndarray) -> None:
    st.download_button(
        "All scores, CSV",
        data=lambda: scored_csv(scored.scores, on_front),
        file_name="eic-scores.csv",
        mime="text/csv",
        key="download-scores",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="Every row of the list, refused ones with their reason; safe to open in a spreadsheet",
    )


def _refused(scored: Scored) -> None:
    rows = [s for s in scored.scores if s.score.error]
    if not rows:
        return
    heading(f"{len(rows):,} row{'s' if len(rows) != 1 else ''} refused")
    quiet("They stay in the list and in the file of scores. Mend them in the list, or put one into "
          "formula A below to try.")  # fmt: skip
    with st.expander("What was refused, and why", key="refused-list", expanded=len(rows) <= 5):
        items = "".join(
            f"<li><b>row {s.listed.row}</b> <code>{escape(s.listed.formula or '(empty)', 160)}"
            f"</code><br>{prose(s.score.error, 400)}</li>"
            for s in rows[:_LISTED]
        )
        more = f"<li>and {len(rows) - _LISTED:,} more</li>" if len(rows) > _LISTED else ""
        st.html(f'<ul class="eic-list eic-refused">{items}{more}</ul>')
