"""What zeros, ties, kinks and invalid rows cost: each formula against itself on clean data.

`python -m benchmarks.hard`.  Twelve formulas of about 30 nodes at 200,000 rows, measured with
``recheck=False``, so that nothing enters that needs more digits than doubles have.  Rows beyond
double range are printed apart: they go through `eic_core.engine.extended`.  Then short formulas,
whose clean time is that of a few loops, both ways: as `score` measures them, and as `inspect` does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import busy, geometric_mean, medians, verdict
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import amplify
from eic_core.samples import Samples

ROWS = 200_000
ROUNDS = 5
AIM = 3.0

FORMULAS = {
    "sums, products": "(x*y+2.5*x-1.3*y+0.7)*(x-3.1*y)+(0.4*x+5.0)*(1.2-y)*(x+y)-x*y*0.3",
    "polynomial": "x**3-2.1*x**2*y+0.7*x*y**2-1.9*y**3+4.2*x**2-0.3*x*y+5.1*y-0.8*x+1.7",
    "divisions": "(x+1.3)/(y+2.2)+(x-y)/(x*x+1.1)-y/(0.5*x+3.0)+(x*y)/(y*y+0.9)-1.0/(x+y)+x/y",
    "oscillations": "sin(2.0*x+y)*cos(0.5*x)+0.3*sin(x*y)+tanh(1.5-y)*1.7+cos(x-y)*sin(0.1*x)",
    "exp, log": "exp(-0.3*x)*log(1.0+x*y)+log(y+0.5)*exp(0.2*y-1.1)-log(x*x+1.0)*0.4+log(x)",
    "square roots": "sqrt(x*y+1.9)*sqrt(x)+sqrt(y+0.3)/(sqrt(x+y)+1.2)-sqrt(x*x+y*y)*0.5+0.1*y",
    "powers": "(x/2.3)**1.7*(y+0.5)**2.5-x**0.4*1.13+(x*y)**1.5/(y**3+1.7)-(x+0.2)**0.3*y",
    "pow of abs": "abs(x-1.1)**0.7*y-abs(y)**1.3+abs(x*y-2.0)**0.5*0.3+abs(x)**y-abs(x+y)**0.2",
    "abs, min, max": "abs(x-y)*max(x,y)+min(x*y,2.0)*0.7-max(x-1.0,y-2.0)+abs(x)*min(x,y+0.1)-y",
    "floor, sign": "floor(x*1.3)*y-sign(y-x)*2.2+floor(x+y)*sign(x)*0.4-floor(0.5*y)*x+abs(y)*x",
    "physics": "0.5*x*y**2/(1.0+x)+9.81*x*y-1.3*exp(-y)*sqrt(x)/(x*x+y*y+0.1)+log(y)*atan(x/y)",
    "mixed": "(1.5*x+sin(0.7*y*x))/(2.0+x**2)*exp(-0.3*y)+log(1.0+x*y)-sqrt(x+y)*abs(x-y)**0.3",
}

BEYOND = {
    "exp(300 x)": "(x*y+2.5)/(1.3+exp(x*300.0))+log(1.0+x*y)-sqrt(x+y)*0.25+sin(2.0*x+y)*0.3",
    "x**400": "(x**400.0+1.0)*0.7/(x**400.0+2.0*y)+log(1.0+x*y)-sqrt(x+y)*0.25+sin(x+y)*0.3",
}

SHORT = (
    "(x - y)/(x + 2)",
    "exp(x) - 1",
    "x*exp(y*y)",
    "exp(-(1 - x*x))",
    "abs(x - y)*sqrt(y)",
    "log(x)/x + y",
)
SHORT_ROUNDS = 3
ENOUGH = 8e-3
"""Seconds that are quick, whatever the clean time is."""

Columns = tuple[np.ndarray, np.ndarray]


def clean(rng: np.random.Generator) -> Columns:
    """U(1, 5) for both."""
    return rng.uniform(1, 5, ROWS), rng.uniform(1, 5, ROWS)


def integers(rng: np.random.Generator) -> Columns:
    """0 to 9: exact zeros, ties and small whole numbers."""
    x, y = rng.integers(0, 10, (2, ROWS)).astype(float)
    return x, y


def zero_column(rng: np.random.Generator) -> Columns:
    """x is 0 everywhere."""
    return np.zeros(ROWS), rng.uniform(1, 5, ROWS)


def ties(rng: np.random.Generator) -> Columns:
    """x = y everywhere."""
    x = rng.uniform(1, 5, ROWS)
    return x, x.copy()


def kinks(rng: np.random.Generator) -> Columns:
    """x symmetric about 0, a tenth of it 0."""
    x, y = rng.uniform(-2, 2, ROWS), rng.uniform(1, 5, ROWS)
    return np.where(rng.random(ROWS) < 0.1, 0.0, x), y


def half_invalid(rng: np.random.Generator) -> Columns:
    """Both negative in half of the rows: under a logarithm or a root there is no real value."""
    x, y = clean(rng)
    sign = np.where(rng.random(ROWS) < 0.5, -1.0, 1.0)
    return sign * x, sign * y


def one_invalid(rng: np.random.Generator) -> Columns:
    """One row with both negative."""
    x, y = clean(rng)
    x[ROWS // 3] = y[ROWS // 3] = -1.5
    return x, y


def one_zero(rng: np.random.Generator) -> Columns:
    """One row with x = 0."""
    x, y = clean(rng)
    x[ROWS // 3] = 0.0
    return x, y


HARD: dict[str, Callable[[np.random.Generator], Columns]] = {
    "0-9": integers,
    "x=0": zero_column,
    "x=y": ties,
    "kinks": kinks,
    "half inv.": half_invalid,
    "one inv.": one_invalid,
    "one zero": one_zero,
}


def small_integers(rng: np.random.Generator) -> Columns:
    """0 to 8: of 81 pairs nine are ties."""
    x, y = rng.integers(0, 9, (2, ROWS)).astype(float)
    return x, y


def wide(rng: np.random.Generator) -> Columns:
    """Exponentials of it, and of its squares, leave double range at many rows."""
    return rng.uniform(-800, 800, ROWS), rng.uniform(-30, 30, ROWS)


def samples_of(columns: Columns) -> Samples:
    """Two columns as samples."""
    return Samples.from_columns({"x": columns[0], "y": columns[1]})


def times_of(
    formula: Formula, data: dict[str, Samples], *, recheck: bool = False, rounds: int = ROUNDS
) -> dict[str, float]:
    """Median seconds by kind of data."""
    work = {
        name: lambda samples=samples: amplify(formula, samples, recheck=recheck)  # type: ignore[misc]
        for name, samples in data.items()
    }
    with np.errstate(all="ignore"):
        return medians(work, rounds)


def main() -> None:
    """Print the tables."""
    data = {"clean": samples_of(clean(np.random.default_rng(0)))}
    data |= {name: samples_of(make(np.random.default_rng(0))) for name, make in HARD.items()}
    print(f"\nTime on hard data / time of the same formula on clean data, {ROWS:,} rows")
    print("(* some rows leave double range: printed, but no part of the worst)\n")
    print(f"{'formula':<15}{'nodes':>6}{'clean ms':>9}" + "".join(f"{name:>10}" for name in HARD))
    worst, where = 0.0, ""
    every: dict[str, list[float]] = {name: [] for name in HARD}
    for name, text in FORMULAS.items():
        formula = read(text).formula
        times = times_of(formula, data)
        line = f"{name:<15}{formula.complexity:>6}{1e3 * times['clean']:>9.1f}"
        for kind in HARD:
            ratio = times[kind] / times["clean"]
            beyond = amplify(formula, data[kind], recheck=False).out_of_range
            line += f"{ratio:>9.2f}{'*' if beyond else ' '}"
            if not beyond:
                every[kind].append(ratio)
                if ratio > worst:
                    worst, where = ratio, f"{name}, {kind}"
        print(line)
    print(
        f"{'geometric mean':<30}"
        + "".join(
            f"{geometric_mean(ratios):>9.2f} " if ratios else f"{'-':>9} "
            for ratios in every.values()
        )
    )
    print(
        f"\nhard data / clean data, the worst of all: {worst:.2f} ({where}), "
        f"aim {verdict(worst, AIM)}"
    )
    show_beyond()
    for recheck in (False, True):
        show_short(recheck)
    show_threads()


def show_threads() -> None:
    """What a second thread gains: compiled code runs without Python's lock."""
    samples = samples_of(clean(np.random.default_rng(0)))
    formulas = [read(FORMULAS[name]).formula for name in ("mixed", "physics")]

    def measure(formula: Formula) -> None:
        for _ in range(2 * ROUNDS):
            amplify(formula, samples, recheck=False)

    gains = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for formula in formulas:
            measure(formula)
        between = time.perf_counter()
        threads = [threading.Thread(target=measure, args=(formula,)) for formula in formulas]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gains.append((between - started) / (time.perf_counter() - between))
    print(f"\ntwo threads against one: {geometric_mean(gains):.2f} times as fast{busy()}")


def show_short(recheck: bool) -> None:
    """Short formulas on hard rows, out of range included, against themselves on clean ones."""
    kinds = {"0-8": small_integers, **HARD, "wide": wide}
    del kinds["0-9"]
    data = {"clean": samples_of(clean(np.random.default_rng(0)))}
    data |= {name: samples_of(make(np.random.default_rng(0))) for name, make in kinds.items()}
    way = "inspect" if recheck else "score"
    print(
        f"\nShort formulas as `{way}` measures them: time / clean time, {ROWS:,} rows\n"
        f"(! more than {AIM:g} times and more than {1e3 * ENOUGH:g} ms)\n"
    )
    print(f"{'formula':<20}{'clean ms':>9}" + "".join(f"{name:>10}" for name in kinds))
    missed = 0
    for text in SHORT:
        times = times_of(read(text).formula, data, recheck=recheck, rounds=SHORT_ROUNDS)
        line = f"{text:<20}{1e3 * times['clean']:>9.1f}"
        for kind in kinds:
            ratio = times[kind] / times["clean"]
            above = ratio > AIM and times[kind] > ENOUGH
            missed += above
            line += f"{ratio:>9.1f}{'!' if above else ' '}"
        print(line)
    print(f"{missed} of {len(SHORT) * len(kinds)} missed")


def show_beyond() -> None:
    """What rows beyond double range cost, by their share."""
    print(f"\nRows beyond double range: time / time with none, {ROWS:,} rows (no aim)\n")
    print(
        f"{'formula':<15}{'nodes':>6}{'none ms':>9}{'one row':>12}{'1 % of rows':>14}"
        f"{'all rows':>12}{'µs each row':>14}"
    )
    for name, text in BEYOND.items():
        formula = read(text).formula
        x, y = clean(np.random.default_rng(0))
        data = {"none": samples_of((x / 5, y))}
        for share, count in (("one", 1), ("1 %", ROWS // 100), ("all", ROWS)):
            moved = x / 5
            moved[:count] = 10 + x[:count]
            data[share] = samples_of((moved, y))
        counts = {k: amplify(formula, s, recheck=False).out_of_range for k, s in data.items()}
        assert list(counts.values()) == [0, 1, ROWS // 100, ROWS], counts
        times = times_of(formula, data)
        none = times["none"]
        print(
            f"{name:<15}{formula.complexity:>6}{1e3 * none:>9.1f}"
            + "".join(
                f"{times[k] / none:>{w}.2f}" for k, w in (("one", 12), ("1 %", 14), ("all", 12))
            )
            + f"{1e6 * (times['all'] - none) / ROWS:>14.2f}"
        )


if __name__ == "__main__":
    main()
