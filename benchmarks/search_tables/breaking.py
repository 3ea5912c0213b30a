"""What is left of a formula that is copied with four digits, or computed in single precision."""

from __future__ import annotations

import math

import numpy as np

from eic_core.engine.tape import lay_out
from eic_core.engine.values import values
from eic_core.explain.shortening import shortenable, with_labels
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.observed import run_in
from eic_core.samples import Samples

DIGITS = 4
BROKEN = 0.05
"""A formula is broken where its R^2 falls by more."""

TRANSCENDENTAL = frozenset((
    "exp", "log", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "erf",
))  # fmt: skip


def r2_of(formula: Formula, samples: Samples) -> float:
    """R^2 in double precision; nan where it has no value at some row."""
    found = values(formula, samples)
    assert found is not None and samples.target is not None
    return r_squared(found, samples.target)


def r2_of_short(formula: Formula, samples: Samples) -> float:
    """R^2 when every constant is rounded to four significant digits."""
    short = with_labels(formula, dict.fromkeys(shortenable(formula), DIGITS))
    return r2_of(short, samples)


def r2_in_single(formula: Formula, samples: Samples) -> float:
    """R^2 when every number and operation is in single precision."""
    assert samples.target is not None
    found = run_in(lay_out(formula), samples.columns, len(samples), "float32")[-1]
    return r_squared(np.asarray(found, dtype=np.float64), samples.target)


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
