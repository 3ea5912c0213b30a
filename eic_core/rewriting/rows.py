"""The rows of a data set on which forms are searched, compared and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

SCANNED, MEASURED, VERIFIED, OBSERVED = 20_000, 500, 200, 150

MEASURED_VALUES = 300_000
"""Rows times nodes that are measured, where this is more than `MEASURED` rows."""

SEARCHED_EVEN, SEARCHED_WORST = 25, 12


@dataclass(frozen=True)
class Rows:
    searched: tuple[int, ...]  # The worst at the root and at the bottleneck, and some evenly spaced
    # Rows compared at high precision: up to 200, those of `searched` and `observed` among them
    verified: tuple[int, ...]
    # Rows on which EIC and q are told: evenly spaced; all 10,000 up to 30 nodes
    measured: tuple[int, ...]
    # Rows on which the errors of single and double precision are told: evenly spaced
    observed: tuple[int, ...]
    scanned: tuple[int, ...]  # Rows whose domain is scanned in double precision: evenly spaced


def choose_rows(formula: Formula, samples: Samples) -> Rows:
    """Row numbers for search and verification, the same for the same data.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": np.linspace(1.0, 9.0, 1000)})
    >>> rows = choose_rows(read("x - 5").formula, samples)
    >>> len(rows.searched) <= 49, 500 in rows.searched, len(rows.verified)
    (True, True, 200)
    """
    total = len(samples)
    scanned = _even(total, SCANNED)
    columns = {name: samples.columns[name][scanned] for name in formula.variables}
    part = Samples.from_columns(columns, count=len(scanned))
    amplification = amplify(formula, part, recheck=False)
    finite = [amplification.finite_mean_s2(k) for k in range(len(formula))]
    bottleneck = int(np.argmax(np.nan_to_num(finite, nan=0.0, posinf=0.0)))
    worst: list[int] = []
    watched = dict.fromkeys((len(formula) - 1, bottleneck))
    ranked = [_worst_first(amplification.trace(k)[1]) for k in watched]
    share = (VERIFIED - OBSERVED) // len(ranked)
    searched = set(_even(total, SEARCHED_EVEN).tolist())
    for order in ranked:
        rows = scanned[order[:share]].tolist()
        worst += rows
        searched |= set(rows[: 2 * SEARCHED_WORST // len(ranked)])
    observed = _even(total, VERIFIED if total <= VERIFIED else OBSERVED).tolist()
    verified = {*worst, *observed, *searched}
    for row in _even(total, 2 * VERIFIED).tolist():
        if len(verified) >= VERIFIED:
            break
        verified.add(row)
    return Rows(
        tuple(sorted(searched)),
        tuple(sorted(verified)),
        tuple(_even(total, max(MEASURED, MEASURED_VALUES // len(formula))).tolist()),
        tuple(observed),
        tuple(scanned.tolist()),
    )


def _even(total: int, count: int) -> np.ndarray:
    if total <= count:
        return np.arange(total)
    return np.arange(count) * total // count


def _worst_first(s: np.ndarray) -> np.ndarray:
    usable = np.flatnonzero(np.isfinite(s))
    return usable[np.argsort(-s[usable], kind="stable")]
