"""What a rating page receives: typeset formulas, curves, R² and complexity, and nothing else.

These types hold no EIC, no method, no id of a pool, pair or problem, and no order but left and
right.  `study.ballots` makes their content when a study is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Curve = tuple[float | None, ...]
Surface = tuple[Curve, ...]


@dataclass(frozen=True)
class Axis:
    """A quantity on an axis.

    Attributes
    ----------
    name, unit, meaning : str
        The data's column name; unit and meaning may be "".
    low, high : float
        The range to draw.
    """

    name: str
    unit: str
    meaning: str
    low: float
    high: float

    @property
    def label(self) -> str:
        """Name and unit, as an axis title.

        Examples
        --------
        >>> Axis("t", "years", "", 0, 1).label, Axis("n", "", "", 0, 1).label
        ('t [years]', 'n')
        """
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True)
class FormulaCard:
    """One formula as raters see it.

    Attributes
    ----------
    latex : str
        For KaTeX; variables by column names, constants to the pair's number of digits.
    r2 : float
        Of the formula as shown, on the problem's data, rounded to 3 decimals.
    complexity : int
        Nodes.
    curve : tuple of float or None
        One input: values on ``figure.grids[0]``; None where there is none.  Else empty.
    surface : tuple of curves
        Two inputs: ``surface[j][i]`` is the value at ``grids[0][i], grids[1][j]``.  Else empty.
    """

    latex: str
    r2: float
    complexity: int
    curve: Curve = ()
    surface: Surface = ()


@dataclass(frozen=True)
class BallotFigure:
    """The data and the grid that both formulas are drawn on.

    Attributes
    ----------
    kind : {"curve", "surface"}
        One input, or two.
    inputs : tuple of Axis
    target : Axis
        Its range is the common scale of both plots (y axis, or colour scale).
    grids : tuple of tuple of float
        One for each input, ascending.
    points : tuple of (input, ..., target)
        The data, thinned out to a few hundred rows.
    rows : int
        Rows of the whole table.
    """

    kind: Literal["curve", "surface"]
    inputs: tuple[Axis, ...]
    target: Axis
    grids: tuple[tuple[float, ...], ...]
    points: tuple[tuple[float, ...], ...]
    rows: int


@dataclass(frozen=True)
class Ballot:
    """One ballot, ready to be shown.

    Attributes
    ----------
    token : str
        Opaque and random; give it back with the vote.
    number, of : int
        "Ballot 4 of 10"; a practice ballot has number 0.
    practice : bool
        Whether this is the practice ballot (answering it gives feedback).
    title, description : str
        The problem in plain words.
    question : str
    instruction : str
        "" on ordinary ballots; on an instructed attention check, what to do.  Show it plainly.
    left, right : FormulaCard
        Formula A and formula B.
    figure : BallotFigure
    allow_tie, ask_reason : bool
        Whether to offer "cannot decide" and a one-line reason.
    """

    token: str
    number: int
    of: int
    practice: bool
    title: str
    description: str
    question: str
    instruction: str
    left: FormulaCard
    right: FormulaCard
    figure: BallotFigure
    allow_tie: bool
    ask_reason: bool
