"""Pools of candidate formulas: reading them from files, scoring them in batches."""

from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import SCORE_COLUMNS, score, score_pool

__all__ = ["SCORE_COLUMNS", "Candidate", "Score", "score", "score_pool"]
