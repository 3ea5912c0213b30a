"""Taylor and Laurent models: a polynomial in one quantity, and a ball for the rest.

``f(t) = t**(first + share) * (sum of coefficients[i] * t**i + t**n * rest)`` for all t from 0 to
the radius and all other inputs in their box. The quantity is p + t or p - t, or 1/t or -1/t at an
end of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import factorial
from typing import TypeVar

from flint import arb, arb_series, ctx, fmpq

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.balls import Ball, rational
from eic_core.rewriting.series.asymptotic import scaled_tail, stirling
from eic_core.rewriting.series.coefficients import (
    DISTANCE,
    MOST_POWER,
    Atoms,
    Coefficient,
    Ramified,
    TooShort,
    Unproved,
    exact,
    is_zero,
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

MOST_ROOT = 6
"""Powers of the distance in smaller parts are not looked for."""

_ZERO = fmpq(0)
_Made = TypeVar("_Made")


def by_root(make: Callable[[int], _Made]) -> _Made:
    """What is made by models in a root of the distance: the first of which all powers are whole."""
    root = 1
    while root <= MOST_ROOT:
        try:
            return make(root)
        except Ramified as ramified:
            root *= ramified.root
    raise Unproved


class ModelField:
    """Where models hold: 0 < t <= radius, with the other inputs in their box."""

    def __init__(
        self,
        radius: Fraction,
        box: Mapping[str, Ball],
        order: int = ORDER,
        budget: WorkBudget = ENDLESS,
        *,
        at_row: bool = False,
    ) -> None:
        self.order, self.budget = order, budget
        self.radius = radius
        high = arb(rational(radius))
        self.range = high.union(arb(0))
        self.powers = [arb(1)]  # Of the range, each without what an interval's product adds
        for power in range(1, 3 * order + 2):
            self.powers.append((high**power).union(arb(0)))
        self.atoms = Atoms(box, at_row)

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
        return self.atoms.of(CONSTANT, "pi", arb.pi())

    def log_distance(self) -> Coefficient:
        """The logarithm of t, which is of use where it cancels."""
        log = arb(rational(self.radius)).log()
        return self.atoms.of("log", DISTANCE, log if self.atoms.at_row else arb("[+/- inf]"))


@dataclass(frozen=True, eq=False)
class Model:
    field: ModelField
    first: int
    coefficients: tuple[Coefficient, ...]
    rest: Ball
    share: Coefficient = _ZERO  # Of the exponent of t, beside `first`

    def times_power(self, exponent: Coefficient) -> Model:
        """t**exponent * f."""
        whole = isinstance(exponent, fmpq) and exponent.q == 1
        first = self.first + int(exponent.p) if whole else self.first
        share = self.share if whole else self.share + exponent
        return Model(self.field, first, self.coefficients, self.rest, share)

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
            raise Unproved if self.is_zero else TooShort
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
        if self.first < 0 or not is_zero(self.share):
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
        if self.first < 0 or not is_zero(self.share):
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
        return self.coefficients[0] if alone and is_zero(self.share) else None

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
        if not is_zero(self.share - other.share):
            raise Unproved
        first = min(self.first, other.first)
        ends = [m.end for m in (self, other) if not m.is_polynomial]
        end = min(ends, default=max(self.end, other.end))
        end = max(first, min(end, first + 2 * self.field.order))
        coefficients = [self.at(i) + other.at(i) for i in range(first, end)]
        rest = arb(0)
        for model in (self, other):
            rest += model.beyond(end)
        return self.field.model(first, coefficients, rest).times_power(self.share)

    def beyond(self, end: int) -> Ball:
        """The range of what is left from t**end on, over t**end."""
        place = max(0, end - self.first)
        if place > len(self.coefficients):  # a polynomial that ends before
            return arb(0)
        left = self.field.sum(self.coefficients[place:])
        left += self.field.power(len(self.coefficients) - place) * self.rest
        return left * self.field.power(max(0, self.first - end))

    def after(self, count: int) -> Model:
        """Without so many of its first coefficients, or all."""
        count = min(count, len(self.coefficients))
        return Model(self.field, self.first + count, self.coefficients[count:], self.rest)

    def __neg__(self) -> Model:
        coefficients = tuple([-c for c in self.coefficients])
        return Model(self.field, self.first, coefficients, -self.rest, self.share)

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
        model = self.field.model(self.first + other.first, product[:count], rest)
        return model.times_power(self.share + other.share)

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
            model = Model(field, self.first - other.first, inverse, self.rest / to_ball(lead))
            return model.times_power(self.share - other.share)
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
        model = field.model(self.first - other.first, quotient, rest / span)
        return model.times_power(self.share - other.share)

    def to_power(self, power: int) -> Model:
        if abs(power) > MOST_POWER:
            raise Unproved
        one = self.field.constant(fmpq(1))
        if power < 0:
            return one / self.to_power(-power)
        return reduce(Model.__mul__, [self] * power) if power else one

    def to_fraction(self, power: Fraction) -> Model:
        """A power that is not whole, of what is positive on the region."""
        if self.is_zero and power > 0:
            return self
        if self.sign < 0:
            raise Unproved
        raised = self.first * power
        if raised.denominator != 1:
            raise Ramified(raised.denominator)
        lead, p = self.lead, rational(power)

        def binomial(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
            found: list[Coefficient] = [fmpq(1)]
            for j in range(count):
                found.append(found[-1] * (p - j) / (j + 1))
            if not span > -1:
                raise Unproved
            return found[:-1], arb(found[-1]) * _raised(1 + span, arb(p) - count)

        head = self.field.atoms.root(lead, power.denominator) ** power.numerator
        root = self.compose(self.small(), binomial).scaled(head)
        return root.times_power(fmpq(int(raised))).times_power(self.share * p)

    def small(self) -> Model:
        """f/(lead * t**first) - 1."""
        unit = Model(self.field, 0, self.coefficients, self.rest).scaled(fmpq(1) / self.lead)
        return unit - self.field.constant(fmpq(1))

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


# --- functions ---


def _at(model: Model, name: str) -> Coefficient:
    """The value of a function at the model's constant."""
    c = model.constant
    ball = getattr(arb, name)(to_ball(c))
    if isinstance(c, fmpq) and ball.is_finite() and ball.is_exact():
        return exact(ball)
    return model.field.atoms.of(name, c, ball)


def _less_constant(model: Model) -> Model:
    return model - model.field.constant(model.constant)


def _one(model: Model) -> Model:
    return model.field.constant(fmpq(1))


_DERIVATIVES: Mapping[str, Sequence[Callable[[Ball], Ball]]] = {
    "exp": (arb.exp,),
    "sin": (arb.sin, arb.cos, lambda s: -s.sin(), lambda s: -s.cos()),
    "cos": (arb.cos, lambda s: -s.sin(), lambda s: -s.cos(), arb.sin),
    "sinh": (arb.sinh, arb.cosh),
    "cosh": (arb.cosh, arb.sinh),
}
"""Of a function, from itself on, in turn."""


def _near_zero(name: str, small: Model) -> Model:
    derivatives = _DERIVATIVES[name]
    values = [exact(derivative(arb(0))) for derivative in derivatives]

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        own = [values[j % len(values)] / factorial(j) for j in range(count)]
        return own, derivatives[count % len(values)](span) / factorial(count)

    return Model.compose(small, taylor)


def exp(x: Model) -> Model:
    exponent, head = x.field.atoms.exp(x.constant)
    own = _near_zero("exp", _less_constant(x)).scaled(head)
    return own.times_power(exponent)


def _wave(name: str, slope: str, sign: int, even: str, odd: str) -> Callable[[Model], Model]:
    """f(c + u) = f(c) * even(u) + f'(c) * odd(u)."""

    def function(x: Model) -> Model:
        small = _less_constant(x)
        total = x.field.constant(_ZERO)
        for value, part in ((_at(x, name), even), (_at(x, slope) * sign, odd)):
            if not is_zero(value):
                total = total + _near_zero(part, small).scaled(value)
        return total

    return function


sin = _wave("sin", "cos", 1, "cos", "sin")
cos = _wave("cos", "sin", -1, "cos", "sin")
sinh = _wave("sinh", "cosh", 1, "cosh", "sinh")
cosh = _wave("cosh", "sinh", 1, "cosh", "sinh")


def _tangent(name: str, odd: str, even: str, sign: int) -> Callable[[Model], Model]:
    """By the tangent of the constant alone: its sine and cosine are related."""

    def function(x: Model) -> Model:
        small = _less_constant(x)
        own = _near_zero(odd, small) / _near_zero(even, small)
        turn = _at(x, name)
        if is_zero(turn):
            return own
        return (x.field.constant(turn) + own) / (_one(x) + own.scaled(turn * sign))

    return function


tan = _tangent("tan", "sin", "cos", -1)
tanh = _tangent("tanh", "sinh", "cosh", 1)


def log(x: Model) -> Model:
    lead = x.lead
    if not x.scaled_range > 0:
        raise Unproved

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        if not span > -1:
            raise Unproved
        found: list[Coefficient] = [fmpq(0)]
        found += [fmpq(1 if j % 2 else -1, j) for j in range(1, count + 1)]
        return found[:-1], arb(found[-1]) * _raised(1 + span, arb(-count))

    start = x.field.atoms.log(lead)
    if x.first or not is_zero(x.share):
        start = start + x.field.log_distance() * (x.share + x.first)
    return Model.compose(x.small(), taylor) + x.field.constant(start)


def atan(x: Model) -> Model:
    if x.first < 0:
        half = x.field.constant(x.field.pi() / (2 * x.sign))
        return half - atan(_one(x) / x)
    c = x.constant
    if not is_zero(c):
        under = _one(x) + x.scaled(c)
        if under.sign <= 0:
            raise Unproved
        turn = isinstance(c, fmpq) and abs(c) == 1
        start = x.field.constant(x.field.pi() * c / 4 if turn else _at(x, "atan"))
        return start + atan(_less_constant(x) / under)

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        own = [fmpq((-1) ** (j // 2), j) if j % 2 else fmpq(0) for j in range(count)]
        bound = arb(1) / count
        return own, bound.union(-bound)  # |the count-th coefficient| <= 1/count on the whole line

    return Model.compose(x, taylor)


def _atan2(y: Model, x: Model) -> Model:
    if x.sign > 0:
        return atan(y / x)
    if y.is_zero:
        raise Unproved
    return atan(y / x) + y.field.constant(y.field.pi() * y.sign)


def asin(x: Model) -> Model:
    return atan(x / (_one(x) - x * x).to_fraction(Fraction(1, 2)))


def erf(x: Model) -> Model:
    c = x.constant
    bell = x.field.atoms.exp(-c * c)[1]

    def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
        slopes: list[Coefficient] = [bell, -2 * c * bell]  # exp(-(c + u)**2)
        for j in range(1, count):
            slopes.append((c * slopes[j] + slopes[j - 1]) * fmpq(-2, j + 1))
        own = [_ZERO, *(slopes[j] / (j + 1) for j in range(count - 1))]
        # Cramer's inequality: |H_m(x)| exp(-x**2/2) < 1.09 sqrt(2**m m!), and the count-th
        # derivative is 2/sqrt(pi) exp(-x**2) H_m(x) but for its sign
        m = count - 1
        bound = arb("1.09") * (arb(2) ** m * arb(m).fac()).sqrt() / arb(count).fac()
        return own, bound.union(-bound)

    weight = fmpq(2) / x.field.atoms.root(x.field.pi(), 2)
    own = Model.compose(_less_constant(x), taylor).scaled(weight)
    return own + x.field.constant(_at(x, "erf"))


def _gamma(name: str) -> Callable[[Model], Model]:
    """Gamma or its logarithm, with coefficients in balls, but for its value."""

    def function(x: Model) -> Model:
        c = to_ball(x.constant)
        if not c > 0:
            raise Unproved

        def taylor(span: Ball, count: int) -> tuple[list[Coefficient], Ball]:
            cap, ctx.cap = ctx.cap, count + 1
            try:
                own, beyond = (
                    getattr(arb_series([centre, 1], count + 1), name)() for centre in (c, c + span)
                )
            finally:
                ctx.cap = cap
            return [_at(x, name), *(own[j] for j in range(1, count))], beyond[count]

        return Model.compose(_less_constant(x), taylor)

    return function


def _lgamma(x: Model) -> Model:
    if x.first >= 0 or x.sign < 0:
        return _gamma("lgamma")(x)
    level = x.field.atoms.log(2 * x.field.pi()) / 2
    half = x.field.constant(fmpq(1, 2))
    main = (x - half) * log(x) - x + x.field.constant(level)
    return main + Model.compose(_one(x) / x, stirling)


def _erfcx(x: Model) -> Model:
    if x.first >= 0 or x.sign < 0:
        return exp(x * x) * (_one(x) - erf(x))
    weight = fmpq(1) / x.field.atoms.root(x.field.pi(), 2)
    return (Model.compose(_one(x) / x, scaled_tail) / x).scaled(weight)


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


FUNCTIONS: Mapping[str, Callable[..., Model]] = {
    "add": Model.__add__,
    "sub": Model.__sub__,
    "mul": Model.__mul__,
    "div": Model.__truediv__,
    "neg": Model.__neg__,
    "abs": lambda x: -x if x.sign < 0 else x,
    "sign": lambda x: x.field.constant(fmpq(x.sign)),
    "min": lambda *some: reduce(lambda a, b: a if (a - b).sign <= 0 else b, some),
    "max": lambda *some: reduce(lambda a, b: a if (a - b).sign >= 0 else b, some),
    "sqrt": lambda x: x.to_fraction(Fraction(1, 2)),
    "cbrt": lambda x: _root(x, 3),
    "pow": _pow,
    "hypot": lambda a, b: (a * a + b * b).to_fraction(Fraction(1, 2)),
    "fma": lambda a, b, c: a * b + c,
    "exp": exp,
    "expm1": lambda x: exp(x) - _one(x),
    "log1p": lambda x: log(_one(x) + x),
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "cot": lambda x: cos(x) / sin(x) if is_zero(x.constant) else _one(x) / tan(x),
    "sec": lambda x: _one(x) / cos(x),
    "csc": lambda x: _one(x) / sin(x),
    "asin": asin,
    "acos": lambda x: x.field.constant(x.field.pi() / 2) - asin(x),
    "atan": atan,
    "atan2": _atan2,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "asinh": lambda x: log(x + (_one(x) + x * x).to_fraction(Fraction(1, 2))),
    "acosh": lambda x: log(x + (x * x - _one(x)).to_fraction(Fraction(1, 2))),
    "atanh": lambda x: (log(_one(x) + x) - log(_one(x) - x)).scaled(fmpq(1, 2)),
    "erf": erf,
    "erfc": lambda x: _one(x) - erf(x),
    "erfcx": _erfcx,
    "gamma": _gamma("gamma"),
    "lgamma": _lgamma,
    "betaln": lambda a, b: _lgamma(a) + _lgamma(b) - _lgamma(a + b),
    "logaddexp": lambda a, b: log(exp(a) + exp(b)),
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
        self.models: dict[int, Model] = {quantity: own}
        if scaling is not None:
            self.models[scaling.unit] = field.constant(fmpq(1))
            self.models[scaling.other] = own

    def model(self, root: int) -> Model:
        for number in self.terms.unknown(root, self.models):
            term = self.terms[number]
            operands = [self.models[c] for c in term.children]
            self.terms.work.spend(MODEL)
            try:
                model = self._apply(term, operands)
            except (ZeroDivisionError, ValueError, OverflowError):
                raise Unproved from None
            if not model.rest.is_finite():
                raise Unproved
            self.models[number] = model
        return self.models[root]

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
        return self.field.pi() if label == "pi" else self.field.atoms.exp(fmpq(1))[1]
