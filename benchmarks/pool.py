"""Scoring a pool from the command line: start, seconds, reading, two processes, memory.

`python -m benchmarks.pool`.  Processor time of whole commands, medians; where the clock is read,
a busy machine is named.
"""

from __future__ import annotations

import csv
import gzip
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.material import pool_paths
from benchmarks.timing import Spent, busy, command, medians, verdict
from eic_core.pool.candidate import Candidate, read_candidate
from eic_core.pool.scoring import ProblemData, read_pool, score_pool

ROUNDS = 5
START_AIM, SCORE_AIM, SPEED_UP_AIM = 1.0, 1.2, 1.8
LONGER = 20


def score_command(pool: Path, problems: Path, folder: Path, jobs: int) -> Spent:
    """One run of ``python -m eic_core score``."""
    return command(
        [
            "eic_core",
            "score",
            str(pool),
            "--problems",
            str(problems),
            "--out",
            str(folder / "scored.csv"),
            "--jobs",
            str(jobs),
        ]
    )


def rows_of(pool: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a pool's file."""
    with gzip.open(pool, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def written(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    """A pool's file with these rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def show_commands(pool: Path, problems: Path, count: int, folder: Path) -> None:
    """Start-up and the seconds beyond it, taken in turns."""
    header, rows = rows_of(pool)
    one = written(folder / "one.csv", header, rows[:1])
    start: list[Spent] = []
    whole: list[Spent] = []
    for _ in range(ROUNDS):
        start.append(score_command(one, problems, folder, 1))
        whole.append(score_command(pool, problems, folder, 1))
    first = statistics.median(s.processor for s in start)
    beyond = statistics.median(s.processor for s in whole) - first
    lines = (
        ("start of `score` (a pool of one row)", f"{first:7.2f} s", verdict(first, START_AIM)),
        (f"{count:,} formulas beyond it, --jobs 1", f"{beyond:7.2f} s", verdict(beyond, SCORE_AIM)),
    )
    for what, seconds, aim in lines:
        print(f"{what:<42}{seconds}   aim {aim}")
    peak, least = (max(s.megabytes for s in runs) for runs in (whole, start))
    print(f"{'the same for one formula':<42}{1e6 * beyond / count:7.0f} µs")
    print(f"{'peak memory':<42}{peak:7.0f} MB; {least:.0f} MB for a pool of one row")


def show_parts(candidates: Sequence[Candidate], problems: Path) -> None:
    """Reading alone, and scoring without the command around it."""
    data = ProblemData(problems)
    columns = {c.problem: data.table(c.problem).names[:-1] for c in candidates}
    seconds = medians(
        {
            "read": lambda: [read_candidate(c, columns[c.problem]) and None for c in candidates],
            "score": lambda: score_pool(candidates, problems, jobs=1),
        },
        ROUNDS,
    )
    reading, scoring = (1e6 * seconds[k] / len(candidates) for k in ("read", "score"))
    refused = sum(bool(s.error) for s in score_pool(candidates, problems, jobs=1))
    print(f"{'reading alone, by hint':<42}{reading:7.0f} µs a formula")
    print(
        f"{'reading and measuring, in one process':<42}{scoring:7.0f} µs a formula; "
        f"{refused} refused"
    )


def show_processes(pool: Path, problems: Path, folder: Path) -> None:
    """Two processes against one on a pool many times as long, on the clock."""
    header, rows = rows_of(pool)
    long = written(folder / "long.csv", header, rows * LONGER)
    note = busy()
    one, two = (score_command(long, problems, folder, jobs) for jobs in (1, 2))
    ratio = one.clock / two.clock
    print(
        f"{'one process against two, on the clock':<42}{ratio:7.2f}     aim "
        f"{verdict(ratio, SPEED_UP_AIM, least=True)}{note}"
    )
    print(
        f"  {len(rows) * LONGER:,} formulas: {one.clock:.1f} s and {two.clock:.1f} s on the "
        f"clock, {one.processor:.1f} s and {two.processor:.1f} s of processors"
    )


def main() -> None:
    """Print every number in a line of its own."""
    pool, problems = pool_paths()
    _, candidates = read_pool(pool)
    print(
        f"\nscoring {pool.name}: {len(candidates):,} formulas (processor time, medians of "
        f"{ROUNDS})\n"
    )
    with tempfile.TemporaryDirectory() as name:
        show_commands(pool, problems, len(candidates), Path(name))
        show_parts(candidates, problems)
        show_processes(pool, problems, Path(name))


if __name__ == "__main__":
    main()
