"""What is asked of SymPy, and its answer, in terms."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Point = Fraction | Literal["inf", "-inf"]


@dataclass(frozen=True)
class Question:
    """The expansion of a term in a quantity, at a point of it."""

    term: int
    quantity: int  # A variable, or a term that `term` holds and whose variables stand nowhere else
    point: Point
    terms: int  # How many coefficients that are not 0


@dataclass(frozen=True)
class Expansion:
    """term = sum of coefficients[i] * h**(first + i), h = quantity - point, or 1/quantity at inf.
    The coefficients are terms without the quantity.
    """

    question: Question
    first: int
    coefficients: tuple[int, ...]
