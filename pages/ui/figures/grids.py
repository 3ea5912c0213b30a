"""Formula values and amplifications on regular grids, for drawing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.measure import Inspection, Samples, amplify

Array = npt.NDArray[Any]

CURVE_POINTS = 600
MAP_POINTS = 60
MAX_POINTS = 2_000
"""Most samples drawn as points; the worst one is always among them."""


@dataclass(frozen=True)
class Axis:
    """One variable's axis.

    Attributes
    ----------
    name : str
        Canonical variable name.
    low, high : float
        Range of the samples.
    log : bool
        Whether the samples spread over orders of magnitude.
    """

    name: str
    low: float
    high: float
    log: bool

    def grid(self, count: int) -> Array:
        """Evenly spaced values from low to high; one value if they are equal."""
        if self.low == self.high:
            return np.array([self.low])
        if self.log:
            return np.clip(np.geomspace(self.low, self.high, count), self.low, self.high)
        return np.linspace(self.low, self.high, count)

    def limits(self, margin_share: float = 0.02) -> list[float]:
        """Plotly's range, a little wider than the samples."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (
            self.low, self.high
        )  # fmt: skip
        margin = margin_share * (high - low) or max(0.5, 0.1 * abs(low))
        return [low - margin, high + margin]


def axis_of(samples: Samples, name: str) -> Axis:
    """The axis of one variable."""
    column = samples.columns[name]
    low, high = float(column.min()), float(column.max())
    log = low > 0 and high / low >= 1000 and float(np.median(column)) < 0.1 * high
    return Axis(name, low, high, log)


def slice_defaults(inspection: Inspection) -> dict[str, float]:
    """Each variable's median over the samples: where slices start.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 6.0], "y": [0.0, 0.0, 3.0]})
    >>> slice_defaults(inspect(read("x*y").formula, samples))
    {'x': 2.0, 'y': 0.0}
    """
    return {
        name: float(np.median(inspection.samples.columns[name]))
        for name in inspection.formula.variables
    }


def on_grid(
    inspection: Inspection, node_id: int, columns: Mapping[str, Array], count: int
) -> tuple[Array, Array]:
    """The formula's value and one node's s at given points, in double precision.

    Returns
    -------
    y, s : ndarray, shape (count,)
        nan where there is no real value, s inf where singular.
    """
    samples = Samples.from_columns(dict(columns), count=count)
    formula = inspection.formula
    amplification = amplify(formula, samples, recheck=False)
    return amplification.trace(len(formula) - 1)[0], amplification.trace(node_id)[1]


def worst_sample(inspection: Inspection, node_id: int) -> int | None:
    """Row of the sample with the largest s at a node; the first singular one, if any.

    None if no sample is valid.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import inspect
    >>> samples = Samples.from_columns({"x": [3.0, 1.01, 2.0]})
    >>> worst_sample(inspect(read("x-1").formula, samples), 2)
    1
    """
    return worst_row(inspection.amplification.trace(node_id)[1])


def worst_row(s: Array) -> int | None:
    """Index of the largest value, nan left out; None if there is none."""
    known = np.where(np.isnan(s), -1.0, s)
    row = int(np.argmax(known))
    return row if known[row] >= 0 else None


def thinned(count: int, most: int, *always: int | None) -> Array:
    """At most `most` row numbers, evenly spread, and those named."""
    rows = np.arange(0, count, max(1, math.ceil(count / most)))
    wanted = [row for row in always if row is not None]
    return np.union1d(rows, np.array(wanted, dtype=int)) if wanted else rows


def value_limits(*values: Array) -> tuple[float, float] | None:
    """A range for an axis that poles do not blow up; None to leave it to Plotly.

    The range covers the central 96 % with a margin, if what lies outside would
    take more than nine tenths of the axis.
    """
    known = [v[np.isfinite(v)] for v in values]
    pooled = np.concatenate(known) if known else np.empty(0)
    if len(pooled) < 5:
        return None
    lowest, low, high, highest = np.quantile(pooled, [0.0, 0.02, 0.98, 1.0])
    span = float(high - low)
    if span <= 0 or highest - lowest <= 10 * span:
        return None
    return float(low - 0.25 * span), float(high + 0.25 * span)
