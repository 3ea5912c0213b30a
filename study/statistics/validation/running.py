"""Simulate studies, apply every method and count how often it is right, in parallel processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, fields
from multiprocessing import get_context
from typing import Any, TypeVar

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
    """One method in one scenario."""

    scenario: Scenario
    method: str
    tally: Tally

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
            "coverage": tally.coverage,
            "coverage_error": monte_carlo_error(tally.coverage, tally.intervals),
            "truth_below": share(tally.truth_below, tally.intervals),
            "missed": tally.missed,
            "width": tally.mean_width,
            "type_one": tally.type_one,
            "type_one_error": monte_carlo_error(tally.type_one, tally.tests),
            "claimed": tally.claimed,
            "flagged": tally.flagged_part,
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
    for job, tallies in zip(jobs, in_parallel(_run_job, jobs, processes, progress), strict=True):
        for name, tally in tallies.items():
            totals[job.number, name] += tally
    return [
        ValidationRow(scenarios[number], name, tally) for (number, name), tally in totals.items()
    ]


@dataclass(frozen=True)
class _Job:
    number: int
    scenario: Scenario
    count: int
    seed: tuple[int, ...]


Job = TypeVar("Job")
Result = TypeVar("Result")


def in_parallel(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    processes: int,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """What a function of a module says of each job, in order."""
    with ExitStack() as stack:
        results: Iterable[Result] = map(function, jobs)
        if processes > 1:
            context = get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(processes, mp_context=context))
            results = pool.map(function, jobs)
        for done, result in enumerate(results, 1):
            yield result
            if progress:
                progress(done, len(jobs))


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
