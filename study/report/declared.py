"""The analysis that a study declared before its first vote, and where a report departs from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eic_core import wording
from eic_core.exports import Plain
from study.design import ANALYSIS
from study.statistics.clusters import Estimand


@dataclass(frozen=True)
class DeclaredAnalysis(Plain):
    estimand: Estimand
    confidence_level: float
    sidedness: str  # "two-sided" or "one-sided"
    smallest_effect: float  # The smallest difference from one half that would matter, in shares

    _JSON = ("estimand", "confidence_level", "sidedness", "smallest_effect")

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> DeclaredAnalysis | None:
        """From a frozen configuration; None if it declares nothing (format 1, or none at all).

        >>> DeclaredAnalysis.of({"format": 1, "design": {"title": "t"}}) is None
        True
        """
        if configuration.get("format", 1) < 2:
            return None
        return cls(**{name: configuration["design"][name] for name in ANALYSIS})

    @property
    def one_sided(self) -> bool:
        """Whether the test looks for a preference for the lower EIC only."""
        return self.sidedness == "one-sided"

    @property
    def sentence(self) -> str:
        """In words.

        >>> print(DeclaredAnalysis("these pairs", 0.95, "two-sided", 0.05).sentence)
        Declared before the first vote: an estimate for these pairs, 95 % intervals, a two-sided
        test, and a smallest effect of interest of 5 points from one half.
        """
        return (
            f"Declared before the first vote: an estimate for {self.estimand}, "
            f"{wording.level_percent(self.confidence_level)} intervals, a {self.sidedness} test, "
            f"and a smallest effect of interest of {100 * self.smallest_effect:.3g} points from "
            "one half."
        )


UNDECLARED = (
    "This study declared neither what the result is about, nor level, sidedness and smallest "
    "effect of interest before its first vote: they are this report’s."
)


def departures(declared: DeclaredAnalysis | None, estimand: str, level: float) -> tuple[str, ...]:
    """Where a report is not what was declared, a sentence each.

    >>> declared = DeclaredAnalysis("these pairs", 0.95, "two-sided", 0.05)
    >>> departures(declared, "these pairs", 0.9)
    ('The intervals are 90 % ones; declared before the first vote were 95 % ones.',)
    """
    if declared is None:
        return ()
    found = []
    if estimand != declared.estimand:
        found.append(
            f"This is for {estimand}; declared before the first vote was an estimate for "
            f"{declared.estimand}."
        )
    if level != declared.confidence_level:
        found.append(
            f"The intervals are {wording.level_percent(level)} ones; declared before the first "
            f"vote were {wording.level_percent(declared.confidence_level)} ones."
        )
    return tuple(found)
