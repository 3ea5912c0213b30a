"""Coefficients of models: rational numbers, rational functions of atoms, or balls.

An atom stands for an input, or for a function's value such as pi, exp(2) or sqrt(a), of which a
ball is known. What is rational in atoms cancels exactly; a ball does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import mul
from typing import Any, NamedTuple

from flint import arb, fmpq, fmpq_mpoly_ctx, fmpz

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.balls import Ball

ATOMS = 12
"""So many atoms may stand in one proof; further ones are balls."""

MOST_TERMS = 60
"""Of a numerator or a denominator: a larger coefficient becomes a ball."""

MOST_POWER = 64
"""Larger whole powers are not expanded."""

MOST_FACTORED = 10**15
"""Larger numbers are not factored."""

DISTANCE = "distance"
"""The argument of the atom for the logarithm of a model's variable, which has no bound."""

_RING = fmpq_mpoly_ctx.get([f"t{i}" for i in range(ATOMS)], "lex")
_ONE = _RING.constant(1)
_PLACES = {str(t): place for place, t in enumerate(_RING.gens())}

Coefficient = Any
"""`fmpq`, `Ratio` or a ball."""

Polynomial = Any
"""`fmpq_mpoly`: of the atoms."""


class Unproved(Exception):
    """There is no model, or none whose leading coefficient is decided."""


class Ramified(Unproved):
    """There are powers of the distance that are not whole: those of its root may be."""

    def __init__(self, root: int) -> None:
        super().__init__(root)
        self.root = root


class TooShort(Unproved):
    """All coefficients cancelled that are known."""


class Atom(NamedTuple):
    """A function of a coefficient, or a leaf with its label."""

    operator: str
    argument: Any
    ball: Ball
    degree: int = 1  # Of a root


class Atoms:
    """The inputs and constants that stand in coefficients.

    With `at_row` the box is one row of the data that stands for all: inputs are symbols, and a sum
    that vanishes there is 0.
    """

    def __init__(self, box: Mapping[str, Ball], at_row: bool = False) -> None:
        self.box, self.at_row = box, at_row
        self._numbers: dict[object, int] = {}
        self.atoms: list[Atom] = []
        self.related = False
        self._roots: list[tuple[int, Atom]] = []
        self._sizes: dict[tuple[int, int], tuple[Ball, Ball, Ball]] = {}

    def input(self, name: str) -> Coefficient:
        if name not in self.box:
            raise Unproved
        ball = self.box[name]
        return self.of(VARIABLE, name, ball) if self.at_row or not ball.is_exact() else exact(ball)

    def of(self, operator: str, argument: Any, ball: Ball, degree: int = 1) -> Coefficient:
        if not ball.is_finite() and argument != DISTANCE:
            raise Unproved
        name = argument if isinstance(argument, str) else key_of(argument)
        key = operator, degree, name
        if key not in self._numbers:
            if name is None or len(self.atoms) == ATOMS:
                return ball
            self._numbers[key] = len(self.atoms)
            self.atoms.append(Atom(operator, argument, ball, degree))
            if operator == "root" and (not isinstance(argument, Ratio) or argument.under.is_one()):
                self._roots.append((self._numbers[key], self.atoms[-1]))
            self.related |= operator not in (VARIABLE, CONSTANT)
        return self.ratio(_RING.gen(self._numbers[key]))

    def size(self, place: int, power: int) -> tuple[Ball, Ball, Ball]:
        """The sign of an atom's power, and the ends of its size: its own product is wider."""
        if (place, power) not in self._sizes:
            ball = self.atoms[place].ball
            sign = _sign(ball)
            self._sizes[place, power] = (
                (arb(sign**power), ball.abs_lower() ** power, ball.abs_upper() ** power)
                if sign  # A ball's power is nan with 0 in it
                else (reduce(mul, [ball] * power), arb(1), arb(1))
            )
        return self._sizes[place, power]

    def ratio(self, polynomial: Polynomial) -> Ratio:
        return Ratio(polynomial, _ONE, self)

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """With what stands under a root in the place of the root's power."""
        for place, atom in reversed(self._roots):  # Under a root stand earlier ones alone
            if polynomial.degrees()[place] < atom.degree:
                continue
            inside = atom.argument.over if isinstance(atom.argument, Ratio) else atom.argument
            total = _RING.constant(0)
            for powers, weight in polynomial.terms():
                whole, left = divmod(powers[place], atom.degree)
                powers = *powers[:place], left, *powers[place + 1 :]
                total += _RING.from_dict({powers: weight}) * inside**whole
            polynomial = total
        return polynomial

    def root(self, c: Coefficient, degree: int) -> Coefficient:
        """The root of a coefficient above 0; whole powers are taken out of it."""
        inside: Coefficient = fmpq(1)
        outside: Coefficient = fmpq(1)
        for factor, power in factors(c):
            sign = _sign(to_ball(factor))
            whole = power // degree if sign else 0
            if whole < 0 and degree > MOST_POWER:
                return to_ball(c) ** (arb(1) / degree)
            size = factor * (sign or 1)
            outside = outside * size**whole
            inside = inside * size ** (power - whole * degree) * (sign or 1) ** abs(power)
        if is_one(inside):
            return outside
        return outside * self.of("root", inside, to_ball(inside) ** (arb(1) / degree), degree)

    def exp(self, c: Coefficient) -> tuple[Coefficient, Coefficient]:
        """The exponential, as the distance's exponent and a coefficient.

        Of a whole multiple of a logarithm it is a power; exp(-a) is the reciprocal of exp(a).
        """
        head: Coefficient = fmpq(1)
        power = 1
        exponent = self._of_distance(c)
        if not is_zero(exponent):
            c = c - self.of("log", DISTANCE, arb.nan()) * exponent
        for atom, multiple in self._logarithms(c):
            c = c - self.of(*atom) * multiple
            head = head * atom.argument**multiple
        if is_zero(c):
            return exponent, head
        if isinstance(c, Ratio):
            content = c.over.leading_coefficient()
            power = int(content.p) if content.q == 1 else 1 if content > 0 else -1
            c = c / power
        return exponent, head * self.of("exp", c, to_ball(c).exp()) ** power

    def _of_distance(self, c: Coefficient) -> Coefficient:
        """By what its logarithm is multiplied in a sum."""
        place = self._numbers.get(("log", 1, DISTANCE))
        if place is None or not isinstance(c, Ratio):
            return fmpq(0)
        multiple = c.made(c.over.derivative(place), c.under)
        if isinstance(multiple, fmpq) and multiple.q != 1:
            raise Ramified(int(multiple.q))
        return multiple

    def _logarithms(self, c: Coefficient) -> Iterator[tuple[Atom, int]]:
        """The logarithms of which a sum holds whole multiples."""
        if not isinstance(c, Ratio) or not c.under.is_constant():
            return
        for powers, weight in c.over.terms():
            atom = self.atoms[powers.index(1)] if sum(powers) == 1 else None
            is_whole = weight.q == 1 and abs(weight) <= MOST_POWER
            if atom is not None and atom.operator == "log" and is_whole:
                yield atom, int(weight.p)

    def log(self, c: Coefficient) -> Coefficient:
        """The logarithm of a coefficient above 0, the sum of those of its factors."""
        parts = [*factors(c)] if isinstance(c, Ratio) else []
        signs = [_sign(to_ball(factor)) for factor, _ in parts]
        if not parts or 0 in signs:
            if isinstance(c, fmpq) and c <= 1:
                return fmpq(0) if c == 1 else -self.log(1 / c)
            return self.of("log", c, to_ball(c).log())
        number = fmpq(1)
        total: Coefficient = fmpq(0)
        for (factor, power), sign in zip(parts, signs, strict=True):
            if not isinstance(factor, Ratio):
                number *= (factor * sign) ** power
                continue
            atom = self.atom_of(factor.over)
            if atom is not None and atom.operator == "exp":
                total = total + atom.argument * power
            else:
                total = total + self.of("log", factor * sign, abs(factor.ball).log()) * power
        return total + self.log(number)

    def atom_of(self, polynomial: Polynomial) -> Atom | None:
        place = _PLACES.get(str(polynomial))
        return None if place is None else self.atoms[place]


def exact(ball: Ball) -> fmpq:
    mantissa, exponent = ball.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent) if mantissa else fmpq(0)


class Ratio:
    """A rational function of atoms, in lowest terms; never a plain number."""

    __slots__ = ("_ball", "atoms", "over", "under")

    def __init__(self, over: Polynomial, under: Polynomial, atoms: Atoms) -> None:
        self.over, self.under, self.atoms = over, under, atoms
        self._ball: Ball | None = None

    @property
    def ball(self) -> Ball:
        if self._ball is None:
            under = self._value(self.under)
            if under.contains(0):
                raise Unproved
            over = self._value(self.over)
            if over.contains(0):  # That of (a - 1)*(a + 1) is tighter than that of a**2 - 1
                content, parts = self.over.factor()
                values = [value for f, power in parts for value in [self._value(f)] * int(power)]
                over = reduce(mul, values, arb(content))
            self._ball = over / under
        return self._ball

    def _value(self, polynomial: Polynomial) -> Ball:
        total = arb(0)
        for powers, weight in polynomial.terms():
            term, low, high = arb(weight), arb(1), arb(1)
            for place, power in enumerate(powers):
                if power:
                    sign, least, most = self.atoms.size(place, int(power))
                    term, low, high = term * sign, low * least, high * most
            total += term * low.union(high)
        return total

    @property
    def key(self) -> str:
        return f"({self.over})/({self.under})"

    def _sum(self, over: Polynomial, under: Polynomial) -> Coefficient:
        total = self.made(over, under)
        if self.atoms.at_row and self.atoms.related and to_ball(total).contains(0):
            return fmpq(0)
        return total

    def made(self, over: Polynomial, under: Polynomial) -> Coefficient:
        over, under = self.atoms.reduced(over), self.atoms.reduced(under)
        if over.is_zero():
            return fmpq(0)
        if not under.is_one():
            common = over.gcd(under)
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
                return self._sum(self.over + other.over, self.under)
            over = self.over * other.under + other.over * self.under
            return self._sum(over, self.under * other.under)
        return self._sum(self.over + self.under * fmpq(other), self.under)

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
            return self.made(self.over * other.over, self.under * other.under)
        return Ratio(self.over * fmpq(other), self.under, self.atoms) if other else fmpq(0)

    __rmul__ = __mul__

    def __truediv__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return self.ball / other
        if isinstance(other, Ratio):
            return self.made(self.over * other.under, self.under * other.over)
        return self.made(self.over / fmpq(other), self.under)

    def __rtruediv__(self, other: Coefficient) -> Coefficient:
        if isinstance(other, arb):
            return other / self.ball
        return self.made(self.under * fmpq(other), self.over)

    def __pow__(self, power: int) -> Coefficient:
        if abs(power) > MOST_POWER:
            return self.ball**power
        whole = reduce(mul, [self] * abs(power), fmpq(1))
        return whole if power >= 0 else fmpq(1) / whole


def to_ball(c: Coefficient) -> Ball:
    return c if isinstance(c, arb) else c.ball if isinstance(c, Ratio) else arb(c)


def is_zero(c: Coefficient) -> bool:
    """Whether it is 0 exactly."""
    return not isinstance(c, Ratio) and bool(c == 0)


def is_one(c: Coefficient) -> bool:
    return isinstance(c, fmpq) and bool(c == 1)


def is_written(c: Coefficient) -> bool:
    """Whether it can be written: a ball cannot, nor the logarithm of the distance."""
    if not isinstance(c, Ratio):
        return not isinstance(c, arb)
    powers = zip(c.atoms.atoms, c.over.degrees(), c.under.degrees(), strict=False)
    arguments = [atom.argument for atom, *degrees in powers if any(degrees)]
    return all(a != DISTANCE if isinstance(a, str) else is_written(a) for a in arguments)


def number_of(c: Coefficient) -> fmpq:
    """The number that is a factor of it."""
    if not isinstance(c, Ratio):
        return c
    over, under = (fmpq(polynomial.factor()[0]) for polynomial in (c.over, c.under))
    return over / under


def common(c: Coefficient, d: Coefficient) -> Coefficient:
    """The factors that two have in common above the line, and those below it; no number."""
    if not isinstance(c, Ratio) or not isinstance(d, Ratio):
        return fmpq(1)
    shared = c.made(c.over.gcd(d.over), c.under.gcd(d.under))
    return shared / number_of(shared)


def sign_of(c: Coefficient) -> int:
    """1 or -1; 0 if it is 0 exactly. Unproved if it is not decided."""
    if is_zero(c):
        return 0
    sign = _sign(to_ball(c))
    if not sign:
        raise Unproved
    return sign


def _sign(ball: Ball) -> int:
    """0 if it is not decided."""
    return 1 if ball > 0 else -1 if ball < 0 else 0


def key_of(c: Coefficient) -> str | None:
    """What tells it from others; None of a ball."""
    if isinstance(c, arb):
        return exact_key(c)
    return c.key if isinstance(c, Ratio) else str(c)


def exact_key(ball: Ball) -> str | None:
    return str(exact(ball)) if ball.is_exact() else None


def factors(c: Coefficient) -> Iterator[tuple[Coefficient, int]]:
    """What a coefficient is the product of, with its powers."""
    if isinstance(c, arb):
        yield c, 1
        return
    parts = [(c.over, 1), (c.under, -1)] if isinstance(c, Ratio) else []
    number = fmpq(1) if parts else fmpq(c)
    for polynomial, sign in parts:
        content, of_polynomial = polynomial.factor()
        number *= fmpq(content) ** sign
        for factor, power in sorted(of_polynomial, key=lambda pair: (len(pair[0]), str(pair[0]))):
            yield c.atoms.ratio(factor), sign * int(power)
    for part, sign in ((number.p, 1), (number.q, -1)):
        if part < 0:
            yield fmpq(-1), 1
        if abs(part) > MOST_FACTORED:
            yield fmpq(abs(part)), sign
        else:
            for prime, power in abs(fmpz(part)).factor():
                yield fmpq(prime), sign * int(power)


def summands(c: Ratio) -> Iterator[tuple[fmpq, Coefficient]]:
    """What a quotient is the sum of, a part each term of its numerator: its weight and its size."""
    for powers, weight in c.over.terms():
        yield weight, c.made(_RING.from_dict({powers: abs(weight)}), c.under)
