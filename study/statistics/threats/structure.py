"""Do raters follow EIC, or what the eye sees: fewer functions, less depth, fewer digits?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.exports import PlainAtLevel
from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval
from study.statistics.regression import INTERCEPT, LogisticFit, logistic
from study.statistics.threats.common import (
    FINE,
    LOOK,
    UNKNOWN,
    Judgement,
    side_of_half,
)
from study.statistics.threats.gaps import EIC, SIDE, Gap
from study.statistics.visible import VISIBLE, VisiblePredictor, best_visible
from study.statistics.votes import Flags, Floats, VoteArrays

DOSE_ALPHA = 0.05
"""Of the one-sided test that the preference grows with the gap in EIC."""


@dataclass(frozen=True)
class Confounding(PlainAtLevel):
    """Clustered logistic regression of the votes on the gap in EIC and on what the eye sees."""

    # The gap in EIC is taken from its mean, the side is ±1/2; what the eye sees is the count of the
    # formula of lower EIC less that of higher EIC. So the intercept is the log odds between
    # formulas that look alike, at the mean gap in EIC.
    fit: LogisticFit
    # How well one of these counts tells the lower EIC, over the pairs with votes
    predictor: VisiblePredictor
    left_out: tuple[str, ...]  # Counts that are the same for all votes, or follow from the others
    unadjusted: ClusteredRate
    level: float

    _JSON = (
        "fit",
        "predictor",
        "left_out",
        ("adjusted_rate", lambda found: (found.adjusted_rate or (None, None))[0]),
        ("adjusted_interval", lambda found: (found.adjusted_rate or (None, None))[1]),
        "dose_ratio",
        "dose_p",
        "level",
        "judgement",
    )

    @property
    def adjusted_rate(self) -> tuple[float, Interval] | None:
        """The rate between formulas that look alike, at the mean gap in EIC."""
        term = self.fit.term(INTERCEPT)
        return None if term is None else term.rate(self.level)

    @property
    def dose_ratio(self) -> float | None:
        """By what factor the odds of a vote for the lower EIC grow with a digit of its gap."""
        term = self.fit.term(EIC)
        return None if term is None else term.ratio(1.0, self.level)[0]

    @property
    def dose_p(self) -> float | None:
        """One-sided: how likely so steep a growth with the gap is if there is none."""
        term = self.fit.term(EIC)
        if term is None or term.p_value is None:
            return None
        half = term.p_value / 2
        return half if (term.estimate > 0) == self._above else 1 - half

    @property
    def _above(self) -> bool:
        return side_of_half(self.unadjusted.interval(self.level)) != "below"

    @property
    def judgement(self) -> Judgement:
        plain = side_of_half(self.unadjusted.interval(self.level))
        if plain in ("", "open") or self.unadjusted.too_small:
            return UNKNOWN
        return FINE if self.holds and self.grows else LOOK

    @property
    def holds(self) -> bool:
        plain = side_of_half(self.unadjusted.interval(self.level))
        """Whether formulas that look alike give the same preference."""
        found = self.adjusted_rate
        return found is not None and side_of_half(found[1]) == plain

    @property
    def grows(self) -> bool:
        """Whether the preference grows with the gap in EIC."""
        return self.dose_p is not None and self.dose_p < DOSE_ALPHA


def confounding(
    table: VoteArrays,
    pair_gaps: Mapping[str, Gap],
    looks: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
) -> Confounding:
    """Preference against the gap in EIC, adjusted for `looks` (columns of `VISIBLE`, lower EIC less
    higher EIC), with its dose–response. Ties and pairs with nan are left out.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p:02}", problem="q", position=1,
    ...               choice="higher" if (p + r) % 12 > 4 + p else "lower",
    ...               lower_side="left" if (p * r) % 3 else "right")
    ...          for p in range(12) for r in range(12)]
    >>> gaps = {f"p{p:02}": Gap(2 + p / 4, 0.0, 0) for p in range(12)}
    >>> looks = {f"p{p:02}": (p % 3 - 1, 0, 0, 0, 0) for p in range(12)}
    >>> found = confounding(VoteArrays.of(votes), gaps, looks)
    >>> found.judgement, found.left_out[0], found.dose_ratio > 1
    ('no sign of a problem', 'nested functions', True)
    """
    decided = table.decided()
    unknown = (float("nan"),) * len(VISIBLE)
    by_pair = np.array(
        [
            (pair_gaps[name].eic if name in pair_gaps else np.nan, *looks.get(name, unknown))
            for name in decided.pairs
        ],
        dtype=np.float64,
    ).reshape(-1, 1 + len(VISIBLE))
    finite: Flags = np.array(np.isfinite(by_pair[decided.pair]).all(axis=1), dtype=np.bool_)
    used = decided.select(finite)
    values = by_pair[used.pair]
    rated, first = np.unique(used.pair, return_index=True)
    names = [used.problems[i] for i in used.problem[first]]
    columns, left_out = _columns(used, values)
    matrix = np.stack(list(columns.values()), axis=1) if columns else np.zeros((len(used), 0))
    fit = logistic(used.lower, matrix, list(columns), Clustering.of(used))
    return Confounding(
        fit, best_visible(by_pair[rated, 1:], names), left_out, clustered_rate(used), level
    )


def _columns(used: VoteArrays, values: Floats) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Columns that differ between votes and do not follow from the ones before, and the rest."""
    if not len(used):
        return {}, VISIBLE
    wanted = {
        EIC: values[:, 0] - values[:, 0].mean(),
        SIDE: np.where(used.on_left, 0.5, -0.5),
        **{name: values[:, 1 + i] for i, name in enumerate(VISIBLE)},
    }
    kept: dict[str, Floats] = {}
    basis = np.ones((len(used), 1))
    for name, column in wanted.items():
        tried = np.column_stack((basis, column / (np.abs(column).max() or 1.0)))
        if np.linalg.matrix_rank(tried) > basis.shape[1]:
            kept[name], basis = column, tried
    return kept, tuple(name for name in wanted if name not in kept)
