"""What could be wrong with a study: one result for each threat."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from study.report.exported import StudyExport
from study.statistics.clusters import Estimand
from study.statistics.threats.attention import AttentionChecks, attention
from study.statistics.threats.ballots import Ballots, ballots
from study.statistics.threats.gaps import Gap, Gaps, gaps
from study.statistics.threats.problems import ProblemRates, problem_rates
from study.statistics.threats.sensitivity import Sensitivity, sensitivity
from study.statistics.threats.sides import SideBias, sides
from study.statistics.threats.ties import Ties, ties
from study.statistics.votes import VoteTable


@dataclass(frozen=True)
class Threats:
    """The results on all threats; each has `sentence`, `judgement` and `to_json()`."""

    sensitivity: Sensitivity
    attention: AttentionChecks
    sides: SideBias
    ballots: Ballots
    gaps: Gaps
    problems: ProblemRates
    ties: Ties

    def to_json(self) -> dict[str, Any]:
        """As plain values, by threat."""
        return {field.name: getattr(self, field.name).to_json() for field in fields(self)}


def threats_of(
    export: StudyExport, table: VoteTable, *, level: float, seed: int, estimand: Estimand
) -> Threats:
    """Look at every threat.

    Parameters
    ----------
    export : StudyExport
    table : VoteTable
        Its valid votes.
    level : float
    seed : int
        Of the permutation test between problems.
    estimand : {"pairs like these", "these pairs"}
        As in the headline.
    """
    votes, rule = export.votes, export.exclusion
    return Threats(
        sensitivity=sensitivity(votes, rule, level=level, estimand=estimand),
        attention=attention(votes, rule, level=level),
        sides=sides(table, level=level),
        ballots=ballots(votes, rule, level=level),
        gaps=gaps(table, pair_gaps(export), level=level),
        problems=problem_rates(table, level=level, seed=seed),
        ties=ties(table, level=level, estimand=estimand),
    )


def pair_gaps(export: StudyExport) -> dict[str, Gap]:
    """How the two formulas of each pair differ."""
    return {
        pair.pair: Gap(
            pair.higher_eic - pair.lower_eic,
            pair.lower_r2 - pair.higher_r2,
            pair.lower_complexity - pair.higher_complexity,
        )
        for pair in export.pairs
    }
