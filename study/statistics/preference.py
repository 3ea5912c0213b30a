"""How often the formula of lower EIC was preferred, with the interval and the test of Yu et al.
(appendix ``app:expert_rating``). They take votes as independent; votes on one pair or of one rater
are not, so the true uncertainty is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import sqrt

from scipy.special import betaincinv, ndtri
from scipy.stats import binomtest

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.limits import Lack, Limit


@dataclass(frozen=True)
class Interval(PlainAtLevel):
    """A confidence interval: of a rate, an agreement, a term of a regression, or an odds ratio."""

    # low, high: in the unit of the estimate: in [0, 1] for a rate, at most 1 for an agreement, any
    # number for a term, 0 or more for an odds ratio
    low: float
    high: float
    level: float  # Two-sided confidence, such as 0.95
    # How it was made, to be named beside it: "Wilson", "Clopper-Pearson", a clustered t interval, a
    # bootstrap
    method: str

    _JSON = ("low", "high", "level", "method")

    def through(self, rising: Callable[[float], float]) -> Interval:
        """On another scale.

        >>> Interval(0.0, 2.0, 0.95, "t").through(lambda x: x / 2)
        Interval(low=0.0, high=1.0, level=0.95, method='t')
        """
        return replace(self, low=float(rising(self.low)), high=float(rising(self.high)))


def upper_share(level: float) -> float:
    """The share below the upper end of a two-sided interval. Raises `UserError` if the level does
    not lie between 0 and 1.
    """
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    return (1 + level) / 2


def wilson_interval(rate: float, votes: float, level: float, method: str = "Wilson") -> Interval:
    """Wilson's score interval (1927, JASA 22:209), without continuity correction; votes need not be
    whole.

    >>> found = wilson_interval(0.5, 96.04, 0.95)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4019, 0.5981)
    """
    z2 = float(ndtri(upper_share(level))) ** 2
    centre = (rate + z2 / (2 * votes)) / (1 + z2 / votes)
    half = sqrt(z2 * (rate * (1 - rate) / votes + z2 / (4 * votes**2))) / (1 + z2 / votes)
    return Interval(max(0.0, centre - half), min(1.0, centre + half), level, method)


def exact_interval(
    lower: float, votes: float, level: float, method: str = "Clopper-Pearson"
) -> Interval:
    """The exact interval of Clopper and Pearson (1934, Biometrika 26:404) for so many of the votes;
    neither number need be whole.
    """
    higher, tail = votes - lower, 1 - upper_share(level)
    return Interval(
        float(betaincinv(lower, higher + 1, tail)) if lower else 0.0,
        float(betaincinv(lower + 1, higher, 1 - tail)) if higher else 1.0,
        level,
        method,
    )


@dataclass(frozen=True)
class Preference(PlainAtLevel):
    """Counts of choices, and what follows from them.

    The counts of Yu et al., 586 of 840:

    >>> counts = Preference(586, 254)
    >>> f"{counts.rate:.3f} {counts.p_value:.1e}"
    '0.698 2.7e-31'
    >>> wilson = counts.wilson()
    >>> f"{wilson.low:.3f} {wilson.high:.3f}"
    '0.666 0.728'
    >>> exact = counts.clopper_pearson()
    >>> f"{exact.low:.3f} {exact.high:.3f}"
    '0.665 0.729'
    """

    # lower, higher: votes for the formula of lower, and of higher EIC
    lower: int
    higher: int
    ties: int = 0  # "Cannot decide": shown, and in no rate

    _JSON = (
        "lower",
        "higher",
        "ties",
        "votes",
        "rate",
        "p_value",
        "wilson",
        "clopper_pearson",
        "reason",
    )

    def __post_init__(self) -> None:
        if min(self.lower, self.higher, self.ties) < 0:
            raise UserError("a count of votes cannot be negative")

    @classmethod
    def of(cls, choices: Iterable[str]) -> Preference:
        """Count choices: "lower", "higher" or "tie".

        >>> Preference.of(["lower", "tie", "lower", "higher"])
        Preference(lower=2, higher=1, ties=1)
        """
        counts = {"lower": 0, "higher": 0, "tie": 0}
        for choice in choices:
            if choice not in counts:
                raise UserError(f"a choice is lower, higher or tie, not `{choice}`")
            counts[choice] += 1
        return cls(counts["lower"], counts["higher"], counts["tie"])

    @property
    def votes(self) -> int:
        """Votes that decide, ties left out."""
        return self.lower + self.higher

    @property
    def reason(self) -> Limit | None:
        """Why there is no rate, test or interval; None if there is."""
        if self.votes:
            return None
        return Lack.NOBODY_DECIDED if self.ties else Lack.NO_VALID_VOTES

    @property
    def rate(self) -> float | None:
        """Share of the deciding votes for the lower EIC; None without any (see `reason`)."""
        return self.lower / self.votes if self.votes else None

    @property
    def p_value(self) -> float | None:
        """Exact one-sided binomial test (`scipy.stats.binomtest`) of "no preference" against "lower
        preferred": P(X ≥ lower) for X binomial with probability one half; None without votes.
        """
        if not self.votes:
            return None
        return float(binomtest(self.lower, self.votes, 0.5, alternative="greater").pvalue)

    def wilson(self, level: float = 0.95) -> Interval | None:
        return None if self.rate is None else wilson_interval(self.rate, self.votes, level)

    def clopper_pearson(self, level: float = 0.95) -> Interval | None:
        return exact_interval(self.lower, self.votes, level) if self.votes else None
