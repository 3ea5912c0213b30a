"""The preference in each problem."""

from __future__ import annotations

from study.report.analysis import StudyReport
from study.report.sections.section import Section, Table
from study.report.words import interval_text, percent


def problems_section(report: StudyReport) -> Section:
    """A forest plot and its numbers."""
    return Section(
        key="problems",
        group="threats",
        title="Does it hold in every problem?",
        figure="problems",
        tables=(
            Table(
                ("problem", "pairs", "for the lower", "votes", "rate", "Wilson"),
                tuple(
                    (p.problem, f"{p.pairs:,}", f"{p.preference.lower:,}",
                     f"{p.preference.votes:,}", percent(p.preference.rate),
                     interval_text(p.preference.wilson(report.level)))
                    for p in report.by_problem
                ),
            ),
        ),
    )  # fmt: skip
