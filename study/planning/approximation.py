"""What a design will find, by arithmetic alone: quick enough to search with."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

from scipy.stats import nct
from scipy.stats import t as student

from study.statistics.clusters import ENOUGH_PROBLEMS
from study.statistics.simulation import StudyModel, binary_correlation


@dataclass(frozen=True)
class Correlations:
    same_pair: float  # Correlation of two raters' votes on one pair
    same_problem: float  # Correlation of two raters' votes on two pairs of one problem
    same_rater: float  # Correlation of one rater's votes on pairs of two problems
    same_rater_and_problem: float  # Correlation of one rater's votes on two pairs of one problem


@dataclass(frozen=True)
class Approximation:
    model: StudyModel
    votes: float  # Deciding votes that count, on average
    standard_error: float  # Standard error of the rate, in shares
    degrees_of_freedom: int  # Those of the headline's t distribution; below 1 there is no interval
    given_problems: bool  # Whether the problems are held fixed, being fewer than ten

    @property
    def design_effect(self) -> float:
        """Variance of the rate, divided by that of as many independent votes."""
        rate = self.model.preference
        return self.standard_error**2 * self.votes / (rate * (1 - rate))

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of the confidence interval, in shares; infinite if there is none."""
        if self.degrees_of_freedom < 1:
            return float("inf")
        rate = self.model.preference
        reach = float(student.ppf((1 + level) / 2, self.degrees_of_freedom))
        reach *= self.standard_error / (rate * (1 - rate))
        centre = log(rate / (1 - rate))
        return (_share(centre + reach) - _share(centre - reach)) / 2

    def power(self, level: float = 0.95, *, one_sided: bool = False) -> float:
        if self.degrees_of_freedom < 1:
            return 0.0
        rate = self.model.preference
        shift = log(rate / (1 - rate)) * rate * (1 - rate) / self.standard_error
        tail = (1 - level) / (1 if one_sided else 2)
        critical = float(student.isf(tail, self.degrees_of_freedom))
        return float(nct.sf(critical, self.degrees_of_freedom, min(shift, 35.0)))


def approximate(model: StudyModel) -> Approximation:
    """Variance, and degrees of freedom, of the headline's rate in this design.

    Forty votes by forty raters on each of ten pairs with kappa 0.5 tell little more than twenty:

    >>> model = StudyModel(kappa=0.5, rater_correlation=0, pairs=10, problems=1, raters=40)
    >>> round(approximate(model).design_effect, 2)
    20.5
    """
    # The variance of the rate sums the correlations of all pairs of votes, each counted as often as
    # the design makes it: exact for even designs.
    cast = _votes_cast(model)
    counting = (1 - model.excluded) * (1 - model.tie_share)
    votes = max(cast * counting, 1e-9)
    fixed = model.problems < ENOUGH_PROBLEMS
    rho = correlations(model)
    base = rho.same_problem if fixed else 0.0
    pair_mates = counting**2 * _vote_pairs_in_groups(cast, model.pairs, model.unequal)
    rater_mates, close_mates = _vote_pairs_of_raters(model)
    problem_mates = counting**2 * _vote_pairs_in_groups(cast, model.problems, 0.0)
    far = max(0.0, problem_mates - pair_mates - close_mates)
    total = (
        votes * (1 - base)
        + pair_mates * (rho.same_pair - base)
        + far * (rho.same_problem - base)
        + (rater_mates - close_mates) * rho.same_rater
        + close_mates * (rho.same_rater_and_problem - base)
    )
    rate = model.preference
    return Approximation(
        model, votes, sqrt(rate * (1 - rate) * total) / votes, _degrees(model, fixed), fixed
    )


def correlations(model: StudyModel) -> Correlations:
    """The correlations in a design.

    >>> rho = correlations(StudyModel(kappa=0.37, rater_correlation=0.1))
    >>> rho.same_pair, rho.same_rater
    (0.37, 0.1)
    """
    shares, rate = model.variances, model.preference
    return Correlations(
        model.kappa,
        binary_correlation(rate, shares.problem),
        model.rater_correlation,
        binary_correlation(rate, shares.problem + shares.rater),
    )


def _votes_cast(model: StudyModel) -> float:
    """Votes cast, on average: who stops early casts 0 to ballots - 1."""
    stopped = (model.ballots - 1) / 2
    return model.raters * (model.ballots - model.drop_out * (model.ballots - stopped))


def _vote_pairs_in_groups(cast: float, groups: int, unequal: float) -> float:
    """Ordered pairs of votes in one group, if all are spread evenly: Σ g (g - 1)."""
    each = cast / groups
    whole, rest = divmod(each, 1.0)
    even = groups * (whole * (whole - 1) + 2 * whole * rest)
    return even + groups * each**2 * (exp(unequal**2) - 1)


def _vote_pairs_of_raters(model: StudyModel) -> tuple[float, float]:
    """Ordered pairs of votes of one rater that count: all, and those on one problem."""
    most = model.ballots
    chance = dict.fromkeys(range(most), model.drop_out / most) | {most: 1 - model.drop_out}
    count = model.raters * (1 - model.excluded) * (1 - model.tie_share) ** 2
    every = sum(share * b * (b - 1) for b, share in chance.items())
    close = sum(
        share * _vote_pairs_in_groups(b, model.problems, 0.0) for b, share in chance.items()
    )
    return count * every, count * close


def _degrees(model: StudyModel, fixed: bool) -> int:
    raters = model.raters * (1 - model.excluded) * (1 - model.drop_out / model.ballots)
    items = model.pairs - model.problems + 1 if fixed else model.problems
    return min(round(raters), items) - 1


def _share(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds)) if log_odds > -700 else 0.0
