"""How settled a mean amplification is: quantiles, concentration and Hill's estimator."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

MIN_SAMPLES_FOR_HILL = 300


@dataclass(frozen=True)
class Tail:
    node: int  # The node of largest ``local_eic_finite``
    # q50, q90, q99: quantiles of log10 s (digits), inverted CDF; inf where singular
    q50: float
    q90: float
    q99: float
    # Share of the finite sum of s^2 held by its largest ceil(n/100) values, 0 to 1
    top1_share: float
    # Whether the mean is not settled at this N; None if there are too few samples to tell and s of
    # no node is known to grow without bound
    divergent: bool | None
    hill: float  # Estimated tail index of s^2 (the mean is infinite below 1); nan if not estimated
    # Ids of the nodes that take both signs inside the domain; at a zero, a pole or a jump
    crossings: tuple[int, ...]

    _JSON = ("node", "q50", "q90", "q99", "top1_share", "divergent", "crossings")


def hill_index(values: np.ndarray, k: int) -> float:
    """Hill's estimator of the tail index from the k largest values, 1 <= k < n.

    alpha-hat = k / sum(log(X_(n-i+1) / X_(n-k))), inf if the tail is flat (B. M. Hill, "A simple
    general approach to inference about the tail of a distribution", Annals of Statistics 3 (1975),
    Eq. (3.1)).

    >>> round(hill_index(np.array([1.0, 2.0, 4.0, 8.0]), 2), 3)  # 2 / (log 2 + log 4)
    0.962
    """
    top = np.sort(np.partition(values, len(values) - k - 1)[len(values) - k - 1 :])
    return _hill_index(top)


def _hill_index(top: np.ndarray) -> float:
    excess = float(np.log(top / top[0]).sum())
    return (len(top) - 1) / excess if excess > 0 else math.inf


def tail_of(
    node: int,
    s2: np.ndarray,
    crossings: tuple[int, ...],
    unbounded: bool | None = None,
) -> Tail:
    """Describe the tail of s^2 at the valid samples of one node, n >= 1, inf where singular.

    `crossings` are nodes that take both signs; `unbounded` says whether s of one of them grows
    without bound there (at a zero of a sum, not at a pole of a term), by default whether there are
    any.

    The mean is not settled if s of any node grows without bound where it changes its sign, or if n
    >= 300 finite values and alpha-hat * (1 + 1.645 / sqrt(k)) < 1 with k = ceil(sqrt(n)): the
    one-sided 95 % upper bound of Hill's estimator lies below the exponent at which the mean exists.
    """
    finite = s2 if s2.max() < math.inf else s2[np.isfinite(s2)]
    n, m = len(s2), len(finite)
    count, k = math.ceil(m / 100), math.ceil(math.sqrt(m))
    start = max(0, m - max(count, k + 1))  # the largest of the finite values
    ranks = [max(0, math.ceil(q * n) - 1) for q in (0.5, 0.9, 0.99)]
    at_ranks, top = _ordered(s2, ranks, start, m)
    q50, q90, q99 = (_half_log10(value) for value in at_ranks)
    hill, top1_share = math.nan, float(top[-count:].sum() / finite.sum()) if m else math.nan
    unbounded = bool(crossings) if unbounded is None else unbounded
    divergent: bool | None = True if unbounded else None
    if m >= MIN_SAMPLES_FOR_HILL:
        hill = _hill_index(top[-k - 1 :])
        heavy = hill * (1 + 1.645 / math.sqrt(k)) < 1
        divergent = unbounded or heavy
    return Tail(node, q50, q90, q99, top1_share, divergent, hill, crossings)


def _ordered(
    values: np.ndarray, ranks: list[int], start: int, stop: int
) -> tuple[list[float], np.ndarray]:
    """The values of some ascending ranks, and those of the ranks ``[start, stop)``.

    One rank after the other, which is far quicker than all at once.
    """
    if len(values) < _MANY:
        ordered = np.sort(values)
    else:
        ordered = values.copy()
        done = 0
        for rank in sorted({*ranks, start}):
            ordered[done:].partition(rank - done)
            done = rank + 1
        ordered[start:].sort()
    return ordered[ranks].tolist(), ordered[start:stop]


_MANY = 4096


def _half_log10(s2: float) -> float:
    return 0.5 * math.log10(s2) if s2 < math.inf else math.inf
