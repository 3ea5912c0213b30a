"""The results of a study: verdict first, then every section; or why they are still hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from pages.ui.kit.messages import (
    quiet_note,
    show_empty_state,
    show_error,
    show_heading,
    show_note,
    show_warning,
)
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.text import escape, label, prose, table_box, unbroken_prose
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    download_button,
    go_to,
    show_done_message,
    show_error_at,
)
from pages.ui.organising.drill import pair_view, pairs_table
from pages.ui.organising.report_files import ABOUT, PageReport, about_of, files_row, page_report
from study.design import StudyStatus
from study.material import Study
from study.organising import OrganiserService
from study.report import terms
from study.report.figures import FIGURES
from study.report.flow import StudyFlow
from study.report.page import FIRST
from study.report.phrases.notes import notes
from study.report.phrases.verdict import verdict
from study.report.printing import FORMATS
from study.report.sections import Fact, Group, Section, SectionTable, sections_of
from study.statistics.threats.common import TESTED
from study.unblinding import COST, EarlyLook

MARKS = {
    "not flagged": ("✓", "good"),
    "look closer": ("▲", "warn"),
    "cannot be told": ("?", "open"),
}
# Tables of more rows are folded.
LONG = 12


def draw_section(page: PageReport, section: Section) -> None:
    show_heading(section.title)
    if section.judgement:
        st.html(f"<p>{judgement(section)}</p>")
    _lines(section.lines)
    _rest(page, section)


def draw_threat(page: PageReport, section: Section) -> None:
    """A possible threat: its judgement and first sentence; the rest unfolds."""
    with st.container(key=f"threat-{section.key}", gap="small"):
        first, *more = section.lines or ("",)
        st.html(
            f'<div class="eic-threat">{judgement(section)}<h3 class="eic-h">'
            f"{escape(section.title)}</h3></div><p>{unbroken_prose(first)}</p>"
        )
        details = st.expander(
            "Details", key=f"details-{section.key}", on_change="rerun", type="compact"
        )
        if details.open:
            with details:
                _lines(more)
                _rest(page, section)


def judgement(section: Section) -> str:
    """A judgement as a word with a mark; colour only helps.

    >>> judgement(Section("a", "threats", "A", judgement="look closer"))
    '<span class="eic-judged eic-judged-warn"><b aria-hidden="true">▲</b> look closer</span>'
    """
    if not section.judgement:
        return ""
    mark, kind = MARKS[section.judgement]
    return (
        f'<span class="eic-judged eic-judged-{kind}"><b aria-hidden="true">{mark}</b> '
        f"{section.judgement}</span>"
    )


def figure(page: PageReport, name: str) -> None:
    """A figure on the page, and as files to print."""
    kind = FIGURES[name]
    show_chart(
        lambda: kind.chart(page.report),
        key=f"figure-{name}",
        what=(name, *page.key),
    )
    figure_files(page, name)


def figure_files(page: PageReport, name: str) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"files-{name}"
    ):
        st.html(f'<p class="eic-quiet">{prose(FIGURES[name].caption)}</p>', width="stretch")
        for form in FORMATS:
            download_button(page.address(f"figures/{name}.{form}"), form.upper(), page.purpose)


def facts_html(facts: Iterable[Fact]) -> str:
    """Named numbers, with their meaning on hover, tap and focus."""
    rows = "".join(
        f'<tr><th scope="row">{_term(fact)}</th><td>{escape(fact.value, 1000)}</td></tr>'
        for fact in facts
    )
    return f'<table class="eic-table eic-table-facts"><tbody>{rows}</tbody></table>'


def _term(fact: Fact) -> str:
    if not fact.meaning:
        return escape(fact.name)
    return (
        f'<span class="eic-term" tabindex="0">{escape(fact.name)}'
        f'<span class="eic-tip" role="tooltip">{escape(fact.meaning, 1000)}</span></span>'
    )


def _rest(page: PageReport, section: Section) -> None:
    if section.figure:
        figure(page, section.figure)
    if section.facts:
        st.html(facts_html(section.facts))
    for table in section.tables:
        st.html(_table(table))
    if section.explanation:
        st.html(
            '<details class="eic-details"><summary>How this is done</summary>'
            f"<p>{prose(section.explanation, 4_000)}</p></details>"
        )


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        st.html(f"<p>{unbroken_prose(line)}</p>")


def _table(table: SectionTable) -> str:
    heads = "".join(
        f'<th scope="col"{"" if not place else CLASS_N}>{escape(name)}</th>'
        for place, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + f'<th scope="row">{escape(row[0], 300)}</th>'
        + "".join(f"<td{CLASS_N}>{escape(cell, 300)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    long = len(table.rows) > LONG
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption and not long else ""
    html = table_box(
        f'<table class="eic-table">{caption}'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )
    if not long:
        return html
    title = escape(table.caption) or "Table"
    return f'<details class="eic-details"><summary>{title}</summary>{html}</details>'


CLASS_N = ' class="n"'


_TIMES = {1: "once", 2: "twice"}


def results_hidden_view(study: Study, votes: int) -> None:
    show_empty_state(
        "No result is shown while the study is open",
        "Close the study under Live when it has run its course: then its report stands here. "
        "That is what the numbers of the report are made for.",
    )
    with st.expander("Look before the end…", key="look-early"):
        _form(study, (), votes, "Look now")


def early_look_band(study: Study, looks: Sequence[EarlyLook], votes: int) -> None:
    """Above a report of an open study: the looks so far, and the next one."""
    last = looks[-1]
    st.html(
        '<div class="eic-band" role="note"><p><b>The study is still open. Its results were looked '
        f"at {times(len(looks))}.</b> This is what the {last.votes:,} votes cast by "
        f"{wording.minute(last.at)} say. {_later(votes - last.votes)} Every later report says when "
        f"it was looked at.</p></div>"
    )
    show_done_message("look")
    if votes > last.votes:
        with st.expander("Look at the votes that came since…", key="look-again"):
            _form(study, looks, votes, "Look again")


def times(count: int) -> str:
    """A count in words.

    >>> times(1), times(2), times(5)
    ('once', 'twice', '5 times')
    """
    return _TIMES.get(count, f"{count} times")


def _later(count: int) -> str:
    if count <= 0:
        return "No vote has come since."
    return (
        "One vote that came since is not in it."
        if count == 1
        else (f"The {count:,} votes that came since are not in it.")
    )


def _form(study: Study, looks: Sequence[EarlyLook], votes: int, verb: str) -> None:
    key = f"look-name-{study.id}-{len(looks)}"

    def look(service: OrganiserService) -> str:
        done = service.early.look(
            study.id, confirmed=str(st.session_state.get(key, "")), after=len(looks)
        )
        go_to(study=study.id, step="report")
        return f"The look at {done.votes:,} votes is in the log."

    show_note(COST)
    quiet_note(
        f"The look is written into the study's log with its time and the {votes:,} votes cast by "
        "now, it cannot be taken back, and every later report prints it. No rater is told."
    )
    with st.form(f"look-{study.id}-{len(looks)}", border=False):
        st.text_input(
            f"To confirm, type the study’s name: {label(study.name)}",
            key=key,
            autocomplete="off",
            max_chars=100,
        )
        show_error_at("look")
        st.form_submit_button(verb, type="primary", on_click=action_callback, args=("look", look))


PARTS = {
    "result": "Result",
    "paper": "As in the paper",
    "agreement": "Agreement",
    "models": "Models",
    "threats": "Threats",
    "pairs": "Pairs and votes",
    "study": "The study",
}
ABOUT_WORDS = {"like": "Others like these", "these": "Only these pairs"}


def report_view(service: OrganiserService, draft: StudyDraft) -> None:
    """The report of a closed study, or of an open one that was looked at."""
    study = draft.study
    if study.status == StudyStatus.OPEN:
        looks, votes = service.early.of(study.id), service.monitor.live(study.id).votes
        if not looks:
            results_hidden_view(study, votes)
            return
        early_look_band(study, looks, votes)
    part = st.query_params.get("part", "")
    part = part if part in PARTS else "result"
    about = about_of(st.query_params.get("about"))
    pair = st.query_params.get("pair", "")
    try:
        with st.spinner("Working out the results…", show_time=True):
            page = page_report(study, about)
    except UserError as error:
        show_error(error)
        return
    part = part if part in _parts_of(page) else "result"
    if part == "pairs" and pair:
        pair_view(service, draft, page.report, pair[:40])
        return
    _parts(page, part)
    _VIEWS[part](page)


def _parts(page: PageReport, part: str) -> None:
    key = f"report-part-{page.study.id}"
    if st.session_state.get(key) != part:
        st.session_state[key] = part
    with st.container(key="report-parts"):
        st.segmented_control(
            "Part of the report",
            _parts_of(page),
            default=part,
            key=key,
            format_func=PARTS.__getitem__,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: _go_to_part(page, st.session_state[key], page.about),
        )


def _parts_of(page: PageReport) -> list[str]:
    """The parts of this report; "models" is missing where none was asked or declared."""
    models = bool(_sections(page, "models"))
    return [part for part in PARTS if part != "models" or models]


def _go_to_part(page: PageReport, part: str, about: str) -> None:
    word = None if about == next(iter(ABOUT)) else about
    go_to(study=page.study.id, step="report", part=None if part == "result" else part, about=word)


# --- the first screen ---


def _result(page: PageReport) -> None:
    report = page.report
    conclusion = verdict(report)
    first, *more = conclusion.lines
    with st.container(key="report-verdict", gap="small"):
        st.html(f'<p class="eic-sentence">{unbroken_prose(str(first))}</p>')
        if report.inference.rate is not None or report.models.runs:
            show_chart(
                lambda: FIGURES[FIRST].chart(report),
                key="headline",
                what=("headline", *page.key),
            )
        if more:
            lines = "".join(f"<p>{unbroken_prose(str(line))}</p>" for line in more)
            st.html(f'<div class="eic-verdict-more">{lines}</div>')
        if conclusion.caution:
            show_warning(str(conclusion.caution))
        people, votes = StudyFlow.of(report).lines
        st.html(f'<div class="eic-flow"><p>{prose(people)}</p><p>{prose(votes)}</p></div>')
    # The band above an open study says already that it was looked at.
    for note in notes(report, looks=page.study.status != StudyStatus.OPEN):
        show_note(str(note))
    files_row(page)
    _estimand(page)
    for section in _sections(page, "headline"):
        with st.expander("Numbers", key="numbers", on_change="rerun", type="compact") as numbers:
            if numbers.open:
                draw_section(page, section)
                figure_files(page, FIRST)


def _estimand(page: PageReport) -> None:
    key = f"report-about-{page.study.id}"
    if st.session_state.get(key) != page.about:
        st.session_state[key] = page.about
    with st.container(key="report-about"):
        st.segmented_control(
            "The interval is about",
            list(ABOUT),
            default=page.about,
            key=key,
            format_func=ABOUT_WORDS.__getitem__,
            required=True,
            help=terms.ESTIMAND,
            on_change=lambda: _go_to_part(page, "result", st.session_state[key]),
        )


# --- the other parts ---


def _sections(page: PageReport, *groups: Group) -> list[Section]:
    return [section for section in sections_of(page.report) if section.group in groups]


def _plain(group: Group) -> Callable[[PageReport], None]:
    def draw(page: PageReport) -> None:
        for section in _sections(page, group):
            draw_section(page, section)

    return draw


def _threats(page: PageReport) -> None:
    quiet_note(
        "What could make the result mean something else. ▲ deserves a closer look: with nothing "
        f"wrong, about one study in twenty would have any (p below 0.05 / {TESTED}). ✓ is not "
        "flagged, which does not prove that all is well. ? cannot be told from these votes."
    )
    for section in _sections(page, "threats"):
        draw_threat(page, section)


def _pairs(page: PageReport) -> None:
    show_heading("By problem")
    figure(page, "problems")
    show_heading("Every pair")
    pairs_table(page.report, page.study.id)


_VIEWS: dict[str, Callable[[PageReport], None]] = {
    "result": _result,
    "paper": _plain("paper"),
    "agreement": _plain("agreement"),
    "models": _plain("models"),
    "threats": _threats,
    "pairs": _pairs,
    "study": _plain("study"),
}
