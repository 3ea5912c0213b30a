"""What a program really loses: it gets the nearest number of its type for each cell.

Its result is held to the exact value at that number; a formula's constants are the decimals
written. What the decimals of a table cost beside that is sensitivity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.exact import DEEP_SAMPLES
from eic_core.engine.tape import Tape
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.observed import DIGITS, ROUNDOFF, digits_lost_by_row, exact_rows, run_in
from eic_core.operators.balls import Ball
from eic_core.operators.wide import Array

Rows = npt.NDArray[np.int64]

MOST_ROWS, LEAST_ROWS, NODES_EVALUATED = 200, 20, 6000
"""Rows that are measured: as many as so many nodes allow, within these limits."""

ESTIMATED_STEPS = 500_000
"""Rows times nodes up to which a program is held to a wider type, to find its worst rows."""

NORMAL_95 = 1.959963984540054
"""The two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True)
class Quantiles(Plain):
    """Digits at half of the rows, at nine in ten and at the worst row; nan without rows."""

    typical: float
    nine_in_ten: float
    worst: float
    # low, high: the 95 % interval of the 0.9 quantile of all rows from which these come, by order
    # statistics
    low: float
    high: float

    _JSON = ("typical", "nine_in_ten", "worst", "low", "high")


def quantiles_of(digits: Array, weights: Array | None = None) -> Quantiles:
    """Inverted-CDF quantiles of digits, nan left out; a row stands for `weights` rows, or 1.

    The interval holds for any distribution: its ends are the values at the ranks n q -+ 1.96
    sqrt(n q (1 - q)) of n rows (Conover, *Practical Nonparametric Statistics*, 3rd ed., 1999,
    section 3.2), with n the effective number of weighted rows.

    >>> quantiles_of(np.arange(1.0, 101.0))
    Quantiles(typical=50.0, nine_in_ten=90.0, worst=100.0, low=85.0, high=96.0)
    >>> quantiles_of(np.array([3.0, 0.0, np.inf]), np.array([1.0, 8.0, 1.0]))
    Quantiles(typical=0.0, nine_in_ten=3.0, worst=inf, low=0.0, high=inf)
    """
    counts = np.ones(len(digits)) if weights is None else np.asarray(weights)
    order = np.argsort(digits, kind="stable")[: np.count_nonzero(~np.isnan(digits))]  # nan is last
    if not len(order):
        return Quantiles(*[math.nan] * 5)
    values, counts = digits[order], counts[order]
    upto = np.cumsum(counts)
    total = float(upto[-1])

    def at(rank: float) -> float:
        return float(values[place_of_rank(upto, rank)])

    effective = total**2 / float(np.sum(np.square(counts)))
    one = total / effective  # as many rows as one of equal weights stands for
    half_width = NORMAL_95 * math.sqrt(0.09 * effective)
    return Quantiles(
        at(0.5 * total),
        at(0.9 * total),
        float(values[-1]),
        at(one * max(1, math.floor(0.9 * effective - half_width) + 1)),
        at(one * (math.floor(0.9 * effective + half_width) + 1)),
    )


def place_of_rank(upto: Array, rank: float) -> int:
    """Where a rank, from 1 to the number of rows, lies; `upto` adds up the rows that each value
    stands for, the values ascending.
    """
    place = int(np.searchsorted(upto, rank - 1e-9 * upto[-1]))
    return min(place, len(upto) - 1)


@dataclass(frozen=True, eq=False)
class MeasuredLoss(Plain):
    """The digits that a program loses in one type."""

    kind: str  # "float64" or "float32"
    of: int  # Rows with a real value
    # positions, weights: shape (m,): the measured rows, and the number of rows each stands for
    positions: npt.NDArray[np.int64] = field(repr=False)
    weights: Array = field(repr=False)
    # shape (m,): digits lost, from 0 to 15.95 or 7.2; nan where nothing can be compared
    lost: Array = field(repr=False)

    _JSON = ("kind", "rows", "of", "typical", "nine_in_ten", "worst")

    @property
    def rows(self) -> int:
        """How many rows were compared."""
        return int(np.count_nonzero(~np.isnan(self.lost)))

    @cached_property
    def quantiles(self) -> Quantiles:
        return quantiles_of(self.lost, self.weights)

    @cached_property
    def mean(self) -> float:
        """Over all rows, by those that stand for them; nan without rows."""
        compared = ~np.isnan(self.lost)
        weights = self.weights[compared]
        return float(self.lost[compared] @ weights / weights.sum()) if len(weights) else math.nan

    @property
    def typical(self) -> float:
        return self.quantiles.typical

    @property
    def nine_in_ten(self) -> float:
        return self.quantiles.nine_in_ten

    @property
    def worst(self) -> float:
        return self.quantiles.worst

    @property
    def least_right(self) -> float:
        """The digits that are right at the worst row."""
        return DIGITS[self.kind] - self.worst


class ProgramRows:
    """The rows at which programs for one formula are measured, with the exact results there."""

    def __init__(self, inspection: Inspection, kind: str = "float64") -> None:
        amplification, samples = inspection.amplification, inspection.samples
        self.kind, self.tape = kind, amplification.tape
        valid = np.flatnonzero(amplification.valid)
        s = amplification.trace(len(inspection.formula) - 1)[1][valid]
        columns = {name: samples.columns[name] for name in inspection.formula.variables}
        some = np.arange(len(valid))[
            :: max(1, len(valid) * len(inspection.formula) // ESTIMATED_STEPS)
        ]
        inputs = {name: column[valid[some]] for name, column in columns.items()}
        lost, _ = estimated_loss(self.tape, inputs, len(some), kind)
        worst = some[np.argsort(-np.nan_to_num(lost), kind="stable")]
        places, self.weights = measured_rows(s, limit_for(len(inspection.formula)), worst)
        self.of, self.positions = len(valid), valid[places]
        self.inputs, cells = binary_rows(columns, self.positions, kind)
        self.exact = exact_results(self.tape, cells)

    def computed(self, tape: Tape | None = None) -> Array:
        """What a program computes at these rows by a form of the formula, or the formula itself."""
        result = run_in(tape or self.tape, self.inputs, len(self.positions), self.kind)[-1]
        return np.broadcast_to(np.asarray(result, dtype=np.float64), len(self.positions))

    def loss(self, tape: Tape | None = None) -> MeasuredLoss:
        """What a program loses that computes another form of the formula, or the formula itself."""
        lost = digits_lost_by_row(self.exact, self.computed(tape), self.kind)
        return MeasuredLoss(self.kind, self.of, self.positions, self.weights, lost)


@cached_on_inspection
def program_rows(inspection: Inspection, kind: str = "float64") -> ProgramRows:
    return ProgramRows(inspection, kind)


@cached_on_inspection
def measured_loss(inspection: Inspection, kind: str = "float64") -> MeasuredLoss:
    """What a program loses at the rows with a real value, at some of them where they are many.

    Parameters
    ----------
    inspection
        Of the formula.
    kind
        The type in which the program computes. {"float32", "float64"}.

    Returns
    -------
    MeasuredLoss
        At 200 rows or fewer, the worst of all among them (`measured_rows`).

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> formula = read("sqrt(x + 1) - sqrt(x)").formula
    >>> samples = Samples.from_columns({"x": np.linspace(1e8, 2e8, 300)})
    >>> loss = measured_loss(inspect(formula, samples))
    >>> loss.rows, loss.of, 7 < loss.typical < loss.worst < 9
    (200, 300, True)
    """
    return program_rows(inspection, kind).loss()


def limit_for(nodes: int) -> int:
    """How many rows of a formula of so many nodes are measured.

    >>> limit_for(10), limit_for(60), limit_for(1000)
    (200, 100, 20)
    """
    return max(LEAST_ROWS, min(MOST_ROWS, NODES_EVALUATED // nodes))


def estimated_loss(
    tape: Tape, columns: Mapping[str, Any], count: int, kind: str
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """About the digits that a program loses at each row, held to a wider type: nan where it loses
    none; and where one of the two has no number, or the program 0.
    """
    wider = np.longdouble if kind == "float64" else np.float64
    close = run_in(tape, columns, count, np.dtype(wider).name)[-1]
    with np.errstate(all="ignore"):
        coarse: Any = run_in(tape, columns, count, kind)[-1].astype(wider)
        lost = np.log10(np.abs((coarse - close) / close) / ROUNDOFF[kind])
        lost = np.clip(lost, 0.0, DIGITS[kind]).astype(np.float64)
    nowhere = ~np.isfinite(close) | ~np.isfinite(coarse) | (coarse == 0)
    lost[nowhere | (lost == 0)] = np.nan
    return np.broadcast_to(lost, count), np.broadcast_to(nowhere, count)


def measured_rows(s: Array, limit: int, worst: Rows) -> tuple[Rows, Array]:
    """Which of the rows are measured, ascending, and how many rows each of them stands for.

    So many of the `worst` as a tenth of `limit` stand for themselves, and of the others' ranks by
    sensitivity (ties by row number) the first tenth; the others are as many groups of neighbouring
    ranks, each with its middle.

    >>> places, weights = measured_rows(np.arange(100.0), 20, np.array([7, 3, 4]))
    >>> places[-4:].tolist(), weights[-4:].tolist(), float(weights.sum())
    ([88, 94, 98, 99], [6.0, 6.0, 1.0, 1.0], 100.0)
    """
    if len(s) <= limit:
        return np.arange(len(s)), np.ones(len(s))
    ranked = np.argsort(-s, kind="stable")
    worst = worst[: limit // 10]
    ranked = np.concatenate([worst, ranked[~np.isin(ranked, worst)]])
    alone = len(worst) + limit // 10
    groups = alone + np.arange(limit - alone + 1) * (len(s) - alone) // (limit - alone)
    starts = np.concatenate([np.arange(alone), groups])
    sizes = np.diff(starts)
    places = ranked[starts[:-1] + sizes // 2]
    order = np.argsort(places)
    return places[order], sizes[order].astype(np.float64)


def binary_rows(
    columns: Mapping[str, Any], rows: Sequence[int] | npt.NDArray[np.int64], kind: str
) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """The inputs of m rows in one type, "float32" or "float64": arrays, and row by row.
    A cell beyond the type is inf.
    """
    with np.errstate(over="ignore"):
        rounded = {
            name: np.asarray(column)[list(rows)].astype(kind) for name, column in columns.items()
        }
    lists = {name: column.tolist() for name, column in rounded.items()}
    return rounded, [{name: column[i] for name, column in lists.items()} for i in range(len(rows))]


def exact_results(tape: Tape, cells: Sequence[Mapping[str, float]]) -> list[Ball | None]:
    """The exact result at each row of numbers; None where there is none, or a cell is infinite."""
    rows = [cell if all(map(math.isfinite, cell.values())) else None for cell in cells]
    return [exact[-1] for exact in exact_rows(tape, rows, DEEP_SAMPLES)]
