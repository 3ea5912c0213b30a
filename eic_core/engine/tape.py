"""A formula, or a population of formulas, laid out as a flat postfix tape.

Identical subtrees have identical values and amplifications at every sample, so they share one slot,
within a formula and across a population.  Laying out is a single pass in Python over the nodes;
there is no code generation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from eic_core.formula.tree import CONSTANT, Formula, Node
from eic_core.operators import OPERATORS, Operator

SINGULAR_S2 = 1e60
"""Above this s^2 (s > 10^30) a sample counts as singular at the node."""

UNIT_ROUNDOFF = 2.0**-53

RECHECK_S2 = (1e-3 / UNIT_ROUNDOFF) ** 2
"""Above this s^2 double precision itself has fewer than three digits left."""

SMALLEST_NORMAL = 2.0**-1022

Alike = Callable[[Node, tuple[int, ...]], Hashable]
"""What a node over the slots of its operands has in common with those that share its slot."""


class Step(NamedTuple):
    """One slot of the tape.

    Attributes
    ----------
    slot : int
        Its index in the tape; operands have smaller ones.
    node : int
        Id of the first node (in post-order) that it stands for.
    row : Operator or None
        None at a leaf.
    operands : tuple of int
        Slots.
    parameter : float
        As `Operator.parameter` gives it.
    exact_parameter : Fraction or None
        As the tree has it.
    column : str
        Variable name at a variable leaf, else "".
    label : str
        Constant's text at a constant leaf, else "".
    value : float
        Constant's value at a constant leaf, else nan.
    """

    slot: int
    node: int
    row: Operator | None
    operands: tuple[int, ...]
    parameter: float
    exact_parameter: Fraction | None
    column: str
    label: str
    value: float


class Leaf(NamedTuple):
    """What a tape holds in place of an operator at a leaf."""

    column: str
    label: str
    value: float


@dataclass(frozen=True, eq=False)
class Tape:
    """What is evaluated, once each, in which order.

    Attributes
    ----------
    slots : tuple of int
        For each node, the slot that holds its result; of a population, the nodes of all formulas.
    nodes : list of int
        For each slot, the first node (in post-order) that it stands for.
    rows : list of Operator or Leaf
        For each slot.
    operands : list of tuple of int
        For each slot, the slots that it reads.
    exact_parameters : list of Fraction or None
        For each slot, the parameter as the tree has it.
    variables : tuple of str
        Column names that the tape reads.
    roots : tuple of int
        For each formula, its last slot.
    population : bool
        Whether it holds many formulas, perhaps only one of them.
    """

    slots: tuple[int, ...]
    nodes: list[int]
    rows: list[Operator | Leaf]
    operands: list[tuple[int, ...]]
    exact_parameters: list[Fraction | None]
    variables: tuple[str, ...]
    roots: tuple[int, ...]
    population: bool = False
    _compiled: dict[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Each slot with all that is known of it, in the order of evaluation."""
        steps = []
        for slot, row in enumerate(self.rows):
            node, operands = self.nodes[slot], self.operands[slot]
            exact = self.exact_parameters[slot]
            if isinstance(row, Operator):
                p = row.parameter(exact) if row.has_parameter else math.nan
                steps.append(Step(slot, node, row, operands, p, exact, "", "", math.nan))
            else:
                steps.append(Step(slot, node, None, (), math.nan, None, *row))
        return tuple(steps)

    @cached_property
    def constant(self) -> tuple[bool, ...]:
        """For each slot, whether no variable stands below it."""
        found: list[bool] = []
        for row, operands in zip(self.rows, self.operands, strict=True):
            if isinstance(row, Leaf):
                found.append(not row.column)
            else:
                found.append(all(found[i] for i in operands))
        return tuple(found)

    def members(self, root: int) -> list[int]:
        """The slots below and at a slot, ascending."""
        reached = {root}
        for slot in range(root, -1, -1):
            if slot in reached:
                reached.update(self.operands[slot])
        return sorted(reached)


def constant_value(label: str) -> float:
    """The double nearest to a constant leaf's text.

    Examples
    --------
    >>> constant_value("1/4"), constant_value("-2e3"), constant_value("pi")
    (0.25, -2000.0, 3.141592653589793)
    """
    if label == "pi":
        return math.pi
    if label == "e":
        return math.e
    try:
        return float(Fraction(label)) if "/" in label else float(label)
    except OverflowError:
        return -math.inf if label.startswith("-") else math.inf


@lru_cache(maxsize=8192)
def _constant(label: str) -> Leaf:
    return Leaf("", label, constant_value(label))


@lru_cache(maxsize=1024)
def _variable(name: str) -> Leaf:
    return Leaf(name, "", math.nan)


def leaf_in_range(label: str, value: float) -> bool:
    """Whether a constant's double is as good as a double can be."""
    if SMALLEST_NORMAL <= abs(value) < math.inf:
        return True
    mantissa = label.lower().partition("e")[0]
    return not mantissa.strip("+-0./")


def lay_out(formula: Formula, *, share: bool = True, alike: Alike | None = None) -> Tape:
    """Lay a formula out as a tape.

    Parameters
    ----------
    formula : Formula
    share : bool
        False gives every node a slot of its own (for perturbation, where two equal subtrees carry
        different noise).
    alike : callable (node, slots of its operands) -> hashable, optional
        What nodes that share a slot have in common; by default all but their ids.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("sin(x)*sin(x)").formula)
    >>> len(tape), tape.slots
    (3, (0, 1, 0, 1, 2))
    """
    return _lay_out([formula], share, alike)


def lay_out_population(formulas: Sequence[Formula]) -> Tape:
    """Lay many formulas out as one tape, equal subtrees once.

    Parameters
    ----------
    formulas : sequence of Formula

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out_population([read("sin(x)*y").formula, read("sin(x)+1").formula])
    >>> len(tape), tape.roots  # x, sin, y, mul, 1, add
    (6, (3, 5))
    """
    return _lay_out(formulas, True, None, population=True)


def _lay_out(
    formulas: Sequence[Formula], share: bool, alike: Alike | None, *, population: bool = False
) -> Tape:
    known: dict[Hashable, int] = {}
    seen = known.get
    slots: list[int] = []
    nodes: list[int] = []
    rows: list[Operator | Leaf] = []
    all_operands: list[tuple[int, ...]] = []
    parameters: list[Fraction | None] = []
    roots: list[int] = []
    columns: dict[str, None] = {}
    for formula in formulas:
        first = len(slots)
        own = slots if not first else []
        for node in formula.nodes:
            node_id, operator, children, label, parameter, _ = node
            key: Hashable
            if children:
                if len(children) == 2:
                    left, right = children
                    operands: tuple[int, ...] = (own[left], own[right])
                else:
                    operands = tuple([own[child] for child in children])
                key = (operator, operands, parameter) if alike is None else alike(node, operands)
            else:
                operands = ()
                key = (operator, label) if alike is None else alike(node, operands)
            slot = seen(key) if share else None
            if slot is None:
                slot = known[key] = len(rows)
                nodes.append(first + node_id)
                all_operands.append(operands)
                parameters.append(parameter)
                if children:
                    rows.append(OPERATORS[operator])
                elif operator == CONSTANT:
                    rows.append(_constant(label))
                else:
                    rows.append(_variable(label))
                    columns[label] = None
            own.append(slot)
        if first:
            slots += own
        roots.append(own[-1])
    return Tape(
        tuple(slots), nodes, rows, all_operands, parameters, tuple(columns), tuple(roots),
        population,
    )  # fmt: skip


def tape_of(formula: Formula) -> Tape:
    """The formula's tape, kept with the formula (which never changes)."""
    kept = formula.__dict__
    tape: Tape | None = kept.get("_tape")
    if tape is None:
        tape = kept["_tape"] = _lay_out([formula], True, None)
    return tape
