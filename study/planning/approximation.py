"""What a design will find, by arithmetic alone: quick enough to search with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, floor, isfinite, sqrt

import numpy as np
from scipy.special import expit, logit
from scipy.stats import chi2, nct
from scipy.stats import t as student

from eic_core.errors import UserError
from study.statistics.clusters import FEW_CLUSTERS, FEW_PROBLEMS, Estimand, estimand_of
from study.statistics.simulation import StudyModel, binary_correlation
from study.statistics.votes import Floats

SHARES = (0.0, 0.2, 0.5)
"""Shares of the agreement that belong to problems, from the kindest to a cautious one: no study
knows its own before the votes."""


CAUTIOUS = StudyModel(problem_share=SHARES[-1], drop_out=0.3)
"""Where a plan begins that is told nothing else."""


@dataclass(frozen=True)
class VerdictRule:
    """What the report will say, and from when on. Raises `UserError` for a level out of range."""

    level: float = 0.95  # Of the interval; 1 - level is that of the test
    one_sided: bool = False  # Whether the study declares a one-sided test
    estimand: Estimand | None = None  # None: the number of problems decides, as in the report

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise UserError("a confidence level lies between 0 and 1")

    @property
    def alpha(self) -> float:
        return round(1 - self.level, 12)

    @property
    def tail(self) -> float:
        """How often a preference for the lower EIC is found where there is none, at most."""
        return self.alpha / (1 if self.one_sided else 2)

    def estimand_in(self, model: StudyModel) -> Estimand:
        return self.estimand or estimand_of(model.problems)


@dataclass(frozen=True)
class Approximation:
    model: StudyModel
    rule: VerdictRule
    estimand: Estimand
    votes: float  # Deciding votes that count, on average
    # How far rates spread about the truth that the estimand names, in shares; about the preference,
    # from which problems that are held fixed differ; and what the report takes the first to be,
    # more where problems are of uneven sizes, for it leaves each out in turn
    standard_error: float
    spread: float
    reported_error: float
    degrees_of_freedom: float  # Those of the headline's t distribution; below 1: no interval
    # Those of the variance that it estimates: fewer where large problems outweigh the others
    # (Satterthwaite, 1946, Biometrics Bulletin 2:110)
    variance_degrees: float
    too_small: bool  # Whether the report refuses to rely on such a study, by its clusters

    _JSON = (
        "problem_share=model.problem_share",
        ("half_width", lambda each: each.half_width if isfinite(each.half_width) else None),
        "power",
        "too_small",
    )

    @property
    def design_effect(self) -> float:
        """Variance of the rate, divided by that of as many independent votes."""
        rate = self.model.preference
        return self.standard_error**2 * self.votes / (rate * (1 - rate))

    @property
    def half_width(self) -> float:
        """Half the median width of the interval, in shares; infinite if there is none."""
        if self.degrees_of_freedom < 1:
            return float("inf")
        rate, degrees = self.model.preference, self.variance_degrees
        reach = float(student.isf(self.rule.alpha / 2, self.degrees_of_freedom))
        reach *= sqrt(float(chi2.median(degrees)) / degrees)
        reach *= self.reported_error / (rate * (1 - rate))
        return float(expit(logit(rate) + reach) - expit(logit(rate) - reach)) / 2

    @property
    def power(self) -> float:
        """How often the report's verdict is a preference for the lower EIC."""
        if self.degrees_of_freedom < 1 or self.too_small:
            return 0.0
        rate = self.model.preference
        shift = float(logit(rate)) * rate * (1 - rate) / self.spread
        critical = float(student.isf(self.rule.tail, self.degrees_of_freedom))
        critical *= self.reported_error / self.spread
        return float(nct.sf(critical, self.variance_degrees, min(shift, 35.0)))


def approximate(model: StudyModel, rule: VerdictRule | None = None) -> Approximation:
    """Variance, and degrees of freedom, of the headline's rate in this design.

    Forty votes by forty raters on each of ten pairs with kappa 0.5 tell little more than twenty:

    >>> model = StudyModel(kappa=0.5, rater_correlation=0, pairs=10, problems=1, raters=40)
    >>> round(approximate(model).design_effect, 2)
    20.5
    """
    # The variance of the rate sums the correlations of all pairs of votes, each counted as often as
    # the design makes it: exact for even designs.
    rule = rule or VerdictRule()
    estimand = rule.estimand_in(model)
    shares, rate = model.variances, model.preference
    # Correlations of votes on two pairs of a problem: of two raters, and of one
    same_problem = binary_correlation(rate, shares.problem)
    one_rater = binary_correlation(rate, shares.problem + shares.rater)
    problem = 0.0 if estimand == "problems like these" else same_problem
    pair = model.kappa if estimand == "these pairs" else problem
    cast = _votes_cast(model)
    counting = (1 - model.excluded) * (1 - model.tie_share)
    votes = max(cast * counting, 1e-9)
    part = model.problem_sizes / model.pairs
    pair_mates = counting**2 * part * _mates(cast / model.pairs, model.unequal) * model.pairs
    problem_mates = counting**2 * _mates(cast * part)
    rater_mates, close_mates = _vote_pairs_of_raters(model, part)
    far = np.maximum(0.0, problem_mates - pair_mates - close_mates)
    anywhere = (
        votes * part + pair_mates * model.kappa + far * same_problem + close_mates * one_rater
    )
    of_problem = anywhere - votes * part * pair - pair_mates * pair
    of_problem -= (far + close_mates) * problem
    of_raters = (rater_mates - float(close_mates.sum())) * model.rater_correlation
    total = reported = float(of_problem.sum()) + of_raters
    degrees, small = _degrees(model, estimand)
    variance_degrees = degrees
    if estimand == "problems like these" and model.problems > 1:
        # The change when a problem is left out is that of its own votes and of all the others'.
        others = float(of_problem.sum()) - of_problem
        changes = of_problem + others * (part / (1 - part)) ** 2
        reported = float(changes.sum()) + of_raters
        squares = float(np.square(changes).sum()) + of_raters**2 / model.raters
        variance_degrees = min(degrees, reported**2 / squares)
    unit = rate * (1 - rate) / votes**2
    spread = float(anywhere.sum()) + of_raters
    return Approximation(
        model,
        rule,
        estimand,
        votes,
        sqrt(total * unit),
        sqrt(spread * unit),
        sqrt(reported * unit),
        degrees,
        variance_degrees,
        small,
    )


def across_shares(model: StudyModel, rule: VerdictRule) -> tuple[Approximation, ...]:
    """The same design for each of `SHARES`: what hangs on a share that nobody knows beforehand.

    >>> model = StudyModel(kappa=0.37, pairs=160, problems=14, raters=84)
    >>> [round(100 * each.half_width) for each in across_shares(model, VerdictRule())]
    [6, 9, 12]
    """
    return tuple(approximate(replace(model, problem_share=share), rule) for share in SHARES)


def _votes_cast(model: StudyModel) -> float:
    """Votes cast, on average: who stops early casts 0 to ballots - 1."""
    stopped = (model.ballots - 1) / 2
    return model.raters * (model.ballots - model.drop_out * (model.ballots - stopped))


def _mates(votes: Floats | float, unequal: float = 0.0) -> Floats:
    """Ordered pairs of votes, g (g - 1), in groups that get so many votes on average."""
    whole, rest = np.divmod(votes, 1.0)
    even: Floats = whole * (whole - 1) + 2 * whole * rest
    return even + np.square(votes) * (exp(unequal**2) - 1)


def _vote_pairs_of_raters(model: StudyModel, part: Floats) -> tuple[float, Floats]:
    """Ordered pairs of votes of one rater that count: all, and those on each problem."""
    most = model.ballots
    ballots = np.arange(most + 1.0)
    chance = np.append(np.full(most, model.drop_out / most), 1 - model.drop_out)
    count = model.raters * (1 - model.excluded) * (1 - model.tie_share) ** 2
    every = float(chance @ (ballots * (ballots - 1)))
    return count * every, count * (chance @ _mates(np.outer(ballots, part)))


def _degrees(model: StudyModel, estimand: Estimand) -> tuple[float, bool]:
    """The headline's degrees of freedom, and whether its clusters are too few to rely on it."""
    left = (1 - model.excluded) * (1 - model.drop_out / model.ballots)
    raters = floor(model.raters * left + 0.5)
    few_raters = raters < FEW_CLUSTERS
    if estimand == "these pairs":
        return raters - 1, few_raters
    if estimand == "problems like these":
        problems = round(model.effective_problems, 9)
        return min(raters, problems) - 1, few_raters or problems < FEW_PROBLEMS
    items = model.pairs - model.problems
    return min(raters - 1, items), few_raters or items < FEW_CLUSTERS - 1
