"""One run of another tool, in an interpreter that has it; it knows nothing of this project.

Reads JSON from standard input (tool, seconds of the processor, seed, x by columns, y) and prints
JSON: the formula as the tool computes it, with all its digits, and the seconds that it took.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from typing import Any

MODULES = {"gplearn": "gplearn", "operon": "pyoperon"}


def gplearn(x: Any, y: Any, seconds: float, seed: int) -> tuple[str, float]:
    """Generation after generation, with the functions that it has and ours uses."""
    from gplearn.genetic import SymbolicRegressor

    started = time.process_time()
    model = SymbolicRegressor(
        population_size=1000,
        generations=1,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos"),
        parsimony_coefficient=0.001,
        random_state=seed,
        warm_start=True,
        low_memory=True,
    )
    model.fit(x, y)
    while time.process_time() - started < seconds:
        model.set_params(generations=model.generations + 1)
        model.fit(x, y)
    return prefix(model._program.program), time.process_time() - started


def prefix(program: list[Any]) -> str:
    """A program in gplearn's own notation, its numbers whole: its print has three decimals."""
    parts: list[str] = []
    open_counts: list[int] = []
    for node in program:
        if hasattr(node, "arity"):
            parts.append(node.name + "(")
            open_counts.append(node.arity)
            continue
        parts.append(f"X{node}" if isinstance(node, int) else repr(float(node)))
        while open_counts:
            open_counts[-1] -= 1
            if open_counts[-1]:
                parts.append(", ")
                break
            parts.append(")")
            open_counts.pop()
    return "".join(parts)


def operon(x: Any, y: Any, seconds: float, seed: int) -> tuple[str, float]:
    """Our functions and 40 nodes, five steps of its own local fit, else its defaults.

    Its own limit of time is in whole seconds on the clock.  So shorter runs, which are not counted,
    tell how many evaluations the processor makes in the time; fewer and fewer, as formulas grow.
    """
    evaluations, took = TRIAL, 0.0
    while True:
        started = time.process_time()
        model = operon_model(x, y, evaluations, seed)
        took = time.process_time() - started
        if took > 0.8 * seconds:
            return str(model.get_model_string(model.model_, 17)), took
        evaluations = round(evaluations * min(2.0, max(1.2, 0.9 * seconds / took)))


TRIAL = 80_000
"""Evaluations of the shortest run; those of its local fit count."""


def operon_model(x: Any, y: Any, evaluations: int, seed: int) -> Any:
    """A run of so many evaluations."""
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,square,sqrt,exp,log,sin,cos,constant,variable",
        max_length=40,
        optimizer_iterations=5,
        generations=1_000_000,
        max_evaluations=evaluations,
        n_threads=1,
        random_state=seed,
    )
    return model.fit(x, y)


def main() -> None:
    """List the tools that are there, or run one."""
    if "--list" in sys.argv:
        there = [tool for tool, module in MODULES.items() if importlib.util.find_spec(module)]
        print(" ".join(there))
        return
    import numpy as np

    asked = json.load(sys.stdin)
    x, y = np.array(asked["x"]).T, np.array(asked["y"])
    tool = {"gplearn": gplearn, "operon": operon}[asked["tool"]]
    tool(x[:20], y[:20], 0.05, 0)  # what it loads at first
    formula, took = tool(x, y, asked["seconds"], asked["seed"])
    print(json.dumps({"formula": formula, "seconds": took}))


if __name__ == "__main__":
    main()
