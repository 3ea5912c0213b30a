"""Matched pairs: formulas of one problem that are alike but for their EIC."""

from study.matching.match import MODES, SECONDS, match_pool
from study.matching.result import (
    OUTCOMES,
    MatchedMember,
    MatchedPair,
    MatchingResult,
    Mode,
    ProblemMatching,
)
from study.matching.rules import MatchingRules
from study.matching.scored import ScoredPool, read_scored

__all__ = [
    "OUTCOMES",
    "MODES",
    "SECONDS",
    "MatchedPair",
    "MatchingResult",
    "MatchingRules",
    "MatchedMember",
    "Mode",
    "ProblemMatching",
    "ScoredPool",
    "match_pool",
    "read_scored",
]
