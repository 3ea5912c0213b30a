"""An oracle for arriving noise: shake nodes at 340 digits and look at the result.

It shares no code with the engine: values come from `tests.core.measure.oracle.apply`,
derivatives are central differences, and classes are compared as nested tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from tests.core.measure.oracle import BeyondReach, NoRealValue, apply, mp, number

STEPS = (mp.mpf(10) ** -120, mp.mpf(10) ** -250)
"""Both must tell the same, or the value varies within a step: a sine of 1e200, say."""


def value(
    formula: Formula,
    cells: Mapping[str, str],
    shaken: Iterable[int] = (),
    by: Any = 0,
    target: int | None = None,
) -> Any:
    """The formula's value when each node in `shaken` is multiplied by 1 + `by`.

    Raises
    ------
    NoRealValue
        Outside the domain.
    """
    shaken = frozenset(shaken)
    values: list[Any] = []
    for node in formula.nodes:
        if node.operator in (VARIABLE, CONSTANT):
            y = number(cells[node.label] if node.operator == VARIABLE else node.label)
        else:
            y = apply(node.operator, [values[i] for i in node.children], node.parameter)
        values.append(y * (1 + by) if node.id in shaken else y)
    return values[-1 if target is None else target]


def arrival(
    formula: Formula, cells: Mapping[str, str], shaken: Iterable[int], target: int | None = None
) -> Any:
    """d ln y_t / d epsilon for one noise shared by the nodes in `shaken`; None without one.

    Raises
    ------
    BeyondReach
        If no step is small enough.
    """
    shaken = frozenset(shaken)
    y = value(formula, cells, target=target)
    if y == 0:
        return None
    slopes = []
    for step in STEPS:
        try:
            up = value(formula, cells, shaken, step, target)
            down = value(formula, cells, shaken, -step, target)
        except NoRealValue:
            return None
        slopes.append((up - down) / (2 * step * y))
    coarse, fine = slopes
    if abs(coarse - fine) > mp.mpf(10) ** -20 * max(1, abs(fine)):
        raise BeyondReach
    return fine


def classes(formula: Formula) -> list[list[int]]:
    """Nodes that are identical up to the order of the operands of + and *."""
    keys: list[tuple[Any, ...]] = []
    groups: dict[tuple[Any, ...], list[int]] = {}
    for node in formula.nodes:
        below = [keys[i] for i in node.children]
        if node.operator in ("add", "mul"):
            below.sort(key=repr)
        label = str(number(node.label)) if node.operator == CONSTANT else node.label
        key = (node.operator, label, str(node.parameter), *below)
        keys.append(key)
        groups.setdefault(key, []).append(node.id)
    return list(groups.values())
