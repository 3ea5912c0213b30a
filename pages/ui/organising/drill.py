"""From the report down to single votes, and to a formula in the inspector."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Exponents, Formula
from eic_core.measure import Domain, Samples
from eic_core.measure.table import match_variables
from pages.ui.kit.inspector_service import declared_names
from pages.ui.kit.messages import quiet_note, show_empty_state, show_error, show_heading
from pages.ui.kit.text import clean, escape, table_box
from pages.ui.kit.visit import PageState
from pages.ui.organising.ballot_preview import ballot_frame
from pages.ui.organising.desk import StudyDraft, go_to
from study.ballots import problem_samples
from study.material import Member, Problem, StudyPair
from study.organising import OrganiserService, Preview
from study.report.analysis import StudyReport
from study.report.exported import ExportedPair, ExportedVote
from study.statistics.exclusions import active_seconds

COUNTED = "counts"


@dataclass(frozen=True)
class PairRow:
    """A row of the table of pairs."""

    pair: ExportedPair
    # lower, higher, ties: valid votes
    lower: int
    higher: int
    ties: int
    left_out: int  # Votes that do not count
    reasons: int  # Votes with a written reason, whether they count or not
    median_seconds: float | None  # Active time of the valid votes

    @property
    def votes(self) -> int:
        """Valid votes that decide."""
        return self.lower + self.higher

    @property
    def rate(self) -> float | None:
        """Share of deciding votes for the lower EIC; None without any."""
        return self.lower / self.votes if self.votes else None

    @property
    def gap(self) -> float:
        """Digits by which the members differ."""
        return self.pair.higher_eic - self.pair.lower_eic


@dataclass(frozen=True)
class ListedVote:
    vote: ExportedVote
    side: str  # Where the chosen formula stood: "A", "B", or "—" for a tie
    status: str  # "counts", or why it does not

    @property
    def seconds(self) -> float:
        return active_seconds(self.vote)


def pair_rows(report: StudyReport) -> tuple[PairRow, ...]:
    votes: dict[str, list[tuple[ExportedVote, str]]] = defaultdict(list)
    for vote, why in zip(report.export.votes, report.reasons, strict=True):
        if vote.on_a_pair:
            votes[vote.pair].append((vote, why))
    return tuple(_pair_row(pair, votes[pair.pair]) for pair in report.export.pairs)


def _pair_row(pair: ExportedPair, votes: list[tuple[ExportedVote, str]]) -> PairRow:
    valid = [vote for vote, why in votes if not why]
    choices = [vote.choice for vote in valid]
    return PairRow(
        pair,
        lower=choices.count("lower"),
        higher=choices.count("higher"),
        ties=choices.count("tie"),
        left_out=len(votes) - len(valid),
        reasons=sum(bool(vote.reason.strip()) for vote, _ in votes),
        median_seconds=statistics.median(map(active_seconds, valid)) if valid else None,
    )


def vote_rows(report: StudyReport, pair: str) -> tuple[ListedVote, ...]:
    """The votes on one pair, in the order cast."""
    return tuple(
        ListedVote(vote, _side(vote), why or COUNTED)
        for vote, why in zip(report.export.votes, report.reasons, strict=True)
        if vote.on_a_pair and vote.pair == pair
    )


def _side(vote: ExportedVote) -> str:
    if vote.choice == "tie":
        return "—"
    return "A" if (vote.choice == "lower") == (vote.lower_side == "left") else "B"


def inspector_state(member: Member, problem: Problem, exponents: Exponents = "exact") -> PageState:
    """The inspector's state for a formula of the pool, each variable uniform over the range of its
    column; `UserError` if the formula cannot be read without the table.

    >>> problem = Problem("p", "t,y\\n0.5,2.1\\n2,3.9\\n3,6.2\\n")
    >>> inspector_state(Member("2*X0+1", 0.3, 0.9, 5, syntax="gplearn"), problem).to_query()
    {'formula': ['2*X0+1'], 'syntax': ['gplearn'], 'range': ['x0=0.5:3.0'], 'samples': ['10000']}
    """
    samples = problem_samples(problem)
    columns = tuple(samples.columns)
    syntax = member.syntax or "auto"
    meant = read(member.formula, syntax=syntax, columns=columns, parameters=dict(member.parameters))
    base = meant.index_base if member.index_base is None else member.index_base
    match = match_variables(meant.formula.variables, columns, index_base=base)
    domains = [
        (variable, domain)
        for variable, column in match.mapping.items()
        if (domain := _domain(samples, column)) is not None
    ]
    text = member.formula
    # The inspector has the ranges, but neither the table's names nor the parameters: where it
    # would read another tree, the formula is written out.
    if not _means(text, syntax, domains, meant.formula):
        text, syntax = to_python(meant.formula), "infix"
        if not _means(text, syntax, domains, meant.formula):
            raise UserError("the inspector would read this formula as another one")
    return PageState(formula=text, syntax=syntax, exponents=exponents, domains=tuple(domains))


def inspector_address(state: PageState) -> str:
    """The inspector's address from another page of the app; "" if it is too long.

    >>> inspector_address(PageState("sin(x)", domains=(("x", Domain("uniform", 0.0, 1.0)),)))
    './?formula=sin%28x%29&range=x%3D0.0%3A1.0&samples=10000'
    """
    return f"./?{urlencode(state.to_query(), doseq=True)}" if state.fits_url else ""


def _means(text: str, syntax: str, domains: list[tuple[str, Domain]], formula: Formula) -> bool:
    """Whether the inspector, which has ranges and no table, reads this text as that formula."""
    try:
        names = declared_names(text, None, tuple(domains))
        reading = read(text, syntax=syntax, columns=names)
    except UserError:
        return False
    return reading.formula.structure() == formula.structure()


def _domain(samples: Samples, column: str) -> Domain | None:
    values = samples.columns[column]
    low, high = float(values.min()), float(values.max())
    try:
        return Domain("uniform" if low < high else "fixed", low, high)
    except UserError:  # wider than double precision
        return None


ALL = "All problems"
SIDES = {"lower": "Lower EIC", "higher": "Higher EIC"}
CHOSEN = {"lower": "lower EIC", "higher": "higher EIC", "tie": "cannot decide"}
NUMBERS = ("seconds", "ballot")
# Longest LaTeX, in characters, of two formulas side by side.
SHORT_TEX = 70


# --- the table ---


def pairs_table(report: StudyReport, study_id: int) -> None:
    rows = pair_rows(report)
    if not rows:
        show_empty_state("No pairs", "This study has none.")
        return
    visible = _filter_rows(rows, study_id)
    quiet_note(
        f"{len(visible):,} of {len(rows):,} pairs. A click on a column's head sorts, a click on a "
        "row opens the pair with its votes and reasons."
    )
    if not visible:
        show_empty_state("No such pair", "Widen the filter.")
        return
    # Another filter is another table: a click that is remembered belongs to the rows of its time.
    key = f"pairs-table-{study_id}-{hash(tuple(row.pair.pair for row in visible))}"

    def open_pair() -> None:
        cells = st.session_state[key].selection.cells
        if cells:
            go_to(study=study_id, step="report", part="pairs", pair=visible[cells[0][0]].pair.pair)

    st.dataframe(
        [_cells(row) for row in visible],
        key=key,
        on_select=open_pair,
        selection_mode="single-cell",
        hide_index=True,
        height=min(640, 38 + 35 * len(visible)),
        placeholder="",
        column_config={
            "for the lower": st.column_config.ProgressColumn(
                format="%.0f %%",
                min_value=0,
                max_value=100,
                help="Valid votes for the formula of lower EIC",
            ),
            "ΔEIC": st.column_config.NumberColumn(format="%.2f", help="Higher less lower, digits"),
            "ΔR²": st.column_config.NumberColumn(format="%.4f", help="Lower less higher"),
            "ΔC": st.column_config.NumberColumn(help="Nodes: lower less higher"),
            "median s": st.column_config.NumberColumn(format="%.0f"),
        },
    )


def _cells(row: PairRow) -> dict[str, str | float | None]:
    pair = row.pair
    return {
        "pair": pair.pair,
        "problem": clean(pair.problem, 60),
        "for the lower": None if row.rate is None else 100 * row.rate,
        "lower": row.lower,
        "higher": row.higher,
        "ties": row.ties,
        "left out": row.left_out,
        "reasons": row.reasons,
        "ΔEIC": row.gap,
        "ΔR²": pair.lower_r2 - pair.higher_r2,
        "ΔC": pair.lower_complexity - pair.higher_complexity,
        "median s": row.median_seconds,
    }


def _filter_rows(rows: Sequence[PairRow], study_id: int) -> list[PairRow]:
    problems = list(dict.fromkeys(row.pair.problem for row in rows))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        problem = st.selectbox(
            "Problem",
            [ALL, *problems],
            format_func=clean,
            width=240,
            key=f"drill-problem-{study_id}",
        )
        text = st.text_input("Formula or pair contains", key=f"drill-text-{study_id}", width=240)
        kind = st.segmented_control(
            "Only", ["for the higher", "split", "with reasons"], key=f"drill-kind-{study_id}"
        )
    needle = text.strip().casefold()
    return [
        row
        for row in rows
        if problem in (ALL, row.pair.problem)
        and (not needle or needle in _search_text(row))
        and (kind != "for the higher" or row.higher > row.lower)
        and (kind != "split" or (row.votes and row.higher == row.lower))
        and (kind != "with reasons" or row.reasons)
    ]


def _search_text(row: PairRow) -> str:
    pair = row.pair
    return f"{pair.pair} {pair.lower_formula} {pair.higher_formula}".casefold()


# --- one pair ---


def pair_view(service: OrganiserService, draft: StudyDraft, report: StudyReport, name: str) -> None:
    rows = {row.pair.pair: row for row in pair_rows(report)}
    pairs = {pair.name: pair for pair in draft.pairs}
    _chooser(draft.study.id, list(rows), name)
    if name not in rows or name not in pairs:
        show_empty_state("There is no such pair", "Choose one above.")
        return
    row, pair = rows[name], pairs[name]
    st.html(
        f'<h2 class="eic-title eic-pair-title">{escape(name)} '
        f"<i>{escape(row.pair.problem, 80)}</i></h2>"
        f'<p class="eic-quiet">{escape(_votes_sentence(row))}</p>'
    )
    try:
        preview = service.preview(draft.study.id, pair.id)
    except UserError as error:
        show_error(error)
        return
    _members(draft, pair, row, preview)
    show_heading("Votes")
    _votes(vote_rows(report, name))
    with st.expander("The ballot, with the lower EIC as formula A", key="drill-ballot"):
        ballot_frame(draft.study.id, pair=pair.id)


def _chooser(study_id: int, names: list[str], name: str) -> None:
    def to(other: str | None) -> None:
        go_to(study=study_id, step="report", part="pairs", pair=other)

    place = names.index(name) if name in names else -1
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="drill-nav"):
        st.button(
            "All pairs", key="drill-all", icon=":material/table_rows:", on_click=to, args=(None,)
        )
        if names:
            st.button(
                "Previous",
                key="drill-previous",
                icon=":material/chevron_left:",
                disabled=place <= 0,
                on_click=to,
                args=(names[max(0, place - 1)],),
                shortcut="p",
            )
            st.button(
                "Next",
                key="drill-next",
                icon=":material/chevron_right:",
                disabled=place >= len(names) - 1,
                on_click=to,
                args=(names[min(len(names) - 1, place + 1)],),
                shortcut="n",
            )


def _votes_sentence(row: PairRow) -> str:
    if not row.votes:
        text = "No valid vote decides for either formula."
    else:
        text = f"{row.lower} of {row.votes} valid votes went to the formula of lower EIC."
    if row.ties:
        text += f" {row.ties} could not decide."
    if row.left_out:
        text += f" {row.left_out} more {'is' if row.left_out == 1 else 'are'} left out."
    return text + (" The two are one function on the data." if row.pair.same_function else "")


def _members(draft: StudyDraft, pair: StudyPair, row: PairRow, preview: Preview) -> None:
    members = {
        "lower": (pair.pair.lower, preview.lower_latex, row.lower),
        "higher": (pair.pair.higher, preview.higher_latex, row.higher),
    }
    beside = max(len(latex) for _, latex, _ in members.values()) <= SHORT_TEX
    places = st.columns(2, gap="medium") if beside else [st.container(), st.container()]
    for column, (side, (member, latex, votes)) in zip(places, members.items(), strict=True):
        with column, st.container(border=True, key=f"drill-{side}", gap="small"):
            st.html(
                f'<div class="eic-member"><h3 class="eic-h">{SIDES[side]}</h3>'
                f"<span>{wording.count(votes, 'vote')}</span></div>"
            )
            with st.container(key=f"drill-formula-{side}"):
                st.latex(latex)
            facts = (
                ("EIC", wording.number(member.eic, 3)),
                ("R²", wording.r_squared(member.r2)),
                ("complexity", str(member.complexity)),
                ("found by", member.method or "—"),
            )
            cells = "".join(
                f'<div class="eic-fact"><span class="value">{escape(value, 40)}</span>'
                f'<span class="name">{name}</span></div>'
                for name, value in facts
            )
            st.html(f'<div class="eic-facts eic-facts-small">{cells}</div>')
            st.html(f'<p class="eic-written"><code>{escape(member.formula, 2000)}</code></p>')
            _inspect(draft, member, pair.pair.problem)


def _inspect(draft: StudyDraft, member: Member, problem: str) -> None:
    """A link that opens the formula over the ranges of its data."""
    source = next((p for p in draft.problems if p.name == problem), None)
    if source is None:
        return
    try:
        state = inspector_state(member, source, draft.study.exponents)
        address = inspector_address(state)
    except UserError as error:
        show_error(error)
        return
    if not address:
        quiet_note("This formula is too long for a link: copy it into the inspector.")
        return
    st.html(
        f'<p><a class="eic-button eic-link" href="{escape(address, 10_000)}">Open in the inspector'
        '</a></p><p class="eic-quiet">Sampled evenly over the ranges of the data, so its EIC can '
        "differ from the one above.</p>"
    )


def _votes(rows: Sequence[ListedVote]) -> None:
    if not rows:
        quiet_note("Nobody has voted on this pair.")
        return
    st.html(votes_html(rows))


def votes_html(rows: Sequence[ListedVote]) -> str:
    """The table of votes; a phone shows it without scrolling."""
    heads = "".join(
        f'<th scope="col" class="{"n" if name in NUMBERS else ""}">{name}</th>'
        for name in ("rater", "chose", "seconds", "ballot", "")
    )
    body = "".join(map(_vote, rows))
    return table_box(
        f'<table class="eic-table eic-table-votes"><thead><tr>{heads}</tr></thead>{body}</table>'
    )


def _vote(row: ListedVote) -> str:
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


def _status(row: ListedVote) -> str:
    return "✓ counts" if row.status == COUNTED else f"✗ left out: {row.status}"
