"""A form that a branch may compute, and where it is the formula."""

from __future__ import annotations

from dataclasses import dataclass, field

from eic_core.operators.wide import Array
from eic_core.rewriting.pieces import Series
from eic_core.rewriting.search import SearchStep


@dataclass(frozen=True, eq=False)
class Option:
    """A form of the formula; `guard` is a truth term that must hold wherever it is computed, None
    if it is the formula everywhere.
    """

    root: int
    steps: tuple[SearchStep, ...]
    lost: Array = field(repr=False)  # Digits lost at each judged row; all 16 outside of its guard
    guard: int | None = None
    series: Series | None = None
    # Of a series: terms of the formula, each with what stands for it
    replaced: tuple[tuple[int, int], ...] = ()
