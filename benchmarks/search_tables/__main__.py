"""What a search finds with EIC and without, on laws and real data: `make bench-search`.

`python -m benchmarks.search_tables --help` lists what can be asked.  Every run is kept in a file:
a table is printed when all its runs are there, and a second start goes on where one was stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path

from benchmarks.material import SHARED
from benchmarks.search_tables import peers
from benchmarks.search_tables.material import (
    ENOUGH_ROWS,
    Split,
    all_laws,
    law_split,
    real_problems,
    real_split,
    stratified,
)
from benchmarks.search_tables.printing import (
    LAW_COLUMNS,
    NOTES,
    PEER_COLUMNS,
    REAL_COLUMNS,
    change_lines,
    half_lines,
    law_lines,
    mean_lines,
    missing,
)
from benchmarks.search_tables.runs import (
    METHODS,
    PICKED_AGAIN,
    Results,
    Row,
    Task,
    made,
    make_all,
    maker,
)
from eic_core.corpora import Law
from eic_core.errors import DataError, UserError
from eic_core.search.run import TOLERANCE

OUT = Path(__file__).resolve().parents[2] / "build" / "search_tables.csv"
PARTS = ("real", "laws", "peers")
EXACT = 0.0
"""The other tolerance: constants as fitted, short only where that costs R^2 less than 1e-12."""

PEER_LAWS = 8
"""Laws on which peers are run, of those that are searched."""


def parser() -> argparse.ArgumentParser:
    """What can be asked."""
    found = argparse.ArgumentParser(
        prog="python -m benchmarks.search_tables", description=(__doc__ or "").partition("\n")[0]
    )
    found.add_argument(
        "--shared",
        metavar="DIR",
        type=Path,
        default=SHARED,
        help="where the real problems are; default: %(default)s",
    )
    found.add_argument("--parts", default=",".join(PARTS), help="default: %(default)s")
    found.add_argument(
        "--laws",
        metavar="N",
        type=int,
        default=40,
        help="evenly by kind and length; default: %(default)s",
    )
    found.add_argument("--all", action="store_true", help="all laws")
    found.add_argument("--methods", default="", help="of " + ", ".join(METHODS) + "; default: all")
    found.add_argument(
        "--seeds", metavar="N", type=int, default=3, help="runs of a law; default: %(default)s"
    )
    found.add_argument(
        "--splits",
        metavar="N",
        type=int,
        default=5,
        help="runs of a real problem; default: %(default)s",
    )
    found.add_argument(
        "--evals",
        metavar="N",
        type=int,
        default=40_000,
        help="candidates a run; default: %(default)s",
    )
    found.add_argument(
        "--noise",
        default="0,0.001,0.01,0.1",
        help="by the target's standard deviation; default: %(default)s",
    )
    found.add_argument(
        "--rows",
        metavar="N",
        type=int,
        default=400,
        help="of a law, a quarter held out; default: %(default)s",
    )
    found.add_argument(
        "--peers", metavar="PYTHON", type=Path, help="an interpreter that has gplearn or pyoperon"
    )
    found.add_argument(
        "--jobs", metavar="J", type=int, default=1, help="processes; default: %(default)s"
    )
    found.add_argument(
        "--out", metavar="FILE.csv", type=Path, default=OUT, help="the runs; default: %(default)s"
    )
    found.add_argument("--print", action="store_true", help="make no run, print what is there")
    found.add_argument(
        "--any-maker",
        action="store_true",
        help="take runs that another version of the search has made",
    )
    return found


def methods_of(asked: str) -> list[str]:
    """The methods that are asked for, or all.

    Raises
    ------
    DataError
        If there is no such method.
    """
    wanted = [key.strip() for key in asked.split(",") if key.strip()] or list(METHODS)
    unknown = [key for key in wanted if key not in METHODS]
    if unknown:
        raise DataError(
            f"there is no method `{unknown[0]}`", hint="there are " + ", ".join(METHODS)
        )
    return wanted


@cache
def _laws() -> dict[str, Law]:
    return {law.name: law for law in all_laws()}


def split_of(task: Task, shared: Path) -> Split:
    """The rows of a run."""
    if task.part == "real":
        return real_split(shared / "problems" / f"{task.problem}.csv", task.seed)
    return law_split(_laws()[task.problem], task.rows, task.noise, task.seed)


def make(task: Task, shared: Path) -> list[Row]:
    """A run, in any process."""
    return made(task, split_of(task, shared))


def law_tasks(options: argparse.Namespace, laws: Sequence[Law], noise: float) -> list[Task]:
    """Runs of laws, all methods of a law and seed in a row."""
    return [
        Task("laws", law.name, noise, seed, method, options.evals, options.rows)
        for seed, law, method in product(range(options.seeds), laws, options.chosen)
    ]


def real_tasks(options: argparse.Namespace, problems: Sequence[Path]) -> list[Task]:
    """Runs of real problems, their constants printed with two tolerances."""
    return [
        Task(
            "real",
            path.stem,
            0.0,
            seed,
            method,
            options.evals,
            len(real_split(path, seed).whole),
            (TOLERANCE, EXACT),
        )
        for seed, path, method in product(range(options.splits), problems, options.chosen)
    ]


def with_picked(methods: Sequence[str]) -> list[str]:
    """The methods with what is picked again from their fronts."""
    return [*methods, *(PICKED_AGAIN[key] for key in methods if key in PICKED_AGAIN)]


def rows_of(results: Results, options: argparse.Namespace, tasks: Sequence[Task]) -> list[Row]:
    """Rows of these tasks' runs and of what was picked from them."""
    wanted = {(t.part, t.problem, t.noise, t.seed, t.evaluations, t.rows) for t in tasks}
    methods = with_picked(options.chosen)
    return [
        r
        for r in results.rows
        if r.method in methods
        and (r.part, r.problem, r.noise, r.seed, r.evaluations, r.rows) in wanted
    ]


def show(title: str, lines: Sequence[str]) -> None:
    """A table under its title."""
    print("", title, "", *lines, sep="\n", flush=True)


def do_real(options: argparse.Namespace, results: Results) -> None:
    """Real problems: means, changes, the same on other problems and with constants as fitted."""
    problems = real_problems(options.shared)
    tasks = real_tasks(options, problems)
    if not options.print:
        make_all(tasks, partial(make, shared=options.shared), results, options.jobs)
    rows = rows_of(results, options, tasks)
    names = [path.stem for path in problems]
    title = (
        f"Real data: {len(names)} problems, {options.splits} splits 75/25 each, "
        f"{options.evals:,} candidates a run"
    )
    if lack := missing(rows, names, options.splits, with_picked(options.chosen)):
        show(title, [lack])
        return
    short = [row for row in rows if row.tolerance == TOLERANCE]
    exact = [row for row in rows if row.tolerance == EXACT]
    long = {row.problem for row in rows if row.rows >= ENOUGH_ROWS}
    show(title, [*mean_lines(short, REAL_COLUMNS), *change_lines(short, REAL_COLUMNS)])
    show(
        f"the same, the {len(long)} problems of {ENOUGH_ROWS} rows or more",
        [
            *mean_lines([row for row in short if row.problem in long], REAL_COLUMNS),
            *change_lines([row for row in short if row.problem in long], REAL_COLUMNS),
        ],
    )
    show(
        "the same, all problems, constants as fitted (tolerance 0)",
        [
            *mean_lines(exact, REAL_COLUMNS),
            *change_lines(exact, REAL_COLUMNS),
        ],
    )
    show("the same, by halves", half_lines(short, REAL_COLUMNS, names))


def do_laws(options: argparse.Namespace, results: Results, laws: Sequence[Law]) -> None:
    """The paper's tables."""
    for noise in options.levels:
        tasks = law_tasks(options, laws, noise)
        if not options.print:
            make_all(tasks, partial(make, shared=options.shared), results, options.jobs)
        rows = rows_of(results, options, tasks)
        held_out = options.rows // 4
        title = (
            f"Laws, noise {noise:g}: {len(laws)} laws, {options.seeds} runs each, "
            f"{options.evals:,} candidates a run, {options.rows - held_out} rows to search "
            f"on and {held_out} held out"
        )
        names = [law.name for law in laws]
        if lack := missing(rows, names, options.seeds, with_picked(options.chosen)):
            show(title, [lack])
            continue
        show(title, law_lines(rows, noise))
        show(f"Laws, noise {noise:g}, by halves", half_lines(rows, LAW_COLUMNS, names))


def do_peers(options: argparse.Namespace, results: Results, laws: Sequence[Law]) -> None:
    """Peers, for as long as our searches took, on the real problems and some laws."""
    if options.peers is None:
        show("Peers", ["not run: --peers PYTHON names an interpreter that has them"])
        return
    tools = peers.tools_of(options.peers)
    some = stratified(laws, PEER_LAWS)
    groups = (
        ("real", real_tasks(options, real_problems(options.shared))),
        ("laws", law_tasks(options, some, options.levels[0])),
    )
    for part, ours in groups:
        if not options.print:
            make_all(ours, partial(make, shared=options.shared), results, options.jobs)
        rows = [r for r in rows_of(results, options, ours) if r.tolerance == TOLERANCE]
        names = sorted({task.problem for task in ours})
        seeds = len({task.seed for task in ours})
        title = f"Peers at equal processor time, {part}: {len(names)} problems"
        if lack := missing(rows, names, seeds, with_picked(options.chosen)):
            show(title, [lack])
            continue
        tasks = peers.tasks(ours, rows, tools)
        split = partial(split_of, shared=options.shared)
        call = partial(peers.make, python=options.peers, split=split)
        if not options.print:
            make_all(tasks, call, results, options.jobs)
        wanted = {task.key for task in tasks}
        theirs = [
            r
            for r in results.rows
            if (r.part, r.problem, r.noise, r.seed, r.method, r.evaluations, r.rows) in wanted
        ]
        if lack := missing(theirs, names, seeds, tools):
            show(title, [lack])
            continue
        lines = mean_lines([*rows, *theirs], PEER_COLUMNS)
        for tool in tools:
            own = [r for r in rows if r.method == "eic-gp-01"]
            lines += change_lines(
                [*own, *[r for r in theirs if r.method == tool]], PEER_COLUMNS, against=tool
            )
        show(title, lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what is missing, and print."""
    options = parser().parse_args(arguments)
    try:
        options.chosen = methods_of(options.methods)
        options.levels = [float(level) for level in options.noise.split(",")]
        results = Results(options.out, any_maker=options.any_maker)
        print(f"runs: {options.out}, by version {maker()} of the search")
        if results.foreign:
            print(f"left out: {results.foreign:,} rows that another version made (--any-maker)")
        parts = options.parts.split(",")
        laws = all_laws() if options.all else stratified(all_laws(), options.laws)
        if "real" in parts:
            do_real(options, results)
        if "laws" in parts:
            do_laws(options, results, laws)
        if "peers" in parts:
            do_peers(options, results, laws)
        print("", *NOTES, sep="\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped: the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
