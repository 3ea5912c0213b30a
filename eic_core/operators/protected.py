"""Rows of the operator table: protected functions of search tools, which have a value everywhere.

========  =============================  ====================================================
gp_div    a/b, 1 where |b| ≤ 0.001       gplearn's ``div``
gp_log    log |x|, 0 where |x| ≤ 0.001   gplearn's ``log``
gp_inv    1/x, 0 where |x| ≤ 0.001       gplearn's ``inv``
deap_div  a/b, 1 where b = 0             ``protectedDiv`` of DEAP's examples
========  =============================  ====================================================

The value jumps at the edge, and is flat within it: no condition number but ∞ there, and 0. The edge
is the decimal 0.001, as every number of a formula is the decimal written; the tools compare with
the double nearest to it, which a cell of 0.001 becomes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from eic_core.operators import wide
from eic_core.operators.backend import Traced
from eic_core.operators.exponentials import LOG_ROW
from eic_core.operators.row import Operands, Operator, Program, Y, is_zero, limits, square
from eic_core.operators.wide import Wide, Widely
from eic_core.operators.words import NEARLY_ON_A_JUMP, Words
from eic_core.operators.writing import Writing, called

EDGE = Fraction(1, 1000)
"""gplearn's threshold."""


def _row(
    name: str,
    program: Program,
    exact: Callable[[Any, Operands], Any],  # the function beyond the edge, as the next three
    widely: Widely,
    partials: Callable[[Any, Operands, Any], tuple[Any, ...]],
    kappa2: Callable[[Any, Operands, Any], tuple[Any, ...]],
    *,
    inside: float,  # the value within the edge
    edge: Fraction = EDGE,
    **columns: Any,
) -> Operator:
    """A function of its last operand where that is larger than an edge, and flat within it."""
    limit = float(edge)

    def exactly(B: Any, a: Operands, p: Fraction | None) -> Any:
        size, bound = abs(a[-1]), B.number(edge)
        if size > bound:
            return exact(B, a)
        return B.number(Fraction(inside)) if size <= bound else B.nan

    def chosen(B: Any, a: Operands, outer: Sequence[Any]) -> tuple[Any, ...]:
        """What holds beyond the edge, 0 within it, ∞ on it for the operand that passes it."""
        size, bound = B.abs(a[-1]), B.number(edge)
        flat = [0.0] * (len(a) - 1) + [B.where(size < bound, 0.0, B.inf)]
        return tuple(B.where(size > bound, o, f) for o, f in zip(outer, flat, strict=True))

    def chosen_widely(a: Sequence[Wide], p: float) -> Wide:
        size = np.abs(a[-1].doubles if edge else a[-1].m)
        one = Wide.of(np.ones_like(size))
        value = widely((*a[:-1], a[-1].where(size > limit, one)), 1.0)
        return value.where(size > limit, Wide.of(np.full_like(size, inside)))

    return Operator(
        name,
        columns.pop("arity", 1),
        lambda p, count: program,
        exactly,
        partials=lambda B, a, y, p: chosen(B, a, partials(B, a, y)),
        kappa2=lambda B, a, y, p: chosen(B, a, kappa2(B, a, y)),
        edge=edge,
        brink=lambda B, *a: B.abs(B.abs(a[-1]) - B.number(edge)),
        jumps=True,
        rough=True,
        widely=chosen_widely,
        **columns,
    )


def _quotient(name: str, edge: Fraction, where: str) -> Operator:
    limit = float(edge)

    def value(B: Any, x: Any, y: Any) -> Any:
        within = B.abs(y) <= limit
        return B.where(within, B.where(x == x, 1.0, x), x / B.where(within, 1.0, y))

    return _row(
        name, ((Traced(name, value), 0, 1),),
        lambda B, a: a[0] / a[1],
        wide.divide,
        lambda B, a, y: (B.over(1.0, a[1]), B.over(-y, a[1])),
        lambda B, a, y: (1.0, 1.0),
        inside=1.0, edge=edge, arity=2, zero_limit=limits(1.0, -1.0), vanishes=is_zero,
        writing=_writing(
            name, name.replace("_div", " ÷"), f"where(abs(y) > {edge}, x/y, 1)",
            "x x1 a left", "y x2 b right",
        ),
        words=Words(
            "protected quotient",
            singular=f"its divisor lies exactly {where}",
            nearly=NEARLY_ON_A_JUMP,
        ),
    )  # fmt: skip


def _writing(name: str, sign: str, definition: str, *parameters: str) -> Writing:
    bare = name.replace("_", "")  # LaTeX and Mathematica mean something else by a low line
    form = called(name, rf"\operatorname{{{bare}}}", upright=bare, sign=sign)
    return Writing(f"{name} {bare}", form, parameters=parameters, definition=definition)


GP_DIV_ROW = _quotient("gp_div", EDGE, "at ±0.001, where its value jumps")
DEAP_DIV_ROW = _quotient("deap_div", Fraction(0), "at 0, where its value jumps")

_LIMIT = float(EDGE)
_ONE_WITHIN = Traced("one_within", lambda B, x: B.where(x <= _LIMIT, 1.0, x))

GP_LOG_ROW = _row(
    "gp_log", ((np.abs, 0), (_ONE_WITHIN, Y), (np.log, Y)),
    lambda B, a: B.log(abs(a[0])),
    lambda a, p: wide.logarithm((wide.absolute(a, p),), p),
    lambda B, a, y: (B.over(1.0, a[0]),),
    lambda B, a, y: (square(1.0 / y),),
    inside=0.0, crossing="value",
    writing=_writing("gp_log", "gp ln", "where(abs(x) > 1/1000, log(abs(x)), 0)"),
    words=Words(
        "protected logarithm",
        near=LOG_ROW.words.near,
        singular="its argument lies exactly at ±1, where it is 0, or at ±0.001, where it jumps",
        nearly="its argument agrees with ±1 or ±0.001 in more than 30 digits",
    ),
)  # fmt: skip


def _inverse(B: Any, x: Any) -> Any:
    within = B.abs(x) <= _LIMIT
    return B.where(within, 0.0, 1.0 / B.where(within, 1.0, x))


GP_INV_ROW = _row(
    "gp_inv", ((Traced("gp_inv", _inverse), 0),),
    lambda B, a: 1 / a[0],
    lambda a, p: wide.divide((Wide.of(np.ones_like(a[0].m)), a[0]), p),
    lambda B, a, y: (B.over(-y, a[0]),),
    lambda B, a, y: (1.0,),
    inside=0.0, vanishes=lambda B, a, p: B.abs(a[0]) <= B.number(EDGE),
    writing=_writing("gp_inv", "gp 1/x", "where(abs(x) > 1/1000, 1/x, 0)"),
    words=Words(
        "protected inverse",
        singular="its argument lies exactly at ±0.001, where its value jumps",
        nearly=NEARLY_ON_A_JUMP,
    ),
)  # fmt: skip


ROWS = (GP_DIV_ROW, GP_LOG_ROW, GP_INV_ROW, DEAP_DIV_ROW)
