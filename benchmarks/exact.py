"""What settling samples exactly costs: `python -m benchmarks.exact`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from benchmarks.timing import Work, command, medians, verdict
from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.formula.syntax import read

RANGE, TURNS, MOST = "x=normal:1000:1", 5, 3.0
"""All 10,000 samples of `log(exp(x))` leave double range there."""

SAMPLES = 500

KINDS = (
    ("log(exp(x))", "beyond double range"),
    ("0.1*x*10 - x", "a zero that is proved"),
    ("sqrt(x)**2 - x", "a zero to 10^-300"),
    ("sin(x*1e200)", "a large argument"),
)


def inspection(text: str) -> Sequence[str]:
    return ("eic_core", "inspect", text, "--range", RANGE)


def main() -> None:
    """Print both."""
    plain, beyond = inspection("x+1"), inspection("log(exp(x))")
    ratios = []
    for _ in range(TURNS):
        ratios.append(command(beyond).processor / command(plain).processor)
    ratio = statistics.median(ratios)
    print(f"`eic inspect`, log(exp(x)) ÷ x+1: {ratio:.1f} ({verdict(ratio, MOST)})")
    rng = np.random.default_rng(0)
    cells = [{"x": repr(x)} for x in rng.normal(1000, 1, SAMPLES).tolist()]
    work: dict[str, Work] = {}
    for text, kind in KINDS:
        evaluator = ExactEvaluator(tape_of(read(text).formula))
        work[f"{text}, {kind}"] = lambda own=evaluator: [own.sample(at) for at in cells]
    for name, seconds in medians(work, TURNS).items():
        print(f"a sample of {name}: {1e6 * seconds / SAMPLES:.0f} µs")


if __name__ == "__main__":
    main()
