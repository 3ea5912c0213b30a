"""EIC with all per-node results, divided by one plain NumPy evaluation of the same formula.

`python -m benchmarks.engine`.  Runs alternate, so that a busy machine slows
both; medians are compared.  "first" reads the tape from the tree, too; "again"
measures a formula that was measured before; "inspect" adds the tails, the
edges' shares and the texts of the nodes.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Domain, Samples, amplify, inspect, sample_domains

FORMULAS = {
    "a mixture": "(1.5*x+sin(0.7*y*x))/(2.0+x**2)*exp(-0.3*y)+log(1.0+x*y)-sqrt(x+y)*0.25",
    "sums and products": "(x*y+2.5*x-1.3*y+0.7)*(x-3.1*y)/(x*x+y*y+1.1)+(0.4*x+5.0)*(1.2-y)",
    "oscillations": "sin(2.0*x+y)*cos(0.5*x)+0.3*sin(x*y)*exp(-0.2*x)+tanh(1.5-y)*1.7+0.1*x/y",
    "powers": "(x/2.3)**1.7*(y+0.5)**-0.31+sqrt(x*y+1.9)/(0.2*x**3+1.0)-abs(y-x)**0.4*1.13+x",
}
SIZES = (1_000, 100_000)


def median_times(work: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Median seconds of each piece of work, taken in turns for about `seconds`."""
    times: dict[str, list[float]] = {name: [] for name in work}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < 7:
        for name, call in work.items():
            started = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(each) for name, each in times.items()}


def plain_evaluation(text: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """The formula as a NumPy user would write it.  The text is one of ours above."""
    names = ("sin", "cos", "exp", "log", "sqrt", "tanh", "abs")
    code = compile(text, "<formula>", "eval")
    functions = {name: getattr(np, name) for name in names}
    return lambda columns: eval(code, {**functions, **columns})  # noqa: S307


def pieces(text: str, formula: Formula, samples: Samples) -> dict[str, Callable[[], object]]:
    """What is compared, by column of the table."""
    plain = plain_evaluation(text)
    columns = dict(samples.columns)
    return {
        "plain": lambda: plain(columns),
        "first": lambda: amplify(Formula(formula.nodes), samples),
        "again": lambda: amplify(formula, samples),
        "inspect": lambda: inspect(formula, samples),
    }


def main() -> None:
    """Print the table."""
    domains = {"x": Domain("uniform", 0.5, 5), "y": Domain("uniform", 0.6, 4)}
    print("EIC of all nodes / one NumPy evaluation (medians, interleaved)\n")
    print(f"{'formula':<20}{'nodes':>6}{'N':>9}{'NumPy':>11}{'first':>8}{'again':>8}{'inspect':>9}")
    for size in SIZES:
        ratios: dict[str, list[float]] = {"first": [], "again": [], "inspect": []}
        for name, text in FORMULAS.items():
            samples = sample_domains(domains, count=size, seed=1)
            formula = read(text).formula
            work = pieces(text, formula, samples)
            times = median_times(work, 1.0 if size < 10_000 else 2.0)
            line = f"{name:<20}{formula.complexity:>6}{size:>9,}{times['plain'] * 1e6:>8.0f} µs"
            for key in ratios:
                ratio = times[key] / times["plain"]
                ratios[key].append(ratio)
                line += f"{ratio:>{9 if key == 'inspect' else 8}.1f}"
            print(line)
        means = [math.exp(statistics.fmean(map(math.log, r))) for r in ratios.values()]
        print(f"{'geometric mean':<26}{size:>9,}{'':>11}"
              f"{means[0]:>8.1f}{means[1]:>8.1f}{means[2]:>9.1f}\n")


if __name__ == "__main__":
    main()
