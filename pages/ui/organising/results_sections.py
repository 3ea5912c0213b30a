"""One topic of a report on the screen: sentences, figure, numbers with their meaning, tables."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from pages.ui.device import is_dark, is_narrow
from pages.ui.organising.desk import download, heading
from pages.ui.organising.results_data import Shown
from pages.ui.organising.results_figures import interactive
from pages.ui.text import escape, prose
from pages.ui.widgets_verdict import metric
from pages.ui.wiring import figure_cache
from study.report.figures import FIGURES, FORMATS, to_svg
from study.report.sections import Fact, Section, Table

MARKS = {
    "no sign of a problem": ("✓", "good"),
    "look closer": ("▲", "warn"),
    "cannot be told": ("?", "open"),
}
LONG = 12
"""Tables of more rows open when asked for."""
_CONFIG = {"displayModeBar": False}


def draw_section(here: Shown, section: Section) -> None:
    """A section in full."""
    heading(section.title)
    _lines(section.lines)
    _rest(here, section)


def draw_threat(here: Shown, section: Section) -> None:
    """A possible threat: its judgement and its sentence; the rest when asked for."""
    with st.container(key=f"threat-{section.key}", gap="small"):
        first, *more = section.lines or ("",)
        st.html(
            f'<div class="eic-threat">{judgement(section)}<h3 class="eic-h">'
            f"{escape(section.title)}</h3></div><p>{prose(first)}</p>"
        )
        details = st.expander(
            "Details", key=f"details-{section.key}", on_change="rerun", type="compact"
        )  # fmt: skip
        if details.open:
            with details:
                _lines(more)
                _rest(here, section)


def judgement(section: Section) -> str:
    """A judgement as a word with a mark; colour only helps.

    Examples
    --------
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


def figure(here: Shown, name: str) -> None:
    """A figure to look at, and as files to print."""
    dark, narrow = is_dark(), is_narrow()
    kind, key = FIGURES[name], ("figure", name, *here.key)
    drawn = figure_cache().get(
        (*key, dark, narrow),
        lambda: interactive(here.report, name, dark=dark, narrow=narrow),
        lambda _: 1.0,
    )
    if drawn is None:
        printed = figure_cache().get(key, lambda: to_svg(kind.draw(here.report)), lambda _: 1.0)
        with st.container(key=f"printed-{name}"):
            st.image(printed, width="stretch", alt=kind.caption)
    else:
        st.plotly_chart(drawn, key=f"figure-{name}", theme=None, config=_CONFIG, alt=kind.caption)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"files-{name}"
    ):
        st.html(f'<p class="eic-quiet">{prose(kind.caption)}</p>', width="stretch")
        for form in FORMATS:
            download(here.address(f"figures/{name}.{form}"), form.upper(), here.purpose)


def facts_html(facts: Iterable[Fact], *, wide: bool = False) -> str:
    """Named numbers; a name that has a meaning shows it on hover, tap and focus.

    `wide`: few of them, side by side.
    """
    if wide:
        cells = "".join(metric(escape(f.name), escape(f.value), f.meaning) for f in facts)
        return f'<div class="eic-metrics">{cells}</div>'
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


def _rest(here: Shown, section: Section) -> None:
    if section.figure:
        figure(here, section.figure)
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
        st.html(f"<p>{prose(line)}</p>")


def _table(table: Table) -> str:
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
    made = (
        f'<div class="eic-table-box"><table class="eic-table">{caption}'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    if not long:
        return made
    title = escape(table.caption) or "Table"
    return f'<details class="eic-details"><summary>{title}</summary>{made}</details>'


CLASS_N = ' class="n"'
