"""What could be wrong with a result: one module for each threat, and all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Estimand
from study.statistics.exclusions import ExclusionRule, exclusion_reasons
from study.statistics.threats.attention import AttentionChecks, RaterChecks, attention
from study.statistics.threats.common import Judgement, RatedVote, on_a_pair
from study.statistics.threats.fatigue import Ballots, Stretch, ballots
from study.statistics.threats.gaps import Gap, Gaps, gaps
from study.statistics.threats.problems import ProblemRate, ProblemRates, problem_rates
from study.statistics.threats.raters import Couple, RaterScreen, RaterScreens, rater_screens
from study.statistics.threats.screens import Screens, screens
from study.statistics.threats.sensitivity import Sensitivity, SensitivityPoint, sensitivity
from study.statistics.threats.sides import OneSided, SideBias, one_sided_raters, sides
from study.statistics.threats.structure import Confounding, confounding
from study.statistics.threats.ties import Ties, TiesCounted, ties
from study.statistics.votes import Sampled, VoteArrays


class Threat(Protocol):
    @property
    def judgement(self) -> Judgement: ...


@dataclass(frozen=True)
class Threats(PlainAtLevel):
    """What could be wrong with a result, in a reader's order; each threat has a
    `judgement` and `to_json()`.
    """

    sensitivity: Sensitivity  # Whether the result hangs on the exclusion rule
    attention: AttentionChecks
    sides: SideBias
    raters: RaterScreens  # Haste, answers like a coin's, one place pressed, two accounts
    ballots: Ballots  # Whether raters learn or tire
    screens: Screens  # Whether the preference depends on the width of the rater's window
    gaps: Gaps  # Whether it is EIC that raters follow
    structure: Confounding  # Whether it is EIC or what the eye sees
    problems: ProblemRates  # A description, and no threat
    ties: Ties  # Whether it matters how ties are counted

    def each(self) -> dict[str, Threat]:
        """The threats by name, as in JSON and in the report's sections."""
        names = (each.name for each in fields(self))
        return {name: getattr(self, name) for name in names if name not in NO_THREATS}


Threats._JSON = tuple(each.name for each in fields(Threats))
NO_THREATS = ("gaps", "problems")
"""What stands in JSON beside the threats: an earlier form of `structure`, and a description."""


def threats_of(
    votes: Sequence[RatedVote],
    rule: ExclusionRule,
    pair_gaps: Mapping[str, Gap],
    looks: Mapping[str, Sequence[float]] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    estimand: Estimand | None = None,
    sampled: Sampled | None = None,
) -> Threats:
    """Every threat, each from the votes that the rule keeps; `votes` are all that were cast. `gaps`
    leaves out pairs without a gap; `estimand` is that of sensitivity and ties, which repeat the
    headline; `seed` is for the permutation test between problems.

    >>> threats_of([], ExclusionRule(), {}).problems.reason.name
    'NO_PROBLEM_WITH_VOTE'
    """
    reasons = exclusion_reasons(votes, rule)
    valid = VoteArrays.of(
        (vote for vote, why in zip(votes, reasons, strict=True) if on_a_pair(vote) and not why),
        sampled,
    )
    return Threats(
        sensitivity=sensitivity(votes, rule, level=level, estimand=estimand, sampled=sampled),
        attention=attention(votes, rule, level=level, sampled=sampled),
        sides=sides(valid, level=level),
        raters=rater_screens(votes, rule, level=level, sampled=sampled),
        ballots=ballots(votes, rule, level=level, sampled=sampled),
        screens=screens(votes, rule, level=level, sampled=sampled),
        gaps=gaps(valid, pair_gaps, level=level),
        structure=confounding(valid, pair_gaps, looks or {}, level=level),
        problems=problem_rates(valid, level=level, seed=seed),
        ties=ties(valid, level=level, estimand=estimand),
    )


__all__ = [
    "AttentionChecks",
    "Ballots",
    "Confounding",
    "Gap",
    "Gaps",
    "Judgement",
    "OneSided",
    "ProblemRate",
    "ProblemRates",
    "Couple",
    "RatedVote",
    "RaterChecks",
    "RaterScreen",
    "RaterScreens",
    "Screens",
    "Sensitivity",
    "SensitivityPoint",
    "SideBias",
    "Stretch",
    "Threats",
    "Ties",
    "TiesCounted",
    "attention",
    "ballots",
    "confounding",
    "gaps",
    "one_sided_raters",
    "problem_rates",
    "rater_screens",
    "screens",
    "sensitivity",
    "sides",
    "threats_of",
    "ties",
]
