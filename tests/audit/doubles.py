"""What double precision makes of a form, held to exact values at the very numbers it gets."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from eic_core.formula.tree import VARIABLE, Formula, Node
from eic_core.samples import Samples
from tests.audit.oracle import Truth
from tests.audit.plain import run_plain
from tests.audit.shaking import values_of
from tests.oracle import BeyondReach, NoRealValue, mp, number

DIGITS = {"float32": 7.2, "float64": 15.95}
ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53}


def exact_values(formula: Formula, samples: Samples, row: int, kind: str) -> list[Any] | None:
    """Every node at the numbers that a type has for a row's cells; None without a value."""

    def leaf(node: Node) -> Any:
        if node.operator != VARIABLE:
            return number(node.label)
        return number(str(Decimal(float(np.dtype(kind).type(samples.columns[node.label][row])))))

    try:
        return values_of(formula, leaf)
    except (NoRealValue, ArithmeticError, ValueError):
        return None


def exact_at_doubles(truth: Truth, rows: Iterable[int], kind: str = "float64") -> list[Any]:
    """The exact result at the numbers that a type has for the cells of some rows."""
    found = []
    with mp.workdps(truth.digits), np.errstate(all="ignore"):
        for i in rows:
            values = exact_values(truth.formula, truth.samples, i, kind)
            found.append(None if values is None else values[-1])
    return found


def nearest(y: Any) -> float:
    try:
        return float(y)
    except OverflowError:
        return math.inf


def digits_lost(exact: Sequence[Any], computed: Any, kind: str = "float64") -> np.ndarray:
    """Digits lost at each row, from 0 to all; nan where no number of the type is near.

    Below the normal numbers an error counts relative to the smallest of those.
    """
    limits = np.finfo(kind)
    lost = np.full(len(exact), math.nan)
    with mp.workdps(60):
        for i, (y, got) in enumerate(zip(exact, np.asarray(computed, float).tolist(), strict=True)):
            if y is None or abs(nearest(y)) > float(limits.max):
                continue
            if not math.isfinite(got) or (not y and got):
                lost[i] = DIGITS[kind]
                continue
            gap = abs(mp.mpf(got) - y) / max(mp.mpf(float(limits.tiny)), abs(y))
            error = float(min(gap, 1)) / ROUNDOFF[kind]
            lost[i] = min(DIGITS[kind], max(0.0, math.log10(error) if error else 0.0))
    return lost


class DoubleError:
    """A form in double precision at some rows, all inputs taken as exact.

    Attributes
    ----------
    lost : ndarray
        Digits lost at each row of the table; nan at others and without an exact double.
    rows, failed : int
        How many can be compared, and at how many of them it has no value: no number, or a 0 that is
        none and that leaving the range has made.
    beyond, fewer : int
        At how many rows no double is the exact value, and at how many the nearest has lost a digit.
    digits : float
        log10 of the rms relative error over the unit roundoff, from 0; no row counts as more than
        an error of all its digits.
    """

    def __init__(self, form: Formula, truth: Truth, rows: Iterable[int] | None = None) -> None:
        chosen = [*range(truth.count)] if rows is None else [*rows]
        computed = run_plain(form, truth.samples.columns, truth.count, "float64")[-1]
        exact = exact_at_doubles(truth, chosen)
        self.lost = np.full(truth.count, math.nan)
        self.lost[chosen] = digits_lost(exact, computed[chosen])
        self.failed = self.beyond = self.rows = self.fewer = 0
        errors = []
        with mp.workdps(60):
            for i, y in zip(chosen, exact, strict=True):
                if y is None:
                    continue
                got, double = float(computed[i]), nearest(y)
                none = math.isinf(double) or (bool(y) and not double)
                few = not none and bool(y) and abs(mp.mpf(double) / y - 1) > 10 * 2.0**-53
                self.beyond += none
                self.fewer += few
                if none:
                    continue
                self.rows += 1
                if not math.isfinite(got) or (not got and y and leaves_range(form, truth, i)):
                    self.failed += 1
                    if not math.isfinite(got):
                        continue
                scale = max(mp.mpf(sys.float_info.min), abs(y)) if few or not y else abs(y)
                error = 1.0 if not y and got else float(min(1, abs(mp.mpf(got) - y) / scale))
                errors.append(error / 2.0**-53)
        rms = math.sqrt(float(np.mean(np.square(errors)))) if errors else 0.0
        self.digits = max(0.0, math.log10(rms)) if rms else 0.0


def leaves_range(form: Formula, truth: Truth, row: int) -> bool:
    """Whether the exact value of some node is not 0, and no normal double.

    What cancels in 60 digits is 0 with unlimited exponents, too: it is no matter of range.
    """
    for digits in (60, truth.digits):
        try:
            with mp.workdps(digits):
                values = exact_values(form, truth.samples, row, "float64")
        except BeyondReach:
            continue
        known = [abs(y) for y in values or () if y]
        return any(not sys.float_info.min <= y <= sys.float_info.max for y in known)
    return True
