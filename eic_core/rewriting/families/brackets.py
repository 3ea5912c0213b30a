"""Other brackets: which terms of a sum are added first, by which factors is divided first."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from itertools import combinations

from eic_core.rewriting.builder import ONE, Builder, Weighted
from eic_core.rewriting.rules import Named

MAX_TERMS = 6
"""Longer sums are left as they are."""

MAX_PAIRED = 4
"""In longer sums only terms of opposite signs are put together."""

MAX_DIVISORS = 4


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
    if build.terms[number].operator not in ("add", "sub"):
        return
    chain = build.terms_of(number)
    if not 3 <= len(chain) <= MAX_TERMS:
        return
    alike: list[tuple[int, int]] = []
    opposite: list[tuple[int, int]] = []
    for i, j in combinations(range(len(chain)), 2):
        (v, a), (w, b) = chain[i], chain[j]
        if v != w:
            opposite.append((i, j))
        elif len(chain) <= MAX_PAIRED and not (_is_positive(build, a) and _is_positive(build, b)):
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


def _is_positive(build: Builder, number: int) -> bool:
    """Whether a term is nowhere negative, by its last operator."""
    term, value = build.terms[number], build.terms.number(number)
    if term.operator == "power":
        return term.parameter is not None and term.parameter % 2 == 0
    if term.operator in ("mul", "div"):
        left, right = term.children
        both = _is_positive(build, left) and _is_positive(build, right)
        return both or build.terms.kind(left) == build.terms.kind(right)
    return term.operator in ("exp", "abs", "sqrt", "hypot", "cosh") or bool(value and value > 0)


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
    if build.terms[number].operator not in ("add", "sub"):
        return
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


def quotients_in_turn(build: Builder, number: int) -> Named:
    """``a/(b*c)`` as ``a/b/c``, ``a**2/b`` as ``a*(a/b)``, ``a*b/(c*d)`` as ``(a/c)*(b/d)``: no
    product leaves the range of doubles where the value does not.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("a*b**2/(c*d)").formula)
    >>> [to_python(terms.formula(t)) for _, t in quotients_in_turn(Builder(terms), root)]
    ['a*b**2/c/d', 'a/c*(b/d)*b']
    """
    if build.terms[number].operator not in ("mul", "div"):
        return
    above: list[int] = []
    below: list[int] = []
    numbers: list[Weighted] = []
    factors = build.powers(build.factors_of(number))
    for exponent, factor in factors:
        if build.terms.number(factor) is not None:
            numbers.append(Weighted(exponent, factor))
        elif exponent.denominator == 1 and abs(exponent) <= 2:
            (above if exponent > 0 else below).extend([factor] * abs(exponent.numerator))
        else:
            (above if exponent > 0 else below).append(build.power(abs(exponent), factor))
    if not below or len(below) > MAX_DIVISORS or len(above) + len(below) < 3:
        return
    over = build.product_of([part for part in factors if part in numbers or part.weight > 0])
    if over is None:
        return
    put = build.terms.intern
    if len(below) > 1:
        yield "dividing in turn", reduce(lambda whole, by: put("div", (whole, by)), below, over)
    if len(above) > 1:
        pairs = [put("div", pair) for pair in zip(above, below, strict=False)]
        whole = reduce(lambda u, v: put("mul", (u, v)), [*pairs, *above[len(below) :]])
        whole = reduce(lambda u, v: put("div", (u, v)), below[len(above) :], whole)
        scaled = build.product_of(numbers) if numbers else build.one()
        if scaled is not None:
            yield (
                "dividing in turn",
                whole if scaled == build.one() else put("mul", (scaled, whole)),
            )
