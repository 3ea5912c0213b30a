"""Fits a formula's constants to a target anew, by least squares.

Not fitted are pi, e, fractions such as 1/3, and exponents of a power (`x**2`, `x**0.5`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eic_core.engine.sweep import gradients
from eic_core.engine.tape import constant_value, lay_out
from eic_core.errors import require
from eic_core.formula.syntax.build import constant_label
from eic_core.formula.tree import CONSTANT, UNDEFINED, Formula, Node
from eic_core.operators.wide import Array
from eic_core.samples import Samples

STEPS = 20
"""Of Levenberg and Marquardt's method, at most."""

MATRIX = 4096
"""Numbers of a matrix that is taken apart at a time."""


def is_decimal(node: Node) -> bool:
    """Whether a node is a decimal number, which may be fitted, or rounded.

    >>> from eic_core.formula.syntax import read
    >>> [node.label for node in read("2.5*x + pi - 4").formula.nodes if is_decimal(node)]
    ['2.5', '4']
    """
    return node.operator == CONSTANT and _is_decimal_label(node.label)


def _is_decimal_label(label: str) -> bool:
    return label not in ("pi", "e", UNDEFINED) and "/" not in label


def with_constants(formula: Formula, constants: Sequence[float]) -> Formula:
    """A formula with other decimal numbers, in their order.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> to_python(with_constants(read("2*sin(pi*x) + 1").formula, [2.5, -3.0]))
    '2.5*sin(pi*x) + (-3)'
    """
    numbers = iter(constants)
    return Formula(
        tuple(
            [
                node._replace(label=constant_label(next(numbers))) if is_decimal(node) else node
                for node in formula.nodes
            ]
        ),
        exponents=formula.exponents,
    )


def constants_of(formula: Formula) -> list[float]:
    return [constant_value(node.label) for node in formula.nodes if is_decimal(node)]


def refitted(formula: Formula, samples: Samples, steps: int = STEPS) -> Formula:
    """The formula with all its constants fitted to the target by least squares.

    Parameters
    ----------
    formula
        Its constants are where the fit begins.
    samples
        Rows with a target.
    steps
        The most steps of Levenberg and Marquardt's method, damped by the diagonal (Moré 1978).

    Returns
    -------
    Formula
        The one given where nothing is better.

    Examples
    --------
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [0.0, 1.0, 2.0]}, target=[1.0, 3.0, 9.0])
    >>> to_python(refitted(read("exp(1.2*x)").formula, samples)).startswith("exp(1.09861")
    True
    """
    require(formula, Formula)
    require(samples, Samples)
    assert samples.target is not None
    constants = np.array(constants_of(formula))
    best, damping = math.inf, 1e-3
    if not len(constants):
        return formula
    fitted, trial, trial_formula = formula, constants, formula
    problem: _Linear | None = None
    for _ in range(steps + 1):
        at = gradients(lay_out(trial_formula, share=False), samples)
        slopes = at.jacobian[:, [_is_decimal_label(label) for label in at.labels]]
        with np.errstate(all="ignore"):
            rest = samples.target - at.values
            error = float(rest @ rest)
        if error < best and np.isfinite(slopes).all():
            settled = best - error <= 1e-12 * error
            best, constants, fitted = error, trial, trial_formula
            problem, damping = _linear(slopes, rest), damping / 10
        else:
            settled, damping = damping > 1e9, damping * 10
        if settled or problem is None:
            break
        step = _damped_step(problem, damping)
        trial = constants + step
        moves = (np.abs(step) > 1e-16 * np.abs(constants)).any()
        if not moves or not np.isfinite(trial).all():
            break
        trial_formula = with_constants(formula, trial.tolist())
    return fitted


class _Linear(NamedTuple):
    # The Jacobian with its columns divided by their lengths, or R of its QR decomposition
    matrix: Array
    aim: Array  # What is left of the target, or Q' times that
    lengths: Array  # shape (C,)


def _linear(jacobian: Array, missed: Array) -> _Linear | None:
    """The least-squares problem as R and Q' times the aim; None beyond double range.

    By blocks, because shared-out large matrices cost more than they save where other processes wait
    for the same cores.
    """
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("nc,nc->c", jacobian, jacobian))
        lengths[lengths == 0] = 1.0
        scaled = jacobian / lengths
    if not np.isfinite(scaled).all():
        return None
    if scaled.size <= MATRIX:
        return _Linear(scaled, missed, lengths)
    count, both = len(lengths), np.column_stack([scaled, missed])
    rows = max(count + 1, MATRIX // (count + 1))
    small = both[:0]
    for start in range(0, len(both), rows):
        stacked = np.vstack([small, both[start : start + rows]])
        small = np.asarray(np.linalg.qr(stacked, mode="r"))
    return _Linear(small[:count, :count], small[:count, count], lengths)


def _damped_step(problem: _Linear, damping: float) -> Array:
    count = len(problem.lengths)
    whole = np.vstack([problem.matrix, math.sqrt(damping) * np.eye(count)])
    aim = np.concatenate([problem.aim, np.zeros(count)])
    return np.asarray(np.linalg.lstsq(whole, aim, rcond=None)[0] / problem.lengths)
