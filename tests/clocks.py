"""Clocks for tests of what happens when time runs out."""

from __future__ import annotations


class PacedClock:
    """Moves on by `pace` seconds whenever it is looked at: a slow machine, or a quick one at 0."""

    def __init__(self, pace: float) -> None:
        self.pace = pace
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.pace
        return self.now
