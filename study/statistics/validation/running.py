"""Simulate studies, apply every method and count how often it is right, in parallel processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from multiprocessing import get_context
from typing import Any

import numpy as np

from eic_core.errors import UserError
from study.statistics.simulation import simulate_many
from study.statistics.validation.claims import Outcomes, headline, printed
from study.statistics.validation.outcomes import Tally, monte_carlo_error, share
from study.statistics.validation.rehearsal import Rehearsal
from study.statistics.validation.scenarios import SCENARIOS, Scenario

CHUNK = {False: 250, True: 20}
"""Studies of a job: of votes alone, and whole ones."""


@dataclass(frozen=True)
class ValidationRow:
    """One method in one scenario; shares are of studies, None where there are none."""

    scenario: Scenario
    method: str
    tally: Tally

    @property
    def coverage(self) -> float | None:
        """Share of the intervals that hold the truth."""
        return share(self.tally.covered, self.tally.intervals)

    @property
    def missed_unflagged(self) -> float | None:
        """Share of the intervals that miss the truth in studies not called too small."""
        return share(self.tally.missed_unflagged, self.tally.intervals)

    @property
    def type_one(self) -> float | None:
        """Share of the tests at 5 % that reject; None unless the null is true."""
        return share(self.tally.rejected, self.tally.tests)

    @property
    def rejected_unflagged(self) -> float | None:
        """Share of the tests that reject in studies not called too small."""
        return share(self.tally.rejected_unflagged, self.tally.tests)

    @property
    def flagged(self) -> float:
        """Share of the studies that the method calls too small."""
        return self.tally.flagged / self.tally.studies

    @property
    def width(self) -> float | None:
        """Mean width of the intervals."""
        return share(self.tally.width, self.tally.intervals)

    def to_json(self) -> dict[str, Any]:
        model, tally = self.scenario.model, self.tally
        return {
            "group": self.scenario.group,
            **{field.name: getattr(model, field.name) for field in fields(model)},
            "sizes": " ".join(map(str, model.sizes)),
            "sampled": self.scenario.sampled or "",
            "truth": "of these problems" if self.scenario.conditional else "of all",
            "method": self.method,
            "studies": tally.studies,
            "coverage": self.coverage,
            "coverage_error": monte_carlo_error(self.coverage, tally.intervals),
            "truth_below": share(tally.truth_below, tally.intervals),
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
    progress: Progress | None = None,
) -> list[ValidationRow]:
    """A row for each scenario and method, in order; equal seeds give equal counts, whatever the
    number of processes. A scenario of whole studies has `Scenario.part` of the studies. Raises
    `UserError` if there is no study or no process.
    """
    if studies < 1 or processes < 1:
        raise UserError("at least one study and one process are needed")
    jobs = []
    for number, scenario in enumerate(scenarios):
        many, chunk = max(1, round(scenario.part * studies)), CHUNK[scenario.whole]
        jobs += [
            _Job(number, scenario, min(chunk, many - start), (seed, number, start))
            for start in range(0, many, chunk)
        ]
    totals: dict[tuple[int, str], Tally] = defaultdict(Tally)
    for done, (number, tallies) in enumerate(_run_jobs(jobs, processes), 1):
        for name, tally in tallies.items():
            totals[number, name] += tally
        if progress:
            progress(done, len(jobs))
    return [
        ValidationRow(scenarios[number], name, tally) for (number, name), tally in totals.items()
    ]


@dataclass(frozen=True)
class _Job:
    number: int
    scenario: Scenario
    count: int
    seed: tuple[int, ...]


def _run_jobs(jobs: Sequence[_Job], processes: int) -> Iterator[tuple[int, dict[str, Tally]]]:
    """The number of the scenario and the tallies of each job, in order."""
    if processes == 1:
        yield from ((job.number, _run_job(job)) for job in jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from zip((job.number for job in jobs), pool.map(_run_job, jobs), strict=True)


def _run_job(job: _Job) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for found in _outcomes(job):
        for name, outcome in found.items():
            tallies[name] += Tally.of(outcome)
    return dict(tallies)


def _outcomes(job: _Job) -> Iterator[Outcomes]:
    rng, scenario = np.random.default_rng(job.seed), job.scenario
    if not scenario.whole:
        for study in simulate_many(scenario.model, job.count, rng):
            yield headline(study, scenario)
        return
    for _ in range(job.count):
        yield printed(
            Rehearsal.of(scenario.model, rng, sampled=scenario.sampled or "problems"), rng
        )
