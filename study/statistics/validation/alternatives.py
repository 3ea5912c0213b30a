"""Two other ways to allow for uneven problems: CR2 with Satterthwaite degrees of freedom (Bell and
McCaffrey, 2002; R's clubSandwich), and the wild cluster bootstrap with the null imposed (Cameron,
Gelbach and Miller, 2008, Review of Economics and Statistics 90:414) with Webb's six-point weights
by problem. Why the headline is neither: docs/adr/0018-inference.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate
from study.statistics.variance import Component
from study.statistics.votes import Floats, VoteArrays

DRAWS = 399
WEBB = np.array([-np.sqrt(1.5), -1.0, -np.sqrt(0.5), np.sqrt(0.5), 1.0, np.sqrt(1.5)])


def satterthwaite(rate: ClusteredRate, table: VoteArrays) -> ClusteredRate:
    """The rate with CR2 by problem, and the degrees of freedom of that variance. The sum of a
    problem's residuals is divided by √(1 - its share of the votes); the degrees of freedom, for
    independent votes, are (trace A)²/trace A² for the covariance A of these sums.
    """
    grouped = Clustering.of(table, "problems like these")
    sizes = np.bincount(grouped.items).astype(np.float64)
    sums = np.bincount(grouped.items, grouped.about_fixed(grouped.table.lower))[sizes > 0]
    sizes = sizes[sizes > 0]
    votes = sizes.sum()
    rest = 1.0 - sizes / votes
    covariance = np.diag(sizes) - np.outer(sizes, sizes) / votes
    covariance /= np.sqrt(np.outer(rest, rest))
    degrees = float(np.trace(covariance) ** 2 / (covariance**2).sum())
    part = Component("problem", len(sizes), float((sums**2 / rest).sum() / votes**2))
    return replace(
        rate,
        components=(part, *rate.components[1:]),
        degrees_of_freedom=min(degrees, rate.components[1].clusters - 1),
    )


@dataclass(frozen=True, eq=False)
class WildBootstrap:
    """Votes and rows by problem and rater, and the weights of the draws."""

    # lower, votes: shape (problems, raters): Votes for the lower EIC, and all
    lower: Floats
    votes: Floats
    weights: Floats  # shape (draws, problems)

    @classmethod
    def of(cls, table: VoteArrays, draws: int = DRAWS, seed: int = 0) -> WildBootstrap:
        """Of deciding votes; the same seed draws the same weights."""
        decided = table.decided()
        shape = len(table.problems), len(table.raters)
        cell = decided.problem * shape[1] + decided.rater
        size = shape[0] * shape[1]
        weights = np.random.default_rng(seed).choice(WEBB, (draws, shape[0]))
        lower, votes = (
            np.bincount(cell, what, size).reshape(shape).astype(np.float64)
            for what in (decided.lower, np.ones(len(decided)))
        )
        return cls(lower, votes, weights)

    def accepts(self, rate: float, level: float) -> bool:
        """Whether a two-sided test does not reject this rate."""
        drawn, found = self._statistics(rate)
        beyond = np.count_nonzero(np.abs(drawn) >= abs(found))
        return bool((1 + beyond) / (1 + len(drawn)) > 1 - level)

    @property
    def p_value(self) -> float:
        """One-sided: how likely so high a rate is if the true one is one half."""
        drawn, found = self._statistics(0.5)
        return float((1 + np.count_nonzero(drawn >= found)) / (1 + len(drawn)))

    def _statistics(self, rate: float) -> tuple[Floats, float]:
        """The two-way t statistic of each draw, with the null imposed, and of the study itself."""
        weights = np.vstack([np.ones((1, len(self.votes))), self.weights])
        cells = self.lower - rate * self.votes
        total = self.votes.sum()
        change = weights @ cells.sum(1) / total
        by_problem = weights * cells.sum(1) - change[:, None] * self.votes.sum(1)
        by_rater = weights @ cells - change[:, None] * self.votes.sum(0)
        both: Floats = (
            weights**2 @ (cells**2).sum(1)
            - 2 * change * (weights @ (cells * self.votes).sum(1))
            + change**2 * (self.votes**2).sum()
        )
        item = _corrected((by_problem**2).sum(1), int(np.count_nonzero(self.votes.sum(1))))
        rater = _corrected((by_rater**2).sum(1), int(np.count_nonzero(self.votes.sum(0))))
        joint = item + rater - _corrected(both, int(np.count_nonzero(self.votes)))
        spread = np.sqrt(np.maximum(joint, np.minimum(item, rater)))
        found = np.divide(change * total, spread, out=np.zeros_like(change), where=spread > 0)
        return found[1:], float(found[0])


def _corrected(squares: Floats, clusters: int) -> Floats:
    return np.asarray(squares * (clusters / max(clusters - 1, 1)), dtype=np.float64)
