"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Iterator

from study.report import terms
from study.report.analysis import StudyReport, provenance
from study.report.figures import FIGURES
from study.report.page_style import CSP, STYLE
from study.report.printing import figure_svg
from study.report.sections import GROUPS, Fact, Group, Section, SectionTable, sections_of
from study.report.tables import LONG_FILE, long_csv
from study.report.verdict import verdict

SHORT_TABLE = 8
"""Tables of more rows are folded."""
FIRST_FIGURE = "preference"
"""Drawn under the verdict, and not again in its section."""


def escape(text: str) -> str:
    """Text for HTML, with its units kept on the line of their number.

    Examples
    --------
    >>> escape("<5 %")
    '&lt;5&nbsp;%'
    """
    return html.escape(text).replace(" %", "&nbsp;%")


def render_html(report: StudyReport) -> str:
    """The whole report as an HTML document."""
    export = report.export
    title = escape(export.title or export.study)
    body = [
        f"<header><h1>{title}</h1>\n{_verdict(report)}</header>",
        *(_group(group, sections, report) for group, sections in _grouped(report)),
        _files(report),
        f"<footer>{escape(provenance(export.hash, report.seed, report.software))}</footer>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{CSP}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _verdict(report: StudyReport) -> str:
    said = verdict(report)
    first, *others = said.lines
    lines = [
        f'<p class="verdict">{escape(first)}</p>',
        f'<p class="term">{escape(terms.EIC)}</p>',
        *_paragraphs(others),
    ]
    if said.caution:
        lines.append(f'<p class="caution"><strong>Take care.</strong> {escape(said.caution)}</p>')
    lines.append(_figure(FIRST_FIGURE, report))
    lines += [f'<p class="note">{escape(note)}</p>' for note in report.notes]
    return "\n".join(lines)


def _grouped(report: StudyReport) -> Iterator[tuple[Group, list[Section]]]:
    sections = sections_of(report)
    for group in GROUPS:
        found = [section for section in sections if section.group == group]
        if found:
            yield group, found


def _group(group: Group, sections: list[Section], report: StudyReport) -> str:
    inner = "\n".join(_section(section, report, alone=len(sections) == 1) for section in sections)
    return f'<section id="{group}"><h2>{escape(GROUPS[group])}</h2>\n{inner}</section>'


def _section(section: Section, report: StudyReport, *, alone: bool) -> str:
    judged = (
        f' <span class="judgement {_CLASSES[section.judgement]}">{escape(section.judgement)}</span>'
        if section.judgement
        else ""
    )
    heading = "" if alone else f"<h3>{escape(section.title)}{judged}</h3>"
    parts = [
        heading,
        *_paragraphs(section.lines),
        _figure(section.figure, report)
        if section.figure not in ("", FIRST_FIGURE)
        else "",
        _facts(section.facts) if section.facts else "",
        *(_table(table) for table in section.tables),
        f"<details><summary>How this was done</summary><p>{escape(section.explanation)}</p>"
        "</details>" if section.explanation else "",
    ]  # fmt: skip
    return f'<article id="{section.key}">' + "\n".join(filter(None, parts)) + "</article>"


_CLASSES = {"no sign of a problem": "fine", "look closer": "look", "cannot be told": "open"}


def _paragraphs(lines: Iterable[str]) -> list[str]:
    return [f"<p>{escape(line)}</p>" for line in lines]


def _figure(name: str, report: StudyReport) -> str:
    kind = FIGURES[name]
    said = escape(kind.caption)
    svg = figure_svg(report, name).replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
    wide = " wide" if kind.wide else ""
    return f'<figure><div class="scroll{wide}">{svg}</div><figcaption>{said}</figcaption></figure>'


def _facts(facts: Iterable[Fact]) -> str:
    cells = "".join(
        f'<tr><th scope="row">{_name(fact)}</th><td>{escape(fact.value)}</td></tr>'
        for fact in facts
    )
    return f'<table class="facts">{cells}</table>'


def _name(fact: Fact) -> str:
    """A name that unfolds into its meaning, also where there is no mouse to hover with."""
    name = escape(fact.name)
    if not fact.meaning:
        return name
    return f"<details><summary>{name}</summary>{escape(fact.meaning)}</details>"


def _table(table: SectionTable) -> str:
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    first, *others = (escape(name) for name in table.columns)
    head = f'<th scope="col">{first}</th>' + "".join(
        f'<th scope="col" class="n">{name}</th>' for name in others
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f'<td class="n">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    made = f'<div class="scroll"><table>{caption}<tr>{head}</tr>{rows}</table></div>'
    if len(table.rows) <= SHORT_TABLE:
        return made
    name = escape(table.caption or table.columns[0])
    return f"<details><summary>Table: {name} ({len(table.rows)} rows)</summary>{made}</details>"


def _files(report: StudyReport) -> str:
    data = base64.b64encode(long_csv(report).encode("utf-8")).decode("ascii")
    return (
        '<section id="data"><h2>Data</h2>'
        f'<p><a download="{LONG_FILE}" href="data:text/csv;charset=utf-8;base64,{data}">'
        "All votes as CSV</a>, with those left out marked.</p></section>"
    )
