"""What is left of a formula that is copied with four digits, or computed in single precision."""

from __future__ import annotations

import math

import numpy as np

from eic_core.engine.tape import lay_out
from eic_core.engine.values import values
from eic_core.explain.robustness import r2_with_digits
from eic_core.explain.shortening import digits_of, shortenable
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.observed import run_in
from eic_core.operators.wide import Array
from eic_core.samples import Samples

BROKEN = 0.05
"""A formula is broken where its R^2 falls by more."""

KEPT = 0.001
"""Constants have the digits that they need where it falls by no more."""

TRANSCENDENTAL = frozenset(
    (
        "exp",
        "log",
        "log1p",
        "expm1",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "erf",
    )
)


def r2_of(formula: Formula, samples: Samples) -> float:
    """R^2 in double precision; nan where it has no value at some row."""
    found = values(formula, samples)
    assert found is not None and samples.target is not None
    return r_squared(found, samples.target)


def digits_needed(formula: Formula, samples: Samples) -> int:
    """The fewest digits of all constants with which R^2 is kept; 0 where there are none.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]}, target=[1.1, 2.0, 2.9])
    >>> digits_needed(read("1000.9*x - 999.9*x + 0.001").formula, samples)
    5
    """
    constants = shortenable(formula)
    if not constants:
        return 0
    least = worth(r2_of(formula, samples)) - KEPT
    most = max(map(digits_of, constants))
    kept = (d for d in range(1, most) if worth(r2_with_digits(formula, samples, d)) >= least)
    return next(kept, most)


def in_single(formula: Formula, samples: Samples) -> Array:
    """Its values when every number and operation is in single precision."""
    found = run_in(lay_out(formula), samples.columns, len(samples), "float32")[-1]
    return np.broadcast_to(np.asarray(found, dtype=np.float64), len(samples))


def single_error(formula: Formula, samples: Samples) -> float:
    """How far they lie from the values in double precision: log10 of the root mean square by the
    target's standard deviation, from -8 to 0.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [0.1, 0.2, 0.7]}, target=[1.0, 2.0, 3.0])
    >>> texts = "x*x", "(1000000 + x) - 1000000"
    >>> [round(single_error(read(text).formula, samples)) for text in texts]
    [-8, -2]
    """
    found = values(formula, samples)
    assert found is not None and samples.target is not None
    with np.errstate(all="ignore"):
        missed = in_single(formula, samples) - found
        share = float(np.sqrt(np.mean(missed**2)) / np.std(samples.target))
    return math.log10(min(1.0, max(1e-8, share))) if math.isfinite(share) else 0.0


def worth(r2: float) -> float:
    """R^2, but 0 for what predicts worse than the mean does, or not at some row.

    Examples
    --------
    >>> worth(0.5), worth(-3.0), worth(math.nan)
    (0.5, 0.0, 0.0)
    """
    return max(0.0, r2) if not math.isnan(r2) else 0.0


def broken(before: float, after: float) -> bool:
    """Whether `worth` falls by more than .05.

    Examples
    --------
    >>> broken(0.9, 0.86), broken(0.9, 0.84), broken(0.9, math.nan), broken(-5.0, -9.0)
    (False, True, True, False)
    """
    return worth(before) - worth(after) > BROKEN


def nested(formula: Formula) -> int:
    """Transcendental functions that stand inside another one's operand.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> nested(read("sin(exp(x) + log(x)) + cos(x)").formula)
    2
    """
    inside = [False] * len(formula.nodes)
    count = 0
    for node in reversed(formula.nodes):
        own = node.operator in TRANSCENDENTAL
        count += own and inside[node.id]
        for child in node.children:
            inside[child] = inside[node.id] or own
    return count
