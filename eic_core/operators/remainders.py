"""Rows of the operator table: remainders of a division, by the sign that they have.

========== ============================== ======================
mod        x - y floor(x/y)               the divisor's sign
fmod       x - y trunc(x/y)               the dividend's sign
remainder  x - y nint(x/y), ties to even  either
========== ============================== ======================
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators.row import (
    Operands,
    Operator,
    Programs,
    call,
    on_jump,
    square,
)
from eic_core.operators.words import Words
from eic_core.operators.writing import Form, Writing, called

# --- values ---


def _floored(B: Any, x: Any, y: Any) -> Any:
    if y == 0:
        raise ZeroDivisionError
    return x - y * B.floor(x / y)


def _mod_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    return _floored(B, a[0], a[1])


def _fmod_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    rest = _floored(B, abs(a[0]), abs(a[1]))
    return -rest if a[0] < 0 else rest


def _remainder_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    if a[1] == 0:
        raise ZeroDivisionError
    return a[0] - a[1] * B.nint(a[0] / a[1])


def _nearest_remainder(x: Any, y: Any, out: Any = None) -> Any:
    size = np.abs(y)
    half = size * 0.5
    rest = np.fmod(np.abs(x), size + size)  # this and the differences are exact
    above = rest - size
    rest = np.where(rest <= half, rest, np.where(above < half, above, above - size))
    rest = np.where(np.isfinite(size), np.copysign(1.0, x) * rest, np.fmod(x, y))
    if out is None:
        return rest
    np.copyto(out, rest)
    return out


# --- condition numbers: kappa_a = y_a / y and kappa_b = 1 - kappa_a, as of a difference ---


def _kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    kappa = a[0] / y
    return square(kappa), square(1.0 - kappa)


def _quotient(B: Any, a: Operands, y: Any) -> Any:
    return B.nint(B.over(a[0] - y, a[1]))


def _distance_from_multiple(B: Any, x: Any, y: Any) -> Any:
    return B.abs(x - y * B.nint(B.over(x, y)))


def _mod_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    by_divisor = B.where(a[0] == 0, 0.0, on_jump(B, y == 0, -_quotient(B, a, y)))
    return on_jump(B, y == 0, 1.0), by_divisor


def _fmod_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    jump = (y == 0) & (a[0] != 0)
    return on_jump(B, jump, 1.0), on_jump(B, jump, -_quotient(B, a, y))


def _to_outer_multiple(B: Any, x: Any, y: Any) -> Any:
    inside = B.abs(x) * 2.0 < B.abs(y)
    return B.where(inside, B.abs(y) - B.abs(x), _distance_from_multiple(B, x, y))


def _on_tie(B: Any, a: Operands, y: Any) -> Any:
    return B.abs(y) * 2.0 == B.abs(a[1])


def _remainder_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    jump = _on_tie(B, a, y)
    return on_jump(B, jump, 1.0), on_jump(B, jump, -_quotient(B, a, y))


def _remainder_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    jump = _on_tie(B, a, y)
    return tuple(on_jump(B, jump, kappa2) for kappa2 in _kappa(B, a, y, p))


def _to_tie(B: Any, x: Any, y: Any) -> Any:
    return B.abs(_distance_from_multiple(B, x, y) - B.abs(y) * 0.5)


def _one_at_origin(B: Any, a: Operands, p: Any) -> tuple[Any, ...]:
    return B.where(a[0] == 0, 1.0, B.nan), B.nan


def _words(multiple: str) -> Words:
    return Words(
        "remainder",
        singular=f"its first operand is exactly {multiple} of its second",
        nearly=f"its first operand agrees with {multiple} of its second in more than 30 digits",
        invalid="division by zero",
    )


def _row(
    name: str,
    program: Programs,
    exact: Any,
    partials: Any,
    brink: Any,
    *,
    names: str = "",
    form: Form | None = None,
    **columns: Any,
) -> Operator:
    return Operator(
        name, 2, program, exact, partials, brink=brink,
        scales=True, multiples=True, jumps=True, rough=True,
        writing=Writing(names or None, form, parameters=_PARAMETERS),
        **columns,
    )  # fmt: skip


_PARAMETERS = ("x x1 a dividend input", "y x2 b m divisor other")

MOD_ROW = _row(
    "mod", call(np.remainder), _mod_exact, _mod_partials, _distance_from_multiple,
    names="mod modulo floormod",
    kappa2=_kappa, words=_words("a multiple"),
)  # fmt: skip

FMOD_ROW = _row(
    "fmod", call(np.fmod), _fmod_exact, _fmod_partials, _to_outer_multiple,
    names="fmod rem truncatemod",
    kappa2=_kappa, zero_limit=_one_at_origin, words=_words("a multiple"),
)  # fmt: skip

REMAINDER_ROW = _row(
    "remainder", lambda p, count: ((_nearest_remainder, 0, 1),), _remainder_exact,
    _remainder_partials, _to_tie,
    form=called("remainder", sign="rem"),
    kappa2=_remainder_kappa, zero_limit=_one_at_origin, crossing="value",
    words=_words("a multiple or half-multiple"),
)  # fmt: skip


ROWS = (MOD_ROW, FMOD_ROW, REMAINDER_ROW)
