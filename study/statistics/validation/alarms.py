"""Studies with a planted defect and studies that nothing is wrong with: which threats ask for a
closer look, and whether it is EIC that raters are said to follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context

import numpy as np

from eic_core.exports import Plain
from study.statistics.simulation import StudyModel
from study.statistics.threats import Threats
from study.statistics.threats.common import LOOK
from study.statistics.validation.rehearsal import Habits, Rehearsal

STUDIES = 100
CHUNK = 10
UNCLEAR = "no clear preference"
ODDS = 2.5
"""Of a preference for the lower EIC, where there is one: 71 % of votes."""
PLAIN = StudyModel(
    preference=0.5,
    kappa=0.37,
    pairs=160,
    raters=84,
    problems=16,
    rater_correlation=0.05,
    drop_out=0.2,
    unequal=0.5,
    tie_share=0.03,
)
PREFERRED = replace(PLAIN, preference=ODDS / (1 + ODDS))
CLOSE = replace(PREFERRED, pairs=60, problems=12, raters=30, ballots=30)
"""Raters who have some fifteen pairs in common with each other one."""
MANY_SHARED = replace(CLOSE, preference=0.55, kappa=0.2, ballots=50, drop_out=0.0)
"""Some forty pairs in common: with fewer, one person cannot be told from two of one mind."""


@dataclass(frozen=True)
class Situation:
    name: str
    model: StudyModel
    habits: Habits = Habits()
    # The threats of which one should ask for a closer look; none: nothing is wrong
    expected: tuple[str, ...] = ()
    structure: bool = False  # Whether raters follow what the eye sees, not EIC


SITUATIONS = (
    Situation("no preference", PLAIN),
    Situation("problems differ, no preference", replace(PLAIN, problem_share=0.5)),
    Situation("constant preference", PREFERRED),
    Situation("constant, lower EIC mostly simpler", PREFERRED, Habits(matched=False)),
    Situation("growing preference", PREFERRED, Habits(growth=0.5)),
    Situation(
        "growing, problems differ", replace(PREFERRED, problem_share=0.5), Habits(growth=0.5)
    ),
    Situation(
        "what the eye sees alone", PLAIN, Habits(looks=0.45, matched=False), ("structure",), True
    ),
    Situation("everybody likes the left", PREFERRED, Habits(left=0.7), ("sides", "raters")),
    Situation("15 % press one place", PREFERRED, Habits(pressers=13), ("sides", "raters")),
    Situation("a tenth press fast, at random", PREFERRED, Habits(random=8), ("raters",)),
    Situation("one account presses at random", CLOSE, Habits(random=1), ("raters",)),
    Situation("two accounts of one person", MANY_SHARED, Habits(twins=1), ("raters",)),
    Situation("raters tire", PREFERRED, Habits(tiring=-0.25), ("ballots",)),
    Situation("narrow windows turn it round", PREFERRED, Habits(narrow=-1.5), ("screens",)),
    Situation(
        "careless raters turn it round",
        PREFERRED,
        Habits(careless=-3.0, failing=0.15),
        ("attention",),
    ),
    Situation(
        "hasty raters are of another mind",
        PREFERRED,
        Habits(hasty=-4.0, hasty_share=0.3),
        ("sensitivity",),
    ),
    Situation("ties instead of the higher EIC", PLAIN, Habits(tied=0.5), ("ties",)),
)


@dataclass(frozen=True)
class Alarms(Plain):
    """What studies of one situation were told."""

    situation: str
    expected: tuple[str, ...]
    structure: bool
    # studies, looks, hits: all; with a threat to look closer at; with one that was expected
    studies: int
    looks: int
    hits: int
    by_threat: dict[str, int]  # Studies in which a threat asks for a closer look
    answers: dict[str, int]  # Studies by the answer to "EIC, or what the eye sees?"

    _JSON = (
        "situation",
        "expected",
        "structure",
        "studies",
        "looks",
        "hits",
        "by_threat",
        "answers",
    )


def alarms(
    studies: int = STUDIES,
    *,
    seed: int = 1,
    processes: int = 1,
    situations: Sequence[Situation] = SITUATIONS,
    progress: Callable[[int, int], None] | None = None,
) -> list[Alarms]:
    """Simulate each situation; equal seeds give equal counts, whatever the number of processes."""
    jobs = [
        (situation, min(CHUNK, studies - start), (seed, 83, number, start))
        for number, situation in enumerate(situations)
        for start in range(0, studies, CHUNK)
    ]
    named: dict[str, list[tuple[frozenset[str], str]]] = {each.name: [] for each in situations}
    for done, (job, found) in enumerate(zip(jobs, _run(jobs, processes), strict=True), 1):
        named[job[0].name] += found
        if progress:
            progress(done, len(jobs))
    return [_counted(each, named[each.name]) for each in situations]


_Job = tuple[Situation, int, tuple[int, ...]]


def _run(jobs: Sequence[_Job], processes: int) -> Iterator[list[tuple[frozenset[str], str]]]:
    if processes == 1:
        yield from map(_run_job, jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_run_job, jobs)


def _run_job(job: _Job) -> list[tuple[frozenset[str], str]]:
    situation, count, seed = job
    rng = np.random.default_rng(seed)
    studies = (Rehearsal.of(situation.model, rng, situation.habits) for _ in range(count))
    return [(looked_at(study.threats), _answer(study.threats)) for study in studies]


def looked_at(threats: Threats) -> frozenset[str]:
    """The names of the threats that ask for a closer look."""
    return frozenset(name for name, each in threats.each().items() if each.judgement == LOOK)


def _answer(threats: Threats) -> str:
    return threats.structure.answer if threats.structure.preferred else UNCLEAR


def _counted(situation: Situation, found: Sequence[tuple[frozenset[str], str]]) -> Alarms:
    expected = set(situation.expected)
    return Alarms(
        situation.name,
        situation.expected,
        situation.structure,
        len(found),
        sum(bool(names) for names, _ in found),
        sum(bool(names & expected) for names, _ in found),
        dict(Counter(name for names, _ in found for name in sorted(names)).most_common()),
        dict(Counter(answer for _, answer in found).most_common()),
    )
