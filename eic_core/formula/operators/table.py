"""The operator table: one row for each operator a tree may hold.

A row says how the operator is evaluated in double precision and at high
precision, what its partial derivatives and squared condition numbers are, and
what happens at its special points.  A new operator is a new row; no code
elsewhere branches on operator names.

Conventions
-----------
``a`` is the tuple of operand values, ``y`` the operator's value, ``p`` the
exact parameter as a float (exponent, root index, ``ln`` of a logarithm's base)
or nan.  Double-precision functions take and give NumPy arrays or scalars of
one shape.  ``kappa_squared`` may give inf or nan where ``y == 0`` or an
operand is 0: `eic_core.measure.amplification` treats those points apart.

Notation follows Yu et al., Proposition ``prop:s_k(x)``: the partial relative
condition number is kappa_{k,i} = (y_i / y_k) * de_k/dy_i.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy import special

from eic_core.formula.operators.algebra import (
    add_kappa,
    constant_kappa,
    either_zero,
    hypot_kappa,
    hypot_partials,
    is_zero,
    nowhere,
    numpy_sign_root,
    pow_exact,
    pow_kappa,
    pow_partials,
    pow_value,
    power_exact,
    power_partials,
    power_value,
    root_exact,
    root_partials,
)
from eic_core.formula.operators.row import (
    NUMPY,
    Operator,
    by_name,
    constant_limits,
    one_at_origin,
    ufunc,
    unary,
    unit_kappas,
)
from eic_core.formula.operators.steps import (
    HALF_STEPS,
    INTEGER_STEPS,
    SIGN_STEP,
    attained,
    attained_kappa,
    nary,
    to_half_integer,
    to_integer,
    to_unit,
)
from eic_core.formula.operators.transcendental import (
    STEEP_END,
    atan2_exact,
    atan2_kappa,
    atan2_partials,
    atan2_value,
    cos_kernel,
    cosh_kernel,
    d_acosh,
    d_asin,
    d_asinh,
    d_atan,
    d_atanh,
    d_erf,
    d_log1p,
    erf_exact,
    erf_partials,
    exact_log,
    exp_kernel,
    expm1_kernel,
    inverse_sqrt,
    log_kernel,
    log_partials,
    log_value,
    ratio_kernel,
    reciprocal,
    sec_kernel,
    sin_kernel,
    sinh_kernel,
    tan_kernel,
    tanh_kernel,
)

ROWS = (
    Operator(
        "add", 2, ufunc(np.add, 2), lambda mp, a, p: a[0] + a[1],
        lambda B, a, y, p: (1.0, 1.0), add_kappa, crossing="value",
    ),
    Operator(
        "sub", 2, ufunc(np.subtract, 2), lambda mp, a, p: a[0] - a[1],
        lambda B, a, y, p: (1.0, -1.0), add_kappa, crossing="value",
    ),
    Operator(
        "mul", 2, ufunc(np.multiply, 2), lambda mp, a, p: a[0] * a[1],
        lambda B, a, y, p: (a[1], a[0]), unit_kappas(2), constant_limits(1.0, 1.0),
        vanishes=either_zero,
    ),
    Operator(
        "div", 2, ufunc(np.divide, 2), lambda mp, a, p: a[0] / a[1],
        lambda B, a, y, p: (1.0 / a[1], -y / a[1]), unit_kappas(2), constant_limits(1.0, -1.0),
        pole=lambda a, p: np.equal(a[1], 0), vanishes=is_zero,
    ),
    Operator(
        "neg", 1, ufunc(np.negative), lambda mp, a, p: -a[0],
        lambda B, a, y, p: (-1.0,), unit_kappas(1), constant_limits(1.0),
    ),
    Operator(
        "abs", 1, ufunc(np.abs), lambda mp, a, p: abs(a[0]),
        lambda B, a, y, p: (np.sign(a[0]) + np.equal(a[0], 0) if B is NUMPY
                            else (-1 if a[0] < 0 else 1),),
        unit_kappas(1), constant_limits(1.0),
    ),
    Operator(
        "power", 1, power_value, power_exact, power_partials,
        constant_kappa(lambda p: p * p), lambda a, p: (p if p else math.nan,),
        pole=lambda a, p: np.equal(a[0], 0) & (p < 0), needs_parameter=True,
        vanishes=lambda a, p: np.equal(a[0], 0) & (p > 0),
    ),
    Operator(
        "sqrt", 1, ufunc(np.sqrt), by_name("sqrt"),
        lambda B, a, y, p: (0.5 / y if B is NUMPY else B.inf if y == 0 else 0.5 / y,),
        constant_kappa(lambda p: 0.25), constant_limits(0.5),
    ),
    Operator(
        "cbrt", 1, ufunc(np.cbrt), lambda mp, a, p: root_exact(mp, a, Fraction(3)),
        lambda B, a, y, p: root_partials(B, a, y, 3),
        constant_kappa(lambda p: 1 / 9), constant_limits(1 / 3),
    ),
    Operator(
        "root", 1, lambda a, p, out: numpy_sign_root(a[0], p, out), root_exact,
        lambda B, a, y, p: root_partials(B, a, y, p if B is NUMPY else p.numerator),
        constant_kappa(lambda p: 1 / (p * p)), lambda a, p: (1 / p,), needs_parameter=True,
    ),
    Operator(
        "pow", 2, pow_value, pow_exact, pow_partials, pow_kappa,
        lambda a, p: (a[1], math.nan), pole=lambda a, p: np.equal(a[0], 0) & np.less(a[1], 0),
        vanishes=is_zero,
    ),
    Operator(
        "hypot", 2, ufunc(np.hypot, 2), lambda mp, a, p: mp.hypot(*a),
        hypot_partials,
        hypot_kappa,
    ),
    Operator(
        "exp", 1, ufunc(np.exp), by_name("exp"),
        lambda B, a, y, p: (y,), unary(exp_kernel), vanishes=nowhere,
    ),
    Operator(
        "expm1", 1, ufunc(np.expm1), by_name("expm1"),
        lambda B, a, y, p: (y + 1,), unary(expm1_kernel), one_at_origin,
    ),
    Operator(
        "log", 1, log_value, exact_log, log_partials,
        unary(log_kernel), pole=is_zero, crossing="value",
    ),
    Operator(
        "log1p", 1, ufunc(np.log1p), by_name("log1p"),
        lambda B, a, y, p: (1 / (1 + a[0]),), unary(ratio_kernel(d_log1p)), one_at_origin,
        pole=lambda a, p: np.equal(a[0], -1),
        brink=lambda x: np.abs(x + 1.0), brink_roundings=STEEP_END,
    ),
    Operator(
        "sin", 1, ufunc(np.sin), by_name("sin"),
        lambda B, a, y, p: (B.cos(a[0]),), unary(sin_kernel), one_at_origin,
        crossing="argument",
        waves=True,
    ),
    Operator(
        "cos", 1, ufunc(np.cos), by_name("cos"),
        lambda B, a, y, p: (-B.sin(a[0]),), unary(cos_kernel), crossing="value",
        waves=True,
    ),
    Operator(
        "tan", 1, ufunc(np.tan), by_name("tan"),
        lambda B, a, y, p: (1 + y * y,), unary(tan_kernel), one_at_origin,
        crossing="argument",
    ),
    Operator(
        "cot", 1, reciprocal(np.tan), by_name("cot"),
        lambda B, a, y, p: (-1 - y * y,), unary(tan_kernel), pole=is_zero, crossing="argument",
    ),
    Operator(
        "sec", 1, reciprocal(np.cos), by_name("sec"),
        lambda B, a, y, p: (y * B.tan(a[0]),), unary(sec_kernel), crossing="value",
        waves=True,
    ),
    Operator(
        "csc", 1, reciprocal(np.sin), by_name("csc"),
        lambda B, a, y, p: (-y / B.tan(a[0]),), unary(sec_kernel), pole=is_zero,
        crossing="argument",
        waves=True,
    ),
    Operator(
        "asin", 1, ufunc(np.arcsin), by_name("asin"),
        lambda B, a, y, p: inverse_sqrt(B, (1 - a[0]) * (1 + a[0]), 1),
        unary(ratio_kernel(d_asin)), one_at_origin, integer_points=True,
        brink=to_unit, brink_roundings=STEEP_END,
    ),
    Operator(
        "acos", 1, ufunc(np.arccos), by_name("acos"),
        lambda B, a, y, p: inverse_sqrt(B, (1 - a[0]) * (1 + a[0]), -1),
        unary(ratio_kernel(d_asin)), integer_points=True,
        brink=to_unit, brink_roundings=STEEP_END,
    ),
    Operator(
        "atan", 1, ufunc(np.arctan), by_name("atan"),
        lambda B, a, y, p: (1 / (1 + a[0] * a[0]),), unary(ratio_kernel(d_atan)),
        one_at_origin,
    ),
    Operator(
        "atan2", 2, atan2_value, atan2_exact, atan2_partials, atan2_kappa,
        constant_limits(1.0, -1.0),
    ),
    Operator(
        "sinh", 1, ufunc(np.sinh), by_name("sinh"),
        lambda B, a, y, p: (B.cosh(a[0]),), unary(sinh_kernel), one_at_origin,
    ),
    Operator(
        "cosh", 1, ufunc(np.cosh), by_name("cosh"),
        lambda B, a, y, p: (B.sinh(a[0]),), unary(cosh_kernel),
    ),
    Operator(
        "tanh", 1, ufunc(np.tanh), by_name("tanh"),
        lambda B, a, y, p: ((1 - y) * (1 + y),), unary(tanh_kernel), one_at_origin,
    ),
    Operator(
        "asinh", 1, ufunc(np.arcsinh), by_name("asinh"),
        lambda B, a, y, p: (1 / B.sqrt(1 + a[0] * a[0]),), unary(ratio_kernel(d_asinh)),
        one_at_origin,
    ),
    Operator(
        "acosh", 1, ufunc(np.arccosh), by_name("acosh"),
        lambda B, a, y, p: inverse_sqrt(B, (a[0] - 1) * (a[0] + 1), 1),
        unary(ratio_kernel(d_acosh)), integer_points=True,
        brink=lambda x: np.abs(x - 1.0),
    ),
    Operator(
        "atanh", 1, ufunc(np.arctanh), by_name("atanh"),
        lambda B, a, y, p: (1 / ((1 - a[0]) * (1 + a[0])),), unary(ratio_kernel(d_atanh)),
        one_at_origin, pole=lambda a, p: np.equal(np.abs(a[0]), 1), integer_points=True,
        brink=to_unit, brink_roundings=STEEP_END,
    ),
    Operator(
        "erf", 1, ufunc(special.erf), erf_exact, erf_partials,
        unary(ratio_kernel(d_erf)), one_at_origin,
    ),
    Operator(
        "min", None, nary(np.minimum), lambda mp, a, p: min(a), attained, attained_kappa,
        selects=True,
    ),
    Operator(
        "max", None, nary(np.maximum), lambda mp, a, p: max(a), attained, attained_kappa,
        selects=True,
    ),
    Operator(
        "sign", 1, ufunc(np.sign), by_name("sign"), *SIGN_STEP,
    ),
    Operator(
        "floor", 1, ufunc(np.floor), by_name("floor"), *INTEGER_STEPS, integer_points=True,
        brink=to_integer,
    ),
    Operator(
        "ceil", 1, ufunc(np.ceil), by_name("ceil"), *INTEGER_STEPS, integer_points=True,
        brink=to_integer,
    ),
    Operator(
        "round", 1, ufunc(np.rint), by_name("nint"), *HALF_STEPS, integer_points=True,
        brink=to_half_integer,
    ),
)


OPERATORS: dict[str, Operator] = {row.name: row for row in ROWS}
"""Every operator, by name."""
