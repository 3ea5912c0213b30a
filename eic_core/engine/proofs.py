"""Proofs that a value is rational: by fractions, by multiples of pi, and by equal subtrees.

No ball decides that 0.1 + 0.2 - 0.3 is 0. A `Combination` is a sum of rational multiples of 1, of
pi and of other steps; where it has one part or none, the value is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz

from eic_core.operators.balls import rational

MOST_BITS = 20_000
"""Longer numerators and denominators prove nothing in time."""

ONE, PI = "one", "pi"


class Unprovable(Exception):
    """The value is not known exactly."""


class Combination:
    """A sum of rational multiples: the key `ONE`, `PI` or a step's slot, and what it is times.

    >>> third = Combination.of(fmpq(1, 3))
    >>> (third + third - Combination.of(fmpq(2, 3))).rational
    0
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[Hashable, Any]) -> None:
        self.parts = {key: times for key, times in parts.items() if times}
        for times in self.parts.values():
            if times.height_bits() > MOST_BITS:
                raise Unprovable

    @classmethod
    def of(cls, value: Any) -> Combination:
        if isinstance(value, Combination):
            return value
        if isinstance(value, float):
            value = rational(Fraction(value))
        return cls({ONE: fmpq(value)})

    @property
    def is_rational(self) -> bool:
        return not self.parts or tuple(self.parts) == (ONE,)

    @property
    def rational(self) -> Any:
        """The value; raises `Unprovable` if it is not known to be rational."""
        if not self.is_rational:
            raise Unprovable
        return self.parts.get(ONE, fmpq(0))

    @property
    def turns(self) -> Any:
        """The value over pi; raises `Unprovable` if it is no known multiple of pi."""
        if self.parts and tuple(self.parts) != (PI,):
            raise Unprovable
        return self.parts.get(PI, fmpq(0))

    def __add__(self, other: Any) -> Combination:
        other = Combination.of(other)
        parts = dict(self.parts)
        for key, times in other.parts.items():
            parts[key] = parts.get(key, fmpq(0)) + times
        return Combination(parts)

    def _times(self, factor: Any) -> Combination:
        return Combination({key: times * factor for key, times in self.parts.items()})

    def __neg__(self) -> Combination:
        return self._times(fmpq(-1))

    def __sub__(self, other: Any) -> Combination:
        return self + -Combination.of(other)

    def __mul__(self, other: Any) -> Combination:
        other = Combination.of(other)
        return self._times(other.rational) if other.is_rational else other._times(self.rational)

    def __truediv__(self, other: Any) -> Combination:
        other = Combination.of(other)
        if not other.parts:
            raise ZeroDivisionError
        if other.is_rational:
            return self._times(1 / other.rational)
        key, times = next(iter(other.parts.items()))
        ratio = self.parts.get(key, fmpq(0)) / times
        if (self - other._times(ratio)).parts:
            raise Unprovable
        return Combination.of(ratio)

    def __pow__(self, exponent: Any) -> Combination:
        power = _whole(Combination.of(exponent).rational)
        base = self.rational
        if base.height_bits() * abs(power) > MOST_BITS:
            raise Unprovable
        if not base and power < 0:
            raise ZeroDivisionError
        return Combination.of(base**power)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Combination:
        return Combination.of(other) - self

    def __rtruediv__(self, other: Any) -> Combination:
        return Combination.of(other) / self

    def __abs__(self) -> Combination:
        return Combination.of(abs(self.rational))

    def __lt__(self, other: Any) -> bool:
        return bool((self - other).rational < 0)

    def __le__(self, other: Any) -> bool:
        return not Combination.of(other) < self

    def __gt__(self, other: Any) -> bool:
        return Combination.of(other) < self

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        difference = self - Combination.of(other)
        return not difference.parts or bool(difference.rational == 0)

    __hash__ = None  # type: ignore[assignment]


def _whole(value: Any) -> int:
    if value.q != 1:
        raise Unprovable
    return int(value.p)


_SINES = {0: fmpq(0), 1: fmpq(1, 2), 3: fmpq(1), 5: fmpq(1, 2), 6: fmpq(0)}
"""The sine of so many twelfths of a turn, where it is rational."""

_ARCS = {fmpq(-1): -3, fmpq(-1, 2): -1, fmpq(0): 0, fmpq(1, 2): 1, fmpq(1): 3}
"""The inverse sine in twelfths of a turn."""


_DIAGONALS = {fmpq(i): fmpq(i, 4) for i in (-1, 0, 1)}
"""The inverse tangent, over pi."""


def _sine(turns: Any) -> Any:
    twelfths = _whole(turns * 6) % 12
    sine = _SINES.get(twelfths % 6)
    if sine is None:
        raise Unprovable
    return -sine if twelfths > 6 else sine


def _twelfths(count: int) -> Combination:
    return Combination({PI: fmpq(count, 6)})


def _at(points: Mapping[Any, Any]) -> Callable[[Any], Combination]:
    """A function whose values are known at a few points."""

    def function(x: Combination) -> Combination:
        if x.rational not in points:
            raise Unprovable
        return Combination.of(points[x.rational])

    return function


def _root(x: Combination, index: int) -> Combination:
    value = x.rational
    if value < 0 and index % 2 == 0:
        raise ValueError
    parts = [int(abs(value.p)), int(value.q)]
    roots = [int(fmpz(part).root(index)) for part in parts]
    if any(root**index != part for root, part in zip(roots, parts, strict=True)):
        raise Unprovable
    return Combination.of(fmpq(*roots) * (-1 if value < 0 else 1))


def _nearest(x: Combination) -> Combination:
    whole = x.rational.floor()
    rest = x.rational - whole
    return Combination.of(whole + (1 if rest > fmpq(1, 2) or (2 * rest == 1 and whole % 2) else 0))


def _arc_sine(x: Combination) -> Combination:
    if abs(x.rational) > 1:
        raise ValueError
    return _twelfths(int(_at(_ARCS)(x).rational.p))


def _factorial(x: Combination) -> Combination:
    value = _whole(x.rational)
    if not 0 < value <= 1000:
        if value <= 0:
            raise ZeroDivisionError
        raise Unprovable
    return Combination.of(fmpz.fac_ui(fmpz(value - 1)))


class Combinations:
    """What a row's formulas may call, over combinations: as `BALLS`, but may be `Unprovable`.

    They raise that, and what is not here is unprovable, too.
    """

    pi = Combination({PI: fmpq(1)})

    number = staticmethod(lambda value: Combination.of(rational(value)))
    abs = staticmethod(abs)
    floor = staticmethod(lambda x: Combination.of(x.rational.floor()))
    ceil = staticmethod(lambda x: Combination.of(x.rational.ceil()))
    nint = staticmethod(_nearest)
    sign = staticmethod(lambda x: Combination.of((x.rational > 0) - (x.rational < 0)))
    sqrt = staticmethod(lambda x: _root(x, 2))
    root = staticmethod(_root)
    hypot = staticmethod(lambda a, b: _root(a**2 + b**2, 2))
    exp = cosh = erfc = erfcx = staticmethod(_at({fmpq(0): 1}))
    log = acosh = staticmethod(_at({fmpq(1): 0}))
    expm1 = log1p = sinh = tanh = asinh = atanh = erf = staticmethod(_at({fmpq(0): 0}))
    lgamma = staticmethod(_at({fmpq(1): 0, fmpq(2): 0}))
    gamma = staticmethod(_factorial)
    asin = staticmethod(_arc_sine)
    acos = staticmethod(lambda x: _twelfths(3) - _arc_sine(x))
    atan = staticmethod(lambda x: Combination({PI: _at(_DIAGONALS)(x).rational}))

    @staticmethod
    def sin(x: Combination) -> Combination:
        return Combination.of(_sine(x.turns))

    @staticmethod
    def cos(x: Combination) -> Combination:
        return Combination.of(_sine(x.turns + fmpq(1, 2)))

    @staticmethod
    def tan(x: Combination) -> Combination:
        if x.turns.q == 4:  # sine and cosine of an eighth of a turn are no fractions
            return Combination.of(1 if x.turns.p % 4 == 1 else -1)
        return Combinations.sin(x) / Combinations.cos(x)

    @staticmethod
    def cot(x: Combination) -> Combination:
        return Combinations.tan(x) if x.turns.q == 4 else Combinations.cos(x) / Combinations.sin(x)

    @staticmethod
    def sec(x: Combination) -> Combination:
        return 1 / Combinations.cos(x)

    @staticmethod
    def csc(x: Combination) -> Combination:
        return 1 / Combinations.sin(x)


COMBINATIONS = Combinations()
