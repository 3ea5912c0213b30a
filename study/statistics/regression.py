"""Linear and logistic regression of votes with the headline's clusters and variance
(`study.statistics.variance`): alone, an intercept has the headline's interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Self

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering, few_of, reason_of
from study.statistics.estimates import Student
from study.statistics.limits import (
    Collinear,
    Constant,
    FewVotes,
    Lack,
    Limit,
    OneClusterTells,
    Separated,
    Unsettled,
)
from study.statistics.preference import Interval
from study.statistics.variance import Estimating, crossed
from study.statistics.votes import Floats

INTERCEPT = "intercept"
MOST_EXPONENT = 700.0
WEIGHT = 1e-6
"""A column of less than this part of the largest weight has no part in a combination."""


@dataclass(frozen=True)
class RegressionTerm(PlainAtLevel):
    name: str  # "intercept", or that of the column
    estimate: float  # Change for one unit of the column; of the log odds in a logistic regression
    standard_error: float  # Clustered; 0 where no two clusters differ
    degrees_of_freedom: float

    _JSON = ("name", "estimate", "standard_error", "degrees_of_freedom", "p_value", "interval")

    @property
    def p_value(self) -> float | None:
        """Two-sided t test of "no change"; None where no two clusters differ."""
        return self._distribution.p_two_sided if self.standard_error else None

    def interval(self, level: float = 0.95) -> Interval:
        return self._distribution.interval(level)

    def ratio(self, change: float = 1.0, level: float = 0.95) -> tuple[float, Interval]:
        """exp(estimate · change) with its interval: the odds ratio of a logistic regression."""
        found = self.interval(level)
        ends = sorted((_exp(change * found.low), _exp(change * found.high)))
        return _exp(change * self.estimate), Interval(ends[0], ends[1], level, found.method)

    def rate(self, level: float = 0.95) -> tuple[float, Interval]:
        """The probability whose log odds the estimate is, with its interval: of an intercept."""
        return float(expit(self.estimate)), self.interval(level).through(expit)

    @property
    def _distribution(self) -> Student:
        return Student(self.estimate, self.standard_error, self.degrees_of_freedom, "clustered t")


@dataclass(frozen=True)
class RegressionFit(PlainAtLevel):
    names: tuple[str, ...]  # Names of the columns, without the intercept
    # The intercept and one for each column; empty if there is a `reason`
    terms: tuple[RegressionTerm, ...]
    votes: int
    clusters: tuple[int, ...]  # How many of each kind
    reason: Limit | None  # Why there is no fit
    too_small: Limit | None  # Why tests and intervals are not to be relied on

    _JSON = ("too_small", "terms", "votes", "clusters", "reason")

    @classmethod
    def of(cls, design: Design, terms: tuple[RegressionTerm, ...], reason: Limit | None) -> Self:
        clusters = tuple(number for _, number in design.grouped.sampled)
        small = few_of(design.grouped) if terms else None
        return cls(design.names, terms, len(design.y), clusters, reason, small)

    def term(self, name: str) -> RegressionTerm | None:
        return next((term for term in self.terms if term.name == name), None)

    @property
    def p_value(self) -> float | None:
        """Two-sided, of "no column matters"; None without a test."""
        return least_p([term.p_value for term in self.terms if term.name != INTERCEPT])


@dataclass(frozen=True, eq=False)
class Design:
    """Checked input, columns centred and scaled so that no unit spoils the arithmetic."""

    y: Floats  # shape (n,)
    # shape (n, k): A column of ones, then each column less its mean, divided by its standard
    # deviation
    columns: Floats
    names: tuple[str, ...]  # Names of the k - 1 columns
    back: Floats  # shape (k, k): Takes coefficients of `columns` to those of the columns as given
    grouped: Clustering

    @classmethod
    def of(cls, y: Floats, X: Floats, names: Sequence[str], grouped: Clustering) -> Design:
        """Check and scale. Raises `UserError` if shapes do not fit, or a value is not finite."""
        n = len(y)
        if X.ndim != 2 or X.shape != (n, len(names)):
            raise UserError(f"{n} outcomes and {len(names)} names need as many rows and columns")
        if len(grouped.table) != n:
            raise UserError("a regression needs the clusters of each of its rows")
        if not (np.isfinite(y).all() and np.isfinite(X).all()):
            raise UserError("a regression needs finite numbers", hint="leave the other rows out")
        mean = X.mean(axis=0) if n else np.zeros(len(names))
        spread = np.abs(X - mean).max(axis=0, initial=0.0)
        spread[spread <= 1e-12 * np.abs(mean)] = 0.0
        scale = np.where(spread > 0, spread, 1.0)
        columns = np.column_stack([np.ones(n), (X - mean) / scale * (spread > 0)])
        back = np.diag(np.concatenate([[1.0], 1 / scale]))
        back[0, 1:] = -mean / scale
        return cls(np.asarray(y, dtype=np.float64), columns, tuple(names), back, grouped)

    def reason_against(self) -> Limit | None:
        """Why the coefficients or their errors are not defined; None if they may be."""
        n, k = self.columns.shape
        if not n:
            return Lack.NOTHING_TO_COMPARE
        alone = reason_of(self.grouped, n)
        if alone:
            return alone
        constant = tuple(
            name
            for name, column in zip(self.names, self.columns[:, 1:].T, strict=True)
            if not column.any()
        )
        if constant:
            return Constant(constant)
        if n <= k:
            return FewVotes(n, k)
        return Collinear(self.names) if np.linalg.matrix_rank(self.columns) < k else None

    def terms(
        self, scaled: Floats, scores: Floats, roots: Floats
    ) -> tuple[tuple[RegressionTerm, ...], Limit | None]:
        """Terms from scaled coefficients, scores (n, k) and roots (n, k) of the information."""
        estimating = Estimating(
            self.grouped.about_fixed(scores), roots, self.back, np.ones(len(self.y))
        )
        kinds = self.grouped.kinds
        for kind, (name, _) in zip(kinds, self.grouped.sampled, strict=False):
            only = estimating.only_from(kind)
            if only is not None:
                weights = np.abs(only[1:])
                at_work = np.flatnonzero(weights > WEIGHT * weights.max(initial=0.0))
                return (), OneClusterTells(tuple(self.names[i] for i in at_work), name)
        variances = crossed(tuple(estimating.one_way(kind) for kind in kinds))
        fewest = np.min([estimating.degrees(kind) for kind in kinds[:2]], axis=0)
        # nearly one cluster tells: its leverage has made the variance large already
        degrees = np.maximum(fewest, 1.0)
        rows = zip(
            (INTERCEPT, *self.names), self.back @ scaled, np.sqrt(variances), degrees, strict=True
        )
        return tuple(RegressionTerm(name, *map(float, numbers)) for name, *numbers in rows), None


def least_p(p_values: Iterable[float | None]) -> float | None:
    """The least of some p values, times their number.

    >>> least_p([0.2, None, 0.04]), least_p([])
    (0.08, None)
    """
    some = [p for p in p_values if p is not None]
    return min(1.0, len(some) * min(some)) if some else None


def _exp(value: float) -> float:
    return exp(min(max(value, -MOST_EXPONENT), MOST_EXPONENT))


EXACT = 1e-12
"""What is left of the outcomes below this part of them is rounding."""


@dataclass(frozen=True)
class LinearFit(RegressionFit):
    """Mean of an outcome, and how it changes with each column."""


def least_squares(
    y: Floats,
    X: Floats,
    names: Sequence[str],
    grouped: Clustering,
) -> LinearFit:
    """Ordinary least squares with an intercept; arguments as for `logistic`, but y is any finite
    number.

    >>> x = np.arange(8.0)
    >>> wobble = np.array([1, -1, -1, 1, 1, -1, -1, 1]) / 10
    >>> from types import SimpleNamespace as Vote
    >>> from study.statistics.votes import VoteArrays
    >>> votes = [Vote(rater=f"r{i // 2}", pair=f"p{i}", problem="q", lower_side="left",
    ...               position=1, choice="tie") for i in range(8)]
    >>> grouped = Clustering.of(VoteArrays.of(votes), ties=True)
    >>> fit = least_squares(3 + 2 * x + wobble, x[:, None], ["x"], grouped)
    >>> [round(term.estimate, 6) for term in fit.terms]
    [3.0, 2.0]
    """
    design = Design.of(y, X, names, grouped)
    reason = design.reason_against()
    if reason:
        return LinearFit.of(design, (), reason)
    solved = np.linalg.lstsq(design.columns, design.y, rcond=None)[0]
    scaled = np.asarray(solved, dtype=np.float64)
    rest = design.y - design.columns @ scaled
    if np.abs(rest).max() <= EXACT * np.abs(design.y).max():
        rest = np.zeros(len(y))
    terms, reason = design.terms(scaled, design.columns * rest[:, None], design.columns)
    return LinearFit.of(design, terms, reason)


MOST_STEPS = 100
SETTLED = 1e-10


@dataclass(frozen=True)
class LogisticFit(RegressionFit):
    """Log odds of a vote for the lower EIC, and how they change with each column."""


def logistic(
    y: Floats,
    X: Floats,
    names: Sequence[str],
    grouped: Clustering,
) -> LogisticFit:
    """Fit by iteratively reweighted least squares; an intercept is added. `y` of shape (n,) is 0 or
    1, `X` of shape (n, k) has no column of ones; `grouped` says which rows go together. A `reason`
    replaces the terms where no two clusters differ, one alone tells, or no finite estimate exists:
    a column is constant or follows from others, or the columns separate the votes (found by a
    linear programme: Konis, 2007, Linear programming algorithms for detecting separated data).
    Raises `UserError` for wrong shapes or values.

    Three of four say yes where x = 1, one of four where x = 0: an odds ratio of 9.

    >>> from types import SimpleNamespace as Vote
    >>> from study.statistics.votes import VoteArrays
    >>> votes = [Vote(rater=f"r{i % 16}", pair=f"p{i // 4:02}", problem="q", lower_side="left",
    ...               position=1, choice="lower" if i % 8 in (0, 1, 2, 4) else "higher")
    ...          for i in range(80)]
    >>> table = VoteArrays.of(votes)
    >>> x = (np.arange(80) % 8 < 4).astype(float)[:, None]
    >>> term = logistic(table.lower, x, ["x"], Clustering.of(table)).term("x")
    >>> round(term.ratio()[0], 6)
    9.0
    """
    design = Design.of(y, X, names, grouped)
    if not np.isin(y, (0.0, 1.0)).all():
        raise UserError("the outcomes of a logistic regression are 0 and 1")
    reason = design.reason_against() or _separation(design)
    terms: tuple[RegressionTerm, ...] = ()
    if not reason:
        at = _newton(design)
        terms, reason = ((), Unsettled(MOST_STEPS)) if at is None else design.terms(*at)
    if not all(term.standard_error for term in terms):
        terms, reason = (), Lack.NO_CLUSTERS_DIFFER
    return LogisticFit.of(design, terms, reason)


def _newton(design: Design) -> tuple[Floats, Floats, Floats] | None:
    """Coefficients, scores and roots of the information, None if unsettled after `MOST_STEPS`;
    halves a step that lowers the likelihood.
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
    return beta, columns * (y - fitted)[:, None], columns * np.sqrt(fitted * (1 - fitted))[:, None]


def _separation(design: Design) -> Limit | None:
    """Whether some combination of the columns is on the right side of every vote."""
    if len(np.unique(design.y)) == 1:
        return Lack.SAME_CHOICE
    towards = design.columns * (2 * design.y - 1)[:, None]
    found = linprog(
        -towards.sum(axis=0), A_ub=-towards, b_ub=np.zeros(len(towards)), bounds=(-1, 1)
    )
    if -found.fun <= 1e-5 * len(towards):
        return None
    at_work = tuple(
        name for name, weight in zip(design.names, found.x[1:], strict=True) if abs(weight) > 1e-6
    )
    return Separated(at_work or design.names)
