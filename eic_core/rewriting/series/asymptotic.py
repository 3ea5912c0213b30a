"""Series at infinity that close the function in: what is left has the size of the first term left
out at most, and its sign. Each is a function of u = 1/x for x > 0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from flint import arb, fmpq

from eic_core.operators.balls import Ball

Enclosed = Callable[[Ball, int], tuple[list[fmpq], Ball]]
"""The first coefficients, and a ball for what is left over the next power, for u in a ball."""


def _enclosing(coefficient: Callable[[int], fmpq]) -> Enclosed:
    def taylor(span: Ball, count: int) -> tuple[list[fmpq], Ball]:
        own = [coefficient(j) for j in range(count)]
        following = next(j for j in (count, count + 1) if coefficient(j))  # every other one is 0
        return own, (coefficient(following) * span ** (following - count)).union(arb(0))

    return taylor


@_enclosing
def stirling(j: int) -> fmpq:
    """log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2."""
    return fmpq.bernoulli(j + 1) / (j * (j + 1)) if j % 2 else fmpq(0)


@_enclosing
def scaled_tail(j: int) -> fmpq:
    """sqrt(pi) x erfcx(x)."""
    return fmpq(0) if j % 2 else fmpq(prod(range(1, j, 2)) * (-1) ** (j // 2), 2 ** (j // 2))
