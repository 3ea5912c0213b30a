"""Peak memory of 10^6 samples through 500 nodes: `python -m benchmarks.memory`."""

from __future__ import annotations

import resource
import time

from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains


def main(samples: int = 1_000_000, nodes: int = 500) -> None:
    """Print seconds and gigabytes."""
    term = "sin(x*{i}.5)/(y+{i}.25)"
    text = "x"
    i = 0
    while read(text).formula.complexity < nodes:
        i += 1
        text += "+" + term.format(i=i)
    formula = read(text).formula
    data = sample_domains(
        {"x": Domain("uniform", 0.5, 5), "y": Domain("uniform", 0.6, 4)}, count=samples
    )
    started = time.perf_counter()
    result = inspect(formula, data)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"memory: {samples:,} samples, {formula.complexity} nodes: {peak:.2f} GB at the peak, "
        f"{seconds:.1f} s, EIC {result.eic:.3f}"
    )


if __name__ == "__main__":
    main()
