"""Least squares with standard errors clustered one or two ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from study.statistics.regression import Design, Fit
from study.statistics.votes import Floats, Integers

EXACT = 1e-12
"""What is left of the outcomes below this part of them is rounding."""


@dataclass(frozen=True)
class LinearFit(Fit):
    """Mean of an outcome, and how it changes with each column."""


def least_squares(
    y: Floats,
    X: Floats,
    names: Sequence[str],
    clusters: Sequence[Integers],
    kinds: Sequence[str] = ("pair", "rater"),
) -> LinearFit:
    """Ordinary least squares; an intercept is added.

    Parameters, result and errors are those of `study.statistics.logistic.logistic`, except that
    y may be any finite number.

    Examples
    --------
    >>> x = np.arange(8.0)
    >>> wobble = np.array([1, -1, -1, 1, 1, -1, -1, 1]) / 10
    >>> fit = least_squares(3 + 2 * x + wobble, x[:, None], ["x"], (np.arange(8) // 2,), ("rater",))
    >>> [round(term.estimate, 6) for term in fit.terms]
    [3.0, 2.0]
    """
    design = Design.of(y, X, names, clusters)
    reason = design.trouble(kinds[: len(clusters)])
    if reason:
        return LinearFit(design.names, (), len(y), design.counts, reason)
    bread = np.asarray(np.linalg.inv(design.columns.T @ design.columns), dtype=np.float64)
    scaled = bread @ (design.columns.T @ design.y)
    rest = design.y - design.columns @ scaled
    if np.abs(rest).max() <= EXACT * np.abs(design.y).max():
        rest = np.zeros(len(y))
    terms = design.fit(scaled, design.columns * rest[:, None], bread)
    return LinearFit(design.names, terms, len(y), design.counts, "")
