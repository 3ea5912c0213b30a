"""What could be wrong with a result: one module for each threat, every finding with a sentence."""

from study.statistics.threats.attention import AttentionChecks, RaterChecks, attention
from study.statistics.threats.ballots import Ballots, Stretch, ballots
from study.statistics.threats.bundle import Threats, threats_of
from study.statistics.threats.common import Judgement, RatedVote
from study.statistics.threats.gaps import Gap, Gaps, gaps
from study.statistics.threats.problems import ProblemRate, ProblemRates, problem_rates
from study.statistics.threats.sensitivity import Sensitivity, SensitivityPoint, sensitivity
from study.statistics.threats.sides import OneSided, SideBias, one_sided_raters, sides
from study.statistics.threats.ties import Ties, TiesCounted, ties

__all__ = [
    "AttentionChecks",
    "Ballots",
    "Gap",
    "Gaps",
    "Judgement",
    "OneSided",
    "ProblemRate",
    "ProblemRates",
    "RatedVote",
    "RaterChecks",
    "Sensitivity",
    "SensitivityPoint",
    "SideBias",
    "Stretch",
    "Threats",
    "Ties",
    "TiesCounted",
    "attention",
    "ballots",
    "gaps",
    "one_sided_raters",
    "problem_rates",
    "sensitivity",
    "sides",
    "threats_of",
    "ties",
]
