"""Numbers from simulation, each with its Monte-Carlo error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """A number found by simulation.

    Attributes
    ----------
    value : float
    error : float
        Monte-Carlo standard error: how far another seed would move the value.
    """

    value: float
    error: float

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"value": self.value, "monte_carlo_error": self.error}


def share_of(flags: Sequence[bool]) -> Estimate | None:
    """How often something happened; None if nothing was tried.

    The error is the binomial one, with half a success and half a failure added, so that it is
    not 0 where all agree.

    Examples
    --------
    >>> share_of([True, True, False, True]).value
    0.75
    >>> share_of([True] * 100).error > 0
    True
    """
    count = len(flags)
    if not count:
        return None
    smoothed = (sum(flags) + 0.5) / (count + 1)
    return Estimate(sum(flags) / count, sqrt(smoothed * (1 - smoothed) / count))


def median_of(values: Sequence[float]) -> Estimate | None:
    """The median; None without values.

    Its error is half the distance between the order statistics that lie one standard error of
    the rank, √n/2, below and above (David and Nagaraja, 2003, Order Statistics, §7.1).

    Examples
    --------
    >>> median_of([4.0, 1.0, 3.0, 2.0, 9.0])
    Estimate(value=3.0, error=1.0)
    """
    count = len(values)
    if not count:
        return None
    ordered = sorted(values)
    step = sqrt(count) / 2
    low = max(0, round((count - 1) / 2 - step))
    high = min(count - 1, round((count - 1) / 2 + step))
    return Estimate(float(median(ordered)), (ordered[high] - ordered[low]) / 2)
