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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import special

Array = Any  # a float64 array or a Python/NumPy scalar
Operands = Sequence[Any]


class Scratch:
    """Recycled work buffers of one block length, so that kernels never allocate.

    Parameters
    ----------
    rows : int
        Length of every buffer.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._free: list[np.ndarray] = []

    def take(self) -> np.ndarray:
        """A float64 buffer of shape (rows,) with arbitrary contents."""
        return self._free.pop() if self._free else np.empty(self.rows)

    def give(self, buffer: np.ndarray) -> None:
        """Return a buffer for later use."""
        self._free.append(buffer)


def _numpy_sign_root(a: Array, index: float, out: np.ndarray | None) -> Array:
    if index % 2 == 0:
        return np.power(a, 1.0 / index, out=out)  # flags negative operands as invalid
    return np.copysign(np.power(np.abs(a), 1.0 / index, out=out), a, out=out)


NUMPY = SimpleNamespace(
    sin=np.sin,
    cos=np.cos,
    tan=np.tan,
    exp=np.exp,
    log=np.log,
    sqrt=np.sqrt,
    sinh=np.sinh,
    cosh=np.cosh,
    tanh=np.tanh,
    fabs=np.abs,
    pi=math.pi,
)
"""The functions that `Operator.partials` may call, in double precision.

An `mpmath` context offers the same names.
"""

Partials = Callable[[Any, Operands, Any, Any], tuple[Any, ...]]
KappaSquared = Callable[[Operands, Array, float, Scratch], tuple[Array, ...]]


def _no_limit(a: Operands, p: float) -> tuple[Array, ...]:
    return tuple(math.nan for _ in a)


@dataclass(frozen=True)
class Operator:
    """One row of the table.

    Attributes
    ----------
    name : str
        The key that nodes carry.
    arity : int or None
        Number of operands; None for two or more.
    evaluate : callable (a, p, out) -> array
        Double precision; nan outside the real domain, inf at a pole.
    exact : callable (mp, a, p) -> mpf
        The same with an `mpmath` context; may raise ``ZeroDivisionError`` or
        ``ValueError``, or give a complex number, outside the domain.
    partials : callable (backend, a, y, p) -> tuple
        de_k/dy_i for each operand; inf on a jump.
    kappa_squared : callable (a, y, p, scratch) -> tuple
        kappa_{k,i}^2 in closed form, each a scalar or a buffer from `scratch`.
    zero_limit : callable (a, p) -> tuple
        Where ``y_k == 0``: the finite non-zero limit of kappa_{k,i}, or nan
        where there is none.
    pole : callable (a, p) -> bool array, or None
        Where the operator has no real value though NumPy gives inf.
    selects : bool
        True for min and max: the amplification is that of the operand attained.
    crossing : {"", "value", "argument"}
        Whether a sign change of the value (or of value times argument) inside
        the domain makes E[s^2] diverge.
    needs_parameter : bool
        True if `Node.parameter` must be given.
    vanishes : callable (a, p) -> bool array, or None
        Where the operator's true value is 0; a 0 elsewhere is an underflow.
        None: every 0 is true.
    integer_points : bool
        True if the operator jumps or ends at integers or half-integers, so that
        high precision must not miss one by a rounding.
    brink : callable (operand) -> array, or None
        Distance of the operand from the nearest jump, or from an end of the
        domain where kappa diverges faster than the value is lost.
    brink_roundings : float
        Within how many roundings of it double precision cannot be trusted.
    waves : bool
        True if kappa has zeros for ever larger operands, so that a rounding of
        a large operand matters to it.
    """

    name: str
    arity: int | None
    evaluate: Callable[[Operands, float, np.ndarray | None], Array]
    exact: Callable[[Any, Operands, Fraction | None], Any]
    partials: Partials
    kappa_squared: KappaSquared
    zero_limit: Callable[[Operands, float], tuple[Array, ...]] = _no_limit
    pole: Callable[[Operands, float], Array] | None = None
    selects: bool = False
    crossing: str = ""
    needs_parameter: bool = False
    vanishes: Callable[[Operands, float], Array] | None = None
    integer_points: bool = False
    brink: Callable[[Array], Array] | None = None
    brink_roundings: float = 16
    waves: bool = False

    @cached_property
    def delicate(self) -> bool:
        """True if a rounding of an operand may decide which rule holds."""
        return self.selects or self.waves or self.brink is not None

    @cached_property
    def fixed_kappa(self) -> bool:
        """True if no kappa depends on the sample (products, quotients, exact powers)."""
        kernel = self.kappa_squared
        return getattr(kernel, "fixed", False)

    def parameter(self, value: Fraction | None) -> float:
        """`Node.parameter` as the float that the row's functions take.

        For a logarithm this is the natural logarithm of its base.
        """
        if self.name == "log":
            return 1.0 if value is None else math.log(value)
        return math.nan if value is None else float(value)


# --- helpers for rows ---------------------------------------------------------------------


def _ufunc(function: Callable[..., Array]) -> Callable[[Operands, float, np.ndarray | None], Array]:
    def evaluate(a: Operands, p: float, out: np.ndarray | None) -> Array:
        return function(*a, out=out)

    return evaluate


def _method(name: str) -> Callable[[Any, Operands, Fraction | None], Any]:
    def exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
        return getattr(mp, name)(*a)

    return exact


def _ones(count: int) -> KappaSquared:
    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (1.0,) * count

    kappa_squared.fixed = True  # type: ignore[attr-defined]
    return kappa_squared


def _unary(kernel: Callable[[Any, Any, float, np.ndarray, Scratch], Array]) -> KappaSquared:
    """A unary kappa^2 from a kernel (x, y, p, out, scratch) that fills `out`."""

    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (kernel(a[0], y, p, scratch.take(), scratch),)

    return kappa_squared


def _constant_limits(*limits: float) -> Callable[[Operands, float], tuple[Array, ...]]:
    return lambda a, p: limits


def _one_at_origin(a: Operands, p: float) -> tuple[Array, ...]:
    """kappa -> 1 where the argument is 0; elsewhere (sin at pi) there is no limit."""
    return (np.where(np.equal(a[0], 0), 1.0, np.nan),)


# --- sums, products, powers ---------------------------------------------------------------


def _add_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    """kappa_a = y_a / y and kappa_b = 1 - kappa_a; for sub the sign is lost in the square.

    The difference costs kappa_b at most a rounding of kappa_a, less than the
    operands' own noise makes of it.
    """
    left, right = scratch.take(), scratch.take()
    np.divide(a[0], y, out=left)
    np.subtract(1.0, left, out=right)
    np.multiply(left, left, out=left)
    np.multiply(right, right, out=right)
    return left, right


def _power_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    x = a[0]
    if p == 2:
        return np.multiply(x, x, out=out)
    if p == 3:
        return np.multiply(np.multiply(x, x, out=out), x, out=out)
    if p == 4:
        square = np.multiply(x, x, out=out)
        return np.multiply(square, square, out=out)
    if p == 0.5:
        return np.sqrt(x, out=out)
    if p == -1:
        return np.divide(1.0, x, out=out)
    return np.power(x, p, out=out)


def _power_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    if p.denominator == 1:
        return a[0] ** p.numerator
    root = mp.sqrt(a[0])
    return root**p.numerator


def _power_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if p == 0:
        return (0 * a[0],)
    if p == 1:
        return (0 * a[0] + 1,)
    if B is NUMPY:
        return (p * np.power(a[0], p - 1),)
    q = p - 1
    if a[0] == 0:
        return (B.inf if q < 0 else 0 * a[0],)
    return (B.mpf(p.numerator) / p.denominator * y / a[0],)


def _constant_kappa(square: Callable[[float], float]) -> KappaSquared:
    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (square(p),)

    kappa_squared.fixed = True  # type: ignore[attr-defined]
    return kappa_squared


def _root_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    assert p is not None
    index = p.numerator
    if a[0] < 0 and index % 2:
        return -mp.root(-a[0], index)
    return mp.root(a[0], index)


def _root_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return (np.where(np.equal(a[0], 0), np.inf, y / (p * np.asarray(a[0]))),)
    return (B.inf if a[0] == 0 else y / (p * a[0]),)


def _pow_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    value = np.power(a[0], a[1], out=out)
    outside = np.less(a[0], 0) | (np.equal(a[0], 0) & np.less_equal(a[1], 0))
    if np.any(outside):
        value = np.where(outside, np.nan, value)
        if out is not None:
            np.copyto(out, value)
            return out
    return value


def _pow_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] < 0 or (a[0] == 0 and a[1] <= 0):
        raise ValueError("negative base under a noisy exponent")
    return a[0] ** a[1]


def _pow_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    base, exponent = a
    if B is NUMPY:
        with np.errstate(all="ignore"):
            by_base = exponent * np.power(base, np.asarray(exponent) - 1)
            by_exponent = np.where(np.equal(base, 0), 0.0, y * np.log(base))
        return by_base, by_exponent
    if base == 0:
        by_base = B.inf if exponent < 1 else (B.mpf(1) if exponent == 1 else B.mpf(0))
        return by_base, B.mpf(0)
    return exponent * y / base, y * B.log(base)


def _pow_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    base, exponent = a
    if np.ndim(exponent):
        by_base: Array = np.multiply(exponent, exponent, out=scratch.take())
    else:
        by_base = float(exponent) ** 2
    by_exponent = scratch.take()
    np.multiply(exponent, np.log(base, out=by_exponent), out=by_exponent)
    np.multiply(by_exponent, by_exponent, out=by_exponent)
    return by_base, by_exponent


def _hypot_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    terms = []
    for operand in a:
        term = np.divide(operand, y, out=scratch.take())
        np.multiply(term, term, out=term)
        terms.append(np.multiply(term, term, out=term))
    return tuple(terms)


def _hypot_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    """At the origin, where the direction is open, the bound 1."""
    if B is NUMPY:
        safe = np.where(np.equal(y, 0), 1.0, y)
        return tuple(np.where(np.equal(y, 0), 1.0, operand / safe) for operand in a)
    return tuple(operand / y if y else B.mpf(1) for operand in a)


# --- trigonometric and hyperbolic kernels -------------------------------------------------
# A second sine or cosine costs ten times a product, so kappa comes from y itself.


def _sin_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    """(x/y)^2 (1 - y^2): the error near |y| = 1 is that of y itself, and never negative."""
    rest = scratch.take()
    np.multiply(y, y, out=rest)
    np.subtract(1.0, rest, out=rest)
    np.divide(x, y, out=out)
    np.multiply(out, out, out=out)
    np.multiply(out, rest, out=out)
    scratch.give(rest)
    return out


def _cos_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    return _sin_kernel(x, y, p, out, scratch)  # x^2 (1-y)(1+y) / y^2 in both


def _tan_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out=out)
    np.multiply(x, y, out=rest)
    np.add(out, rest, out=out)
    scratch.give(rest)
    return np.multiply(out, out, out=out)


def _sec_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.subtract(y, 1.0, out=out)
    np.multiply(out, x, out=out)
    np.add(y, 1.0, out=rest)
    np.multiply(rest, x, out=rest)
    np.multiply(out, rest, out=out)
    scratch.give(rest)
    return out


def _sinh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out=out)
    np.multiply(out, out, out=out)
    np.multiply(x, x, out=rest)
    np.add(out, rest, out=out)
    scratch.give(rest)
    return out


def _cosh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(1.0, y, out=rest)
    np.subtract(1.0, rest, out=out)
    np.add(1.0, rest, out=rest)
    np.multiply(out, rest, out=out)
    np.multiply(out, x, out=out)
    np.multiply(out, x, out=out)
    scratch.give(rest)
    return out


def _tanh_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    rest = scratch.take()
    np.divide(x, y, out=out)
    np.multiply(x, y, out=rest)
    np.subtract(out, rest, out=out)
    scratch.give(rest)
    return np.multiply(out, out, out=out)


def _exp_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    return np.multiply(x, x, out=out)


def _expm1_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    np.divide(x, y, out=out)
    np.add(out, x, out=out)
    return np.multiply(out, out, out=out)


def _log_kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
    np.divide(1.0 / p, y, out=out)
    return np.multiply(out, out, out=out)


def _ratio_kernel(derivative: Callable[[Array, np.ndarray], Array]) -> Any:
    """kappa^2 = (x * e'(x) / y)^2 from e'(x), written to the buffer given."""

    def kernel(x: Array, y: Array, p: float, out: np.ndarray, scratch: Scratch) -> Array:
        derivative(x, out)
        np.multiply(out, x, out=out)
        np.divide(out, y, out=out)
        return np.multiply(out, out, out=out)

    return kernel


def _d_log1p(x: Array, out: np.ndarray) -> Array:
    return np.divide(1.0, np.add(1.0, x, out=out), out=out)


def _d_asin(x: Array, out: np.ndarray) -> Array:
    np.sqrt(np.multiply(1.0 - np.asarray(x), 1.0 + np.asarray(x), out=out), out=out)
    return np.divide(1.0, out, out=out)


def _d_atan(x: Array, out: np.ndarray) -> Array:
    np.add(1.0, np.multiply(x, x, out=out), out=out)
    return np.divide(1.0, out, out=out)


def _d_asinh(x: Array, out: np.ndarray) -> Array:
    return np.divide(1.0, np.hypot(1.0, x, out=out), out=out)


def _d_acosh(x: Array, out: np.ndarray) -> Array:
    np.multiply(np.sqrt(np.asarray(x) - 1.0), np.sqrt(np.asarray(x) + 1.0), out=out)
    return np.divide(1.0, out, out=out)


def _d_atanh(x: Array, out: np.ndarray) -> Array:
    np.multiply(1.0 - np.asarray(x), 1.0 + np.asarray(x), out=out)
    return np.divide(1.0, out, out=out)


def _d_erf(x: Array, out: np.ndarray) -> Array:
    np.exp(np.negative(np.multiply(x, x, out=out), out=out), out=out)
    return np.multiply(2.0 / math.sqrt(math.pi), out, out=out)


def _atan2_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    radius = np.hypot(*a, out=scratch.take())
    left = scratch.take()
    np.divide(a[0], radius, out=left)
    np.divide(a[1], radius, out=radius)
    np.multiply(left, radius, out=left)
    np.divide(left, y, out=left)
    np.multiply(left, left, out=left)
    np.copyto(radius, left)
    return left, radius


def _atan2_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    value = np.arctan2(np.add(a[0], 0.0), a[1], out=out)  # the real 0 has no sign
    origin = np.equal(a[0], 0) & np.equal(a[1], 0)
    return np.where(origin, np.nan, value) if np.any(origin) else value


def _atan2_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    if a[0] == 0 and a[1] == 0:
        raise ValueError("atan2(0, 0)")
    return mp.pi if a[0] == 0 and a[1] < 0 else mp.atan2(*a)


def _atan2_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    squared = a[0] * a[0] + a[1] * a[1]
    by_y, by_x = a[1] / squared, -a[0] / squared
    if B is NUMPY:
        return np.where(np.equal(a[0], 0) & np.less(a[1], 0), np.inf, by_y), by_x
    return (B.inf if a[0] == 0 and a[1] < 0 else by_y), by_x


# --- min, max and the functions with jumps ------------------------------------------------


def _nary(function: Callable[..., Array]) -> Callable[[Operands, float, np.ndarray | None], Array]:
    def evaluate(a: Operands, p: float, out: np.ndarray | None) -> Array:
        value = function(a[0], a[1], out=out)
        for operand in a[2:]:
            value = function(value, operand, out=out)
        return value

    return evaluate


def _attained(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return tuple(np.equal(operand, y).astype(float) for operand in a)
    return tuple(B.mpf(1) if operand == y else B.mpf(0) for operand in a)


def _attained_kappa(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
    return _attained(NUMPY, a, y, p)


def _stepwise(jumps: Callable[[Any], Any]) -> tuple[Partials, KappaSquared]:
    def partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
        if B is NUMPY:
            return (np.where(jumps(np.asarray(a[0])), np.inf, 0.0),)
        return (B.inf if jumps(a[0]) else B.mpf(0),)

    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return partials(NUMPY, a, y, p)

    return partials, kappa_squared


def _fraction(x: Any) -> Any:
    return x - (np.floor(x) if isinstance(x, np.ndarray) else x.context.floor(x))


def _is_integer(x: Any) -> Any:
    return _fraction(x) == 0


def _is_half_integer(x: Any) -> Any:
    return _fraction(x) == 0.5  # not x + 0.5: a large number swallows the half


_INTEGER_STEPS = _stepwise(_is_integer)
_HALF_STEPS = _stepwise(_is_half_integer)
_SIGN_STEP = _stepwise(lambda x: x == 0)


def _exact_log(mp: Any, a: Operands, p: Fraction | None) -> Any:
    value = mp.log(a[0])
    return value if p is None else value / mp.log(mp.mpf(p.numerator) / p.denominator)


def _log_value(a: Operands, p: float, out: np.ndarray | None) -> Array:
    if p == _LN2:
        return np.log2(a[0], out=out)
    if p == _LN10:
        return np.log10(a[0], out=out)
    value = np.log(a[0], out=out)
    return value if p == 1.0 else np.divide(value, p, out=out)


def _log_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is NUMPY:
        return (1.0 / (np.asarray(a[0]) * p),)
    scale = 1 if p is None else B.log(B.mpf(p.numerator) / p.denominator)
    return (1 / (a[0] * scale),)


def _reciprocal(function: Callable[..., Array]) -> Any:
    def evaluate(a: Operands, p: float, out: np.ndarray | None) -> Array:
        return np.divide(1.0, function(a[0], out=out), out=out)

    return evaluate


def _to_integer(x: Array) -> Array:
    return np.abs(x - np.rint(x))


def _to_half_integer(x: Array) -> Array:
    return np.abs(_fraction(np.asarray(x)) - 0.5)


def _to_unit(x: Array) -> Array:
    return np.abs(np.abs(x) - 1.0)


_STEEP_END = 1e9
"""Roundings: at the ends of asin, s is known to (roundings off the end)^-1 only."""

_ERF_FLAT = 1600
"""Beyond it 1 - |erf| and the derivative are below 10^-(10^6)."""


def _erf_exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
    return mp.erf(a[0]) if abs(a[0]) < _ERF_FLAT else mp.sign(a[0])


def _erf_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    if B is not NUMPY and abs(a[0]) >= _ERF_FLAT:
        return (B.mpf(0),)
    return (2 / B.sqrt(B.pi) * B.exp(-a[0] * a[0]),)


_LN2, _LN10 = math.log(2), math.log(10)


def _zero(a: Operands, p: float) -> Array:
    return np.equal(a[0], 0)


def _either_zero(a: Operands, p: float) -> Array:
    return np.equal(a[0], 0) | np.equal(a[1], 0)


def _never(a: Operands, p: float) -> Array:
    return np.zeros(np.shape(a[0]), dtype=bool)


_ROWS = (
    Operator(
        "add", 2, _ufunc(np.add), lambda mp, a, p: a[0] + a[1],
        lambda B, a, y, p: (1.0, 1.0), _add_kappa, crossing="value",
    ),
    Operator(
        "sub", 2, _ufunc(np.subtract), lambda mp, a, p: a[0] - a[1],
        lambda B, a, y, p: (1.0, -1.0), _add_kappa, crossing="value",
    ),
    Operator(
        "mul", 2, _ufunc(np.multiply), lambda mp, a, p: a[0] * a[1],
        lambda B, a, y, p: (a[1], a[0]), _ones(2), _constant_limits(1.0, 1.0), vanishes=_either_zero,
    ),
    Operator(
        "div", 2, _ufunc(np.divide), lambda mp, a, p: a[0] / a[1],
        lambda B, a, y, p: (1.0 / a[1], -y / a[1]), _ones(2), _constant_limits(1.0, -1.0),
        pole=lambda a, p: np.equal(a[1], 0), vanishes=_zero,
    ),
    Operator(
        "neg", 1, _ufunc(np.negative), lambda mp, a, p: -a[0],
        lambda B, a, y, p: (-1.0,), _ones(1), _constant_limits(1.0),
    ),
    Operator(
        "abs", 1, _ufunc(np.abs), lambda mp, a, p: abs(a[0]),
        lambda B, a, y, p: (np.sign(a[0]) + np.equal(a[0], 0) if B is NUMPY
                            else (-1 if a[0] < 0 else 1),),
        _ones(1), _constant_limits(1.0),
    ),
    Operator(
        "power", 1, _power_value, _power_exact, _power_partials,
        _constant_kappa(lambda p: p * p), lambda a, p: (p if p else math.nan,),
        pole=lambda a, p: np.equal(a[0], 0) & (p < 0), needs_parameter=True, vanishes=lambda a, p: np.equal(a[0], 0) & (p > 0),
    ),
    Operator(
        "sqrt", 1, _ufunc(np.sqrt), _method("sqrt"),
        lambda B, a, y, p: (0.5 / y if B is NUMPY else B.inf if y == 0 else 0.5 / y,),
        _constant_kappa(lambda p: 0.25), _constant_limits(0.5),
    ),
    Operator(
        "cbrt", 1, _ufunc(np.cbrt), lambda mp, a, p: _root_exact(mp, a, Fraction(3)),
        lambda B, a, y, p: _root_partials(B, a, y, 3),
        _constant_kappa(lambda p: 1 / 9), _constant_limits(1 / 3),
    ),
    Operator(
        "root", 1, lambda a, p, out: _numpy_sign_root(a[0], p, out), _root_exact,
        lambda B, a, y, p: _root_partials(B, a, y, p if B is NUMPY else p.numerator),
        _constant_kappa(lambda p: 1 / (p * p)), lambda a, p: (1 / p,), needs_parameter=True,
    ),
    Operator(
        "pow", 2, _pow_value, _pow_exact, _pow_partials, _pow_kappa,
        lambda a, p: (a[1], math.nan), pole=lambda a, p: np.equal(a[0], 0) & np.less(a[1], 0), vanishes=_zero,
    ),
    Operator(
        "hypot", 2, _ufunc(np.hypot), lambda mp, a, p: mp.hypot(*a),
        _hypot_partials,
        _hypot_kappa,
    ),
    Operator(
        "exp", 1, _ufunc(np.exp), _method("exp"),
        lambda B, a, y, p: (y,), _unary(_exp_kernel), vanishes=_never,
    ),
    Operator(
        "expm1", 1, _ufunc(np.expm1), _method("expm1"),
        lambda B, a, y, p: (y + 1,), _unary(_expm1_kernel), _one_at_origin,
    ),
    Operator(
        "log", 1, _log_value, _exact_log, _log_partials,
        _unary(_log_kernel), pole=_zero, crossing="value",
    ),
    Operator(
        "log1p", 1, _ufunc(np.log1p), _method("log1p"),
        lambda B, a, y, p: (1 / (1 + a[0]),), _unary(_ratio_kernel(_d_log1p)), _one_at_origin,
        pole=lambda a, p: np.equal(a[0], -1),
        brink=lambda x: np.abs(x + 1.0), brink_roundings=_STEEP_END,
    ),
    Operator(
        "sin", 1, _ufunc(np.sin), _method("sin"),
        lambda B, a, y, p: (B.cos(a[0]),), _unary(_sin_kernel), _one_at_origin,
        crossing="argument",
        waves=True,
    ),
    Operator(
        "cos", 1, _ufunc(np.cos), _method("cos"),
        lambda B, a, y, p: (-B.sin(a[0]),), _unary(_cos_kernel), crossing="value",
        waves=True,
    ),
    Operator(
        "tan", 1, _ufunc(np.tan), _method("tan"),
        lambda B, a, y, p: (1 + y * y,), _unary(_tan_kernel), _one_at_origin,
        crossing="argument",
    ),
    Operator(
        "cot", 1, _reciprocal(np.tan), _method("cot"),
        lambda B, a, y, p: (-1 - y * y,), _unary(_tan_kernel), pole=_zero, crossing="argument",
    ),
    Operator(
        "sec", 1, _reciprocal(np.cos), _method("sec"),
        lambda B, a, y, p: (y * B.tan(a[0]),), _unary(_sec_kernel), crossing="value",
        waves=True,
    ),
    Operator(
        "csc", 1, _reciprocal(np.sin), _method("csc"),
        lambda B, a, y, p: (-y / B.tan(a[0]),), _unary(_sec_kernel), pole=_zero,
        crossing="argument",
        waves=True,
    ),
    Operator(
        "asin", 1, _ufunc(np.arcsin), _method("asin"),
        lambda B, a, y, p: _inverse_sqrt(B, (1 - a[0]) * (1 + a[0]), 1),
        _unary(_ratio_kernel(_d_asin)), _one_at_origin, integer_points=True,
        brink=_to_unit, brink_roundings=_STEEP_END,
    ),
    Operator(
        "acos", 1, _ufunc(np.arccos), _method("acos"),
        lambda B, a, y, p: _inverse_sqrt(B, (1 - a[0]) * (1 + a[0]), -1),
        _unary(_ratio_kernel(_d_asin)), integer_points=True,
        brink=_to_unit, brink_roundings=_STEEP_END,
    ),
    Operator(
        "atan", 1, _ufunc(np.arctan), _method("atan"),
        lambda B, a, y, p: (1 / (1 + a[0] * a[0]),), _unary(_ratio_kernel(_d_atan)),
        _one_at_origin,
    ),
    Operator(
        "atan2", 2, _atan2_value, _atan2_exact, _atan2_partials, _atan2_kappa,
        _constant_limits(1.0, -1.0),
    ),
    Operator(
        "sinh", 1, _ufunc(np.sinh), _method("sinh"),
        lambda B, a, y, p: (B.cosh(a[0]),), _unary(_sinh_kernel), _one_at_origin,
    ),
    Operator(
        "cosh", 1, _ufunc(np.cosh), _method("cosh"),
        lambda B, a, y, p: (B.sinh(a[0]),), _unary(_cosh_kernel),
    ),
    Operator(
        "tanh", 1, _ufunc(np.tanh), _method("tanh"),
        lambda B, a, y, p: ((1 - y) * (1 + y),), _unary(_tanh_kernel), _one_at_origin,
    ),
    Operator(
        "asinh", 1, _ufunc(np.arcsinh), _method("asinh"),
        lambda B, a, y, p: (1 / B.sqrt(1 + a[0] * a[0]),), _unary(_ratio_kernel(_d_asinh)),
        _one_at_origin,
    ),
    Operator(
        "acosh", 1, _ufunc(np.arccosh), _method("acosh"),
        lambda B, a, y, p: _inverse_sqrt(B, (a[0] - 1) * (a[0] + 1), 1),
        _unary(_ratio_kernel(_d_acosh)), integer_points=True,
        brink=lambda x: np.abs(x - 1.0),
    ),
    Operator(
        "atanh", 1, _ufunc(np.arctanh), _method("atanh"),
        lambda B, a, y, p: (1 / ((1 - a[0]) * (1 + a[0])),), _unary(_ratio_kernel(_d_atanh)),
        _one_at_origin, pole=lambda a, p: np.equal(np.abs(a[0]), 1), integer_points=True,
        brink=_to_unit, brink_roundings=_STEEP_END,
    ),
    Operator(
        "erf", 1, _ufunc(special.erf), _erf_exact, _erf_partials,
        _unary(_ratio_kernel(_d_erf)), _one_at_origin,
    ),
    Operator(
        "min", None, _nary(np.minimum), lambda mp, a, p: min(a), _attained, _attained_kappa,
        selects=True,
    ),
    Operator(
        "max", None, _nary(np.maximum), lambda mp, a, p: max(a), _attained, _attained_kappa,
        selects=True,
    ),
    Operator(
        "sign", 1, _ufunc(np.sign), _method("sign"), *_SIGN_STEP,
    ),
    Operator(
        "floor", 1, _ufunc(np.floor), _method("floor"), *_INTEGER_STEPS, integer_points=True,
        brink=_to_integer,
    ),
    Operator(
        "ceil", 1, _ufunc(np.ceil), _method("ceil"), *_INTEGER_STEPS, integer_points=True,
        brink=_to_integer,
    ),
    Operator(
        "round", 1, _ufunc(np.rint), _method("nint"), *_HALF_STEPS, integer_points=True,
        brink=_to_half_integer,
    ),
)


def _inverse_sqrt(B: Any, radicand: Any, sign: int) -> tuple[Any, ...]:
    if B is NUMPY:
        return (sign / np.sqrt(radicand),)
    return (sign * B.inf if radicand == 0 else sign / B.sqrt(radicand),)


OPERATORS: dict[str, Operator] = {row.name: row for row in _ROWS}
"""Every operator, by name."""
