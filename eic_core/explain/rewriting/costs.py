"""What a form costs: digits at the root, at its worst node and with exact inputs, and size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eic_core.explain.rewriting.values import Numbers, ValueTable

WORST_WEIGHT, SIZE_WEIGHT, RANGE_WEIGHT = 0.3, 0.05, 2.0

CALM = 0.2
"""Sub-expressions that lose fewer digits are left as they are."""


class Cost(NamedTuple):
    """What a form costs on the search's rows.

    Attributes
    ----------
    q : float
        Correlated amplification at the root, in digits.
    worst : float
        The largest correlated amplification of any node, in digits.
    operations : float
        The same as `q` for exact inputs: what the operations alone lose.
    out_of_range : float
        Share of rows at which a value leaves double range.
    size : int
        Number of nodes.
    """

    q: float
    worst: float
    operations: float
    out_of_range: float
    size: int

    @property
    def total(self) -> float:
        """The one number that orders the search."""
        return (
            self.q
            + WORST_WEIGHT * (self.worst + self.operations)
            + RANGE_WEIGHT * self.out_of_range
            + SIZE_WEIGHT * self.size
        )


class Costs:
    """The cost of forms on the rows at which the original has a finite amplification.

    Parameters
    ----------
    table : ValueTable
    root : int
        The original.
    """

    def __init__(self, table: ValueTable, root: int) -> None:
        self.table = table
        self.terms = table.terms
        noise = table.noise(root)
        self.usable = np.isfinite(noise.q2)
        self._worst: dict[int, float] = {}

    @property
    def rows(self) -> int:
        """How many rows count."""
        return int(np.count_nonzero(self.usable))

    def own(self, root: int) -> float:
        """1/2 log10 E[1 + sum_v (x_v df/dx_v / f)^2] at the usable rows."""
        noise = self.table.noise(root)
        places = [i for i, kind in enumerate(noise.kinds) if kind in self.terms.inputs]
        moved = noise.moved[places][:, self.usable]
        total = np.sum(np.square(moved / noise.y[self.usable]), axis=0)
        if self.terms[root].operator == "variable":
            total = np.zeros_like(total)  # a lone input is not rounded again
        return _digits(np.mean(1 + total))

    def of(self, root: int) -> Cost | None:
        """The cost of a form, or None where its amplification is infinite."""
        noise = self.table.noise(root)
        q2 = noise.q2[self.usable]
        if not np.isfinite(q2).all():
            return None
        worst = max(self._rms(n) for n in self.terms.below(root))
        outside = float(np.mean(noise.out_of_range[self.usable]))
        operations = _digits(np.mean(noise.operations2(self.terms.inputs)[self.usable]))
        return Cost(_digits(np.mean(q2)), worst, operations, outside, self.terms.size(root))

    def _rms(self, number: int) -> float:
        if number not in self._worst:
            q2 = self.table.noise(number).q2[self.usable]
            q2 = q2[np.isfinite(q2)]
            self._worst[number] = _digits(np.mean(q2)) if len(q2) else 0.0
        return self._worst[number]

    def order(self, root: int) -> list[int]:
        """The places to rewrite: where most digits are lost first, leaves left out."""
        overflows = self.table.noise(root).out_of_range.any()
        places = [
            n for n in self.terms.below(root)
            if self.terms[n].children and (overflows or self._rms(n) >= CALM)
        ]
        return sorted(places, key=lambda n: (-round(self._rms(n), 3), n))


def _digits(mean: Numbers) -> float:
    return float(0.5 * np.log10(mean)) if mean > 0 else 0.0
