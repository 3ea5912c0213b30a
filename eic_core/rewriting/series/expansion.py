"""A question for an expansion, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from eic_core.rewriting.series.coefficients import Coefficient, is_zero

Point = Fraction | Literal["inf", "-inf"]
Side = Literal["both", "above", "below"]

SIDES = {"both": (1, -1), "above": (1,), "below": (-1,), "inf": (1,), "-inf": (-1,)}


@dataclass(frozen=True)
class ExpansionQuestion:
    """The expansion of a term in a quantity, at a point of it.

    The inputs of the quantity stand nowhere else in the term, or the term is a power of one of them
    times a function of the quantity (`scaling_of`).
    """

    term: int
    quantity: int
    point: Point
    terms: int  # How many coefficients that are not 0
    side: Side = "both"  # Where the data are; of inf and -inf it is known
    row: tuple[tuple[str, float], ...] = ()  # The inputs at a row of the data

    @property
    def at_end(self) -> bool:
        """Whether the point is an end of the line."""
        return isinstance(self.point, str)

    @property
    def sides(self) -> tuple[int, ...]:
        """1 above the point, -1 below it; of an end of the line its sign."""
        return SIDES[self.point if isinstance(self.point, str) else self.side]


@dataclass(frozen=True)
class Expansion:
    """term = |h|**share * sum of coefficients[i] * h**(first + i), h = quantity - point, or
    1/quantity at inf and -inf. Coefficients are without the quantity, and may be 0.
    """

    first: int
    share: Coefficient
    coefficients: tuple[Coefficient, ...]
    ends: bool  # With them, or no other can be written; else what follows is unknown

    @property
    def powers(self) -> list[int]:
        """The places of the coefficients that are not 0."""
        return [i for i, c in enumerate(self.coefficients) if not is_zero(c)]

    def agrees(self, other: Expansion) -> bool:
        """Whether both are the expansion of one function, on both sides of the point."""
        pairs = zip(self.coefficients, other.coefficients, strict=False)
        differences = [self.share, other.share, *(a - b for a, b in pairs)]
        return self.first == other.first and all(is_zero(c) for c in differences)

    def of_terms(self, count: int) -> Expansion:
        """With so many of the coefficients that are not 0, or all of them."""
        last = self.powers[:count][-1]
        return replace(self, coefficients=self.coefficients[: last + 1])
