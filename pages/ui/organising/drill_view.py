"""The pairs with their votes: a table to sort and filter, and any of them in full."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from eic_core.errors import UserError
from pages.ui.organising.desk import empty, go, heading, quiet, show_error
from pages.ui.organising.drafts import Draft
from pages.ui.organising.drill import (
    COUNTED,
    PairRow,
    VoteRow,
    inspector_address,
    inspector_state,
    pair_rows,
    vote_rows,
)
from pages.ui.rating.ballot_view import draw_ballot
from pages.ui.rating.pieces import style
from pages.ui.text import clean, escape, number
from study.material import Member, StudyPair
from study.organising import OrganiserService
from study.previewing import Preview
from study.report.analysis import StudyReport

ALL = "All problems"
SIDES = {"lower": "Lower EIC", "higher": "Higher EIC"}
CHOSEN = {"lower": "lower EIC", "higher": "higher EIC", "tie": "cannot decide"}
NUMBERS = ("seconds", "ballot")
SHORT_TEX = 70
"""Formulas of up to so many characters of LaTeX stand side by side."""


# --- the table ---


def pairs_table(report: StudyReport, study_id: int) -> None:
    """All pairs; a click opens one."""
    rows = pair_rows(report)
    if not rows:
        empty("No pairs", "This study has none.")
        return
    shown = _filtered(rows, study_id)
    quiet(
        f"{len(shown):,} of {len(rows):,} pairs. A click on a column's head sorts, a click on a "
        "row opens the pair with its votes and reasons."
    )
    if not shown:
        empty("No such pair", "Widen the filter.")
        return
    key = f"pairs-table-{study_id}-{hash(tuple(row.pair.pair for row in shown))}"

    def opened() -> None:
        cells = st.session_state[key].selection.cells
        if cells:
            go(study=study_id, step="report", part="pairs", pair=shown[cells[0][0]].pair.pair)

    st.dataframe(
        {
            "pair": [row.pair.pair for row in shown],
            "problem": [clean(row.pair.problem, 60) for row in shown],
            "for the lower": [None if row.rate is None else 100 * row.rate for row in shown],
            "lower": [row.lower for row in shown],
            "higher": [row.higher for row in shown],
            "ties": [row.ties for row in shown],
            "left out": [row.left_out for row in shown],
            "reasons": [row.reasons for row in shown],
            "ΔEIC": [row.gap for row in shown],
            "ΔR²": [row.pair.lower_r2 - row.pair.higher_r2 for row in shown],
            "ΔC": [row.pair.lower_complexity - row.pair.higher_complexity for row in shown],
            "median s": [row.median_seconds for row in shown],
        },
        key=key, on_select=opened, selection_mode="single-cell", hide_index=True,
        height=min(640, 38 + 35 * len(shown)), placeholder="",
        column_config={
            "for the lower": st.column_config.ProgressColumn(
                format="%.0f %%", min_value=0, max_value=100,
                help="Valid votes for the formula of lower EIC",
            ),
            "ΔEIC": st.column_config.NumberColumn(format="%.2f", help="Higher less lower, digits"),
            "ΔR²": st.column_config.NumberColumn(format="%.4f", help="Lower less higher"),
            "ΔC": st.column_config.NumberColumn(help="Nodes: lower less higher"),
            "median s": st.column_config.NumberColumn(format="%.0f"),
        },
    )  # fmt: skip


def _filtered(rows: Sequence[PairRow], study_id: int) -> list[PairRow]:
    """The rows that the filters leave."""
    problems = list(dict.fromkeys(row.pair.problem for row in rows))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        problem = st.selectbox("Problem", [ALL, *problems], format_func=clean, width=240,
                               key=f"drill-problem-{study_id}")  # fmt: skip
        text = st.text_input("Formula or pair contains", key=f"drill-text-{study_id}", width=240)
        kind = st.segmented_control(
            "Only", ["for the higher", "split", "with reasons"], key=f"drill-kind-{study_id}"
        )
    wanted = text.strip().casefold()
    return [
        row
        for row in rows
        if problem in (ALL, row.pair.problem)
        and (not wanted or wanted in _searched(row))
        and (kind != "for the higher" or row.higher > row.lower)
        and (kind != "split" or (row.votes and row.higher == row.lower))
        and (kind != "with reasons" or row.reasons)
    ]


def _searched(row: PairRow) -> str:
    pair = row.pair
    return f"{pair.pair} {pair.lower_formula} {pair.higher_formula}".casefold()


# --- one pair ---


def pair_view(
    service: OrganiserService, draft: Draft, report: StudyReport, name: str
) -> None:
    """Both formulas, every vote, and the ways to the inspector and back."""
    rows = {row.pair.pair: row for row in pair_rows(report)}
    pairs = {pair.name: pair for pair in draft.pairs}
    _chooser(draft.study.id, list(rows), name)
    if name not in rows or name not in pairs:
        empty("There is no such pair", "Choose one above.")
        return
    row, pair = rows[name], pairs[name]
    st.html(
        f'<h2 class="eic-title eic-pair-title">{escape(name)} '
        f"<i>{escape(row.pair.problem, 80)}</i></h2>"
        f'<p class="eic-quiet">{escape(_said(row))}</p>'
    )
    try:
        preview = service.preview(draft.study.id, pair.id)
    except UserError as error:
        show_error(error)
        return
    _members(draft, pair, row, preview)
    heading("Votes")
    _votes(vote_rows(report, name))
    with st.expander("The ballot, with the lower EIC as formula A", key="drill-ballot"):
        style()
        draw_ballot(preview.ballot, key=f"drill-{pair.number}")


def _chooser(study_id: int, names: list[str], name: str) -> None:
    """Back to the table, and from pair to pair."""

    def to(other: str | None) -> None:
        go(study=study_id, step="report", part="pairs", pair=other)

    here = names.index(name) if name in names else -1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="drill-nav"):
        st.button("All pairs", key="drill-all", icon=":material/table_rows:", on_click=to,
                  args=(None,))  # fmt: skip
        if names:
            st.button("Previous", key="drill-previous", icon=":material/chevron_left:",
                      disabled=here <= 0, on_click=to, args=(names[max(0, here - 1)],),
                      shortcut="p")  # fmt: skip
            st.button("Next", key="drill-next", icon=":material/chevron_right:",
                      disabled=here >= len(names) - 1, on_click=to,
                      args=(names[min(len(names) - 1, here + 1)],), shortcut="n")  # fmt: skip


def _said(row: PairRow) -> str:
    """The votes in a sentence."""
    if not row.votes:
        said = "No valid vote decides for either formula."
    else:
        said = f"{row.lower} of {row.votes} valid votes went to the formula of lower EIC."
    if row.ties:
        said += f" {row.ties} could not decide."
    if row.left_out:
        said += f" {row.left_out} more {'is' if row.left_out == 1 else 'are'} left out."
    return said + (" The two are one function on the data." if row.pair.same_function else "")


def _members(draft: Draft, pair: StudyPair, row: PairRow, preview: Preview) -> None:
    """The two formulas side by side, each with its numbers and its way to the inspector."""
    ballot = preview.ballot  # as made for `lower_left`: A is the lower
    members = {
        "lower": (pair.pair.lower, ballot.left.latex, row.lower),
        "higher": (pair.pair.higher, ballot.right.latex, row.higher),
    }
    beside = max(len(latex) for _, latex, _ in members.values()) <= SHORT_TEX
    places = st.columns(2, gap="medium") if beside else [st.container(), st.container()]
    for column, (side, (member, latex, votes)) in zip(places, members.items(), strict=True):
        with column, st.container(border=True, key=f"drill-{side}", gap="small"):
            st.html(
                f'<div class="eic-member"><h3 class="eic-h">{SIDES[side]}</h3>'
                f"<span>{votes} {'vote' if votes == 1 else 'votes'}</span></div>"
            )
            with st.container(key=f"drill-formula-{side}"):
                st.latex(latex)
            facts = (
                ("EIC", number(member.eic, 3)), ("R²", number(member.r2, 4)),
                ("complexity", str(member.complexity)), ("found by", member.method or "—"),
            )  # fmt: skip
            cells = "".join(
                f'<div class="eic-fact"><span class="value">{escape(value, 40)}</span>'
                f'<span class="name">{name}</span></div>'
                for name, value in facts
            )
            st.html(f'<div class="eic-facts eic-facts-small">{cells}</div>')
            st.html(f'<p class="eic-written"><code>{escape(member.formula, 2000)}</code></p>')
            _inspect(draft, member, pair.pair.problem)


def _inspect(draft: Draft, member: Member, problem: str) -> None:
    """A link that opens the formula over the ranges of its data."""
    given = next((p for p in draft.problems if p.name == problem), None)
    if given is None:
        return
    try:
        address = inspector_address(inspector_state(member, given))
    except UserError as error:
        show_error(error)
        return
    if not address:
        quiet("This formula is too long for a link: copy it into the inspector.")
        return
    st.html(
        f'<p><a class="eic-button eic-link" href="{escape(address, 10_000)}">Open in the inspector'
        '</a></p><p class="eic-quiet">Sampled evenly over the ranges of the data, so its EIC can '
        "differ from the one above.</p>"
    )


def _votes(rows: Sequence[VoteRow]) -> None:
    """Every vote on the pair, each with its reason beneath."""
    if not rows:
        quiet("Nobody has voted on this pair.")
        return
    st.html(votes_html(rows))


def votes_html(rows: Sequence[VoteRow]) -> str:
    """Votes as a table; a phone shows it without scrolling."""
    heads = "".join(
        f'<th scope="col" class="{"n" if name in NUMBERS else ""}">{name}</th>'
        for name in ("rater", "chose", "seconds", "ballot", "")
    )
    body = "".join(map(_vote, rows))
    return (
        '<div class="eic-table-box"><table class="eic-table eic-table-votes">'
        f"<thead><tr>{heads}</tr></thead>{body}</table></div>"
    )


def _vote(row: VoteRow) -> str:
    vote = row.vote
    where = "" if vote.choice == "tie" else f" ({row.side})"
    left_out = "" if row.status == COUNTED else ' class="eic-left-out"'
    reason = (
        f'<tr{left_out}><td colspan="5" class="eic-why">“{escape(vote.reason, 400)}”</td></tr>'
        if vote.reason.strip()
        else ""
    )
    return (
        f'<tbody><tr{left_out}><th scope="row">{escape(vote.rater)}</th>'
        f"<td>{CHOSEN[vote.choice]}{where}</td>"
        f'<td class="n">{row.seconds:.0f}</td><td class="n">{vote.position}</td>'
        f"<td>{escape(_status(row))}</td></tr>{reason}</tbody>"
    )


def _status(row: VoteRow) -> str:
    return "✓ counts" if row.status == COUNTED else f"✗ left out: {row.status}"
