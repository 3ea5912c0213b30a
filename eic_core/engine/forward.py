"""Runs a tape from its leaves to its last slot, in any arithmetic.

An arithmetic is two functions: what a leaf is, and what a step makes of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eic_core.engine.tape import Step, Tape

Leaf = Callable[[Step], Any]
Apply = Callable[[Step, list[Any]], Any]


def forward(
    tape: Tape, leaf: Leaf, apply: Apply, slots: int | None = None, *, read_once: bool = False
) -> list[Any]:
    """The value of every slot, or of the first `slots`.

    With `read_once`, where no slot has two readers, a value that was read is forgotten: None stands
    for it.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> tape = tape_of(read("x + sqrt(x)").formula)
    >>> forward(tape, leaves({"x": np.array([4.0])}), evaluate)
    [array([4.]), array([2.]), array([6.])]
    >>> forward(tape, lambda step: 1, lambda step, depths: 1 + max(depths))
    [1, 2, 3]
    """
    y: list[Any] = []
    with np.errstate(all="ignore"):
        for step in tape.steps[:slots]:
            if step.row is None:
                y.append(leaf(step))
                continue
            y.append(apply(step, [y[i] for i in step.operands]))
            if read_once:
                for i in step.operands:
                    y[i] = None
    return y


def leaves(columns: Mapping[str, Any], count: int | None = None) -> Leaf:
    """Columns, and constants as numbers, or as arrays of `count`."""

    def leaf(step: Step) -> Any:
        if step.column:
            return columns[step.column]
        return step.value if count is None else np.full(count, step.value)

    return leaf


def evaluate(step: Step, operands: Sequence[Any]) -> Any:
    """An operator's value in the floating-point type of its operands."""
    assert step.row is not None
    return step.row.evaluate(operands, step.parameter)
