"""What a row of the operator table holds, and the helpers that rows are written with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.operators.backend import NUMPY, Value
from eic_core.operators.wide import Wide, Widely
from eic_core.operators.words import Words
from eic_core.operators.writing import Form, Writing, called

Operands = Sequence[Any]

Y = -1
"""In a program: the value so far."""

Instruction = tuple[Any, ...]
"""A NumPy ufunc and its inputs: an operand's index, `Y`, or a float."""

Program = tuple[Instruction, ...]
"""How a value is computed in double precision, one ufunc after the other."""

Expression = Callable[[Any, Operands, Any], Any]
Expressions = Callable[[Any, Operands, Any], tuple[Any, ...]]
Derivatives = Callable[[Any, Operands, Any, Any], tuple[Any, ...]]


_ORDINARY = (-2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5)


def no_limit(B: Any, a: Operands, p: Any) -> tuple[Any, ...]:
    """There is no finite non-zero limit anywhere.

    Parameters
    ----------
    B : backend
    a : sequence of Value
        The operands.
    p : Value
        The row's parameter; not used.
    """
    return tuple(B.nan for _ in a)


@dataclass(frozen=True, eq=False)
class Operator:
    """One row of the table.

    Every callable but `exact` takes a backend (`eic_core.operators.backend`), the operands' values
    `a`, perhaps the value `y`, and the parameter `p` as `parameter` gives it.  They hold no branch
    but ``B.where``, so that arrays, mpmath and C can all follow them.

    Attributes
    ----------
    name : str
        The key that nodes carry: lower-case letters, digits and underscores.
    arity : int or None
        Number of operands; None for two or more.
    program : callable (p, count) -> Program
        How NumPy computes the value of `count` operands: nan outside the domain, inf at a pole.
    exact : callable (mp, a, p) -> mpf
        The same with an mpmath context and the exact parameter; may raise ``ZeroDivisionError`` or
        ``ValueError``, or give a complex number, outside the domain.
    partials : callable (B, a, y, p) -> tuple
        de_k/dy_i for each operand; inf on a jump.
    kappa2 : callable (B, a, y, p) -> tuple, or None
        kappa_{k,i}^2 in closed form where that is cheaper or safer than from the partials.
    helper : str
        Name of a backend's function whose value at the first operand `kappa2` needs; compiled code
        takes it from NumPy's loop, which is several times faster than the C library's.
    zero_limit : callable (B, a, p) -> tuple
        Where ``y_k == 0``: the finite non-zero limit of kappa_{k,i}, or nan where there is none.
    outside : callable (B, a, p) -> bool, or None
        Where there is no real value though the program gives a number.
    pole : callable (B, a, p) -> bool, or None
        Where there is no real value though the program gives inf.
    vanishes : callable (B, a, p) -> bool, or None
        Where the true value is 0; a 0 elsewhere is an underflow.  None: every 0 is true.
    fixed : callable (p) -> tuple of float, or None
        kappa^2, where it is the same at every sample (products, quotients, exact powers).
    scales : bool
        True if a factor common to all operands changes no condition number (sums, hypot, atan2).
    selects : bool
        True for min and max: the amplification is that of the operand attained.
    truth : bool
        True if the value is a truth value, 1 or 0: it carries no noise, but may lie on a threshold.
    compares : bool
        True for the truth values that compare two numbers; the others join truth values.
    chooses : bool
        True for the conditional: its first operand decides which of the others is evaluated.
    crossing : {"", "value", "argument"}
        Whether a sign change of the value (or of value times argument) inside the domain makes
        E[s^2] diverge.
    needs_parameter : bool
        True if `Node.parameter` must be given.
    base : bool
        True if the parameter is a logarithm's base; `p` is then its natural logarithm.
    integer_points : bool
        True if the operator jumps or ends at integers or half-integers, so that high precision must
        not miss one by a rounding.
    brink : callable (B, x) -> distance, or None
        Distance of the operand from the nearest jump, or from an end of the domain where kappa
        diverges faster than the value is lost.
    brink_roundings : float
        Within how many roundings of it double precision cannot be trusted.
    waves : bool
        True if kappa has zeros for ever larger operands, so that a rounding of a large operand
        matters to it.
    period : float
        After which the value repeats, or 0: a large operand must be reduced, and needs its digits
        for that.
    steps : bool
        True if the value jumps between flat parts for ever larger operands.
    jumps : bool
        True if the value jumps where the first operand passes a point inside the domain.
    poles : bool
        True if the value is infinite inside the domain, between ordinary values.
    low : float or None
        For functions that grow like exp: the value far below 0; None if that leaves every range.
    exponential : bool
        True if the value leaves every range for operands of some millions.
    widely : callable (a, p) -> Wide, or None
        The value where operands or value leave double range (`eic_core.operators.wide`).
    kappa2_widely : callable (a, y) -> tuple of arrays, or None
        kappa^2 there, where `kappa2` would need operands that are no doubles.
    power : bool
        True if the value is a power of the first operand, which may leave every range.
    commutative : bool
        True if the operands may change places without changing a digit of the double.
    rough : bool
        True if a kink, a jump or a cut stands in the way of following small noise linearly.
    writing : Writing
        Its names and how it is written (`eic_core.operators.writing`).
    words : Words
        What is said of it (`eic_core.operators.words`).
    """

    name: str
    arity: int | None
    program: Callable[[float, int], Program]
    exact: Callable[[Any, Operands, Fraction | None], Any]
    partials: Derivatives
    kappa2: Derivatives | None = None
    zero_limit: Expressions = no_limit
    helper: str = ""
    outside: Expression | None = None
    pole: Expression | None = None
    vanishes: Expression | None = None
    fixed: Callable[[float], tuple[float, ...]] | None = None
    scales: bool = False
    selects: bool = False
    truth: bool = False
    compares: bool = False
    chooses: bool = False
    crossing: str = ""
    needs_parameter: bool = False
    base: bool = False
    integer_points: bool = False
    brink: Callable[[Any, Any], Any] | None = None
    brink_roundings: float = 16
    waves: bool = False
    period: float = 0.0
    steps: bool = False
    jumps: bool = False
    poles: bool = False
    exponential: bool = False
    low: float | None = None
    power: bool = False
    widely: Widely | None = None
    kappa2_widely: Callable[[Sequence[Wide], Wide], tuple[Any, ...]] | None = None
    commutative: bool = False
    rough: bool = False
    writing: Writing = Writing()
    words: Words = Words()

    @cached_property
    def delicate(self) -> bool:
        """True if a rounding of an operand may decide which rule holds."""
        return self.selects or self.waves or self.brink is not None

    @property
    def numeric(self) -> bool:
        """True if it makes a number of all its operands: no truth value, and no choice by one."""
        return not (self.truth or self.chooses)

    @cached_property
    def has_parameter(self) -> bool:
        """True if nodes may carry an exact parameter."""
        return self.needs_parameter or self.base

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The function names that formulas may call it by."""
        return (self.name,) if self.writing.names is None else tuple(self.writing.names.split())

    @cached_property
    def form(self) -> Form:
        """How it is written where nothing calls for another form."""
        return self.writing.form or called(self.name, parameter=self.needs_parameter)

    def form_with(self, parameter: Fraction | None) -> Form:
        """How a node with this parameter is written."""
        if parameter is None or self.needs_parameter:
            return self.form
        with_parameter = self.writing.with_parameter or called(self.name, parameter=True)
        return self.writing.by_parameter.get(parameter, with_parameter)

    @cached_property
    def has_gaps(self) -> bool:
        """True if some ordinary numbers have no real value, as far as a few of them show."""
        grid = np.meshgrid(*[np.array(_ORDINARY)] * (self.arity or 2))
        a = [axis.ravel() for axis in grid]
        p = self.parameter(Fraction(2) if self.needs_parameter else None)
        with np.errstate(all="ignore"):
            gaps = np.isnan(self.evaluate(a, p))
            if self.pole is not None:
                gaps = gaps | self.pole(NUMPY, a, p)
        return bool(gaps.any())

    def parameter(self, value: Fraction | None) -> float:
        """`Node.parameter` as the float that the row's functions take.

        For a logarithm this is the natural logarithm of its base.
        """
        if self.base:
            return 1.0 if value is None else math.log(value)
        return math.nan if value is None else float(value)

    def mp_parameter(self, mp: Any, value: Fraction | None) -> Any:
        """The same at the working precision of an mpmath context."""
        if value is None:
            return mp.mpf(1) if self.base else mp.nan
        exact = mp.mpf(value.numerator) / value.denominator
        return mp.log(exact) if self.base else exact

    def evaluate(self, a: Operands, p: float, out: np.ndarray | None = None) -> Any:
        """The value in the precision of the operands, as NumPy computes it.

        Parameters
        ----------
        a : sequence of arrays or scalars of one shape
        p : float
            As `parameter` gives it.
        out : ndarray, optional
            Where the value is written.
        """
        y: Any = None
        for function, *inputs in self.program(p, len(a)):
            given = [i if i.__class__ is float else y if i == Y else a[i] for i in inputs]
            y = function(*given) if out is None else function(*given, out=out)
        if self.outside is not None:
            beyond = self.outside(NUMPY, a, p)
            if np.any(beyond):
                y = np.where(beyond, np.asarray(y).dtype.type(np.nan), y)
                if out is not None:
                    np.copyto(out, y)
                    y = out
        return y

    def kappa_squared(self, B: Any, a: Operands, y: Value, p: Any) -> tuple[Any, ...]:
        """kappa_{k,i}^2 at ordinary points; nonsense where y or an operand is 0.

        Parameters
        ----------
        B : backend
        a : sequence of Value
            The operands.
        y : Value
            The operator's value for them.
        p : Value
            As `parameter` or `mp_parameter` gives it.

        Returns
        -------
        tuple of Value
            One for each operand: kappa_{k,i} = (y_i / y_k) de_k/dy_i, squared
            (``eq:recursive_relation``).
        """
        if self.fixed is not None:
            return self.fixed(p)
        if self.kappa2 is not None:
            return self.kappa2(B, a, y, p)
        return tuple(
            square(partial * x / y) for partial, x in zip(self.partials(B, a, y, p), a, strict=True)
        )


def square(x: Any) -> Any:
    """x^2, by one product."""
    return x * x


def call(*functions: Any) -> Callable[[float, int], Program]:
    """A program that applies ufuncs one after the other, the first to all operands."""

    def program(p: float, count: int) -> Program:
        first = (functions[0], *range(count))
        return (first, *((function, Y) for function in functions[1:]))

    return program


def by_name(name: str) -> Callable[[Any, Operands, Fraction | None], Any]:
    """The function of an mpmath context that is called so."""

    def exact(mp: Any, a: Operands, p: Fraction | None) -> Any:
        return getattr(mp, name)(*a)

    return exact


def limits(*values: float) -> Expressions:
    """The same limits wherever the value is 0."""
    return lambda B, a, p: values


def one_at_origin(B: Any, a: Operands, p: Any) -> tuple[Any, ...]:
    """kappa -> 1 where the argument is 0; elsewhere (sin at pi) there is no limit.

    Parameters
    ----------
    B : backend
    a : sequence of Value
        The one operand.
    p : Value
        The row's parameter; not used.
    """
    return (B.where(a[0] == 0, 1.0, B.nan),)


def always(*values: float) -> Callable[[float], tuple[float, ...]]:
    """kappa^2 that depend on nothing."""
    return lambda p: values


# --- special points that several rows share ---

STEEP_END = 1e9
"""Roundings: at the ends of asin, s is known to (roundings off the end)^-1 only."""


def is_negative(B: Any, a: Operands, p: Any) -> Any:
    """Whether the first operand is below 0.

    Parameters
    ----------
    B : backend
    a : sequence of Value
        The operands.
    p : Value
        The row's parameter; not used.
    """
    return a[0] < 0


def is_zero(B: Any, a: Operands, p: Any) -> Any:
    """Whether the first operand is 0.

    Parameters
    ----------
    B, a, p
        As for `is_negative`.
    """
    return a[0] == 0


def nowhere(B: Any, a: Operands, p: Any) -> Any:
    """At no sample: False, in the shape of the first operand.

    Parameters
    ----------
    B, a, p
        As for `is_negative`.
    """
    return a[0] != a[0]


def to_unit(B: Any, x: Any) -> Any:
    """Distance from -1 and 1."""
    return B.abs(B.abs(x) - 1.0)


def on_jump(B: Any, jump: Any, slope: Any) -> Any:
    """The derivative of a function with jumps: infinite where the operand stands on one.

    Parameters
    ----------
    B : backend
    jump : Value of bool
        Where the operand lies on a jump.
    slope : Value
        The derivative elsewhere.
    """
    return B.where(jump, B.inf, slope)
