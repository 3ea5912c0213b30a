"""The robustness card: a formula's fit under rounding, on other rows, and outside its data.

R^2 is 1 - SSE/SST on the predicted rows, nan where the formula has no value at one of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eic_core import wording
from eic_core.engine.tape import lay_out
from eic_core.engine.values import values
from eic_core.errors import DataError, require
from eic_core.explain.facts import (
    FEW_DIGITS,
    FITTED_ROWS,
    FOLDS,
    LEVEL,
    MOST_OUTER,
    OUTER,
    RESAMPLED_ROWS,
    RESAMPLES,
    SPLITS,
    CardTrial,
)
from eic_core.explain.phrases import fit_card as phrases
from eic_core.explain.shortening import shortenable, with_labels
from eic_core.exports import Plain
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.observed import run_in
from eic_core.measure.refitting import refitted
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase
from eic_core.samples import Samples, evenly_spread

_BLOCK = 1 << 14


def r2_with_digits(formula: Formula, samples: Samples, digits: int = FEW_DIGITS) -> float:
    """R^2 with every constant rounded to so many significant digits, half to even.

    Parameters
    ----------
    formula
        Constants that stay: pi, e, fractions, and exponents that belong to their power.
    samples
        With a target.
    digits
        1 or more.

    Returns
    -------
    float
        At most 1; nan where the formula has no value at some row.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]}, target=[1.0, 2.0, 4.0])
    >>> formula = read("10000.4*x - 9999.4*x").formula
    >>> round(r2_with_digits(formula, samples, 6), 6), r2_with_digits(formula, samples, 4) < 0.1
    (1.0, False)
    """
    require(formula, Formula)
    require(samples, Samples)
    short = with_labels(formula, dict.fromkeys(shortenable(formula), digits))
    return _r2(values(short, samples), samples)


def r2_in_float32(formula: Formula, samples: Samples) -> float:
    """R^2 with inputs, constants and every operation in single precision.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        With a target, which stays in double precision, as R^2 itself does.

    Returns
    -------
    float
        At most 1; nan where the formula has no value at some row.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]}, target=[1.0, 2.0, 4.0])
    >>> r2_in_float32(read("(x + 1e9) - 1e9").formula, samples) < 0
    True
    """
    require(formula, Formula)
    require(samples, Samples)
    samples.require(formula.variables)
    tape = lay_out(formula)
    found = np.empty(len(samples))
    for start in range(0, len(samples), _BLOCK):
        stop = min(start + _BLOCK, len(samples))
        columns = {name: samples.columns[name][start:stop] for name in tape.variables}
        found[start:stop] = run_in(tape, columns, stop - start, "float32")[-1]
    return _r2(found, samples)


def resampled_r2(
    predicted: Array, target: Array, *, resamples: int = RESAMPLES, seed: int = 0
) -> Array:
    """R^2 on rows drawn with replacement, as many as there are.

    Parameters
    ----------
    predicted
        Shape (N,).
    target
        Shape (N,).
    resamples
        Number of draws.
    seed
        Non-negative.

    Returns
    -------
    Array
        nan where the target of a draw does not vary. Shape (resamples,).

    Examples
    --------
    >>> found = resampled_r2(np.array([1.0, 2.0, 2.0, 5.0]), np.array([1.0, 2.0, 3.0, 5.0]))
    >>> len(found), float(np.nanmax(found))
    (1000, 1.0)
    """
    centred = target - np.mean(target)
    unit = float(np.max(np.abs(centred), initial=0.0)) or 1.0
    centred = centred / unit
    found = np.full(resamples, math.nan)
    with np.errstate(all="ignore"):
        missed = np.square((target - predicted) / unit)
        rng, count = np.random.default_rng(seed), len(target)
        for draw in range(resamples):
            rows = rng.integers(0, count, count)
            drawn = centred[rows]
            if drawn.min() < drawn.max():
                spread = np.sum(np.square(drawn - drawn.mean()))
                found[draw] = 1 - np.sum(missed[rows]) / spread
    return found


def outer_rows(columns: Mapping[str, Array], share: float = OUTER) -> np.ndarray | None:
    """The `share` of rows that lie outermost in the data, with all ties, as a mask of shape (N,).
    In one input a row is as far out as the absolute difference of the numbers of rows below and
    above it; the input in which it is outermost counts, then the sum over all. None without an
    input, or where ties would make them three tenths of all rows or more.

    >>> x = np.arange(20.0)
    >>> np.flatnonzero(outer_rows({"x": x})).tolist()
    [0, 19]
    >>> outer_rows({"x": x % 2}) is None
    True
    """
    if not columns:
        return None
    each = np.array([_off_middle(column) for column in columns.values()])
    far = each.max(axis=0) * (each.size + 1) + each.sum(axis=0)
    least = np.sort(far)[-math.ceil(share * len(far))]
    outer = far >= least
    return outer if np.count_nonzero(outer) < MOST_OUTER * len(far) else None


def _off_middle(column: Array) -> Array:
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    upto = np.cumsum(counts)
    below, above = upto - counts, len(column) - upto
    return np.asarray(np.abs(below - above)[place])


def r2_of_outer_rows(formula: Formula, samples: Samples) -> tuple[float, int]:
    """R^2 on the outer rows, with constants fitted to the others, and how many outer rows there
    are; (nan, 0) where there are none (`outer_rows`).

    Parameters
    ----------
    formula
        Its constants are where the fit begins.
    samples
        Rows with a target.

    Returns
    -------
    tuple[float, int]
        R^2, at most 1, and the number of outer rows.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> x = np.linspace(0, 3, 40)
    >>> samples = Samples.from_columns({"x": x}, target=np.exp(x))
    >>> r2, rows = r2_of_outer_rows(read("1 + x + 0.5*x**2").formula, samples)
    >>> rows, round(r2, 2)
    (4, 0.95)
    """
    require(formula, Formula)
    require(samples, Samples)
    outer = outer_rows(samples.columns)
    if outer is None:
        return math.nan, 0
    inner = samples.take(evenly_spread(np.flatnonzero(~outer), FITTED_ROWS))
    tested = samples.take(np.flatnonzero(outer))
    return _r2(values(refitted(formula, inner), tested), tested), len(tested)


def r2_of_rows_left_out(formula: Formula, samples: Samples, *, seed: int = 0) -> float:
    """R^2 on rows that the constants were not fitted to.

    The rows are split at random into five parts. Each is predicted by the formula with its
    constants fitted to the other four, beginning at those given; R^2 is that of all predictions
    together. The result is the median of five such splits.

    Parameters
    ----------
    formula
        Its constants are where each fit begins.
    samples
        With a target; of more than 2,000 rows, so many are taken, evenly spread.
    seed
        Non-negative.

    Returns
    -------
    float
        nan where, in most of the five, the formula has no value at some row; or of a single
        row.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> x = np.linspace(0, 1, 12)
    >>> samples = Samples.from_columns({"x": x}, target=np.sin(9 * x))
    >>> formula = read("1 - 9*x + 2*x**2 + 80*x**3 - 76*x**4 - 9*x**5").formula
    >>> r2_of_rows_left_out(formula, samples) < 0.99
    True
    """
    require(formula, Formula)
    require(samples, Samples)
    used = samples.take(evenly_spread(np.arange(len(samples)), FITTED_ROWS))
    rng, count = np.random.default_rng(seed), len(used)
    if count < 2:
        return math.nan
    found = []
    for _ in range(SPLITS):
        order, predicted = rng.permutation(count), np.empty(count)
        for part in np.array_split(order, min(FOLDS, count)):
            rest = used.take(np.setdiff1d(order, part))
            predicted[part] = values(refitted(formula, rest), used.take(part))
        found.append(_r2(predicted, used))
    worst_first = sorted(found, key=lambda r2: -math.inf if math.isnan(r2) else r2)
    return worst_first[SPLITS // 2]


def _r2(predicted: Array | None, samples: Samples) -> float:
    assert predicted is not None and samples.target is not None
    return r_squared(predicted, samples.target, spread=samples.target_spread)


@dataclass(frozen=True)
class RobustnessCard(Plain):
    """R^2 of one formula, as given and in several adversities; nan where it has no value at a row.

    Attributes
    ----------
    formula
        The formula as given.
    text
        In Python's notation.
    rows
        Number of rows in `samples`.
    r2
        As given.
    resampled_low
        Lower end of the middle 95 per cent of R^2 over 1,000 draws of the rows with replacement,
        the formula as given; at most 20,000 rows, evenly spread, are drawn from.
    resampled_high
        Upper end of the same interval.
    few_digits
        With every constant rounded to four significant digits.
    float32
        In single precision.
    left_out
        On rows left out, constants fitted to the rest (`r2_of_rows_left_out`).
    outer
        On the outer tenth of the rows, constants fitted to the others (`r2_of_outer_rows`).
    outer_count
        How many these are; 0 where there are no such rows.
    holdout
        On another table, the formula as given; nan without one.
    holdout_rows
        Number of rows of that table; 0 without one.
    outside
        On those of its rows that lie outside the ranges of the inputs in `samples`; nan
        without.
    outside_rows
        How many these are.
    """

    formula: Formula = field(repr=False)
    text: str
    rows: int
    r2: float
    resampled_low: float
    resampled_high: float
    few_digits: float
    float32: float
    left_out: float
    outer: float
    outer_count: int
    holdout: float = math.nan
    holdout_rows: int = 0
    outside: float = math.nan
    outside_rows: int = 0

    _JSON = (
        "formula=text",
        "rows",
        "r2",
        "resampled_low",
        "resampled_high",
        "few_digits",
        "float32",
        "left_out",
        "outer",
        "outer_count",
        "holdout",
        "holdout_rows",
        "outside",
        "outside_rows",
    )

    @property
    def lines(self) -> tuple[CardLine, ...]:
        """What was tried, as rows of a table; all cards on the same data have the same rows."""
        held_out = {
            CardTrial.HOLDOUT: self.holdout_rows,
            CardTrial.OUTSIDE: self.outside_rows,
        }
        rows = {CardTrial.OUTER: self.outer_count} | held_out
        return tuple(
            CardLine(trial, getattr(self, trial), rows.get(trial, self.rows))
            for trial in CardTrial
            if held_out.get(trial, True)
        )


class CardLine(NamedTuple):
    trial: CardTrial
    r2: float  # nan where there is none
    rows: int  # How many it is about

    @property
    def name(self) -> Phrase:
        return phrases.line_name(self.trial)

    @property
    def text(self) -> str:
        """R^2 as it is shown."""
        return wording.r_squared(self.r2)

    @property
    def meaning(self) -> Phrase:
        """What was done."""
        return phrases.line_meaning(self.trial, self.rows)


def robustness_card(
    formula: Formula, samples: Samples, *, holdout: Samples | None = None, seed: int = 0
) -> RobustnessCard:
    """What remains of a formula's R^2 with short constants, in single precision, and on other rows.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        With a target: the rows that it was fitted to. Outer rows are outer in some of their
        columns; for cards to be compared, these must be the same.
    holdout
        With a target: rows that nobody has looked at.
    seed
        Of splits and draws, non-negative.

    Returns
    -------
    RobustnessCard
        R^2 in each adversity, with the numbers of rows.

    Raises
    ------
    DataError
        If there is no target, or a variable has no column.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> x = np.linspace(1, 3, 50)
    >>> samples = Samples.from_columns({"x": x}, target=x * x)
    >>> good = robustness_card(read("x*x").formula, samples)
    >>> poor = robustness_card(read("x*x + 1234567*x - 1234567*x").formula, samples)
    >>> [round(card.r2, 6) for card in (good, poor)]
    [1.0, 1.0]
    >>> good.float32 > 0.999999 > poor.float32
    True
    """
    require(formula, Formula)
    require(samples, Samples)
    for given in (samples, *([holdout] if holdout is not None else [])):
        if given.target is None:
            raise DataError("a robustness card needs a target", hint="choose a target column")
        given.require(formula.variables)
    if seed < 0:
        raise DataError("the seed must not be negative")
    predicted = values(formula, samples)
    assert predicted is not None and samples.target is not None
    r2 = _r2(predicted, samples)
    low = high = math.nan
    if not math.isnan(r2):
        drawn = evenly_spread(np.arange(len(samples)), RESAMPLED_ROWS)
        found = resampled_r2(predicted[drawn], samples.target[drawn], seed=seed)
        found = found[~np.isnan(found)]
        if len(found):
            low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    outer, outer_count = r2_of_outer_rows(formula, samples)
    return RobustnessCard(
        formula,
        to_python(formula),
        len(samples),
        r2,
        low,
        high,
        r2_with_digits(formula, samples),
        r2_in_float32(formula, samples),
        r2_of_rows_left_out(formula, samples, seed=seed),
        outer,
        outer_count,
        *_on_holdout(formula, samples, holdout),
    )


def _on_holdout(
    formula: Formula, samples: Samples, holdout: Samples | None
) -> tuple[float, int, float, int]:
    """R^2 and number of rows of another table, and of its rows outside the first one's box."""
    if holdout is None:
        return math.nan, 0, math.nan, 0
    beyond = np.zeros(len(holdout), dtype=bool)
    for name, column in samples.columns.items():
        if name in holdout.columns:
            there = holdout.columns[name]
            beyond |= (there < column.min()) | (there > column.max())
    outside, outside_rows = math.nan, int(np.count_nonzero(beyond))
    if outside_rows:
        part = holdout.take(np.flatnonzero(beyond))
        outside = _r2(values(formula, part), part)
    return _r2(values(formula, holdout), holdout), len(holdout), outside, outside_rows
