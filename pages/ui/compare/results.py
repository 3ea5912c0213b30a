"""The scored list: progress, the front, the choice, what is picked."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.pool.list_variables import counted_from_zero
from eic_core.pool.listing import ListedScore
from eic_core.pool.picking import READABLE, Pick
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
from pages.ui.compare.scores_table import filter_scores, scored_csv, scores_table
from pages.ui.kit.browser import is_dark, is_narrow, plotly_config, uninterrupted
from pages.ui.kit.messages import (
    quiet_note,
    show_empty_state,
    show_error,
    show_note,
)
from pages.ui.kit.progress import progress_text, show_job
from pages.ui.kit.text import escape, prose, unbroken_prose
from pages.ui.kit.visit import Visit, change_state, current_visit, sync_widget


def picked_bar(scored: Scored) -> None:
    places = [p for p in compare_desk().picked if p < len(scored.scores)]
    if not places:
        quiet_note("Click a point or a row: open it in the inspector, or put two side by side.")
        return
    with st.container(key="picked", gap="small"):
        for place in places:
            _card(scored.scores[place], place)
        if len(places) == 2 and st.button(
            "Put these two side by side", key="compare_two", type="primary"
        ):
            first, second = (scored.scores[p] for p in places)
            _show(**(changes_for_a(first) | changes_for_b(second)))


def _show(**changes: Any) -> None:
    # The pair stands outside this fragment: the whole page must run.
    change_state(**changes)
    st.rerun()


def _card(scored: ListedScore, place: int) -> None:
    listed, score = scored.listed, scored.score
    facts = [
        f"worst step (EIC) {wording.digits_lost(score.eic)} digits",
        wording.count(score.complexity or 0, "node"),
    ]
    if not math.isnan(score.r2):
        facts.insert(1, f"R² {wording.r_squared(score.r2)}")
    if score.out_of_range:
        facts.append(f"leaves double range at {wording.count(score.out_of_range, 'row')}")
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
            _show(**changes_for_a(scored))
        if st.button("As B", key=f"as-b-{place}"):
            _show(**changes_for_b(scored))


def changes_for_a(scored: ListedScore) -> dict[str, Any]:
    text, syntax, base = _as_measured(scored)
    exponents = scored.score.exponents
    return {"formula": text, "syntax": syntax, "exponents": exponents, "base": base, "node": None}


def changes_for_b(scored: ListedScore) -> dict[str, Any]:
    text, syntax, base = _as_measured(scored)
    exponents = scored.score.exponents
    return {"other": text, "other_syntax": syntax, "exponents": exponents, "other_base": base}


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


def results_view(desk: CompareDesk, scored: Scored, notices: list[str], visit: Visit) -> None:
    for text in notices:
        show_note(text)
    if desk.plain or any(s.protected for s in scored.scores):
        st.toggle(
            "Read the plain functions",
            desk.plain,
            key=sync_widget("plain_functions", desk.plain),
            on_change=_change_functions,
            help="gplearn takes roots and logarithms of |x|, and a constant where |x| is 0.001 or "
            "less; DEAP’s division is 1 where the divisor is 0. The plain functions have no value "
            "there. A link to this page reads them as the tool does.",
        )
    if not desk.as_stored:
        st.toggle(
            "Say the cause of each formula",
            key=sync_widget("findings", desk.findings),
            on_change=_change_findings,
            help="Diagnoses every formula, which takes some hundredths of a second each: the table "
            "gains *Cause* and *Step*, and a filter of causes.",
        )
    _results(desk.number)
    show_left_out(desk, scored, visit)


def show_left_out(desk: CompareDesk, scored: Scored, visit: Visit) -> None:
    if (chosen := left_out_view(desk, scored, visit)) is not None:
        open_in_inspector(chosen)


def _change_findings() -> None:
    compare_desk().findings = st.session_state["findings"]


def _change_functions() -> None:
    read_plainly(st.session_state["plain_functions"])


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
        name = _accuracy(scored)
        on_front = scored.fronts[name]
        _summary(scored, on_front, name)
        _choice(scored)
        visible = filter_scores(scored, on_front)
        view = FrontView(
            scored.scores, visible, on_front, scored.accuracies.get(name), name, desk.picked
        )
        left, right = st.columns([1, 1], gap="medium")
        with left:
            _plot(view)
        with right:
            scores_table(view, scored, name)
            _file(scored, on_front)
        picked_bar(scored)


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
        "Accuracy",
        names,
        default=scored.default_accuracy,
        key=f"front-accuracy-{scored.default_accuracy}",
        format_func=lambda name: name or "leave out",
        required=True,
        help="Against the target here, or as it came with the list.",
    )
    return chosen if chosen in scored.accuracies else ""


def _summary(scored: Scored, on_front: np.ndarray, name: str) -> None:
    scores = scored.scores
    members = [s for s, member in zip(scores, on_front, strict=True) if member]
    read = sum(not s.score.error for s in scores)
    eics = [s.score.eic for s in members if math.isfinite(s.score.eic)]
    low, high = (wording.number(min(eics), 1), wording.number(max(eics), 1)) if eics else ("", "")
    between = low if low == high else f"{low} to {high}"
    spread = f", with an EIC of {between} digits" if eics else ""
    which = "accuracy, complexity and EIC" if name else "complexity and EIC"
    took = f" Scored in {scored.seconds:.1f} s." if scored.seconds >= 1 else ""
    share = "The only formula" if read == 1 else f"{len(members):,} of {read:,} formulas"
    verb = "is" if len(members) == 1 else "are"
    st.html(
        f'<p class="eic-lead"><b>{share}</b> {verb} on the front of '
        f'{which}{spread}.</p><p class="eic-quiet">No other formula is at least as good in every '
        f"one of these and better in one; such formulas are outlined.{took}</p>"
    )


def _choice(scored: Scored) -> None:
    """The formula to take where digits have a price, or why there is none on a table."""
    if scored.choice(READABLE) is None:
        if any(s.columns for s in scored.lacking):
            show_empty_state(
                "No formula of this list has an R² on these data",
                " ".join(reasons(scored)),
            )
        return
    with st.container(key="front-choice", gap="small"):
        alpha = st.segmented_control(
            "A digit costs",
            PRICES,
            default=READABLE,
            key="digit-price",
            format_func=lambda price: f"{price:g}",
            required=True,
            help="Fitness is 0.999^nodes/(2 − R²) less this for each digit of EIC, "
            "the worst step: the weights of Yu et al. for their genetic programming and their tree "
            "search, and a dearer one.",
        )
        choice = scored.choice(alpha or READABLE)
        assert choice is not None
        st.html(
            f'<p class="eic-choice">{unbroken_prose(str(choice.sentence))}</p>'
            f'<p class="eic-picked"><code>{escape(choice.picked.listed.formula, 400)}</code></p>'
        )
        if choice.picked.score.explains_nothing:
            quiet_note(
                "Are these the rows that the list was fitted to, and is this the column "
                "to compare with? Both can be chosen under Data."
            )
        with st.container(key="choice-actions", horizontal=True):
            _choice_actions(scored, choice)


def _choice_actions(scored: Scored, choice: Pick) -> None:
    if st.button("Open in the inspector", key="open-choice", icon=":material/search:"):
        open_in_inspector(choice.picked)
    compared = [choice.picked, *([choice.plain] if choice.plain is not choice.picked else [])]
    places = tuple(i for i, s in enumerate(scored.scores) if any(s is one for one in compared))
    if len(compared) == 2 and st.button(
        f"Side by side with row {choice.plain.listed.row}", key="compare-choice"
    ):
        _show(**(changes_for_a(choice.picked) | changes_for_b(choice.plain)))
    rows = wording.join([str(one.listed.row) for one in compared])
    st.button(
        f"Show row{'s' if len(compared) > 1 else ''} {rows} in the plot",
        key="look-at-choice",
        on_click=_look_at,
        args=(places,),
    )


PRICES = (0.002, READABLE, 0.05)


def _look_at(places: tuple[int, ...]) -> None:
    compare_desk().picked = places


def _plot(view: FrontView) -> None:
    drawn = drawn_places(view)
    st.plotly_chart(
        front_figure(view, dark=is_dark(), narrow=is_narrow()),
        key="front-plot",
        theme=None,
        on_select=_pick_clicked,
        selection_mode="points",
        config=plotly_config("eic-front"),
        alt="Every formula by complexity and error, coloured by its worst step (EIC); the "
        "table says the same.",
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
