"""Is the preference beyond the smallest effect of interest, or within it? Two one-sided tests
(Schuirmann, 1987, Journal of Pharmacokinetics and Biopharmaceutics 15:657) with the headline's
clustered t on the log odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

from eic_core.exports import Plain
from study.statistics.inference import ClusteredRate

EffectFinding = Literal["lower", "higher", "too small to matter", "open", ""]


@dataclass(frozen=True)
class EffectSize(Plain):
    """A rate held against one half plus and minus the smallest effect of interest."""

    margin: float  # The smallest effect of interest, in shares
    declared: bool  # Whether it was declared before the first vote
    alpha: float  # Significance level of each one-sided test
    # p_above, p_below: the p-values of the tests that the rate is not above 1/2 + margin, and not
    # below 1/2 - margin
    p_above: float | None
    p_below: float | None
    # p-value of the test that the rate is not between the two: the larger of two one-sided tests
    p_within: float | None

    _JSON = ("margin", "declared", "alpha", "p_above", "p_below", "p_within", "finding")

    @property
    def finding(self) -> EffectFinding:
        """Which of the tests rejects; "" without tests."""
        if self.p_above is None or self.p_below is None or self.p_within is None:
            return ""
        if self.p_above <= self.alpha:
            return "lower"
        if self.p_below <= self.alpha:
            return "higher"
        return "too small to matter" if self.p_within <= self.alpha else "open"


def effect_size(
    rate: ClusteredRate, margin: float, *, level: float = 0.95, declared: bool = False
) -> EffectSize:
    """Hold a clustered rate against the smallest effect of interest, `margin` in (0, 1/2); each
    test has the level 1 - `level`.

    >>> from types import SimpleNamespace as Vote
    >>> from study.statistics.inference import clustered_rate
    >>> from study.statistics.votes import VoteArrays
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", lower_side="left", position=1,
    ...               choice="higher" if (p * p + r) % 7 < p % 3 else "lower")
    ...          for p in range(40) for r in range(11)]
    >>> rate = clustered_rate(VoteArrays.of(votes))
    >>> effect_size(rate, 0.05).finding, effect_size(rate, 0.45).finding
    ('lower', 'too small to matter')
    """
    odds = rate.log_odds
    if rate.reason or odds is None:
        return EffectSize(margin, declared, 1 - level, None, None, None)
    edge = log((0.5 + margin) / (0.5 - margin))
    within = max(odds.p_above(-edge), odds.p_below(edge))
    return EffectSize(margin, declared, 1 - level, odds.p_above(edge), odds.p_below(-edge), within)
