"""Axes of numbers over decades, of either sign or both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import Array, Ticks, even_ticks

Kind = Literal["linear", "decades"]

DECADES = 3
"""From so many on, an axis may have a decade every so many pixels."""

_GAP = 0.04
"""Between the two signs, as a share of the decades of one: 0 has its place in the middle of it."""


@dataclass(frozen=True)
class Ruler:
    """Where a number stands on an axis. `low` and `high` are the least and the largest number; of
    decades, `start` is the exponent that stands nearest to 0 and `gap` what is between.
    """

    kind: Kind
    low: float
    high: float
    start: float = 0.0
    gap: float = 0.0

    @classmethod
    def of(cls, values: Array) -> Ruler:
        """The decades where the numbers spread over them and half of them would lie in the tenth
        next to 0, else evenly.

        >>> Ruler.of(np.array([1.0, 2.0, 5.0])).kind, Ruler.of(np.array([-1e3, -1.0, 10.0])).kind
        ('linear', 'decades')
        """
        finite = values[np.isfinite(values)]
        if not len(finite):
            return cls("linear", 0.0, 1.0)
        low, high = float(finite.min()), float(finite.max())
        sizes = np.abs(finite[finite != 0])
        if not len(sizes):
            return cls("linear", low, high)
        least, most = float(sizes.min()), float(sizes.max())
        with np.errstate(over="ignore"):
            spread = most / least
        if spread < 10**DECADES or float(np.median(np.abs(finite))) >= 0.1 * most:
            return cls("linear", low, high)
        span = math.log10(most) - math.log10(least)
        both = low <= 0 <= high
        return cls("decades", low, high, math.log10(least), _GAP * span if both else 0.0)

    def place(self, values: Array) -> Array:
        if self.kind == "linear":
            return values
        with np.errstate(divide="ignore"):
            exponents = np.log10(np.abs(values)) - self.start + self.gap
        return np.where(values == 0, 0.0, np.sign(values) * np.maximum(exponents, 0.0))

    def value(self, places: Array) -> Array:
        """The numbers that stand at some places.

        >>> ruler = Ruler("decades", -1e3, 1e2, 0.0, 0.1)
        >>> ruler.value(ruler.place(np.array([-1e3, 0.0, 10.0]))).tolist()
        [-1000.0, 0.0, 10.0]
        """
        if self.kind == "linear":
            return places
        if not self.gap:  # beyond the least of the numbers it goes on with the same sign
            sign = -1.0 if self.low < 0 else 1.0
            return sign * 10.0 ** (sign * places + self.start)
        sizes = 10.0 ** (np.abs(places) - self.gap + self.start)
        return np.where(np.abs(places) < self.gap, 0.0, np.sign(places) * sizes)

    def limits(self, margin_share: float = 0.02) -> tuple[float, float]:
        low, high = self.place(np.array([self.low, self.high])).tolist()
        margin = margin_share * (high - low) or max(0.5, 0.1 * abs(low))
        return low - margin, high + margin

    def ticks(self, most: int = 6) -> Ticks:
        """About `most` numbers at their places."""
        if self.kind == "linear":
            return even_ticks(*self.limits(), most)
        numbers = [sign * 10.0**k for sign, k in self._exponents(most)] + [0.0] * bool(self.gap)
        texts = map(wording.significant, numbers)
        return tuple(zip(self.place(np.array(numbers)).tolist(), texts, strict=True))

    def _exponents(self, most: int) -> list[tuple[int, int]]:
        """Signs and exponents of the powers of ten that are named."""
        first = math.ceil(self.start - 1e-9)
        sides = [(sign, end) for sign, end in ((-1, -self.low), (1, self.high)) if end > 0]
        ranges = []
        for sign, end in sides:
            beginning = first
            if not self.gap:  # all numbers have one sign
                beginning = math.ceil(math.log10(min(abs(self.low), abs(self.high))) - 1e-9)
            ranges.append((sign, beginning, math.floor(math.log10(end) + 1e-9)))
        if not self.gap and self.high < 0:
            ranges = [(-1, first, math.floor(math.log10(-self.low) + 1e-9))]
        count = sum(last - start + 1 for _, start, last in ranges)
        step = max(1, math.ceil(count / most))
        return [(s, k) for s, start, last in ranges for k in range(last, start - 1, -step)]


def letters(count: int) -> Sequence[str]:
    """Names of branches: A, B, C, …"""
    return [chr(ord("A") + k) if k < 26 else f"{k + 1}" for k in range(count)]
