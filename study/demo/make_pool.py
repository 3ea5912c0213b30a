"""Make the demo's problem files and its pool: ``python -m study.demo.make_pool``.

Needs the development dependencies (`requirements-dev.txt`).  Every seed is fixed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from eic_core.formula.syntax import read
from eic_core.pool.candidate import Candidate, Score
from eic_core.pool.scoring import score_pool
from study.demo import PROBLEM_INDEX, demo_pool_path, problem_folder
from study.demo.searches import SETTINGS, Found, Setting, search
from study.demo.sources import SOURCES, Source, write_problems

COLUMNS = ("problem", "method", "setting", "seed", "formula", "syntax", "r2_search", "tool_size")
LEAST_R2 = 0.8
MOST_NODES = 25
LEAST_NODES = 3
FEW_ROWS = 150
TOLERANCE = 1e-6
"""Largest difference between the R² of a formula as printed and that of the search."""
LOOSE_TOLERANCE = 1e-3
"""The same for gplearn, which always prints three decimals."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Row:
    """One row of the pool, before it is written."""

    problem: str
    setting: Setting
    seed: int
    formula: str
    found: Found

    def cells(self) -> tuple[str, ...]:
        """As `COLUMNS`."""
        method = self.setting.method
        return (
            self.problem,
            method,
            self.setting.name,
            str(self.seed),
            self.formula,
            method.lower(),
            f"{self.found.r2:.6f}",
            str(self.found.size),
        )


def as_printed(
    source: Source, setting: Setting, founds: list[Found]
) -> Iterator[tuple[Found, str, Score]]:
    """The models whose printed formula, read plainly, is the model that was fitted.

    Of several numbers of decimals the fewest that keep R² are taken.  A model is left out
    where no printed form gives the search's own R²: gplearn's "protected" functions differ
    from what their names say, and its three decimals may be too few.
    """
    texts = [(found, text) for found in founds for text in found.texts]
    syntax = setting.method.lower()
    candidates = [Candidate(source.name, text, setting.method, syntax) for _, text in texts]
    scores = score_pool(candidates, problem_folder(), jobs=1)
    tolerance = TOLERANCE if syntax == "operon" else LOOSE_TOLERANCE
    done: set[int] = set()
    for (found, text), score in zip(texts, scores, strict=True):
        if id(found) not in done and abs(score.r2 - found.r2) <= tolerance:
            done.add(id(found))
            yield found, text, score


def wanted(found: Found, score: Score) -> bool:
    """Whether a candidate is fair and short enough to show; EIC plays no part."""
    size = score.complexity
    return size is not None and LEAST_NODES <= size <= MOST_NODES and found.r2 >= LEAST_R2


def outline(text: str, syntax: str, names: Iterable[str]) -> object:
    """A key that is equal for formulas that differ only past three digits of their constants."""
    formula = read(text, syntax=syntax, columns=tuple(names)).formula
    return tuple(
        (node.operator, len(node.children), _short(node.label), node.parameter)
        for node in formula.nodes
    )


def _short(label: str) -> str:
    try:
        return f"{float(label):.3g}"
    except ValueError:
        return label


def rows_of(source: Source) -> Iterator[Row]:
    """Every candidate for one problem, without repetitions, in the order of the runs.

    A second round with further seeds follows where the first leaves fewer than `FEW_ROWS`.
    """
    names = [name for name, _, _ in source.columns[:-1]]
    table = source.table()
    seen: set[object] = set()
    for turn in range(2):
        if turn and len(seen) >= FEW_ROWS:
            return
        for setting in SETTINGS:
            started = time.perf_counter()
            fair = printed = 0
            before = len(seen)
            for seed in range(1 + turn * setting.seeds, 1 + (turn + 1) * setting.seeds):
                founds = [f for f in search(setting, seed, names, table) if f.r2 >= LEAST_R2]
                fair += len(founds)
                for found, text, score in as_printed(source, setting, founds):
                    printed += 1
                    if not wanted(found, score):
                        continue
                    key = outline(text, setting.method.lower(), names)
                    if key not in seen:
                        seen.add(key)
                        yield Row(source.name, setting, seed, text, found)
            log.info(
                "%-11s %-8s %-11s %4d fair models, %4d print as fitted, %3d kept, %4.1f s",
                source.name, setting.method, setting.name, fair, printed,
                len(seen) - before, time.perf_counter() - started,
            )  # fmt: skip


def write_pool(path: Path, rows: Iterable[Row]) -> int:
    """Write the pool, gzipped without a time stamp, and return the number of rows."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for row in rows:
        writer.writerow(row.cells())
        count += 1
    path.write_bytes(gzip.compress(buffer.getvalue().encode(), mtime=0))
    return count


def main() -> None:
    """Write the problems, run the searches, write the pool."""
    parser = argparse.ArgumentParser(prog="python -m study.demo.make_pool", description=__doc__)
    parser.add_argument("--problems-only", action="store_true", help="write no pool")
    parser.add_argument("--only", nargs="*", default=[], help="these problems only")
    parser.add_argument("--out", type=Path, default=demo_pool_path())
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write_problems(problem_folder(), PROBLEM_INDEX)
    if arguments.problems_only:
        return
    sources = [s for s in SOURCES if not arguments.only or s.name in arguments.only]
    count = write_pool(arguments.out, (row for source in sources for row in rows_of(source)))
    log.info("%d rows in %s", count, arguments.out.name)


if __name__ == "__main__":
    main()
