"""What a robustness card puts a formula through, and how often and how hard."""

from __future__ import annotations

from enum import Enum, auto

FEW_DIGITS = 4
"""Significant digits of constants as they are printed in papers."""

FOLDS, SPLITS = 5, 5
"""Parts of the rows, each left out once; and how often they are drawn."""

RESAMPLES, LEVEL = 1000, 0.95

OUTER, MOST_OUTER = 0.1, 0.3
"""Share of the rows that are the outer ones; more than the second, where many tie, are none."""

FITTED_ROWS, RESAMPLED_ROWS = 2_000, 20_000
"""Rows that constants are fitted to, and that are resampled, at most: evenly spread ones."""


class CardTrial(Enum):
    """What a line of the card puts the formula through."""

    AS_GIVEN = auto()
    RESAMPLED_LOW = auto()
    RESAMPLED_HIGH = auto()
    FEW_DIGITS = auto()
    FLOAT32 = auto()
    LEFT_OUT = auto()
    OUTER = auto()
    HOLDOUT = auto()
    OUTSIDE = auto()
