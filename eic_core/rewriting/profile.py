"""What a program loses row by row, as written and with another form, and the branches taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.tape import lay_out
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import program_rows
from eic_core.measure.observed import run_in
from eic_core.operators.wide import Array
from eic_core.rewriting.pieces import Branch
from eic_core.rewriting.precision import Target

MOST_AXES = 2
"""Inputs that a picture shows as they are; of more, it shows what decides the first branch."""

JOINED, COMPARED, SIGNLESS = (
    ("logical_and", "logical_or"),
    ("less_than", "less_equal", "greater_than", "greater_equal"),
    ("abs", "sign", "neg"),
)


class Axis(NamedTuple):
    """A quantity at each row: shape (m,)."""

    name: str
    values: Array


@dataclass(frozen=True, eq=False)
class Profile:
    """Rows are in the order of the data; all arrays have shape (m,)."""

    kind: Target
    inputs: Mapping[str, Array]  # As the type holds them
    before: Array = field(repr=False)  # Digits lost as written; nan where nothing can be compared
    after: Array = field(repr=False)  # The same with the other form
    branch: npt.NDArray[np.int64] = field(repr=False)  # That the row takes, from 0
    branches: tuple[Branch, ...]

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """What a picture is drawn over: the one or two inputs, or what decides the first branch."""
        inputs = tuple(Axis(name, values) for name, values in self.inputs.items())
        if len(inputs) <= MOST_AXES:
            return inputs
        conditions = [branch.condition for branch in self.branches if branch.condition]
        quantity = _deciding(read(conditions[0], syntax="infix").formula) if conditions else None
        if quantity is None:
            return inputs[:1]
        return (Axis(to_python(quantity), _run(quantity, self.inputs, self.kind)),)


def profile(
    inspection: Inspection,
    form: Formula,
    branches: Sequence[Branch] = (),
    kind: Target = "float64",
) -> Profile:
    """A form beside the formula, at the rows where programs for it are measured.

    Parameters
    ----------
    inspection
        Of the formula as written.
    form
        Another form of it; its variables are among those of the formula.
    branches
        Of that form; none if it does not choose.
    kind
        The type in which the program computes.

    Returns
    -------
    Profile
        At 200 rows or fewer.

    Examples
    --------
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1e4, 1e8]})
    >>> inspection = inspect(read("sqrt(x + 1) - sqrt(x)").formula, samples)
    >>> beside = profile(inspection, read("1/(sqrt(x + 1) + sqrt(x))").formula)
    >>> beside.before.round(1).tolist(), beside.axes[0].name
    ([0.3, 3.3, 8.1], 'x')
    """
    rows = program_rows(inspection, kind)
    inputs = {name: np.asarray(column, np.float64) for name, column in rows.inputs.items()}
    taken = np.full(len(rows.positions), max(0, len(branches) - 1))
    for number, branch in reversed([*enumerate(branches)][:-1]):
        holds = _run(read(branch.condition, syntax="infix").formula, rows.inputs, kind)
        taken[holds == 1] = number
    return Profile(
        kind,
        inputs,
        rows.loss().lost,
        rows.loss(lay_out(form)).lost,
        taken,
        tuple(branches),
    )


def _run(formula: Formula, inputs: Mapping[str, Any], kind: Target) -> Array:
    count = len(next(iter(inputs.values()), ()))
    result = run_in(lay_out(formula), inputs, count, kind)[-1]
    return np.broadcast_to(np.asarray(result, dtype=np.float64), count)


def _deciding(condition: Formula) -> Formula | None:
    """The quantity that the first comparison of a condition is about; None if it is not one."""
    while condition.nodes[-1].operator in JOINED:
        condition = condition.subtree(condition.nodes[-1].children[0])
    root = condition.nodes[-1]
    if root.operator not in COMPARED:
        return None
    left, right = map(condition.subtree, root.children)
    quantity = right if all(node.operator == CONSTANT for node in left) else left
    while quantity.nodes[-1].operator in SIGNLESS:
        quantity = quantity.subtree(quantity.nodes[-1].children[0])
    return quantity if any(node.operator == VARIABLE for node in quantity) else None
