"""Logarithms of sums of exponentials, their quotients, logarithms near one."""

from __future__ import annotations

from fractions import Fraction
from functools import partial, reduce

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.families.fractions import common_denominators
from eic_core.rewriting.rules import Named


def log_sums(build: Builder, number: int) -> Named:
    """``log`` of three or more exponentials, and of weighted ones, relative to the largest; if none
    has a weight, two by two as well.

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
        yield "log of softmax", build.neg(reduce(partial(_log_sum_of_two, build), relative))
    exponents = _exponents(build, term.children[0])
    whole = _log_of_weighted(build, term.children[0])
    if whole is not None and (exponents is None or len(exponents) > 2):
        yield "shifted log-sum-exp", whole
    if exponents is not None and len(exponents) > 2:
        yield "shifted log-sum-exp", reduce(partial(_log_sum_of_two, build), exponents)


def logs_of_products(build: Builder, number: int) -> Named:
    """``log`` of a product or quotient of sums and differences of two exponentials, or of
    fractions of them: the logs of each. What a difference is large by is taken off a sum.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("log((exp(a) - 1)/(exp(a) + exp(b)))").formula)
    >>> [to_python(terms.formula(t)) for _, t in logs_of_products(Builder(terms), root)]
    ['log(-expm1(-a)) - (max(b - a, 0) + log1p(exp(-abs(b - a))))']
    """
    term = build.terms[number]
    if term.operator != "log" or term.parameter is not None:
        return
    (inside,) = term.children
    for whole in (inside, *(fraction for _, fraction in common_denominators(build, inside))):
        factors = build.factors_of(whole)
        logs = _sum_of_logs(build, factors) if len(factors) > 1 else None
        if logs is not None:
            yield "log of a product of exponential sums", logs


def _sum_of_logs(build: Builder, factors: list[Weighted]) -> int | None:
    put, zero = build.terms.intern, build.terms.intern(CONSTANT, label="0")
    large, others = list[Weighted](), list[Weighted]()
    sums, differences = list[_Two](), list[_Two]()
    value = ONE
    for weight, factor in factors:
        node, own = build.terms[factor], build.terms.number(factor)
        two = _two_exponentials(build, factor)
        if own:
            value *= own**weight.numerator
        elif node.operator == "exp":
            large += _times(build, weight, node.children[0])
        elif two is None:
            others.append(Weighted(weight, factor))
        else:
            (first, p), (second, q) = two
            unit = abs(first) / (2 if node.operator in ("cosh", "sinh") else 1)
            value *= (-unit if first == second < 0 else unit) ** weight.numerator
            pair = (weight, p, q) if first > 0 else (weight, q, p)
            (sums if first == second else differences).append(pair)
    alone = len(differences) + len(others) == 1  # It has the sign of the number
    if value < 0 and differences and alone:
        differences = [(weight, q, p) for weight, p, q in differences]
    written = build.number(abs(value))
    if written is None or not (sums or differences) or (value < 0 and not (others or differences)):
        return None
    for weight, p, q in differences:
        large += _times(build, weight, p)
        others.append(Weighted(weight, put("expm1", (build.sub(q, p),))))
    logs = [Weighted(weight, put("log", (put("abs", (term,)),))) for weight, term in others]
    if differences and alone:
        logs = [Weighted(weight, put("log", (build.neg(term),))) for weight, term in others]
    large = build.merge_like_terms(large)
    for weight, p, q in sums:
        for over, under in ((p, q), (q, p)):
            less = build.merge_like_terms([*large, *_times(build, weight, over)])
            if len(less) < len(large):
                large, p, q = less, build.sub(under, over), zero
                break
        logs.append(Weighted(weight, _log_sum_of_two(build, p, q)))
    if abs(value) != 1:
        logs.append(Weighted(ONE, put("log", (written,))))
    return build.sum_of([*large, *logs])


_Two = tuple[Fraction, int, int]
"""The weight of a factor, and the exponents of the two exponentials that it is made of."""


def _times(build: Builder, weight: Fraction, number: int) -> list[Weighted]:
    return [Weighted(weight * own, term) for own, term in build.terms_of(number)]


def _two_exponentials(build: Builder, number: int) -> list[tuple[Fraction, int]] | None:
    """The signs and exponents of a sum or difference of two exponentials, times a number."""
    node = build.terms[number]
    if node.operator in ("expm1", "cosh", "sinh"):
        (first,) = node.children
        zero = build.terms.intern(CONSTANT, label="0")
        second = zero if node.operator == "expm1" else build.neg(first)
        return [(ONE, first), (ONE if node.operator == "cosh" else -ONE, second)]
    parts = _weighted(build, number) or []
    numbers = [(sign, build.terms.number(weight)) for (sign, weight), _ in parts]
    signs = [sign * own for sign, own in numbers if own is not None]
    if len(parts) != 2 or len({abs(sign) for sign in signs}) != 1 or len(signs) != 2:
        return None
    return [(sign, exponent) for sign, (_, exponent) in zip(signs, parts, strict=True)]


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


def _log_sum_of_two(build: Builder, a: int, b: int) -> int:
    """``max(a, b) + log1p(exp(-|a - b|))``: no step of it cancels."""
    put = build.terms.intern
    if build.terms.number(a) == 0:
        a, b = b, a
    distance = build.terms[build.sub(a, b)]
    size = put("abs", distance.children if distance.operator == "neg" else (build.sub(a, b),))
    return put("add", (put("max", (a, b)), put("log1p", (put("exp", (put("neg", (size,)),)),))))


def _log_of_weighted(build: Builder, number: int) -> int | None:
    parts = _weighted(build, number)
    exponents = dict.fromkeys(exponent for _, exponent in parts or ())
    if parts is None or len(exponents) < 2:
        return None
    largest = build.terms.intern("max", tuple(exponents))
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
