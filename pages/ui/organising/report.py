"""What a study found: the verdict first, then everything behind it, down to single votes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from eic_core.errors import UserError
from pages.ui.device import is_dark
from pages.ui.organising.desk import go, heading, note, quiet, show_error, warn
from pages.ui.organising.drafts import Draft
from pages.ui.organising.drill_view import pair_view, pairs_table
from pages.ui.organising.results_data import ABOUT, Shown, about_of, shown
from pages.ui.organising.results_figures import headline_figure
from pages.ui.organising.results_files import files_row
from pages.ui.organising.results_sections import draw_section, draw_threat, facts_html, figure
from pages.ui.organising.unblinding import closed_door, open_band
from pages.ui.text import prose
from pages.ui.wiring import figure_cache
from study.design import StudyStatus
from study.organising import OrganiserService
from study.report import terms
from study.report.analysis import looks_sentence
from study.report.sections import Fact, Group, Section, sections_of
from study.report.verdict import verdict
from study.report.words import level_text, number, p_text

PARTS = {
    "result": "Result",
    "paper": "As in the paper",
    "agreement": "Agreement",
    "threats": "Threats",
    "pairs": "Pairs and votes",
    "study": "The study",
}
ABOUT_WORDS = {"like": "Pairs like these", "these": "Only these pairs"}


def view(service: OrganiserService, draft: Draft) -> None:
    """The report of a closed study, or of an open one that was looked at."""
    study = draft.study
    if study.status == StudyStatus.OPEN:
        looks, votes = service.early.of(study.id), service.monitor.live(study.id).votes
        if not looks:
            closed_door(study, votes)
            return
        open_band(study, looks, votes)
    part = st.query_params.get("part", "")
    part = part if part in PARTS else "result"
    about = about_of(st.query_params.get("about"))
    pair = st.query_params.get("pair", "")
    try:
        with st.spinner("Working out the results…", show_time=True):
            here = shown(study, about)
    except UserError as error:
        show_error(error)
        return
    if part == "pairs" and pair:
        pair_view(service, draft, here.report, pair[:40])
        return
    _parts(here, part)
    _VIEWS[part](here)


def _parts(here: Shown, part: str) -> None:
    """Which part of the report."""
    key = f"report-part-{here.study.id}"
    if st.session_state.get(key) != part:
        st.session_state[key] = part
    with st.container(key="report-parts"):
        st.segmented_control(
            "Part of the report", list(PARTS), default=part, key=key,
            format_func=PARTS.__getitem__, required=True, label_visibility="collapsed",
            on_change=lambda: _to(here, st.session_state[key], here.about),
        )  # fmt: skip


def _to(here: Shown, part: str, about: str) -> None:
    word = None if about == next(iter(ABOUT)) else about
    go(study=here.study.id, step="report", part=None if part == "result" else part, about=word)


# --- the first screen ---


def _result(here: Shown) -> None:
    """The verdict, the picture, and what the votes are worth."""
    said = verdict(here.report)
    first, *more = said.lines
    with st.container(key="report-verdict", gap="small"):
        st.html(f'<p class="eic-sentence">{prose(first)}</p>')
        if more:
            st.html(f'<p class="eic-verdict-more">{prose(" ".join(more))}</p>')
        if said.caution:
            warn(said.caution)
        if here.report.inference.rate is not None:
            _headline(here)
    for line in here.report.notes:
        if here.study.status != StudyStatus.OPEN or line != looks_sentence(here.report.export):
            note(line)
    files_row(here)
    _estimand(here)
    for section in _sections(here, "headline"):
        with st.expander("How the interval and the test are made", key="how", on_change="rerun",
                         type="compact") as how:  # fmt: skip
            if how.open:
                draw_section(here, section)


def _headline(here: Shown) -> None:
    dark = is_dark()
    drawn = figure_cache().get(
        ("headline", *here.key, dark),
        lambda: headline_figure(here.report, dark=dark),
        lambda _: 1.0,
    )
    st.plotly_chart(
        drawn, key="headline", theme=None, config={"displayModeBar": False},
        alt="The share of votes for the lower EIC on 0 to 100 %, with the interval that the votes "
        "support and, beneath it, the narrower one of the paper; half is marked",
    )  # fmt: skip
    alike = "votes on one pair, and votes of one person," if here.about == "like" else (
        "votes of one person"
    )  # fmt: skip
    quiet(
        "The share of votes for the formula of lower EIC. At 50 % people would not care. The upper "
        f"interval knows that {alike} go together; the lower one, the paper’s, takes every vote as "
        "independent, and is mostly too narrow."
    )
    found, level = here.report.inference, here.report.level
    interval = found.interval(level)
    facts = [
        Fact("share for the lower EIC", "—" if found.rate is None else f"{100 * found.rate:.1f} %",
             terms.RATE),
        Fact(f"{level_text(level)} interval",
             "—" if interval is None
             else f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %",
             terms.INTERVAL),
        Fact("p, two-sided", p_text(found.p_two_sided), terms.P_VALUE),
        Fact("votes that count", f"{found.votes:,}", here.report.export.exclusion.sentence),
        Fact("worth in independent votes", number(found.effective_votes, 0),
             terms.EFFECTIVE_VOTES),
    ]  # fmt: skip
    st.html(facts_html(facts, wide=True))


def _estimand(here: Shown) -> None:
    """What the interval is about; printed with every number."""
    key = f"report-about-{here.study.id}"
    if st.session_state.get(key) != here.about:
        st.session_state[key] = here.about
    with st.container(key="report-about"):
        st.segmented_control(
            "The interval is about", list(ABOUT), default=here.about, key=key,
            format_func=ABOUT_WORDS.__getitem__, required=True, help=terms.ESTIMAND,
            on_change=lambda: _to(here, "result", st.session_state[key]),
        )  # fmt: skip


# --- the other parts ---


def _sections(here: Shown, *groups: Group) -> list[Section]:
    return [section for section in sections_of(here.report) if section.group in groups]


def _plain(group: Group) -> Callable[[Shown], None]:
    def draw(here: Shown) -> None:
        for section in _sections(here, group):
            draw_section(here, section)

    return draw


def _threats(here: Shown) -> None:
    """Each with its sentence and judgement."""
    quiet("What could make the result mean something else. ✓ shows no sign of it, ▲ deserves a "
          "closer look, ? cannot be told from these votes.")  # fmt: skip
    for section in _sections(here, "threats"):
        draw_threat(here, section)


def _pairs(here: Shown) -> None:
    """The problems, and all pairs, to follow down."""
    heading("By problem")
    figure(here, "problems")
    heading("Every pair")
    pairs_table(here.report, here.study.id)


_VIEWS: dict[str, Callable[[Shown], None]] = {
    "result": _result,
    "paper": _plain("paper"),
    "agreement": _plain("agreement"),
    "threats": _threats,
    "pairs": _pairs,
    "study": _plain("study"),
}
