"""Simulate, apply and count, in some processes at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from multiprocessing import get_context
from typing import Any

import numpy as np

from eic_core.errors import UserError
from study.statistics.simulation import simulate_many
from study.statistics.validation.methods import (
    ALPHA,
    METHODS,
    Found,
    Method,
    apply_all,
    truth_of,
)
from study.statistics.validation.scenarios import SCENARIOS, Scenario

CHUNK = 250


@dataclass(frozen=True)
class Tally:
    """Counts over studies; two of them add up.

    Attributes
    ----------
    studies, flagged : int
        All, and those that the method calls too small.
    intervals, covered, truth_below, missed : int
        With an interval; that hold the truth; that lie above it; that miss it and are not flagged.
    width : float
        Sum of the widths.
    tests, rejected, claimed : int
        With a test; that reject; that reject and are not flagged.
    """

    studies: int = 0
    flagged: int = 0
    intervals: int = 0
    covered: int = 0
    truth_below: int = 0
    missed: int = 0
    width: float = 0.0
    tests: int = 0
    rejected: int = 0
    claimed: int = 0

    def __add__(self, other: Tally) -> Tally:
        names = [field.name for field in fields(self)]
        return Tally(*(getattr(self, name) + getattr(other, name) for name in names))

    @classmethod
    def of(cls, found: Found, truth: float) -> Tally:
        """One study."""
        interval, p_value, flagged = found.interval, found.p_value, found.too_small
        some = interval is not None
        covered = interval is not None and interval.low <= truth <= interval.high
        rejected = p_value is not None and p_value <= ALPHA
        return cls(
            studies=1,
            flagged=flagged,
            intervals=some,
            covered=covered,
            truth_below=interval is not None and truth < interval.low,
            missed=some and not covered and not flagged,
            width=interval.high - interval.low if interval else 0.0,
            tests=p_value is not None,
            rejected=rejected,
            claimed=rejected and not flagged,
        )


@dataclass(frozen=True)
class Row:
    """One method in one scenario; shares are of studies, None where there are none."""

    scenario: Scenario
    method: Method
    tally: Tally

    @property
    def coverage(self) -> float | None:
        """Share of the intervals that hold the truth."""
        return _share(self.tally.covered, self.tally.intervals)

    @property
    def missed(self) -> float | None:
        """Share of the intervals that miss the truth in studies not called too small."""
        return _share(self.tally.missed, self.tally.intervals)

    @property
    def type_one(self) -> float | None:
        """Share of the tests at 5 % that reject; None unless the null is true."""
        return _share(self.tally.rejected, self.tally.tests) if self._tested else None

    @property
    def claimed(self) -> float | None:
        """Share of the tests that reject in studies not called too small."""
        return _share(self.tally.claimed, self.tally.tests) if self._tested else None

    @property
    def _tested(self) -> bool:
        return self.scenario.null and self.method.has_test

    @property
    def flagged(self) -> float:
        """Share of the studies that the method calls too small."""
        return self.tally.flagged / self.tally.studies

    @property
    def width(self) -> float | None:
        """Mean width of the intervals."""
        return self.tally.width / self.tally.intervals if self.tally.intervals else None

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        model, tally = self.scenario.model, self.tally
        return {
            "group": self.scenario.group,
            **{field.name: getattr(model, field.name) for field in fields(model)},
            "truth": "of these problems" if self.scenario.conditional else "of all",
            "method": self.method.name,
            "studies": tally.studies,
            "coverage": self.coverage,
            "coverage_error": error_of(self.coverage, tally.intervals),
            "truth_below": _share(tally.truth_below, tally.intervals),
            "missed": self.missed,
            "width": self.width,
            "type_one": self.type_one,
            "type_one_error": error_of(self.type_one, tally.tests),
            "claimed": self.claimed,
            "flagged": self.flagged,
        }


Progress = Callable[[int, int], None]


def validate(
    scenarios: Sequence[Scenario] = SCENARIOS,
    *,
    studies: int = 2000,
    seed: int = 1,
    processes: int = 1,
    draws: int = 1000,
    progress: Progress | None = None,
) -> list[Row]:
    """Every method on `studies` simulated studies of each scenario.

    Parameters
    ----------
    scenarios : sequence of Scenario
    studies, seed, processes : int
        Equal seeds give equal counts, however many processes there are.
    draws : int
        Of each bootstrap.
    progress : callable, optional
        Called with how many chunks of studies are done, and of how many.

    Returns
    -------
    list of Row
        One for each scenario and method, in order.

    Raises
    ------
    UserError
        If there is no study or no process.
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
    for done, (number, tallies) in enumerate(_each(jobs, processes), 1):
        for name, tally in tallies.items():
            totals[number, name] += tally
        report(done, len(jobs))
    return [
        Row(scenario, method, totals[i, method.name])
        for i, scenario in enumerate(scenarios)
        for method in METHODS
    ]


@dataclass(frozen=True)
class _Job:
    """Some studies of one scenario."""

    number: int
    scenario: Scenario
    count: int
    seed: tuple[int, ...]
    draws: int


def _each(jobs: Sequence[_Job], processes: int) -> Iterator[tuple[int, dict[str, Tally]]]:
    """The number of the scenario and the tallies of each job, in order."""
    if processes == 1:
        yield from ((job.number, _done(job)) for job in jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from zip((job.number for job in jobs), pool.map(_done, jobs), strict=True)


def _done(job: _Job) -> dict[str, Tally]:
    """Tallies by the name of the method."""
    tallies = {method.name: Tally() for method in METHODS}
    rng = np.random.default_rng(job.seed)
    for study in simulate_many(job.scenario.model, job.count, rng):
        found = apply_all(study, job.draws)
        for method in METHODS:
            truth = truth_of(method.truth, job.scenario, study)
            tallies[method.name] += Tally.of(found[method.name], truth)
    return tallies


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def error_of(share: float | None, count: int) -> float | None:
    """Monte-Carlo standard error of a share of `count` studies.

    With the two successes and two failures of Agresti and Coull (1998, American Statistician
    52:119) added, so that a share of 0 or 1 has an error too.

    Examples
    --------
    >>> round(error_of(0.95, 2000), 4), round(error_of(1.0, 2000), 4)
    (0.0049, 0.0007)
    """
    if share is None:
        return None
    near = (share * count + 2) / (count + 4)
    return math.sqrt(near * (1 - near) / (count + 4))
