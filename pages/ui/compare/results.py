"""The scored list: progress, the front, the choice, what is picked."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.pool.list_variables import counted_from_zero
from eic_core.pool.listing import ListedScore
from eic_core.pool.picking import READABLE
from eic_core.pool.traits import formula_of, short_latex
from pages.ui.compare.desk import (
    CompareDesk,
    CompareState,
    Scored,
    compare_desk,
    confirm_table,
    formula_text,
    read_plainly,
)
from pages.ui.compare.front_figure import (
    MOST_POINTS,
    FrontView,
    drawn_places,
    edge_note,
    front_figure,
)
from pages.ui.compare.left_out import left_out_view, reasons
from pages.ui.compare.scores_table import (
    cause_words,
    filter_scores,
    keep_filters,
    scored_csv,
    scores_table,
)
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.messages import (
    quiet_note,
    show_empty_state,
    show_error,
    show_note,
)
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.progress import progress_text, show_job
from pages.ui.kit.text import escape, prose, unbroken_prose
from pages.ui.kit.visit import Visit, change_state, current_visit, sync_widget


def _facts(scored: ListedScore) -> str:
    listed, score = scored.listed, scored.score
    facts = [
        *([] if math.isnan(score.r2) else [f"R² {wording.r_squared(score.r2)}"]),
        wording.count(score.complexity or 0, "node"),
        f"EIC {wording.digits_lost(score.eic)}",
        *([cause_words(score.cause)] if score.cause else []),
        *([listed.method] if listed.method else []),
    ]
    if score.out_of_range:
        facts.append(f"leaves double range at {wording.count(score.out_of_range, 'row')}")
    return " · ".join(facts)


def _typeset(scored: Scored, place: int) -> None:
    """A formula by its row, typeset with short constants; the text of one that is too long."""
    one = scored.scores[place]
    also = f", {also}" if (also := scored.also(place)) else ""
    st.html(
        f'<p class="eic-picked"><b>Row {one.listed.row}</b>{also} <span class="eic-quiet">'
        f"{escape(_facts(one), 300)}</span></p>"
    )
    formula = formula_of(one)
    if formula is None or formula.complexity > MOST_TYPESET:
        st.html(f'<p class="eic-picked"><code>{escape(one.listed.formula, 240)}</code></p>')
        return
    st.latex(short_latex(formula), width="stretch")


MOST_TYPESET = 120
"""Nodes of a formula that is typeset; longer ones are shown as text."""


def _cards(scored: Scored, places: Sequence[int]) -> None:
    """One or two formulas, the second beside the first or below it, and what can be done."""
    for place in places:
        with st.container(key=f"card-{place}", gap=None):
            _typeset(scored, place)
    one, *others = (scored.scores[place] for place in places)
    with st.container(horizontal=True, key="card-actions", gap="small"):
        for place in places:
            each = scored.scores[place]
            if st.button(
                f"Inspect row {each.listed.row}", key=f"open-{place}", icon=":material/search:"
            ):
                open_in_inspector(each)
        for other in others:
            if st.button("Side by side", key="compare_two"):
                change_state(**changes_for_a(one), **_changes_for_b(other))
                st.rerun()  # the pair stands outside this fragment
        if compare_desk().picked and scored.choice(READABLE) is not None:
            st.button("Back to the choice", key="unpick", type="tertiary", on_click=_unpick)


@uninterrupted()
def _unpick() -> None:
    compare_desk().picked = ()


def changes_for_a(scored: ListedScore) -> dict[str, Any]:
    text, syntax, base = _as_measured(scored)
    exponents = scored.score.exponents
    return {"formula": text, "syntax": syntax, "exponents": exponents, "base": base, "node": None}


def _changes_for_b(scored: ListedScore) -> dict[str, Any]:
    text, syntax, base = _as_measured(scored)
    return {"other": text, "other_syntax": syntax, "other_base": base}


def _as_measured(scored: ListedScore) -> tuple[str, str, int | None]:
    """The text, the notation and the index base with which a formula was scored."""
    listed, base = scored.listed, scored.base
    if scored.renumbered:
        listed, base = counted_from_zero(listed), 0
    return formula_text(listed), scored.syntax or "auto", base


def open_in_inspector(scored: ListedScore) -> None:
    # `st.switch_page` needs the page itself: the one place where a room knows a page.
    from pages.inspector import inspector_page

    state = current_visit().state
    assert isinstance(state, CompareState)
    there = replace(state.inspector_state(), **changes_for_a(scored))
    page = st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)
    st.switch_page(page, query_params=there.to_query())


@st.fragment(run_every=0.6)
def show_progress(key: str) -> None:
    """Poll the job; the page runs again when it has ended."""
    desk = compare_desk()
    desk.last_watched = time.monotonic()
    if desk.scored is not None:
        keep_filters()
    show_job(
        desk.job,
        lambda job: progress_text(job, "Scoring", "formulas", "reading the list"),
        key=f"cancel-{key}",
    )


def show_end(desk: CompareDesk) -> None:
    job = desk.job
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet_note("Scoring was cancelled.")
    st.button("Score again", key="score-again", on_click=_score_again)


@uninterrupted()
def _score_again() -> None:
    compare_desk().job = compare_desk().job_key = None


def ask_about_table(scored: Scored) -> None:
    reasons = "".join(f"<li>{prose(reason)}</li>" for reason in scored.check.reasons)
    title = (
        "This is not the table of these formulas."
        if scored.check.unusable
        else ("Is this the table of these formulas?")
    )
    st.html(
        f'<div class="eic-ask" role="alert"><p><b>{title}</b></p><ul class="eic-list">{reasons}'
        "</ul><p>Under Data you can choose another table, another column to compare with, or what "
        "columns are counted from.</p></div>"
    )
    if not scored.check.unusable:
        st.button("Compare on it all the same", key="confirm-table", on_click=confirm_table)


def reading_notes(desk: CompareDesk, scored: Scored, notices: list[str]) -> None:
    """What the scores assume, and the switches that change it."""
    for text in notices:
        show_note(text)
    if desk.plain or any(s.protected for s in scored.scores):
        st.toggle(
            "Read the plain functions",
            desk.plain,
            key=sync_widget("plain_functions", desk.plain),
            on_change=lambda: read_plainly(st.session_state["plain_functions"]),
            help="gplearn takes roots and logarithms of |x|, and a constant where |x| is 0.001 or "
            "less; DEAP’s division is 1 where the divisor is 0. The plain functions have no value "
            "there. A link to this page reads them as the tool does.",
        )
    if not desk.as_stored:
        st.toggle(
            "Say the cause of each formula",
            key=sync_widget("findings", desk.findings),
            on_change=lambda: setattr(desk, "findings", st.session_state["findings"]),
            help="Diagnoses every formula, not only those of the front. It takes some "
            "hundredths of a second each.",
        )


def results_view(desk: CompareDesk, scored: Scored, visit: Visit) -> None:
    _results(desk.number)
    show_left_out(desk, scored, visit)


def show_left_out(desk: CompareDesk, scored: Scored, visit: Visit) -> None:
    if (chosen := left_out_view(desk, scored, visit)) is not None:
        open_in_inspector(chosen)


@st.fragment
def _results(number_of_list: int) -> None:
    desk = compare_desk()
    scored = desk.scored
    if scored is None or desk.number != number_of_list:
        return
    if _nothing_to_show(scored):
        _file(scored, scored.fronts[""])
        return
    with st.container(key="front-box", gap="small"):
        answer, plot = st.columns([5, 6], gap="medium")
        with answer:
            choice = _choice(scored)
        # A single pick stands beside the choice.
        picked = (*desk.picked, *(p for p in choice if p not in desk.picked))[:2]
        with plot:
            with st.container(horizontal=True, key="front-head", vertical_alignment="center"):
                name = _accuracy(scored)
                on_front = scored.fronts[name]
                _summary(scored, on_front, name)
            place = st.container(key="front-place", gap="small")
        with answer:
            if picked:
                _cards(scored, picked)
            else:
                quiet_note("Click a point or a row: inspect it, or put two side by side.")
            _price(scored)
        visible = filter_scores(scored, on_front)
        view = FrontView(
            scored.scores, visible, on_front, scored.accuracies.get(name), name, picked
        )
        with place:
            _plot(view)
        scores_table(view, scored, name)
        for each in desk.picked:
            with st.container(key=f"preview-{each}", gap=None):
                _typeset(scored, each)
        _file(scored, on_front)


def _nothing_to_show(scored: Scored) -> bool:
    """Explain an empty plot; False if there is something to draw."""
    if any(not math.isnan(s.score.eic) for s in scored.scores):
        return False
    read = [s for s in scored.scores if not s.score.error]
    title = "No formula of this list has a real value on these data"
    if len(read) == 1:
        title = "The only formula that could be read has no real value on these data"
    if not read:
        title = "No formula of this list can be measured"
    elif compare_desk().as_stored:
        title = "The file has no EIC for any of its formulas"
    show_empty_state(title, "Each reason stands below, with its rows and what helps.")
    return True


def _accuracy(scored: Scored) -> str:
    """The accuracy of the plot; "" for none."""
    names = [*scored.accuracies, ""]
    if len(names) < 2:
        return ""
    chosen = st.segmented_control(
        "Accuracy, against the target here or as it came with the list",
        names,
        default=scored.default_accuracy,
        key=f"front-accuracy-{scored.default_accuracy}",
        format_func=lambda name: name or "without accuracy",
        required=True,
        label_visibility="collapsed",
    )
    return chosen if chosen in scored.accuracies else ""


def _summary(scored: Scored, on_front: np.ndarray, name: str) -> None:
    members = [s for s, member in zip(scored.scores, on_front, strict=True) if member]
    read = sum(not s.score.error for s in scored.scores)
    eics = [s.score.eic for s in members if math.isfinite(s.score.eic)]
    low, high = (wording.number(min(eics), 1), wording.number(max(eics), 1)) if eics else ("", "")
    between = low if low == high else f"{low} to {high}"
    spread = f", with an EIC of {between} digits" if eics else ""
    which = "accuracy, complexity and EIC" if name else "complexity and EIC"
    share = "The only formula" if read == 1 else f"{len(members):,} of {read:,} formulas"
    note = (
        "The outlined formulas: no other is at least as good in all of these and "
        "better in one. Twins count once."
    )
    st.html(
        f'<p class="eic-lead" title="{note}"><b>{share}</b> '
        f"{'is' if len(members) == 1 else 'are'} on the front of "
        f"{which}{spread}.</p>",
        width="stretch",
    )


def _choice(scored: Scored) -> tuple[int, ...]:
    """Say which formula to take where digits have a price; the places of those that it names."""
    choice = scored.choice(st.session_state.get("digit-price", READABLE))
    if choice is None:
        if any(s.columns for s in scored.lacking):
            show_empty_state(
                "No formula of this list has an R² on these data",
                " ".join(reasons(scored)),
            )
        return ()
    st.html(
        f'<p class="eic-choice"><b>{unbroken_prose(choice.headline)}</b>'
        f"{unbroken_prose(choice.reasons)}</p>"
    )
    if choice.picked.score.explains_nothing:
        quiet_note(
            "Are these the rows that the list was fitted to, and is this the column "
            "to compare with? Both can be chosen under Data."
        )
    places = {id(each): place for place, each in enumerate(scored.scores)}
    return tuple(dict.fromkeys([places[id(choice.picked)], places[id(choice.plain)]]))


def _price(scored: Scored) -> None:
    if scored.choice(READABLE) is not None:
        st.select_slider(
            "A digit may cost, of R²",
            PRICES,
            READABLE,
            key="digit-price",
            format_func=lambda price: f"{price:g}",
            help="Fitness is 0.999^nodes/(2 − R²) less this for each digit of EIC, the worst step: "
            "near R² = 1 a digit weighs as much as this part of R². Yu et al. take 0.002 in their "
            "genetic programming and 0.01 in their tree search.",
        )


PRICES = (0.0, 0.001, 0.002, 0.005, READABLE, 0.02, 0.05, 0.1, 0.2)


def _plot(view: FrontView) -> None:
    drawn = drawn_places(view)
    show_chart(
        lambda: front_figure(view),
        key="front-plot",
        file_name="eic-front",
        on_select=_pick_clicked,
        selection_mode="points",
    )
    if edges := edge_note(view):
        quiet_note(edges)
    hidden = len(view.visible) - len(drawn)
    if hidden:
        why = "no finite error or no worst step (EIC)"
        if len(view.visible) > MOST_POINTS:
            why = f"at most {MOST_POINTS:,} points are, the members of the front first"
        which = wording.count(hidden, "formula is", "formulas are")
        quiet_note(f"{which} not drawn: {why}.")


def _pick_clicked() -> None:
    points = st.session_state["front-plot"].selection.points
    if points and (data := points[0].get("customdata")) is not None:
        place = int(data[0] if isinstance(data, list) else data)
        compare_desk().picked = (place,)


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
        help="Every row of the list, those left out with their reason; safe in a spreadsheet",
    )
