"""Rewrites that no single pattern describes: polynomials, fractions, half angles, exponentials."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import MAX_EXPONENT, ONE, Builder, Weighted
from eic_core.rewriting.polynomials import polynomial_of, square_root, ways_to_write

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


MAX_FRACTIONS = 4

Named = Iterator[tuple[str, int]]


def polynomials(build: Builder, number: int) -> Named:
    """A sum, product or power as a polynomial: expanded, factored, nested, as squares."""
    if build.terms[number].operator not in ("add", "sub", "mul", "neg", "power"):
        return
    p = polynomial_of(build, number)
    if p is None:
        return
    is_its_own_indeterminate = (
        p.degree == 1 and len(p) == 1 and p.indeterminates() == [build.terms.kind(number)]
    )
    if is_its_own_indeterminate:
        return
    for term in ways_to_write(build, p):
        yield "collecting and factoring", term


def like_terms(build: Builder, number: int) -> Named:
    if build.terms[number].operator not in ("add", "sub"):
        return
    parts = build.terms_of(number)
    merged = build.merge_like_terms(parts)
    total = build.sum_of(merged) if len(merged) < len(parts) else None
    if total is not None:
        yield "merging like terms", total


def like_factors(build: Builder, number: int) -> Named:
    if build.terms[number].operator not in ("mul", "div", "neg"):
        return
    product = build.product_of(build.powers(build.factors_of(number)))
    if product is not None:
        yield "merging factors", product


def common_denominators(build: Builder, number: int) -> Named:
    """Two or more fractions of a sum over one denominator, the numerator expanded."""
    if build.terms[number].operator not in ("add", "sub"):
        return
    chain = build.terms_of(number)
    split = [_fraction(build, part) for part in chain]
    with_divisor = [i for i, (_, under) in enumerate(split) if under]
    if not with_divisor or len(with_divisor) > MAX_FRACTIONS or len(chain) > 2 * MAX_FRACTIONS:
        return
    everything = tuple(range(len(chain)))
    groups = [everything]
    if len(chain) > 2:
        groups += [
            pair for pair in combinations(everything, 2) if split[pair[0]][1] or split[pair[1]][1]
        ]
    for group in groups:
        for combined in _over_one(build, [split[i] for i in group]):
            rest = [chain[i] for i in everything if i not in group]
            whole = build.sum_of([Weighted(ONE, combined), *rest]) if rest else combined
            if whole is not None:
                yield "common denominator", whole


Split = tuple[list[Weighted], list[Weighted]]


def _fraction(build: Builder, part: Weighted) -> Split:
    """The factors above and below the line; numbers stay above."""
    sign = build.number(part.weight)
    over: list[Weighted] = [] if sign is None else [Weighted(ONE, sign)]
    under: list[Weighted] = []
    for exponent, term in build.powers(build.factors_of(part.term)):
        if exponent > 0 or build.terms.number(term) is not None:
            over.append(Weighted(exponent, term))
        else:
            under.append(Weighted(-exponent, term))
    return over, under


def _over_one(build: Builder, split: list[Split]) -> Iterator[int]:
    """Fractions over their least common denominator, the numerator written in several ways."""
    common: dict[int, Weighted] = {}
    for _, under in split:
        for exponent, term in under:
            kind = build.terms.kind(term)
            if kind not in common or common[kind].weight < exponent:
                common[kind] = Weighted(exponent, term)
    denominator = build.product_of(list(common.values()))
    parts: list[Weighted] = []
    for over, under in split:
        missing = dict(common)
        for exponent, term in under:
            kind = build.terms.kind(term)
            missing[kind] = Weighted(missing[kind].weight - exponent, term)
        factors = build.powers([*over, *(m for m in missing.values() if m.weight)])
        product = build.product_of(factors)
        if product is None:
            return
        parts.append(Weighted(ONE, product))
    numerator = build.sum_of(parts)
    if numerator is None or denominator is None:
        return
    p = polynomial_of(build, numerator)
    if p is not None:
        for written in ways_to_write(build, p)[:3]:
            yield build.div(written, denominator)
    yield build.div(numerator, denominator)


def cancelled_factors(build: Builder, number: int) -> Named:
    """A quotient of polynomials with a common root: ``(x**3 - 1)/(x - 1)``."""
    term = build.terms[number]
    if term.operator != "div":
        return
    above, below = (polynomial_of(build, child) for child in term.children)
    if above is None or below is None or not below.coefficients:
        return
    if max(above.degree, below.degree) < 2:
        return
    unders = ways_to_write(build, below)[:3]
    for over in ways_to_write(build, above)[:3]:
        for under in unders:
            yield "cancelling a common factor", build.div(over, under)


def log_sums(build: Builder, number: int) -> Named:
    """``log`` of three or more exponentials, two by two."""
    term = build.terms[number]
    if term.operator != "log" or term.parameter is not None:
        return
    exponents = _exponents(build, term.children[0])
    if exponents is not None and len(exponents) > 2:
        yield "shifted log-sum-exp", reduce(partial(_log_sum_of_two, build), exponents)


def softmax(build: Builder, number: int) -> Named:
    """One exponential over a sum of them: every exponent relative to its own."""
    term = build.terms[number]
    if term.operator != "div" or build.terms[term.children[0]].operator != "exp":
        return
    exponents = _exponents(build, term.children[1])
    if exponents is None or len(exponents) < 2:
        return
    own = build.terms[term.children[0]].children[0]
    relative = [build.sub(u, own) for u in exponents]
    shifted = [
        build.one() if build.terms.number(u) == 0 else build.terms.intern("exp", (u,))
        for u in relative
    ]
    total = build.sum_of(build.merge_like_terms([Weighted(ONE, t) for t in shifted]))
    if total is not None:
        yield "softmax", build.div(build.one(), total)


def _log_sum_of_two(build: Builder, a: int, b: int) -> int:
    """``max(a, b) + log1p(exp(-|a - b|))``: no step of it cancels."""
    put = build.terms.intern
    distance = put("abs", (build.sub(a, b),))
    small = put("exp", (put("neg", (distance,)),))
    return put("add", (put("max", (a, b)), put("log1p", (small,))))


def _exponents(build: Builder, number: int) -> list[int] | None:
    found: list[int] = []
    for sign, term in build.terms_of(number):
        node = build.terms[term]
        if sign < 0:
            return None
        if node.operator == "exp":
            found.append(node.children[0])
        elif build.terms.number(term) == 1:
            found.append(build.terms.intern(CONSTANT, label="0"))
        else:
            return None
    return found


def logarithms_near_one(build: Builder, number: int) -> Named:
    """``log(u)`` as ``log1p(u - 1)``; the logarithm of a number is left as it is."""
    term = build.terms[number]
    if term.operator != "log" or term.parameter is not None:
        return
    (inside,) = term.children
    if build.terms[inside].operator != CONSTANT:
        yield "log1p", build.terms.intern("log1p", (build.sub(inside, build.one()),))


def folded_numbers(build: Builder, number: int) -> Named:
    """A power or root of a number as one number."""
    term = build.terms[number]
    value = build.terms.number(term.children[0]) if term.children else None
    folded = None
    if value is None:
        return
    if term.operator == "power" and term.parameter is not None and value:
        if term.parameter.denominator == 1 and abs(term.parameter) <= MAX_EXPONENT:
            folded = build.number(value**term.parameter.numerator)
    elif term.operator == "sqrt":
        root = square_root(value)
        folded = None if root is None else build.number(root)
    if folded is not None:
        yield "merging numbers", folded


FAMILIES = (
    like_terms,
    like_factors,
    polynomials,
    common_denominators,
    cancelled_factors,
    log_sums,
    softmax,
    half_angles,
    logarithms_near_one,
    folded_numbers,
)
"""In the order in which they are tried."""
