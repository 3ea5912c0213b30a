"""Sums, products and powers as polynomials; quotients of them."""

from __future__ import annotations

from eic_core.formula.tree import VARIABLE
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.polynomials import (
    Polynomial,
    in_differences,
    polynomial_of,
    shifted_by,
    ways_to_write,
)
from eic_core.rewriting.rules import Named


def polynomials(build: Builder, number: int) -> Named:
    """A sum, product or power as a polynomial: expanded, factored, nested, as squares."""
    p = polynomial_of(build, number)
    if p is None:
        return
    is_its_own_indeterminate = (
        p.degree == 1 and len(p) == 1 and p.indeterminates() == [build.terms.kind(number)]
    )
    if is_its_own_indeterminate:
        return
    for written in ways_to_write(build, p):
        yield "collecting and factoring", written


def like_terms(build: Builder, number: int) -> Named:
    parts = build.terms_of(number)
    merged = build.merge_like_terms(parts)
    total = build.sum_of(merged) if len(merged) < len(parts) else None
    if total is not None:
        yield "merging like terms", total


def like_factors(build: Builder, number: int) -> Named:
    product = build.product_of(build.powers(build.factors_of(number)))
    if product is not None:
        yield "merging factors", product


def cancelled_factors(build: Builder, number: int) -> Named:
    """A quotient of polynomials with a common root: ``(x**3 - 1)/(x - 1)``."""
    above, below = (polynomial_of(build, child) for child in build.terms[number].children)
    if above is None or below is None or not len(below):
        return
    if max(above.degree, below.degree) < 2:
        return
    unders = ways_to_write(build, below)[:3]
    for over in ways_to_write(build, above)[:3]:
        for under in unders:
            yield "cancelling a common factor", build.div(over, under)


def beside_a_letter(build: Builder, number: int) -> Named:
    """A quotient that moves with a common shift of some letters as one of these and the rest, in
    which differences alone are left: the centre of a circle, where two lines cross, a mean.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("(x**2 - y**2)/(2*(x - y))").formula)
    >>> [to_python(terms.formula(t)) for _, t in beside_a_letter(Builder(terms), root)]
    ['x + (-0.5*(y - x)**2/(x - y))', 'x + (2*(x*y) - x**2 - y**2)/(2*(x - y))', 'x - (x - y)/2']
    """
    term = build.terms[number]
    above, below = (polynomial_of(build, child) for child in term.children)
    if above is None or below is None or below.degree < 1 or above.degree != below.degree + 1:
        return
    if any(build.terms[above.atoms[kind]].operator != VARIABLE for kind in above.indeterminates()):
        return
    letters = shifted_by(above, below)
    if letters is None:
        return
    letter = Polynomial.of({((letters[0], 1),): ONE}, {letters[0]: above.atoms[letters[0]]})
    rest = above.plus(letter.times(below), -1)
    over, under = (in_differences(build, q) for q in (rest, below))
    quotients = [build.div(over, under or term.children[1])] if over is not None else []
    quotients += [build.div(way, term.children[1]) for way in ways_to_write(build, rest)[:2]]
    for quotient in quotients:
        whole = build.sum_of([Weighted(ONE, above.atoms[letters[0]]), Weighted(ONE, quotient)])
        if whole is not None:
            yield "relative to a letter", whole
