"""The search: distinct candidates a second on one core, and where the time goes.

`python -m benchmarks.searching`.  One island of at most six terms, 300 rows of four inputs, epochs
of 5,000 candidates, fitting, variation and selection included; processor time of each part, without
that of the parts inside it, of the fastest of some runs.  Then a tree instead of the island, and
whole numbers 0 to 7 instead of inputs without zeros and ties.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.timing import verdict
from eic_core.engine.native import library as native
from eic_core.samples import Samples
from eic_core.search import fitting, genetic, measuring, tree_search
from eic_core.search.problem import SearchProblem, problem_of

ROWS, EPOCH, EPOCHS, RUNS = 300, 5_000, 6, 5
AIM_US, EIC_AIM = 50.0, 0.4
Places = Mapping[str, Sequence[tuple[Any, str]]]
"""Parts of some work: the functions of each, by their owners and names."""

PARTS: Places = {
    "variation": [(genetic.Island, "_children")],
    "laying out": [(measuring, "lay_out_terms"), (native.Library, "pack")],
    "values": [(measuring.MeasuredTerms, "_add"), (measuring.MeasuredTerms, "_values")],
    "digits": [
        (measuring.MeasuredTerms, "_noise"),
        (measuring.MeasuredTerms, "settle"),
        (fitting, "digits_of"),
    ],
    "fit": [(fitting, "fit")],
    "weighing": [(genetic, "weigh")],
    "selection": [(genetic, "survivors"), (genetic, "best_of"), (genetic.Island, "_select")],
}


def example(*, whole: bool = False) -> SearchProblem:
    """A law with a product, a root and a sum, and its inputs, or such of whole numbers 0 to 7."""
    rng = np.random.default_rng(0)
    a, b, c, d = rng.integers(0, 8, (4, ROWS)) if whole else rng.uniform(1, 5, (4, ROWS))
    target = a * b / np.sqrt(1 - (c / 9 if whole else c / 6) ** 2) + d
    return problem_of(Samples.from_columns({"a": a, "b": b, "c": c, "d": d}, target=target))


@contextmanager
def timed(spent: dict[str, float], parts: Places = PARTS) -> Iterator[None]:
    """Add up the processor time of each part while this is open."""
    inner = [0.0]

    def around(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            inner.append(0.0)
            started = time.process_time()
            try:
                return function(*args, **named)
            finally:
                taken = time.process_time() - started
                spent[name] = spent.get(name, 0.0) + taken - inner.pop()
                inner[-1] += taken

        return call

    with ExitStack() as stack:
        for name, places in parts.items():
            for owner, attribute in places:
                wrapped = around(getattr(owner, attribute), name)
                stack.enter_context(patch.object(owner, attribute, wrapped))
        yield


def evolve(problem: SearchProblem) -> tuple[float, int]:
    """Processor time and candidates of some epochs."""
    started, count = time.process_time(), 0
    population: list[fitting.Individual] = []
    rng = random.Random(1)
    for _ in range(EPOCHS):
        island = genetic.Island(problem, rng, population, 6)
        island.evolve(EPOCH)
        population, count = island.population, count + island.evaluations
    return time.process_time() - started, count


def by_tree(problem: SearchProblem) -> tuple[float, int]:
    """The same of a tree."""
    started = time.process_time()
    tree = tree_search.TreeState.first(1, 1)
    for _ in range(EPOCHS):
        tree = tree.after(problem, EPOCH)
    return time.process_time() - started, tree.evaluations


def main() -> None:
    """Print the fastest runs."""
    problem = example()
    runs = []
    for _ in range(RUNS):
        spent: dict[str, float] = {}
        with timed(spent):
            seconds, count = evolve(problem)
        runs.append((seconds, count, spent))
    seconds, count, spent = min(runs, key=lambda run: run[0])
    us = 1e6 * seconds / count
    print(
        f"{count / seconds:,.0f} distinct candidates a second a core, {us:.1f} µs each; "
        f"aim {verdict(us, AIM_US)}"
    )
    for name, part in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"  {name:<12}{1e6 * part / count:6.1f} µs")
    print(
        f"digits: {spent['digits'] / seconds:.0%} of the time; "
        f"aim {verdict(spent['digits'] / seconds, EIC_AIM)}"
    )
    whole, tree = example(whole=True), replace(problem, method="mcts")
    for name, found in (
        ("tree search", min(by_tree(tree) for _ in range(RUNS))),
        ("whole numbers 0 to 7", min(evolve(whole) for _ in range(RUNS))),
    ):
        print(f"{name}: {found[1] / found[0]:,.0f} candidates a second a core")


if __name__ == "__main__":
    main()
