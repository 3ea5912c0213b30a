"""Random formulas: how many a second a core are kept, and where the time goes.

`python -m benchmarks.generating`.  Formulas of EIC up to 2 as `eic generate` writes them, with X
and y at 200 points, and alone; processor time of the faster of two runs, files included; then what
each part takes of a formula that is kept, without that of the parts inside it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.searching import Places, timed
from benchmarks.timing import busy, verdict
from eic_core.corpora import generating, growing, stored
from eic_core.corpora.generating import GenerationPlan
from eic_core.engine.forest import Forest

COUNT, RUNS = 10_000, 2
AIM = 5_000
PARTS: Places = {
    "trees": [(growing.Grower, "grow")],
    "tables": [(generating, "random_tables")],
    "values of the first rows": [(Forest, "values")],
    "values and digits": [(Forest, "measure")],
    "text and files": [(stored, "_write_file")],
}


def processor_seconds(plan: GenerationPlan, count: int = COUNT) -> float:
    """Of a run into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        stored.write_dataset(Path(folder) / "set", plan, count)
        return time.process_time() - started


def main() -> None:
    """Print rates and parts."""
    processor_seconds(GenerationPlan(), 100)
    for name, plan in (
        ("with X and y at 200 points", GenerationPlan()),
        ("formulas alone", GenerationPlan(points=0)),
        ("by the 90 % quantile, with X and y", GenerationPlan(measure="q90")),
    ):
        runs = []
        for _ in range(RUNS):
            spent: dict[str, float] = {}
            with timed(spent, PARTS):
                runs.append((processor_seconds(plan), spent))
        seconds, spent = min(runs, key=lambda run: run[0])
        rate = COUNT / seconds
        aimed = plan == GenerationPlan()
        aim = f"; aim {verdict(rate, AIM, least=True)}" if aimed else ""
        print(
            f"{name}: {rate:,.0f} kept a second a core, {1e6 * seconds / COUNT:.0f} µs each{aim}"
            f"{busy()}"
        )
        rest = seconds - sum(spent.values())
        parts = [*sorted(spent.items(), key=lambda item: -item[1]), ("the rest", rest)]
        print("  " + ", ".join(f"{part} {1e6 * each / COUNT:.0f} µs" for part, each in parts))


if __name__ == "__main__":
    main()
