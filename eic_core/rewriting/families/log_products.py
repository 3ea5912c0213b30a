"""Logarithms of products and quotients, part by part, each part in its stable form."""

from __future__ import annotations

from fractions import Fraction

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import HALF, ONE, Builder, Weighted
from eic_core.rewriting.families.fractions import common_denominators
from eic_core.rewriting.rules import Named

_HYPERBOLIC = {"expm1": (ONE, -ONE), "cosh": (HALF, HALF), "sinh": (HALF, -HALF)}
"""The coefficients of the two exponentials that a function is made of."""


def logs_of_products(build: Builder, number: int) -> Named:
    """The log of a product, quotient or sum of fractions as those of its factors, sums and
    differences of two exponentials among them. What these are large by is taken together.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("(exp(a) - 1)/(exp(a) + exp(b))", "1/(1 + exp(-a)) - 1/(1 + exp(-b))"):
    ...     found = logs_of_products(Builder(terms), terms.add(read(f"log({text})").formula))
    ...     print(*[to_python(terms.formula(row[1])) for row in found][:1])
    log(-expm1(-a)) - logaddexp(b - a, 0)
    log(-expm1(b - a)) - logaddexp(-a, 0) - logaddexp(b, 0)
    """
    term = build.terms[number]
    if term.parameter is not None:
        return
    (inside,) = term.children
    for whole in (inside, *(row[1] for row in common_denominators(build, inside))):
        factors = build.powers(build.factors_of(whole))
        logs = _sum_of_logs(build, factors) if len(factors) > 1 else None
        if logs is not None:
            yield "log of a product", logs


def _sum_of_logs(build: Builder, factors: list[Weighted]) -> int | None:
    put, zero = build.terms.intern, build.terms.intern(CONSTANT, label="0")
    value, large = ONE, list[Weighted]()
    sums, signed = list[tuple[Fraction, int, int]](), list[Weighted]()
    for weight, factor in factors:
        match _exponentials(build, factor):
            case [(first, p)] if first:
                value *= first**weight.numerator
                large += _times(build, weight, p)
            case [(first, p), (second, q)] if first == second > 0:
                value *= first**weight.numerator
                sums.append((weight, p, q))
            case [(first, p), (second, q)] if first == -second:
                value *= second**weight.numerator
                large += _times(build, weight, p)
                signed.append(Weighted(weight, put("expm1", (build.sub(q, p),))))
            case _:
                signed.append(Weighted(weight, factor))
    scale = build.number(abs(value))
    if scale is None or not sums and {*signed} <= {*factors}:
        return None
    logs = [Weighted(weight, put("log", (put("abs", (term,)),))) for weight, term in signed]
    if len(signed) == 1:  # It has the sign of the number
        (weight, factor) = signed[0]
        logs = [Weighted(weight, put("log", (factor if value > 0 else build.neg(factor),)))]
    large = build.merge_like_terms(large)
    for weight, p, q in sums:
        for over, under in ((p, q), (q, p)):
            less = build.merge_like_terms([*large, *_times(build, weight, over)])
            if len(less) < len(large):
                large, p, q = less, build.sub(under, over), zero
                break
        logs.append(Weighted(weight, put("logaddexp", (p, q))))
    if abs(value) != 1:
        logs.append(Weighted(ONE, put("log", (scale,))))
    return build.sum_of([*large, *logs])


def _times(build: Builder, weight: Fraction, number: int) -> list[Weighted]:
    return [Weighted(weight * own, term) for own, term in build.terms_of(number)]


def _exponentials(build: Builder, number: int) -> list[tuple[Fraction, int]]:
    """The coefficients and exponents of a sum of exponentials and numbers, those below 0 behind
    the others and numbers behind exponentials; none of another term.
    """
    term, zero = build.terms[number], build.terms.intern(CONSTANT, label="0")
    if term.operator in _HYPERBOLIC:
        (own,) = term.children
        other = zero if term.operator == "expm1" else build.neg(own)
        return list(zip(_HYPERBOLIC[term.operator], (own, other), strict=True))
    parts = [(sign, build.coefficient(part)) for sign, part in build.terms_of(number)]
    if any(build.terms[t].operator != "exp" and t != build.one() for _, (_, t) in parts):
        return []
    inner = [(s * c, (*build.terms[t].children, zero)[0]) for s, (c, t) in parts]
    return sorted(inner, key=lambda part: (part[0] < 0, part[1] == zero))
