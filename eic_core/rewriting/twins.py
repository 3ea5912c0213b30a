"""Forms that are one and the same to a reader: the order of operands, `x/2` and `0.5*x`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import NamedTuple

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators import OPERATORS
from eic_core.rewriting.terms import Term, Terms

ODD = frozenset(["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "sign"])
EVEN = frozenset(["abs", "cos", "cosh"])
RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan"}
ROOTS = {"sqrt": Fraction(1, 2), "cbrt": Fraction(1, 3)}

ONE = Fraction(1)

MOST_DIGITS = 300
"""A number with more is left as a power."""


class Product(NamedTuple):
    """A number times powers of atoms (variables, functions, sums), each atom under a number."""

    factor: Fraction
    powers: tuple[tuple[int, Fraction], ...] = ()


class Spellings:
    """The spelling that all twins share: sums and products flat, in one order, numbers as numbers.

    Roots count as powers and hypot as a root, so a spelling is no proof that two forms are equal
    (``sqrt(x**2)`` is spelled as ``x``): only forms of one function may be compared.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> spellings = Spellings(terms)
    >>> def spell(text): return spellings.of(terms.add(read(text).formula))
    >>> spell("x/2 - y") == spell("-(y - 0.5*x)"), spell("exp(-x)*y") == spell("y/exp(x)")
    (True, True)
    >>> spell("x*(y + 1)") == spell("x*y + x"), spell("log1p(x)") == spell("log(1 + x)")
    (False, True)
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._atoms: dict[Hashable, int] = {}
        self._sums: dict[int, Mapping[tuple[tuple[int, Fraction], ...], Fraction]] = {}
        self._products: dict[int, Product] = {}

    def of(self, root: int) -> Product:
        for number in self.terms.subterms(root):
            if number not in self._products:
                term = self.terms[number]
                children = [self._products[child] for child in term.children]
                self._products[number] = self._product(number, term, children)
        return self._products[root]

    def _product(self, number: int, term: Term, of: list[Product]) -> Product:
        name = term.operator
        if name == VARIABLE:
            return self._atom(term.label)
        if name == CONSTANT:
            value = self.terms.number(number)
            return self._atom(("constant", term.label)) if value is None else Product(value)
        rule = _RULES.get(name)
        if rule is not None:
            return rule(self, of)
        if name in ("power", "root") and term.parameter is not None:
            exponent = term.parameter if name == "power" else 1 / term.parameter
            return self._power(of[0], exponent)
        if name in ROOTS:
            return self._power(of[0], ROOTS[name])
        if name in RECIPROCALS:
            return self._power(self._function(RECIPROCALS[name], None, of), -ONE)
        return self._function(name, term.parameter, of)

    def _atom(self, key: Hashable) -> Product:
        return Product(ONE, ((self._atoms.setdefault(key, len(self._atoms)), ONE),))

    def _times(self, a: Product, b: Product) -> Product:
        powers = dict(a.powers)
        for atom, exponent in b.powers:
            powers[atom] = powers.get(atom, Fraction(0)) + exponent
        return Product(a.factor * b.factor, tuple(sorted((n, p) for n, p in powers.items() if p)))

    def _power(self, a: Product, exponent: Fraction) -> Product:
        if not a.factor and exponent < 0:
            return self._atom(("power", a, exponent))
        powers = tuple((atom, p * exponent) for atom, p in a.powers)
        if exponent.denominator == 1 and abs(exponent) * _digits(a.factor) < MOST_DIGITS:
            return Product(a.factor ** int(exponent), powers)
        if a.factor in (0, 1):
            return Product(a.factor, powers)
        return self._times(Product(ONE, powers), self._atom(("number", a.factor, exponent)))

    def _sum(self, *products: Product) -> Product:
        total: dict[tuple[tuple[int, Fraction], ...], Fraction] = {}
        for factor, powers in products:
            inside = self._sums.get(powers[0][0]) if _is_atom(powers) else None
            for each, part in (inside or {powers: ONE}).items():
                total[each] = total.get(each, Fraction(0)) + factor * part
        total = {powers: part for powers, part in sorted(total.items()) if part}
        if len(total) < 2:
            return next((Product(part, powers) for powers, part in total.items()), Product(ONE * 0))
        scale = next(iter(total.values()))
        total = {powers: part / scale for powers, part in total.items()}
        atom = self._atom(("sum", tuple(total.items())))
        self._sums[atom.powers[0][0]] = total
        return Product(scale, atom.powers)

    def _function(self, name: str, parameter: object, of: list[Product]) -> Product:
        if name in ODD | EVEN and of[0].factor < 0:
            sign = -ONE if name in ODD else ONE
            return self._times(Product(sign), self._function(name, None, [_negative(of[0])]))
        row = OPERATORS[name]
        operands = sorted(of) if row.commutative or row.selects else of
        return self._atom((name, parameter, tuple(operands)))

    def _exp(self, a: Product) -> Product:
        if a.factor < 0:
            return self._power(self._function("exp", None, [_negative(a)]), -ONE)
        return self._function("exp", None, [a])


def _is_atom(powers: tuple[tuple[int, Fraction], ...]) -> bool:
    return len(powers) == 1 and powers[0][1] == 1


def _negative(a: Product) -> Product:
    return Product(-a.factor, a.powers)


def _digits(value: Fraction) -> int:
    return len(str(abs(value.numerator))) + len(str(value.denominator))


_UNIT = Product(ONE)

_RULES: dict[str, Callable[[Spellings, list[Product]], Product]] = {
    "neg": lambda s, of: _negative(of[0]),
    "add": lambda s, of: s._sum(*of),
    "sub": lambda s, of: s._sum(of[0], _negative(of[1])),
    "mul": lambda s, of: s._times(*of),
    "div": lambda s, of: s._times(of[0], s._power(of[1], -ONE)),
    "pow": lambda s, of: (
        s._power(of[0], of[1].factor) if not of[1].powers else s._function("pow", None, of)
    ),
    "hypot": lambda s, of: s._power(
        s._sum(*(s._power(a, Fraction(2)) for a in of)), Fraction(1, 2)
    ),
    "exp": lambda s, of: s._exp(of[0]),
    "expm1": lambda s, of: s._sum(s._exp(of[0]), Product(-ONE)),
    "log1p": lambda s, of: s._function("log", None, [s._sum(_UNIT, of[0])]),
}
