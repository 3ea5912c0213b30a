"""The operator table: one row for each operator a tree may hold.

A row says how the operator is evaluated in double precision and at high precision, what its partial
derivatives and squared condition numbers are, and what happens at its special points
(`eic_core.operators.row` explains every column).  A new operator is a new row; no code elsewhere
branches on operator names.

Notation follows Yu et al., Proposition ``prop:s_k(x)``: the partial relative condition number is
kappa_{k,i} = (y_i / y_k) * de_k/dy_i.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.special import erf

from eic_core.operators import functions as f
from eic_core.operators import wide
from eic_core.operators.row import Operator, always, by_name, call, limits, one_at_origin

ROWS = (
    Operator(
        "add", 2, call(np.add), lambda mp, a, p: a[0] + a[1], lambda B, a, y, p: (1.0, 1.0),
        f.add_kappa, crossing="value", scales=True, widely=wide.add,
    ),
    Operator(
        "sub", 2, call(np.subtract), lambda mp, a, p: a[0] - a[1], lambda B, a, y, p: (1.0, -1.0),
        f.add_kappa, crossing="value", scales=True, widely=wide.subtract,
    ),
    Operator(
        "mul", 2, call(np.multiply), lambda mp, a, p: a[0] * a[1],
        lambda B, a, y, p: (a[1], a[0]), zero_limit=limits(1.0, 1.0), fixed=always(1.0, 1.0),
        vanishes=f.either_zero, widely=wide.multiply,
    ),
    Operator(
        "div", 2, call(np.divide), lambda mp, a, p: a[0] / a[1],
        lambda B, a, y, p: (B.over(1.0, a[1]), B.over(-y, a[1])),
        zero_limit=limits(1.0, -1.0), fixed=always(1.0, 1.0),
        pole=lambda B, a, p: a[1] == 0, vanishes=f.is_zero, widely=wide.divide,
    ),
    Operator(
        "neg", 1, call(np.negative), lambda mp, a, p: -a[0], lambda B, a, y, p: (-1.0,),
        zero_limit=limits(1.0), fixed=always(1.0), widely=wide.negative,
    ),
    Operator(
        "abs", 1, call(np.abs), lambda mp, a, p: abs(a[0]), f.sign_of,
        zero_limit=limits(1.0), fixed=always(1.0), widely=wide.absolute,
    ),
    Operator(
        "power", 1, f.power_program, f.power_exact, f.power_partials,
        zero_limit=lambda B, a, p: (B.where(p == 0, B.nan, p),), fixed=lambda p: (p * p,),
        pole=lambda B, a, p: (a[0] == 0) & (p < 0),
        vanishes=lambda B, a, p: (a[0] == 0) & (p > 0), needs_parameter=True, power=True,
        widely=wide.power,
    ),
    Operator(
        "sqrt", 1, call(np.sqrt), by_name("sqrt"),
        lambda B, a, y, p: (B.over(0.5, y),), zero_limit=limits(0.5), fixed=always(0.25),
        widely=wide.square_root,
    ),
    Operator(
        "cbrt", 1, call(np.cbrt), lambda mp, a, p: f.root_exact(mp, a, Fraction(3)),
        lambda B, a, y, p: f.root_partials(B, a, y, 3.0),
        zero_limit=limits(1 / 3), fixed=always(1 / 9), widely=wide.cube_root,
    ),
    Operator(
        "root", 1, f.root_program, f.root_exact, f.root_partials,
        zero_limit=lambda B, a, p: (1.0 / p,), fixed=lambda p: (1.0 / (p * p),),
        needs_parameter=True, widely=wide.root,
    ),
    Operator(
        "pow", 2, call(np.power), f.pow_exact, f.pow_partials, f.pow_kappa,
        lambda B, a, p: (a[1], B.nan), helper="log",
        outside=lambda B, a, p: (a[0] < 0) | ((a[0] == 0) & (a[1] <= 0)),
        vanishes=f.is_zero, power=True, widely=wide.noisy_power,
        kappa2_widely=wide.noisy_power_kappa2,
    ),
    Operator(
        "hypot", 2, call(np.hypot), by_name("hypot"), f.hypot_partials, f.hypot_kappa,
        scales=True, widely=wide.hypotenuse,
    ),
    Operator(
        "exp", 1, call(np.exp), by_name("exp"), lambda B, a, y, p: (y,), f.exp_kappa,
        vanishes=f.nowhere, exponential=True, widely=wide.exponential,
    ),
    Operator(
        "expm1", 1, call(np.expm1), by_name("expm1"), lambda B, a, y, p: (y + 1.0,),
        f.expm1_kappa, one_at_origin, exponential=True, low=-1.0,
        widely=wide.exponential_less_one,
    ),
    Operator(
        "log", 1, f.log_program, f.log_exact, f.log_partials, f.log_kappa,
        pole=f.is_zero, crossing="value", base=True, widely=wide.logarithm,
    ),
    Operator(
        "log1p", 1, call(np.log1p), by_name("log1p"),
        lambda B, a, y, p: (B.over(1.0, 1.0 + a[0]),), None, one_at_origin,
        pole=lambda B, a, p: a[0] == -1,
        brink=lambda B, x: B.abs(x + 1.0), brink_roundings=f.STEEP_END,
    ),
    Operator(
        "sin", 1, call(np.sin), by_name("sin"), lambda B, a, y, p: (B.cos(a[0]),),
        f.wave_kappa, one_at_origin, crossing="argument", waves=True, period=True,
    ),
    Operator(
        "cos", 1, call(np.cos), by_name("cos"), lambda B, a, y, p: (-B.sin(a[0]),),
        f.wave_kappa, crossing="value", waves=True, period=True,
    ),
    Operator(
        "tan", 1, call(np.tan), by_name("tan"), lambda B, a, y, p: (1.0 + y * y,),
        f.tan_kappa, one_at_origin, crossing="argument", period=True, poles=True,
    ),
    Operator(
        "cot", 1, call(np.tan, np.reciprocal), by_name("cot"),
        lambda B, a, y, p: (-1.0 - y * y,), f.tan_kappa,
        pole=f.is_zero, crossing="argument", period=True, poles=True,
    ),
    Operator(
        "sec", 1, call(np.cos, np.reciprocal), by_name("sec"),
        lambda B, a, y, p: (y * B.tan(a[0]),), f.sec_kappa,
        crossing="value", waves=True, period=True, poles=True,
    ),
    Operator(
        "csc", 1, call(np.sin, np.reciprocal), by_name("csc"),
        lambda B, a, y, p: (B.over(-y, B.tan(a[0])),), f.sec_kappa,
        pole=f.is_zero, crossing="argument", waves=True, period=True, poles=True,
    ),
    Operator(
        "asin", 1, call(np.arcsin), by_name("asin"), f.inverse_sqrt(1.0), None, one_at_origin,
        integer_points=True, brink=f.to_unit, brink_roundings=f.STEEP_END,
    ),
    Operator(
        "acos", 1, call(np.arccos), by_name("acos"), f.inverse_sqrt(-1.0),
        integer_points=True, brink=f.to_unit, brink_roundings=f.STEEP_END,
    ),
    Operator(
        "atan", 1, call(np.arctan), by_name("atan"),
        lambda B, a, y, p: (1.0 / (1.0 + a[0] * a[0]),), None, one_at_origin,
    ),
    Operator(
        "atan2", 2, f.atan2_program, f.atan2_exact, f.atan2_partials, f.atan2_kappa,
        limits(1.0, -1.0), outside=f.atan2_origin, vanishes=f.is_zero,
        scales=True, widely=wide.angle,
    ),
    Operator(
        "sinh", 1, call(np.sinh), by_name("sinh"), lambda B, a, y, p: (B.cosh(a[0]),),
        f.sinh_kappa, one_at_origin, exponential=True, widely=wide.hyperbolic_sine,
    ),
    Operator(
        "cosh", 1, call(np.cosh), by_name("cosh"), lambda B, a, y, p: (B.sinh(a[0]),),
        f.cosh_kappa, exponential=True, widely=wide.hyperbolic_cosine,
    ),
    Operator(
        "tanh", 1, call(np.tanh), by_name("tanh"),
        lambda B, a, y, p: ((1.0 - y) * (1.0 + y),), f.tanh_kappa, one_at_origin,
    ),
    Operator(
        "asinh", 1, call(np.arcsinh), by_name("asinh"),
        lambda B, a, y, p: (1.0 / B.hypot(1.0, a[0]),), None, one_at_origin,
    ),
    Operator(
        "acosh", 1, call(np.arccosh), by_name("acosh"), f.acosh_partials,
        integer_points=True, brink=lambda B, x: B.abs(x - 1.0),
    ),
    Operator(
        "atanh", 1, call(np.arctanh), by_name("atanh"), f.atanh_partials, None, one_at_origin,
        pole=lambda B, a, p: B.abs(a[0]) == 1, integer_points=True,
        brink=f.to_unit, brink_roundings=f.STEEP_END,
    ),
    Operator(
        "erf", 1, call(erf), f.erf_exact, f.erf_partials, None, one_at_origin,
    ),
    Operator(
        "min", None, f.fold(np.minimum), lambda mp, a, p: min(a), f.attained, selects=True,
    ),
    Operator(
        "max", None, f.fold(np.maximum), lambda mp, a, p: max(a), f.attained, selects=True,
    ),
    Operator(
        "sign", 1, call(np.sign), by_name("sign"), f.sign_step, f.step_kappa(f.sign_step),
    ),
    Operator(
        "floor", 1, call(np.floor), by_name("floor"), f.integer_step,
        f.step_kappa(f.integer_step), integer_points=True, brink=f.to_integer, steps=True,
    ),
    Operator(
        "ceil", 1, call(np.ceil), by_name("ceil"), f.integer_step,
        f.step_kappa(f.integer_step), integer_points=True, brink=f.to_integer, steps=True,
    ),
    Operator(
        "round", 1, call(np.rint), by_name("nint"), f.half_step,
        f.step_kappa(f.half_step), integer_points=True, brink=f.to_half_integer, steps=True,
    ),
)  # fmt: skip


OPERATORS: dict[str, Operator] = {row.name: row for row in ROWS}
"""Every operator, by name."""


def register(row: Operator) -> None:
    """Add an operator at run time; it runs through its NumPy program.

    Parameters
    ----------
    row : Operator

    Raises
    ------
    ValueError
        If there is an operator of that name.
    """
    if row.name in OPERATORS:
        raise ValueError(f"there is an operator `{row.name}` already")
    OPERATORS[row.name] = row
