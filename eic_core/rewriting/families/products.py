"""Sums of products of inputs: by differences, and by the fused multiply-add."""

from __future__ import annotations

from eic_core.formula.tree import VARIABLE
from eic_core.rewriting.builder import Builder, Weighted
from eic_core.rewriting.rules import Named


def products_of_inputs(build: Builder, number: int) -> Named:
    """``a*b - c*d`` by the differences of its factors, and with two fused multiply-adds, of which
    one adds what the product lost (Kahan; Jeannerod, Louvet & Muller, Math. Comp. 82 (2013));
    ``a*b - c`` with one. Of inputs alone: else the errors of the factors are as large.

    >>> from eic_core.rewriting.terms import Terms
    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> for text in ("a*b - c*d", "x*x - a"):
    ...     found = products_of_inputs(Builder(terms), terms.add(read(text).formula))
    ...     print(*[to_python(terms.formula(t)) for _, t in found], sep="\\n")
    a*(b - d) - d*(c - a)
    a*(b - c) - c*(d - a)
    fma(a, b, -(c*d)) + fma(-c, d, c*d)
    fma(x, x, -a)
    """
    chain = build.terms_of(number)
    if len(chain) != 2:
        return
    put, neg = build.terms.intern, build.neg
    first, second = sorted(chain, key=lambda part: -part.weight)
    left, right = (_two_inputs(build, part.term) for part in (first, second))
    if left is None or right is None:
        factors, other = (left, second) if left is not None else (right, first)
        own = first if left is not None else second
        if factors is not None and build.terms[other.term].operator == VARIABLE:
            a, b = factors
            fused = put("fma", (a, b, _signed(build, other.weight * own.weight > 0, other.term)))
            yield "fused multiply-add", fused if own.weight > 0 else neg(fused)
        return
    a, b = left
    if first.weight > 0 > second.weight:
        for c, d in (right, right[::-1]) if right[0] != right[1] else (right,):
            yield (
                "difference of products",
                build.sub(build.mul(a, build.sub(b, d)), build.mul(d, build.sub(c, a))),
            )
    c, d = right
    product = put("mul", (c, d))
    is_sum = first.weight == second.weight
    whole = put("fma", (a, b, _signed(build, is_sum, product)))
    lost = put("fma", (_signed(build, is_sum, c), d, _signed(build, not is_sum, product)))
    fused = put("add", (whole, lost))
    yield "difference of products", fused if first.weight > 0 else neg(fused)


def _signed(build: Builder, is_positive: bool, number: int) -> int:
    return number if is_positive else build.neg(number)


def _two_inputs(build: Builder, number: int) -> tuple[int, int] | None:
    """The factors of a product of two variables, a number kept beside the first."""
    factors = build.powers(build.factors_of(number))
    numbers = [f for f in factors if build.terms.number(f.term) is not None]
    inputs = [f for f in factors if build.terms[f.term].operator == VARIABLE and f.weight > 0]
    letters = [f.term for f in inputs for _ in range(int(f.weight))]
    is_product = len(numbers) <= 1 and len(numbers) + len(inputs) == len(factors)
    if len(letters) != 2 or not is_product or not all(_is_power_of_two(build, f) for f in numbers):
        return None
    first = build.terms.intern("mul", (numbers[0].term, letters[0])) if numbers else letters[0]
    return first, letters[1]


def _is_power_of_two(build: Builder, factor: Weighted) -> bool:
    value = build.terms.number(factor.term)
    if value is None or value <= 0 or factor.weight != 1:
        return False
    parts = (value.numerator, value.denominator)
    return all(part & (part - 1) == 0 for part in parts)
