"""A search: islands that evolve side by side in epochs, with migration between them.

The number of islands and the length of an epoch are fixed, and an epoch is a function of an
island's state alone; so the same seed gives the same result in any number of processes, and a run
that was stopped goes on from its file as if it had not been.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from eic_core.errors import DataError
from eic_core.exports import Plain
from eic_core.pool.picking import READABLE, fitness
from eic_core.samples import Samples
from eic_core.search.fitting import Fitted, Genome, Individual, weigh
from eic_core.search.genetic import Island, survivors
from eic_core.search.keeping import Found, best_of, finish, polished
from eic_core.search.problem import ETA, SearchProblem
from eic_core.search.vocabulary import ARITY, STEPS, Term

MOST_TERMS = (1, 6, 6, 6)
"""Terms of a candidate on each island: where sums of many are at hand, what is one product or
one function of everything is hardly found."""

ISLANDS = len(MOST_TERMS)
EPOCH = 5_000
"""Candidates that an island measures between two migrations."""

MIGRANTS = 5
POLISHED = 4
POLISHING_STEPS = 6

TOLERANCE = 1e-3
"""Printing constants short may raise 1 - R^2 by this share of itself."""

FORMAT = 1
"""Of a checkpoint."""

RULES = ("fitness", "readable", "accurate")
"""Ways to choose from a front: the fitness that was searched for, the same with a digit at .01, and
R^2 alone."""


@dataclass(frozen=True)
class SearchBudget:
    """When a search ends; the first that is met.

    Attributes
    ----------
    max_evals : int or None
        Distinct candidates that are measured, of all islands; repeatable.
    max_seconds : float or None
        Looked at between epochs.
    enough_r2 : float or None
        R^2 on the training rows.
    """

    max_evals: int | None = None
    max_seconds: float | None = None
    enough_r2: float | None = None

    def __post_init__(self) -> None:
        if self.max_evals is None and self.max_seconds is None:
            raise DataError("a search needs an end", hint="give a number of candidates or a time")
        if self.max_evals is not None and self.max_evals < ISLANDS:
            raise DataError(f"a search measures at least {ISLANDS} candidates")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise DataError("the time of a search must be above 0")


@dataclass(frozen=True)
class SearchProgress:
    """How far a search has come.

    Attributes
    ----------
    evaluations : int
    seconds : float
        Since this run began.
    rate : float
        Candidates a second in this run.
    best_r2 : float
        On the training rows.
    front : int
        Formulas on the front.
    """

    evaluations: int
    seconds: float
    rate: float
    best_r2: float
    front: int


@dataclass(frozen=True)
class SearchResult(Plain):
    """What a search found.

    Attributes
    ----------
    front : tuple of Found
        What no other beats in R^2, nodes and EIC on all rows; the shortest first.
    problem : SearchProblem
    evaluations : int
        Distinct candidates that were measured.
    seconds : float
        Of this run.
    stopped : {"evaluations", "time", "enough", "exhausted", "interrupted", "cancelled"}
        What ended it; exhausted is what can be built, where that is little.
    seed : int
    tolerance : float
        1 - R^2 may have grown by this share of itself when constants were shortened.
    """

    front: tuple[Found, ...]
    problem: SearchProblem
    evaluations: int
    seconds: float
    stopped: str
    seed: int
    tolerance: float

    JSON = (
        "evaluations", "seconds", "stopped", "seed", "tolerance", "alpha=problem.alpha",
        ("best", lambda result: result.select() if result.front else None), "front",
    )  # fmt: skip

    def select(self, rule: str = "fitness") -> Found:
        """The formula to take.

        Parameters
        ----------
        rule : {"fitness", "readable", "accurate"}
            By the fitness that was searched for, by the same with a digit at 0.01, or by R^2 alone.

        Raises
        ------
        DataError
            If nothing was found, or there is no such rule.
        """
        return choose(self.front, rule, self.problem.alpha, self.problem.eta)


def choose(front: Sequence[Found], rule: str, alpha: float, eta: float = ETA) -> Found:
    """The formula of a front to take.

    Parameters
    ----------
    front : sequence of Found
    rule : {"fitness", "readable", "accurate"}
        As `SearchResult.select` has it.
    alpha, eta : float
        What a digit and a node cost by the first rule, and a node by the second.

    Raises
    ------
    DataError
        If the front is empty, or there is no such rule.
    """
    if rule not in RULES:
        raise DataError(f"there is no rule `{rule}`", hint="there are " + ", ".join(RULES))
    if not front:
        raise DataError("the search has found no formula with a value at every row")
    if rule == "accurate":
        return max(front, key=lambda found: found.score.r2)
    digit = READABLE if rule == "readable" else alpha
    return max(front, key=lambda found: fitness(found.score, digit, eta))


@dataclass
class IslandState:
    """An island between two epochs.

    Attributes
    ----------
    number : int
        From 0.
    rng : tuple
        As `random.Random.getstate` gives it.
    population, kept : list of Individual
        What lives, and what no other candidate beat so far.
    evaluations : int
    """

    number: int
    rng: Any
    population: list[Individual]
    kept: list[Individual]
    evaluations: int = 0

    @classmethod
    def first(cls, seed: int, number: int) -> IslandState:
        """Island `number` of a search before its first epoch."""
        return cls(number, random.Random(f"{seed}.{number}").getstate(), [], [])

    def after(self, problem: SearchProblem, evaluations: int) -> IslandState:
        """The island after so many more candidates."""
        rng = random.Random()
        rng.setstate(self.rng)
        island = Island(problem, rng, list(self.population), MOST_TERMS[self.number])
        island.evolve(evaluations)
        kept = [replace(c) for c in best_of([*self.kept, *island.best])]  # they age no more
        tunable = [c for c in kept if has_number(c.genome)]
        chosen = sorted(tunable, key=lambda c: -c.fitness)[:POLISHED]
        nearest = sorted(tunable, key=lambda c: c.fitted.nmse)[:POLISHED]
        chosen += [candidate for candidate in nearest if candidate not in chosen]
        genomes = [polished(c, problem.training, POLISHING_STEPS) for c in chosen]
        ages = [c.age for c in chosen]
        better = weigh(genomes, ages, island.terms, problem.target, problem.weights)
        population = survivors([*island.population, *(replace(c) for c in better)])
        done = self.evaluations + island.evaluations
        return IslandState(
            self.number, rng.getstate(), population, best_of([*kept, *better]), done
        )


def has_number(genome: Genome) -> bool:
    """Whether a number stands inside a term."""
    return any([token.__class__ is float for term in genome for token in term])


def migrated(islands: Sequence[IslandState]) -> list[IslandState]:
    """Islands in a row, each with copies of the fittest of the one before it."""
    found = [islands[0]]
    for before, island in pairwise(islands):
        guests = [replace(candidate) for candidate in before.population[:MIGRANTS]]
        found.append(replace(island, population=survivors([*island.population, *guests])))
    return found


def search(
    problem: SearchProblem,
    budget: SearchBudget,
    *,
    seed: int = 0,
    jobs: int = 1,
    tolerance: float = TOLERANCE,
    progress: Callable[[SearchProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    checkpoint: Path | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SearchResult:
    """Search for formulas by genetic programming.

    Parameters
    ----------
    problem : SearchProblem
    budget : SearchBudget
    seed : int
        The same seed and `SearchBudget.max_evals` give the same result for any number of jobs.
    jobs : int
        Processes; more than there are islands (4) are of no use.
    tolerance : float
        1 - R^2 may grow by this share of itself, or to 1e-12, when constants are shortened.
    progress : callable, optional
        Is told how far it has come, after each epoch.
    cancelled : callable, optional
        Asked after each epoch whether to stop.
    checkpoint : Path, optional
        Written after each epoch; where it exists already, the search goes on from there.
    clock : callable
        Seconds since any moment.

    Raises
    ------
    DataError
        If a number is out of range, or the checkpoint is of another search or damaged.

    Notes
    -----
    Ctrl-C (KeyboardInterrupt) ends the search with what was found up to the last epoch.

    Examples
    --------
    >>> from eic_core.samples import Domain, Samples, sample_domains
    >>> from eic_core.search.problem import problem_of
    >>> wide = Domain("uniform", 1, 5)
    >>> inputs = sample_domains({"x": wide, "y": wide}, count=60).columns
    >>> samples = Samples.from_columns(inputs, target=3 * inputs["x"] / inputs["y"])
    >>> search(problem_of(samples), SearchBudget(max_evals=4000)).select().text
    '3*(x/y)'
    """
    if jobs < 1:
        raise DataError("a search needs at least one process")
    if not tolerance >= 0:
        raise DataError("the tolerance of constants must be 0 or more")
    started = clock()
    islands = [IslandState.first(seed, number) for number in range(ISLANDS)]
    if checkpoint is not None and checkpoint.exists():
        islands = read_checkpoint(checkpoint, problem, seed)
    before = sum(island.evaluations for island in islands)
    stopped = ""
    try:
        with _processes(problem, jobs) as evolve:
            while not stopped:
                shares = _shares(budget, islands)
                if not any(shares):
                    stopped = "evaluations"
                    break
                goals = [i.evaluations + share for i, share in zip(islands, shares, strict=True)]
                islands = migrated(evolve(islands, shares))
                if checkpoint is not None:
                    write_checkpoint(checkpoint, problem, seed, islands)
                now = _progress(islands, before, clock() - started)
                if progress is not None:
                    progress(now)
                if budget.enough_r2 is not None and now.best_r2 >= budget.enough_r2:
                    stopped = "enough"
                elif all(i.evaluations < goal for i, goal in zip(islands, goals, strict=True)):
                    stopped = "exhausted"
                elif budget.max_seconds is not None and now.seconds >= budget.max_seconds:
                    stopped = "time"
                elif cancelled is not None and cancelled():
                    stopped = "cancelled"
    except KeyboardInterrupt:
        stopped = "interrupted"
    kept = [candidate for island in islands for candidate in island.kept]
    front = finish(kept, problem.samples, tolerance)
    total = sum(island.evaluations for island in islands)
    return SearchResult(front, problem, total, clock() - started, stopped, seed, tolerance)


def _shares(budget: SearchBudget, islands: Sequence[IslandState]) -> list[int]:
    """How many candidates each island measures in the next epoch."""
    if budget.max_evals is None:
        return [EPOCH] * ISLANDS
    goals = [budget.max_evals // ISLANDS + (i < budget.max_evals % ISLANDS) for i in range(ISLANDS)]
    return [
        max(0, min(EPOCH, goal - island.evaluations))
        for goal, island in zip(goals, islands, strict=True)
    ]


def _progress(islands: Sequence[IslandState], before: int, seconds: float) -> SearchProgress:
    kept = best_of([candidate for island in islands for candidate in island.kept])
    total = sum(island.evaluations for island in islands)
    least = min((candidate.fitted.nmse for candidate in kept), default=math.inf)
    return SearchProgress(
        total, seconds, (total - before) / max(seconds, 1e-9), 1 - least, len(kept)
    )


Evolve = Callable[[Sequence[IslandState], Sequence[int]], list[IslandState]]

_PROBLEM: list[SearchProblem] = []
"""What a worker process works on."""


@contextmanager
def _processes(problem: SearchProblem, jobs: int) -> Iterator[Evolve]:
    """Something that evolves islands, in so many processes."""
    if jobs == 1:
        yield lambda islands, shares: [
            island.after(problem, share) if share else island
            for island, share in zip(islands, shares, strict=True)
        ]
        return
    from concurrent.futures import ProcessPoolExecutor  # takes a while

    with ProcessPoolExecutor(
        max_workers=min(jobs, ISLANDS), initializer=_prepare, initargs=(sent(problem),)
    ) as executor:

        def evolve(islands: Sequence[IslandState], shares: Sequence[int]) -> list[IslandState]:
            return list(executor.map(_after, islands, shares))

        yield evolve


def sent(problem: SearchProblem) -> dict[str, Any]:
    """A problem as another process can be given it."""
    samples = problem.samples
    return {
        "columns": dict(samples.columns), "target": samples.target,
        "vocabulary": problem.vocabulary, "alpha": problem.alpha, "eta": problem.eta,
        "penalty": problem.penalty,
    }  # fmt: skip


def received(document: Mapping[str, Any]) -> SearchProblem:
    """The problem that was `sent`."""
    settings = dict(document)
    samples = Samples.from_columns(settings.pop("columns"), target=settings.pop("target"))
    return SearchProblem(samples, **settings)


def _prepare(document: Mapping[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _PROBLEM[:] = [received(document)]


def _after(island: IslandState, share: int) -> IslandState:
    return island.after(_PROBLEM[0], share) if share else island


def _settings(problem: SearchProblem, seed: int) -> dict[str, Any]:
    """What must be the same for a search to go on."""
    vocabulary = problem.vocabulary
    return {
        "data": problem.samples.digest(), "variables": list(vocabulary.variables),
        "operators": list(vocabulary.steps), "max_complexity": vocabulary.most_nodes,
        "max_terms": list(MOST_TERMS), "constants": vocabulary.constants,
        "alpha": problem.alpha, "eta": problem.eta, "penalty": problem.penalty, "seed": seed,
        "epoch": EPOCH,
    }  # fmt: skip


def write_checkpoint(
    path: Path, problem: SearchProblem, seed: int, islands: Iterable[IslandState]
) -> None:
    """Write a search between two epochs, whole or not at all.

    Parameters
    ----------
    path : Path
    problem : SearchProblem
    seed : int
    islands : iterable of IslandState

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    document = {
        "format": FORMAT,
        "settings": _settings(problem, seed),
        "islands": [
            {
                "rng": island.rng,
                "evaluations": island.evaluations,
                "population": [_candidate_document(c) for c in island.population],
                "kept": [_candidate_document(c) for c in island.kept],
            }
            for island in islands
        ],
    }
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def read_checkpoint(path: Path, problem: SearchProblem, seed: int) -> list[IslandState]:
    """The islands of a search that was stopped.

    Parameters
    ----------
    path : Path
        As `write_checkpoint` wrote it.
    problem : SearchProblem
    seed : int

    Raises
    ------
    DataError
        If it cannot be read, is damaged, or is of another search.
    """
    damaged = DataError(f"{path} is no checkpoint of a search, or is damaged")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version, settings = document["format"], document["settings"]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged from None
    expected = _settings(problem, seed)
    if version != FORMAT:
        raise DataError(f"{path} was written by another version")
    if settings != expected:
        other = [key for key in expected if settings.get(key) != expected[key]]
        raise DataError(
            f"{path} is of another search: it differs in {', '.join(other) or 'its settings'}",
            hint="give another file, or remove this one to begin anew",
        )
    try:
        islands = [_island(i, island, problem) for i, island in enumerate(document["islands"])]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise damaged from None
    if len(islands) != ISLANDS:
        raise damaged
    return islands


def _island(number: int, document: Mapping[str, Any], problem: SearchProblem) -> IslandState:
    version, numbers, gauss = document["rng"]
    rng = random.Random()
    rng.setstate((version, tuple(numbers), gauss))  # refuses what is no state
    evaluations = document["evaluations"]
    if not isinstance(evaluations, int) or evaluations < 0:
        raise ValueError(evaluations)
    population, kept = (
        [_candidate(c, problem) for c in document[part]] for part in ("population", "kept")
    )
    return IslandState(number, rng.getstate(), population, kept, evaluations)


def _candidate_document(candidate: Individual) -> list[Any]:
    fitted = candidate.fitted
    return [
        candidate.genome, fitted.coefficients, fitted.intercept, fitted.nmse, candidate.nodes,
        candidate.digits, candidate.fitness, candidate.age,
    ]  # fmt: skip


def _candidate(document: Sequence[Any], problem: SearchProblem) -> Individual:
    genome, coefficients, intercept, nmse, nodes, digits, worth, age = document
    terms = tuple([_term(term, problem) for term in genome])
    numbers = [float(c) for c in coefficients]
    if not terms or len(numbers) != len(terms):
        raise ValueError("a candidate has a coefficient for each term")
    fitted = Fitted(tuple(numbers), float(intercept), float(nmse))
    whole = Individual(terms, fitted, int(nodes), float(digits), float(worth), int(age))
    if not all(map(math.isfinite, [*numbers, fitted.intercept, fitted.nmse, whole.digits, worth])):
        raise ValueError("a number of a candidate is not finite")
    return whole


def _term(tokens: Sequence[Any], problem: SearchProblem) -> Term:
    """A term of a file, if it is one."""
    found: list[float | str] = []
    height = 0
    for token in tokens:
        if token in problem.vocabulary.leaves or isinstance(token, float) and math.isfinite(token):
            height += 1
        elif isinstance(token, str) and token in STEPS and height >= ARITY[token]:
            height += 1 - ARITY[token]
        else:
            raise ValueError(token)
        found.append(token)
    if height != 1:
        raise ValueError("a term has one value")
    return tuple(found)
