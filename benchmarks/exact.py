"""What exact samples, a first answer and a large formula cost: `python -m benchmarks.exact`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.timing import Work, command, medians, verdict
from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.formula.syntax import read
from eic_core.frames import add_eic

RANGE, TURNS, MOST, FIRST = "x=normal:1000:1", 5, 2.5, 0.45
"""All 10,000 samples of `log(exp(x))` leave double range there."""

LARGE = 3.0
"""Seconds."""

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
    """Print them."""
    plain, beyond = inspection("x+1"), inspection("log(exp(x))")
    pairs = [(command(beyond).processor, command(plain).processor) for _ in range(TURNS)]
    first = statistics.median(few for _, few in pairs)
    ratio = statistics.median(many / few for many, few in pairs)
    print(f"`eic inspect` of x+1, a process of its own: {first:.2f} s, {verdict(first, FIRST)}")
    print(f"`eic inspect`, log(exp(x)) ÷ x+1: {ratio:.1f} ({verdict(ratio, MOST)})")
    terms = [f"sin({k}*x0)*cos(x0/{k}) + exp(-x0*{k}/1000)" for k in range(1, 168)]
    x, y = np.random.default_rng(0).uniform(1, 5, (2, 200))
    started = time.process_time()
    assert add_eic(["+".join(terms)], x[:, None], y)["left_out"][0] == ""
    large = time.process_time() - started
    nodes = read("+".join(terms)).formula.complexity
    print(f"`add_eic`, a formula of {nodes:,} nodes: {large:.1f} s, {verdict(large, LARGE)}")
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
