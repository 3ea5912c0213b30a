"""Simulate studies, apply every method and count how often it is right, in parallel processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from multiprocessing import get_context
from typing import Any, Literal

import numpy as np

from eic_core.errors import UserError
from study.statistics.agreement import agreement_of
from study.statistics.bootstrap import pair_bootstrap, two_way_bootstrap
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval, Preference
from study.statistics.sign_test import sign_test
from study.statistics.simulation import SimulatedStudy, simulate_many
from study.statistics.validation.alternatives import WildBootstrap, satterthwaite
from study.statistics.validation.scenarios import SCENARIOS, Scenario
from study.statistics.votes import Sampled

HEADLINE = "two-way"
LEVEL = 0.95
ALPHA = 0.05
DRAWS = 400

Truth = Literal["rate", "these pairs", "other problems", "kappa"]


@dataclass(frozen=True)
class MethodResult:
    interval: Interval | None = None
    p_value: float | None = None  # One-sided
    # Whether the method says that the study is too small, or has neither interval nor test
    too_small: bool = False
    # Whether the method's interval holds a rate, where its ends would need a search
    accepts: Callable[[float], bool] | None = None


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
    Method("CR2, Satterthwaite", "rate", has_test=True),
    Method("wild bootstrap", "rate", has_test=True),
    Method("pair bootstrap", "rate"),
    Method("two-way bootstrap", "rate"),
    Method("sign test", "rate", has_interval=False, has_test=True),
    Method("other problems", "other problems"),
    Method("these pairs", "these pairs"),
    Method("Fleiss' kappa", "kappa"),
)


def apply_all(
    study: SimulatedStudy, draws: int = DRAWS, sampled: Sampled | None = None
) -> dict[str, MethodResult]:
    """What each of `METHODS` says where the design declares what was sampled."""
    study = replace(study, table=replace(study.table, sampled=sampled))
    headline = clustered_rate(study.table)
    these = clustered_rate(study.table, estimand="these pairs")
    wilson, exact, p_value = _independent(headline.lower, headline.votes)
    whole = _found(headline)
    return {
        "binomial": MethodResult(None, p_value),
        "Wilson": MethodResult(wilson),
        "Clopper-Pearson": MethodResult(exact),
        "by pair": _one_way(headline, 0),
        "by rater": _one_way(headline, 1),
        HEADLINE: whole,
        **_for_problems(headline, study),
        "pair bootstrap": MethodResult(pair_bootstrap(study.table, draws=draws, level=LEVEL)),
        "two-way bootstrap": MethodResult(two_way_bootstrap(study.table, draws=draws, level=LEVEL)),
        "sign test": MethodResult(None, _sign(study)),
        "other problems": whole,
        "these pairs": _found(these),
        "Fleiss' kappa": _agreement(study),
    }


def true_rate(kind: Truth, scenario: Scenario, study: SimulatedStudy) -> float:
    """What a method should find in this study; fixed pairs or problems count by their votes."""
    if kind == "kappa":
        return scenario.model.kappa
    if kind == "these pairs":
        return float(study.pair_rates[study.table.decided().pair].mean())
    if kind == "rate" and scenario.conditional:
        return float(study.problem_rates[study.table.decided().pair].mean())
    return scenario.model.preference


def _for_problems(rate: ClusteredRate, study: SimulatedStudy) -> dict[str, MethodResult]:
    """Other methods for problems that are a sample, on the studies whose design declares them."""
    none = MethodResult()
    if study.table.sampled != "problems" or rate.reason:
        return {"CR2, Satterthwaite": none, "wild bootstrap": none}
    wild = WildBootstrap.of(study.table)
    return {
        "CR2, Satterthwaite": _found(satterthwaite(rate, study.table)),
        "wild bootstrap": MethodResult(
            None, wild.p_value, bool(rate.too_small), lambda truth: wild.accepts(truth, LEVEL)
        ),
    }


def _found(rate: ClusteredRate) -> MethodResult:
    return MethodResult(rate.interval(LEVEL), rate.p_value, bool(rate.too_small or rate.reason))


def _agreement(study: SimulatedStudy) -> MethodResult:
    found = agreement_of(study.table, level=LEVEL).fleiss_kappa
    return MethodResult(found.interval, None, bool(found.too_small or found.interval is None))


def _one_way(headline: ClusteredRate, which: int) -> MethodResult:
    if headline.reason:
        return MethodResult()
    part = headline.components[which]
    lost: float = headline.problems if which == 0 and headline.conditional_on_problems else 1
    if which == 0 and not headline.conditional_on_problems:
        lost = part.clusters + 1 - headline.effective_problems
    alone = replace(
        headline,
        components=(part,),
        clusters=(headline.clusters[which],),
        degrees_of_freedom=part.clusters - lost,
    )
    return MethodResult(alone.interval(LEVEL), alone.p_value)


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


CHUNK = 250


@dataclass(frozen=True)
class Tally:
    """Counts over studies; two of them add up."""

    # studies, flagged: all, and those that the method calls too small
    studies: int = 0
    flagged: int = 0
    # intervals, covered, truth_below, missed_unflagged: with an interval; that hold the truth; that
    # lie above it; that miss it and are not flagged
    intervals: int = 0
    covered: int = 0
    truth_below: int = 0
    missed_unflagged: int = 0
    width: float = 0.0  # Sum of the widths
    # tests, rejected, rejected_unflagged: with a test; that reject; that reject and are not flagged
    tests: int = 0
    rejected: int = 0
    rejected_unflagged: int = 0

    def __add__(self, other: Tally) -> Tally:
        names = [field.name for field in fields(self)]
        return Tally(*(getattr(self, name) + getattr(other, name) for name in names))

    @classmethod
    def of(cls, found: MethodResult, truth: float) -> Tally:
        interval, p_value, flagged = found.interval, found.p_value, found.too_small
        some = interval is not None or found.accepts is not None
        covered = interval is not None and interval.low <= truth <= interval.high
        if found.accepts is not None:
            covered = found.accepts(truth)
        rejected = p_value is not None and p_value <= ALPHA
        return cls(
            studies=1,
            flagged=flagged,
            intervals=some,
            covered=covered,
            truth_below=interval is not None and truth < interval.low,
            missed_unflagged=some and not covered and not flagged,
            width=interval.high - interval.low if interval else 0.0,
            tests=p_value is not None,
            rejected=rejected,
            rejected_unflagged=rejected and not flagged,
        )


@dataclass(frozen=True)
class ValidationRow:
    """One method in one scenario; shares are of studies, None where there are none."""

    scenario: Scenario
    method: Method
    tally: Tally

    @property
    def coverage(self) -> float | None:
        """Share of the intervals that hold the truth."""
        return _share(self.tally.covered, self.tally.intervals)

    @property
    def missed_unflagged(self) -> float | None:
        """Share of the intervals that miss the truth in studies not called too small."""
        return _share(self.tally.missed_unflagged, self.tally.intervals)

    @property
    def type_one(self) -> float | None:
        """Share of the tests at 5 % that reject; None unless the null is true."""
        return _share(self.tally.rejected, self.tally.tests) if self._tested else None

    @property
    def rejected_unflagged(self) -> float | None:
        """Share of the tests that reject in studies not called too small."""
        return _share(self.tally.rejected_unflagged, self.tally.tests) if self._tested else None

    @property
    def _tested(self) -> bool:
        return self.scenario.null and self.method.has_test

    @property
    def flagged(self) -> float:
        """Share of the studies that the method calls too small."""
        return self.tally.flagged / self.tally.studies

    @property
    def width(self) -> float | None:
        """Mean width of the intervals; None where no ends were searched for."""
        return self.tally.width / self.tally.intervals if self.tally.width else None

    def to_json(self) -> dict[str, Any]:
        model, tally = self.scenario.model, self.tally
        return {
            "group": self.scenario.group,
            **{field.name: getattr(model, field.name) for field in fields(model)},
            "sizes": " ".join(map(str, model.sizes)),
            "sampled": self.scenario.sampled or "",
            "truth": "of these problems" if self.scenario.conditional else "of all",
            "method": self.method.name,
            "studies": tally.studies,
            "coverage": self.coverage,
            "coverage_error": monte_carlo_error(self.coverage, tally.intervals),
            "truth_below": _share(tally.truth_below, tally.intervals),
            "missed": self.missed_unflagged,
            "width": self.width,
            "type_one": self.type_one,
            "type_one_error": monte_carlo_error(self.type_one, tally.tests),
            "claimed": self.rejected_unflagged,
            "flagged": self.flagged,
        }


Progress = Callable[[int, int], None]


def validate(
    scenarios: Sequence[Scenario] = SCENARIOS,
    *,
    studies: int = 1000,
    seed: int = 1,
    processes: int = 1,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> list[ValidationRow]:
    """A row for each scenario and method, in order; equal seeds give equal counts, whatever the
    number of processes. Raises `UserError` if there is no study or no process.
    """
    if studies < 1 or processes < 1:
        raise UserError("at least one study and one process are needed")
    jobs = [
        _Job(number, scenario, min(CHUNK, studies - start), (seed, number, start), draws)
        for number, scenario in enumerate(scenarios)
        for start in range(0, studies, CHUNK)
    ]
    report = progress or (lambda done, total: None)
    totals = {(i, m.name): Tally() for i in range(len(scenarios)) for m in METHODS}
    for done, (number, tallies) in enumerate(_run_jobs(jobs, processes), 1):
        for name, tally in tallies.items():
            totals[number, name] += tally
        report(done, len(jobs))
    return [
        ValidationRow(scenario, method, totals[i, method.name])
        for i, scenario in enumerate(scenarios)
        for method in METHODS
    ]


@dataclass(frozen=True)
class _Job:
    number: int
    scenario: Scenario
    count: int
    seed: tuple[int, ...]
    draws: int


def _run_jobs(jobs: Sequence[_Job], processes: int) -> Iterator[tuple[int, dict[str, Tally]]]:
    """The number of the scenario and the tallies of each job, in order."""
    if processes == 1:
        yield from ((job.number, _run_job(job)) for job in jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from zip((job.number for job in jobs), pool.map(_run_job, jobs), strict=True)


def _run_job(job: _Job) -> dict[str, Tally]:
    tallies = {method.name: Tally() for method in METHODS}
    rng = np.random.default_rng(job.seed)
    for study in simulate_many(job.scenario.model, job.count, rng):
        found = apply_all(study, job.draws, job.scenario.sampled)
        for method in METHODS:
            truth = true_rate(method.truth, job.scenario, study)
            tallies[method.name] += Tally.of(found[method.name], truth)
    return tallies


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def monte_carlo_error(share: float | None, count: int) -> float | None:
    """Monte-Carlo standard error of a share of `count` studies, with the two successes and two
    failures of Agresti and Coull (1998, American Statistician 52:119) added, so that a share of 0
    or 1 has an error too.

    >>> round(monte_carlo_error(0.95, 2000), 4), round(monte_carlo_error(1.0, 2000), 4)
    (0.0049, 0.0007)
    """
    if share is None:
        return None
    near = (share * count + 2) / (count + 4)
    return math.sqrt(near * (1 - near) / (count + 4))
