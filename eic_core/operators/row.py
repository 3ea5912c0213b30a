"""The columns of the operator table, and helpers that rows are written with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from eic_core.operators.backend import NUMPY, Traced, Value
from eic_core.operators.wide import Wide, Widely
from eic_core.operators.words import Words
from eic_core.operators.writing import Form, Writing, called

Operands = Sequence[Any]

LEAST = 5e-324
"""The smallest double above 0."""

Y = -1
"""In a program: the value so far."""

Instruction = tuple[Any, ...]
"""A NumPy ufunc, or a `Traced` one, and its inputs: an operand's index, `Y`, or a float."""

Program = tuple[Instruction, ...]
"""How a value is computed in double precision, one ufunc after the other."""

Programs = Callable[[float, int], Program]
Expression = Callable[[Any, Operands, Any], Any]
Expressions = Callable[[Any, Operands, Any], tuple[Any, ...]]
Derivatives = Callable[[Any, Operands, Any, Any], tuple[Any, ...]]


_ORDINARY = (-2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5)


def no_limit(B: Any, a: Operands, p: Any) -> tuple[Any, ...]:
    return tuple(B.nan for _ in a)


@dataclass(frozen=True, eq=False)
class Operator:
    """One row of the table; its callables, but `exact`, branch by ``B.where`` alone.

    They take a backend `B`, so that several arithmetics can follow them; the values of the
    operands, `a`; perhaps the value `y`; and the parameter `p`, as `parameter` gives it. What comes
    in:

    ===============================  =========================================================
    ``program``, ``outside``         arrays of doubles, singles and long doubles (a function
                                     without their digits raises ``TypeError``, as those of
                                     `beyond_numpy` do); C: what is `Traced`, and ``outside``
    ``exact``                        balls; combinations, which lack what they cannot prove
    ``partials``                     arrays of doubles and of long doubles; balls; C
    ``kappa2``, ``zero_limit``,      arrays of doubles; balls; C
    ``brink``
    ``pole``, ``vanishes``           arrays of doubles; C
    ``widely``, ``kappa2_widely``    `Wide` numbers
    ===============================  =========================================================

    C has the functions of ``CBackend`` (`eic_core.engine.native.generate`).
    """

    name: str  # Lower-case letters, digits and underscores
    arity: int | None  # Number of operands; None for two or more
    # How NumPy computes the value of `count` operands: nan outside the domain, inf at a pole
    program: Programs
    # The same over balls or combinations (`proofs`), with the exact parameter; may raise
    # ``ZeroDivisionError`` or ``ValueError``, or give nan, outside the domain
    exact: Callable[[Any, Operands, Fraction | None], Any]
    partials: Derivatives  # de_k/dy_i for each operand; inf on a jump
    # kappa_{k,i}^2 in closed form where that is cheaper or safer than from the partials
    kappa2: Derivatives | None = None
    # Where ``y_k == 0``: the finite non-zero limit of kappa_{k,i}, or nan where there is none
    zero_limit: Expressions = no_limit
    # True if kappa is 0 nowhere but where an operand is: one without a digit passes that on, though
    # kappa be smaller than all doubles (erf(floor(2000)))
    sloped: bool = False
    # Name of a backend's function whose value at the first operand `kappa2` needs; compiled code
    # takes a ufunc from NumPy's loop, which is several times faster than the C library's
    helper: str = ""
    # Where there is no real value though the program gives a number
    outside: Expression | None = None
    pole: Expression | None = None  # Where there is no real value though the program gives inf
    # Where the true value is 0; a 0 elsewhere is an underflow. None: every 0 is true.
    vanishes: Expression | None = None
    # kappa^2, where it is the same at every sample (products, quotients, exact powers)
    fixed: Callable[[float], tuple[float, ...]] | None = None
    # True if doubles give 0 only where that is the value (sums)
    exact_zeros: bool = False
    # True if a factor common to all operands changes no condition number (sums, hypot, atan2)
    scales: bool = False
    selects: bool = False  # True for min and max: the amplification is the attained operand's
    # True if the value is a truth value, 1 or 0: it carries no noise, but may lie on a threshold
    truth: bool = False
    # True for the truth values that compare two numbers; the others join truth values
    compares: bool = False
    # True for the conditional: its first operand decides which of the others is evaluated
    chooses: bool = False
    # "", "value" or "argument": whether a sign change of the value (or of value times argument)
    # inside the domain makes E[s^2] diverge
    crossing: str = ""
    needs_parameter: bool = False  # True if `Node.parameter` must be given
    # True if the parameter is a logarithm's base; `p` is then its natural logarithm
    base: bool = False
    # True if the operator jumps or ends at integers or half-integers: an operand that is in no way
    # told from one is taken for it
    integer_points: bool = False
    # The same of multiples or half-multiples of the second operand (remainders), whose number must
    # be known to below 1, whatever its size
    multiples: bool = False
    # The size of the last operand at which the value jumps; within it the value is the same for all
    edge: Fraction | None = None
    # Distance of the (first) operand from the nearest jump, or from an end of the domain where
    # kappa diverges faster than the value is lost; of the backend and all operands
    brink: Callable[..., Any] | None = None
    # Roundings of the operand within which `brink` is too small for double precision
    brink_roundings: float = 16
    # True if kappa has zeros for ever larger operands, so that a rounding of a large operand
    # matters to it
    waves: bool = False
    # Change of the operand after which the value repeats, or 0: a large operand must be reduced,
    # and needs its digits for that
    period: float = 0.0
    steps: bool = False  # True if the value jumps between flat parts for ever larger operands
    # True if the value jumps where the first operand passes a point inside the domain
    jumps: bool = False
    poles: bool = False  # True if the value is infinite inside the domain, between ordinary values
    exponential: bool = False  # True if the value leaves every range for operands of some millions
    # For functions that grow like exp: the value far below 0; None if that leaves every range
    low: float | None = None
    # True if the value is a power of the first operand, which may leave every range
    power: bool = False
    # The value where operands or value leave double range (`eic_core.operators.wide`)
    widely: Widely | None = None
    # kappa^2 there, where `kappa2` would need operands that are no doubles
    kappa2_widely: Callable[[Sequence[Wide], Wide], tuple[Any, ...]] | None = None
    # True if the operands may change places without changing a digit of the double
    commutative: bool = False
    # True if a kink, a jump or a cut stands in the way of following small noise linearly
    rough: bool = False
    writing: Writing = Writing()
    words: Words = Words()

    @cached_property
    def delicate(self) -> bool:
        """True if a rounding of an operand may decide which rule holds."""
        return self.selects or self.waves or self.brink is not None

    @cached_property
    def numeric(self) -> bool:
        """True if it reckons with all its operands: no truth value, and no choice by one."""
        return not (self.truth or self.chooses)

    @cached_property
    def has_parameter(self) -> bool:
        return self.needs_parameter or self.base

    @cached_property
    def names(self) -> tuple[str, ...]:
        return (self.name,) if self.writing.names is None else tuple(self.writing.names.split())

    @cached_property
    def form(self) -> Form:
        return self.writing.form or called(self.name, parameter=self.needs_parameter)

    def form_with(self, parameter: Fraction | None) -> Form:
        if parameter is None or self.needs_parameter:
            return self.form
        with_parameter = self.writing.with_parameter or called(self.name, parameter=True)
        return self.writing.by_parameter.get(parameter, with_parameter)

    @cached_property
    def has_gaps(self) -> bool:
        """True if it has no real value at some of a few ordinary numbers."""
        grid = np.meshgrid(*[np.array(_ORDINARY)] * (self.arity or 2))
        a = [axis.ravel() for axis in grid]
        p = self.parameter(Fraction(2) if self.needs_parameter else None)
        with np.errstate(all="ignore"):
            gaps = np.isnan(self.evaluate(a, p))
            if self.pole is not None:
                gaps = gaps | self.pole(NUMPY, a, p)
        return bool(gaps.any())

    def parameter(self, value: Fraction | None) -> float:
        """`Node.parameter` as a float; for a logarithm the natural logarithm of its base."""
        if self.base:
            return 1.0 if value is None else math.log(value)
        return math.nan if value is None else float(value)

    def exact_parameter(self, B: Any, value: Fraction | None) -> Any:
        """`parameter` in the numbers of a backend."""
        if value is None:
            return B.number(Fraction(1)) if self.base else B.nan
        return B.log(B.number(value)) if self.base else B.number(value)

    def evaluate(self, a: Operands, p: float, out: np.ndarray | None = None) -> Any:
        """The value in the operands' precision, nan outside the domain; `p` as from `parameter`."""
        y = self.compute(a, p, out)
        if self.outside is not None:
            beyond = self.outside(NUMPY, a, p)
            if np.any(beyond):
                y = np.where(beyond, np.asarray(y).dtype.type(np.nan), y)
                if out is not None:
                    np.copyto(out, y)
                    y = out
        return y

    def compute(self, a: Operands, p: float, out: np.ndarray | None = None) -> Any:
        """What NumPy computes, though it may give a number where there is no real value."""
        y: Any = None
        for function, *inputs in self.program(p, len(a)):
            # floats are constants; indices are of operands, so that the class tells them apart
            values = [i if i.__class__ is float else y if i == Y else a[i] for i in inputs]
            y = function(*values) if out is None else function(*values, out=out)
        return y

    def kappa_squared(self, B: Any, a: Operands, y: Value, p: Any) -> tuple[Any, ...]:
        """kappa_{k,i}^2 = ((y_i / y_k) de_k/dy_i)^2 (``eq:recursive_relation``), for y != 0."""
        kappas = self.plain_kappa_squared(B, a, y, p)
        if not self.sloped:
            return kappas
        return tuple(unless_flat(B, k, x == 0) for k, x in zip(kappas, a, strict=True))

    def plain_kappa_squared(self, B: Any, a: Operands, y: Value, p: Any) -> tuple[Any, ...]:
        """The same, but 0 where it underflows."""
        if self.fixed is not None:
            return self.fixed(p)
        if self.kappa2 is not None:
            return self.kappa2(B, a, y, p)
        pairs = zip(self.partials(B, a, y, p), a, strict=True)
        return tuple(square(partial * x / y) for partial, x in pairs)


def unless_flat(B: Any, kappa2: Any, flat: Any) -> Any:
    """A kappa^2 that is 0 where the function is `flat` alone; elsewhere a 0 is an underflow."""
    return B.where(flat, kappa2, B.where(kappa2 == 0, LEAST, kappa2))


def square(x: Any) -> Any:
    return x * x


def call(*functions: Any) -> Programs:
    """A program that applies ufuncs one after the other, the first to all operands."""

    def program(p: float, count: int) -> Program:
        first = (functions[0], *range(count))
        return (first, *((function, Y) for function in functions[1:]))

    return program


@lru_cache(maxsize=64)
def call_by_name(name: str) -> Programs:
    """A program that calls a function of the backend that is no ufunc."""
    own = getattr(NUMPY, name)
    return call(
        own if isinstance(own, Traced) else Traced(name, lambda B, *a: getattr(B, name)(*a))
    )


def by_name(name: str) -> Callable[[Any, Operands, Fraction | None], Any]:
    def exact(B: Any, a: Operands, p: Fraction | None) -> Any:
        return getattr(B, name)(*a)

    return exact


def limits(*values: float) -> Expressions:
    return lambda B, a, p: values


def one_at_origin(B: Any, a: Operands, p: Any) -> tuple[Any, ...]:
    """1 where the argument is 0; elsewhere (sin at pi) there is no limit."""
    return (B.where(a[0] == 0, 1.0, B.nan),)


def always(*values: float) -> Callable[[float], tuple[float, ...]]:
    return lambda p: values


# --- special points that several rows share ---

STEEP_END = 1e9
"""Roundings: at the ends of asin, s is known to (roundings off the end)^-1 only."""


def is_negative(B: Any, a: Operands, p: Any) -> Any:
    return a[0] < 0


def is_zero(B: Any, a: Operands, p: Any) -> Any:
    return a[0] == 0


def nowhere(B: Any, a: Operands, p: Any) -> Any:
    return a[0] != a[0]  # False in the shape that each backend needs


def to_unit(B: Any, x: Any) -> Any:
    """Distance from the nearer of -1 and 1."""
    return B.abs(B.abs(x) - 1.0)


def on_jump(B: Any, jump: Any, slope: Any) -> Any:
    """The derivative of a function with jumps: infinite on one, `slope` elsewhere."""
    return B.where(jump, B.inf, slope)
