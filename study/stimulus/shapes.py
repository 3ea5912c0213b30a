"""The shapes of a ballot: drawn when its study is frozen, the same for every rater."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Size = Literal["narrow", "wide"]
CARD: dict[Size, int] = {"narrow": 300, "wide": 480}
"""CSS pixels that a formula, or the map of one, has in its card."""
PLOT: dict[Size, int] = {"narrow": 330, "wide": 640}
"""CSS pixels that a plot with both curves has."""
MAIN_PX, LEAST_PX = 20, 10
"""CSS pixels of a formula's letters, and of its smallest script."""


@dataclass(frozen=True)
class FormulaShape:
    """A formula in two sizes; ``<use href="#…">`` points to `BallotShapes.glyphs`."""

    narrow: str  # An ``<svg>`` in ``currentColor``, as wide as what it draws; wide ones scroll
    wide: str
    mathml: str  # A ``<math>`` for those who do not see it


@dataclass(frozen=True)
class PlotShape:
    """The plot in one size: one with both curves, or a map for each formula."""

    frame: str  # An ``<svg>`` with axes and data, and ``{marks}`` where a formula's marks go
    # What one formula draws; ``{side}`` stands for "a" or "b" in its classes, ``{letter}`` for A or
    # B in its label
    lower: str
    higher: str
    together: bool  # Both in one frame (curves), or a frame each (maps)

    def drawn(self, *, lower_left: bool) -> tuple[str, ...]:
        """One ``<svg>``, or those of A and of B.

        >>> PlotShape("<svg>{marks}</svg>", "[{letter}1]", "[{letter}2]", True).drawn(
        ...     lower_left=False
        ... )
        ('<svg>[A2][B1]</svg>',)
        """
        left, right = (self.lower, self.higher) if lower_left else (self.higher, self.lower)
        marks = [
            text.replace("{side}", letter.lower()).replace("{letter}", letter)
            for letter, text in (("A", left), ("B", right))
        ]
        # In the order of the letters: the order in the page tells nothing.
        parts = ["".join(marks)] if self.together else marks
        return tuple(self.frame.replace("{marks}", part) for part in parts)


@dataclass(frozen=True)
class BallotShapes:
    glyphs: str  # ``<defs>`` with the outlines that both formulas use, in the order of their ids
    lower: FormulaShape
    higher: FormulaShape
    narrow: PlotShape
    wide: PlotShape
    scale: str  # The colour scale of maps as an ``<svg>``; "" for curves
    # What each curve or map does, as a predicate: "rises from 2 to 7 cm, without a turn"
    lower_behaviour: str
    higher_behaviour: str


def shapes_of_values(values: Mapping[str, Any]) -> BallotShapes:
    """From the JSON of a frozen ballot."""
    return BallotShapes(
        **{
            **values,
            "lower": FormulaShape(**values["lower"]),
            "higher": FormulaShape(**values["higher"]),
            "narrow": PlotShape(**values["narrow"]),
            "wide": PlotShape(**values["wide"]),
        }
    )
