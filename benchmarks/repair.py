"""How many formulas of a pool can be repaired, and how long it takes.

`python -m benchmarks.repair [DIR] [COUNT]`, default ../shared/data and 300.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import numpy as np

from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.measure.table import Table, match_variables, read_table
from eic_core.pool.candidate import Candidate
from eic_core.pool.scoring import read_pool
from eic_core.rewriting import Repairs, repair

DEADLINE = 60.0
"""Seconds a formula: the steps bind first, so that a loaded machine tells the same."""


def main(folder: str = "../shared/data", count: str = "300") -> None:
    """Print how many improve and the seconds of one core that a formula takes."""
    pool = Path(folder) / "pools" / "sr_fronts_1d2d.csv.gz"
    if not pool.is_file():
        print(f"repair: skipped, there is no {pool}")
        return
    _, candidates = read_pool(pool)
    chosen = random.Random(0).sample(candidates, min(int(count), len(candidates)))
    tables: dict[str, Table] = {}
    seconds: list[float] = []
    found: list[Repairs] = []
    refused = 0
    for candidate in chosen:
        if candidate.problem not in tables:
            tables[candidate.problem] = _table(Path(folder) / "problems", candidate.problem)
        started = time.process_time()
        try:
            found.append(_repair(candidate, tables[candidate.problem]))
        except UserError:
            refused += 1
            continue
        seconds.append(time.process_time() - started)
    _report(found, seconds, refused)


def _table(folder: Path, problem: str) -> Table:
    path = next(p for p in sorted(folder.glob("*.csv")) if p.stem.endswith(problem))
    return read_table(path.read_bytes(), source=path.name)


def _repair(candidate: Candidate, table: Table) -> Repairs:
    reading = read(candidate.formula, syntax=candidate.syntax, parameters=candidate.parameters)
    inputs = list(table.names[:-1])
    match = match_variables(reading.formula.variables, inputs, index_base=reading.index_base)
    if match.missing:
        raise UserError(f"no column for {match.missing[0]}")
    return repair(reading.formula, table.samples(match.mapping, None), limit_seconds=DEADLINE)


def _report(found: list[Repairs], seconds: list[float], refused: int) -> None:
    better = [r for r in found if r.best is not None]
    at_root = sum(r.best.delta_q <= -0.1 for r in better if r.best)
    inside = sum(r.best.delta_eic <= -0.1 for r in better if r.best)
    range_kept = sum(
        r.best.after.float64.failed < r.best.before.float64.failed for r in better if r.best
    )
    limit = sum(r.before is not None and r.before.q <= max(r.own, 0.5) + 0.3 for r in found)
    p50, p95 = np.quantile(seconds, [0.5, 0.95])
    print(
        f"repair: {len(found)} formulas ({refused} refused), {len(better)} repaired: "
        f"{at_root} save 0.1 digits or more at the root, {inside} inside, "
        f"{range_kept} values that left double range; "
        f"{limit} were as good as the function allows"
    )
    print(f"repair: seconds of one core: p50 {p50:.2f}, p95 {p95:.2f}, max {max(seconds):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
