"""A report as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from eic_core import wording
from study.report.analysis import StudyReport
from study.report.flow import StudyFlow
from study.report.phrases.notes import notes
from study.report.phrases.verdict import verdict
from study.report.sections import GROUPS, Section, SectionTable, sections_of
from study.statistics.threats.common import FINE

LONGEST = 8
"""Rows of a table in a terminal; the page has longer ones."""
MORE = (
    "--html shows every threat with its numbers; --bundle holds all numbers, "
    "and how each interval is made, in methods.md."
)


def render_text(report: StudyReport) -> str:
    export, said = report.export, verdict(report)
    title = export.title or export.study
    blocks = [title, "=" * len(title), *(wording.wrap(str(line)) for line in said.lines)]
    blocks += [wording.wrap(f"Take care. {said.caution}")] if said.caution else []
    blocks += [wording.wrap(line) for line in StudyFlow.of(report).lines]
    blocks += [wording.wrap(f"note: {note}") for note in notes(report)]
    lines = ["\n".join(blocks[:2]), *blocks[2:]]
    group = None
    for section in sections_of(report):
        if section.group != group:
            group = section.group
            heading = GROUPS[group].upper()
            lines.append(f"{heading}\n{'-' * len(heading)}")
        lines.append("\n".join(_section(section)))
    lines.append(wording.wrap(MORE))
    return "\n\n".join(lines)


def _section(section: Section) -> Iterable[str]:
    judged = f"  [{section.judgement}]" if section.judgement else ""
    yield section.title + judged
    threat = section.group == "threats"
    if threat and section.judgement == FINE and section.key != "structure":
        return
    for line in section.lines:
        yield wording.wrap(line, "  ")
    if threat:
        return
    width = max((len(fact.name) for fact in section.facts), default=0)
    for fact in section.facts:
        yield _hanging(f"  {fact.name:<{width}}  ", fact.value)
    for table in section.tables:
        if len(table.rows) <= LONGEST:
            yield ""
            yield from _table(table)


def _hanging(start: str, text: str) -> str:
    """Text behind a name, its further lines under its first."""
    lines = wording.wrap(text, " " * len(start), 96).splitlines()
    return "\n".join([start + lines[0].strip(), *lines[1:]]) if lines else start.rstrip()


def _table(table: SectionTable) -> Iterable[str]:
    """Aligned columns: the first to the left, the others to the right."""
    if table.caption:
        yield wording.wrap(table.caption, "  ")
    rows = [table.columns, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    for row in rows:
        first, *others = (
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  " + "  ".join([first, *others]).rstrip()
