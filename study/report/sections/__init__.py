"""A report as a list of sections: the one source of the text, the page and the screen."""

from study.report.analysis import StudyReport
from study.report.sections.agreement import agreement_section
from study.report.sections.headline import headline_section
from study.report.sections.paper import paper_section
from study.report.sections.section import GROUPS, Fact, Group, Judgement, Section, Table
from study.report.sections.study import pairs_section, source_section, votes_section
from study.report.sections.threats import threat_sections

__all__ = ["GROUPS", "Fact", "Group", "Judgement", "Section", "Table", "sections_of"]


def sections_of(report: StudyReport) -> tuple[Section, ...]:
    """The sections in the order of reading, group by group.

    Examples
    --------
    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> found = sections_of(analyse(StudyExport("s", "Demo", "", (), ())))
    >>> print(", ".join(section.key for section in found))
    headline, paper, agreement, sensitivity, attention, sides, one-sided, ballots, gaps, problems,
    ties, votes, pairs, source
    """
    return (
        headline_section(report),
        paper_section(report),
        agreement_section(report),
        *threat_sections(report),
        votes_section(report),
        pairs_section(report),
        source_section(report),
    )
