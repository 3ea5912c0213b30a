"""Logarithms of sums of exponentials, their quotients, logarithms near one."""

from __future__ import annotations

from functools import reduce

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import Builder, Weighted
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
    over, below = _quotient(build, term.children[0])
    if over is not None and below is not None and len(below) > 2:
        relative = [build.sub(exponent, over) for exponent in below]
        yield "log of softmax", build.neg(_log_sum(build, relative))
    exponents = _exponents(build, term.children[0])
    if exponents is None:
        whole = _log_of_weighted(build, term.children[0])
        if whole is not None:
            yield "shifted log-sum-exp", whole
    elif len(exponents) > 2:
        yield "log-sum-exp", _log_sum(build, exponents)


def softmax(build: Builder, number: int) -> Named:
    """One exponential over a sum of them, weighted or not: every exponent relative to its own.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("w*exp(a)/(w*exp(a) + v*exp(b))").formula)
    >>> [to_python(terms.formula(t)) for _, t in softmax(Builder(terms), root)]
    ['w/(w + v*exp(b - a))']
    """
    term = build.terms[number]
    if term.operator != "div" or build.terms[term.children[1]].operator not in ("add", "sub"):
        return
    above, below = (_weighted(build, child) for child in term.children)
    if above is None or below is None or len(above) != 1:
        return
    ((over, own),) = above
    if build.terms.number(own) == 0 or len({exponent for _, exponent in below}) < 2:
        return
    total = build.sum_of(build.merge_like_terms(_shifted(build, below, own)))
    numerator = build.sum_of([over])
    if total is not None and numerator is not None:
        yield "softmax", build.div(numerator, total)


def _log_sum(build: Builder, exponents: list[int]) -> int:
    return reduce(lambda a, b: build.terms.intern("logaddexp", (a, b)), exponents)


def _log_of_weighted(build: Builder, number: int) -> int | None:
    parts = _weighted(build, number)
    exponents = dict.fromkeys(exponent for _, exponent in parts or ())
    if parts is None or len(exponents) < 2:
        return None
    largest = reduce(lambda a, b: build.terms.intern("max", (a, b)), exponents)
    total = build.sum_of(_shifted(build, parts, largest))
    if total is None:
        return None
    return build.terms.intern("add", (largest, build.terms.intern("log", (total,))))


def _weighted(build: Builder, number: int) -> list[tuple[Weighted, int]] | None:
    """A sum as signed weights, each with the exponent of the exponential beside it, or 0; None
    where there are two in one product, or the exponents are shifted already.
    """
    zero = build.terms.intern(CONSTANT, label="0")
    parts: list[tuple[Weighted, int]] = []
    for sign, term in build.terms_of(number):
        factors = build.factors_of(term)
        places = [i for i, f in enumerate(factors) if build.terms[f.term].operator == "exp"]
        if len(places) > 1:
            return None
        exponent = zero
        for i in places:
            power, exponential = factors.pop(i)
            (inside,) = build.terms[exponential].children
            if any(build.terms[n].operator == "max" for n in build.terms.subterms(inside)):
                return None
            exponent = inside if power > 0 else build.neg(inside)
        weight = build.product_of(build.powers(factors)) if factors else build.one()
        if weight is None:
            return None
        parts.append((Weighted(sign, weight), exponent))
    return parts


def _shifted(build: Builder, parts: list[tuple[Weighted, int]], by: int) -> list[Weighted]:
    """The sum's terms, each over the exponential of `by`."""
    terms: list[Weighted] = []
    for (sign, weight), exponent in parts:
        left = build.sub(exponent, by)
        if build.terms.number(left) != 0:
            weight = build.mul(weight, build.terms.intern("exp", (left,)))
        terms.append(Weighted(sign, weight))
    return terms


def _quotient(build: Builder, number: int) -> tuple[int | None, list[int] | None]:
    """The exponents above and below the line of one exponential over a sum of them."""
    term = build.terms[number]
    if term.operator != "div" or build.terms[term.children[0]].operator != "exp":
        return None, None
    return build.terms[term.children[0]].children[0], _exponents(build, term.children[1])


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
