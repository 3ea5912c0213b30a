"""Rows of the operator table: exponentials and logarithms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators import wide
from eic_core.operators.beyond_numpy import log_sum
from eic_core.operators.row import (
    STEEP_END,
    Operands,
    Operator,
    Program,
    Y,
    by_name,
    call,
    is_negative,
    is_zero,
    nowhere,
    one_at_origin,
    square,
)
from eic_core.operators.words import Near, Words
from eic_core.operators.writing import APPLY, ATOM, POW, Form, Writing, applied, called

LN2, LN10 = math.log(2), math.log(10)


def _exp_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0]),)


EXP_ROW = Operator(
    "exp", 1, call(np.exp), by_name("exp"),
    partials=lambda B, a, y, p: (y,),
    kappa2=_exp_kappa,
    sloped=True, vanishes=nowhere, exponential=True, widely=wide.exponential,
    writing=Writing(
        form=called("exp", r"\exp"),
        compact=Form("exp(<0>)", "e^{<0>}", "exp(<0>)", "<msup><mi>e</mi><0></msup>", ATOM, POW),
    ),
    words=Words("exponential"),
)  # fmt: skip


def _expm1_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] / y + a[0]),)


EXPM1_ROW = Operator(
    "expm1", 1, call(np.expm1), by_name("expm1"),
    partials=lambda B, a, y, p: (y + 1.0,),
    kappa2=_expm1_kappa,
    sloped=True,
    zero_limit=one_at_origin, exponential=True, low=-1.0, widely=wide.exponential_less_one,
    writing=Writing(definition="where(abs(x) < 1, 2*sinh(x/2)*exp(x/2), exp(x) - 1)"),
    words=Words("exponential"),
)  # fmt: skip


def _log_program(p: float, count: int) -> Program:
    if p == LN2:
        return ((np.log2, 0),)
    if p == LN10:
        return ((np.log10, 0),)
    return ((np.log, 0),) if p == 1.0 else ((np.log, 0), (np.divide, Y, p))


def _log_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    value = B.log(a[0])
    return value if p is None else value / B.log(B.number(p))


def _log_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.over(1.0, a[0] * p),)


def _log_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(1.0 / (y * p)),)


def _based(base: int, lowered: str) -> Form:
    mathml = f"<msub><mi>log</mi><mn>{base}</mn></msub>"
    text = f"log{lowered}"
    return called(f"log{base}", rf"\log_{{{base}}}", text=text, sign=text, mathml=mathml)


LOG_ROW = Operator(
    "log", 1, _log_program,
    exact=_log_exact,
    partials=_log_partials,
    kappa2=_log_kappa,
    sloped=True,
    pole=is_zero, outside=is_negative, crossing="value", base=True, widely=wide.logarithm,
    writing=Writing(
        "log safe_log",
        called("log", r"\ln", upright="ln", sign="ln"),
        with_parameter=Form(
            "log(<0>, <p>)", r"\log_{<p>}\left(<0>\right)", "log_<p>(<0>)",
            applied("<msub><mi>log</mi><p></msub>"), ATOM, APPLY, "log<_>",
        ),
        by_parameter={Fraction(2): _based(2, "₂"), Fraction(10): _based(10, "₁₀")},
        parameters=("x a n number input", "base"),
    ),
    words=Words(
        "logarithm",
        near=Near(
            False, 1.0, "logarithm near 1",
            "its argument comes close to 1, where the logarithm is 0",
        ),
        singular="its argument is exactly 1",
        nearly="its argument agrees with 1 in more than 30 digits",
        invalid="the argument of a logarithm must be positive",
    ),
)  # fmt: skip

LOG1P_ROW = Operator(
    "log1p", 1, call(np.log1p), by_name("log1p"),
    partials=lambda B, a, y, p: (B.over(1.0, 1.0 + a[0]),),
    sloped=True, zero_limit=one_at_origin, pole=lambda B, a, p: a[0] == -1,
    brink=lambda B, x: B.abs(x + 1.0), brink_roundings=STEEP_END,
    writing=Writing(
        "log1p safe_log1p", definition="where(abs(x) < 1/2, 2*atanh(x/(2 + x)), log(1 + x))"
    ),
    words=Words(
        "logarithm",
        near=Near(True, 0.5, "logarithm near its end", "its argument comes close to −1"),
        invalid="its argument must be greater than −1",
    ),
)  # fmt: skip


def _log_sum_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    less = B.exp(-B.abs(a[0] - a[1]))
    more, fewer = B.over(1.0, 1.0 + less), B.over(less, 1.0 + less)
    first = a[0] > a[1]
    return B.where(first, more, fewer), B.where(first, fewer, more)


LOGADDEXP_ROW = Operator(
    "logaddexp", 2, call(np.logaddexp), lambda B, a, p: log_sum(B, *a),
    partials=_log_sum_partials,
    vanishes=lambda B, a, p: (a[0] < 0) & (a[1] < 0),  # else it is an exponential that underflows
    crossing="value", commutative=True, widely=wide.log_sum, kappa2_widely=wide.log_sum_kappa2,
    writing=Writing(
        "logaddexp log_add_exp log_sum_exp",
        called("logaddexp", sign="lse"),
        parameters=("x1 x a", "x2 y b other"),
        definition="max(x, y) + log1p(exp(-abs(x - y)))",
    ),
    words=Words(
        "log-sum",
        near=Near(
            False, 1.0, "log-sum near a zero",
            "its value comes close to 0, where the exponentials add up to 1",
        ),
    ),
)  # fmt: skip


ROWS = (EXP_ROW, EXPM1_ROW, LOG_ROW, LOG1P_ROW, LOGADDEXP_ROW)
