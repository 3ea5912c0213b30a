"""Rows of the operator table: trigonometric functions and their inverses."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators import wide
from eic_core.operators.row import (
    STEEP_END,
    Operands,
    Operator,
    Program,
    Y,
    by_name,
    call,
    is_zero,
    limits,
    on_jump,
    one_at_origin,
    square,
    to_unit,
    unless_flat,
)
from eic_core.operators.words import Words, at_end, periodic
from eic_core.operators.writing import Writing, called, command

TURN = 2 * math.pi

# A second sine or cosine costs ten times a product, so that each kappa comes from the value itself.


def _wave_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # (x/y)^2 (1 - y^2): near |y| = 1 its error is that of y itself, and it is never negative
    return (square(a[0] / y) * (1.0 - square(y)),)


SIN_ROW = Operator(
    "sin", 1, call(np.sin), by_name("sin"),
    partials=lambda B, a, y, p: (B.cos(a[0]),),
    kappa2=_wave_kappa,
    zero_limit=one_at_origin, crossing="argument", waves=True, period=TURN,
    writing=Writing(form=command("sin"), inverse="asin"),
    words=periodic("sine"),
)  # fmt: skip

COS_ROW = Operator(
    "cos", 1, call(np.cos), by_name("cos"),
    partials=lambda B, a, y, p: (-B.sin(a[0]),),
    kappa2=_wave_kappa,
    crossing="value", waves=True, period=TURN,
    writing=Writing(form=command("cos"), inverse="acos"),
    words=periodic("cosine"),
)  # fmt: skip


def _tan_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y + a[0] * y),)


TAN_ROW = Operator(
    "tan", 1, call(np.tan), by_name("tan"),
    partials=lambda B, a, y, p: (1.0 + y * y,),
    kappa2=_tan_kappa,
    zero_limit=one_at_origin, crossing="argument", period=math.pi, poles=True,
    writing=Writing("tan tg", command("tan"), inverse="atan"),
    words=periodic("tangent", poles=True),
)  # fmt: skip

COT_ROW = Operator(
    "cot", 1, call(np.tan, np.reciprocal), by_name("cot"),
    partials=lambda B, a, y, p: (-1.0 - y * y,),
    kappa2=_tan_kappa,
    pole=is_zero, crossing="argument", period=math.pi, poles=True,
    writing=Writing("cot cotan ctg", command("cot")),
    words=periodic("cotangent", poles=True),
)  # fmt: skip


def _sec_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # x^2 (y^2 - 1), without the cancellation at |y| = 1
    return (((y - 1.0) * a[0]) * ((y + 1.0) * a[0]),)


SEC_ROW = Operator(
    "sec", 1, call(np.cos, np.reciprocal), by_name("sec"),
    partials=lambda B, a, y, p: (y * B.tan(a[0]),),
    kappa2=_sec_kappa,
    crossing="value", waves=True, period=TURN, poles=True,
    writing=Writing(form=command("sec")),
    words=periodic(poles=True),
)  # fmt: skip

CSC_ROW = Operator(
    "csc", 1, call(np.sin, np.reciprocal), by_name("csc"),
    partials=lambda B, a, y, p: (B.over(-y, B.tan(a[0])),),
    kappa2=_sec_kappa,
    pole=is_zero, crossing="argument", waves=True, period=TURN, poles=True,
    writing=Writing("csc cosec", command("csc")),
    words=periodic(poles=True),
)  # fmt: skip


# --- inverses ---


def _inverse_sqrt(sign: float) -> Callable[[Any, Operands, Any, Any], tuple[Any, ...]]:
    """The derivative of asin (1) and acos (-1)."""

    def partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
        return (B.over(sign, B.sqrt((1.0 - a[0]) * (1.0 + a[0]))),)

    return partials


ASIN_ROW = Operator(
    "asin", 1, call(np.arcsin), by_name("asin"),
    partials=_inverse_sqrt(1.0),
    sloped=True,
    zero_limit=one_at_origin, integer_points=True, brink=to_unit, brink_roundings=STEEP_END,
    writing=Writing(
        "asin arcsin safe_asin", called("asin", r"\arcsin", upright="arcsin", sign="asin")
    ),
    words=at_end("asin", "±1", "its argument must lie between −1 and 1"),
)  # fmt: skip

ACOS_ROW = Operator(
    "acos", 1, call(np.arccos), by_name("acos"),
    partials=_inverse_sqrt(-1.0),
    sloped=True, integer_points=True, brink=to_unit, brink_roundings=STEEP_END,
    writing=Writing(
        "acos arccos safe_acos", called("acos", r"\arccos", upright="arccos", sign="acos")
    ),
    words=at_end("acos", "±1", "its argument must lie between −1 and 1"),
)  # fmt: skip

ATAN_ROW = Operator(
    "atan", 1, call(np.arctan), by_name("atan"),
    partials=lambda B, a, y, p: (1.0 / (1.0 + a[0] * a[0]),),
    sloped=True, zero_limit=one_at_origin,
    writing=Writing("atan arctan arctg", called("atan", r"\arctan", upright="arctan", sign="atan")),
)  # fmt: skip


def _atan2_origin(B: Any, a: Operands, p: Any) -> Any:
    return (a[0] == 0) & (a[1] == 0)


def _atan2_program(p: float, count: int) -> Program:
    return ((np.add, 0, 0.0), (np.arctan2, Y, 1))  # the real 0 has no sign


def _atan2_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] == 0 and a[1] == 0:
        raise ValueError("atan2(0, 0)")
    if a[0] == 0:
        return B.pi if a[1] < 0 else 0 * a[0]
    return B.atan2(*a)


def _atan2_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    radius = B.hypot(a[0], a[1])
    by_y, by_x = B.over(a[1] / radius, radius), B.over(-a[0] / radius, radius)
    # across the cut the angle jumps by 2 pi
    return on_jump(B, (a[0] == 0) & (a[1] < 0), by_y), by_x


def _atan2_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    radius = B.hypot(a[0], a[1])
    both = square((a[0] / radius) * (a[1] / radius) / y)
    both = unless_flat(B, both, (a[0] == 0) | (a[1] == 0))
    return both, both


ATAN2_ROW = Operator(
    "atan2", 2, _atan2_program,
    exact=_atan2_exact,
    partials=_atan2_partials,
    kappa2=_atan2_kappa,
    zero_limit=limits(1.0, -1.0), vanishes=is_zero, outside=_atan2_origin,
    scales=True, jumps=True, rough=True, widely=wide.angle,
    writing=Writing(
        "atan2 arctan2", called("atan2"),
        parameters=("y x1 input", "x x2 other"),
    ),
    words=Words(
        singular="its argument lies exactly on the cut",
        nearly="",
        invalid="at the origin there is no angle",
    ),
)  # fmt: skip


ROWS = (
    SIN_ROW,
    COS_ROW,
    TAN_ROW,
    COT_ROW,
    SEC_ROW,
    CSC_ROW,
    ASIN_ROW,
    ACOS_ROW,
    ATAN_ROW,
    ATAN2_ROW,
)
