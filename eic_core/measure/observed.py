"""The error that float32 and float64 really make, against exact values.

A node's error is observed (`Observed.errors`) and replayed: each operation's actual rounding
arrives at the node by the factors of `eic_core.engine.sweep`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.exact import Cell, ExactEvaluator
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import Step, Tape, alone, lay_out
from eic_core.errors import require
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.measure.reasons import DOUBLE_DIGITS
from eic_core.operators.balls import Ball, working
from eic_core.operators.wide import Array
from eic_core.samples import Samples

ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53}

DIGITS = {"float32": 7.2, "float64": DOUBLE_DIGITS}
"""Decimal digits of the types."""


def run_in(
    tape: Tape,
    columns: Mapping[str, Any],
    count: int,
    kind: str,
    held: Callable[[Array], Array] = np.asarray,
) -> list[Any]:
    """Every slot of a tape, inputs rounded to it, in the arithmetic of a NumPy type.

    `held` is what becomes of each value.

    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("(x + 1) - x").formula)
    >>> run_in(tape, {"x": np.array([1e8])}, 1, "float32")[-1].tolist()
    [0.0]
    """
    leaf, dtype = leaves(columns, count), np.dtype(kind)

    def rounded(y: Any) -> Array:
        return held(np.asarray(y, dtype))

    def apply(step: Step, operands: list[Any]) -> Array:
        try:
            return rounded(evaluate(step, operands))
        except TypeError:  # of a type in which the operator has no value
            return rounded(evaluate(step, [y.astype(np.float64) for y in operands]))

    return forward(tape, lambda step: rounded(leaf(step)), apply)


class RoundedTruth:
    """Exact values, None where there is none, as pairs of doubles beside one floating-point type.

    - `high`, `low`: shape (n,): the nearest double, nan beyond the type's range, and the rest.
    - `up`: shape (n,): a power of 2 that `low` is multiplied by, where it would underflow.
    """

    def __init__(self, truth: Sequence[Ball | None], kind: str) -> None:
        limits, with_value = np.finfo(kind), [value is not None for value in truth]
        self.kind, self.real = kind, np.array(with_value, dtype=bool)
        with working(ACCURACY):
            nearest = [math.nan if value is None else float(value) for value in truth]
            self.up = np.where(np.abs(nearest) < 2.0**-900, 2.0**150, 1.0)
            rest = [
                float((value - high) * up) if value is not None and math.isfinite(high) else 0.0
                for value, high, up in zip(truth, nearest, self.up.tolist(), strict=True)
            ]
        self.high, self.low = np.array(nearest, dtype=np.float64), np.array(rest, dtype=np.float64)
        self.zero = np.array([value is not None and value == 0 for value in truth], dtype=bool)
        self.high[np.abs(self.high) > float(limits.max)] = math.nan
        self.tiny, self.most = float(limits.tiny), DIGITS[kind]

    def errors(self, computed: Any, scale: Any = None) -> Array:
        """Signed errors in units of the type's roundoff, relative to the value or to `scale`.

        nan where there is no exact value, or a 0 that the other is not; inf where the type has no
        number for a value.
        """
        results = np.asarray(computed, dtype=np.float64)
        with np.errstate(all="ignore"):
            missed = (results - self.high) * self.up - self.low
            size = np.where(self.high == 0, np.copysign(1.0, -missed), self.high)
            size = (size if scale is None else scale) * self.up
            errors = missed / size / ROUNDOFF[self.kind]
            below = ~self.zero & (self.high == 0)  # smaller than all doubles
        if scale is None:
            errors[below] = np.where(results[below] == 0, -1.0, math.inf) / ROUNDOFF[self.kind]
        errors[self.zero] = np.where(results[self.zero] == 0, 0.0, math.nan)
        errors[self.real & ~np.isfinite(results)] = math.inf
        errors[self.real & np.isfinite(results) & np.isnan(self.high)] = -1 / ROUNDOFF[self.kind]
        errors[np.isinf(errors) & np.isfinite(results)] = 1e300
        return np.where(self.real, errors, math.nan)

    def digits_lost(self, computed: Any) -> Array:
        """Digits that each result has lost, from 0 to all that the type has.

        nan where the exact value is not real or beyond the type's range. Where the type has no
        number, or another than an exact 0, every digit is lost. Below the type's smallest normal
        number an error counts relative to that.
        """
        results = np.asarray(computed, dtype=np.float64)
        with np.errstate(all="ignore"):
            error = self.errors(results, np.maximum(np.abs(self.high), self.tiny))
            lost = np.clip(np.log10(np.abs(error)), 0.0, self.most)
        wrong = ~np.isfinite(results) | (self.zero & (results != 0))
        return np.where(np.isnan(self.high), math.nan, np.where(wrong, self.most, lost))

    def held(self) -> npt.NDArray[np.int64]:
        """How the type holds each value: `NO_NUMBER`, `FEWER_DIGITS` or `ALL_DIGITS`."""
        with np.errstate(all="ignore"):
            nearest = self.high.astype(self.kind).astype(np.float64)
            off = np.abs(self.errors(nearest))
        none = ~np.isfinite(nearest) | ((nearest == 0) & ~self.zero)
        fewer = (np.abs(nearest) < self.tiny) & ~self.zero & (off > A_DIGIT)
        return np.where(none, NO_NUMBER, np.where(fewer, FEWER_DIGITS, ALL_DIGITS))


def digits_lost_by_row(truth: Sequence[Ball | None], computed: Any, kind: str) -> Array:
    """Digits that each result has lost, as `RoundedTruth.digits_lost`.

    >>> from flint import arb
    >>> truth = [arb(1), arb(1), arb(2), None]
    >>> result = digits_lost_by_row(truth, [1, 1.1, np.inf, 3], "float64")
    >>> [round(float(lost), 2) for lost in result]
    [0.0, 14.95, 15.95, nan]
    """
    return RoundedTruth(truth, kind).digits_lost(computed)


@dataclass(frozen=True)
class ExactValues:
    tape: Tape  # One step for each node, in post-order
    values: list[list[Ball | None]]  # Per sample and node; None without a real value


ACCURACY = 110
"""Bits to which exact values are known: twice as many as a double has, and a few."""


def numbers_in(samples: Samples, kind: str) -> dict[str, Array]:
    """The columns as a type holds them: shape (m,); a cell beyond its range stays as it is.

    >>> samples = Samples.from_columns({"x": [0.1, 1e300]})
    >>> numbers_in(samples, "float32")["x"].tolist()
    [0.10000000149011612, 1e+300]
    """
    with np.errstate(over="ignore"):
        pairs = {name: (y.astype(kind).astype(float), y) for name, y in samples.columns.items()}
    return {
        name: np.where(np.isfinite(nearest), nearest, y) for name, (nearest, y) in pairs.items()
    }


def exact_values(formula: Formula, samples: Samples, kind: str | None = None) -> ExactValues:
    """Every node at every sample to `ACCURACY`: with inputs as a type holds them (`numbers_in`),
    or as the decimals that are written.

    >>> from eic_core.formula.syntax import read
    >>> formula, samples = read("x").formula, Samples.from_columns({"x": [0.1]})
    >>> for kind in (None, "float64"):
    ...     exact_values(formula, samples, kind).values[0][0].str(20, radius=False)
    '0.10000000000000000000'
    '0.10000000000000000555'
    """
    tape = lay_out(formula, share=False)
    numbers = {} if kind is None else numbers_in(samples, kind)

    def cell(name: str, row: int) -> Cell:
        return float(numbers[name][row]) if numbers else samples.decimal(name, row)

    rows = [{name: cell(name, row) for name in tape.variables} for row in range(len(samples))]
    return ExactValues(tape, exact_rows(tape, rows))


def exact_rows(
    tape: Tape, rows: Iterable[Mapping[str, Cell] | None], deep_samples: int = 0
) -> list[list[Ball | None]]:
    """Every slot of a tape at each row, to `ACCURACY`; None without a real value, or a row.

    `deep_samples` is as of `ExactEvaluator`.
    """
    evaluator = ExactEvaluator(tape, ACCURACY, deep_samples=deep_samples, noise=False)
    exact: list[list[Ball | None]] = []
    for cells in rows:
        values = () if cells is None else evaluator.sample(cells).y
        y = [None if value.is_nan() else value for value in values]
        exact.append(y + [None] * (len(tape) - len(y)))
    return exact


@dataclass(frozen=True)
class Observed:
    kind: str  # "float32" or "float64"
    # shape (m,): Signed relative error over unit roundoff at every sample; nan where the exact
    # value is 0 or not real; inf where the type has no number though there is one
    errors: Array
    # shape (m,): The same for this one operation on the operands that it was given: 0 where it is
    # exact; nan where it cannot be told
    rounding: Array
    # Samples at which this operation's value is too small for a full mantissa, or 0 though it is
    # not, and rounded for it
    underflows: int

    _JSON = ("digits", "worst", "usable", "lost=rows_lost")

    @property
    def usable(self) -> int:
        return int(np.count_nonzero(np.isfinite(self.errors)))

    @property
    def rows_lost(self) -> int:
        return int(np.count_nonzero(np.isinf(self.errors)))

    @property
    def digits(self) -> float:
        """log10 of the rms error in units of roundoff: -inf if all are exact, nan without any."""
        errors = self.errors[np.isfinite(self.errors)]
        return _log10(rms(errors)) if len(errors) else math.nan

    @property
    def worst(self) -> float:
        sizes = np.abs(self.errors[np.isfinite(self.errors)])
        return _log10(float(np.max(sizes))) if len(sizes) else math.nan


def rms(values: Array) -> float:
    """Root mean square, without overflow; 0 of nothing.

    >>> rms(np.array([3.0, -4.0])), rms(np.array([1e200, 1e200]))
    (3.5355339059327378, 1e+200)
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0:
        return 0.0
    return largest * math.sqrt(float(np.mean(np.square(values / largest))))


def _log10(value: float) -> float:
    return math.log10(value) if value > 0 else -math.inf


def observe(exact: ExactValues, samples: Samples, kind: str) -> tuple[Observed, ...]:
    """Evaluate every node in one floating-point type, and compare.

    Parameters
    ----------
    exact
        The exact values of every node.
    samples
        The same rows.
    kind
        The type in which every operation is carried out. {"float32", "float64"}.

    Returns
    -------
    tuple[Observed, ...]
        One for each node, in post-order.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> formula = read("(x + 1) - 1").formula
    >>> samples = Samples.from_columns({"x": [1e-9, 3e-9]})
    >>> result = observe(exact_values(formula, samples), samples, "float64")
    >>> 7 < result[-1].digits < 9, result[-1].rounding.tolist()  # the difference itself is exact
    (True, [0.0, 0.0])
    """
    require(exact, ExactValues)
    require(samples, Samples)
    tiny = np.finfo(kind).tiny
    nodes: list[Observed] = []
    computed = run_in(exact.tape, samples.columns, len(samples), kind)
    for k, (step, y) in enumerate(zip(exact.tape.steps, computed, strict=True)):
        truth = [row[k] for row in exact.values]
        errors = rounding = RoundedTruth(truth, kind).errors(y)
        if step.row is not None:
            operands = np.stack([computed[i] for i in step.operands], axis=1).astype(np.float64)
            rounding = RoundedTruth(_apply(exact.tape, step, operands), kind).errors(y)
        small = (np.abs(y) < tiny) & (np.abs(rounding) > 0)
        if exact.tape.chooses:
            small &= [value is not None for value in truth]
        nodes.append(Observed(kind, errors, rounding, int(np.count_nonzero(small))))
    return tuple(nodes)


def _apply(tape: Tape, step: Step, operands: Array) -> list[Ball | None]:
    """One operation on the operands of the type, a row a sample; None outside the domain."""
    assert step.row is not None
    own, chooses = alone(tape.first_nodes[step.slot]), step.row.chooses
    rows = []
    for row in operands.tolist():
        needed = [row[0], row[1] if row[0] else row[2]] if chooses else row
        usable = all(map(math.isfinite, needed))
        rows.append(dict(zip(own.variables, row, strict=True)) if usable else None)
    return [exact[-1] for exact in exact_rows(own, rows)]


NO_NUMBER, FEWER_DIGITS, ALL_DIGITS = 0, 1, 2
"""How a type holds an exact value: by no number, by one with fewer digits, or by one with all."""

A_DIGIT = 10.0
"""Roundings by which the nearest number is off where a digit is lost to it."""


@dataclass(frozen=True)
class ObservedError(Plain):
    """The error of evaluating a form in one precision, on inputs that this precision holds."""

    precision: str  # "float32" or "float64"
    # rms, worst: relative error; 1 and more means that no digit is right, as with any number where
    # the exact value is 0. No row counts as more than 1 in the root mean square: it has lost all
    # the digits that the precision has, and no more. nan without rows.
    rms: float
    worst: float
    # Rows at which the precision has no value of the result (`double_range.has_no_value`), though
    # it could hold the exact one
    failed: int
    rows: int  # Rows compared, `failed` included: those whose exact value the precision can hold
    # Mean over the rows of the digits that each has lost, all of them where it has no value
    mean_digits_lost: float = math.nan
    # Further rows, at which the exact value itself is beyond all numbers of the type
    out_of_range: int = 0
    zeros: int = 0  # Rows whose exact value is 0 and that have another
    # Rows whose exact value is so far below the normal numbers of the type that the nearest has
    # lost a digit; errors count relative to the smallest normal number there
    fewer: int = 0
    # The largest of those others, in units of the largest exact value, or of 1 if all are 0; 0
    # without them
    largest_at_zero: float = 0.0

    _JSON = (
        "precision",
        "rms",
        "worst",
        "failed",
        "rows",
        "digits_lost",
        "mean_digits_lost",
        "out_of_range",
        "fewer",
    )

    @classmethod
    def of(
        cls,
        truth: Sequence[Any],
        computed: Sequence[float],
        kind: str,
        lost: npt.NDArray[np.bool_] | None = None,
    ) -> ObservedError:
        """The error of computed numbers; exact values beyond the type's range do not count.

        `lost` (by default inf and nan) marks rows without a value.
        """
        exact, results = RoundedTruth(truth, kind), np.asarray(computed, dtype=np.float64)
        held = exact.held()
        errors = exact.errors(results)
        errors[held == NO_NUMBER] = math.nan
        if lost is not None:
            errors[lost & ~np.isnan(errors)] = math.inf
        zeros = (held != NO_NUMBER) & exact.zero & np.isnan(errors)
        errors[zeros] = 1 / ROUNDOFF[kind]  # no digit of another number is right
        fewer = (held == FEWER_DIGITS) & ~zeros
        to_tiny = fewer & np.isfinite(errors)
        errors[to_tiny] = exact.errors(results, exact.tiny)[to_tiny]
        largest = float(np.max(np.abs(exact.high[held != NO_NUMBER]), initial=0.0))
        at_zero = float(np.max(np.abs(results[zeros]), initial=0.0))
        sizes = np.abs(errors[np.isfinite(errors)]) * ROUNDOFF[kind]
        failed = int(np.count_nonzero(np.isinf(errors)))
        some = len(sizes) > 0
        digits = exact.digits_lost(results)
        digits = digits[~np.isnan(digits)]
        return cls(
            kind,
            rms(np.minimum(sizes, 1.0)) if some else math.nan,
            float(np.max(sizes)) if some else math.nan,
            failed,
            len(sizes) + failed,
            float(np.mean(digits)) if len(digits) else math.nan,
            int(np.count_nonzero(exact.real & (held == NO_NUMBER))),
            int(np.count_nonzero(zeros)),
            int(np.count_nonzero(fewer)),
            at_zero / (largest or 1.0),
        )

    @property
    def digits_lost(self) -> float:
        """log10 of rms error over unit roundoff, from 0 to all digits; inf if a row failed."""
        if self.failed:
            return math.inf
        return max(0.0, math.log10(self.rms / ROUNDOFF[self.precision])) if self.rms > 0 else 0.0
