"""min, max and the functions with jumps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eic_core.formula.operators.row import NUMPY, Array, KappaSquared, Operands, Partials, Scratch


def nary(function: Callable[..., Array]) -> Callable[[Operands, float, np.ndarray | None], Array]:
    def evaluate(a: Operands, p: float, out: np.ndarray | None) -> Array:
        value = function(a[0], a[1], out=out)
        for operand in a[2:]:
            value = function(value, operand, out=out)
        return value

    return evaluate


def attained(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return tuple(np.equal(operand, y).astype(float) for operand in a)
    return tuple(B.mpf(1) if operand == y else B.mpf(0) for operand in a)


def attained_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    return attained(NUMPY, a, y, p)


def stepwise(jumps: Callable[[Any], Any]) -> tuple[Partials, KappaSquared]:
    def partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
        if B is NUMPY:
            return (np.where(jumps(np.asarray(a[0])), np.inf, 0.0),)
        return (B.inf if jumps(a[0]) else B.mpf(0),)

    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return partials(NUMPY, a, y, p)

    return partials, kappa_squared


def fraction(x: Any) -> Any:
    return x - (np.floor(x) if isinstance(x, np.ndarray) else x.context.floor(x))


def is_integer(x: Any) -> Any:
    return fraction(x) == 0


def is_half_integer(x: Any) -> Any:
    return fraction(x) == 0.5  # not x + 0.5: a large number swallows the half


INTEGER_STEPS = stepwise(is_integer)
HALF_STEPS = stepwise(is_half_integer)
SIGN_STEP = stepwise(lambda x: x == 0)


def to_integer(x: Array) -> Array:
    return np.abs(x - np.rint(x))


def to_half_integer(x: Array) -> Array:
    return np.abs(fraction(np.asarray(x)) - 0.5)


def to_unit(x: Array) -> Array:
    return np.abs(np.abs(x) - 1.0)
