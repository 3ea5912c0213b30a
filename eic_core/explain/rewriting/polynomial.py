"""Polynomials with rational coefficients over any sub-expressions.

The indeterminates are the sub-expressions that are no sum, product or whole power: in
``sin(x)**2 + 3*y`` they are ``sin(x)`` and ``y``.
"""

from __future__ import annotations

from fractions import Fraction

from eic_core.explain.rewriting.build import Builder
from eic_core.explain.rewriting.sums import ONE

MAX_TERMS, MAX_DEGREE = 24, 10

Monomial = tuple[tuple[int, int], ...]
"""(kind of the indeterminate, exponent), sorted."""

UNIT: Monomial = ()


class Polynomial:
    """Coefficients by monomial; the zero polynomial has none.

    Parameters
    ----------
    coefficients : dict of Monomial to Fraction
    atoms : dict of kind to term
    """

    def __init__(self, coefficients: dict[Monomial, Fraction], atoms: dict[int, int]) -> None:
        self.coefficients = {m: c for m, c in coefficients.items() if c}
        self.atoms = atoms

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def degree(self) -> int:
        """The largest total degree; 0 for a constant."""
        return max((sum(e for _, e in m) for m in self.coefficients), default=0)

    def plus(self, other: Polynomial, sign: int = 1) -> Polynomial:
        """Sum or difference."""
        total = dict(self.coefficients)
        for monomial, c in other.coefficients.items():
            total[monomial] = total.get(monomial, Fraction(0)) + sign * c
        return Polynomial(total, self.atoms | other.atoms)

    def times(self, other: Polynomial) -> Polynomial:
        """Product."""
        total: dict[Monomial, Fraction] = {}
        for m, c in self.coefficients.items():
            for n, d in other.coefficients.items():
                exponents = dict(m)
                for kind, e in n:
                    exponents[kind] = exponents.get(kind, 0) + e
                key = tuple(sorted(exponents.items()))
                total[key] = total.get(key, Fraction(0)) + c * d
        return Polynomial(total, self.atoms | other.atoms)

    def used(self) -> list[int]:
        """Kinds of the indeterminates that occur."""
        return sorted({kind for m in self.coefficients for kind, _ in m})

    def univariate(self) -> list[Fraction] | None:
        """Coefficients from the constant up if there is one indeterminate, else None."""
        if len(self.used()) != 1:
            return None
        dense = [Fraction(0)] * (self.degree + 1)
        for monomial, c in self.coefficients.items():
            dense[monomial[0][1] if monomial else 0] = c
        return dense


def polynomial_of(build: Builder, root: int) -> Polynomial | None:
    """A term as a polynomial, or None if it grows beyond `MAX_TERMS` or `MAX_DEGREE`.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.explain.rewriting.terms import Terms
    >>> terms = Terms()
    >>> p = polynomial_of(Builder(terms), terms.add(read("(x+1)**2 - x**2").formula))
    >>> p.univariate()
    [Fraction(1, 1), Fraction(2, 1)]
    """
    terms = build.terms
    done: dict[int, Polynomial] = {}
    for number in terms.walk(root, lambda n: _is_arithmetic(build, n)):
        term = terms[number]
        value = terms.number(number)
        parts = [done.get(c) for c in term.children]
        if value is not None:
            result = Polynomial({UNIT: value}, {})
        elif term.operator in ("add", "sub", "mul", "neg", "div", "power") and all(
            p is not None for p in parts
        ) and _is_arithmetic(build, number):
            known = [p for p in parts if p is not None]
            if term.operator == "neg":
                result = Polynomial({}, {}).plus(known[0], -1)
            elif term.operator in ("add", "sub"):
                result = known[0].plus(known[1], 1 if term.operator == "add" else -1)
            elif term.operator == "mul":
                result = known[0].times(known[1])
            elif term.operator == "div":
                divisor = terms.number(term.children[1])
                assert divisor
                result = known[0].times(Polynomial({UNIT: 1 / divisor}, {}))
            else:
                assert term.parameter is not None
                result = Polynomial({UNIT: ONE}, {})
                for _ in range(term.parameter.numerator):
                    result = result.times(known[0])
                    if len(result) > MAX_TERMS:
                        return None
        else:
            kind = terms.kind(number)
            result = Polynomial({((kind, 1),): ONE}, {kind: number})
        if len(result) > MAX_TERMS or result.degree > MAX_DEGREE:
            return None
        done[number] = result
    return done[root]


def _is_arithmetic(build: Builder, number: int) -> bool:
    term = build.terms[number]
    if term.operator == "power":
        p = term.parameter
        return p is not None and p.denominator == 1 and 0 < p <= MAX_DEGREE
    if term.operator == "div":
        return bool(build.terms.number(term.children[1]))
    return term.operator in ("add", "sub", "mul", "neg")
