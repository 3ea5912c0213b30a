"""Exports of made-up votes, and their reports: each page is drawn once a process."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

from study.report import ExportedPair, ExportedVote, StudyExport
from study.report.page import render_html

START = datetime(2025, 3, 1, 12, tzinfo=UTC)

page_of = cache(render_html)
"""Its figures are most of the time of a report."""


def pair(number: int, problems: int = 3, **changes: object) -> ExportedPair:
    """One of pairs that are dealt to the problems in turn; no two gaps are the same."""
    problem, higher = f"q{number % problems:02}", 8.5 + number / 100
    base = ExportedPair(
        f"p{number:03}", problem, "x0+1", "x0-1e9+1e9", 0.5, higher, 0.93, 0.92, 3, 5, loss=-8.0
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def vote(
    rater: int, number: int, choice: str = "lower", problems: int = 3, **changes: object
) -> ExportedVote:
    base = ExportedVote(
        vote=f"v{rater}-{number}",
        rater=f"r{rater:03}",
        pair=f"p{number:03}",
        problem=f"q{number % problems:02}",
        choice=choice,  # type: ignore[arg-type]
        lower_side="left" if (rater + number) % 2 else "right",
        position=number % 10 + 1,
        shown_at=START,
        voted_at=START + timedelta(seconds=20),
        seconds=20.0,
        session_seconds=200.0,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def export_of(
    votes: Iterable[ExportedVote], pairs: int = 9, problems: int = 3, **changes: object
) -> StudyExport:
    base = StudyExport(
        study="s1",
        title="Study",
        hash="ab" * 32,
        pairs=tuple(pair(number, problems) for number in range(pairs)),
        votes=tuple(votes),
        frozen_at=START,
        closed_at=START + timedelta(days=9),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def rows(table: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(table))]
