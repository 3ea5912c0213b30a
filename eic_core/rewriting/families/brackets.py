"""Other brackets: which terms of a sum are added first."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.rules import Named

MAX_TERMS = 6
"""Longer sums are left as they are."""

MAX_PAIRED = 4
"""In longer sums only terms of opposite signs are put together."""


def bracketed_sums(build: Builder, number: int) -> Named:
    """A sum of three to six terms with each pair first, and of four as two pairs.
    What nearly cancels is then subtracted before anything else rounds it away.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("x + y - z").formula)
    >>> [to_python(terms.formula(t)) for _, t in bracketed_sums(Builder(terms), root)]
    ['x - z + y', 'y - z + x', 'x + y - z']
    """
    chain = build.terms_of(number)
    if not 3 <= len(chain) <= MAX_TERMS:
        return
    alike: list[tuple[int, int]] = []
    opposite: list[tuple[int, int]] = []
    for i, j in combinations(range(len(chain)), 2):
        (v, a), (w, b) = chain[i], chain[j]
        if v != w:
            opposite.append((i, j))
        elif len(chain) <= MAX_PAIRED and not all(map(build.terms.is_never_negative, (a, b))):
            alike.append((i, j))
    for places in (*opposite, *alike):
        pair = [chain[i] for i in places]
        others = [part for i, part in enumerate(chain) if i not in places]
        first, second = _together(build, pair), _together(build, others)
        if first is None or second is None:
            continue
        for rest in [others] if len(others) != 2 else [others, [second]]:
            whole = build.sum_of([first, *rest])
            if whole is not None:
                yield "other brackets", whole


def shares_of_a_number(build: Builder, number: int) -> Named:
    """A whole number less several terms as the sum of what each lacks to 1.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("3 - a - b - c").formula)
    >>> [to_python(terms.formula(t)) for _, t in shares_of_a_number(Builder(terms), root)]
    ['1 - a + (1 - b) + (1 - c)']
    """
    chain = build.terms_of(number)
    numbers = [part for part in chain if build.terms.number(part.term) is not None]
    if len(numbers) != 1 or len(chain) > MAX_TERMS:
        return
    (sign, whole), one = numbers[0], build.one()
    others = [build.coefficient(t) for w, t in chain if w == -sign and t != whole]
    rest = [part for part in chain if part.weight == sign and part.term != whole]
    shares = sum((weight for weight, _ in others), Fraction(0))
    if len(others) < 2 or shares != build.terms.number(whole):
        return
    lacking = [Weighted(sign * w, build.terms.intern("sub", (one, t))) for w, t in others]
    total = build.sum_of([*lacking, *rest])
    if total is not None:
        yield "each from 1", total


def _together(build: Builder, parts: Iterable[Weighted]) -> Weighted | None:
    """A sum in brackets, with minus before them if all its terms have one."""
    sign = -ONE if all(part.weight < 0 for part in parts) else ONE
    whole = build.sum_of([Weighted(sign * part.weight, part.term) for part in parts])
    return None if whole is None else Weighted(sign, whole)
