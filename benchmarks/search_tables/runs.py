"""Searches, one after the other or in processes, each written to a file as it ends.

A run that is in the file is not made again; one that was made by other code is not taken.
"""

from __future__ import annotations

import csv
import hashlib
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

import eic_core
from benchmarks.search_tables.breaking import digits_needed, nested, r2_of, single_error
from benchmarks.search_tables.material import Split
from eic_core.explain.robustness import r2_in_float32, r2_with_digits
from eic_core.formula.tree import Formula
from eic_core.pool.scoring import measure_formula
from eic_core.search import SearchBudget, problem_of, search
from eic_core.search.run import TOLERANCE, SearchResult

ROOT = Path(eic_core.__file__).resolve().parent
MAKERS = ("search", "engine")
"""The rooms that decide what a search finds."""


class Method(NamedTuple):
    """A way to search: its name in tables, `search`'s method, and what a digit costs."""

    label: str
    search: str
    alpha: float


METHODS = {
    "gp": Method("GP", "gp", 0.0),
    "eic-gp": Method("EIC-GP, .002", "gp", 0.002),
    "eic-gp-01": Method("EIC-GP, .01", "gp", 0.01),
    "mcts": Method("MCTS", "mcts", 0.0),
    "eic-mcts": Method("EIC-MCTS, .01", "mcts", 0.01),
}

PICKED_AGAIN = {"gp": "gp-picked", "mcts": "mcts-picked"}
"""A finished search without EIC, of which the formula to take is chosen with a digit at .01."""


@dataclass(frozen=True)
class Row:
    """A run, and what its formula is worth: a row of the file.

    Attributes
    ----------
    part : {"laws", "real"}
    problem : str
    noise : float
    seed : int
        Of the rows and of the search.
    method : str
        A key of `METHODS`, a value of `PICKED_AGAIN`, or a peer.
    evaluations : int
    rows : int
        Of both parts of the split.
    tolerance : float
        With which constants were shortened.
    made_by : str
        The code that searched.
    seconds : float
        Of the processor.
    formula : str
        Empty if none was found.
    nodes : int
    eic, eic_held_out : float
        On all rows and on those held out, without singular samples.
    singular : int
        Samples of all rows at which a step keeps no digit.
    r2_training, r2_held_out, r2 : float
        The last on all rows.
    r2_short, r2_single : float
        On all rows, with constants of four digits and in single precision.
    digits_needed : int
        The fewest digits of constants that keep R^2.
    single_error : float
        log10 of the error of single precision by the target's standard deviation.
    nested : int
        Transcendental functions inside others.
    """

    part: str
    problem: str
    noise: float
    seed: int
    method: str
    evaluations: int
    rows: int
    tolerance: float
    made_by: str
    seconds: float
    formula: str = ""
    nodes: int = 0
    eic: float = math.nan
    eic_held_out: float = math.nan
    singular: int = 0
    r2_training: float = math.nan
    r2_held_out: float = math.nan
    r2: float = math.nan
    r2_short: float = math.nan
    r2_single: float = math.nan
    digits_needed: int = 0
    single_error: float = math.nan
    nested: int = 0


TYPES = {"int": int, "float": float, "str": str}
NAMES = [field.name for field in fields(Row)]


@dataclass(frozen=True)
class Task:
    """A search to make.

    Attributes
    ----------
    part, problem, noise, seed, method, evaluations, rows
        As `Row` has them.
    tolerances : tuple of float
        Constants are shortened by each in turn; the search is the same.
    """

    part: str
    problem: str
    noise: float
    seed: int
    method: str
    evaluations: int
    rows: int
    tolerances: tuple[float, ...] = (TOLERANCE,)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it apart in the file."""
        return astuple(self)[:7]


@cache
def maker() -> str:
    """Eight hex digits of the code that searches."""
    digest = hashlib.sha256()
    for room in MAKERS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".py", ".c", ".h"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def made(task: Task, split: Split) -> list[Row]:
    """Search, and measure what is taken."""
    method = METHODS[task.method]
    problem = problem_of(split.training, alpha=method.alpha, method=method.search)
    budget = SearchBudget(max_evals=task.evaluations)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        # the second time, the search has nothing left to do but to write its formulas
        file = Path(folder) / "search.json" if len(task.tolerances) > 1 else None
        seconds = math.nan
        for tolerance in task.tolerances:
            started = time.process_time()
            found = search(problem, budget, seed=task.seed, tolerance=tolerance, checkpoint=file)
            if math.isnan(seconds):
                seconds = time.process_time() - started
            rows += _rows(task, split, found, seconds)
    return rows


def _rows(task: Task, split: Split, found: SearchResult, seconds: float) -> Iterator[Row]:
    """The formula of the search, and the one that is picked again where that was without EIC."""
    taken = {task.method: "fitness"}
    if task.method in PICKED_AGAIN:
        taken[PICKED_AGAIN[task.method]] = "readable"
    for method, rule in taken.items():
        row = Row(
            task.part,
            task.problem,
            task.noise,
            task.seed,
            method,
            task.evaluations,
            task.rows,
            found.tolerance,
            maker(),
            seconds,
        )
        if found.front:
            chosen = found.select(rule)
            row = measured(row, chosen.text, chosen.formula, split)
        yield row


def measured(row: Row, text: str, formula: Formula, split: Split) -> Row:
    """A row with all that is measured of its formula.

    Parameters
    ----------
    row : Row
        Of the run alone.
    text : str
        As it was printed.
    formula : Formula
        As it was read.
    split : Split
    """
    score = measure_formula(formula, split.whole)
    beside = measure_formula(formula, split.held_out)
    return Row(
        *astuple(row)[: NAMES.index("formula")],
        text,
        formula.complexity,
        score.eic_finite,
        beside.eic_finite,
        score.singular,
        r2_of(formula, split.training),
        beside.r2,
        score.r2,
        r2_with_digits(formula, split.whole),
        r2_in_float32(formula, split.whole),
        digits_needed(formula, split.whole),
        single_error(formula, split.whole),
        nested(formula),
    )


class Results:
    """The file of rows, read once and appended to.

    Parameters
    ----------
    path : Path
    any_maker : bool
        Whether to take what other code has made, too.
    """

    def __init__(self, path: Path, *, any_maker: bool = False) -> None:
        self.path = path
        self.rows: list[Row] = []
        self.foreign = 0
        if not path.is_file():
            return
        with path.open(encoding="utf-8", newline="") as file:
            for cells in csv.DictReader(file):
                if None in cells.values():  # a line that was cut off
                    continue
                row = Row(*[TYPES[str(f.type)](cells[f.name]) for f in fields(Row)])
                if any_maker or row.made_by == maker():
                    self.rows.append(row)
                else:
                    self.foreign += 1

    def done(self) -> set[tuple[object, ...]]:
        """The runs that are there."""
        return {astuple(row)[:7] for row in self.rows}

    def add(self, rows: Sequence[Row]) -> None:
        """Append the rows of one run."""
        new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = "" if not new else ",".join(NAMES) + "\n"
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)
            csv.writer(file, lineterminator="\n").writerows(astuple(row) for row in rows)
        self.rows += rows


Make = Callable[[Any], list[Row]]


def make_all(tasks: Sequence[Any], make: Make, results: Results, jobs: int) -> None:
    """Make the runs that are not there yet.

    Parameters
    ----------
    tasks : sequence of Task
        Or of anything with its `key`.
    make : callable (task) -> list of Row
        At the top of a module, for other processes.
    results : Results
    jobs : int
        Processes.
    """
    done = results.done()
    left = [task for task in tasks if task.key not in done]
    if not left:
        return
    started = time.monotonic()
    for count, rows in enumerate(_each(left, make, jobs), 1):
        results.add(rows)
        each = (time.monotonic() - started) / count
        print(
            f"\r{count:,} of {len(left):,} runs; {each * (len(left) - count) / 60:.1f} minutes "
            "to go    ",
            end="",
            file=sys.stderr,
            flush=True,
        )
    print(file=sys.stderr)


def _each(tasks: Sequence[Any], make: Make, jobs: int) -> Iterable[list[Row]]:
    if jobs == 1:
        yield from starmap(make, ((task,) for task in tasks))
        return
    with ProcessPoolExecutor(max_workers=jobs) as executor:
        waiting = [executor.submit(make, task) for task in tasks]
        try:
            for future in as_completed(waiting):
                yield future.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
