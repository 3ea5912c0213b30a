"""A formula as a tree of nodes, as written: EIC measures the writing, so nothing is folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

Parameter = Fraction | None
"""The exact number that is part of an operator: exponent, root index or log base."""

Exponents = Literal["exact", "noisy"]
"""How literal exponents n and n/2 are read: as parts of their operators, or, but for 2 and 3, as
operands with noise of their own (ADR 0020)."""

ALWAYS_EXACT = frozenset((Fraction(2), Fraction(3)))
"""The literal exponents that are parts of their operators however exponents are read."""

VARIABLE = "variable"
CONSTANT = "constant"

UNDEFINED = "nan"
"""Label of the constant that has no value: a branch of a conditional outside its domain."""


class Node(NamedTuple):
    id: int  # Position in post-order, from 0
    # Name of a row of `eic_core.operators.OPERATORS`, or `VARIABLE` or `CONSTANT` at a leaf
    operator: str
    children: tuple[int, ...]  # Ids of the operands, in the order written
    # At a leaf: the variable's canonical name, or the constant as a decimal (``"-2.5"``,
    # ``"1e-3"``), a fraction (``"1/3"``), ``"pi"`` or ``"e"``. Empty elsewhere.
    label: str
    # The exact exponent (``power``), root index (``root``) or base (``log``) that belongs to the
    # operator and carries no noise
    parameter: Parameter
    span: tuple[int, int]  # Character offsets into `Formula.source`

    @property
    def is_leaf(self) -> bool:
        return not self.children


_new_node = tuple.__new__  # takes a third of the time of calling `Node`


@dataclass(slots=True)
class Draft:
    """A node under construction; drafts may share sub-drafts, of which each place gets a copy."""

    operator: str
    children: list[Draft] = field(default_factory=list)
    label: str = ""
    parameter: Parameter = None
    span: tuple[int, int] = (0, 0)
    # The literal exponent that `parameter` is the value of, as it was written
    exponent: Draft | None = None


def variable(name: str, span: tuple[int, int] = (0, 0)) -> Draft:
    return Draft(VARIABLE, label=name, span=span)


def constant(text: str, span: tuple[int, int] = (0, 0)) -> Draft:
    """A constant leaf: a decimal, a fraction ``p/q``, ``pi`` or ``e``."""
    return Draft(CONSTANT, label=text, span=span)


@dataclass(frozen=True, eq=False)
class Formula:
    """An immutable tree with its source; equality is identity, so compare `structure()` instead.

    >>> f = Formula.from_draft(Draft("add", [variable("x"), constant("1")]), "x+1")
    >>> f.complexity, f.root.operator, f.variables
    (3, 'add', ('x',))
    """

    # Post-order: children before their parent, the root last, and the subtree of node k is the
    # slice ``nodes[first[k] : k + 1]``. So nothing recurses, and deep trees are safe.
    nodes: tuple[Node, ...]
    source: str = ""  # The text that was read; node spans point into it
    exponents: Exponents = "exact"  # How its literal exponents were read

    def __reduce__(self) -> tuple[type[Formula], tuple[tuple[Node, ...], str, Exponents]]:
        # cached values may hold addresses of this process
        return Formula, (self.nodes, self.source, self.exponents)

    @classmethod
    def from_draft(cls, root: Draft, source: str = "", exponents: Exponents = "exact") -> Formula:
        parents_first: list[Draft] = []  # parents first, and the last operand before the first
        pending = [root]
        while pending:
            draft = pending.pop()
            parents_first.append(draft)
            if draft.children:
                pending += draft.children
        nodes: list[Node] = []
        done: list[int] = []  # ids of finished operands, a stack; an operator's last one is id - 1
        children: tuple[int, ...]
        for id, draft in enumerate(reversed(parents_first)):
            arity = len(draft.children)
            if arity == 0:
                children = ()
                done.append(id)
            elif arity == 1:
                children = (id - 1,)
                done[-1] = id
            else:
                children = tuple(done[-arity:])
                done[-arity:] = (id,)
            row = (id, draft.operator, children, draft.label, draft.parameter, draft.span)
            nodes.append(_new_node(Node, row))
        return cls(tuple(nodes), source, exponents)

    def to_draft(
        self, node_id: int | None = None, instead: Mapping[int, Draft] = MappingProxyType({})
    ) -> Draft:
        """The tree of a node, by default of all, with what stands `instead` of some nodes in it."""
        last = len(self.nodes) - 1 if node_id is None else node_id
        first = self.first[last]
        drafts: list[Draft] = []
        for node in self.nodes[first : last + 1]:
            children = [drafts[child - first] for child in node.children]
            draft = Draft(node.operator, children, node.label, node.parameter, node.span)
            drafts.append(instead.get(node.id, draft))
        return drafts[-1]

    @property
    def root(self) -> Node:
        return self.nodes[-1]

    @property
    def complexity(self) -> int:
        """Number of nodes; exact exponents and bases belong to their operator."""
        return len(self.nodes)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([n.label for n in self.nodes if n.operator == VARIABLE]))

    @cached_property
    def first(self) -> tuple[int, ...]:
        """For each node, the id of the first node of its subtree."""
        first: list[int] = []
        for node in self.nodes:
            first.append(first[node.children[0]] if node.children else node.id)
        return tuple(first)

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        parents: list[int | None] = [None] * len(self.nodes)
        for node in self.nodes:
            for child in node.children:
                parents[child] = node.id
        return tuple(parents)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        depths = [0] * len(self.nodes)
        for node in reversed(self.nodes):
            for child in node.children:
                depths[child] = depths[node.id] + 1
        return tuple(depths)

    def subtree(self, node_id: int) -> Formula:
        shift = self.first[node_id]
        return Formula(
            tuple(
                Node(
                    n.id - shift,
                    n.operator,
                    tuple(c - shift for c in n.children),
                    n.label,
                    n.parameter,
                    n.span,
                )
                for n in self.nodes[shift : node_id + 1]
            ),
            self.source,
            self.exponents,
        )

    def structure(self) -> tuple[tuple[str, int, str, Parameter], ...]:
        """A hashable key: equal exactly when two trees are identical (spans aside)."""
        return tuple((n.operator, len(n.children), n.label, n.parameter) for n in self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)
