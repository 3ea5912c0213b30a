"""Taylor and Laurent models: a polynomial in one quantity, and a ball for the rest.

``f(t) = t**first * (sum of coefficients[i] * t**i + t**n * rest)`` for all 0 < t <= radius and all
other inputs in their box. The quantity is p + t or p - t, or 1/t or -1/t at an end of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import arb, arb_series, ctx, fmpq

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.balls import Ball, rational
from eic_core.rewriting.series.coefficients import (
    Atoms,
    Coefficient,
    Unproved,
    is_zero,
    key_of,
    sign_of,
    to_ball,
)
from eic_core.rewriting.series.expansion import Point
from eic_core.rewriting.series.scaling import Scaling
from eic_core.rewriting.terms import Term, Terms, number_value
from eic_core.rewriting.work import ENDLESS, MODEL, WorkBudget

BITS = 160
"""The working precision of proofs."""

ORDER = 28
"""The coefficients of a model, at most."""

ORDER_WITH_INPUTS = 12
"""The same where inputs stand in them."""

MOST_POWER = 64
"""Larger whole powers are not expanded."""

_ZERO = fmpq(0)


class ModelField:
    """Where models hold: 0 < t <= radius, with the other inputs in their box."""

    def __init__(
        self,
        radius: Fraction,
        box: Mapping[str, Ball],
        order: int = ORDER,
        budget: WorkBudget = ENDLESS,
    ) -> None:
        self.order, self.budget = order, budget
        self.radius = radius
        high = arb(rational(radius))
        self.range = high.union(arb(0))
        self.powers = [arb(1)]  # Of the range, each without what an interval's product adds
        for power in range(1, 3 * order + 2):
            self.powers.append((high**power).union(arb(0)))
        self.atoms = Atoms(box)

    def model(self, first: int, coefficients: Sequence[Coefficient], rest: Ball) -> Model:
        """The model of these numbers, without its leading zeros and with `order` coefficients."""
        start = next((i for i, c in enumerate(coefficients) if not is_zero(c)), len(coefficients))
        some = tuple(coefficients[start:])
        if rest == 0:
            while some and is_zero(some[-1]):
                some = some[:-1]
        if len(some) > self.order:
            rest = self.sum(some[self.order :]) + self.power(len(some) - self.order) * rest
            some = some[: self.order]
        return Model(self, first + start, some, rest)

    def power(self, power: int) -> Ball:
        return self.powers[power] if power < len(self.powers) else self.range**power

    def sum(self, coefficients: Sequence[Coefficient]) -> Ball:
        """The range of a polynomial, from the constant coefficient on."""
        total = arb(0)
        for c in reversed(coefficients):
            total = total * self.range + to_ball(c)
        return total

    def constant(self, value: Coefficient) -> Model:
        return self.model(0, (value,), arb(0))

    def remainder(self, ball: Ball) -> Model:
        """Any function with values in a ball."""
        if not ball.is_finite():
            raise Unproved
        return Model(self, 0, (), ball)

    def monomial(self, weight: Coefficient, power: int) -> Model:
        return self.model(power, (weight,), arb(0))

    def pi(self) -> Coefficient:
        return self.atoms.of("pi", arb.pi())


@dataclass(frozen=True, eq=False)
class Model:
    field: ModelField
    first: int
    coefficients: tuple[Coefficient, ...]
    rest: Ball

    @property
    def is_polynomial(self) -> bool:
        return bool(self.rest == 0)

    @property
    def is_zero(self) -> bool:
        return not self.coefficients and self.is_polynomial

    @property
    def lead(self) -> Coefficient:
        """The coefficient of t**first, which is not 0."""
        if not self.coefficients:
            raise Unproved
        sign_of(self.coefficients[0])
        return self.coefficients[0]

    @property
    def scaled_range(self) -> Ball:
        """The range of f/t**first."""
        rest = self.field.power(len(self.coefficients)) * self.rest
        return self.field.sum(self.coefficients) + rest

    @property
    def range(self) -> Ball:
        """The range of f, and of all numbers between it and 0 if it vanishes at 0."""
        if self.is_zero:
            return arb(0)
        if self.first < 0:
            raise Unproved
        return self.field.power(self.first) * self.scaled_range

    @property
    def sign(self) -> int:
        """The sign of f, if it is one on the region."""
        if self.is_zero:
            return 0
        span = self.scaled_range
        if span > 0 or span < 0:
            return 1 if span > 0 else -1
        raise Unproved

    @property
    def constant(self) -> Coefficient:
        """The value at t = 0."""
        if self.first < 0:
            raise Unproved
        if self.first > 0 or self.is_zero:
            return _ZERO
        if not self.coefficients:
            raise Unproved
        return self.coefficients[0]

    @property
    def number(self) -> Coefficient | None:
        """The value, if it is the same for all t."""
        if self.is_zero:
            return _ZERO
        alone = self.is_polynomial and len(self.coefficients) == 1 and self.first == 0
        return self.coefficients[0] if alone else None

    def at(self, power: int) -> Coefficient:
        place = power - self.first
        return self.coefficients[place] if 0 <= place < len(self.coefficients) else _ZERO

    @property
    def end(self) -> int:
        return self.first + len(self.coefficients)

    def __add__(self, other: Model) -> Model:
        if self.is_zero:
            return other
        if other.is_zero:
            return self
        first = min(self.first, other.first)
        ends = [m.end for m in (self, other) if not m.is_polynomial]
        end = min(ends, default=max(self.end, other.end))
        end = max(first, min(end, first + 2 * self.field.order))
        coefficients = [self.at(i) + other.at(i) for i in range(first, end)]
        rest = arb(0)
        for model in (self, other):
            rest += model.beyond(end)
        return self.field.model(first, coefficients, rest)

    def beyond(self, end: int) -> Ball:
        """The range of what is left from t**end on, over t**end."""
        place = max(0, end - self.first)
        if place > len(self.coefficients):  # a polynomial that ends before
            return arb(0)
        left = self.field.sum(self.coefficients[place:])
        left += self.field.power(len(self.coefficients) - place) * self.rest
        return left * self.field.power(max(0, self.first - end))

    def __neg__(self) -> Model:
        return Model(self.field, self.first, tuple(-c for c in self.coefficients), -self.rest)

    def __sub__(self, other: Model) -> Model:
        return self + -other

    def __mul__(self, other: Model) -> Model:
        if self.is_zero or other.is_zero:
            return self.field.constant(_ZERO)
        self.field.budget.check()
        a, b = self.coefficients, other.coefficients
        lengths = [len(m.coefficients) for m in (self, other) if not m.is_polynomial]
        count = min([*lengths, len(a) + len(b) - 1 if a and b else 0, self.field.order])
        whole = len(a) + len(b) - 1 if a and b else 0
        product: list[Coefficient] = [_ZERO] * whole
        exact = [(j, d) for j, d in enumerate(b) if not is_zero(d)]
        for i, c in enumerate(a):
            if is_zero(c):
                continue
            for j, d in exact:
                if i + j < count:
                    product[i + j] = product[i + j] + c * d
                else:
                    product[i + j] = to_ball(product[i + j]) + to_ball(c) * to_ball(d)
        power = self.field.power
        rest = self.field.sum(product[count:])
        if not self.is_polynomial:
            rest += power(len(a) - count) * self.rest * other.scaled_range
        if not other.is_polynomial:
            rest += power(len(b) - count) * other.rest * self.field.sum(a)
        return self.field.model(self.first + other.first, product[:count], rest)

    def scaled(self, weight: Coefficient) -> Model:
        return self * self.field.constant(weight)

    def __truediv__(self, other: Model) -> Model:
        lead = other.lead
        span = other.scaled_range
        if not (span > 0 or span < 0):
            raise Unproved
        field = self.field
        if self.is_zero:
            return self
        if other.is_polynomial and len(other.coefficients) == 1:
            inverse = tuple(c / lead for c in self.coefficients)
            return Model(field, self.first - other.first, inverse, self.rest / to_ball(lead))
        lengths = [len(m.coefficients) for m in (self, other) if not m.is_polynomial]
        count = min([*lengths, field.order])
        a, b = self.coefficients, other.coefficients
        quotient: list[Coefficient] = []
        for i in range(count):
            left: Coefficient = a[i] if i < len(a) else _ZERO
            for j in range(max(0, i - len(b) + 1), i):
                if not is_zero(quotient[j]) and not is_zero(b[i - j]):
                    left = left - quotient[j] * b[i - j]
            quotient.append(_ZERO if is_zero(left) else left / lead)
        balls = [to_ball(q) for q in quotient]
        beyond = [to_ball(c) for c in a[count:]]
        for i, q in enumerate(balls):
            for j in range(max(1, count - i), len(b)):
                place = i + j - count
                while len(beyond) <= place:
                    beyond.append(arb(0))
                beyond[place] -= q * to_ball(b[j])
        rest = field.sum(beyond)
        if not self.is_polynomial:
            rest += field.power(len(a) - count) * self.rest
        if not other.is_polynomial:
            rest -= field.power(len(b) - count) * other.rest * field.sum(balls)
        return field.model(self.first - other.first, quotient, rest / span)

    def to_power(self, power: int) -> Model:
        if abs(power) > MOST_POWER:
            raise Unproved
        one = self.field.constant(fmpq(1))
        if power < 0:
            return one / self.to_power(-power)
        return reduce(Model.__mul__, [self] * power, one)

    def to_fraction(self, power: Fraction) -> Model:
        """A power that is not whole, of what is positive on the region."""
        if self.is_zero and power > 0:
            return self
        if self.sign < 0:
            raise Unproved
        raised = self.first * power
        if raised.denominator != 1:
            raise Unproved
        lead, p = self.lead, rational(power)
        small = Model(self.field, 0, self.coefficients, self.rest).scaled(_inverse(lead))
        small = small - self.field.constant(fmpq(1))

        def binomial(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
            found: list[Coefficient] = [fmpq(1)]
            for j in range(count):
                found.append(found[-1] * (p - j) / (j + 1))
            if not span > -1:
                raise Unproved
            return found[:-1], arb(found[-1]) * _raised(1 + span, arb(p) - count)

        root = self.compose(small, binomial).scaled(_power_of(self.field, lead, power))
        return Model(self.field, root.first + int(raised), root.coefficients, root.rest)

    @staticmethod
    def compose(
        small: Model, taylor: Callable[[Ball, int], tuple[list[Coefficient], Ball]]
    ) -> Model:
        """phi(small): its Taylor coefficients at 0, and the ball of the next one on a range."""
        field = small.field
        if small.is_zero:
            return field.constant(taylor(arb(0), 1)[0][0])
        if small.first < 0 or (small.first == 0 and small.coefficients):
            raise Unproved
        count = max(1, -(-field.order // max(1, small.first)))
        coefficients, ball = taylor(small.range.union(arb(0)), count)
        result = field.remainder(ball)
        for c in reversed(coefficients):
            result = small * result
            if not is_zero(c):
                result = result + field.constant(c)
        return result


def _raised(span: Ball, power: Ball) -> Ball:
    """A positive ball to a power, by its ends: a ball's own product is wider."""
    return (arb(span.lower()) ** power).union(arb(span.upper()) ** power)


def _inverse(c: Coefficient) -> Coefficient:
    return fmpq(1) / c


def _power_of(field: ModelField, c: Coefficient, power: Fraction) -> Coefficient:
    """A positive coefficient to a power that is not whole."""
    if isinstance(c, fmpq):
        over = _whole_root(int(c.p), power.denominator)
        under = _whole_root(int(c.q), power.denominator)
        if over is not None and under is not None:
            return fmpq(over, under) ** power.numerator
    ball = to_ball(c) ** arb(rational(Fraction(1, power.denominator)))
    key = key_of(c)
    root = ball if key is None else field.atoms.of(("root", power.denominator, key), ball)
    whole: Coefficient = fmpq(1)
    for _ in range(abs(power.numerator)):
        whole = whole * root
    return whole if power > 0 else _inverse(whole)


def _whole_root(value: int, index: int) -> int | None:
    root = round(value ** (1 / index)) if value < 10**15 else -1
    return root if root >= 0 and root**index == value else None


# --- functions ---


def _at(model: Model, name: str, value: Callable[[Ball], Ball], at_zero: fmpq) -> Coefficient:
    """The value of a function at the model's constant."""
    c = model.constant
    if is_zero(c):
        return at_zero
    ball, key = value(to_ball(c)), key_of(c)
    if not ball.is_finite():
        raise Unproved
    return ball if key is None else model.field.atoms.of((name, key), ball)


def _less_constant(model: Model) -> Model:
    return model - model.field.constant(model.constant)


def _series_at(function: str, count: int) -> Callable[[Ball, Ball], Ball]:
    """The Taylor coefficient of a function of arb_series on a ball."""

    def coefficient(centre: Ball, span: Ball) -> Ball:
        cap, ctx.cap = ctx.cap, count + 1
        try:
            series = getattr(arb_series([centre + span, 1], count + 1), function)()
            return series[count]
        finally:
            ctx.cap = cap

    return coefficient


def exp(x: Model) -> Model:
    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        found = _factorials(count)
        return found[:-1], arb(found[-1]) * span.exp()

    return Model.compose(_less_constant(x), taylor).scaled(_at(x, "exp", arb.exp, fmpq(1)))


def _factorials(count: int) -> list[Coefficient]:
    found: list[Coefficient] = [fmpq(1)]
    for j in range(1, count + 1):
        found.append(found[-1] / j)
    return found


def _circle(x: Model, sign: int, start: int, functions: Sequence[Any]) -> Model:
    """sin, cos, sinh or cosh near 0: every second coefficient, from `start` on."""

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        found = _factorials(count)
        own = [
            fmpq(0) if (j - start) % 2 else c * sign ** ((j - start) // 2)
            for j, c in enumerate(found)
        ]
        last = arb(found[-1]) * functions[count % len(functions)](span)
        return own[:-1], last

    return Model.compose(x, taylor)


def _sine(x: Model) -> Model:
    return _circle(x, -1, 0 + 1, (arb.sin, arb.cos, lambda s: -s.sin(), lambda s: -s.cos()))


def _cosine(x: Model) -> Model:
    return _circle(x, -1, 0, (arb.cos, lambda s: -s.sin(), lambda s: -s.cos(), arb.sin))


def sin(x: Model) -> Model:
    small, s, c = (
        _less_constant(x),
        _at(x, "sin", arb.sin, fmpq(0)),
        _at(x, "cos", arb.cos, fmpq(1)),
    )
    if is_zero(s):
        return _sine(small).scaled(c)
    return _cosine(small).scaled(s) + _sine(small).scaled(c)


def cos(x: Model) -> Model:
    small, s, c = (
        _less_constant(x),
        _at(x, "sin", arb.sin, fmpq(0)),
        _at(x, "cos", arb.cos, fmpq(1)),
    )
    if is_zero(s):
        return _cosine(small).scaled(c)
    return _cosine(small).scaled(c) - _sine(small).scaled(s)


def sinh(x: Model) -> Model:
    small = _less_constant(x)
    s, c = _at(x, "sinh", arb.sinh, fmpq(0)), _at(x, "cosh", arb.cosh, fmpq(1))
    own = _circle(small, 1, 1, (arb.sinh, arb.cosh)).scaled(c)
    return own if is_zero(s) else own + _circle(small, 1, 0, (arb.cosh, arb.sinh)).scaled(s)


def cosh(x: Model) -> Model:
    small = _less_constant(x)
    s, c = _at(x, "sinh", arb.sinh, fmpq(0)), _at(x, "cosh", arb.cosh, fmpq(1))
    own = _circle(small, 1, 0, (arb.cosh, arb.sinh)).scaled(c)
    return own if is_zero(s) else own + _circle(small, 1, 1, (arb.sinh, arb.cosh)).scaled(s)


def log(x: Model) -> Model:
    if x.first != 0 or x.sign <= 0:
        raise Unproved
    lead, one = x.lead, x.field.constant(fmpq(1))

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        if not span > -1:
            raise Unproved
        found: list[Coefficient] = [fmpq(0)]
        found += [fmpq(1 if j % 2 else -1, j) for j in range(1, count + 1)]
        return found[:-1], arb(found[-1]) * _raised(1 + span, arb(-count))

    small = Model.compose(x.scaled(_inverse(lead)) - one, taylor)
    if isinstance(lead, fmpq) and lead == 1:
        return small
    return small + x.field.constant(_at(x, "log", arb.log, fmpq(0)))


def atan(x: Model) -> Model:
    if x.first < 0:
        side = x.sign
        half = x.field.constant(x.field.pi() / (2 * side))
        return half - atan(x.field.constant(fmpq(1)) / x)
    one, c = x.field.constant(fmpq(1)), x.constant
    if not is_zero(c):
        under = one + x.scaled(c)
        if under.sign <= 0:
            raise Unproved
        turn = isinstance(c, fmpq) and abs(c) == 1
        start = x.field.constant(x.field.pi() * c / 4 if turn else _at(x, "atan", arb.atan, _ZERO))
        return start + atan(_less_constant(x) / under)

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        own = [fmpq((-1) ** (j // 2), j) if j % 2 else fmpq(0) for j in range(count)]
        bound = arb(1) / count
        return own, bound.union(-bound)  # |the count-th coefficient| <= 1/count on the whole line

    return Model.compose(x, taylor)


def asin(x: Model) -> Model:
    one = x.field.constant(fmpq(1))
    return atan(x / (one - x * x).to_fraction(Fraction(1, 2)))


def acos(x: Model) -> Model:
    return x.field.constant(x.field.pi() / 2) - asin(x)


def asinh(x: Model) -> Model:
    one = x.field.constant(fmpq(1))
    return log(x + (one + x * x).to_fraction(Fraction(1, 2)))


def acosh(x: Model) -> Model:
    one = x.field.constant(fmpq(1))
    return log(x + (x * x - one).to_fraction(Fraction(1, 2)))


def atanh(x: Model) -> Model:
    one = x.field.constant(fmpq(1))
    return (log(one + x) - log(one - x)).scaled(fmpq(1, 2))


def erf(x: Model) -> Model:
    if not is_zero(x.constant):
        return _by_arb("erf")(x)
    root = _power_of(x.field, x.field.pi(), Fraction(1, 2))

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        own: list[Coefficient] = [fmpq(0)] * count
        weight = fmpq(2)
        for j in range(count):
            if 2 * j + 1 < count:
                own[2 * j + 1] = weight / (2 * j + 1)
            weight = -weight / (j + 1)
        # Cramer's inequality: |H_m(x)| exp(-x**2/2) < 1.09 sqrt(2**m m!), and the count-th
        # derivative is 2/sqrt(pi) exp(-x**2) H_m(x) but for its sign
        m = count - 1
        bound = 2 * arb("1.09") * (arb(2) ** m * arb(m).fac()).sqrt() / arb(count).fac()
        return own, bound.union(-bound)

    return Model.compose(x, taylor).scaled(_inverse(root))


def _by_arb(name: str) -> Callable[[Model], Model]:
    """A function with coefficients in balls, but for its value."""

    def function(x: Model) -> Model:
        c = to_ball(x.constant)
        start = _at(x, name, getattr(arb, name), fmpq(0))
        if name == "lgamma" and x.constant in (1, 2):
            start = fmpq(0)
        if name in ("gamma", "lgamma") and not c > 0:
            raise Unproved

        def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
            cap, ctx.cap = ctx.cap, count
            try:
                series = getattr(arb_series([c, 1], count), name)()
                own: list[Coefficient] = [series[j] for j in range(count)]
            finally:
                ctx.cap = cap
            own[0] = start
            return own, _series_at(name, count)(c, span)

        return Model.compose(_less_constant(x), taylor)

    return function


def _abs(x: Model) -> Model:
    return -x if x.sign < 0 else x


def _root(x: Model, index: int) -> Model:
    if index % 2 and x.sign < 0:
        return -(-x).to_fraction(Fraction(1, index))
    return x.to_fraction(Fraction(1, index))


def _pow(a: Model, b: Model) -> Model:
    power = b.number
    if isinstance(power, fmpq):
        return _power(a, Fraction(int(power.p), int(power.q)))
    return exp(b * log(a))


def _power(x: Model, power: Fraction) -> Model:
    if power.denominator == 1:
        return x.to_power(power.numerator)
    return x.to_fraction(power)


def _log(x: Model, base: Fraction | None) -> Model:
    if base is None:
        return log(x)
    return log(x) / log(x.field.constant(rational(base)))


def _log1p(x: Model) -> Model:
    return log(x.field.constant(fmpq(1)) + x)


def _erfc(x: Model) -> Model:
    return x.field.constant(fmpq(1)) - erf(x)


def _lower(a: Model, b: Model) -> Model:
    return a if (a - b).sign <= 0 else b


def _upper(a: Model, b: Model) -> Model:
    return a if (a - b).sign >= 0 else b


def _one_over(x: Model) -> Model:
    return x.field.constant(fmpq(1)) / x


FUNCTIONS: Mapping[str, Callable[..., Model]] = {
    "add": Model.__add__,
    "sub": Model.__sub__,
    "mul": Model.__mul__,
    "div": Model.__truediv__,
    "neg": Model.__neg__,
    "abs": _abs,
    "sign": lambda x: x.field.constant(fmpq(x.sign)),
    "min": lambda *operands: reduce(_lower, operands),
    "max": lambda *operands: reduce(_upper, operands),
    "sqrt": lambda x: x.to_fraction(Fraction(1, 2)),
    "cbrt": lambda x: _root(x, 3),
    "pow": _pow,
    "hypot": lambda a, b: (a * a + b * b).to_fraction(Fraction(1, 2)),
    "fma": lambda a, b, c: a * b + c,
    "exp": exp,
    "expm1": lambda x: exp(x) - x.field.constant(fmpq(1)),
    "log1p": _log1p,
    "sin": sin,
    "cos": cos,
    "tan": lambda x: sin(x) / cos(x),
    "cot": lambda x: cos(x) / sin(x),
    "sec": lambda x: _one_over(cos(x)),
    "csc": lambda x: _one_over(sin(x)),
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": lambda x: sinh(x) / cosh(x),
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "erf": erf,
    "erfc": _erfc,
    "gamma": _by_arb("gamma"),
    "lgamma": _by_arb("lgamma"),
}
"""What has a model, by the operator's name; those with a parameter stand in `Modeller`."""


class Modeller:
    """The models of terms near a point of a quantity, on one side of it; raises `Unproved`.

    With a `root` of 2 they are models in the square root of the distance, with a `scaling` those
    where one input is 1 and the quantity is the other.
    """

    def __init__(
        self,
        terms: Terms,
        quantity: int,
        point: Point,
        side: int,
        field: ModelField,
        root: int = 1,
        scaling: Scaling | None = None,
    ) -> None:
        self.terms, self.field = terms, field
        if isinstance(point, Fraction):
            own = field.monomial(fmpq(side), root) + field.constant(rational(point))
        else:
            own = field.monomial(fmpq(1 if point == "inf" else -1), -root)
        self._models: dict[int, Model] = {quantity: own}
        if scaling is not None:
            self._models[scaling.unit] = field.constant(fmpq(1))
            self._models[scaling.other] = own

    def model(self, root: int) -> Model:
        for number in self.terms.unknown(root, self._models):
            term = self.terms[number]
            operands = [self._models[c] for c in term.children]
            self.terms.work.spend(MODEL)
            try:
                model = self._apply(term, operands)
            except (ZeroDivisionError, ValueError, OverflowError):
                raise Unproved from None
            if not model.rest.is_finite():
                raise Unproved
            self._models[number] = model
        return self._models[root]

    def _apply(self, term: Term, operands: Sequence[Model]) -> Model:
        field = self.field
        if term.operator == VARIABLE:
            return field.constant(field.atoms.input(term.label))
        if term.operator == CONSTANT:
            return field.constant(self._constant(term.label))
        parameter = None if term.parameter is None else Fraction(term.parameter)
        if term.operator == "power" and parameter is not None:
            return _power(operands[0], parameter)
        if term.operator == "root" and parameter is not None:
            return _root(operands[0], parameter.numerator)
        if term.operator == "log":
            return _log(operands[0], parameter)
        if term.operator not in FUNCTIONS:
            raise Unproved
        return FUNCTIONS[term.operator](*operands)

    def _constant(self, label: str) -> Coefficient:
        value = number_value(label)
        if value is not None:
            return rational(value)
        return self.field.pi() if label == "pi" else self.field.atoms.of(("exp", "1"), arb(1).exp())
