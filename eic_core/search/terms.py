"""Terms: the additive parts of a candidate, as they are grown, varied and joined.

A term is a tuple of tokens in post-order: a variable by its number (an int), a constant (a float),
or the name of a step.  What a
linear fit does anyway, adding and scaling, is never the last step of a term: a sum is split into two
terms, and a constant factor is dropped (Yu et al.: "the formula split into additive terms").
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from eic_core.errors import DataError
from eic_core.formula.syntax.build import number_label
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node, Parameter

Token = int | float | str
Term = tuple[Token, ...]


class Step(NamedTuple):
    """An operator as a search writes it.

    Attributes
    ----------
    operator : str
        A row of `eic_core.operators.OPERATORS`.
    arity : int
    parameter : Fraction or None
        An exact exponent.
    """

    operator: str
    arity: int
    parameter: Parameter = None


STEPS: Mapping[str, Step] = {
    **{name: Step(name, 2) for name in ("add", "sub", "mul", "div", "pow", "min", "max")},
    **{
        name: Step(name, 1)
        for name in (
            "sin", "cos", "tan", "exp", "log", "sqrt", "abs", "tanh", "sinh", "cosh", "asin",
            "acos", "atan", "erf", "cbrt", "log1p", "expm1", "neg",
        )
    },
    "square": Step("power", 1, Fraction(2)),
    "cube": Step("power", 1, Fraction(3)),
    "inv": Step("power", 1, Fraction(-1)),
}  # fmt: skip
"""What a search may build with, by the names that its users give."""

DEFAULT_STEPS = ("add", "sub", "mul", "div", "square", "sqrt", "exp", "log", "sin", "cos")


@dataclass(frozen=True)
class Grammar:
    """What terms are made of, and how large they may be.

    Attributes
    ----------
    variables : tuple of str
        Canonical names.
    steps : tuple of str
        Keys of `STEPS`.
    most_nodes, most_terms : int
        Of a candidate.
    constants : float
        The part of leaves that are numbers, 0 to 1.
    """

    variables: tuple[str, ...]
    steps: tuple[str, ...] = DEFAULT_STEPS
    most_nodes: int = 40
    most_terms: int = 6
    constants: float = 0.2

    def __post_init__(self) -> None:
        unknown = [name for name in self.steps if name not in STEPS]
        if unknown:
            raise DataError(
                f"there is no operator `{unknown[0]}` to search with",
                hint="there are " + ", ".join(f"`{name}`" for name in STEPS),
            )
        if not self.variables:
            raise DataError("a search needs at least one input column")

    def leaf(self, rng: random.Random) -> Token:
        """A variable, or a number."""
        if rng.random() < self.constants:
            return new_number(rng)
        return rng.randrange(len(self.variables))

    def grown(self, rng: random.Random, depth: int) -> Term:
        """A random term of at most so many levels."""
        if depth <= 0 or rng.random() < 0.15:
            return (self.leaf(rng),)
        name = rng.choice(self.steps)
        operands = [self.grown(rng, depth - 1) for _ in range(STEPS[name].arity)]
        return (*(token for operand in operands for token in operand), name)

    def varied(self, term: Term, rng: random.Random) -> Term:
        """A term with one change: a number moved, a step or leaf replaced, a part grown or cut."""
        kind = rng.random()
        numbers = [i for i, token in enumerate(term) if isinstance(token, float)]
        if numbers and kind < 0.3:
            place = rng.choice(numbers)
            return (*term[:place], moved_number(float(term[place]), rng), *term[place + 1 :])
        if kind < 0.5:
            return self._with_another_step(term, rng)
        end = rng.randrange(len(term))
        start = start_of(term, end)
        if kind < 0.6:  # a part takes the place of the whole
            return term[start : end + 1]
        part: Term
        if kind < 0.75:  # one more step above a part
            name = rng.choice(self.steps)
            part = term[start : end + 1]
            if STEPS[name].arity == 2:
                other = (self.leaf(rng),)
                part = (*part, *other) if rng.random() < 0.5 else (*other, *part)
            part = (*part, name)
        else:
            part = self.grown(rng, rng.choice((0, 1, 1, 2)))
        return (*term[:start], *part, *term[end + 1 :])

    def _with_another_step(self, term: Term, rng: random.Random) -> Term:
        place = rng.randrange(len(term))
        token = term[place]
        other: Token
        if isinstance(token, str):
            arity = STEPS[token].arity
            other = rng.choice([name for name in self.steps if STEPS[name].arity == arity])
        else:
            other = self.leaf(rng)
        return (*term[:place], other, *term[place + 1 :])

    def crossed(self, term: Term, other: Term, rng: random.Random) -> Term:
        """A term with one part replaced by a part of another."""
        end, graft = rng.randrange(len(term)), rng.randrange(len(other))
        part = other[start_of(other, graft) : graft + 1]
        return (*term[: start_of(term, end)], *part, *term[end + 1 :])


def new_number(rng: random.Random) -> float:
    """A number of two digits, of either sign, most of them near 1."""
    if rng.random() < 0.3:
        return float(rng.choice((1, 2, 3, 4, 5, 0.5, -1)))
    return rounded(rng.gauss(0, 1) * 10 ** rng.uniform(-1, 1), 2) or 1.0


def moved_number(value: float, rng: random.Random) -> float:
    """A number beside another, or of the other sign, or a plain one."""
    kind = rng.random()
    if kind < 0.1:
        return -value
    if kind < 0.2:
        return float(round(value)) or 1.0
    return rounded(value * (1 + rng.gauss(0, 1) * 10 ** rng.uniform(-3, 0)), 5) or 1.0


def rounded(value: float, digits: int) -> float:
    """A number with so many significant digits."""
    return float(f"{value:.{digits - 1}e}")


def start_of(term: Term, end: int) -> int:
    """Where the part begins that ends at a place.

    Examples
    --------
    >>> start_of((0, 1, 2.0, "mul", "add"), 3)
    1
    """
    missing, place = 1, end
    while True:
        token = term[place]
        missing -= 1
        if isinstance(token, str):
            missing += STEPS[token].arity
        if not missing:
            return place
        place -= 1


def parts_of(term: Term) -> list[Term]:
    """The terms that a linear fit needs of this one: sums split, constant factors and signs gone.

    A number alone is no term: the intercept stands for it.

    Examples
    --------
    >>> parts_of((0, 2.0, "mul", 1, "sin", "sub"))
    [(0,), (1, 'sin')]
    """
    found: list[Term] = []
    pending = [term]
    while pending:
        part = pending.pop()
        if not any(type(token) is int for token in part):
            continue
        last = part[-1]
        if last == "neg":
            pending.append(part[:-1])
        elif last in ("add", "sub", "mul", "div"):
            middle = start_of(part, len(part) - 2)
            left, right = part[:middle], part[middle:-1]
            if last in ("add", "sub"):
                pending += [right, left]
            elif not any(type(token) is int for token in right):
                pending.append(left)
            elif last == "mul" and not any(type(token) is int for token in left):
                pending.append(right)
            else:
                found.append(part)
        else:
            found.append(part)
    return found


def formula_of(term: Term, variables: Sequence[str]) -> Formula:
    """A term as a formula.

    Parameters
    ----------
    term : Term
    variables : sequence of str
        Their names, by number.

    Examples
    --------
    >>> from eic_core.formula.rendering import to_python
    >>> to_python(formula_of((0, -2.5, "mul", "square", 1, "div"), ("x", "y")))
    '(x*(-2.5))**2/y'
    """
    nodes: list[Node] = []
    done: list[int] = []
    for id, token in enumerate(term):
        children: tuple[int, ...] = ()
        label, parameter = "", None
        if isinstance(token, str):
            operator, arity, parameter = STEPS[token]
            children = tuple(done[-arity:])
            del done[-arity:]
        elif isinstance(token, float):
            operator, label = CONSTANT, constant_label(token)
        else:
            operator, label = VARIABLE, variables[token]
        done.append(id)
        nodes.append(_new_node(Node, (id, operator, children, label, parameter, (0, 0))))
    return Formula(tuple(nodes))


_new_node = tuple.__new__  # a third of what calling `Node` costs


def constant_label(value: float) -> str:
    """A number as a constant leaf spells it.

    Examples
    --------
    >>> constant_label(-2.50), constant_label(3e-7), constant_label(4.0)
    ('-2.5', '3e-7', '4')
    """
    size = number_label(repr(abs(value)).removesuffix(".0"))
    return f"-{size}" if value < 0 else size
