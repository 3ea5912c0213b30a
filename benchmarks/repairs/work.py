"""What a unit of `repair`'s work takes on this machine: `python -m benchmarks.repairs.work`.

Each case is repaired to its end while the steps of each kind are counted; non-negative least
squares of the seconds give what a step of each kind takes. They are the constants of
`eic_core/rewriting/work.py`, if the machine is quiet.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from unittest.mock import patch

import numpy as np
from scipy.optimize import nnls

from benchmarks.repairs import hamming, library, textbook
from benchmarks.repairs.cases import Case
from benchmarks.repairs.running import samples_for_repair
from eic_core.rewriting import repair, work

KINDS = {
    value: name
    for name, value in vars(work).items()
    if name.isupper() and isinstance(value, float) and value != work.NORMAL
}

LEAST = 0.2
"""Seconds of a case from which on the relative error counts."""


def counted(case: Case) -> tuple[Counter[float], float]:
    """The steps of each kind, by its units, and the seconds that a case takes."""
    formula, counts = case.read(), Counter[float]()
    samples = samples_for_repair(case, formula)
    spend = work.Work.spend

    def count(self: work.Work, unit: float, steps: float = 1) -> None:
        counts[unit] += steps
        spend(self, unit, steps)

    with patch.object(work.Work, "spend", count):
        started = time.process_time()
        repair(formula, samples, effort=math.inf)
        return counts, time.process_time() - started


def main() -> None:
    """Print the units of each kind, and how far the sum of a case is from its seconds."""
    cases = [*textbook.CASES, *library.CASES, *hamming.CASES]
    found = [counted(case) for case in cases]
    seconds = np.array([each for _, each in found])
    steps = np.array([[counts[unit] for unit in KINDS] for counts, _ in found], dtype=float)
    weight = 1 / np.maximum(seconds, LEAST)
    units, _ = nnls(steps * weight[:, None], 1e6 * seconds * weight)
    for (unit, name), fitted in zip(KINDS.items(), units, strict=True):
        print(f"{name:10}{unit:10.3f} now{fitted:10.3f} here")
    for name, known in (("now", np.array(list(KINDS))), ("here", units)):
        ratios = np.quantile(steps @ known / (1e6 * seconds), [0, 0.1, 0.5, 0.9, 1])
        print(f"units over microseconds {name:5}", *(f"{ratio:.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
