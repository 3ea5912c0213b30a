"""What a formula and another form of it lose at each row, and which branch a row takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.tape import lay_out
from eic_core.errors import require
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import CONSTANT, Formula
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import program_rows
from eic_core.measure.observed import run_in
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.precision import Target

NO_BRANCH = -1
"""Stands for the branch where a condition has no value."""

Branches = npt.NDArray[np.int64]


class Arm(NamedTuple):
    """A branch of a form, in the order in which its conditions are asked."""

    conditions: tuple[int, ...]  # Nodes that hold where it is taken; none for the last of all
    node: int

    def condition(self, form: Formula) -> str:
        """In Python's notation; "" where it is taken everywhere else."""
        return " and ".join(to_python(form, node) for node in self.conditions)


def arms_of(form: Formula) -> tuple[Arm, ...]:
    """The branches of the conditional nearest to the root, inner ones on either side in the place
    of theirs; none for a form without a condition.

    >>> from eic_core.formula.syntax import read
    >>> form = read("where(x <= 0, -x, where(x < 2, x, 3*x))").formula
    >>> [(arm.condition(form), to_python(form, arm.node)) for arm in arms_of(form)]
    [('x <= 0', '-x'), ('x < 2', 'x'), ('', '3*x')]
    """
    top = _outermost_choice(form)
    return () if top is None else tuple(_arms(form, top, ()))


def _arms(form: Formula, node: int, conditions: tuple[int, ...]) -> list[Arm]:
    if not _chooses(form, node):
        return [Arm(conditions, node)]
    condition, held, other = form.nodes[node].children
    return [*_arms(form, held, (*conditions, condition)), *_arms(form, other, conditions)]


def taken_branches(form: Formula, columns: Mapping[str, Any], count: int) -> Branches:
    """Which of `arms_of` a program takes at each row, in double precision; `NO_BRANCH` where a
    condition has no value. Zeros for a form without a condition.

    >>> from eic_core.formula.syntax import read
    >>> form = read("where(x <= 0, -x, where(x < 2, x, 3*x))").formula
    >>> taken_branches(form, {"x": np.array([5.0, -1.0, 1.0, np.nan])}, 4).tolist()
    [2, 0, 1, -1]
    """
    top = _outermost_choice(form)
    if top is None:
        return np.zeros(count, dtype=np.int64)
    places = {arm.node: place for place, arm in enumerate(arms_of(form))}
    tape = lay_out(form)
    values = run_in(tape, columns, count, "float64")

    def taken(node: int) -> Branches:
        if node in places:
            return np.full(count, places[node], dtype=np.int64)
        condition, held, other = form.nodes[node].children
        truth = np.broadcast_to(values[tape.slots[condition]], count)
        chosen = np.where(truth != 0, taken(held), taken(other))
        return np.where(np.isnan(truth), NO_BRANCH, chosen)

    return taken(top)


def decided_by(form: Formula) -> tuple[int, ...]:
    """The nodes that the conditions compare with numbers, without their ``abs``; each once.

    >>> from eic_core.formula.syntax import read
    >>> form = read("where(abs(x*y) <= 0.1, x, where(x < 2, y, x*y))").formula
    >>> [to_python(form, node) for node in decided_by(form)]
    ['x*y', 'x']
    """
    conditions = [arm.conditions[-1] for arm in arms_of(form) if arm.conditions]
    compared: dict[str, int] = {}
    for condition in conditions:
        for node in _comparisons(form, condition):
            sides = [side for side in form.nodes[node].children if not _is_number(form, side)]
            if len(sides) == 1:
                side = sides[0]
                if form.nodes[side].operator == "abs":
                    (side,) = form.nodes[side].children
                compared.setdefault(to_python(form, side), side)
    return tuple(compared.values())


def quantities_compared(form: Formula) -> tuple[str, ...]:
    """What its conditions compare, in Python's notation: single quantities, or the inputs if these
    are compared with each other.

    >>> from eic_core.formula.syntax import read
    >>> [quantities_compared(read(f"where({c}, x, y)").formula) for c in ("x + y > 0", "x > y")]
    [('x + y',), ('x', 'y')]
    """
    nodes = decided_by(form)
    if nodes:
        return tuple(to_python(form, node) for node in nodes)
    asked = [form.subtree(arm.conditions[-1]) for arm in arms_of(form)[:-1]]
    return tuple(dict.fromkeys(name for condition in asked for name in condition.variables))


def _comparisons(form: Formula, condition: int) -> list[int]:
    children = form.nodes[condition].children
    if any(_is_truth(form, child) for child in children):
        return [found for child in children for found in _comparisons(form, child)]
    return [condition] if _is_truth(form, condition) else []


def _is_truth(form: Formula, node: int) -> bool:
    of = form.nodes[node]
    return bool(of.children) and OPERATORS[of.operator].truth


def _chooses(form: Formula, node: int) -> bool:
    of = form.nodes[node]
    return bool(of.children) and OPERATORS[of.operator].chooses


def _outermost_choice(form: Formula) -> int | None:
    """The conditional nearest to the root: nodes are in post-order, so it is the last."""
    return max((node.id for node in form if _chooses(form, node.id)), default=None)


def _is_number(form: Formula, node: int) -> bool:
    return not form.subtree(node).variables and (
        form.nodes[node].operator == CONSTANT or bool(form.nodes[node].children)
    )


@dataclass(frozen=True, eq=False)
class Profile:
    """What programs lose with a formula and with another form of it, row by row."""

    form: Formula
    positions: npt.NDArray[np.int64] = field(repr=False)  # Numbers of the rows
    # The inputs that the program gets there
    inputs: Mapping[str, Array] = field(repr=False)
    # before, after: digits lost, from 0 to all of the type; nan where nothing can be compared
    before: Array = field(repr=False)
    after: Array = field(repr=False)
    taken: Branches = field(repr=False)  # The branch of the form, of `arms_of`
    # What the conditions compare with numbers, the first first: its text, and its values
    decided_by: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Of the branches, in Python's notation; none for a form that does not choose."""
        return tuple(arm.condition(self.form) for arm in arms_of(self.form))

    def taken_at(self, columns: Mapping[str, Any], count: int) -> Branches:
        """The branches that are taken at other inputs."""
        return taken_branches(self.form, columns, count)


def profile(inspection: Inspection, form: Formula, target: Target = "float64") -> Profile:
    """The digits that a program loses with the formula as written and with `form`, at the rows at
    which the formula is measured.

    Parameters
    ----------
    inspection
        Of the formula as written.
    form
        Another form, with the same variables.
    target
        The precision of the program.

    Returns
    -------
    Profile
        A value for each measured row.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1e8, -1e8, 0.0]})
    >>> both = inspect(read("sqrt(x**2 + 1) - x").formula, samples)
    >>> form = read("where(x > 0, 1/(sqrt(x**2 + 1) + x), sqrt(x**2 + 1) - x)").formula
    >>> one = profile(both, form)
    >>> one.taken.tolist(), [round(float(lost)) for lost in one.before - one.after]
    ([0, 1, 1], [16, 0, 0])
    """
    require(form, Formula)
    rows = program_rows(inspection, target)
    count = len(rows.positions)
    tape = lay_out(form)
    values = run_in(tape, rows.inputs, count, target)
    quantities = {
        to_python(form, node): _column(values[tape.slots[node]], count) for node in decided_by(form)
    }
    return Profile(
        form,
        rows.positions,
        {name: _column(column, count) for name, column in rows.inputs.items()},
        rows.loss().lost,
        rows.loss(tape).lost,
        taken_branches(form, rows.inputs, count),
        quantities,
    )


def _column(values: Any, count: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=np.float64), count)


class RowSpan(NamedTuple):
    """Neighbouring rows along one quantity, and the mean of the digits that they lose."""

    low: float
    high: float
    rows: int
    before: float
    after: float


def parts_along(values: Array, before: Array, after: Array, most: int = 8) -> tuple[RowSpan, ...]:
    """Up to `most` groups of as many rows, in the order of the values; rows that cannot be compared
    are left out.

    >>> lost = np.array([8.0, 0.0, 0.0, 4.0])
    >>> parts_along(np.array([1.0, 3.0, 4.0, 2.0]), lost, lost / 4, 2)
    (RowSpan(low=1.0, high=2.0, rows=2, before=6.0, after=1.5), \
RowSpan(low=3.0, high=4.0, rows=2, before=0.0, after=0.0))
    """
    usable = np.flatnonzero(np.isfinite(values) & ~np.isnan(before) & ~np.isnan(after))
    if not len(usable):
        return ()
    order = usable[np.argsort(values[usable], kind="stable")]
    return tuple(
        RowSpan(
            float(values[group[0]]),
            float(values[group[-1]]),
            len(group),
            float(np.mean(before[group])),
            float(np.mean(after[group])),
        )
        for group in np.array_split(order, min(most, len(order)))
    )
