"""A ballot: the problem, the picture, two formulas, one question."""

from __future__ import annotations

import json

import streamlit as st

from pages.ui.kit.browser import is_dark
from pages.ui.kit.prepared import PreparedPlot, draw_prepared
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import ballot_plots
from pages.ui.rating import words
from pages.ui.rating.ballot_figure import LETTERS, Side, card_of, curve_plot, surface_plot
from pages.ui.rating.pieces import (
    breakable,
    card_head,
    colour_bar,
    heading,
    help_of_the_browser,
    legend,
    map_title,
    mark_run,
    notice,
    one_line,
    point_count_text,
    prevent_double_votes,
    progress_bar,
    quantities,
    scroll_to_top,
)
from pages.ui.rating.tab import Tab, ask_withdrawal, choose, pause, send_heartbeat, start_heartbeats
from study.rating_types import MAX_REASON, Ballot, RatingVisit

HEARTBEAT = 15
"""Seconds between signs of life while a ballot is on the screen.

Each is one short write. Browsers slow the timers of hidden tabs down to one a minute, which
the service counts as idle; a lost connection sends none.
"""
_CONFIG = json.dumps(
    {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "responsive": True}
)


def ballot_page(tab: Tab, visit: RatingVisit, ballot: Ballot) -> None:
    """The ballot with its frame, its buttons and its sign of life."""
    scroll_to_top(ballot.token)
    prevent_double_votes()
    _frame(visit, ballot)
    with st.form(f"ballot-{ballot.token}", border=False, enter_to_submit=False):
        draw_ballot(ballot, key=ballot.token)
        _answer(ballot, tab.notice)
        with st.container(key=f"rate-report-{ballot.token}"):
            st.text_input("Times", key=f"report-{ballot.token}", label_visibility="collapsed")
    mark_run()
    tab.notice = ""
    start_heartbeats(ballot.token)
    _heartbeat_fragment(ballot.token)


def _frame(visit: RatingVisit, ballot: Ballot) -> None:
    """The rater's place, and the ways out."""
    where = "Practice ballot" if ballot.practice else f"Ballot {ballot.number} of {ballot.of}"
    with st.container(horizontal=True, key="rate-frame", vertical_alignment="center"):
        with st.container(width="stretch", gap=None):
            progress_bar(visit.progress, where)
        st.button("Pause", key="pause", on_click=pause, icon=":material/pause:")
        st.button("Withdraw", key="ask-withdrawal", type="tertiary", on_click=ask_withdrawal)
    heading(ballot.title)
    if ballot.practice:
        st.html(f'<p class="rate-note">{escape(words.PRACTICE)}</p>')


def draw_ballot(ballot: Ballot, *, key: str) -> None:
    """A rater's view of a pair; browsers receive `key`, which must reveal nothing."""
    text = f"<p>{escape(ballot.description, 2000)}</p>" if ballot.description else ""
    letters = quantities(ballot.figure.inputs, ballot.figure.target)
    st.html(f'<div class="rate-problem">{text}<p class="rate-quiet">{letters}</p></div>')
    with st.container(key=f"rate-formulas-{key}"):
        for side in LETTERS:
            _card(ballot, side, key)
    help_of_the_browser()
    if ballot.figure.kind == "curve":
        legend(ballot.figure)
        _plot(ballot, None, key)
    else:
        colour_bar(ballot.figure.target)
        for side, column in zip(LETTERS, st.columns(2, gap="small"), strict=True):
            with column:
                map_title(side)
                _plot(ballot, side, key)
        st.html(f'<p class="rate-quiet rate-caption">{escape(caption(ballot), 1000)}</p>')


def _card(ballot: Ballot, side: Side, key: str) -> None:
    card = card_of(ballot, side)
    with st.container(border=True, key=f"rate-card-{side}-{key}", gap="xsmall"):
        card_head(card, side, line=ballot.figure.kind == "curve")
        with st.container(key=f"rate-formula-{side}-{key}"):
            st.latex(breakable(card.latex))


def _plot(ballot: Ballot, side: Side | None, key: str) -> None:
    draw_prepared(
        prepared_plot(ballot, side, dark=is_dark()),
        key=f"plot-{side or 'both'}-{key}",
        config=_CONFIG,
        alt=caption(ballot) if side is None else f"Formula {LETTERS[side]}: {caption(ballot)}",
    )


def prepared_plot(ballot: Ballot, side: Side | None, *, dark: bool) -> PreparedPlot:
    """The picture of a ballot, or the map of one side; drawn once for all raters."""

    def make() -> PreparedPlot:
        if side is None:
            return PreparedPlot.of(curve_plot(ballot, dark=dark))
        return PreparedPlot.of(surface_plot(ballot, side, dark=dark))

    content = (ballot.figure, ballot.left, ballot.right)
    plot: PreparedPlot = ballot_plots().get((content, side, dark), make, lambda _: 1.0)
    return plot


def prepare_plots(ballot: Ballot) -> None:
    """Draw a ballot's pictures before somebody waits for them."""
    sides: tuple[Side | None, ...] = (None,) if ballot.figure.kind == "curve" else tuple(LETTERS)
    for side in sides:
        for dark in (False, True):
            prepared_plot(ballot, side, dark=dark)


def caption(ballot: Ballot) -> str:
    """The picture in a sentence for everyone."""
    figure, shown = ballot.figure, point_count_text(ballot.figure)
    target = figure.target.meaning or figure.target.name
    if figure.kind == "curve":
        across = figure.inputs[0].meaning or figure.inputs[0].name
        return (
            f"The dots are {shown} of {target}, over {across}. The solid line is "
            "formula A, the dashed line formula B."
        )
    holes = any(None in line for side in LETTERS for line in card_of(ballot, side).surface)
    blank = " Where a map is blank, its formula has no value." if holes else ""
    return (
        f"Each map shows in colour what one formula gives for {target}; both use the same "
        f"colours. The dots are {shown} in those colours: where a dot blends in, "
        f"the formula agrees with it.{blank}"
    )


def _answer(ballot: Ballot, said: str) -> None:
    """The reason, the question and the buttons; one form, so that they arrive together."""
    reason, report = f"reason-{ballot.token}", f"report-{ballot.token}"
    if ballot.ask_reason:
        st.text_input(
            "Why? (optional, one line; sent together with your choice)",
            key=reason,
            max_chars=MAX_REASON,
            autocomplete="off",
        )
    with st.container(key="rate-choose", gap="xsmall"):
        # The notice about the last answer stands with the buttons, which are always in sight.
        notice(said)
        st.html(f'<p class="rate-offline" role="status">{escape(words.OFFLINE, 300)}</p>')
        st.html(f'<p class="rate-unseen" role="status">{escape(words.UNSEEN, 300)}</p>')
        st.html(f'<p class="rate-lost" role="status">{escape(words.LOST, 300)}</p>')
        if ballot.instruction:
            st.html(f'<p class="rate-instruction">{escape(ballot.instruction)}</p>')
        st.html(f'<h2 class="rate-question">{escape(one_line(ballot.question))}</h2>')
        with st.container(horizontal=True, gap="small"):
            for side, letter in LETTERS.items():
                st.form_submit_button(
                    f"Formula {letter}",
                    key=f"choose-{letter}-{ballot.token}",
                    type="primary",
                    width="stretch",
                    shortcut=letter.lower(),
                    on_click=choose,
                    args=(ballot.token, side, reason, report),
                )
        if ballot.allow_tie:
            st.form_submit_button(
                "Cannot decide",
                key=f"choose-none-{ballot.token}",
                width="stretch",
                on_click=choose,
                args=(ballot.token, "tie", reason, report),
            )


@st.fragment(run_every=HEARTBEAT)
def _heartbeat_fragment(ballot_token: str) -> None:
    """A sign of life, apart from the page: it redraws nothing."""
    send_heartbeat(ballot_token, HEARTBEAT - 5)
