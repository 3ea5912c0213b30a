"""Logarithms of sums of exponentials, logarithms near one."""

from __future__ import annotations

from functools import reduce

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.families.quotients import divided, exponent_in, leading_terms
from eic_core.rewriting.rules import Assumption, Named


def log_sums(build: Builder, number: int) -> Named:
    """``log`` of three or more exponentials, or of weighted ones, by the largest; or two by two.

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
    are_alone = all(_is_exp(build, part) for part in parts)
    if are_alone and len(parts) == 2:
        return
    largest = put("max", tuple(dict.fromkeys(exponents)))
    total = divided(build, inside, [Weighted(ONE, put("exp", (largest,)))])
    if total is not None:
        yield "shifted log-sum-exp", put("add", (largest, put("log", (total,))))
    if are_alone:
        yield "log-sum-exp", reduce(lambda a, b: put("logaddexp", (a, b)), exponents)


def logarithms_of_powers(build: Builder, number: int) -> Named:
    """The logarithm of a sum with powers as that of one of these and of the rest.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("log(1 + x**n)").formula)
    >>> [to_python(terms.formula(row[1])) for row in logarithms_of_powers(Builder(terms), root)]
    ['log(x**n) + log(1/x**n + 1)']
    """
    put, term = build.terms.intern, build.terms[number]
    (inside,) = term.children
    for leading in leading_terms(build, inside).values():
        by = build.powers(build.factors_of(leading))
        over = divided(build, inside, by)
        if over is not None and not any(build.terms[f.term].operator == "exp" for f in by):
            logs = [put(term.operator, (n,), parameter=term.parameter) for n in (leading, over)]
            yield "dividing through", put("add", (logs[0], logs[1])), (Assumption(leading, ">"),)


def _is_exp(build: Builder, part: Weighted) -> bool:
    """Whether a part of a sum is an exponential, or 1."""
    is_one = build.terms.number(part.term) == 1
    return part.weight > 0 and (is_one or build.terms[part.term].operator == "exp")


def logarithms_near_one(build: Builder, number: int) -> Named:
    """``log(u)`` as ``log1p(u - 1)``; the logarithm of a number is left as it is."""
    term = build.terms[number]
    if term.parameter is None and build.terms[term.children[0]].operator != CONSTANT:
        yield "log1p", build.terms.intern("log1p", (build.sub(term.children[0], build.one()),))
