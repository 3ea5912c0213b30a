"""Coefficients of models: rational numbers, rational functions of atoms, or balls.

An atom stands for an input or a constant such as pi or exp(2), of which a ball is known. What is
rational in atoms cancels exactly; a ball does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb, fmpq, fmpq_mpoly_ctx, fmpz

from eic_core.operators.balls import Ball

ATOMS = 12
"""So many atoms may stand in one proof; further ones are balls."""

MOST_TERMS = 60
"""Of a numerator or a denominator: a larger coefficient becomes a ball."""

_RING = fmpq_mpoly_ctx.get([f"t{i}" for i in range(ATOMS)], "degrevlex")
_ONE = _RING.constant(1)

Coefficient = Any
"""`fmpq`, `Ratio` or a ball."""


class Unproved(Exception):
    """There is no model, or none whose leading coefficient is decided."""


class Atoms:
    """The inputs and constants that stand in coefficients, with their balls."""

    def __init__(self, box: Mapping[str, Ball]) -> None:
        self.box = box
        self._numbers: dict[object, int] = {}
        self.balls: list[Ball] = []

    def input(self, name: str) -> Coefficient:
        if name not in self.box:
            raise Unproved
        ball = self.box[name]
        if ball.is_exact():
            return exact(ball)
        return self.of(("input", name), ball)

    def of(self, key: object, ball: Ball) -> Coefficient:
        if not ball.is_finite():
            raise Unproved
        if key not in self._numbers:
            if len(self.balls) == ATOMS:
                return ball
            self._numbers[key] = len(self.balls)
            self.balls.append(ball)
        return Ratio(_RING.gen(self._numbers[key]), _ONE, self)


def exact(ball: Ball) -> fmpq:
    mantissa, exponent = ball.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent) if mantissa else fmpq(0)


class Ratio:
    """A rational function of atoms, in lowest terms; never a plain number."""

    __slots__ = ("_ball", "atoms", "over", "under")

    def __init__(self, over: Any, under: Any, atoms: Atoms) -> None:
        self.over, self.under, self.atoms = over, under, atoms
        self._ball: Ball | None = None

    @property
    def ball(self) -> Ball:
        if self._ball is None:
            under = self._value(self.under)
            if under.contains(0):
                raise Unproved
            self._ball = self._value(self.over) / under
        return self._ball

    def _value(self, polynomial: Any) -> Ball:
        total = arb(0)
        for powers, weight in polynomial.terms():
            term = arb(weight)
            for place, power in enumerate(powers):
                if power:
                    term *= self.atoms.balls[place] ** int(power)
            total += term
        return total

    @property
    def key(self) -> str:
        return f"({self.over})/({self.under})"

    def _made(self, over: Any, under: Any) -> Coefficient:
        if over.is_zero():
            return fmpq(0)
        common = over.gcd(under)
        if not common.is_constant():
            over, under = over // common, under // common
        lead = under.leading_coefficient()
        over, under = over / lead, under / lead
        if over.is_constant() and under.is_constant():
            return over.leading_coefficient()
        ratio = Ratio(over, under, self.atoms)
        return ratio if max(len(over), len(under)) <= MOST_TERMS else ratio.ball

    def __add__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return self.ball + other
        if isinstance(other, Ratio):
            if self.under == other.under:
                return self._made(self.over + other.over, self.under)
            over = self.over * other.under + other.over * self.under
            return self._made(over, self.under * other.under)
        return self._made(self.over + self.under * fmpq(other), self.under)

    __radd__ = __add__

    def __neg__(self) -> Ratio:
        return Ratio(-self.over, self.under, self.atoms)

    def __sub__(self, other: Coefficient) -> Coefficient:
        return self + (-other)

    def __rsub__(self, other: Coefficient) -> Coefficient:
        return -self + other

    def __mul__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return self.ball * other
        if isinstance(other, Ratio):
            return self._made(self.over * other.over, self.under * other.under)
        return self._made(self.over * fmpq(other), self.under)

    __rmul__ = __mul__

    def __truediv__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return self.ball / other
        if isinstance(other, Ratio):
            return self._made(self.over * other.under, self.under * other.over)
        return self._made(self.over / fmpq(other), self.under)

    def __rtruediv__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return other / self.ball
        return self._made(self.under * fmpq(other), self.over)


def to_ball(c: Coefficient) -> Ball:
    return c if isinstance(c, arb) else c.ball if isinstance(c, Ratio) else arb(c)


def is_zero(c: Coefficient) -> bool:
    """Whether it is 0 exactly."""
    return not isinstance(c, Ratio) and bool(c == 0)


def sign_of(c: Coefficient) -> int:
    """1 or -1; 0 if it is 0 exactly. Unproved if it is not decided."""
    if is_zero(c):
        return 0
    ball = to_ball(c)
    if ball > 0 or ball < 0:
        return 1 if ball > 0 else -1
    raise Unproved


def key_of(c: Coefficient) -> str | None:
    """What tells it from others; None of a ball."""
    if isinstance(c, arb):
        return exact_key(c)
    return c.key if isinstance(c, Ratio) else str(c)


def exact_key(ball: Ball) -> str | None:
    return str(exact(ball)) if ball.is_exact() else None


def whole(value: fmpq) -> int | None:
    """An integer, if it is one."""
    return int(fmpz(value.p)) if value.q == 1 else None
