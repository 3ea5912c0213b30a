"""Lays a formula, or many, out as a list of steps in which equal subtrees share one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from eic_core.errors import require
from eic_core.formula.tree import CONSTANT, UNDEFINED, VARIABLE, Formula, Node
from eic_core.operators import OPERATORS, ROWS, Operator

SINGULAR_S2 = 1e60
"""Above this s^2 (s > 10^30) a sample counts as singular at the node."""

UNIT_ROUNDOFF = 2.0**-53

RECHECK_S2 = (1e-3 / UNIT_ROUNDOFF) ** 2
"""Above this s^2 double precision itself has fewer than three digits left."""

SMALLEST_NORMAL = 2.0**-1022

MAX_LOG10, LEAST_LOG10 = 10**6, -3 * 10**14
"""Outside 10^(10^6) and 10^(-3 10^14) a value counts as having left every range (ADR 0001)."""

CONDITIONS = frozenset([row.name for row in ROWS if not row.numeric])
"""Operators of which the native engine knows nothing: comparisons and what they decide."""

Alike = Callable[[Node, tuple[int, ...]], Hashable]
"""What a node over the slots of its operands has in common with those that share its slot."""


class Step(NamedTuple):
    slot: int  # Its index in the tape; operands have smaller ones
    node: int  # Id of the first node (in post-order) that it stands for
    row: Operator | None  # None at a leaf
    operands: tuple[int, ...]  # Slots
    parameter: float  # As `Operator.parameter` gives it
    exact_parameter: Fraction | None  # As the tree has it
    column: str  # Variable name at a variable leaf, else ""
    label: str  # Constant's text at a constant leaf, else ""
    value: float  # Constant's value at a constant leaf, else nan


@dataclass(frozen=True, eq=False, init=False)
class Tape:
    # For each node, the slot that holds its result; of a population, the nodes of all formulas
    slots: tuple[int, ...]
    first_nodes: list[Node]  # For each slot, the first node (in post-order) that it stands for
    reads: list[int]  # The slots that each slot reads, one slot after the other
    roots: tuple[int, ...]  # For each formula, its last slot
    population: bool  # Whether it holds many formulas, perhaps only one of them
    size: int  # How many slots it has
    not_laid_out: tuple[Formula, ...]  # Formulas that it will hold, if nobody has asked for slots
    variables: tuple[str, ...]  # In the order of their slots
    _compiled: dict[str, Any] = field(repr=False)

    def __init__(
        self,
        slots: tuple[int, ...],
        first_nodes: list[Node],
        reads: list[int],
        roots: tuple[int, ...],
        population: bool = False,
        compiled: dict[str, Any] | None = None,
    ) -> None:
        self.__dict__.update(  # a third of what a frozen class costs
            size=len(first_nodes),
            not_laid_out=(),
            slots=slots,
            first_nodes=first_nodes,
            reads=reads,
            roots=roots,
            population=population,
            variables=tuple([node[3] for node in first_nodes if node[1] == VARIABLE]),
            _compiled={} if compiled is None else compiled,
        )

    def __len__(self) -> int:
        return self.size

    @cached_property
    def nodes(self) -> list[int]:
        return [node[0] for node in self.first_nodes]

    @cached_property
    def operands(self) -> list[tuple[int, ...]]:
        return [tuple(self.reads[edges]) for edges in self.edges]

    @cached_property
    def edges(self) -> list[slice]:
        """For each slot, the places of its operands among those of all slots."""
        ends = accumulate([len(node.children) for node in self.first_nodes], initial=0)
        return [slice(*pair) for pair in pairwise(ends)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables, each once."""
        return tuple(dict.fromkeys(self.variables))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        steps = []
        for slot, (node, operands) in enumerate(zip(self.first_nodes, self.operands, strict=True)):
            row, exact, label = None, node.parameter, node.label
            p, column, value = math.nan, "", math.nan
            if node.children:
                row, label = OPERATORS[node.operator], ""
                p = row.parameter(exact) if row.has_parameter else math.nan
            elif node.operator == CONSTANT:
                value = constant_value(label)
            else:
                column, label = label, ""
            steps.append(Step(slot, node.id, row, operands, p, exact, column, label, value))
        return tuple(steps)

    @cached_property
    def chooses(self) -> bool:
        return any(node[1] in CONDITIONS for node in self.first_nodes)

    @cached_property
    def counted(self) -> frozenset[int]:
        """Slots of truth values that count as numbers, 1 or 0: as in ``(x > 0)*x``."""
        truths = {step.slot for step in self.steps if step.row is not None and step.row.truth}
        slots = truths.intersection(self.roots)
        for step in self.steps:
            if step.row is None or (step.row.truth and not step.row.compares):
                continue
            slots.update(truths.intersection(step.operands[1 if step.row.chooses else 0 :]))
        return frozenset(slots)

    @cached_property
    def constant(self) -> tuple[bool, ...]:
        constant: list[bool] = []
        for node, operands in zip(self.first_nodes, self.operands, strict=True):
            constant.append(node.operator != VARIABLE and all(constant[i] for i in operands))
        return tuple(constant)

    def members(self, root: int) -> list[int]:
        reached = {root}
        for slot in range(root, -1, -1):
            if slot in reached:
                reached.update(self.operands[slot])
        return sorted(reached)

    def part(self, slots: Sequence[int]) -> Tape:
        """Some steps and all below them, ascending, as a tape of their own."""
        place = {slot: i for i, slot in enumerate(slots)}
        return Tape(
            tuple(place.values()),
            [self.first_nodes[slot] for slot in slots],
            [place[i] for slot in slots for i in self.operands[slot]],
            (len(place) - 1,),
        )


def constant_value(label: str) -> float:
    """The double nearest to a constant leaf's text.

    >>> constant_value("1/4"), constant_value("-2e3"), constant_value("pi")
    (0.25, -2000.0, 3.141592653589793)
    """
    if label == "pi":
        return math.pi
    if label == "e":
        return math.e
    if label == UNDEFINED:
        return math.nan
    try:
        return float(Fraction(label)) if "/" in label else float(label)
    except OverflowError:
        return -math.inf if label.startswith("-") else math.inf


def is_shortest(label: str, value: float) -> bool:
    """Whether a constant's text is the number that its double stands for: the shortest decimal.

    >>> [is_shortest(label, constant_value(label)) for label in ("0.10", "1/4", "1/3", "pi")]
    [True, True, False, False]
    """
    shortest = repr(value)
    if label == shortest or f"{label}.0" == shortest or not value:
        return True
    if label in ("pi", "e") or not SMALLEST_NORMAL <= abs(value) < math.inf:
        return False
    return Fraction(label) == Fraction(shortest)


def leaf_in_range(label: str, value: float) -> bool:
    if SMALLEST_NORMAL <= abs(value) < math.inf:
        return True
    mantissa = label.lower().partition("e")[0]
    return not mantissa.strip("+-0./") or label == UNDEFINED


def lay_out(formula: Formula, *, share: bool = True, alike: Alike | None = None) -> Tape:
    """Lay a formula out as a tape.

    `share=False` gives every node a slot of its own (for perturbation, where two equal subtrees
    carry different noise); `alike` is the common key of nodes that share a slot, by default all but
    their ids.

    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("sin(x)*sin(x)").formula)
    >>> len(tape), tape.slots
    (3, (0, 1, 0, 1, 2))
    """
    if alike is not None:
        return _lay_out_alike(formula, alike)
    return Tape(*_unshared(formula)) if not share else _FormulaTape((formula,))


def lay_out_population(formulas: Sequence[Formula]) -> Tape:
    """Lay many formulas out as one tape, equal subtrees once.

    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out_population([read("sin(x)*y").formula, read("sin(x)+1").formula])
    >>> len(tape), tape.roots  # x, sin, y, mul, 1, add
    (6, (3, 5))
    """
    return _FormulaTape(tuple(formulas), population=True)


_Parts = tuple[tuple[int, ...], list[Node], list[int], tuple[int, ...]]
"""Slots, first nodes, reads and roots."""


class _Part:
    """A part of a tape that is not laid out yet; once it is, the tape has the part itself."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tape: _FormulaTape, owner: type) -> Any:
        tape.lay_out()
        return tape.__dict__[self.name]


class _FormulaTape(Tape):
    """A tape of formulas that the native engine lays out, or Python once a part is asked for."""

    slots, first_nodes, reads, roots, variables, size = (_Part() for _ in range(6))

    def __init__(self, formulas: tuple[Formula, ...], population: bool = False) -> None:
        self.__dict__.update(not_laid_out=formulas, population=population, _compiled={})

    def lay_out(self) -> None:
        formulas = self.not_laid_out
        if (laid_out := self.__dict__.get("laid_out")) is None:
            parts = _lay_out(formulas, self.population)
        else:
            numbers, at = laid_out
            nodes = [node for formula in formulas for node in formula.nodes]
            count = len(nodes)
            slots = tuple(numbers[at : at + count])
            first = numbers[at + count : at + count + self.size]
            first_nodes = [nodes[i] for i in first]
            operands = sum([len(node[2]) for node in first_nodes])
            ends = accumulate([len(formula.nodes) for formula in formulas])
            roots = tuple([slots[end - 1] for end in ends])
            parts = slots, first_nodes, numbers[count : count + operands].tolist(), roots
        Tape.__init__(self, *parts, self.population, self._compiled)


def _unshared(formula: Formula) -> _Parts:
    reads = [child for node in formula.nodes for child in node.children]
    size = len(formula.nodes)
    return tuple(range(size)), list(formula.nodes), reads, (size - 1,)


def _lay_out(formulas: Sequence[Formula], population: bool) -> _Parts:
    """Nodes of one key share a slot: an operator with its parameter and slots, or a leaf."""
    slot_by_key: dict[tuple[Any, ...], int] = {}
    slots: list[int] = []
    first_nodes: list[Node] = []
    reads: list[int] = []
    roots: list[int] = []
    for formula in formulas:
        own: list[int] = []
        for node in formula.nodes:
            operands = [own[child] for child in node.children]
            if len(operands) == 3 and node.operator in CONDITIONS and not population:
                return _unshared(formula)  # copies in two branches differ in rows
            key = (node.operator, node.label, node.parameter, *operands)
            slot = slot_by_key.setdefault(key, len(first_nodes))
            if slot == len(first_nodes):
                first_nodes.append(node)
                reads += operands
            own.append(slot)
        slots += own
        roots.append(own[-1])
    return tuple(slots), first_nodes, reads, tuple(roots)


def _lay_out_alike(formula: Formula, alike: Alike) -> Tape:
    slot_by_key: dict[Hashable, int] = {}
    slots: list[int] = []
    first_nodes: list[Node] = []
    reads: list[int] = []
    for node in formula.nodes:
        operands = tuple([slots[child] for child in node.children])
        slot = slot_by_key.setdefault(alike(node, operands), len(first_nodes))
        if slot == len(first_nodes):
            first_nodes.append(node)
            reads += operands
        slots.append(slot)
    return Tape(tuple(slots), first_nodes, reads, (slots[-1],))


def alone(node: Node) -> Tape:
    """The step of a node by itself; its operands are the variables ``x0``, ``x1`` and so on.

    >>> from eic_core.formula.syntax import read
    >>> alone(read("sin(a*b)").formula.nodes[2]).variables
    ('x0', 'x1')
    """
    places = tuple(range(len(node.children)))
    leaves = [Node(i, VARIABLE, (), f"x{i}", None, (0, 0)) for i in places]
    step = node._replace(id=len(places), children=places)
    return Tape((*places, len(places)), [*leaves, step], list(places), (len(places),))


def tape_of(formula: Formula) -> Tape:
    """The formula's tape, kept with the formula (which never changes)."""
    require(formula, Formula)
    attributes = formula.__dict__
    tape: Tape | None = attributes.get("_tape")
    if tape is None:
        tape = attributes["_tape"] = _FormulaTape((formula,))
    return tape
