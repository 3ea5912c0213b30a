"""The analysis that a study declared before its first vote, and where a report departs from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
