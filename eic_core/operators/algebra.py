"""Rows of the operator table: sums, products, powers and roots."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators import wide
from eic_core.operators.row import (
    Operands,
    Operator,
    Program,
    Y,
    always,
    by_name,
    call,
    is_zero,
    limits,
    square,
    unless_flat,
)
from eic_core.operators.words import Words
from eic_core.operators.writing import (
    APPLY,
    ATOM,
    MUL,
    NEG,
    POW,
    Form,
    Writing,
    fenced,
    infix,
)

# --- sums ---


def _sum_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """kappa_a = y_a / y and kappa_b = 1 - kappa_a; for sub the sign is lost in the square."""
    # the difference costs kappa_b at most a rounding of kappa_a, less than the operands' own noise
    kappa = a[0] / y
    return square(kappa), square(1.0 - kappa)


def _cancelling(noun: str) -> Words:
    return Words(
        noun,
        cancels=True,
        singular="the two terms cancel exactly",
        nearly="the two terms cancel in more than 30 digits",
    )


ADD_ROW = Operator(
    "add", 2, call(np.add),
    exact=lambda B, a, p: a[0] + a[1],
    partials=lambda B, a, y, p: (1.0, 1.0),
    kappa2=_sum_kappa,
    sloped=True, scales=True, crossing="value", commutative=True, exact_zeros=True, widely=wide.add,
    writing=Writing("add plus", infix(" + ", " + "), folds=True),
    words=_cancelling("sum"),
)  # fmt: skip

SUB_ROW = Operator(
    "sub", 2, call(np.subtract),
    exact=lambda B, a, p: a[0] - a[1],
    partials=lambda B, a, y, p: (1.0, -1.0),
    kappa2=_sum_kappa,
    sloped=True, scales=True, crossing="value", exact_zeros=True, widely=wide.subtract,
    writing=Writing("sub subtract", infix(" - ", " − ")),
    words=_cancelling("difference"),
)  # fmt: skip


# --- products, signs ---


def _either_zero(B: Any, a: Operands, p: Any) -> Any:
    return (a[0] == 0) | (a[1] == 0)


def _sign_of(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.where(a[0] < 0, -1.0, 1.0),)


MUL_ROW = Operator(
    "mul", 2, call(np.multiply),
    exact=lambda B, a, p: a[0] * a[1],
    partials=lambda B, a, y, p: (a[1], a[0]),
    fixed=always(1.0, 1.0), zero_limit=limits(1.0, 1.0), vanishes=_either_zero,
    commutative=True, widely=wide.multiply,
    writing=Writing(
        "mul mult multiply times", infix("*", "·", latex=r" \cdot ", sign="×"), folds=True
    ),
    words=Words("product"),
)  # fmt: skip

DIV_ROW = Operator(
    "div", 2, call(np.divide),
    exact=lambda B, a, p: a[0] / a[1],
    partials=lambda B, a, y, p: (B.over(1.0, a[1]), B.over(-y, a[1])),
    fixed=always(1.0, 1.0), zero_limit=limits(1.0, -1.0), vanishes=is_zero,
    pole=lambda B, a, p: a[1] == 0, widely=wide.divide,
    writing=Writing(
        "div divide truediv",
        Form("<0:20>/<1:21>", r"\frac{<0>}{<1>}", "<0:20>/<1:21>", "<mfrac><0><1></mfrac>",
             MUL, APPLY, "÷"),
    ),
    words=Words("quotient", invalid="division by zero"),
)  # fmt: skip

NEG_ROW = Operator(
    "neg", 1, call(np.negative),
    exact=lambda B, a, p: -a[0],
    partials=lambda B, a, y, p: (-1.0,),
    fixed=always(1.0), zero_limit=limits(1.0), widely=wide.negative,
    writing=Writing(
        "neg negative minus",
        Form("-<0:31>", "-<0:31>", "−<0:31>", "<mrow><mo>−</mo><0:31></mrow>", NEG, NEG, "−( )"),
        of_number=Form(
            "-(<0>)", r"-\left(<0>\right)", "−(<0>)",
            "<mrow><mo>−</mo><mrow><mo>(</mo><0><mo>)</mo></mrow></mrow>", NEG, NEG,
        ),
    ),
)  # fmt: skip

ABS_ROW = Operator(
    "abs", 1, call(np.abs),
    exact=lambda B, a, p: abs(a[0]),
    partials=_sign_of,
    fixed=always(1.0), zero_limit=limits(1.0), rough=True, widely=wide.absolute,
    writing=Writing(
        "abs fabs absolute", fenced("abs", "|", "|", ("|", "|"))
    ),
)  # fmt: skip


# --- powers ---

# NumPy computes products and roots faster than powers
_POWERS: dict[float, Program] = {
    0.5: ((np.sqrt, 0),),
    -1.0: ((np.reciprocal, 0),),
    2.0: ((np.multiply, 0, 0),),
    3.0: ((np.multiply, 0, 0), (np.multiply, Y, 0)),
    4.0: ((np.multiply, 0, 0), (np.multiply, Y, Y)),
}


def _power_program(p: float, count: int) -> Program:
    return _POWERS.get(p) or ((np.power, 0, p),)


def _power_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    if p.denominator == 1:
        return a[0] ** p.numerator
    root = B.sqrt(a[0])  # exact exponents are whole numbers and halves
    return root**p.numerator


def _slope_at_zero(B: Any, p: Any) -> Any:
    return B.where(p == 1, 1.0, B.where((p == 0) | (p > 1), 0.0, B.inf))


def _power_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.where(a[0] == 0, _slope_at_zero(B, p), p * B.over(y, a[0])),)


_RAISED = Form(
    "<0:41>**<p>",
    "{<0:41>}^{<p>}",
    "<0:41><p>",
    "<msup><0:41><p></msup>",
    POW,
    POW,
    "( )<^>",
)

POWER_ROW = Operator(
    "power", 1, _power_program,
    exact=_power_exact,
    partials=_power_partials,
    fixed=lambda p: (p * p,),
    zero_limit=lambda B, a, p: (B.where(p == 0, B.nan, p),),
    vanishes=lambda B, a, p: (a[0] == 0) & (p > 0),
    pole=lambda B, a, p: (a[0] == 0) & (p < 0),
    outside=lambda B, a, p: (a[0] < 0) & (p != B.floor(p)),
    needs_parameter=True, power=True, widely=wide.power,
    writing=Writing(
        "pow_exact",
        _RAISED,
        explicit=_RAISED._replace(code="pow_exact(<0>, <p>)", precedence=ATOM),
    ),
    words=Words("power"),
)  # fmt: skip


def _pow_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] < 0 or (a[0] == 0 and a[1] <= 0):
        raise ValueError("negative base under a noisy exponent")
    return a[0] ** a[1]


def _pow_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    by_exponent = B.where(base == 0, 0.0, y * B.log(B.where(base == 0, 1.0, base)))
    by_base = exponent * B.over(y, base)
    return B.where(base == 0, _slope_at_zero(B, exponent), by_base), by_exponent


def _pow_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    by_base, by_exponent = square(exponent), square(exponent * B.log(base))
    flat = exponent == 0
    return unless_flat(B, by_base, flat), unless_flat(B, by_exponent, flat | (base == 1))


_TO_THE = Form(
    "<0:41>**<1:40>",
    "{<0:41>}^{<1>}",
    "<0:41>^<1:40>",
    "<msup><0:41><1></msup>",
    POW,
    POW,
    "^",
)

POW_ROW = Operator(
    "pow", 2, call(np.power),
    exact=_pow_exact,
    partials=_pow_partials,
    kappa2=_pow_kappa, helper="log",
    zero_limit=lambda B, a, p: (a[1], B.nan),
    vanishes=is_zero,
    outside=lambda B, a, p: (a[0] < 0) | ((a[0] == 0) & (a[1] <= 0)),
    power=True, widely=wide.noisy_power, kappa2_widely=wide.noisy_power_kappa2,
    writing=Writing(
        "pow power float_power safe_pow",
        _TO_THE,
        explicit=_TO_THE._replace(code="pow_noisy(<0>, <1>)", precedence=ATOM),
        parameters=("x x1 a base input", "y x2 n exp exponent other"),
    ),
    words=Words(
        "power",
        singular="its base or its exponent leaves no digit right",
        nearly="",
        invalid="with an inexact exponent a negative base has no real power, nor has 0 unless the "
        "exponent is positive",
    ),
)  # fmt: skip


# --- roots ---


def _root_program(p: float, count: int) -> Program:
    if p % 2 == 0:
        return ((np.power, 0, 1.0 / p),)  # flags negative operands as invalid
    return ((np.abs, 0), (np.power, Y, 1.0 / p), (np.copysign, Y, 0))


def _root_exact(B: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    index = p.numerator
    if a[0] < 0 and index % 2:
        return -B.root(-a[0], index)
    return B.root(a[0], index)


def _root_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.where(a[0] == 0, B.inf, B.over(y, p * a[0])),)


SQRT_ROW = Operator(
    "sqrt", 1, call(np.sqrt), by_name("sqrt"),
    partials=lambda B, a, y, p: (B.over(0.5, y),),
    fixed=always(0.25), zero_limit=limits(0.5), widely=wide.square_root,
    writing=Writing(
        "sqrt safe_sqrt",
        Form("sqrt(<0>)", r"\sqrt{<0>}", "√<0:41>", "<msqrt><0></msqrt>", sign="√"),
    ),
    words=Words("root", invalid="the argument of a square root must not be negative"),
)  # fmt: skip

CBRT_ROW = Operator(
    "cbrt", 1, call(np.cbrt),
    exact=lambda B, a, p: _root_exact(B, a, Fraction(3)),
    partials=lambda B, a, y, p: _root_partials(B, a, y, 3.0),
    fixed=always(1 / 9), zero_limit=limits(1 / 3), widely=wide.cube_root,
    writing=Writing(
        form=Form(
            "cbrt(<0>)", r"\sqrt[3]{<0>}", "∛<0:41>", "<mroot><0><mn>3</mn></mroot>", sign="∛"
        )
    ),
    words=Words("root"),
)  # fmt: skip

ROOT_ROW = Operator(
    "root", 1, _root_program,
    exact=_root_exact,
    partials=_root_partials,
    fixed=lambda p: (1.0 / (p * p),), zero_limit=lambda B, a, p: (1.0 / p,),
    needs_parameter=True, widely=wide.root,
    writing=Writing(
        "root real_root nthroot",
        Form("root(<0>, <p>)", r"\sqrt[<p>]{<0>}", "root(<0>, <p>)", "<mroot><0><p></mroot>",
             sign="<^>√"),
    ),
    words=Words("root", invalid="the argument of an even root must not be negative"),
)  # fmt: skip


def _hypot_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return tuple(square(square(operand / y)) for operand in a)


def _hypot_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # at the origin the direction is open: the bound 1
    return tuple(B.where(y == 0, 1.0, B.over(operand, y)) for operand in a)


HYPOT_ROW = Operator(
    "hypot", 2, call(np.hypot), by_name("hypot"),
    partials=_hypot_partials,
    kappa2=_hypot_kappa,
    sloped=True, scales=True, widely=wide.hypotenuse,
    writing=Writing(parameters=("x x1 input", "y x2 other")),
)  # fmt: skip


# --- fused product and sum ---

_SPLITTER = 134217729.0  # 2^27 + 1: halves of 26 bits, whose products are exact (Veltkamp)


def _halves(m: Any) -> tuple[Any, Any]:
    high = _SPLITTER * m - (_SPLITTER * m - m)
    return high, m - high


def _fused(x: Any, y: Any, z: Any, out: Any = None) -> Any:
    """x*y + z to one unit in the last place: Dekker's product and Knuth's sum."""
    result = np.asarray(x * y + z)
    (m, e), (n, f) = np.frexp(np.float64(x)), np.frexp(np.float64(y))
    (m_high, m_low), (n_high, n_low) = _halves(m), _halves(n)
    rest = ((m_high * n_high - m * n) + m_high * n_low + m_low * n_high) + m_low * n_low
    product, rest = np.ldexp(m * n, e + f), np.ldexp(rest, e + f)
    total = product + z
    moved = total - product
    lost = (product - (total - moved)) + (z - moved)
    whole = total + (lost + rest)
    result = np.where(np.isfinite(whole), whole, result).astype(result.dtype)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _fused_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    kappa = a[2] / y
    by_factor = unless_flat(B, square(1.0 - kappa), _either_zero(B, a, p))
    return by_factor, by_factor, unless_flat(B, square(kappa), a[2] == 0)


FMA_ROW = Operator(
    "fma", 3, lambda p, count: ((_fused, 0, 1, 2),),
    exact=lambda B, a, p: a[0] * a[1] + a[2],
    partials=lambda B, a, y, p: (a[1], a[0], 1.0),
    kappa2=_fused_kappa,
    # beside a z that is no 0, only what is exactly the opposite leaves nothing
    vanishes=lambda B, a, p: (a[0] == 0) | (a[1] == 0) | (a[2] != 0),
    crossing="value", widely=wide.fused,
    writing=Writing(parameters=("x x1 a", "y x2 b", "z x3 c")),
    words=Words(
        "product and sum in one",
        singular="its product and its last operand cancel exactly",
        nearly="its product and its last operand cancel in more than 30 digits",
    ),
)  # fmt: skip


ROWS = (
    ADD_ROW,
    SUB_ROW,
    MUL_ROW,
    DIV_ROW,
    NEG_ROW,
    ABS_ROW,
    POWER_ROW,
    SQRT_ROW,
    CBRT_ROW,
    ROOT_ROW,
    POW_ROW,
    HYPOT_ROW,
    FMA_ROW,
)
