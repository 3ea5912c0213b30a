"""Logarithms of sums of exponentials, logarithms near one."""

from __future__ import annotations

from functools import partial, reduce

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.families.quotients import divided, exponent_in
from eic_core.rewriting.rules import Named


def log_sums(build: Builder, number: int) -> Named:
    """``log`` of exponentials relative to the largest; of three or more, two by two as well.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("log(2*exp(a) + b)").formula)
    >>> [to_python(terms.formula(t)) for _, t in log_sums(Builder(terms), root)]
    ['max(a, 0) + log(2*exp(a - max(a, 0)) + b*exp(-max(a, 0)))']
    """
    put = build.terms.intern
    if build.terms[number].parameter is not None:
        return
    (inside,) = build.terms[number].children
    parts = build.terms_of(inside)
    inner = [exponent_in(build, build.factors_of(term)) for _, term in parts]
    exponents = [exponent for exponent in inner if exponent is not None]
    below = {n for e in exponents for n in build.terms.subterms(e)}
    if len(exponents) < len(parts) or len(set(exponents)) < 2:
        return
    if any(build.terms[n].operator == "max" for n in below):
        return
    plain = all(_is_exp(build, part) for part in parts)
    if plain and len(parts) > 2:
        yield "shifted log-sum-exp", reduce(partial(_log_sum_of_two, build), exponents)
    if not plain or len(parts) > 2:
        largest = reduce(lambda a, b: put("max", (a, b)), dict.fromkeys(exponents))
        total = divided(build, inside, [Weighted(ONE, put("exp", (largest,)))])
        if total is not None:
            yield "shifted log-sum-exp", put("add", (largest, put("log", (total,))))


def _is_exp(build: Builder, part: Weighted) -> bool:
    """Whether a part of a sum is an exponential, or 1."""
    is_one = build.terms.number(part.term) == 1
    return part.weight > 0 and (is_one or build.terms[part.term].operator == "exp")


def _log_sum_of_two(build: Builder, a: int, b: int) -> int:
    """``max(a, b) + log1p(exp(-|a - b|))``: no step of it cancels."""
    put = build.terms.intern
    distance = put("abs", (build.sub(a, b),))
    small = put("exp", (put("neg", (distance,)),))
    return put("add", (put("max", (a, b)), put("log1p", (small,))))


def logarithms_near_one(build: Builder, number: int) -> Named:
    """``log(u)`` as ``log1p(u - 1)``; the logarithm of a number is left as it is."""
    term = build.terms[number]
    if term.parameter is None and build.terms[term.children[0]].operator != CONSTANT:
        yield "log1p", build.terms.intern("log1p", (build.sub(term.children[0], build.one()),))
