"""Terms that a change of scale multiplies by a power: ``y/expm1(x*y)``, with x growing as y falls.

Such a term is a power of one input times a function of the quantity ``x*y`` alone, so that what is
proved where the input is 1 holds wherever the quantity has the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eic_core.formula.tree import VARIABLE
from eic_core.rewriting.terms import Term, Terms


class Scaling(NamedTuple):
    """Two inputs, and the powers of a scale by which they grow while the quantity stays."""

    unit: int  # The input that may be taken as 1
    other: int  # The one that the quantity then gives
    powers: Mapping[int, int]

    def degree(self, terms: Terms, term: int) -> int | None:
        """The power of the scale by which a term grows, for scales of both signs; None if it does
        not grow by a whole power, or if that is not seen.

        >>> from eic_core.formula.syntax import read
        >>> terms = Terms()
        >>> u, f, g = (terms.add(read(t).formula) for t in ("x*y", "y/expm1(x*y)", "y + x"))
        >>> scaling = scaling_of(terms, u)
        >>> scaling.degree(terms, f), scaling.degree(terms, g)
        (1, None)
        """
        degrees: dict[int, int] = {}
        for number in terms.subterms(term):
            degree = self.powers.get(number, 0)
            if terms[number].children:
                own = _degree(terms[number], [degrees[c] for c in terms[number].children])
                if own is None:
                    return None
                degree = own
            degrees[number] = degree
        return degrees[term]


def scaling_of(terms: Terms, quantity: int) -> Scaling | None:
    """Of a product or quotient of two inputs."""
    operator, children = terms[quantity].operator, terms[quantity].children
    if operator not in ("mul", "div") or len(set(children)) < 2:
        return None
    if any(terms[child].operator != VARIABLE for child in children):
        return None
    first, second = children
    # The quantity is first * 1 or first / 1
    return Scaling(second, first, {second: 1, first: -1 if operator == "mul" else 1})


def inputs_outside(terms: Terms, term: int, quantity: int) -> set[int]:
    """The inputs of a term that stand outside of a quantity."""
    numbers = terms.walk(term, lambda number: number != quantity)
    return {n for n in numbers if terms[n].operator == VARIABLE and n != quantity}


def _degree(term: Term, degrees: list[int]) -> int | None:
    match term.operator:
        case "neg":
            return degrees[0]
        case "mul":
            return sum(degrees)
        case "div":
            return degrees[0] - degrees[1]
        case "add" | "sub":
            return degrees[0] if degrees[0] == degrees[1] else None
        case "power" if term.parameter is not None and float(term.parameter).is_integer():
            return degrees[0] * int(term.parameter)
    return None if any(degrees) else 0
