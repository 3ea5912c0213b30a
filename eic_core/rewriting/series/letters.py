"""Sums that cancel but for their letters, as ``u - a*sin(u)`` does with a near 1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.doubles import DoubleTable, Mask

MOST_PARTS = 6
"""Of a longer sum no two parts are looked at."""

NEAR = 0.1
"""The share of two functions that their difference has at most, at half of the rows in question."""


def splits(table: DoubleTable, number: int, rows: Mask) -> Iterator[tuple[int, int]]:
    """A sum with two parts that nearly cancel at most of the rows, by the difference of their
    functions and that of their letters, which are the factors whose variables the other part has
    not: ``(a - b)*f + b*(f - g)`` for ``a*f - b*g``, each with its ``f - g``.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.rewriting.terms import Terms
    >>> terms = Terms()
    >>> table = DoubleTable(terms, dict.fromkeys("abu", np.array([0.1])), [None])
    >>> for text in ("u - a*sin(u)", "a*expm1(u) - 1 - b*u", "sin(a*u) - a*u"):
    ...     for whole, _ in splits(table, terms.add(read(text).formula), np.array([True])):
    ...         print(to_python(terms.formula(whole)))
    (1 - a)*u + a*(u - sin(u))
    (a - b)*u + a*(expm1(u) - u) - 1
    """
    terms = table.terms
    build = Builder(terms)
    chain = build.terms_of(number)
    for pair in combinations(chain, 2) if len(chain) <= MOST_PARTS else ():
        one, other = sorted(pair, key=lambda part: terms.size(part.term))
        shared = {*terms.variables(one.term)} & {*terms.variables(other.term)}
        (a, f), (b, g) = (_apart(build, part.term, shared) for part in (one, other))
        letters = build.sum_of(
            build.merge_like_terms([Weighted(one.weight, a), Weighted(other.weight, b)])
        )
        if letters is None or not all(map(terms.has_variables, (letters, f, g))):
            continue
        ratio = table.values(g)[rows] / table.values(f)[rows]
        if not np.mean(np.abs(ratio - 1) <= NEAR) >= 0.5:
            continue
        is_larger = np.median(table.values(g)[rows] - table.values(f)[rows]) > 0
        sign, difference = (1, build.sub(g, f)) if is_larger else (-1, build.sub(f, g))
        parts = [
            Weighted(ONE, build.mul(letters, f)),
            Weighted(sign * other.weight, build.mul(b, difference)),
            *(part for part in chain if part not in pair),
        ]
        whole = build.sum_of(parts)
        if whole is not None:
            yield whole, difference


def _apart(build: Builder, number: int, shared: set[str]) -> tuple[int, int]:
    """The letters of a product, and what is a function of shared variables alone."""
    parts: tuple[list[Weighted], list[Weighted]] = [], []
    for factor in build.factors_of(number):
        names = {*build.terms.variables(factor.term)}
        parts[names <= shared].append(factor)
    letters, function = map(build.product_of, parts)
    return (build.one(), number) if letters is None or function is None else (letters, function)
