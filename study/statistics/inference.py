"""The rate of preference with an interval and a test for clustered votes: the headline of a report.
Two-way clustered variance (Cameron, Gelbach and Miller, 2011), t quantiles, on the scale of the log
odds. Each choice was made by simulation: docs/adr/0018-inference.md, `make validate-statistics`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal, get_args

from eic_core.errors import UserError
from study.statistics.clusters import Clustering, Estimand, reason_of, too_small_of, two_way
from study.statistics.estimates import IntervalEstimate, LogOdds, Trials
from study.statistics.limits import Kind, Limit
from study.statistics.variance import Component
from study.statistics.votes import VoteArrays

ESTIMANDS: tuple[Estimand, ...] = get_args(Estimand)
Finding = Literal["lower", "higher", "undecided", "none"]
"""The formula that people prefer, as far as the votes tell; "none": there is no test."""

METHOD = "two-way clustered t on the log odds"
METHOD_ALIKE = f"{METHOD}, problems weighed alike"
METHOD_THESE_PAIRS = "rater-clustered t on the log odds, pairs held fixed"


@dataclass(frozen=True)
class ClusteredRate(IntervalEstimate):
    """How often the formula of lower EIC was preferred; ties are in no rate. Its interval is
    symmetric in the log odds, log(p/(1-p)) ± t · SE/(p(1-p)); where no two clusters differ (a
    unanimous study), that of `Trials`.
    """

    # lower, votes: deciding votes for the formula of lower EIC, and all deciding votes
    lower: int
    votes: int
    # "problems like these", "pairs like these" or "these pairs": what the interval is for: raters
    # like these on problems like these, on other pairs of these problems, or on these pairs alone
    estimand: Estimand
    # What was sampled and how many there are, such as (("pair", 172), ("rater", 84))
    clusters: tuple[tuple[Kind, int], ...]
    # True: the rate is that of these problems, and says nothing about others
    conditional_on_problems: bool
    problems: int  # With a deciding vote
    # The one-way variances: items, raters, both; raters alone for "these pairs"
    components: tuple[Component, ...]
    # Kish's effective number of problems: how many of equal size tell as much
    effective_problems: float
    # Those of the t distribution; 0 or less if there is no spread to measure
    degrees_of_freedom: float
    too_small: Limit | None  # Why this study is too small for a trustworthy interval
    reason: Limit | None  # Why there is no interval and no test

    _JSON = (
        "lower",
        "votes",
        "rate",
        "estimand",
        ("clusters", lambda rate: dict(rate.clusters)),
        "problems",
        "effective_problems",
        "conditional_on_problems",
        ("variances", lambda rate: {part.name: part.variance for part in rate.components}),
        "standard_error",
        "degrees_of_freedom",
        "interval",
        "p_value",
        "p_two_sided",
        "design_effect",
        "effective_votes",
        "too_small",
        "reason",
    )

    @property
    def rate(self) -> float | None:
        """Share of the deciding votes for the lower EIC; None without any."""
        return self.lower / self.votes if self.votes else None

    @property
    def variance(self) -> float | None:
        """Two-way clustered variance of the rate; None without an interval (see `reason`)."""
        return None if self.reason else two_way(self.components)

    @property
    def standard_error(self) -> float | None:
        """Square root of the variance; 0 if no two clusters differ (see `too_small`)."""
        return None if self.variance is None else sqrt(self.variance)

    @property
    def design_effect(self) -> float | None:
        """The variance, divided by p(1-p)/n of as many independent votes; None if a study is
        unanimous.
        """
        if self.variance is None or self.lower in (0, self.votes):
            return None
        rate = self.lower / self.votes
        return self.variance * self.votes / (rate * (1 - rate))

    @property
    def effective_votes(self) -> float | None:
        """How many independent votes would tell as much: votes / design effect."""
        return self.votes / self.design_effect if self.design_effect else None

    @property
    def distribution(self) -> LogOdds | Trials | None:
        if self.reason or self.rate is None:
            return None
        return self.log_odds or Trials(self.rate, min(number for _, number in self.clusters))

    @property
    def p_value(self) -> float | None:
        """One-sided: how likely so high a rate is if the true one is one half or less."""
        return self.distribution.p_above() if self.distribution else None

    def finding(self, level: float = 0.95, *, one_sided: bool = False) -> Finding:
        """The rule of the report's verdict and of a plan's power. Two-sided, the interval of
        `level` excludes one half; `one_sided`, p is at most 1 - level, and "higher" is never found.
        """
        interval = self.interval(level)
        if interval is None or self.p_value is None:
            return "none"
        if one_sided:
            return "lower" if self.p_value <= 1 - level else "undecided"
        return "lower" if interval.low > 0.5 else "higher" if interval.high < 0.5 else "undecided"

    @property
    def uneven(self) -> bool:
        """Whether the problems are so unequal in votes that they count for fewer."""
        return self.effective_problems <= 0.9 * self.problems

    @property
    def log_odds(self) -> LogOdds | None:
        """None if the votes show no spread between clusters."""
        if not self.standard_error or self.rate is None:
            return None
        method = METHOD_THESE_PAIRS if self.estimand == "these pairs" else METHOD
        return LogOdds.of(self.rate, self.standard_error, self.degrees_of_freedom, method)


def clustered_rate(
    table: VoteArrays, *, estimand: Estimand | None = None, copies: int = 1
) -> ClusteredRate:
    """The rate with its clustered uncertainty; ties are left out. For "problems like these"
    problems and raters are samples; for "pairs like these" pairs and raters, with residuals about
    each problem's own rate; for "these pairs" raters alone, with residuals about each pair's own
    rate. By default the design decides (`VoteArrays.sampled`). `copies` is 2 where each tie is
    split into a row for either formula and all other votes are doubled; counts are of rows.

    Five raters who agree on a pair are worth about one, so 60 votes tell as much as 11:

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{pair}.{i}", pair=f"p{pair}", problem="q", lower_side="left",
    ...               choice="higher" if pair < 3 else "lower", position=1)
    ...          for pair in range(12) for i in range(5)]
    >>> rate = clustered_rate(VoteArrays.of(votes))
    >>> rate.rate, round(rate.design_effect, 2), round(rate.effective_votes, 1)
    (0.75, 5.45, 11.0)
    >>> rate.too_small
    FewDissenting(clusters=3, enough=5)
    """
    if estimand is not None and estimand not in ESTIMANDS:
        raise UserError(f"an estimand is `{'`, `'.join(ESTIMANDS)}`, not `{estimand}`")
    return rate_of(Clustering.of(table, estimand, copies), len(table))


def rate_of(grouped: Clustering, votes_cast: int) -> ClusteredRate:
    """The rate of votes that go together in this way, of so many with ties."""
    votes, lower = len(grouped.table), int(grouped.table.lower.sum())
    sampled = grouped.sampled if votes else ()
    reason = reason_of(grouped, votes_cast)
    components = () if reason else grouped.components()
    small = None if reason else too_small_of(grouped, two_way(components))
    return ClusteredRate(
        lower,
        votes,
        grouped.estimand,
        sampled,
        grouped.item == "pair",
        grouped.problems,
        components,
        grouped.effective_problems,
        grouped.degrees_of_freedom,
        small,
        reason,
    )


@dataclass(frozen=True)
class ClusteredMean(IntervalEstimate):
    """The mean of the problems' rates of votes for the lower EIC: another estimand than that of the
    headline, in which a problem counts by its votes. All else is the headline's, with weights.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    problems: int  # With a deciding vote
    too_small: Limit | None  # Why not to rely on interval and test

    _JSON = (
        "value",
        "standard_error",
        "degrees_of_freedom",
        "problems",
        "interval",
        "p_two_sided",
        "too_small",
    )

    @property
    def distribution(self) -> LogOdds | None:
        """None where no two clusters differ, or all problems are unanimous."""
        return LogOdds.of(self.value, self.standard_error, self.degrees_of_freedom, METHOD_ALIKE)


def equal_problems(table: VoteArrays, *, estimand: Estimand | None = None) -> ClusteredMean | None:
    """The rate with problems weighed alike; None where the headline has no interval, or all votes
    are on one problem. The estimand says what is sampled, as for `clustered_rate`.

    A problem with ten times the votes counts for no more than the other five:

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"{q}{p}", problem=q, lower_side="left", position=1,
    ...               choice="higher" if r % 5 < (3 if q == "a" else 1) else "lower")
    ...          for q in "abcdef" for p in range(10 if q == "a" else 1) for r in range(20)]
    >>> table = VoteArrays.of(votes)
    >>> float(round(table.lower.mean(), 3)), round(equal_problems(table).value, 3)
    (0.533, 0.733)
    """
    grouped = replace(Clustering.of(table, estimand), alike=True)
    if reason_of(grouped, len(table)) or grouped.problems < 2:
        return None
    variance = grouped.variance
    return ClusteredMean(
        grouped.value,
        sqrt(variance),
        grouped.degrees_of_freedom,
        grouped.problems,
        too_small_of(grouped, variance),
    )
