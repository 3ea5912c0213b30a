"""Whether a table holds the data that the formulas of a list were fitted to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from eic_core import wording
from eic_core.measure.table import Table
from eic_core.pool.listing import ListedScore

R2_LEEWAY = 0.05
"""How far a measured R^2 may lie outside the stored ones, which may be of a part of the rows."""

_STORED = ("r2", "r2_train", "r2_test")


@dataclass(frozen=True)
class TableCheck:
    """What speaks against a table; empty if nothing does.

    Attributes
    ----------
    reasons : tuple of str
        One sentence each; names in backticks.
    unusable : bool
        Whether no formula of the list can be measured on it, for want of columns.

    Examples
    --------
    >>> TableCheck(("The table is named after another problem, `bode`.",)).passed
    False
    """

    reasons: tuple[str, ...] = ()
    unusable: bool = False

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the table."""
        return not self.reasons


def check_table(
    scores: Sequence[ListedScore], table: Table, problem: str, problems: Sequence[str]
) -> TableCheck:
    """Hold the scores of a list on a table against what the list itself says.

    Parameters
    ----------
    scores : sequence of ListedScore
        Measured on the table.
    table : Table
    problem : str
        The one whose formulas these are; "" if the list does not say.
    problems : sequence of str
        All that the list names.

    Notes
    -----
    Three things speak against a table: it is named after another problem of the list; more than
    half of the formulas have variables without a column; the R^2 of more than half of those that
    brought one lies further than `R2_LEEWAY` from it.  A stored R^2 may be that of training or of
    test rows, and then the measured one, of all rows, should lie between the two.
    """
    found = (_other_name(table, problem, problems), _columns(scores, table), _accuracy(scores))
    lacking = [bool(s.missing) for s in scores if s.missing or not s.score.error]
    return TableCheck(tuple(r for r in found if r), bool(lacking) and all(lacking))


def _other_name(table: Table, problem: str, problems: Sequence[str]) -> str:
    name = PurePath(table.source).stem
    if not problem or name == problem or name not in problems:
        return ""
    return f"The table is named after another problem, `{name}`; these formulas are of `{problem}`."


def _columns(scores: Sequence[ListedScore], table: Table) -> str:
    readable = [s for s in scores if s.missing or not s.score.error]
    lacking = [s for s in readable if s.missing]
    if 2 * len(lacking) <= len(readable):
        return ""
    missing = dict.fromkeys(name for s in lacking for name in s.missing)
    return (
        f"{_of(len(lacking), len(readable))} variables for which the table has no column: "
        f"{_listed(sorted(missing))}. Its columns are {_listed(table.names)}."
    )


def _accuracy(scores: Sequence[ListedScore]) -> str:
    compared = [
        (s, stored)
        for s in scores
        if (stored := stored_r2(s.listed.stored)) and math.isfinite(s.score.r2)
    ]
    far = [(s, stored) for s, stored in compared if not _agrees(s.score.r2, stored)]
    if 2 * len(far) <= len(compared):
        return ""
    worst, stored = max(far, key=lambda pair: max(pair[1]))
    given = wording.join([wording.r_squared(r2) for r2 in dict.fromkeys(stored)])
    return (
        f"{_of(len(far), len(compared))} another R² than the list says: row "
        f"{worst.listed.row} came with {given}, and here it has "
        f"{wording.r_squared(worst.score.r2)}."
    )


def stored_r2(stored: Mapping[str, float]) -> tuple[float, ...]:
    """The R^2 that came with a formula.

    Examples
    --------
    >>> stored_r2({"r2_train": 0.9, "r2_test": 0.8, "loss": 3.0})
    (0.9, 0.8)
    """
    return tuple(stored[name] for name in _STORED if math.isfinite(stored.get(name, math.nan)))


def _agrees(measured: float, stored: tuple[float, ...]) -> bool:
    """Whether a measured R^2 lies between the stored ones, or near; far below 0 by its order."""
    low, high = min(stored), max(stored)
    leeway = R2_LEEWAY * max(1.0, 1 - low)
    return low - leeway <= measured <= high + leeway


def _of(part: int, whole: int) -> str:
    if part == whole:
        few = {1: "The formula has", 2: "Both formulas have"}
        return few.get(whole, f"All {whole:,} formulas have")
    return f"{part:,} of {whole:,} formulas have"


def _listed(names: Sequence[str]) -> str:
    return wording.join([f"`{name}`" for name in names], limit=8)
