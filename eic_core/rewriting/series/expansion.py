"""A question for an expansion, and its answer, in terms."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Point = Fraction | Literal["inf", "-inf"]
Side = Literal["both", "above", "below"]


@dataclass(frozen=True)
class ExpansionQuestion:
    """The expansion of a term in a quantity, at a point of it.

    The quantity is a variable, or a sum, difference, product or quotient in which a variable stands
    once: the term is then written without that variable, by the quantity. Another quantity must be
    held by the term, and its variables stand nowhere else.
    """

    term: int
    quantity: int
    point: Point
    terms: int  # How many coefficients that are not 0
    side: Side = "both"  # Where the data are; of inf and -inf it is known
    row: tuple[tuple[str, float], ...] = ()  # The inputs at a row of the data


@dataclass(frozen=True)
class Expansion:
    """term = factor * sum of coefficients[i] * h**(first + i), h = quantity - point, or 1/quantity
    at inf and -inf. Coefficients and factor are terms without the quantity, but for a factor that
    is a power of it which is not whole, such as sqrt(x); a coefficient may be 0.
    """

    question: ExpansionQuestion
    first: int
    coefficients: tuple[int, ...]
    factor: int | None = None  # None for 1

    # What follows `coefficients` is unknown
