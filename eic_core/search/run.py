"""A search: islands of genetic programming, or trees, that grow side by side in epochs.

Their number and the length of an epoch are fixed, and an epoch is a function of an island's state
alone; so the same seed gives the same result in any number of processes, and a run that was stopped
goes on from its file as if it had not been.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eic_core.errors import DataError
from eic_core.exports import Plain
from eic_core.pool.picking import READABLE, fitness
from eic_core.samples import Samples
from eic_core.search.checkpoint import read_checkpoint, write_checkpoint
from eic_core.search.genetic import IslandState
from eic_core.search.keeping import Found, best_of, finish
from eic_core.search.problem import ETA, ISLANDS, MOST_TERMS, SearchProblem
from eic_core.search.tree_search import TreeState

EPOCH = 5_000
"""Candidates that an island measures between two migrations."""

TOLERANCE = 1e-3
"""Printing constants short may raise 1 - R^2 by this share of itself."""

State = IslandState | TreeState

METHODS: Mapping[str, Any] = {"gp": IslandState, "mcts": TreeState}
"""What an island is between two epochs, by the method."""

RULES = ("fitness", "readable", "accurate")
"""Ways to choose from a front: the fitness that was searched for, the same with a digit at .01, and
R^2 alone."""


@dataclass(frozen=True)
class SearchBudget:
    """When a search ends; the first that is met."""

    # Distinct candidates that are measured, of all islands; repeatable
    max_evals: int | None = None
    max_seconds: float | None = None  # Looked at between epochs
    enough_r2: float | None = None  # R^2 on the training rows

    def __post_init__(self) -> None:
        if self.max_evals is None and self.max_seconds is None:
            raise DataError("a search needs an end", hint="give a number of candidates or a time")
        if self.max_evals is not None and self.max_evals < ISLANDS:
            raise DataError(f"a search measures at least {ISLANDS} candidates")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise DataError("the time of a search must be above 0")


@dataclass(frozen=True)
class SearchProgress:
    """How far a search has come."""

    evaluations: int
    seconds: float  # Since this run began
    rate: float  # Candidates a second in this run
    best_r2: float  # On the training rows
    front: int  # Formulas on the front


@dataclass(frozen=True)
class SearchResult(Plain):
    """What a search found.

    Attributes
    ----------
    front
        What no other beats in R^2, nodes and EIC on all rows; the shortest first.
    problem
    evaluations
        Distinct candidates that were measured.
    seconds
        Of this run.
    stopped
        What ended it; exhausted is what can be built, where that is little. {"evaluations",
        "time", "enough", "exhausted", "interrupted", "cancelled"}.
    seed
    tolerance
        1 - R^2 may have grown by this share of itself when constants were shortened.
    islands
        What a further search goes on from.
    """

    front: tuple[Found, ...]
    problem: SearchProblem
    evaluations: int
    seconds: float
    stopped: str
    seed: int
    tolerance: float
    islands: tuple[State, ...] = ()

    _JSON = (
        "evaluations",
        "seconds",
        "stopped",
        "seed",
        "tolerance",
        "method=problem.method",
        "alpha=problem.weights.alpha",
        ("best", lambda result: result.select() if result.front else None),
        "front",
    )

    def select(self, rule: str = "fitness") -> Found:
        """The formula to take.

        Parameters
        ----------
        rule
            By the fitness that was searched for, by the same with a digit at 0.01, or by R^2
            alone. {"fitness", "readable", "accurate"}.

        Returns
        -------
        Found

        Raises
        ------
        DataError
            If nothing was found, or there is no such rule.
        """
        return choose(self.front, rule, self.problem.weights.alpha, self.problem.eta)


def choose(front: Sequence[Found], rule: str, alpha: float, eta: float = ETA) -> Found:
    """The formula of a front to take.

    - `rule`, {"fitness", "readable", "accurate"}: as `SearchResult.select` has it.
    - `alpha`, `eta`: what a digit and a node cost by the first rule, and a node by the second.

    Raises `DataError` if the front is empty, or there is no such rule.
    """
    if rule not in RULES:
        raise DataError(f"there is no rule `{rule}`", hint="there are " + ", ".join(RULES))
    if not front:
        raise DataError("the search has found no formula with a value at every row")
    if rule == "accurate":
        return max(front, key=lambda found: found.score.r2)
    digit = READABLE if rule == "readable" else alpha
    return max(front, key=lambda found: fitness(found.score, digit, eta))


def search(
    problem: SearchProblem,
    budget: SearchBudget,
    *,
    method: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    tolerance: float = TOLERANCE,
    progress: Callable[[SearchProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    checkpoint: Path | None = None,
    islands: Sequence[State] = (),
    clock: Callable[[], float] = time.monotonic,
) -> SearchResult:
    """Search for formulas.

    Parameters
    ----------
    problem
    budget
    method
        Genetic programming or Monte-Carlo tree search; by default the problem's. {"gp",
        "mcts"}, optional.
    seed
        The same seed and `SearchBudget.max_evals` give the same result for any number of jobs.
    jobs
        Processes; more than there are islands (4) are of no use.
    tolerance
        1 - R^2 may grow by this share of itself, or to 1e-12, when constants are shortened.
    progress
        Is told how far it has come, after each epoch.
    cancelled
        Asked after each epoch whether to stop.
    checkpoint
        Written after each epoch; where it exists already, the search goes on from there.
    islands
        `SearchResult.islands` of a search of the same problem, to go on from.
    clock
        Seconds since any moment.

    Returns
    -------
    SearchResult

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
        raise DataError("a search needs at least one process", hint=f"give 1 to {ISLANDS}")
    if not tolerance >= 0:
        raise DataError("the tolerance of constants must be 0 or more")
    started = clock()
    problem = problem if method is None else replace(problem, method=method)
    kind = METHODS[problem.method]
    islands = list[State](islands) or [kind.first(seed, number) for number in range(ISLANDS)]
    settings = settings_of(problem, seed)
    if checkpoint is not None and checkpoint.exists():
        islands = read_checkpoint(
            checkpoint, settings, lambda number, document: kind.read(number, document, problem)
        )
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
                islands = kind.migrated(evolve(islands, shares))
                if checkpoint is not None:
                    write_checkpoint(checkpoint, settings, [i.document() for i in islands])
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
    return SearchResult(
        front, problem, total, clock() - started, stopped, seed, tolerance, tuple(islands)
    )


def _shares(budget: SearchBudget, islands: Sequence[State]) -> list[int]:
    """How many candidates each island measures in the next epoch."""
    if budget.max_evals is None:
        return [EPOCH] * ISLANDS
    goals = [budget.max_evals // ISLANDS + (i < budget.max_evals % ISLANDS) for i in range(ISLANDS)]
    return [
        max(0, min(EPOCH, goal - island.evaluations))
        for goal, island in zip(goals, islands, strict=True)
    ]


def _progress(islands: Sequence[State], before: int, seconds: float) -> SearchProgress:
    kept = best_of([candidate for island in islands for candidate in island.kept])
    total = sum(island.evaluations for island in islands)
    least = min((candidate.fitted.nmse for candidate in kept), default=math.inf)
    return SearchProgress(
        total, seconds, (total - before) / max(seconds, 1e-9), 1 - least, len(kept)
    )


Evolve = Callable[[Sequence[State], Sequence[int]], list[State]]

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

        def evolve(islands: Sequence[State], shares: Sequence[int]) -> list[State]:
            return list(executor.map(_after, islands, shares))

        yield evolve


def sent(problem: SearchProblem) -> dict[str, Any]:
    """A problem as another process can be given it."""
    samples = problem.samples
    return {
        "columns": dict(samples.columns),
        "target": samples.target,
        "vocabulary": problem.vocabulary,
        "alpha": problem.alpha,
        "eta": problem.eta,
        "penalty": problem.penalty,
        "method": problem.method,
    }


def received(document: Mapping[str, Any]) -> SearchProblem:
    """The problem that was `sent`."""
    settings = dict(document)
    samples = Samples.from_columns(settings.pop("columns"), target=settings.pop("target"))
    return SearchProblem(samples, **settings)


def _prepare(document: Mapping[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _PROBLEM[:] = [received(document)]


def _after(island: State, share: int) -> State:
    return island.after(_PROBLEM[0], share) if share else island


def settings_of(problem: SearchProblem, seed: int) -> dict[str, Any]:
    """What must be the same for a search to go on."""
    vocabulary = problem.vocabulary
    return {
        "method": problem.method,
        "data": problem.samples.digest(),
        "variables": list(vocabulary.variables),
        "operators": list(vocabulary.steps),
        "max_complexity": vocabulary.most_nodes,
        "max_terms": list(MOST_TERMS),
        "constants": vocabulary.constants,
        "alpha": problem.weights.alpha,
        "eta": problem.eta,
        "penalty": problem.penalty,
        "seed": seed,
        "epoch": EPOCH,
    }
