"""The methods that are tried, all as functions of one simulated study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from study.statistics.bootstrap import pair_bootstrap, two_way_bootstrap
from study.statistics.clustered import ClusteredRate, clustered_rate
from study.statistics.coefficients import fleiss_coefficient
from study.statistics.majorities import sign_test
from study.statistics.preference import Interval, Preference
from study.statistics.simulation import SimulatedStudy
from study.statistics.validation.scenarios import Scenario

HEADLINE = "two-way"
LEVEL = 0.95
ALPHA = 0.05
DRAWS = 1000

Truth = Literal["rate", "these pairs", "other problems", "kappa"]


@dataclass(frozen=True)
class Found:
    """What one method says of one study.

    Attributes
    ----------
    interval : Interval or None
    p_value : float or None
        One-sided.
    too_small : bool
        Whether the method says that the study is too small, or has neither interval nor test.
    """

    interval: Interval | None = None
    p_value: float | None = None
    too_small: bool = False


@dataclass(frozen=True)
class Method:
    """A name, what its interval is for, and whether it has an interval and a test."""

    name: str
    truth: Truth
    has_interval: bool = True
    has_test: bool = False


METHODS = (
    Method("binomial", "rate", has_interval=False, has_test=True),
    Method("Wilson", "rate"),
    Method("Clopper-Pearson", "rate"),
    Method("by pair", "rate", has_test=True),
    Method("by rater", "rate", has_test=True),
    Method(HEADLINE, "rate", has_test=True),
    Method("pair bootstrap", "rate"),
    Method("two-way bootstrap", "rate"),
    Method("sign test", "rate", has_interval=False, has_test=True),
    Method("other problems", "other problems"),
    Method("these pairs", "these pairs"),
    Method("Fleiss' kappa", "kappa"),
)


def apply_all(study: SimulatedStudy, draws: int = DRAWS) -> dict[str, Found]:
    """What each of `METHODS` says."""
    headline = clustered_rate(study.table)
    these = clustered_rate(study.table, estimand="these pairs")
    wilson, exact, p_value = _independent(headline.lower, headline.votes)
    whole = _found(headline)
    return {
        "binomial": Found(None, p_value),
        "Wilson": Found(wilson),
        "Clopper-Pearson": Found(exact),
        "by pair": _one_way(headline, 0),
        "by rater": _one_way(headline, 1),
        HEADLINE: whole,
        "pair bootstrap": Found(pair_bootstrap(study.table, draws=draws, level=LEVEL)),
        "two-way bootstrap": Found(two_way_bootstrap(study.table, draws=draws, level=LEVEL)),
        "sign test": Found(None, _sign(study)),
        "other problems": whole,
        "these pairs": _found(these),
        "Fleiss' kappa": _agreement(study, draws),
    }


def truth_of(kind: Truth, scenario: Scenario, study: SimulatedStudy) -> float:
    """What a method should find in this study.

    What is held fixed, pairs or problems, counts by its votes, as it does in the rate.
    """
    if kind == "kappa":
        return scenario.model.kappa
    if kind == "these pairs":
        return float(study.pair_rates[study.table.decided().pair].mean())
    if kind == "rate" and scenario.conditional:
        return float(study.problem_rates[study.table.decided().pair].mean())
    return scenario.model.preference


def _found(rate: ClusteredRate) -> Found:
    return Found(rate.interval(LEVEL), rate.p_value, bool(rate.too_small or rate.reason))


def _agreement(study: SimulatedStudy, draws: int) -> Found:
    found = fleiss_coefficient(study.table.counts(), draws=draws, level=LEVEL)
    return Found(found.interval, None, bool(found.too_small or found.interval is None))


def _one_way(headline: ClusteredRate, which: int) -> Found:
    """The headline's method with one of its two kinds of cluster."""
    if headline.reason:
        return Found()
    part = headline.components[which]
    lost = headline.problems if which == 0 and headline.conditional_on_problems else 1
    alone = replace(
        headline, components=(part,), clusters=(headline.clusters[which],),
        degrees_of_freedom=part.clusters - lost,
    )  # fmt: skip
    return Found(alone.interval(LEVEL), alone.p_value)


@lru_cache(maxsize=10_000)
def _independent(lower: int, votes: int) -> tuple[Interval | None, Interval | None, float | None]:
    counts = Preference(lower, votes - lower)
    return counts.wilson(LEVEL), counts.clopper_pearson(LEVEL), counts.p_value


def _sign(study: SimulatedStudy) -> float | None:
    test = sign_test(study.table)
    return _sign_p(test.lower, test.higher)


@lru_cache(maxsize=10_000)
def _sign_p(lower: int, higher: int) -> float | None:
    return Preference(lower, higher).p_value
