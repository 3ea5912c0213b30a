"""Is it EIC that raters follow, or what the eye sees: fewer functions, less depth, fewer digits?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from study.statistics.inference import clustered_rate
from study.statistics.regression import INTERCEPT
from study.statistics.threats.gaps import (
    EIC,
    NODES,
    R2,
    REMAINS,
    AdjustedPreference,
    Gap,
    columns_of,
    regress,
)
from study.statistics.visible import VISIBLE, VisiblePredictor, best_visible, noticed
from study.statistics.votes import Floats, VoteArrays

DOSE_ALPHA = 0.05
"""Of the one-sided test that the preference grows with the gap in EIC."""


@dataclass(frozen=True)
class Confounding(AdjustedPreference):
    """On the gap in EIC, the side, the gap in R², and as much of the gap in complexity and of each
    of `VISIBLE` (lower EIC less higher EIC) as is noticed.
    """

    # How well one of these counts tells the lower EIC, over the pairs with votes
    predictor: VisiblePredictor
    left_out: tuple[str, ...]  # Columns that are 0 for all votes, or follow from the others

    _JSON = (
        "fit",
        "predictor",
        "left_out",
        ("adjusted_rate", lambda found: (found.adjusted_rate or (None, None))[0]),
        ("adjusted_interval", lambda found: (found.adjusted_rate or (None, None))[1]),
        "answer",
        "dose_ratio",
        "dose_p",
        "further_rate",
        "level",
        "judgement",
    )

    @property
    def doubtful(self) -> bool:
        """Whether a clear preference is not shown to remain between formulas that look alike."""
        return self.preferred is not None and self.answer != REMAINS

    @property
    def dose_ratio(self) -> float | None:
        """By what factor the odds of a vote for the lower EIC grow with a digit of its gap."""
        term = self.fit.term(EIC)
        return None if term is None else term.ratio(1.0, self.level)[0]

    @property
    def further_rate(self) -> float | None:
        """The adjusted rate where the EICs differ by a digit more than the mean."""
        start, digit = self.fit.term(INTERCEPT), self.fit.term(EIC)
        return float(expit(start.estimate + digit.estimate)) if start and digit else None

    @property
    def dose_p(self) -> float | None:
        """One-sided: how often so steep a growth with the gap would be found if there is none."""
        term = self.fit.term(EIC)
        if term is None or term.p_value is None:
            return None
        half = term.p_value / 2
        return half if (term.estimate > 0) == (self.preferred != "higher") else 1 - half

    @property
    def grows(self) -> bool:
        """Whether the preference is shown to grow with the gap in EIC."""
        return self.dose_p is not None and self.dose_p < DOSE_ALPHA


def confounding(
    table: VoteArrays,
    pair_gaps: Mapping[str, Gap],
    looks: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
) -> Confounding:
    """Preference against the gap in EIC, adjusted for the other gaps and `looks` (columns of
    `VISIBLE`, lower EIC less higher EIC), with its dose–response. Ties and pairs with nan are left
    out. Where no combination of differences is 0, such as where the lower EIC has one function less
    in every pair, no formulas look alike, and the fit has a reason instead of terms.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p:02}", problem="q", position=1,
    ...               choice="higher" if (p + r) % 12 > 4 + p else "lower",
    ...               lower_side="left" if (p * r) % 3 else "right")
    ...          for p in range(12) for r in range(12)]
    >>> gaps = {f"p{p:02}": Gap(2 + p / 4, 0.0, 0) for p in range(12)}
    >>> looks = {f"p{p:02}": (p % 3 - 1, 0, 0, 0, 0) for p in range(12)}
    >>> found = confounding(VoteArrays.of(votes), gaps, looks)
    >>> found.answer, found.left_out[:2], found.dose_ratio > 1
    ('remains between look-alikes', ('nested functions', 'depth'), True)
    """
    used, columns = columns_of(table.decided(), pair_gaps, looks, VISIBLE)
    rated, first = np.unique(used.pair, return_index=True)
    by_pair = np.stack([columns[name][first] for name in VISIBLE], axis=1)
    problems = [used.problems[i] for i in used.problem[first]]
    r2, nodes = columns.pop(R2), columns.pop(NODES)
    columns |= {name: noticed(columns[name]) for name in VISIBLE} | {R2: r2, NODES: noticed(nodes)}
    enough = _independent(columns)
    return Confounding(
        regress(used, enough),
        level,
        clustered_rate(used),
        best_visible(by_pair, problems),
        tuple(name for name in columns if name not in enough),
    )


def _independent(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Columns that do not follow from the ones before. One that is the same for all votes, but not
    0, stays: it cannot be told from a preference for the lower EIC.
    """
    independent: dict[str, Floats] = {}
    basis: list[Floats] = []
    for name, column in columns.items():
        more = [*basis, column / (np.abs(column).max(initial=0.0) or 1.0)]
        if len(column) and np.linalg.matrix_rank(np.stack(more)) == len(more):
            independent[name], basis = column, more
    return independent
