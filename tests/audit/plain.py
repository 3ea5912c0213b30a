"""A formula as a program would compute it: plain NumPy, operators by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import erf

from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.operators import NUMPY


def _np_root(x: Any, p: Any) -> Any:
    index = int(p)
    one = x.dtype.type(1.0 / index)
    return np.sign(x) * np.power(np.abs(x), one) if index % 2 else np.power(x, one)


def _np_log(x: Any, p: Any) -> Any:
    if p is None:
        return np.log(x)
    return {2: np.log2, 10: np.log10}.get(p, lambda v: np.log(v) / v.dtype.type(math.log(p)))(x)


_ERFC = np.vectorize(math.erfc, otypes=[float])  # SciPy's loses 2.6 digits at 20


def _remainder(x: float, y: float) -> float:
    return math.remainder(x, y) if y and math.isfinite(x) else math.nan


_REMAINDER = np.vectorize(_remainder, otypes=[float])


@np.vectorize
def _fused(a: float, b: float, c: float) -> float:
    """a*b + c with one rounding."""
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    a, b, c = (Fraction(float(each)) for each in (a, b, c))
    return _as_double(a * b + c)


def _of_one(f: Any) -> Callable[[Sequence[Any], Any], Any]:
    return lambda a, p: f(a[0])


PLAIN: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "add": lambda a, p: a[0] + a[1],
    "sub": lambda a, p: a[0] - a[1],
    "mul": lambda a, p: a[0] * a[1],
    "div": lambda a, p: a[0] / a[1],
    "neg": lambda a, p: -a[0],
    "abs": lambda a, p: np.abs(a[0]),
    "power": lambda a, p: np.power(a[0], a[0].dtype.type(float(p))),
    "root": lambda a, p: _np_root(a[0], p),
    "pow": lambda a, p: np.power(a[0], a[1]),
    "fma": lambda a, p: _fused(*a),
    "mod": lambda a, p: np.remainder(a[0], a[1]),
    "fmod": lambda a, p: np.fmod(a[0], a[1]),
    "remainder": lambda a, p: _REMAINDER(a[0], a[1]),
    "hypot": lambda a, p: np.hypot(a[0], a[1]),
    "log": lambda a, p: _np_log(a[0], p),
    "cot": lambda a, p: 1 / np.tan(a[0]),
    "sec": lambda a, p: 1 / np.cos(a[0]),
    "csc": lambda a, p: 1 / np.sin(a[0]),
    "atan2": lambda a, p: np.arctan2(a[0], a[1]),
    "erf": lambda a, p: erf(a[0]),
    "erfc": lambda a, p: _ERFC(a[0]),
    "logaddexp": lambda a, p: np.logaddexp(a[0], a[1]),
    "betaln": lambda a, p: NUMPY.betaln(a[0], a[1]),
    "min": lambda a, p: np.minimum.reduce(list(a)),
    "max": lambda a, p: np.maximum.reduce(list(a)),
    "less_than": lambda a, p: a[0] < a[1],
    "less_equal": lambda a, p: a[0] <= a[1],
    "greater_than": lambda a, p: a[0] > a[1],
    "greater_equal": lambda a, p: a[0] >= a[1],
    "equal_to": lambda a, p: a[0] == a[1],
    "not_equal": lambda a, p: a[0] != a[1],
    "logical_and": lambda a, p: np.logical_and.reduce(list(a)),
    "logical_or": lambda a, p: np.logical_or.reduce(list(a)),
    "logical_not": lambda a, p: a[0] == 0,
    "conditional": lambda a, p: np.where(a[0] != 0, a[1], a[2]),
    **{
        ours: _of_one(getattr(np, theirs))
        for ours, theirs in [
            *(
                (n, n)
                for n in "sqrt cbrt exp expm1 log1p sin cos tan sinh cosh tanh sign floor "
                "ceil".split()
            ),
            *((n, "arc" + n[1:]) for n in "asin acos atan asinh acosh atanh".split()),
            ("round", "round"),
        ]
    },
    # their errors are no matter of the audit
    **{name: _of_one(getattr(NUMPY, name)) for name in ("gamma", "lgamma", "erfcx")},
}


BY_PRODUCTS: dict[Fraction, Callable[[Any], Any]] = {
    Fraction(3): lambda x: x * x * x,
    Fraction(4): lambda x: (x * x) * (x * x),
}
"""Powers that some programs compute so."""


def run_plain(
    formula: Formula,
    columns: Mapping[str, Any],
    count: int,
    kind: str,
    powers: Mapping[Fraction, Callable[[Any], Any]] = MappingProxyType({}),
) -> list[Any]:
    """Every node as a program would compute it, in one floating-point type.

    Parameters
    ----------
    formula : Formula
    columns : mapping of variable to array of doubles
    count : int
    kind : {"float64", "float32"}
    powers : mapping of exponent to function, optional
        `BY_PRODUCTS`, for instance.
    """
    dtype = np.dtype(kind)
    found: list[Any] = []
    with np.errstate(all="ignore"):
        for node in formula.nodes:
            if node.operator == VARIABLE:
                y = np.asarray(columns[node.label]).astype(dtype)
            elif node.operator == CONSTANT:
                value = {"pi": math.pi, "e": math.e}.get(node.label)
                value = _as_double(node.label) if value is None else value
                y = np.full(count, value).astype(dtype)
            elif node.operator == "power" and node.parameter in powers:
                y = powers[node.parameter](found[node.children[0]])
            else:
                y = PLAIN[node.operator]([found[c] for c in node.children], node.parameter)
            found.append(np.asarray(y, dtype=dtype))
    return found


def _as_double(number: str | Fraction) -> float:
    value = Fraction(number)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
