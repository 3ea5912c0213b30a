"""The error that float32 and float64 really make, against exact values.

A node's error is observed (`Observed.errors`) and replayed: each operation's actual rounding
arrives at the node by the factors of `eic_core.engine.sweep`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import Step, Tape, lay_out
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.operators.wide import Array
from eic_core.samples import Samples

ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53}

DIGITS = {"float32": 7.2, "float64": 15.95}
"""Decimal digits of the types."""


def run_in(tape: Tape, columns: Mapping[str, Any], count: int, kind: str) -> list[Any]:
    """Every slot of a tape, inputs rounded to it, in "float32" or "float64" arithmetic.

    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("(x + 1) - x").formula)
    >>> run_in(tape, {"x": np.array([1e8])}, 1, "float32")[-1].tolist()
    [0.0]
    """
    leaf, dtype = leaves(columns, count), np.dtype(kind)

    def rounded(y: Any) -> Array:
        return np.asarray(y, dtype)

    return forward(tape, lambda step: rounded(leaf(step)), lambda *of: rounded(evaluate(*of)))


def relative_errors(truth: Sequence[Any], computed: Sequence[float], kind: str) -> Array:
    """Signed relative errors in units of the type's roundoff. nan where the exact value is not
    real (None), or is 0 and the other is not; inf where the type has no number for a value.
    """
    roundoff = ROUNDOFF[kind]
    found = np.full(len(truth), math.nan)
    for row, (true, value) in enumerate(zip(truth, computed, strict=True)):
        if true is None:
            continue
        if not math.isfinite(value):
            found[row] = math.inf
        elif true:
            ratio = (value - true) / (true * roundoff)
            found[row] = float(ratio) if ratio.context.mag(ratio) < 1000 else 1e300
        elif not value:
            found[row] = 0.0
    return found


def digits_lost_by_row(truth: Sequence[Any], computed: Any, kind: str) -> Array:
    """Digits that each result has lost, from 0 to all that the type has.
    nan where the exact value is not real (None) or beyond the type's range. Where the type has no
    number, or another than an exact 0, every digit is lost. Below the type's smallest normal number
    an error counts relative to that.

    >>> from mpmath import mpf
    >>> found = digits_lost_by_row([mpf(1), mpf(1), mpf(2), None], [1, 1.1, np.inf, 3], "float64")
    >>> [round(float(lost), 2) for lost in found]
    [0.0, 14.95, 15.95, nan]
    """
    return RoundedTruth(truth, kind).digits_lost(computed)


class RoundedTruth:
    def __init__(self, truth: Sequence[Any], kind: str) -> None:
        limits = np.finfo(kind)
        self.kind = kind
        high = [math.nan if value is None else _nearest(value) for value in truth]
        low = [
            float(value - rounded) if math.isfinite(rounded) else 0.0
            for value, rounded in zip(truth, high, strict=True)
        ]
        self.high, self.low = np.array(high, dtype=np.float64), np.array(low, dtype=np.float64)
        self.high[np.abs(self.high) > float(limits.max)] = math.nan
        self.scale = np.maximum(np.abs(self.high), float(limits.tiny))
        self.most = DIGITS[kind]

    def digits_lost(self, computed: Any) -> Array:
        results = np.asarray(computed, dtype=np.float64)
        with np.errstate(all="ignore"):
            error = np.abs((results - self.high) - self.low) / self.scale / ROUNDOFF[self.kind]
            lost = np.clip(np.log10(error), 0.0, self.most)
        wrong = ~np.isfinite(results) | ((self.high == 0) & (self.low == 0) & (results != 0))
        return np.where(np.isnan(self.high), math.nan, np.where(wrong, self.most, lost))


def _nearest(value: Any) -> float:
    try:
        nearest = float(value)
    except OverflowError:
        return math.nan
    return nearest if math.isfinite(nearest) else math.nan


@dataclass(frozen=True)
class ExactValues:
    tape: Tape  # One step for each node, in post-order
    mp: Any
    values: list[list[Any]]  # Per sample and node; None from the first node without a real value


def exact_values(formula: Formula, samples: Samples) -> ExactValues:
    """Every node at every sample at 60 digits, with inputs as written; some milliseconds a sample.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [2.0]})
    >>> found = exact_values(read("sqrt(x)").formula, samples)
    >>> found.mp.nstr(found.values[0][1], 30)
    '1.41421356237309504880168872421'
    """
    tape = lay_out(formula, share=False)
    evaluator = ExactEvaluator(tape)
    values = []
    for row in range(len(samples)):
        cells = {name: samples.decimal(name, row) for name in tape.variables}
        y: list[Any] = list(evaluator.sample(cells).y)
        if tape.chooses:  # a branch that is not taken has no value
            y = [None if evaluator.mp.isnan(value) else value for value in y]
        values.append(y + [None] * (len(tape.steps) - len(y)))
    return ExactValues(tape, evaluator.mp, values)


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
        known = self.errors[np.isfinite(self.errors)]
        return _log10(rms(known)) if len(known) else math.nan

    @property
    def worst(self) -> float:
        known = np.abs(self.errors[np.isfinite(self.errors)])
        return _log10(float(np.max(known))) if len(known) else math.nan


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
        The values of every node at 60 digits.
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
    >>> found = observe(exact_values(formula, samples), samples, "float64")
    >>> 7 < found[-1].digits < 9, found[-1].rounding.tolist()  # the difference itself is exact
    (True, [0.0, 0.0])
    """
    rows, tiny = len(samples), np.finfo(kind).tiny
    found: list[Observed] = []
    computed: list[list[float]] = []
    values = run_in(exact.tape, samples.columns, rows, kind)
    for k, (step, y) in enumerate(zip(exact.tape.steps, values, strict=True)):
        computed.append(y.tolist())
        errors = relative_errors([row[k] for row in exact.values], computed[k], kind)
        rounding = errors
        if step.row is not None:
            given = [[computed[i][row] for i in step.operands] for row in range(rows)]
            local = [_apply(exact.mp, step, operands) for operands in given]
            rounding = relative_errors(local, computed[k], kind)
        small = (np.abs(y) < tiny) & (np.abs(rounding) > 0)
        if exact.tape.chooses:
            small &= [row[k] is not None for row in exact.values]
        underflows = int(np.count_nonzero(small))
        found.append(Observed(kind, errors, rounding, underflows))
    return tuple(found)


def _apply(mp: Any, step: Step, operands: list[float]) -> Any | None:
    """One operation at 60 digits on the operands of the type; None outside the domain."""
    assert step.row is not None
    needed = operands
    if step.row.chooses:
        needed = [operands[0], operands[1] if operands[0] else operands[2]]
    if not all(map(math.isfinite, needed)):
        return None
    try:
        value = step.row.exact(mp, [mp.mpf(a) for a in operands], step.exact_parameter)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    if isinstance(value, mp.mpc) or not mp.isfinite(value):
        return None
    return value


NO_NUMBER, FEWER_DIGITS, ALL_DIGITS = 0, 1, 2
"""How a type holds an exact value: by no number, by one with fewer digits, or by one with all."""

A_DIGIT = 10.0
"""Roundings by which the nearest number is off where a digit is lost to it."""


def _held(true: Any, kind: str) -> int:
    if true is None:
        return NO_NUMBER
    with np.errstate(over="ignore", under="ignore"):
        nearest = float(np.dtype(kind).type(_nearest(true)))
    if not math.isfinite(nearest) or (true and not nearest):
        return NO_NUMBER
    if abs(nearest) >= float(np.finfo(kind).tiny) or not true:
        return ALL_DIGITS
    off = abs(nearest - true) / abs(true)
    return FEWER_DIGITS if off > A_DIGIT * ROUNDOFF[kind] else ALL_DIGITS


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
        """The error of computed numbers; exact values beyond the type's range do not count, and
        `lost` (by default inf and nan) marks rows without a value.
        """
        tiny = float(np.finfo(kind).tiny)
        held = [_held(true, kind) for true in truth]
        errors = relative_errors(
            [true if holds else None for true, holds in zip(truth, held, strict=True)],
            computed,
            kind,
        )
        if lost is not None:
            errors[lost & ~np.isnan(errors)] = math.inf
        zeros = fewer = 0
        at_zero = 0.0
        for row, (true, holds) in enumerate(zip(truth, held, strict=True)):
            if not holds:
                continue
            if not true and math.isnan(errors[row]):
                errors[row] = 1 / ROUNDOFF[kind]  # no digit of another number is right
                zeros += 1
                at_zero = max(at_zero, abs(computed[row]))
            elif holds == FEWER_DIGITS:
                fewer += 1
                if math.isfinite(errors[row]):
                    errors[row] = float((computed[row] - true) / tiny) / ROUNDOFF[kind]
        beyond = sum(
            true is not None and not holds for true, holds in zip(truth, held, strict=True)
        )
        largest = max(
            (float(abs(true)) for true, holds in zip(truth, held, strict=True) if holds),
            default=0.0,
        )
        known = np.abs(errors[np.isfinite(errors)]) * ROUNDOFF[kind]
        failed = int(np.count_nonzero(np.isinf(errors)))
        some = len(known) > 0
        counted = np.minimum(known, 1.0)
        digits = digits_lost_by_row(truth, computed, kind)
        digits = digits[~np.isnan(digits)]
        return cls(
            kind,
            rms(counted) if some else math.nan,
            float(np.max(known)) if some else math.nan,
            failed,
            len(known) + failed,
            float(np.mean(digits)) if len(digits) else math.nan,
            beyond,
            zeros,
            fewer,
            float(at_zero / (largest or 1.0)),
        )

    @property
    def digits_lost(self) -> float:
        """log10 of rms error over unit roundoff, from 0 to all digits; inf if a row failed."""
        if self.failed:
            return math.inf
        return max(0.0, math.log10(self.rms / ROUNDOFF[self.precision])) if self.rms > 0 else 0.0
