"""What single and double precision really make of a formula, against exact values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from eic_core.engine.tape import constant_value
from eic_core.explain.rewriting.terms import Terms
from eic_core.explain.rewriting.values import Values, ValueTable
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.inspection import json_number
from eic_core.operators import OPERATORS


@dataclass(frozen=True)
class ObservedError:
    """The error of evaluating a form in one precision.

    Attributes
    ----------
    precision : {"float32", "float64"}
    rms, worst : float
        Relative error; 1 and more means that no digit is right.  nan without rows.
    failed : int
        Rows at which the result is no finite number though the exact one is in range.
    rows : int
        Rows compared, `failed` included.

    Notes
    -----
    The inputs are taken as the binary numbers that the precision holds, so that this is the
    error of the arithmetic and not that of the data.
    """

    precision: str
    rms: float
    worst: float
    failed: int
    rows: int

    @property
    def digits_lost(self) -> float:
        """log10 of the rms error over the unit roundoff, at least 0; inf if a row failed."""
        if self.failed:
            return math.inf
        unit = 2.0**-24 if self.precision == "float32" else 2.0**-53
        return max(0.0, math.log10(self.rms / unit)) if self.rms > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "precision": self.precision,
            "rms": json_number(self.rms),
            "worst": json_number(self.worst),
            "failed": self.failed,
            "rows": self.rows,
            "digits_lost": json_number(self.digits_lost),
        }


def float_values(
    terms: Terms, root: int, columns: Mapping[str, Any], dtype: Any = np.float64
) -> Any:
    """A term in plain floating-point arithmetic of one precision.

    Parameters
    ----------
    columns : mapping of variable to ndarray, shape (N,)
    dtype : numpy.float32 or numpy.float64

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("(x + 1) - x").formula)
    >>> float_values(terms, root, {"x": np.array([1e8])}, np.float32).tolist()
    [0.0]
    """
    count = len(next(iter(columns.values()))) if columns else 1
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for number in terms.below(root):
            term = terms[number]
            if term.operator == VARIABLE:
                values[number] = np.asarray(columns[term.label]).astype(dtype)
            elif term.operator == CONSTANT:
                values[number] = np.full(count, constant_value(term.label)).astype(dtype)
            else:
                row = OPERATORS[term.operator]
                p = row.parameter(term.parameter)
                result = row.evaluate([values[c] for c in term.children], p)
                values[number] = np.asarray(result, dtype=dtype)
    return values[root]


def binary_rows(
    columns: Mapping[str, Any], rows: Sequence[int], dtype: Any
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The inputs of some rows as one precision holds them: arrays, and exact decimals."""
    with np.errstate(over="ignore"):
        rounded = {
            name: np.asarray(column)[list(rows)].astype(dtype) for name, column in columns.items()
        }
    texts = [
        {name: str(Decimal(float(column[i]))) for name, column in rounded.items()}
        for i in range(len(rows))
    ]
    return rounded, texts


class Observer:
    """Compares forms of one formula with its exact values in one precision.

    Parameters
    ----------
    terms : Terms
    original : int
        The form that gives the exact values.
    columns : mapping of variable to ndarray
    rows : sequence of int
    digits : int
    dtype : numpy.float32 or numpy.float64
    """

    def __init__(
        self,
        terms: Terms,
        original: int,
        columns: Mapping[str, Any],
        rows: Sequence[int],
        digits: int,
        dtype: Any,
    ) -> None:
        self.terms = terms
        self.dtype = dtype
        self.inputs, texts = binary_rows(columns, rows, dtype)
        usable = np.ones(len(rows), dtype=bool)
        for column in self.inputs.values():
            usable &= np.isfinite(column)
        self.usable = usable
        known = [t for t, ok in zip(texts, usable.tolist(), strict=True) if ok]
        self.exact: Values = ValueTable(terms, known, digits).values(original)

    def of(self, root: int) -> ObservedError:
        """The error of one form."""
        inputs = {name: column[self.usable] for name, column in self.inputs.items()}
        computed = float_values(self.terms, root, inputs, self.dtype)
        limits = np.finfo(self.dtype)
        errors: list[float] = []
        failed = 0
        for exact, value in zip(self.exact, np.broadcast_to(computed, len(self.exact)).tolist(),
                                strict=True):
            if exact is None or not float(limits.tiny) <= abs(exact) <= float(limits.max):
                continue
            if not math.isfinite(value):
                failed += 1
            else:
                errors.append(float(abs((value - exact) / exact)))
        squared = np.square(np.minimum(errors, 1e100)) if errors else np.array([math.nan])
        return ObservedError(
            np.dtype(self.dtype).name,
            math.sqrt(float(np.mean(squared))),
            max(errors, default=math.nan),
            failed,
            len(errors) + failed,
        )
