"""Seconds to score a pool: `python -m benchmarks.pool [DIR]`, default ../shared/data."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from eic_core.pool.scoring import read_pool, score_pool


def main(folder: str = "../shared/data") -> None:
    """Print seconds and microseconds a formula, on one process and on all cores."""
    pool = Path(folder) / "pools" / "sr_fronts_1d2d.csv.gz"
    if not pool.is_file():
        print(f"score: skipped, there is no {pool}")
        return
    _, candidates = read_pool(pool)
    for jobs in dict.fromkeys((1, os.cpu_count() or 1)):
        started = time.perf_counter()
        scores = score_pool(candidates, Path(folder) / "problems", jobs=jobs)
        seconds = time.perf_counter() - started
        refused = sum(bool(s.error) for s in scores)
        print(
            f"score: {len(scores):,} formulas in {seconds:.1f} s on {jobs} process(es), "
            f"{seconds / len(scores) * 1e6:.0f} µs a formula, {refused} refused"
        )


if __name__ == "__main__":
    main(*sys.argv[1:2])
