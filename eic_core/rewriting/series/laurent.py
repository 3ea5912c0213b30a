"""Power series with finitely many negative powers, cut off after some terms.

The coefficients are those of a `CoefficientField`. A series is composed with a function by the
recurrence that the function's differential equation gives (Knuth, TAOCP 2, 4.7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Protocol

C = Any
"""A coefficient: it has + - * / with its like and with whole numbers."""

FAR = 10**6
"""The power before which nothing of an exact 0 is unknown."""


class CoefficientField(Protocol):
    """What coefficients there are, and constants that functions have at them."""

    @property
    def zero(self) -> C: ...

    def number(self, value: Fraction) -> C: ...

    def is_zero(self, coefficient: C) -> bool: ...

    def sign(self, coefficient: C) -> int:
        """1 or -1; raises `NoSeries` if that depends on parameters."""

    def is_negative(self, coefficient: C) -> bool:
        """Whether it is known to be below 0. Where that depends on parameters it is not: the data
        are inside of the domain of the formula.
        """

    def value(self, function: str, coefficient: C) -> C:
        """Such as ``value("sin", a)``."""

    def power(self, coefficient: C, exponent: Fraction) -> C: ...

    def exp(self, coefficient: C) -> tuple[C, int]:
        """The exponential, as a constant and a power of the variable."""

    def log_variable(self) -> C:
        """The logarithm of the variable, which is constant as long as it cancels."""


class NoSeries(Exception):
    """There is no such expansion; the word says why."""


class TooShort(Exception):
    """Terms cancelled: the series must be known further."""


class Ramified(Exception):
    """There are powers that are not whole: the variable's root is to be taken."""

    def __init__(self, root: int) -> None:
        super().__init__(root)
        self.root = root


class Laurent(NamedTuple):
    """The sum of coefficients[i] * h**(low + i), the first not 0; what follows is unknown."""

    low: int
    coefficients: list[C]

    @property
    def end(self) -> int:
        return self.low + len(self.coefficients)


class Expander:
    """Series of at most `count` terms, for small h > 0."""

    def __init__(self, field: CoefficientField, count: int) -> None:
        self.field, self.count = field, count
        self.one_sided = False  # True once something held for h > 0 alone

    # Rational ------------------------------------------------------------

    def series(self, low: int, coefficients: Sequence[C]) -> Laurent:
        start = 0
        while start < len(coefficients) and self.field.is_zero(coefficients[start]):
            start += 1
        return Laurent(low + start, list(coefficients[start : start + self.count]))

    def constant(self, value: C) -> Laurent:
        return self.monomial(value, 0)

    def monomial(self, value: C, power: int) -> Laurent:
        if self.field.is_zero(value):
            return Laurent(FAR, [])
        return Laurent(power, [value, *[self.field.zero] * (self.count - 1)])

    def number(self, value: Fraction | int) -> Laurent:
        return self.constant(self.field.number(Fraction(value)))

    def is_exact_zero(self, u: Laurent) -> bool:
        return not u.coefficients and u.low >= FAR // 2

    def add(self, u: Laurent, v: Laurent, sign: int = 1) -> Laurent:
        if self.is_exact_zero(v):
            return u
        if self.is_exact_zero(u):
            return v if sign == 1 else self.neg(v)
        low, end = min(u.low, v.low), min(u.end, v.end)
        total = [self.field.zero] * max(0, min(end - low, self.count + abs(u.low - v.low)))
        for place, c in enumerate(u.coefficients, u.low - low):
            if place < len(total):
                total[place] = c
        for place, c in enumerate(v.coefficients, v.low - low):
            if place < len(total):
                total[place] = total[place] + c if sign == 1 else total[place] - c
        if end < low + len(total) or not total:
            return Laurent(end, [])
        return self.series(low, total)

    def neg(self, u: Laurent) -> Laurent:
        return Laurent(u.low, [-c for c in u.coefficients])

    def mul(self, u: Laurent, v: Laurent) -> Laurent:
        if self.is_exact_zero(u) or self.is_exact_zero(v):
            return Laurent(FAR, [])
        size = min(len(u.coefficients), len(v.coefficients))
        left, right = u.coefficients[:size], v.coefficients[:size]
        return self.series(u.low + v.low, self._product(left, right, size))

    def _product(self, left: Sequence[C], right: Sequence[C], size: int) -> list[C]:
        product = [self.field.zero] * size
        rights = [(j, d) for j, d in enumerate(right) if d]
        for i, c in enumerate(left):
            if c:
                for j, d in rights:
                    if i + j >= size:
                        break
                    product[i + j] += c * d
        return product

    def scale(self, u: Laurent, factor: C) -> Laurent:
        return self.mul(u, self.constant(factor))

    def inverse(self, u: Laurent) -> Laurent:
        return self.power(u, Fraction(-1))

    def div(self, u: Laurent, v: Laurent) -> Laurent:
        return self.mul(u, self.inverse(v))

    # Powers, exp, log ----------------------------------------------------

    def leading(self, u: Laurent) -> C:
        if u.coefficients:
            return u.coefficients[0]
        raise NoSeries("zero") if self.is_exact_zero(u) else TooShort

    def unit(self, u: Laurent) -> list[C]:
        """The coefficients over the first one: 1 + ..."""
        first = self.leading(u)
        return [c / first for c in u.coefficients]

    def power(self, u: Laurent, exponent: Fraction) -> Laurent:
        if exponent == 0:
            return self.number(1)
        if exponent == 1:
            return u
        if self.is_exact_zero(u) and exponent > 0:
            return u
        first = self.leading(u)
        low = u.low * exponent
        if low.denominator != 1:
            raise Ramified(low.denominator)
        if exponent.denominator % 2 == 0:
            if self.field.is_negative(first):
                raise NoSeries("domain")
            if low.numerator % 2:
                self.one_sided = True
        elif exponent.denominator > 1 and self.field.is_negative(first):
            # A root of odd index, as `cbrt` is; other powers have no value there
            raise NoSeries("domain")
        if exponent.denominator > 1 and u.low % 2 and exponent.denominator % 2:
            self.one_sided = True
        unit = self._unit_power(self.unit(u), self.field.number(exponent))
        head = self.field.power(first, exponent)
        return self.series(low.numerator, [head * c for c in unit])

    def _unit_power(self, unit: Sequence[C], exponent: C) -> list[C]:
        result = [unit[0]]
        for k in range(1, len(unit)):
            total = self.field.zero
            for j in range(1, k + 1):
                if unit[j] and result[k - j]:
                    total += (exponent * j - (k - j)) * unit[j] * result[k - j]
            result.append(total / k)
        return result

    def split(self, u: Laurent, why: str) -> tuple[C, list[C]]:
        """The constant and the rest, by powers from 1 on; `why` is raised for negative powers."""
        if u.coefficients and u.low < 0:
            raise NoSeries(why)
        if u.end <= 0:
            raise TooShort
        padded = [self.field.zero] * min(u.low, self.count) + u.coefficients
        padded = padded[: self.count]
        return padded[0], padded[1:]

    def exp(self, u: Laurent) -> Laurent:
        if self.is_exact_zero(u):
            return self.number(1)
        constant, rest = self.split(u, "essential")
        head, power = self.field.exp(constant)
        tail = [self.field.number(Fraction(1))]
        for k in range(1, len(rest) + 1):
            total = self.field.zero
            for j in range(1, k + 1):
                if rest[j - 1] and tail[k - j]:
                    total += rest[j - 1] * tail[k - j] * j
            tail.append(total / k)
        return self.series(power, [head * c for c in tail])

    def log(self, u: Laurent) -> Laurent:
        first = self.leading(u)
        if self.field.is_negative(first):
            raise NoSeries("domain")
        if u.low % 2:
            self.one_sided = True
        head = self.field.value("log", first)
        if u.low:
            head = head + self.field.log_variable() * u.low
        return self.series(0, [head, *self._log_unit(self.unit(u))])

    def _log_unit(self, unit: Sequence[C]) -> list[C]:
        logs: list[C] = []
        for k in range(1, len(unit)):
            total = unit[k] * k
            for j in range(1, k):
                if logs[j - 1] and unit[k - j]:
                    total -= logs[j - 1] * unit[k - j] * j
            logs.append(total / k)
        return logs

    # Waves ---------------------------------------------------------------

    def waves(self, u: Laurent, hyperbolic: bool = False) -> tuple[Laurent, Laurent]:
        """Sine and cosine, or the hyperbolic ones."""
        if self.is_exact_zero(u):
            return u, self.number(1)
        constant, rest = self.split(u, "essential")
        zero, one = self.field.zero, self.field.number(Fraction(1))
        s, c = [zero], [one]
        for k in range(1, len(rest) + 1):
            up = down = zero
            for j in range(1, k + 1):
                if rest[j - 1]:
                    up += rest[j - 1] * c[k - j] * j
                    down += rest[j - 1] * s[k - j] * j
            s.append(up / k)
            c.append(down / k if hyperbolic else -down / k)
        sine, cosine = self.series(0, s), self.series(0, c)
        if self.field.is_zero(constant):
            return sine, cosine
        names = ("sinh", "cosh") if hyperbolic else ("sin", "cos")
        a, b = (self.field.value(name, constant) for name in names)
        turned = self.scale(sine, a)
        return (
            self.add(self.scale(cosine, a), self.scale(sine, b)),
            self.add(self.scale(cosine, b), turned if hyperbolic else self.neg(turned)),
        )

    # Inverse functions, by their derivatives -----------------------------

    def derivative(self, u: Laurent) -> Laurent:
        return self.series(u.low - 1, [c * (u.low + i) for i, c in enumerate(u.coefficients)])

    def primitive(self, u: Laurent, constant: C) -> Laurent:
        if u.coefficients and u.low < 0:
            raise NoSeries("essential")
        grown = [c / (u.low + i + 1) for i, c in enumerate(u.coefficients)]
        if not grown:
            raise TooShort
        head = [constant, *[self.field.zero] * u.low]
        return self.series(0, [*head, *grown])

    def by_derivative(self, name: str, u: Laurent, slope: Callable[[Laurent], Laurent]) -> Laurent:
        if self.is_exact_zero(u):
            return self.constant(self.field.value(name, self.field.zero))
        constant, rest = self.split(u, "essential")
        start = self.field.value(name, constant)
        if not any(rest):
            return self.series(0, [start, *rest])
        return self.primitive(self.mul(slope(u), self.derivative(u)), start)

    def one_and_square(self, u: Laurent, one: int, square: int) -> Laurent:
        """one + square * u**2, both 1 or -1."""
        return self.add(self.number(one), self.mul(u, u), square)

    def arc(self, name: str, u: Laurent) -> Laurent:
        half, minus = Fraction(1, 2), Fraction(-1, 2)
        if u.coefficients and u.low < 0:
            return self._arc_of_large(name, u)
        match name:
            case "asin":
                return self.by_derivative(
                    name, u, lambda v: self.power(self.one_and_square(v, 1, -1), minus)
                )
            case "acos":
                return self.by_derivative(
                    name, u, lambda v: self.neg(self.power(self.one_and_square(v, 1, -1), minus))
                )
            case "atan":
                return self.by_derivative(
                    name, u, lambda v: self.inverse(self.one_and_square(v, 1, 1))
                )
            case "asinh":
                return self.by_derivative(
                    name, u, lambda v: self.power(self.one_and_square(v, 1, 1), minus)
                )
            case "acosh":
                return self.by_derivative(
                    name, u, lambda v: self.power(self.one_and_square(v, -1, 1), minus)
                )
            case "atanh":
                return self.by_derivative(
                    name, u, lambda v: self.inverse(self.one_and_square(v, 1, -1))
                )
            case "erf":
                root = self.field.power(self.field.value("pi", self.field.zero), half)

                def slope(v: Laurent) -> Laurent:
                    bell = self.exp(self.neg(self.mul(v, v)))
                    return self.scale(bell, self.field.number(Fraction(2)) / root)

                return self.by_derivative(name, u, slope)
        raise NoSeries("operator")

    def _arc_of_large(self, name: str, u: Laurent) -> Laurent:
        sign = self.field.sign(self.leading(u))
        if u.low % 2:
            self.one_sided = True
        if name == "atan":
            turned = self.neg(self.arc("atan", self.inverse(u)))
            right = self.field.value("pi", self.field.zero) / 2
            return self.add(self.constant(right * sign), turned)
        if name in ("asinh", "acosh"):
            if name == "acosh" and sign < 0:
                raise NoSeries("domain")
            size = u if sign > 0 else self.neg(u)
            under = self.one_and_square(u, 1 if name == "asinh" else -1, 1)
            grown = self.log(self.add(size, self.power(under, Fraction(1, 2))))
            return grown if sign > 0 else self.neg(grown)
        raise NoSeries("essential" if name == "erf" else "domain")

    # Operators -----------------------------------------------------------

    def cbrt(self, u: Laurent, exponent: Fraction) -> Laurent:
        """A power with an odd root, which numbers below 0 have too."""
        if self.is_exact_zero(u):
            return u
        if self.field.sign(self.leading(u)) > 0:
            return self.power(u, exponent)
        turned = self.power(self.neg(u), exponent)
        return turned if exponent.numerator % 2 == 0 else self.neg(turned)

    def abs(self, u: Laurent) -> Laurent:
        if self.is_exact_zero(u):
            return u
        if u.low % 2:
            self.one_sided = True
        try:
            return u if self.field.sign(self.leading(u)) > 0 else self.neg(u)
        except NoSeries:
            size = self.field.value("abs", self.leading(u))
            return self.series(u.low, [size * c for c in self.unit(u)])

    def pow(self, u: Laurent, v: Laurent) -> Laurent:
        return self.exp(self.mul(v, self.log(u)))

    def larger(self, u: Laurent, v: Laurent, sign: Literal[1, -1]) -> Laurent:
        """The larger one, or the smaller one, for small h > 0."""
        difference = self.add(u, v, -1)
        if self.is_exact_zero(difference):
            return u
        ahead = self.field.sign(self.leading(difference))
        if difference.low % 2:
            self.one_sided = True
        return u if ahead == sign else v
