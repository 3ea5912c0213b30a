"""Scales of a picture's axis: linear, of powers of ten, or of powers of ten on both sides of 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from eic_core.operators.wide import Array

WIDE = 100.0
"""Ratio of the largest size to the smallest from which powers of ten are evenly spaced."""

WIDTH = 1000.0
"""Units from the low end to the high one."""


@dataclass(frozen=True)
class Scale:
    """
    >>> wide = Scale.of([1e-6, 1.0])
    >>> wide.kind, wide.places([1e-6, 1e-3, 1.0]).tolist(), wide.values([500.0]).round(6).tolist()
    ('one sign', [0.0, 500.0, 1000.0], [0.001])
    >>> Scale.of([-1e6, 1e-3, 1e6]).places([0.0]).tolist(), Scale.of([2.0, 3.0]).kind
    ([500.0], 'linear')
    """

    kind: Literal["linear", "one sign", "both signs"]
    ends: tuple[float, float]
    unit: float  # The size below which values of both signs are spaced linearly

    @classmethod
    def of(cls, values: Sequence[float] | Array) -> Scale:
        """That of some values; those that are not finite are left out."""
        finite = np.asarray(values, dtype=np.float64)
        finite = finite[np.isfinite(finite)]
        if not len(finite):
            return cls("linear", (0.0, 1.0), 1.0)
        low, high = float(finite.min()), float(finite.max())
        sizes = np.abs(finite[finite != 0])
        if not len(sizes) or sizes.max() < WIDE * sizes.min():
            return cls("linear", (low, high), 1.0)
        if low > 0 or high < 0:
            return cls("one sign", (low, high), 1.0)
        # the smallest tenth of the sizes share what is linear
        unit = float(np.quantile(sizes, 0.1))
        if sizes.max() < WIDE * unit:
            return cls("linear", (low, high), 1.0)
        return cls("both signs", (low, high), unit)

    def places(self, values: Any) -> Array:
        """Of values, from 0 to `WIDTH`; nan of those that are not finite."""
        low, high = (float(self._bent(np.float64(end))) for end in self.ends)
        bent = self._bent(np.asarray(values, dtype=np.float64))
        span = high - low or 1.0
        return np.where(np.isfinite(bent), (bent - low) / span * WIDTH, np.nan)

    def values(self, places: Any) -> Array:
        """Of places, as `places` gives them."""
        low, high = (float(self._bent(np.float64(end))) for end in self.ends)
        bent = low + np.asarray(places, dtype=np.float64) / WIDTH * (high - low)
        if self.kind == "linear":
            return bent
        if self.kind == "one sign":
            return 10.0**bent if self.ends[0] > 0 else -(10.0**-bent)
        return np.sign(bent) * (10.0 ** np.abs(bent) - 1) * self.unit

    def _bent(self, values: Any) -> Array:
        with np.errstate(all="ignore"):
            if self.kind == "linear":
                return np.asarray(values)
            if self.kind == "one sign":
                sign = 1.0 if self.ends[0] > 0 else -1.0
                return sign * np.log10(values * sign)
            return np.sign(values) * np.log10(1 + np.abs(values) / self.unit)
