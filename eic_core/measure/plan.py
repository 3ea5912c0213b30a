"""A formula compiled to a tape: what is evaluated, once each, in which order.

Identical subtrees have identical values and amplifications at every sample, so
they share one slot; subtrees of constants alone are evaluated once per formula.
Compiling is a single pass in Python over the nodes; there is no code generation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple
from weakref import WeakKeyDictionary

from eic_core.formula.operators import OPERATORS, Operator
from eic_core.formula.tree import CONSTANT, Formula, Node

SINGULAR_S2 = 1e60
"""Above this s^2 (s > 10^30) a sample counts as singular at the node."""

UNIT_ROUNDOFF = 2.0**-53

RECHECK_S2 = (1e-3 / UNIT_ROUNDOFF) ** 2
"""Above this s^2 double precision itself has fewer than three digits left."""

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


@dataclass(frozen=True, eq=False)
class Plan:
    """The tape of a formula.

    Attributes
    ----------
    steps : tuple of Step
        Evaluation order.
    slots : tuple of int
        For each node of the formula, the slot that holds its result.
    constant : tuple of bool
        For each slot, whether no variable stands below it.
    last_use : tuple of int
        For each slot, the last step that reads it (itself if none).
    variables : tuple of str
        Column names that the tape reads.
    """

    steps: tuple[Step, ...]
    slots: tuple[int, ...]
    constant: tuple[bool, ...]
    last_use: tuple[int, ...]
    variables: tuple[str, ...]


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


def compile_formula(
    formula: Formula, *, share: bool = True, alike: Alike | None = None
) -> Plan:
    """Lay a formula out as a tape.

    Parameters
    ----------
    formula : Formula
    share : bool
        False gives every node a slot of its own (for perturbation, where two
        equal subtrees carry different noise).
    alike : callable (node, slots of its operands) -> hashable, optional
        What nodes that share a slot have in common; by default all but their ids.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> plan = compile_formula(read("sin(x)*sin(x)").formula)
    >>> len(plan.steps), plan.slots
    (3, (0, 1, 0, 1, 2))
    """
    known: dict[Hashable, int] = {}
    steps: list[Step] = []
    slots: list[int] = []
    constant: list[bool] = []
    last_use: list[int] = []
    for node in formula.nodes:
        node_id, operator, children, label, parameter, _ = node
        operands = tuple([slots[child] for child in children])
        key = (operator, operands, label, parameter) if alike is None else alike(node, operands)
        slot = known.get(key, -1) if share else -1
        if slot < 0:
            slot = len(steps)
            known[key] = slot
            if operands:
                row = OPERATORS[operator]
                plain = parameter is None and operator != "log"
                p = math.nan if plain else row.parameter(parameter)
                steps.append(Step(slot, node_id, row, operands, p, parameter, "", "", math.nan))
                constant.append(all([constant[i] for i in operands]))
                for i in operands:
                    last_use[i] = slot
            elif operator == CONSTANT:
                value = constant_value(label)
                steps.append(Step(slot, node_id, None, (), math.nan, None, "", label, value))
                constant.append(True)
            else:
                steps.append(Step(slot, node_id, None, (), math.nan, None, label, "", math.nan))
                constant.append(False)
            last_use.append(slot)
        slots.append(slot)
    return Plan(
        tuple(steps), tuple(slots), tuple(constant), tuple(last_use), formula.variables
    )


_PLANS: WeakKeyDictionary[Formula, Plan] = WeakKeyDictionary()


def plan_of(formula: Formula) -> Plan:
    """The formula's tape, kept for as long as the formula lives."""
    plan = _PLANS.get(formula)
    if plan is None:
        plan = _PLANS[formula] = compile_formula(formula)
    return plan
