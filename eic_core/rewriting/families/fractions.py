"""Sums of fractions over one denominator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.polynomials import polynomial_of, ways_to_write
from eic_core.rewriting.rules import Named

MAX_FRACTIONS = 4


def common_denominators(build: Builder, number: int) -> Named:
    """Two or more fractions of a sum over one denominator, the numerator expanded."""
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
    ways = [] if p is None else list(ways_to_write(build, p)[:3])
    for written in ways:
        yield build.div(written, denominator)
    if ways and len(common) > 1:  # a product of denominators may leave range
        whole = ways[0]
        for part in common.values():
            whole = build.terms.intern("div", (whole, build.power(*part)))
        yield whole
    yield build.div(numerator, denominator)
