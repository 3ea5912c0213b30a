"""Clusterings of made-up rows, for tests of regressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from study.statistics.clusters import Clustering, Estimand
from study.statistics.votes import VoteArrays


def votes_of(y: Any, pair: Any, rater: Any, problem: Any = None) -> VoteArrays:
    """Rows with such clusters, numbered from 0; the lower EIC always on the left."""
    n = len(y)
    problem = np.zeros(n, dtype=int) if problem is None else problem

    def names(codes: Any) -> tuple[str, ...]:
        return tuple(str(i) for i in range(1 + max(codes, default=-1)))

    return VoteArrays(
        np.asarray(y, dtype=float),
        np.asarray(pair, dtype=np.intp),
        np.asarray(rater, dtype=np.intp),
        np.asarray(problem, dtype=np.intp),
        names(pair),
        names(rater),
        names(problem),
        np.ones(n, dtype=bool),
        np.ones(n, dtype=int),
    )


def clustering(
    rater: Any, pair: Any = None, problem: Any = None, estimand: Estimand | None = None
) -> Clustering:
    """Rows of these raters; by pair too, or by problem too, or by raters alone."""
    y = np.zeros(len(rater))
    if pair is None and problem is None:
        return Clustering.of(votes_of(y, np.arange(len(y)), rater), "these pairs")
    if problem is None:
        return Clustering.crossed(votes_of(y, pair, rater))
    pair = problem if pair is None else pair
    return Clustering.of(votes_of(y, pair, rater, problem), estimand or "problems like these")
