"""What the table comes to: an aim a line, with the rows that miss it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from study.statistics.validation.methods import ALPHA, HEADLINE, LEVEL
from study.statistics.validation.running import Row, error_of

TOLERANCE = 0.02
"""How far a share may be from nominal, beside two Monte-Carlo errors."""

MOSTLY = 0.5
"""A row with a larger share of studies called too small may be too cautious."""

SHOWN = 3
"""Rows outside that are named for the methods that are there for comparison: the worst."""


@dataclass(frozen=True)
class Verdict:
    """An aim, and how it came out.

    Attributes
    ----------
    aim : str
    binding : bool
        Whether missing it fails the validation.
    rows, flagged : int
        Rows that were judged, and how many of them are mostly studies called too small.
    outside : tuple of str
        The rows that miss it, the worst first.
    """

    aim: str
    binding: bool
    rows: int
    flagged: int
    outside: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no row misses it."""
        return not self.outside

    @property
    def sentence(self) -> str:
        """In words, with the rows that miss it."""
        mark = "ok  " if self.holds else "MISS" if self.binding else "note"
        said = f"{mark}  {self.aim}: {self.rows - len(self.outside)} of {self.rows} rows"
        if self.flagged:
            said += f" ({self.flagged} are mostly studies called too small)"
        shown = self.outside if self.binding else self.outside[:SHOWN]
        return said + "".join(f"\n        {row}" for row in shown)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "aim": self.aim, "binding": self.binding, "holds": self.holds, "rows": self.rows,
            "flagged": self.flagged, "outside": list(self.outside),
        }  # fmt: skip


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """The aims: the headline binds, the others are there for comparison."""
    points = f"within {TOLERANCE * 100:g} points"
    others = [name for name in dict.fromkeys(row.method.name for row in rows) if name != HEADLINE]
    found = []
    for name in (HEADLINE, *others):
        mine = [row for row in rows if row.method.name == name]
        binding = name == HEADLINE
        found.append(_judge(mine, f"{name} covers 95 %, {points}", binding, coverage_excess))
        found.append(_judge(mine, f"{name} rejects 5 %, {points}", binding, type_one_excess))
    return [verdict for verdict in found if verdict.rows]


def coverage_excess(row: Row) -> float | None:
    """How far the coverage is outside: more than 0 misses the aim, None if there is no interval.

    Too low are misses of studies that are not called too small.  Too high is no fault where most
    studies are.
    """
    if row.coverage is None or row.missed is None:
        return None
    return _excess(row, 1 - LEVEL, row.missed, 1 - row.coverage, row.tally.intervals)


def type_one_excess(row: Row) -> float | None:
    """How far the type-I error is outside, in the same way."""
    if row.type_one is None or row.claimed is None:
        return None
    return _excess(row, ALPHA, row.claimed, row.type_one, row.tally.tests)


def _excess(row: Row, nominal: float, unflagged: float, overall: float, count: int) -> float:
    above = unflagged - nominal - TOLERANCE - 2 * (error_of(unflagged, count) or 0.0)
    below = nominal - overall - TOLERANCE - 2 * (error_of(overall, count) or 0.0)
    return above if row.flagged > MOSTLY else max(above, below)


def _judge(
    rows: Sequence[Row], aim: str, binding: bool, excess: Callable[[Row], float | None]
) -> Verdict:
    judged = [(by, row) for row in rows if (by := excess(row)) is not None]
    outside = sorted(((by, row) for by, row in judged if by > 0), key=lambda found: -found[0])
    flagged = sum(row.flagged > MOSTLY for _, row in judged)
    named = tuple(f"{_shown(row, excess):5.1f} %: {row.scenario.describe}" for _, row in outside)
    return Verdict(aim, binding, len(judged), flagged, named)


def _shown(row: Row, excess: Callable[[Row], float | None]) -> float:
    return 100 * ((row.coverage if excess is coverage_excess else row.type_one) or 0.0)
