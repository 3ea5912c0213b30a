"""One shape for every estimate with an interval and a test: both follow from a distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from scipy.special import betainc, expit, stdtr, stdtrit

from eic_core.exports import PlainAtLevel
from study.statistics.preference import Interval, exact_interval, upper_share

METHOD_NO_SPREAD = "Clopper-Pearson with one trial a cluster"


@dataclass(frozen=True)
class Student:
    """A number with a standard error and the degrees of freedom of t."""

    centre: float
    error: float  # More than 0 for a test
    degrees: float  # inf for a normal distribution
    method: str = ""

    def interval(self, level: float) -> Interval:
        half = self.reach(upper_share(level))
        return Interval(self.centre - half, self.centre + half, level, self.method)

    def reach(self, share: float) -> float:
        """How far the quantile of this share lies above the centre."""
        return float(stdtrit(self.degrees, share)) * self.error

    def p_above(self, edge: float = 0.0) -> float:
        """One-sided, of "the number is `edge` or less"."""
        return float(stdtr(self.degrees, (edge - self.centre) / self.error))

    def p_below(self, edge: float = 0.0) -> float:
        """One-sided, of "the number is `edge` or more"."""
        return float(stdtr(self.degrees, (self.centre - edge) / self.error))

    @property
    def p_two_sided(self) -> float:
        """Of 0, which of log odds is one half."""
        return 2 * min(self.p_above(), self.p_below())


@dataclass(frozen=True)
class LogOdds(Student):
    """The log odds of a rate; the interval is that of the rate.

    >>> odds = LogOdds(0.0, 1.0, 9)
    >>> odds.p_two_sided, round(odds.interval(0.95).high, 3)
    (1.0, 0.906)
    """

    @classmethod
    def of(cls, rate: float, standard_error: float, degrees: float, method: str) -> LogOdds | None:
        """Of a rate and its own standard error, by the delta method; None for one without spread,
        or at 0 or 1.
        """
        spread = rate * (1 - rate)
        if spread <= 0 or not standard_error:
            return None
        return cls(log(rate / (1 - rate)), standard_error / spread, degrees, method)

    def interval(self, level: float) -> Interval:
        return super().interval(level).through(expit)


@dataclass(frozen=True)
class Trials:
    """A rate without spread between clusters: the exact distribution of as many trials as there are
    clusters of the scarcer kind, the least that the votes can be worth.
    """

    rate: float
    trials: int

    def interval(self, level: float) -> Interval:
        return exact_interval(self.trials * self.rate, self.trials, level, METHOD_NO_SPREAD)

    def p_above(self) -> float:
        """One-sided, of "the rate is one half or less"."""
        successes = self.trials * self.rate
        return float(betainc(successes, self.trials - successes + 1, 0.5)) if successes else 1.0

    @property
    def p_two_sided(self) -> float:
        return min(1.0, 2 * min(self.p_above(), Trials(1 - self.rate, self.trials).p_above()))


class IntervalEstimate(PlainAtLevel):
    """What has a distribution, or none where there is neither interval nor test."""

    __slots__ = ()

    @property
    def distribution(self) -> Student | Trials | None:
        raise NotImplementedError

    def interval(self, level: float = 0.95) -> Interval | None:
        """Two-sided. Raises `UserError` if the level does not lie between 0 and 1."""
        return self.distribution.interval(level) if self.distribution else None

    @property
    def p_two_sided(self) -> float | None:
        """The interval of level 1 - p ends where there is no effect: at one half of a rate."""
        return self.distribution.p_two_sided if self.distribution else None
