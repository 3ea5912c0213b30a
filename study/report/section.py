"""The parts of a report: groups, sections, facts and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["headline", "paper", "agreement", "models", "threats", "study"]
Judgement = Literal["", "not flagged", "look closer", "cannot be told"]
GROUPS: dict[Group, str] = {
    "headline": "What the votes support",
    "paper": "As the paper computes it",
    "agreement": "Do raters agree?",
    "models": "People beside models",
    "threats": "What could be wrong",
    "study": "The study",
}


@dataclass(frozen=True)
class Fact:
    name: str
    value: str
    # What the name means, for somebody who has not met it; "" if it says so itself
    meaning: str = ""


@dataclass(frozen=True)
class SectionTable:
    """Rows of text; the first column names the row, the others are numbers to be compared."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # As many cells as columns
    caption: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row does not fit the columns")


@dataclass(frozen=True)
class Section:
    key: str  # Unique and stable
    group: Group  # A key of `GROUPS`
    title: str
    lines: tuple[str, ...] = ()  # What was found, in sentences
    facts: tuple[Fact, ...] = ()
    tables: tuple[SectionTable, ...] = ()
    figure: str = ""  # A name of `study.report.figures.FIGURES`; "" without one
    explanation: str = ""  # How it was done and how to read it, for those who ask
    # Whether a possible threat needs attention; "" where nothing is judged
    judgement: Judgement = ""
