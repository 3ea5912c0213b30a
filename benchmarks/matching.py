"""Finding and choosing matched pairs: `python -m benchmarks.matching`.

One problem, formulas drawn at random: complexity lognormal around 20, 1 - R²
gamma with mean 0.1, EIC gamma with mean 0.9; the rules of the paper.  Each size
runs in a process of its own, so that its peak memory is its own.  The naive join
compares every formula with every other, a row at a time, and must give the same
pairs.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from study.matching.disjoint import best_disjoint
from study.matching.rules import MatchingRules
from study.matching.sweep import PairSweep, best_pairs, units

RULES = MatchingRules()
JOBS = (
    "naive:10000",
    "all:10000",
    "all:100000",
    "best:100000",
    "best:1000000",
    "disjoint:10000",
    "disjoint:20000",
)
BEST = 172

Formulas = tuple[np.ndarray, np.ndarray, np.ndarray]


def formulas(size: int) -> Formulas:
    """Complexity, R² and EIC of formulas whose R² allows a pair at all."""
    rng = np.random.default_rng(0)
    complexity = np.clip(np.rint(rng.lognormal(3, 0.5, size)), 1, 200).astype(int)
    r2 = 1 - rng.gamma(1.2, 0.08, size)
    eic = rng.gamma(1.0, 0.9, size)
    kept = ~PairSweep.r2_too_low(r2, RULES)
    return complexity[kept], r2[kept], eic[kept]


def naive(complexity: np.ndarray, r2: np.ndarray, eic: np.ndarray) -> np.ndarray:
    """All pairs as higher * M + lower, by comparing each formula with all."""
    r2, eic = units(r2), units(eic)
    found = []
    for i in range(len(r2)):
        good = np.abs(complexity - complexity[i]) <= RULES.max_complexity_gap
        good &= np.abs(r2 - r2[i]) <= RULES.r2_gap_units
        good &= eic[i] - eic >= RULES.eic_gap_units
        good &= np.maximum(r2, r2[i]) > RULES.best_r2_units
        found.append(i * len(r2) + np.flatnonzero(good))
    return np.concatenate(found)


def timed(work: Callable[[], str]) -> str:
    """What the work says, behind its seconds."""
    started = time.perf_counter()
    said = work()
    return f"{time.perf_counter() - started:>8.2f} s  {said}"


def run(job: str) -> None:
    """One line for one job; see `JOBS`."""
    mode, _, size = job.partition(":")
    data = formulas(int(size))

    joined: list[np.ndarray] = []

    def swept() -> str:
        sweep = PairSweep(*data, RULES)
        listed = sum(len(higher) for higher, _ in sweep.chunks())
        return f"{listed:,} pairs listed in chunks"

    def best() -> str:
        higher, _ = best_pairs(PairSweep(*data, RULES), BEST)
        return f"the best {len(higher)}"

    def disjoint() -> str:
        found = best_disjoint(PairSweep(*data, RULES))
        gap = (found.bound - found.total) / found.bound
        said = "optimal" if found.exact else f"at most {gap:.3%} below the optimum"
        return f"{len(found.higher):,} disjoint pairs, total -L {found.total:.1f}, {said}"

    def join() -> str:
        joined.append(naive(*data))
        return f"{len(joined[0]):,} pairs"

    line = timed({"naive": join, "all": swept, "best": best, "disjoint": disjoint}[mode])
    if joined:
        higher, lower = PairSweep(*data, RULES).pairs()
        same = np.array_equal(joined[0], higher * len(data[0]) + lower)
        line += ", the same as the sweep's" if same else ", NOT those of the sweep"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{mode:<9}{int(size):>10,} formulas {line}, peak {peak:.0f} MB")


def main(jobs: tuple[str, ...] = JOBS) -> int:
    """Run each job in its own process."""
    for job in jobs:
        command = [sys.executable, "-m", "benchmarks.matching", job]
        status = subprocess.run(command, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        run(sys.argv[1])
    else:
        sys.exit(main())
