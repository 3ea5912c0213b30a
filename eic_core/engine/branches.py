"""Which nodes are evaluated at which samples, where conditionals choose between branches.

A branch that is not taken can make no sample invalid, singular or doubtful, and its nodes' means
leave the sample out (ADR 0004). A condition is *on its threshold* where noise, however small, may
turn it: a comparison where its sides are equal and one of them moves; a junction where its operands
on thresholds can turn it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import UNIT_ROUNDOFF, Step, Tape
from eic_core.operators import Operator

Truths = np.ndarray[Any, np.dtype[np.bool_]]

ROUNDINGS = 16
"""Within how many roundings of each other two values may be equal."""


def active_slots(tape: Tape, y: Any, count: int, root: int | None = None) -> list[Truths]:
    """For each slot, the samples at which it is evaluated.

    `y` holds every slot's values, nan where there is none; `root` is the slot to begin at, by
    default the root of each formula.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> tape = tape_of(read("where(x > 0, log(x), 0)").formula)
    >>> y = plain_values(tape, {"x": np.array([-1.0, 1.0])}, 2)
    >>> [mask.tolist() for mask in active_slots(tape, y, 2)[3:6]]  # x, log(x), the second 0
    [[False, True], [False, True], [True, False]]
    """
    active = [np.zeros(count, dtype=bool) for _ in tape.first_nodes]
    for slot in tape.roots if root is None else (root,):
        active[slot][:] = True
    for step in reversed(tape.steps):
        rows = active[step.slot]
        if not step.operands or not rows.any():
            continue
        if step.row is not None and step.row.chooses:
            condition, held, other = step.operands
            active[condition] |= rows
            active[held] |= rows & (y[condition] == 1)
            active[other] |= rows & (y[condition] == 0)
        else:
            for operand in step.operands:
                active[operand] |= rows
    return active


def plain_values(
    tape: Tape, columns: Mapping[str, Any], count: int, substitutes: Mapping[int, Any] | None = None
) -> list[Any]:
    """Every slot's value in doubles, whatever is chosen; `substitutes` are values of steps."""

    def apply(step: Step, operands: list[Any]) -> Any:
        if substitutes is not None and step.slot in substitutes:
            return substitutes[step.slot]
        return np.asarray(evaluate(step, operands))

    return forward(tape, leaves(columns, count), apply)


def threshold(
    row: Operator, a: Sequence[Any], stds: Sequence[Any], below: Sequence[Any], equal: Any = None
) -> Any:
    """Where a condition lies on its threshold.

    - `a`, `stds`: its operands' values and absolute deviations.
    - `below`: for a junction, whether each operand is on its threshold.
    - `equal`: for a comparison whose equality doubles cannot tell.

    >>> from eic_core.operators import OPERATORS
    >>> zero, one = np.array([0.0]), np.array([1.0])
    >>> off, on = np.array([False]), np.array([True])
    >>> threshold(OPERATORS["greater_than"], [one, one], [zero, one], [off, off]).tolist()
    [True]
    >>> threshold(OPERATORS["logical_and"], [zero, one], [zero, zero], [off, on]).tolist()
    [False]
    """
    if row.compares:
        same = (a[0] == a[1]) if equal is None else equal
        return same & ((stds[0] > 0) | (stds[1] > 0))
    if len(a) == 1:
        return below[0]
    can_hold = [(x == 1) | on for x, on in zip(a, below, strict=True)]
    can_fail = [(x == 0) | on for x, on in zip(a, below, strict=True)]
    needs_both = bool(row.evaluate([1.0, 0.0], 0.0) == 0)
    if needs_both:
        return (can_hold[0] & can_hold[1]) & (can_fail[0] | can_fail[1])
    return (can_hold[0] | can_hold[1]) & (can_fail[0] & can_fail[1])


def near(a: Any, b: Any, stds: Sequence[Any], leaves: Sequence[bool]) -> Any:
    """Whether two values differ by no more than their roundings `stds`; two leaves never do."""
    if all(leaves):
        return np.zeros(np.shape(a), dtype=bool)
    return np.abs(a - b) <= ROUNDINGS * UNIT_ROUNDOFF * (stds[0] + stds[1])


def choice_terms(
    B: Any, zeros: Sequence[Any], s2: Sequence[Any], jumps: Any, agree: Any
) -> tuple[Any, Any, Any]:
    """The parts of condition and branches in the conditional's s^2: all of the branch taken.
    On the threshold (`jumps`) infinity if the branches differ, else the larger of the two, which
    counts as the part of the branch taken (`agree`). Two branches that are 0 agree: they have no
    relative digit, but the conditional moves no more than they do. `zeros` says where condition and
    branches are 0.
    """
    fails = zeros[0]
    first, second = B.where(fails, 0.0, s2[1]), B.where(fails, s2[2], 0.0)
    if not np.any(jumps):
        return B.where(fails, 0.0, 0.0), first, second
    larger = B.where((s2[1] > s2[2]) | (s2[2] != s2[2]), s2[1], s2[2])
    hinge = agree & zeros[1] & zeros[2]
    agree = agree & (B.isfinite(larger) | hinge)  # without a digit it agrees with nothing else
    fails = B.where(hinge & (s2[1] != s2[2]), np.logical_not(s2[1] > s2[2]), fails)
    first = B.where(jumps & agree & np.logical_not(fails), larger, first)
    second = B.where(jumps & agree & fails, larger, second)
    return B.where(jumps & np.logical_not(agree), B.inf, 0.0), first, second
