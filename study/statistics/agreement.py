"""How far raters agree on which formula is better: Fleiss' kappa and its companions. The categories
are "lower EIC" and "higher EIC", whatever the side on screen; coded as left and right, the same
votes give another value. Ties are no vote.
"""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.agreement_coefficients import (
    FEW_PAIRS,
    FEW_PAIRS_RAW,
    PAIRS,
    Coefficient,
    coefficient,
    fleiss,
    gwet,
    krippendorff,
    raw,
    terms,
)
from study.statistics.clusters import Estimand
from study.statistics.jackknife import PairSums
from study.statistics.votes import VoteArrays

CODING = "categories: the formula of lower EIC, the formula of higher EIC; ties are no vote"
PREVALENCE_PULL = 0.1
"""By how much an uneven split of votes must lower kappa before it is worth a sentence."""


@dataclass(frozen=True)
class Agreement(PlainAtLevel):
    raw_agreement: Coefficient
    fleiss_kappa: Coefficient
    krippendorff_alpha: Coefficient
    gwet_ac1: Coefficient
    # Mean share of votes for the lower EIC on the pairs that count; None if none counts
    lower_share: float | None
    coding: str  # What the categories are: the coefficients depend on it
    estimand: Estimand  # What the intervals are for
    level: float

    _JSON = (
        "raw_agreement",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1",
        "lower_share",
        "coding",
        "estimand",
        ("seed", lambda _: None),  # of the draws of earlier versions
        "level",
    )

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Those that the report shows; alpha, which tells what kappa tells, is in its JSON."""
        return self.raw_agreement, self.fleiss_kappa, self.gwet_ac1

    @property
    def pulled_down(self) -> bool:
        """Whether an uneven split of the votes lowers kappa by `PREVALENCE_PULL` or more: below
        2 · raw - 1 (Bennett's S), its value if votes were evenly split.
        """
        raw, kappa = self.raw_agreement.value, self.fleiss_kappa.value
        if raw is None or kappa is None or self.lower_share is None or self.gwet_ac1.value is None:
            return False
        return (2 * raw - 1) - kappa >= PREVALENCE_PULL and raw > 0.5


def agreement_of(
    table: VoteArrays, estimand: Estimand | None = None, *, level: float = 0.95
) -> Agreement:
    """How far raters agree on which formula of a pair is better; ties are left out. The intervals
    leave out the units of the estimand, by default that of the design, and raters. Raises
    `UserError` if the level does not lie between 0 and 1.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{rater}", pair=f"p{pair}", problem="q", lower_side="left",
    ...               choice="higher" if (pair + rater) % 10 == 0 else "lower", position=1)
    ...          for pair in range(60) for rater in range(5)]
    >>> found = agreement_of(VoteArrays.of(votes))
    >>> round(found.raw_agreement.value, 2), round(found.fleiss_kappa.value, 2)
    (0.8, -0.11)
    >>> found.pulled_down
    True
    """
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    sums = PairSums.of(table, terms, estimand)
    share = float(sums.whole[4] / sums.whole[PAIRS]) if sums.whole[PAIRS] else None
    raw_of, kappa, alpha, ac1 = (
        coefficient(name, measure, sums, level, few)
        for name, measure, few in (
            ("raw agreement", raw, FEW_PAIRS_RAW),
            ("Fleiss' kappa", fleiss, FEW_PAIRS),
            ("Krippendorff's alpha", krippendorff, FEW_PAIRS),
            ("Gwet's AC1", gwet, FEW_PAIRS_RAW),
        )
    )
    return Agreement(raw_of, kappa, alpha, ac1, share, CODING, sums.grouped.estimand, level)
