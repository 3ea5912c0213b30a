"""Logarithms of sums of exponentials, their quotients, logarithms near one."""

from __future__ import annotations

from functools import partial, reduce

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.rules import Named


def log_sums(build: Builder, number: int) -> Named:
    """``log`` of three or more exponentials, two by two; of weighted ones, relative to the largest.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("log(2*exp(a) + b)").formula)
    >>> [to_python(terms.formula(t)) for _, t in log_sums(Builder(terms), root)]
    ['max(a, 0) + log(2*exp(a - max(a, 0)) + b*exp(-max(a, 0)))']
    """
    term = build.terms[number]
    if term.operator != "log" or term.parameter is not None:
        return
    exponents = _exponents(build, term.children[0])
    if exponents is None:
        whole = _log_of_weighted(build, term.children[0])
        if whole is not None:
            yield "shifted log-sum-exp", whole
    elif len(exponents) > 2:
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


def _log_of_weighted(build: Builder, number: int) -> int | None:
    zero = build.terms.intern(CONSTANT, label="0")
    parts: list[tuple[Weighted, int]] = []  # A signed weight and the exponent beside it
    for sign, term in build.terms_of(number):
        factors = build.factors_of(term)
        places = [i for i, f in enumerate(factors) if build.terms[f.term].operator == "exp"]
        if len(places) > 1 or any(build.terms[f.term].operator == "max" for f in factors):
            return None
        exponent = zero
        for i in places:
            power, exponential = factors.pop(i)
            (inside,) = build.terms[exponential].children
            exponent = inside if power > 0 else build.neg(inside)
        weight = build.product_of(build.powers(factors)) if factors else build.one()
        if weight is None:
            return None
        parts.append((Weighted(sign, weight), exponent))
    exponents = dict.fromkeys(exponent for _, exponent in parts)
    if len(exponents) < 2:
        return None
    largest = reduce(lambda a, b: build.terms.intern("max", (a, b)), exponents)
    if any(largest in build.terms.subterms(exponent) for exponent in exponents):
        return None
    shifted = [
        Weighted(w.weight, build.mul(w.term, build.terms.intern("exp", (build.sub(u, largest),))))
        for w, u in parts
    ]
    total = build.sum_of(shifted)
    if total is None:
        return None
    return build.terms.intern("add", (largest, build.terms.intern("log", (total,))))


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
