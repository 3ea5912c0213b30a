"""Rows of the operator table: hyperbolic functions, their inverses, and the error function."""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.operators import wide
from eic_core.operators.row import (
    STEEP_END,
    Operands,
    Operator,
    by_name,
    call,
    call_by_name,
    one_at_origin,
    square,
    to_unit,
)
from eic_core.operators.words import Words, at_end
from eic_core.operators.writing import Writing, called, command


def _sinh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y) + square(a[0]),)


SINH_ROW = Operator(
    "sinh", 1, call(np.sinh), by_name("sinh"),
    partials=lambda B, a, y, p: (B.cosh(a[0]),),
    kappa2=_sinh_kappa,
    sloped=True, zero_limit=one_at_origin, exponential=True, widely=wide.hyperbolic_sine,
    writing=Writing("sinh sh", command("sinh"), inverse="asinh"),
    words=Words(family="hyperbolic function"),
)  # fmt: skip


def _cosh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    inverse = 1.0 / y
    # (x tanh x)^2 from cosh alone
    return ((1.0 - inverse) * (1.0 + inverse) * a[0] * a[0],)


COSH_ROW = Operator(
    "cosh", 1, call(np.cosh), by_name("cosh"),
    partials=lambda B, a, y, p: (B.sinh(a[0]),),
    kappa2=_cosh_kappa,
    sloped=True, exponential=True, widely=wide.hyperbolic_cosine,
    writing=Writing("cosh ch", command("cosh"), inverse="acosh"),
    words=Words(family="hyperbolic function"),
)  # fmt: skip


def _tanh_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y - a[0] * y),)


TANH_ROW = Operator(
    "tanh", 1, call(np.tanh), by_name("tanh"),
    partials=lambda B, a, y, p: ((1.0 - y) * (1.0 + y),),
    kappa2=_tanh_kappa,
    sloped=True, zero_limit=one_at_origin,
    writing=Writing("tanh th", command("tanh"), inverse="atanh"),
)  # fmt: skip

ASINH_ROW = Operator(
    "asinh", 1, call(np.arcsinh), by_name("asinh"),
    partials=lambda B, a, y, p: (1.0 / B.hypot(1.0, a[0]),),
    sloped=True, zero_limit=one_at_origin,
    writing=Writing(
        "asinh arcsinh arsinh",
        called("asinh", r"\operatorname{arsinh}", upright="arsinh", sign="asinh"),
    ),
)  # fmt: skip


def _acosh_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # two roots, since a[0]^2 may overflow
    return (B.over(1.0, B.sqrt(a[0] - 1.0) * B.sqrt(a[0] + 1.0)),)


ACOSH_ROW = Operator(
    "acosh", 1, call(np.arccosh), by_name("acosh"),
    partials=_acosh_partials,
    sloped=True, integer_points=True, brink=lambda B, x: B.abs(x - 1.0),
    writing=Writing(
        "acosh arccosh arcosh safe_acosh",
        called("acosh", r"\operatorname{arcosh}", upright="arcosh", sign="acosh"),
    ),
    words=at_end("acosh", "1", "its argument must be at least 1"),
)  # fmt: skip


def _atanh_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.over(1.0, (1.0 - a[0]) * (1.0 + a[0])),)


ATANH_ROW = Operator(
    "atanh", 1, call(np.arctanh), by_name("atanh"),
    partials=_atanh_partials,
    sloped=True, zero_limit=one_at_origin, pole=lambda B, a, p: B.abs(a[0]) == 1,
    integer_points=True, brink=to_unit, brink_roundings=STEEP_END,
    writing=Writing(
        "atanh arctanh artanh safe_atanh",
        called("atanh", r"\operatorname{artanh}", upright="artanh", sign="atanh"),
    ),
    words=at_end("atanh", "±1", "its argument must lie strictly between −1 and 1"),
)  # fmt: skip


ERF_ROW = Operator(
    "erf", 1, call_by_name("erf"),
    exact=by_name("erf"),
    partials=lambda B, a, y, p: (2.0 / B.sqrt(B.pi) * B.exp(-square(a[0])),),
    sloped=True, zero_limit=one_at_origin,
)  # fmt: skip


ROWS = (SINH_ROW, COSH_ROW, TANH_ROW, ASINH_ROW, ACOSH_ROW, ATANH_ROW, ERF_ROW)
