"""The runs of some of a formula's rows in several arithmetics, and what is blamed on its steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from eic_core.engine import extended
from eic_core.engine.branches import plain_values
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import SMALLEST_NORMAL, UNIT_ROUNDOFF
from eic_core.engine.walked import Array, Rows
from eic_core.measure.inspection import Inspection

FAR = 10.0
"""A result is decided by a rounding where its values differ by more than so many times what its own
amplification says: by a digit."""

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Blamed:
    """What becomes of rows, and what each is due to; shape (m,) each."""

    rows: Rows = field(repr=False)  # Ascending
    kinds: Rows = field(repr=False)  # `Outcome`
    nodes: Rows = field(repr=False)  # The step
    reasons: Rows = field(repr=False)  # `Reason`
    # Digits of the result that it costs; inf where that is wrong by as much as it is large, nan
    # where the kind says it
    digits: Array = field(repr=False)

    @classmethod
    def of(cls, rows: Rows, *rest: Any, digits: Any = math.nan) -> Self:
        """Of rows with their kinds, nodes and reasons; a number is that of all."""
        return cls(rows, *[np.full(len(rows), each) for each in (*rest, digits)])

    def where(self, some: np.ndarray) -> Self:
        """Those of some of the rows; `some` has shape (m,)."""
        return replace(self, **{each.name: getattr(self, each.name)[some] for each in fields(self)})


NO_ROWS = np.empty(0, dtype=np.int64)
NOTHING = Blamed.of(NO_ROWS, 0, 0, 0)


class Runs:
    """The runs of some rows, each made when it is asked for: an array of shape (m,) a slot."""

    def __init__(self, inspection: Inspection, rows: Rows) -> None:
        self.rows, self.amplification = rows, inspection.amplification
        self.tape, self.samples = self.amplification.tape, inspection.samples.take(rows)
        self.settled = np.isin(rows, self.amplification.exact.rows)  # In balls

    def trace(self, node: int) -> list[Array]:
        """Value and s of a node, as `Amplification.trace` has them."""
        return [each[self.rows] for each in self.amplification.trace(node)]

    @cached_property
    def doubles(self) -> list[Array]:
        return plain_values(self.tape, self.samples.columns, len(self.rows))

    @cached_property
    def wide(self) -> extended.WalkedWide:
        return extended.evaluate(self.tape, self.samples.columns, len(self.rows))

    def result(self, slot: int, value: Array) -> Array:
        """The result in doubles with another value of one slot."""
        other = plain_values(self.tape, self.samples.columns, len(self.rows), {slot: value})
        return np.asarray(other[-1], dtype=float)

    def exact(self, otherwise: Sequence[Array]) -> list[Array]:
        """What balls say, and other values where they say nothing."""
        exact = []
        for slot, y in enumerate(otherwise):
            rows, better, _ = self.amplification.exact.of_slot(slot)
            at = np.isin(self.rows, rows)
            exact.append(y.copy())
            exact[slot][at] = better[np.searchsorted(rows, self.rows[at])]
        return exact

    def longer(self, over: bool = False, under: bool = False) -> list[Array]:
        """In long doubles, which over- or underflow like doubles if that is asked for.

        `doubles` with a function that there is for doubles only.
        """

        def held(y: Any) -> Any:
            y = np.asarray(y, np.longdouble)
            size = np.abs(y)
            if over:
                y = np.where(size > LARGEST, np.sign(y) * math.inf, y)
            if under:
                y = np.where(size < SMALLEST_NORMAL, y.astype(float), y)
            return y

        leaf = leaves(self.samples.columns, len(self.rows))
        try:
            return forward(
                self.tape, lambda step: held(leaf(step)), lambda *of: held(evaluate(*of))
            )
        except TypeError:
            return self.doubles


def relative_error(result: Array, exact: Array, size: Array | None = None) -> Array:
    """The distance from the exact result, in units of that or `size`; inf if one has no value."""
    with np.errstate(all="ignore"):
        error = np.abs(result - exact) / np.abs(exact if size is None else size)
    return np.where(result == exact, 0.0, np.where(np.isnan(error), math.inf, error))


def digits_of_errors(errors: Array) -> Array:
    """Digits lost by results with these relative errors; inf where no digit is right.

    >>> digits_of_errors(np.array([0.0, 1e-3, 1.0])).round(2).tolist()
    [0.0, 12.95, inf]
    """
    with np.errstate(divide="ignore"):
        digits = np.maximum(0.0, np.log10(errors / UNIT_ROUNDOFF))
    return np.where(errors < 1, digits, math.inf)
