"""Terms: the additive parts of a candidate, as tuples of tokens in post-order.

Adding and scaling are the work of the linear fit: a sum is split into two terms, and a constant
factor is dropped (Yu et al.: "the formula split into additive terms").
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from eic_core.errors import DataError
from eic_core.formula.syntax.build import constant_label
from eic_core.formula.tree import (
    CONSTANT,
    VARIABLE,
    Draft,
    Formula,
    Node,
    Parameter,
    constant,
)

Token = float | str  # a constant; or the name of a step, or of a variable after a `$`
Term = tuple[Token, ...]
Genome = tuple[Term, ...]
"""The terms of a candidate in the order in which they are written, none twice."""


class Operation(NamedTuple):
    operator: str  # A row of `eic_core.operators.OPERATORS`
    arity: int
    parameter: Parameter = None  # An exact exponent


STEPS: Mapping[str, Operation] = {
    **{name: Operation(name, 2) for name in ("add", "sub", "mul", "div", "pow", "min", "max")},
    **{
        name: Operation(name, 1)
        for name in (
            "sin",
            "cos",
            "tan",
            "exp",
            "log",
            "sqrt",
            "abs",
            "tanh",
            "sinh",
            "cosh",
            "asin",
            "acos",
            "atan",
            "erf",
            "cbrt",
            "log1p",
            "expm1",
            "neg",
        )
    },
    "square": Operation("power", 1, Fraction(2)),
    "cube": Operation("power", 1, Fraction(3)),
    "inv": Operation("power", 1, Fraction(-1)),
}
"""The operators of searches, by the names that users give."""

DEFAULT_STEPS = ("add", "sub", "mul", "div", "square", "sqrt", "exp", "log", "sin", "cos")

ARITY: Mapping[str, int] = {name: step.arity for name, step in STEPS.items()}

VARIABLE_MARK = "$"

Some = TypeVar("Some")


def one_of(some: Sequence[Some], rng: random.Random) -> Some:
    """A random element, at a third of the cost of `random.choice`."""
    return some[int(rng.random() * len(some))]


@dataclass(frozen=True)
class Vocabulary:
    variables: tuple[str, ...]  # Canonical names
    steps: tuple[str, ...] = DEFAULT_STEPS  # Keys of `STEPS`
    most_nodes: int = 40  # The most nodes of a candidate
    constants: float = 0.2  # Share of leaves that are numbers, 0 to 1

    def __post_init__(self) -> None:
        unknown = [name for name in self.steps if name not in STEPS]
        if unknown:
            raise DataError(
                f"there is no operator `{unknown[0]}` to search with",
                hint="there are " + ", ".join(f"`{name}`" for name in STEPS),
            )
        if not self.steps:
            raise DataError("a search needs at least one operator")
        if not self.variables:
            raise DataError("a search needs at least one input column")
        if self.most_nodes < 1:
            raise DataError("a formula needs at least one node")

    @cached_property
    def alike(self) -> Mapping[str, tuple[str, ...]]:
        return {
            name: tuple([other for other in self.steps if ARITY[other] == ARITY[name]])
            for name in self.steps
        }

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        return tuple([VARIABLE_MARK + name for name in self.variables])

    def leaf(self, rng: random.Random) -> Token:
        if rng.random() < self.constants:
            return new_number(rng)
        return one_of(self.leaves, rng)

    def grow(self, rng: random.Random, depth: int) -> Term:
        if depth <= 0 or rng.random() < 0.15:
            return (self.leaf(rng),)
        name = one_of(self.steps, rng)
        if ARITY[name] == 1:
            return (*self.grow(rng, depth - 1), name)
        return (*self.grow(rng, depth - 1), *self.grow(rng, depth - 1), name)

    def vary(self, term: Term, rng: random.Random) -> Term:
        """A term with one change: a number moved, a step or leaf replaced, a part grown or cut."""
        kind = rng.random()
        if kind < 0.3:
            numbers = [i for i, token in enumerate(term) if token.__class__ is float]
            if numbers:
                place = one_of(numbers, rng)
                return (*term[:place], move_number(float(term[place]), rng), *term[place + 1 :])
        end = int(rng.random() * len(term))
        if kind < 0.5:  # another step of as many operands, or another leaf
            token = term[end]
            other = one_of(self.alike[str(token)], rng) if token in ARITY else self.leaf(rng)
            return (*term[:end], other, *term[end + 1 :])
        start = start_of(term, end)
        part = term[start : end + 1]
        if kind < 0.6:  # the part alone
            return part
        if kind < 0.8:  # one more step above a part
            name = one_of(self.steps, rng)
            if ARITY[name] == 2:
                leaf = self.leaf(rng)
                part = (*part, leaf) if rng.random() < 0.5 else (leaf, *part)
            part = (*part, name)
        else:
            part = self.grow(rng, int(rng.random() * 3))
        return (*term[:start], *part, *term[end + 1 :])

    def start(self, rng: random.Random, most_terms: int) -> Genome:
        terms: list[Term] = []
        for _ in range(1 + int(rng.random() * 3)):
            terms += parts_of(self.grow(rng, 1 + int(rng.random() * 4)))
        return self.within(terms, rng, most_terms)

    def within(self, terms: Sequence[Term], rng: random.Random, most_terms: int) -> Genome:
        """A genome of these terms; random ones are left out while they are too long or too many."""
        short = list(dict.fromkeys(terms))
        # each term comes with a coefficient, its product and a sum
        size = sum(map(len, short)) + 3 * len(short) - 1
        while short and (len(short) > most_terms or size - 2 > self.most_nodes):
            gone = short.pop(int(rng.random() * len(short)))
            size -= len(gone) + 3
        return tuple(short)


def cross(term: Term, other: Term, rng: random.Random) -> Term:
    end, graft = int(rng.random() * len(term)), int(rng.random() * len(other))
    return (
        *term[: start_of(term, end)],
        *other[start_of(other, graft) : graft + 1],
        *term[end + 1 :],
    )


def new_number(rng: random.Random) -> float:
    """A number of two digits, of either sign, mostly near 1."""
    kind = rng.random()
    if kind < 0.3:
        return one_of((1.0, 2.0, 3.0, 4.0, 5.0, 0.5, -1.0), rng)
    size = round_digits(10 ** (3 * rng.random() - 2), 2)
    return size if kind < 0.65 else -size


def move_number(value: float, rng: random.Random) -> float:
    """A number near another, or of the other sign, or whole."""
    kind = rng.random()
    if kind < 0.1:
        return -value
    if kind < 0.2:
        return float(round(value)) or 1.0
    far = (2 * rng.random() - 1) * 10 ** (3 * rng.random() - 3)
    return round_digits(value * (1 + far), 5) or 1.0


def round_digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def start_of(term: Term, end: int) -> int:
    """The start of the part that ends at a place.

    >>> start_of(("$x", "$y", 2.0, "mul", "add"), 3)
    1
    """
    missing, place = ARITY.get(term[end], 0), end  # type: ignore[arg-type]
    while missing:
        place -= 1
        missing += ARITY.get(term[place], 0) - 1  # type: ignore[arg-type]
    return place


def has_variable(term: Term) -> bool:
    for token in term:  # noqa: SIM110 - half of what `any` costs
        if token.__class__ is str and token not in ARITY:
            return True
    return False


_SPLIT = frozenset(("add", "sub", "mul", "div", "neg"))


def parts_of(term: Term) -> list[Term]:
    """The terms of a linear fit: sums split, constant factors, signs and plain numbers dropped.

    >>> parts_of(("$x", 2.0, "mul", "$y", "sin", "sub"))
    [('$x',), ('$y', 'sin')]
    """
    if term[-1] not in _SPLIT:
        return [term] if has_variable(term) else []
    parts: list[Term] = []
    pending = [term]
    while pending:
        part = pending.pop()
        last = part[-1]
        if last not in _SPLIT:
            if has_variable(part):
                parts.append(part)
        elif last == "neg":
            pending.append(part[:-1])
        else:
            middle = start_of(part, len(part) - 2)
            left, right = part[:middle], part[middle:-1]
            if last == "add" or last == "sub":
                pending += [right, left]
            elif not has_variable(right):
                pending.append(left)
            elif last == "mul" and not has_variable(left):
                pending.append(right)
            else:
                parts.append(part)
    return parts


def formula_of(term: Term) -> Formula:
    """A term as a formula.

    >>> from eic_core.formula.rendering import to_python
    >>> to_python(formula_of(("$x", -2.5, "mul", "square", "$y", "div")))
    '(x*(-2.5))**2/y'
    """
    nodes: list[Node] = []
    stack: list[int] = []
    for id, token in enumerate(term):
        children: tuple[int, ...] = ()
        arity = ARITY.get(token, 0)  # type: ignore[arg-type]
        if arity:
            children = tuple(stack[-arity:])
            del stack[-arity:]
        stack.append(id)
        nodes.append(node_of(token, id, children))
    return Formula(tuple(nodes))


_new_node = tuple.__new__  # a third of what calling `Node` costs


def node_of(token: Token, id: int, children: tuple[int, ...]) -> Node:
    """A token as node `id` of a formula."""
    if isinstance(token, float):
        return _new_node(Node, (id, CONSTANT, children, constant_label(token), None, (0, 0)))
    if token in STEPS:
        operator, _, parameter = STEPS[token]
        return _new_node(Node, (id, operator, children, "", parameter, (0, 0)))
    name = token.removeprefix(VARIABLE_MARK)
    return _new_node(Node, (id, VARIABLE, children, name, None, (0, 0)))


def scaled(part: Draft, size: float) -> Draft:
    return part if size == 1 else Draft("mul", [constant(constant_label(size)), part])


def without_ones(formula: Formula) -> Formula:
    """The formula without factors that are exactly 1: each would cost two nodes.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> to_python(without_ones(read("1*(x0*x1) + sin(x0*1) - 2*x1").formula))
    'x0*x1 + sin(x0) - 2*x1'
    """
    drafts: list[Draft] = []
    for node in formula.nodes:
        below = [drafts[child] for child in node.children]
        if node.operator == "mul":
            factors = [
                part for part in below if not (part.operator == CONSTANT and part.label == "1")
            ]
            if len(factors) == 1:
                drafts.append(factors[0])
                continue
        drafts.append(Draft(node.operator, below, node.label, node.parameter))
    return Formula.from_draft(drafts[-1])


def join_sum(whole: Draft, part: Draft, positive: bool) -> Draft:
    """The sum of both, or if not `positive` their difference."""
    return Draft("add" if positive else "sub", [whole, part])
