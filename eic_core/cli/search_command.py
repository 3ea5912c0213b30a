"""`python -m eic_core search DATA.csv`: from a table to formulas that keep their digits."""

from __future__ import annotations

import sys

from eic_core import wording
from eic_core.cli.arguments import JSON, SEED, STRICT, TARGET, read_data, whole_number
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.exits import refuse_unwritable, write_out
from eic_core.cli.progress import ProgressLine
from eic_core.errors import DataError
from eic_core.exports import csv_text
from eic_core.measure.table import Table
from eic_core.samples import Samples
from eic_core.search.measuring import PENALTIES
from eic_core.search.problem import ALPHAS, ISLANDS, problem_of, samples_to_search, variable_names
from eic_core.search.run import (
    TOLERANCE,
    SearchBudget,
    SearchProgress,
    SearchResult,
    search,
)
from eic_core.search.vocabulary import DEFAULT_STEPS, STEPS

METHODS = {"gp": "GP", "mcts": "MCTS"}
"""Values of `--method`, and their names in a pool, after `EIC-` where a digit costs."""

COLUMNS = (
    "problem",
    "method",
    "formula",
    "syntax",
    "complexity",
    "r2",
    "eic",
    "eic_finite",
    "loss",
    "digits_needed",
    "seed",
    "alpha",
    "evaluations",
    "best",
)

STOPPED = {
    "evaluations": "all candidates measured",
    "time": "the time is up",
    "enough": "R² is enough",
    "exhausted": "nothing else can be built",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
}


def run(options: Options) -> None:
    refuse_unwritable(options.out)
    table = read_data(options.data)
    samples = samples_to_search(table, options.target or table.names[-1])
    dropped = _rows_left_out(table, samples)
    if dropped:
        print(dropped, file=sys.stderr)
    inputs = [name for name in table.names if name != samples.target_name]
    renamed = [
        f"{x} = {name}" for x, name in zip(variable_names(inputs), inputs, strict=True) if x != name
    ]
    if renamed:
        print(f"in formulas: {', '.join(renamed)}", file=sys.stderr)
    problem = problem_of(
        samples,
        alpha=options.alpha,
        penalty=options.penalty,
        method=options.method,
        max_complexity=options.max_complexity,
        operators=[name.strip() for name in options.operators.split(",") if name.strip()],
    )
    minutes = options.minutes
    if minutes is None and options.max_evals is None:
        minutes = 1.0
    seconds = None if minutes is None else 60 * minutes
    budget = SearchBudget(options.max_evals, seconds, options.enough)
    line = ProgressLine()
    rate = 0.0

    def progress(now: SearchProgress) -> None:
        nonlocal rate
        rate = now.rate
        line.show(
            f"{now.evaluations:,} candidates, {now.rate:,.0f} a second; "
            f"best R² {wording.r_squared(now.best_r2)}; {wording.count(now.front, 'formula')} kept"
        )

    result = search(
        problem,
        budget,
        seed=options.seed,
        jobs=options.jobs,
        tolerance=options.tolerance,
        progress=progress,
        checkpoint=options.checkpoint,
    )
    line.end()
    if not result.front:
        raise DataError("no formula with a value at every row was found", hint="search for longer")
    if options.out is not None or not options.json:
        write_out(pool_text(result, options.data.stem), options.out)
    show(options, lambda: (), lambda: result.to_json() | {"target": samples.target_name})
    print(*_summary(result, rate), sep="\n", file=sys.stderr)
    if options.strict and dropped:
        raise DataError(dropped, hint="--strict takes no result without them")


def _rows_left_out(table: Table, samples: Samples) -> str:
    """The rows of a table that no formula is measured on, each with its first empty cell."""
    assert samples.rows is not None
    measured = set(samples.rows.tolist())
    cells = {p.row: str(p) for p in reversed(table.problems) if p.row not in measured}
    count = table.rows - len(measured)
    if not count:
        return ""
    first = [cells[row] for row in sorted(cells)[:_MOST_NAMED]]
    if count > len(first):
        first.append(f"{count - len(first):,} more")
    return f"left out: {count:,} of {wording.count(table.rows, 'row')} ({'; '.join(first)})"


_MOST_NAMED = 5
"""Rows that are named with their empty cell."""


def pool_text(result: SearchResult, problem: str) -> str:
    """A search's front as a pool; `problem` is the stem of the table's file."""
    best, alpha = result.select(), result.problem.weights.alpha
    method = ("EIC-" if alpha else "") + METHODS[result.problem.method]
    return csv_text(
        COLUMNS,
        [
            (
                problem,
                method,
                entry.text,
                "infix",
                entry.formula.complexity,
                repr(entry.score.r2),
                repr(entry.score.eic),
                repr(entry.score.eic_finite),
                repr(entry.loss),
                entry.digits_needed,
                result.seed,
                repr(alpha),
                result.evaluations,
                int(entry is best),
            )
            for entry in result.front
        ],
    )


def _summary(result: SearchResult, rate: float) -> list[str]:
    best = result.select()
    constants = "no constants"
    if best.digits_needed:
        constants = f"constants of at most {wording.count(best.digits_needed, 'digit')}"
    return [
        f"{result.evaluations:,} candidates in {result.seconds:.1f} s ({rate:,.0f} a second); "
        f"{STOPPED[result.stopped]}; {wording.count(len(result.front), 'formula')} on the front",
        f"take: {best.text}",
        f"  R² {wording.r_squared(best.score.r2)}, "
        f"{wording.count(best.formula.complexity, 'node')}, "
        f"EIC {wording.number(best.score.eic_finite)}, " + constants,
    ]


COMMAND = Command(
    "search",
    "search for formulas that explain a column and keep their digits",
    (
        OptionRow("data", "DATA.csv", "a table with a header"),
        TARGET,
        OptionRow(
            "--method",
            help="genetic programming or Monte-Carlo tree search",
            default="gp",
            choices=METHODS,
        ),
        OptionRow(
            "--alpha",
            "A",
            "what a digit costs; 0.01 for formulas to read, 0 for no cost; default: "
            + ", ".join(f"{alpha:g} for {method}" for method, alpha in ALPHAS.items()),
            kind=float,
        ),
        OptionRow(
            "--penalty",
            help="what stands for a step's amplification while searching: its 90% quantile over "
            "rows, or its root mean square as in EIC",
            default="q90",
            choices=PENALTIES,
        ),
        OptionRow(
            "--max-evals",
            "N",
            "candidates to measure, as in 1e5; the same seed then gives the same formulas",
            kind=whole_number,
        ),
        OptionRow("--minutes", "M", "time to search; default, without --max-evals: 1", kind=float),
        OptionRow("--enough", "R2", "stop at this R²", kind=float),
        SEED,
        OptionRow("--jobs", "J", f"worker processes, up to {ISLANDS}", default=1),
        OptionRow(
            "--operators",
            "NAMES",
            f"with commas between; there are {', '.join(STEPS)}",
            default=",".join(DEFAULT_STEPS),
        ),
        OptionRow("--max-complexity", "NODES", default=40),
        OptionRow(
            "--tolerance",
            "SHARE",
            "1 - R² may grow by this share when constants are shortened",
            default=TOLERANCE,
        ),
        OptionRow(
            "--checkpoint",
            "FILE.json",
            "written as the search goes; where it exists, the search goes on from there",
        ),
        OptionRow(
            "--out",
            "POOL.csv",
            "the front, for score, pick and Compare; default: standard output",
        ),
        STRICT,
        JSON,
    ),
    run,
    "Search a table for formulas: a front of accuracy, nodes and digits (EIC).",
)
