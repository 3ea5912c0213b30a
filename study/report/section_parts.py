"""Cells and tables that several sections share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eic_core import wording
from study.report.analysis import StudyReport
from study.report.figures import FEW
from study.report.phrases.numbers import interval_text
from study.report.phrases.threats import threat_sentence
from study.report.section import Section, SectionTable
from study.statistics.inference import ClusteredRate


def rates_table(
    report: StudyReport, name: str, rows: Iterable[tuple[str, ClusteredRate]]
) -> SectionTable:
    return table_of_enough(
        (name, "votes", "rate", interval_head(report.level)),
        (
            (rate.votes, what, f"{rate.votes:,}", *rate_cells(rate, report.level))
            for what, rate in rows
        ),
    )


def table_of_enough(
    columns: tuple[str, ...], rows: Iterable[tuple[int, *tuple[str, ...]]], caption: str = ""
) -> SectionTable:
    """The rows with `FEW` deciding votes or more (first entry); the caption counts the others."""
    given = list(rows)
    shown = tuple(row[1:] for row in given if row[0] >= FEW)
    left = len(given) - len(shown)
    said = (
        f"{wording.count(left, 'row')} of fewer than {FEW} deciding votes "
        f"{'is' if left == 1 else 'are'} not shown."
    )
    told = f"{caption}. {said}" if caption else said
    return SectionTable(columns, shown, told if left else caption)


def rate_cells(rate: ClusteredRate, level: float) -> tuple[str, str]:
    return wording.percent(rate.rate, 1), interval_text(rate.interval(level))


def number_cell(value: float | None, decimals: int = 3) -> str:
    return wording.number(value, decimals, missing=wording.UNDEFINED)


def interval_head(level: float) -> str:
    return f"{wording.level_percent(level)} interval"


def threat_section(key: str, title: str, found: Any, **more: Any) -> Section:
    more.setdefault("lines", (str(threat_sentence(found)),))
    return Section(key=key, group="threats", title=title, judgement=found.judgement, **more)
