"""How well a formula fits its target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.forward import forward, leaves
from eic_core.engine.tape import Step, tape_of
from eic_core.errors import DataError
from eic_core.formula.tree import Formula
from eic_core.samples import Samples, squared_spread

if TYPE_CHECKING:
    from eic_core.measure.inspection import Inspection
    from eic_core.measure.table import Table, VariableMatch

LEAST_FIT = 0.5  # R² above which a column is proposed as the target
_MOST_CANDIDATES, _MOST_WORK = 100, 5_000_000


def program_values(followed: np.ndarray, formula: Formula, samples: Samples) -> np.ndarray:
    """A formula's values with those of a program where it has no real value, or none that is known.

    R^2 is of the numbers that a program computes: through an infinity on its way it may come to a
    finite one, as tanh(1/0) is 1 in double precision, and (-2)**2.0 is 4 whatever noise its
    exponent has.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [0.0, -1.0]})
    >>> for text in ("tanh(1/x)", "log(x)"):
    ...     program_values(np.full(2, np.nan), read(text).formula, samples).round(2).tolist()
    [1.0, -0.76]
    [-inf, nan]
    """
    rows = np.flatnonzero(np.isnan(followed))
    if not len(rows):
        return followed
    leaf = leaves(samples.take(rows).columns, len(rows))
    values = followed.copy()
    values[rows] = forward(tape_of(formula), leaf, _computed)[-1]
    return values


def _computed(step: Step, operands: Sequence[Any]) -> Any:
    assert step.row is not None
    return step.row.compute(operands, step.parameter)


def r_squared(predicted: np.ndarray, target: np.ndarray, *, spread: float | None = None) -> float:
    """Coefficient of determination, 1 - SSE/SST.

    Parameters
    ----------
    predicted
        The formula's values. Shape (N,).
    target
        The observed values. Shape (N,).
    spread
        SST, if it is known (`Samples.target_spread`).

    Returns
    -------
    float
        At most 1. nan if a prediction is nan or infinite (the formula has no value there), or
        if the target is constant and not hit exactly; 1 if a constant target is hit exactly.

    Examples
    --------
    >>> r_squared(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    0.5
    """
    with np.errstate(over="ignore"):
        missed = target - predicted
        residual = float(np.add.reduce(missed * missed))
    if not math.isfinite(residual) and not np.isfinite(predicted).all():
        return math.nan
    if spread is None:
        spread = squared_spread(target)
    if spread == 0:
        return 1.0 if residual == 0 else math.nan
    return 1.0 - residual / spread


@dataclass(frozen=True)
class Fit:
    predicted: np.ndarray  # shape (N,): See `program_values`
    residual: np.ndarray  # shape (N,): Target minus prediction
    r2: float  # Coefficient of determination over all samples; nan with a `reason`
    r2_valid: float  # The same over the samples with a finite prediction; nan if it has none
    reason: str  # Why `r2` is nan, else ""


def fit_of(inspection: Inspection) -> Fit:
    """Compare a formula with its target; raises `DataError` if the samples have none.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]}, target=[2.0, 4.0, 7.0])
    >>> fit = fit_of(inspect(read("2*x").formula, samples))
    >>> round(fit.r2, 4), fit.residual.tolist()
    (0.9211, [0.0, 0.0, 1.0])
    """
    target = inspection.samples.target
    if target is None:
        raise DataError("there is no target to compare with", hint="choose a target column")
    followed, _ = inspection.amplification.trace(len(inspection.nodes) - 1)
    settled = inspection.amplification.exact.rows
    if len(settled):  # there the trace has the exact value, and not a program's
        some = inspection.samples.take(settled)
        in_doubles = amplify(inspection.formula, some, recheck=False, root_values=True)
        followed = followed.copy()
        followed[settled] = in_doubles.root_values
    predicted = program_values(followed, inspection.formula, inspection.samples)
    usable = np.isfinite(predicted)
    r2 = r_squared(predicted, target)
    r2_valid = r_squared(predicted[usable], target[usable]) if usable.any() else float("nan")
    reason = ""
    if not usable.all():
        missing = len(target) - int(np.count_nonzero(usable))
        reason = f"the formula has no finite value at {missing:,} of {len(target):,} samples"
    elif np.isnan(r2):
        reason = "the target is the same everywhere"
    with np.errstate(over="ignore"):
        return Fit(predicted, target - predicted, r2, r2_valid, reason)


def column_of_best_fit(
    formula: Formula, table: Table, match: Callable[[str], VariableMatch]
) -> tuple[str, float, int]:
    """The column that a formula reproduces best, among those that it does not use.

    Parameters
    ----------
    formula
        Evaluated in double precision.
    table
        Of very many rows some thousand, evenly spread, are compared; of columns the last hundred.
    match
        Gives the columns of the variables if a column is the target.

    Returns
    -------
    tuple[str, float, int]
        The column and its R^2 over the rows with a finite value, "" and nan where no R^2 is above
        `LEAST_FIT`; and the number of columns that could be the target.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure.table import match_variables, read_table
    >>> table = read_table("m,v,KE,error\\n1,2,2,9\\n3,1,1.4,7\\n2,3,9,8\\n")
    >>> formula = read("m*v**2/2").formula
    >>> name, r2, _ = column_of_best_fit(
    ...     formula, table, lambda target: match_variables(formula.variables, table.names)
    ... )
    >>> name, round(r2, 4)
    ('KE', 0.9997)
    """
    count = min(table.rows, max(1_000, _MOST_WORK // formula.complexity))
    rows = np.linspace(0, table.rows - 1, count).astype(np.intp)
    predicted: dict[tuple[tuple[str, str], ...], np.ndarray] = {}
    best, candidates = ("", LEAST_FIT), 0
    for name in reversed(table.names[-_MOST_CANDIDATES:]):
        matched = match(name)
        if matched.missing or name in matched.mapping.values():
            continue
        candidates += 1
        used = tuple(matched.mapping.items())
        if used not in predicted:
            columns = {variable: table.values[column][rows] for variable, column in used}
            predicted[used] = forward(tape_of(formula), leaves(columns, len(rows)), _computed)[-1]
        target = table.values[name][rows]
        usable = np.isfinite(target) & np.isfinite(predicted[used])
        if np.count_nonzero(usable) < 2:
            continue
        fit = r_squared(predicted[used][usable], target[usable])
        if fit > best[1]:
            best = (name, fit)
    return (*best, candidates) if best[0] else ("", math.nan, candidates)
