"""What a row of the operator table holds, and the helpers that rows are written with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

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
Evaluate = Callable[[Operands, float, np.ndarray | None], Array]
KappaSquared = Callable[[Operands, Array, float, Scratch], tuple[Array, ...]]


def no_limit(a: Operands, p: float) -> tuple[Array, ...]:
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
    evaluate: Evaluate
    exact: Callable[[Any, Operands, Fraction | None], Any]
    partials: Partials
    kappa_squared: KappaSquared
    zero_limit: Callable[[Operands, float], tuple[Array, ...]] = no_limit
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


def ufunc(function: Callable[..., Array], arity: int = 1) -> Evaluate:
    """Evaluate by a NumPy function of one operand or two.

    The buffer goes by position: that is a tenth of a short call faster than by name.
    """

    def unary(a: Operands, p: float, out: np.ndarray | None) -> Array:
        return function(a[0], out)

    def binary(a: Operands, p: float, out: np.ndarray | None) -> Array:
        return function(a[0], a[1], out)

    return unary if arity == 1 else binary


def by_name(name: str) -> Callable[[Any, Operands, Fraction | None], Any]:
    def exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
        return getattr(mp, name)(*a)

    return exact


def unit_kappas(count: int) -> KappaSquared:
    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (1.0,) * count

    kappa_squared.fixed = True  # type: ignore[attr-defined]
    return kappa_squared


def unary(kernel: Callable[[Any, Any, float, np.ndarray, Scratch], Array]) -> KappaSquared:
    """A unary kappa^2 from a kernel (x, y, p, out, scratch) that fills `out`."""

    def kappa_squared(a: Operands, y: Array, p: float, scratch: Scratch) -> tuple[Array, ...]:
        return (kernel(a[0], y, p, scratch.take(), scratch),)

    return kappa_squared


def constant_limits(*limits: float) -> Callable[[Operands, float], tuple[Array, ...]]:
    return lambda a, p: limits


def one_at_origin(a: Operands, p: float) -> tuple[Array, ...]:
    """kappa -> 1 where the argument is 0; elsewhere (sin at pi) there is no limit."""
    return (np.where(np.equal(a[0], 0), 1.0, np.nan),)
