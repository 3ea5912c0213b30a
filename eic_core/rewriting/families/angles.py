"""Half angles in sums."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write

MAX_TERMS = 6
"""Longer sums are left alone."""


MAX_HALF_ANGLE_FORMS = 8


_AROUND = (("sin", 1), ("cos", -1))
"""cos u = 1 - 2 sin(u/2)^2, near 0, and 2 cos(u/2)^2 - 1, near pi."""


def half_angles(build: Builder, number: int) -> Iterator[tuple[str, int]]:
    """``w cos u`` in a sum of three terms or more by the half angle, the rest collected.
    So the law of cosines becomes ``(a - b)**2 + 4*a*b*sin(u/2)**2`` (Sinnott, "Virtues of the
    Haversine", Sky & Telescope 68 (1984), for the sphere). Two terms have rules of their own.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("a**2 + b**2 - 2*a*b*cos(c)").formula)
    >>> found = [to_python(terms.formula(t)) for _, t in half_angles(Builder(terms), root)]
    >>> "(a - b)**2 + 4*a*b*sin(c/2)**2" in found
    True
    """
    if build.terms[number].operator not in ("add", "sub"):
        return
    chain = build.terms_of(number)
    if not 3 <= len(chain) <= MAX_TERMS:
        return
    two = build.terms.intern(CONSTANT, label="2")
    for i, part in enumerate(chain):
        others = [*chain[:i], *chain[i + 1 :]]
        for weight, angle in _cosines(build, part.term):
            half = build.div(angle, two)
            for function, sign in _AROUND:
                bend = build.power(Fraction(2), build.terms.intern(function, (half,)))
                last = build.mul(two, build.mul(weight, bend))
                rest = build.sum_of([*others, Weighted(sign * part.weight, weight)])
                for written in _ways(build, rest):
                    whole = build.sum_of(
                        [Weighted(ONE, written), Weighted(-sign * part.weight, last)]
                    )
                    if whole is not None:
                        yield "half angle", whole


def _cosines(build: Builder, number: int) -> Iterator[tuple[int, int]]:
    """Each cosine that is a factor of a term: the other factors, and its angle."""
    factors = build.factors_of(number)
    for j, (exponent, factor) in enumerate(factors):
        if exponent == 1 and build.terms[factor].operator == "cos":
            weight = build.product_of(build.powers([*factors[:j], *factors[j + 1 :]]))
            if weight is not None:
                yield weight, build.terms[factor].children[0]


def _ways(build: Builder, number: int | None) -> Iterator[int]:
    if number is None:
        return
    p = polynomial_of(build, number)
    if p is not None:
        yield from ways_to_write(build, p)[:MAX_HALF_ANGLE_FORMS]
    yield number
