"""The variance of every estimate, from its changes when a cluster is left out.

Items and raters are crossed as in Cameron, Gelbach and Miller (2011, Journal of Business and
Economic Statistics 29:238). A mean, such as the headline, has one coefficient; the choices are in
docs/adr/0018-inference.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from study.statistics.votes import Floats, Integers

ROUNDING = 1e-12
"""What is left of a sum that cancels, below this part of its terms."""
LEVERAGE = 1e-9
"""A direction of which a cluster holds all but this part cannot be estimated without it."""


@dataclass(frozen=True, eq=False)
class Kindred:
    """Which rows go together in one way."""

    name: str  # "pair", "problem", "rater", "pair x rater" or "problem x rater"
    codes: Integers  # shape (n,)
    # Rates that were estimated from these clusters and are taken off their number, G/(G - lost);
    # 0: by size, each cluster's share of the votes, for a large one has pulled the rate to itself
    lost: int

    @property
    def clusters(self) -> int:
        return int(np.count_nonzero(np.bincount(self.codes)))


@dataclass(frozen=True)
class Component:
    """The variance of a rate if only the votes of one kind of cluster went together."""

    name: str
    variance: float


@dataclass(frozen=True, eq=False)
class Estimating:
    """What an estimate of k coefficients comes to in each row, at its solution."""

    scores: Floats  # shape (n, k): Their sums are 0
    roots: Floats  # shape (n, k): Of the information, which is `roots.T @ roots`
    back: Floats  # shape (k, k): From these coefficients to those that are wanted
    weights: Floats  # shape (n,): How much each row counts for the size of its cluster

    @classmethod
    def mean(cls, residuals: Floats, weights: Floats) -> Estimating:
        """Of residuals about a weighted mean."""
        scores, roots = (weights * residuals)[:, None], np.sqrt(weights)[:, None]
        return cls(scores, roots, np.ones((1, 1)), weights)

    def _sizes(self, kind: Kindred) -> Floats:
        return np.bincount(kind.codes, self.weights).astype(np.float64)

    @property
    def information(self) -> Floats:
        return self.roots.T @ self.roots

    def _information_by(self, kind: Kindred) -> Floats:
        """shape (G, k, k)"""
        k = self.roots.shape[1]
        products = self.roots[:, :, None] * self.roots[:, None, :]
        return sums_by(kind.codes, products.reshape(-1, k * k)).reshape(-1, k, k)

    def only_from(self, kind: Kindred) -> Floats | None:
        """Coefficients, shape (k,), of what one cluster alone tells: without it they cannot be
        estimated.
        """
        values, vectors = np.linalg.eigh(self.information)
        whiten = vectors / np.sqrt(values)
        shares, along = np.linalg.eigh(whiten.T @ self._information_by(kind) @ whiten)
        worst = int(shares[:, -1].argmax())
        return whiten @ along[worst, :, -1] if shares[worst, -1] >= 1 - LEVERAGE else None

    def one_way(self, kind: Kindred) -> Floats:
        """`squared` changes (to first order) when a cluster is left out, shape (k,)."""
        sizes = self._sizes(kind)
        if kind.clusters <= kind.lost:
            return np.zeros(self.scores.shape[1])
        sums = sums_by(kind.codes, self.scores)
        there = (sizes > 0) & (sizes < sizes.sum())
        rest = self.information - self._information_by(kind)[there]
        changes = np.linalg.solve(rest, sums[there, :, None])[:, :, 0] @ self.back.T
        return squared(changes, sizes[there] / sizes.sum(), kind.lost)

    def degrees(self, kind: Kindred) -> Floats:
        """Kish's effective number of clusters, (Σ q)²/Σ q² for the information q that each holds
        about a coefficient, less one for each rate that is lost; shape (k,). Clusters count by
        their votes if they do in the variance, else alike.
        """
        about = (self.roots @ np.linalg.inv(self.information) @ self.back.T) ** 2
        held = sums_by(kind.codes, about)
        sizes = self._sizes(kind)
        if kind.lost:
            held = held[sizes > 0] / sizes[sizes > 0, None]
        effective = held.sum(axis=0) ** 2 / (held**2).sum(axis=0)
        return (effective - 1) * (kind.clusters - max(kind.lost, 1)) / max(kind.clusters - 1, 1)


def squared(changes: Floats, shares: Floats | float, lost: int) -> Floats:
    """Σ of squared changes when one of G clusters is left out, shape (G, k) or (G,); where clusters
    count alike, less what the mean of all owes to a cluster's share of the votes (Bell and
    McCaffrey's CR3, which is the jackknife), times G/(G - lost).

    >>> float(squared(np.array([1.0, -1.0]), 0.5, 1)), float(squared(np.array([1.0, -1.0]), 0.5, 0))
    (1.0, 2.0)
    """
    if not lost:
        return np.asarray((changes**2).sum(axis=0), dtype=np.float64)
    clusters = len(changes)
    about = changes.T * (1 - shares)
    return np.asarray((about**2).sum(axis=-1) * clusters / (clusters - lost), dtype=np.float64)


def sums_by(codes: Integers, terms: Floats) -> Floats:
    """By cluster, shape (G, k), without what is left by rounding of a sum that cancels."""
    sums, whole = np.zeros((2, int(codes.max(initial=-1)) + 1, terms.shape[1]))
    for j, each in enumerate(terms.T):
        sums[:, j] = np.bincount(codes, each)
        whole[:, j] = np.bincount(codes, np.abs(each))
    sums[np.abs(sums) <= ROUNDING * whole] = 0.0
    return sums


def crossed(one_way: tuple[Floats, ...]) -> Floats:
    """Items + raters - both, and no less than the smaller of the first two: the difference is
    smaller, even negative, only if votes in neither kind of cluster agree more than by chance. A
    floor at the larger would cover 97.4 % instead of 95 % where votes are independent
    (docs/adr/0018-inference.md). Where the three cancel, nothing is left, not even the rounding.

    >>> crossed((np.array([4.0, 4.0, 0.3]), np.array([2.0, 2.0, 0.0]),
    ...          np.array([1.0, 5.0, 0.1 + 0.2]))).tolist()
    [5.0, 2.0, 0.0]
    """
    if len(one_way) == 1:
        return one_way[0]
    items, raters, both = one_way
    joint = items + raters - both
    joint = np.where(joint <= ROUNDING * (items + raters), 0.0, joint)
    return np.asarray(np.maximum(joint, np.minimum(items, raters)), dtype=np.float64)
