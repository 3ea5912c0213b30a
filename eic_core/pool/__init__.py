"""Pools of candidate formulas: reading them from files, scoring them in batches."""

from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import FINDING_COLUMNS, SCORE_COLUMNS, score, score_pool

__all__ = ["FINDING_COLUMNS", "SCORE_COLUMNS", "Candidate", "Score", "score", "score_pool"]
