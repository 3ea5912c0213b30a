"""What is picked in the list: one formula to open, or two to put side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from eic_core.drawing.scale import digits_text
from eic_core.pool.listing import ListedScore
from pages.ui.organising.desk import quiet
from pages.ui.text import escape, number
from pages.ui.triage.desk import Scored, desk, text_of
from pages.ui.triage.state import CompareState
from pages.ui.visit import change, visit


def picked_bar(scored: Scored) -> None:
    """The formulas picked, each with what can be done with it."""
    places = [p for p in desk().picked if p < len(scored.scores)]
    if not places:
        quiet("Click a point or a row: open it in the inspector, or put two side by side.")
        return
    with st.container(key="picked", gap="small"):
        for place in places:
            _card(scored.scores[place], place)
        if len(places) == 2 and st.button(
            "Put these two side by side", key="compare_two", type="primary"
        ):
            first, second = (scored.scores[p] for p in places)
            _show(**as_a(first), **as_b(second))


def _show(**changes: Any) -> None:
    """Change the state, and draw the whole page: the pair stands outside this fragment."""
    change(**changes)
    st.rerun()


def _card(scored: ListedScore, place: int) -> None:
    listed, score = scored.listed, scored.score
    facts = [f"EIC {digits_text(score.eic)}", f"{score.complexity} nodes"]
    if score.r2 == score.r2:
        facts.insert(1, f"R² {number(score.r2, 5)}")
    if listed.method:
        facts.append(listed.method)
    with st.container(horizontal=True, vertical_alignment="center", key=f"card-{place}"):
        st.html(
            f'<p class="eic-picked"><code>{escape(listed.formula, 240)}</code><br>'
            f'<span class="eic-quiet">row {listed.row} · {escape(" · ".join(facts), 200)}</span>'
            "</p>",
            width="stretch",
        )
        if st.button("Open in the inspector", key=f"open-{place}", icon=":material/search:"):
            open_in_inspector(scored)
        if st.button("As A", key=f"as-a-{place}"):
            _show(**as_a(scored))
        if st.button("As B", key=f"as-b-{place}"):
            _show(**as_b(scored))


def as_a(scored: ListedScore) -> dict[str, Any]:
    """The changes that make a row formula A."""
    return {
        "formula": text_of(scored.listed),
        "syntax": scored.syntax or "auto",
        "base": scored.base,
        "node": None,
    }


def as_b(scored: ListedScore) -> dict[str, Any]:
    """The changes that make a row formula B."""
    return {
        "other": text_of(scored.listed),
        "other_syntax": scored.syntax or "auto",
        "other_base": scored.base,
    }


def open_in_inspector(scored: ListedScore) -> None:
    """Go to the inspector with this formula on the same data."""
    from pages.inspector import inspector_page

    state = visit().state
    assert isinstance(state, CompareState)
    there = replace(state.inspecting(), **as_a(scored))
    page = st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)
    st.switch_page(page, query_params=there.to_query())
