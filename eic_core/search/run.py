"""A search: islands of genetic programming, or trees, side by side in epochs."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eic_core.errors import DataError, require
from eic_core.exports import Plain
from eic_core.pool.picking import READABLE, fitness
from eic_core.samples import Samples
from eic_core.search.checkpoint import read_checkpoint, write_checkpoint
from eic_core.search.genetic import IslandState
from eic_core.search.keeping import FrontFormula, best_of, finish
from eic_core.search.problem import ETA, ISLANDS, MOST_TERMS, SearchProblem
from eic_core.search.tree_search import TreeState

EPOCH = 5_000
"""Candidates that an island measures between two migrations."""

TOLERANCE = 1e-3
"""Shortening constants may raise 1 - R^2 by this share of itself."""

# An epoch is a function of an island's state alone, and the number of islands and the length of an
# epoch are fixed: so the number of processes and a stop change nothing.
State = IslandState | TreeState

METHODS: Mapping[str, Any] = {"gp": IslandState, "mcts": TreeState}
"""The state of an island between two epochs, by method."""

RULES = ("fitness", "readable", "accurate")
"""Ways to choose from a front: by the fitness, the same with a digit at 0.01, or R^2 alone."""


@dataclass(frozen=True)
class SearchBudget:
    """The ends of a search; the first that is reached counts."""

    max_evals: int | None = None  # Distinct candidates of all islands; the only repeatable end
    max_seconds: float | None = None  # Checked between epochs
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
    evaluations: int
    seconds: float  # Seconds that this run has taken
    rate: float  # Candidates a second, in this run
    best_r2: float  # On the training rows
    front: int  # Formulas on the front


@dataclass(frozen=True)
class SearchResult(Plain):
    """The result of a search.

    Attributes
    ----------
    front
        Formulas that no other beats in R^2, nodes and EIC on all rows; the shortest first.
    problem
        With the samples.
    evaluations
        Distinct candidates that were measured.
    seconds
        Of this run.
    stopped
        The reason for the end; "exhausted" if nothing new could be built. {"evaluations", "time",
        "enough", "exhausted", "interrupted", "cancelled"}.
    seed
        Of the islands.
    tolerance
        The share of itself by which 1 - R^2 may have grown when constants were shortened.
    islands
        The states from which a further search goes on.
    """

    front: tuple[FrontFormula, ...]
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

    def select(self, rule: str = "fitness") -> FrontFormula:
        """The best formula of the front by a rule.

        Parameters
        ----------
        rule
            The fitness of the search, the same with a digit at 0.01, or R^2 alone. {"fitness",
            "readable", "accurate"}.

        Returns
        -------
        FrontFormula
            One of `front`.

        Raises
        ------
        DataError
            If nothing was found, or there is no such rule.
        """
        return choose(self.front, rule, self.problem.weights.alpha, self.problem.eta)


def choose(
    front: Sequence[FrontFormula], rule: str, alpha: float, eta: float = ETA
) -> FrontFormula:
    """The best formula of a front by one of `RULES`; DataError if there is none."""
    if rule not in RULES:
        raise DataError(f"there is no rule `{rule}`", hint="there are " + ", ".join(RULES))
    if not front:
        raise DataError("the search has found no formula with a value at every row")
    if rule == "accurate":
        return max(front, key=lambda entry: entry.score.r2)
    digit = READABLE if rule == "readable" else alpha
    return max(front, key=lambda entry: fitness(entry.score, digit, eta))


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
        The data and settings.
    budget
        The ends of the search.
    method
        Genetic programming or Monte-Carlo tree search; by default the problem's. {"gp", "mcts"}.
    seed
        The same seed and `SearchBudget.max_evals` give the same result for any number of jobs.
    jobs
        Processes, at most one for each of the 4 islands.
    tolerance
        1 - R^2 may grow by this share of itself, or to 1e-12, when constants are shortened.
    progress
        Called after each epoch.
    cancelled
        Called after each epoch; True ends the search.
    checkpoint
        Written after each epoch; if it exists, the search goes on from there.
    islands
        `SearchResult.islands` of a search of the same problem, to go on from.
    clock
        Seconds since any moment.

    Returns
    -------
    SearchResult
        After Ctrl-C, too: the result of all whole epochs.

    Raises
    ------
    DataError
        If a number is out of range, or the checkpoint is of another search or damaged.

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
    require(problem, SearchProblem)
    require(budget, SearchBudget)
    if jobs < 1:
        raise DataError("a search needs at least one process", hint=f"give 1 to {ISLANDS}")
    if not tolerance >= 0:
        raise DataError("the tolerance of constants must be 0 or more")
    started = clock()
    problem = problem if method is None else replace(problem, method=method)
    state_type = METHODS[problem.method]
    islands = list[State](islands) or [state_type.first(seed, number) for number in range(ISLANDS)]
    settings = settings_of(problem, seed)
    if checkpoint is not None and checkpoint.exists():
        islands = read_checkpoint(
            checkpoint,
            settings,
            lambda number, document: state_type.read(number, document, problem),
        )
    # the rate is of this run: a checkpoint brings evaluations along
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
                islands = state_type.migrated(evolve(islands, shares))
                if checkpoint is not None:
                    write_checkpoint(checkpoint, settings, [i.document() for i in islands])
                now = _progress(islands, before, clock() - started)
                if progress is not None:
                    progress(now)
                # an island that measured fewer than its share can build nothing new
                idle = all(i.evaluations < goal for i, goal in zip(islands, goals, strict=True))
                stopped = _reached_end(budget, now, idle)
                if not stopped and cancelled is not None and cancelled():
                    stopped = "cancelled"
    except KeyboardInterrupt:
        stopped = "interrupted"
    candidates = [candidate for island in islands for candidate in island.best]
    front = finish(candidates, problem.samples, tolerance)
    total = sum(island.evaluations for island in islands)
    return SearchResult(
        front, problem, total, clock() - started, stopped, seed, tolerance, tuple(islands)
    )


def _reached_end(budget: SearchBudget, now: SearchProgress, idle: bool) -> str:
    if budget.enough_r2 is not None and now.best_r2 >= budget.enough_r2:
        return "enough"
    if idle:
        return "exhausted"
    out_of_time = budget.max_seconds is not None and now.seconds >= budget.max_seconds
    return "time" if out_of_time else ""


def _shares(budget: SearchBudget, islands: Sequence[State]) -> list[int]:
    if budget.max_evals is None:
        return [EPOCH] * ISLANDS
    goals = [budget.max_evals // ISLANDS + (i < budget.max_evals % ISLANDS) for i in range(ISLANDS)]
    return [
        max(0, min(EPOCH, goal - island.evaluations))
        for goal, island in zip(goals, islands, strict=True)
    ]


def _progress(islands: Sequence[State], before: int, seconds: float) -> SearchProgress:
    front = best_of([candidate for island in islands for candidate in island.best])
    total = sum(island.evaluations for island in islands)
    least = min((candidate.fitted.nmse for candidate in front), default=math.inf)
    return SearchProgress(
        total, seconds, (total - before) / max(seconds, 1e-9), 1 - least, len(front)
    )


Evolve = Callable[[Sequence[State], Sequence[int]], list[State]]

_PROBLEM: list[SearchProblem] = []
"""The problem of a worker process."""


@contextmanager
def _processes(problem: SearchProblem, jobs: int) -> Iterator[Evolve]:
    if jobs == 1:
        yield lambda islands, shares: [
            island.after(problem, share) if share else island
            for island, share in zip(islands, shares, strict=True)
        ]
        return
    from concurrent.futures import ProcessPoolExecutor  # takes a while

    with ProcessPoolExecutor(
        max_workers=min(jobs, ISLANDS), initializer=_prepare, initargs=(problem_document(problem),)
    ) as executor:

        def evolve(islands: Sequence[State], shares: Sequence[int]) -> list[State]:
            return list(executor.map(_after, islands, shares))

        yield evolve


def problem_document(problem: SearchProblem) -> dict[str, Any]:
    """A problem as it is passed to another process."""
    return {
        "columns": dict(problem.samples.columns),
        "target": problem.samples.target,
        "vocabulary": problem.vocabulary,
        "alpha": problem.alpha,
        "eta": problem.eta,
        "penalty": problem.penalty,
        "method": problem.method,
    }


def problem_in(document: Mapping[str, Any]) -> SearchProblem:
    settings = dict(document)
    samples = Samples.from_columns(settings.pop("columns"), target=settings.pop("target"))
    return SearchProblem(samples, **settings)


def _prepare(document: Mapping[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _PROBLEM[:] = [problem_in(document)]


def _after(island: State, share: int) -> State:
    return island.after(_PROBLEM[0], share) if share else island


def settings_of(problem: SearchProblem, seed: int) -> dict[str, Any]:
    """The settings that must be the same for a search to go on."""
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
