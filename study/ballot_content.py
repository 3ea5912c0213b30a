"""A pair's ballot as it is stored at freezing: both formulas in canonical order.

Stays on the server.  `BallotContent.ballot` gives out the side-resolved `Ballot`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from study.ballot_types import Axis, Ballot, BallotFigure, FormulaCard
from study.design import StudyDesign, canonical_json


@dataclass(frozen=True)
class BallotContent:
    """What both members of a pair look like.

    Attributes
    ----------
    title, description : str
        The problem's.
    figure : BallotFigure
    lower, higher : FormulaCard
        By EIC; for practice and attention, `lower` is the expected answer.
    digits : int
        Significant digits shown, the same for both.
    r2_change : float
        The larger change of the two R² through rounding; at most 0.001.
    instruction : str
        For an instructed attention check, with ``{letter}`` for A or B.
    """

    title: str
    description: str
    figure: BallotFigure
    lower: FormulaCard
    higher: FormulaCard
    digits: int
    r2_change: float
    instruction: str = ""

    def ballot(
        self, design: StudyDesign, *, lower_left: bool, token: str, number: int, of: int,
        practice: bool = False,
    ) -> Ballot:
        """The ballot that a rater gets, sides resolved."""
        left, right = (self.lower, self.higher) if lower_left else (self.higher, self.lower)
        letter = "A" if lower_left else "B"
        return Ballot(
            token=token,
            number=number,
            of=of,
            practice=practice,
            title=self.title,
            description=self.description,
            question=design.question,
            instruction=self.instruction.replace("{letter}", letter),
            left=left,
            right=right,
            figure=self.figure,
            allow_tie=design.allow_tie,
            ask_reason=design.ask_reason,
        )

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical_json(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BallotContent:
        """The inverse of `to_json`."""
        values = json.loads(text)
        figure = values["figure"]
        values["figure"] = BallotFigure(
            kind=figure["kind"],
            inputs=tuple(Axis(**axis) for axis in figure["inputs"]),
            target=Axis(**figure["target"]),
            grids=tuple(map(tuple, figure["grids"])),
            points=tuple(map(tuple, figure["points"])),
            rows=figure["rows"],
        )
        values["lower"] = _card(values["lower"])
        values["higher"] = _card(values["higher"])
        return cls(**values)


def _card(values: Mapping[str, Any]) -> FormulaCard:
    return FormulaCard(
        latex=values["latex"],
        r2=values["r2"],
        complexity=values["complexity"],
        curve=tuple(values["curve"]),
        surface=tuple(map(tuple, values["surface"])),
    )
