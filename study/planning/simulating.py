"""What a planned study will find: the report's own methods on simulated studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import sqrt
from statistics import fmean, median

import numpy as np

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.planning.approximation import VerdictRule, across_shares
from study.statistics.clusters import Estimand
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.limits import Limit
from study.statistics.preference import Interval, Preference
from study.statistics.simulation import SimulatedStudy, StudyModel, simulate_many


@dataclass(frozen=True)
class MonteCarloEstimate:
    value: float
    error: float  # Monte-Carlo standard error: how far another seed would move the value

    _JSON = ("value", "monte_carlo_error=error")


def share_of(flags: Sequence[bool]) -> MonteCarloEstimate | None:
    """How often something happened; None if nothing was tried.

    >>> share_of([True, True, False, True]).value
    0.75
    >>> share_of([True] * 100).error > 0
    True
    """
    count = len(flags)
    if not count:
        return None
    # Half a success and half a failure more: the error is not 0 where all agree.
    smoothed = (sum(flags) + 0.5) / (count + 1)
    return MonteCarloEstimate(sum(flags) / count, sqrt(smoothed * (1 - smoothed) / count))


def median_of(values: Sequence[float]) -> MonteCarloEstimate | None:
    """The median; None without values.

    Its error is half the distance between the order statistics one standard error of the rank,
    √n/2, below and above (David and Nagaraja, 2003, Order Statistics, §7.1).

    >>> median_of([4.0, 1.0, 3.0, 2.0, 9.0])
    MonteCarloEstimate(value=3.0, error=1.0)
    """
    count = len(values)
    if not count:
        return None
    ordered = sorted(values)
    step = sqrt(count) / 2
    low = max(0, round((count - 1) / 2 - step))
    high = min(count - 1, round((count - 1) / 2 + step))
    return MonteCarloEstimate(float(median(ordered)), (ordered[high] - ordered[low]) / 2)


PAPER = StudyModel(
    preference=0.698,
    kappa=0.37,
    problem_share=0.0,
    rater_correlation=0.03,
    pairs=172,
    problems=19,
    raters=108,
    ballots=10,
    excluded=24 / 108,
)
"""Yu et al., appendix ``app:expert_rating``: 172 pairs of 19 problems, 108 raters with 10 ballots
each, 1080 votes cast and 840 valid (here: the sessions of 24 raters do not count), 69.8 % for
lower EIC, Fleiss' kappa 0.37. What they do not report is assumed."""

Progress = Callable[[int, int], None]
"""Takes (done, total); raises to end the work."""

MOST_STUDIES = 20_000
MOST_WORK = 1e9
"""Studies × raters × (pairs + 20 ballots): about half a minute."""
_BATCH = 25


@dataclass(frozen=True)
class Plan(PlainAtLevel):
    model: StudyModel
    studies: int
    seed: int
    rule: VerdictRule
    votes: float  # Deciding votes that count, on average
    # How often the report finds that people prefer the lower EIC: and relies on it; also where it
    # calls the study too small; by the exact binomial test, which takes votes as independent
    power: MonteCarloEstimate
    power_at_face_value: MonteCarloEstimate
    naive_power: MonteCarloEstimate
    # half_width, naive_half_width: median half-width of the clustered interval, and of Wilson's, in
    # shares
    half_width: MonteCarloEstimate | None
    naive_half_width: MonteCarloEstimate | None
    # low, high: median ends of the clustered interval
    low: MonteCarloEstimate | None
    high: MonteCarloEstimate | None
    # coverage, naive_coverage: how often these intervals hold the true rate
    coverage: MonteCarloEstimate | None
    naive_coverage: MonteCarloEstimate | None
    # design_effect, effective_votes: medians
    design_effect: MonteCarloEstimate | None
    effective_votes: MonteCarloEstimate | None
    # How often the study would be called too small for a trustworthy interval
    too_small: MonteCarloEstimate
    warning: Limit | None  # The most frequent of why it is too small, or has no interval

    _JSON = (
        ("model", lambda plan: asdict(plan.model)),
        "studies",
        "seed",
        "level=rule.level",
        "one_sided=rule.one_sided",
        "alpha=rule.alpha",
        "estimand",
        "votes",
        "power",
        "power_at_face_value",
        "naive_power",
        "half_width",
        "naive_half_width",
        "low",
        "high",
        "coverage",
        "naive_coverage",
        "design_effect",
        "effective_votes",
        "too_small",
        "warning",
        "given_problems",
        ("by_share", lambda plan: list(across_shares(plan.model, plan.rule))),
    )

    @property
    def level(self) -> float:
        return self.rule.level

    @property
    def estimand(self) -> Estimand:
        return self.rule.estimand_in(self.model)

    @property
    def given_problems(self) -> bool:
        """Whether the problems are held fixed."""
        return self.estimand != "problems like these"


def plan(
    model: StudyModel,
    rule: VerdictRule | None = None,
    *,
    studies: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """Simulate 20 to 20,000 studies of this design and analyse each as the report would.

    Raises `UserError` if a value is out of range, or the design is too large to simulate so often.

    >>> result = plan(StudyModel(preference=0.7, pairs=60, raters=40), studies=40, seed=1)
    >>> result.power.value > 0.9, result.design_effect.value > 1.5
    (True, True)
    """
    _check(model, studies, seed)
    rule = rule or VerdictRule()
    rng, estimand = np.random.default_rng(seed), rule.estimand_in(model)
    outcomes: list[tuple[ClusteredRate, float]] = []
    if progress is not None:
        progress(0, studies)
    while len(outcomes) < studies:
        batch = simulate_many(model, min(_BATCH, studies - len(outcomes)), rng)
        outcomes += [
            (clustered_rate(study.table, estimand=estimand), _truth(study, estimand))
            for study in batch
        ]
        if progress is not None:
            progress(len(outcomes), studies)
    return _summary(model, studies, seed, rule, outcomes)


def can_simulate(model: StudyModel, studies: int, most: float = MOST_WORK) -> bool:
    """Whether so many studies of this design are at most `most` work (see `MOST_WORK`).

    >>> can_simulate(StudyModel(), 1000), can_simulate(StudyModel(raters=10_000), 5000)
    (True, False)
    """
    return studies * model.raters * (model.pairs + 20 * model.ballots) <= most


def _check(model: StudyModel, studies: int, seed: int) -> None:
    if not 20 <= studies <= MOST_STUDIES:
        raise UserError(f"the number of simulated studies must be from 20 to {MOST_STUDIES:,}")
    if seed < 0:
        raise UserError("a seed is a whole number, 0 or more")
    if not can_simulate(model, studies):
        raise UserError(
            f"{studies:,} studies of {model.raters:,} raters on {model.pairs:,} pairs are too many "
            "to simulate here",
            hint="simulate fewer studies, or plan fewer pairs or raters",
        )


def _truth(study: SimulatedStudy, estimand: Estimand) -> float:
    """The rate that the headline is about."""
    return {
        "problems like these": study.model.preference,
        "pairs like these": study.rate_given_problems,
        "these pairs": study.rate_given_pairs,
    }[estimand]


@lru_cache(maxsize=20_000)
def _independent(lower: int, votes: int, level: float) -> tuple[Interval | None, float | None]:
    counts = Preference(lower, votes - lower)
    return counts.wilson(level), counts.p_value


def _summary(
    model: StudyModel,
    studies: int,
    seed: int,
    rule: VerdictRule,
    outcomes: Sequence[tuple[ClusteredRate, float]],
) -> Plan:
    def always(flags: Sequence[bool]) -> MonteCarloEstimate:
        share = share_of(flags)
        assert share is not None  # `_check` asks for 20 studies
        return share

    rates = [rate for rate, _ in outcomes]
    binomial = [_independent(rate.lower, rate.votes, rule.level) for rate in rates]
    own, naive = (
        [(each, truth) for each, (_, truth) in zip(some, outcomes, strict=True) if each is not None]
        for some in ([r.interval(rule.level) for r in rates], [each for each, _ in binomial])
    )
    finds = [rate.finding(rule.level, one_sided=rule.one_sided) == "lower" for rate in rates]
    small = [rate.too_small or rate.reason for rate in rates]
    warnings = Counter(why for why in small if why)
    return Plan(
        model,
        studies,
        seed,
        rule,
        fmean(rate.votes for rate in rates),
        always([clear and not why for clear, why in zip(finds, small, strict=True)]),
        always(finds),
        always([p is not None and p <= rule.tail for _, p in binomial]),
        median_of([(i.high - i.low) / 2 for i, _ in own]),
        median_of([(i.high - i.low) / 2 for i, _ in naive]),
        median_of([i.low for i, _ in own]),
        median_of([i.high for i, _ in own]),
        share_of([i.low <= truth <= i.high for i, truth in own]),
        share_of([i.low <= truth <= i.high for i, truth in naive]),
        median_of([r.design_effect for r in rates if r.design_effect is not None]),
        median_of([r.effective_votes for r in rates if r.effective_votes is not None]),
        always([bool(why) for why in small]),
        next((why for why, _ in warnings.most_common(1)), None),
    )
