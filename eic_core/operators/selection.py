"""Rows of the operator table: min and max, and the functions that jump, such as floor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eic_core.operators.row import Operands, Operator, Program, Y, by_name, call, on_jump
from eic_core.operators.words import STEPPED
from eic_core.operators.writing import Writing, called, command, fenced


def _attained(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # noise passes through every operand that attains the value
    return tuple(B.where(operand == y, 1.0, 0.0) for operand in a)


def _fold(function: Any) -> Callable[[float, int], Program]:
    def program(p: float, count: int) -> Program:
        return ((function, 0, 1), *((function, Y, i) for i in range(2, count)))

    return program


MIN_ROW = Operator(
    "min", None, _fold(np.minimum),
    exact=lambda B, a, p: min(a),
    partials=_attained,
    selects=True, rough=True,
    writing=Writing(
        "min minimum fmin", command("min"), parameters=("x x1 a input", "y x2 b other"),
    ),
)  # fmt: skip

MAX_ROW = Operator(
    "max", None, _fold(np.maximum),
    exact=lambda B, a, p: max(a),
    partials=_attained,
    selects=True, rough=True,
    writing=Writing(
        "max maximum fmax", command("max"), parameters=("x x1 a input", "y x2 b other"),
    ),
)  # fmt: skip


# --- steps: flat between the jumps, so that kappa^2 is what the slope is, 0 or infinite ---


def _sign_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (on_jump(B, a[0] == 0, 0.0),)


SIGN_ROW = Operator(
    "sign", 1, call(np.sign), by_name("sign"),
    partials=_sign_step,
    kappa2=_sign_step,
    jumps=True, rough=True,
    writing=Writing("sign sgn signum"),
    words=STEPPED,
)  # fmt: skip


def _integer_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (on_jump(B, a[0] - B.floor(a[0]) == 0, 0.0),)


def _to_integer(B: Any, x: Any) -> Any:
    return B.abs(x - B.nint(x))


FLOOR_ROW = Operator(
    "floor", 1, call(np.floor), by_name("floor"),
    partials=_integer_step,
    kappa2=_integer_step,
    integer_points=True, brink=_to_integer, steps=True, jumps=True, rough=True,
    writing=Writing(form=fenced("floor", "⌊", "⌋", (r"\lfloor ", r"\rfloor"))),
    words=STEPPED,
)  # fmt: skip

CEIL_ROW = Operator(
    "ceil", 1, call(np.ceil), by_name("ceil"),
    partials=_integer_step,
    kappa2=_integer_step,
    integer_points=True, brink=_to_integer, steps=True, jumps=True, rough=True,
    writing=Writing("ceil ceiling", fenced("ceil", "⌈", "⌉", (r"\lceil ", r"\rceil"))),
    words=STEPPED,
)  # fmt: skip


def _half_step(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    fraction = a[0] - B.floor(a[0])  # not x + 0.5: a large number swallows the half
    return (on_jump(B, fraction == 0.5, 0.0),)


def _to_half_integer(B: Any, x: Any) -> Any:
    return B.abs(x - B.floor(x) - 0.5)


ROUND_ROW = Operator(
    "round", 1, call(np.rint), by_name("nint"),
    partials=_half_step,
    kappa2=_half_step,
    integer_points=True, brink=_to_half_integer, steps=True, jumps=True, rough=True,
    writing=Writing("round rint", called("round")),
    words=STEPPED,
)  # fmt: skip


ROWS = (MIN_ROW, MAX_ROW, SIGN_ROW, FLOOR_ROW, CEIL_ROW, ROUND_ROW)
