"""The branches of a form that chooses by a condition, and the series that stand in some of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, NamedTuple

from eic_core.formula.rendering import to_latex
from eic_core.formula.tree import Formula


@dataclass(frozen=True)
class RepairStep:
    rule: str
    # before, after: the sub-expressions exchanged, as short labels
    before: str
    after: str
    assumptions: tuple[str, ...]  # Such as ``"x > 0"``
    whole: str  # The whole formula after the step, as a short label
    digits: float  # That it loses then, in the mean over the rows; nan where none can be compared

    _JSON = ("rule", "before", "after", "assumptions", "whole", "digits")


class Derived:
    """What follows from the tree of a form and how it came about."""

    formula: Formula  # Its source is its Python text
    steps: tuple[RepairStep, ...]  # From the formula as written, which has none

    @property
    def text(self) -> str:
        """Python infix, which reads back to the same tree."""
        return self.formula.source

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conditions under which it is the formula; they hold on the data."""
        return tuple(dict.fromkeys(a for step in self.steps for a in step.assumptions))

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.rule for step in self.steps))


SeriesKind = Literal["taylor", "laurent"]


class InputInterval(NamedTuple):
    """The values of one input, ends included."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Series:
    """A series in the place of a term: an approximation, within a proved bound of it."""

    variable: str  # The quantity that it is a series in, in Python's notation
    point: str  # "0", "inf", "-inf" or another number
    kind: SeriesKind
    order: int  # The first power of the quantity less the point (of its reciprocal at inf) left out
    replaced: str  # The term: the formula as written, or a step of it
    written: str  # What stands for it
    # |written/replaced - 1| is at most this, in exact arithmetic, wherever the condition of its
    # branch holds and the inputs are in the box; 0 / 0 counts as 1
    bound: float
    box: tuple[InputInterval, ...]

    _JSON = (
        "variable",
        "point",
        "kind",
        "order",
        "replaced",
        "written",
        "bound",
        ("box", lambda series: [interval._asdict() for interval in series.box]),
    )


@dataclass(frozen=True)
class Branch(Derived):
    """One side of a form that chooses."""

    condition: str  # In Python's notation; "" for the last, which holds everywhere else
    formula: Formula  # Its source is its Python text
    rows: int  # Compared rows that take it
    # before, after: mean digits lost at these rows, as written and with this form
    before: float
    after: float
    steps: tuple[RepairStep, ...]  # From the formula as written, which has none
    series: Series | None = None  # None if it is the formula exactly

    _JSON = (
        "condition",
        "formula=text",
        ("latex", lambda branch: to_latex(branch.formula)),
        "rows",
        "before",
        "after",
        "rules",
        "steps",
        "series",
    )

    @property
    def is_exact(self) -> bool:
        return self.series is None


class Omission(Enum):
    """What was not tried, and why."""

    SEARCH_TIME = auto()  # More forms: the limit of work, or of seconds
    BRANCHES_TIME = auto()  # The same
    SERIES_TIME = auto()  # The same
    SERIES_UNPROVED = auto()  # There is a series, but no bound could be proved where it would help


FOR_EFFORT = frozenset((Omission.SEARCH_TIME, Omission.BRANCHES_TIME, Omission.SERIES_TIME))
"""What more effort does not leave out."""
