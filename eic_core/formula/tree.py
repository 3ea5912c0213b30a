"""A formula as a tree of nodes, exactly as written.

A `Formula` is a flat tuple of `Node` in post-order: every child stands before
its parent, the root is last, and the subtree of node k is the contiguous slice
``nodes[first_of(k) : k + 1]``.  Nothing here recurses, so a tree of 10,000
nodes is as safe as one of three.  Nothing is folded, sorted or simplified: EIC
measures the writing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

Parameter = Fraction | None
"""The exact number that is part of an operator: exponent, root index or log base."""

VARIABLE = "variable"
CONSTANT = "constant"

UNDEFINED = "nan"
"""Label of the constant that has no value: a branch of a conditional outside its domain."""


class Node(NamedTuple):
    """One node of a formula."""

    id: int  # Position in post-order, 0 first; the root has the largest
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
        """True for variables and constants."""
        return not self.children


_new_node = tuple.__new__  # a third of what calling `Node` costs


@dataclass(slots=True)
class Draft:
    """A node under construction: what parsers and rewriters build with.

    Drafts may share sub-drafts; `Formula.from_draft` copies them out, one node
    for each place.
    """

    # operator, label, parameter, span: as `Node` has them
    operator: str
    children: list[Draft] = field(default_factory=list)  # The operands
    label: str = ""
    parameter: Parameter = None
    span: tuple[int, int] = (0, 0)


def variable(name: str, span: tuple[int, int] = (0, 0)) -> Draft:
    """A variable leaf."""
    return Draft(VARIABLE, label=name, span=span)


def constant(text: str, span: tuple[int, int] = (0, 0)) -> Draft:
    """A constant leaf: a decimal, a fraction ``p/q``, ``pi`` or ``e``."""
    return Draft(CONSTANT, label=text, span=span)


@dataclass(frozen=True, eq=False)
class Formula:
    """An immutable expression tree with its source text.

    Formulas compare by identity; compare `structure()` to ask whether two trees are the same.

    >>> f = Formula.from_draft(Draft("add", [variable("x"), constant("1")]), "x+1")
    >>> f.complexity, f.root.operator, f.variables
    (3, 'add', ('x',))
    """

    nodes: tuple[Node, ...]  # Post-order; at least one
    source: str = ""  # The text that was read; node spans point into it

    def __reduce__(self) -> tuple[type[Formula], tuple[tuple[Node, ...], str]]:
        """Pickled without its tape, which holds addresses."""
        return Formula, (self.nodes, self.source)

    @classmethod
    def from_draft(cls, root: Draft, source: str = "") -> Formula:
        """Lay a draft out in post-order, without recursion."""
        parents_first: list[Draft] = []  # and the last operand before the first
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
        return cls(tuple(nodes), source)

    def to_draft(self, node_id: int | None = None) -> Draft:
        """The subtree at `node_id` (default: the root) as a fresh draft."""
        last = len(self.nodes) - 1 if node_id is None else node_id
        first = self.first[last]
        drafts: list[Draft] = []
        for node in self.nodes[first : last + 1]:
            children = [drafts[child - first] for child in node.children]
            drafts.append(Draft(node.operator, children, node.label, node.parameter, node.span))
        return drafts[-1]

    @property
    def root(self) -> Node:
        """The last node in post-order."""
        return self.nodes[-1]

    @property
    def complexity(self) -> int:
        """Number of nodes; exact exponents and bases are part of their operator."""
        return len(self.nodes)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in order of first appearance."""
        return tuple(dict.fromkeys([n[3] for n in self.nodes if n[1] == VARIABLE]))

    @cached_property
    def first(self) -> tuple[int, ...]:
        """For each node, the id of the first node of its subtree."""
        first: list[int] = []
        for node in self.nodes:
            first.append(first[node.children[0]] if node.children else node.id)
        return tuple(first)

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        """For each node, the id of its parent; None at the root."""
        parents: list[int | None] = [None] * len(self.nodes)
        for node in self.nodes:
            for child in node.children:
                parents[child] = node.id
        return tuple(parents)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each node, its distance from the root (0 at the root)."""
        depths = [0] * len(self.nodes)
        for node in reversed(self.nodes):
            for child in node.children:
                depths[child] = depths[node.id] + 1
        return tuple(depths)

    def subtree(self, node_id: int) -> Formula:
        """The formula rooted at `node_id`, ids renumbered from 0, spans kept."""
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
        )

    def structure(self) -> tuple[tuple[str, int, str, Parameter], ...]:
        """A hashable key: equal exactly when two trees are identical (spans aside)."""
        return tuple((n.operator, len(n.children), n.label, n.parameter) for n in self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)
