"""Logistic regression of votes, with standard errors clustered one or two ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit

from eic_core.errors import UserError
from study.statistics.regression import NO_SPREAD, Design, Fit
from study.statistics.votes import Floats, Integers
from study.statistics.words import capital, listed

MOST_STEPS = 100
SETTLED = 1e-10


@dataclass(frozen=True)
class LogisticFit(Fit):
    """Log odds of a vote for the lower EIC, and how they change with each column."""


def logistic(
    y: Floats,
    X: Floats,
    names: Sequence[str],
    clusters: Sequence[Integers],
    kinds: Sequence[str] = ("pair", "rater"),
) -> LogisticFit:
    """Fit by iteratively reweighted least squares; an intercept is added.

    Parameters
    ----------
    y : ndarray of float, shape (n,)
        0 or 1.
    X : ndarray of float, shape (n, k)
        Without a column of ones.
    names : sequence of str
        One a column.
    clusters : sequence of one or two ndarray of int, shape (n,)
        Codes 0, 1, … of each row's clusters.
    kinds : sequence of str
        What the clusters are, for sentences.

    Returns
    -------
    LogisticFit
        With a `reason` instead of terms where no two clusters differ, which leaves nothing to test
        against, or where no finite estimate exists: a column is constant, or
        follows from the others, or the columns separate the votes (found exactly, by a linear
        programme: Konis, 2007, Linear programming algorithms for detecting separated data).

    Raises
    ------
    UserError
        If shapes do not fit, a value is not finite, or y is neither 0 nor 1.

    Examples
    --------
    Three of four say yes where x = 1, one of four where x = 0: an odds ratio of 9.

    >>> y = np.array([1, 1, 1, 0, 1, 0, 0, 0] * 10, dtype=float)
    >>> x = np.array([1, 1, 1, 1, 0, 0, 0, 0] * 10, dtype=float)[:, None]
    >>> pair, rater = np.arange(80) // 4, np.arange(80) % 16
    >>> found = logistic(y, x, ["x"], (pair, rater)).term("x")
    >>> round(found.ratio()[0], 6)
    9.0
    """
    design = Design.of(y, X, names, clusters)
    if not np.isin(y, (0.0, 1.0)).all():
        raise UserError("the outcomes of a logistic regression are 0 and 1")
    reason = design.trouble(kinds[: len(clusters)]) or _separation(design)
    found = None if reason else _newton(design)
    terms = design.fit(*found) if found is not None else ()
    if found is None and not reason:
        reason = f"The estimate had not settled after {MOST_STEPS} steps, so none is given."
    if not all(term.standard_error for term in terms):
        terms, reason = (), NO_SPREAD
    return LogisticFit(design.names, terms, len(y), design.counts, reason)


def _newton(design: Design) -> tuple[Floats, Floats, Floats] | None:
    """Coefficients, scores and inverse Hessian; halves a step that lowers the likelihood.

    None if they have not settled after `MOST_STEPS`.
    """
    y, columns = design.y, design.columns
    signs = 2 * y - 1

    def loss(at: Floats) -> float:
        return float(np.logaddexp(0, -signs * (columns @ at)).sum())

    beta = np.zeros(columns.shape[1])
    now = loss(beta)
    for _ in range(MOST_STEPS):
        fitted = expit(columns @ beta)
        hessian = (columns * (fitted * (1 - fitted))[:, None]).T @ columns
        step = np.linalg.solve(hessian, columns.T @ (y - fitted))
        while loss(beta + step) > now + 1e-12 * abs(now) and np.abs(step).max() > SETTLED:
            step = step / 2
        beta = beta + step
        now = loss(beta)
        if np.abs(step).max() < SETTLED:
            break
    else:
        return None
    fitted = expit(columns @ beta)
    hessian = (columns * (fitted * (1 - fitted))[:, None]).T @ columns
    return beta, columns * (y - fitted)[:, None], np.linalg.inv(hessian)


def _separation(design: Design) -> str:
    """A sentence if some combination of the columns is on the right side of every vote."""
    if len(np.unique(design.y)) == 1:
        return "All votes are for the same formula of the pair, so nothing can depend on anything."
    towards = design.columns * (2 * design.y - 1)[:, None]
    found = linprog(
        -towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(towards)), bounds=(-1, 1)
    )
    if -found.fun <= 1e-5 * len(towards):
        return ""
    at_work = [
        name for name, weight in zip(design.names, found.x[1:], strict=True) if abs(weight) > 1e-6
    ]
    return (
        f"{capital(listed(at_work or list(design.names)))} would tell the votes apart almost or "
        "wholly without exception, so there is no finite estimate."
    )
