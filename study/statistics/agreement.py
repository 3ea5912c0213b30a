"""How far raters agree on which formula is better: Fleiss' kappa and its companions. The categories
are "lower EIC" and "higher EIC", whatever the side on screen; coded as left and right, the same
votes give another value. Ties are no vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    measured,
    raw,
    terms,
)
from study.statistics.clusters import Estimand
from study.statistics.jackknife import PairSums
from study.statistics.limits import Lack, Limit
from study.statistics.votes import VoteArrays

__all__ = [
    "CATEGORIES",
    "CODING",
    "Agreement",
    "Coefficient",
    "FleissKappa",
    "agreement_of",
    "count_choices",
    "fleiss_kappa",
]

CATEGORIES = ("lower", "higher")
CODING = "categories: the formula of lower EIC, the formula of higher EIC; ties are no vote"
PREVALENCE_PULL = 0.1
"""By how much an uneven split of votes must lower kappa before it is worth a sentence."""


@dataclass(frozen=True)
class FleissKappa(PlainAtLevel):
    # Votes for each category, one row a subject (pair); rows as given
    counts: tuple[tuple[int, ...], ...]
    categories: tuple[str, ...]
    value: float | None  # Fleiss' kappa, at most 1; None if it is not defined
    reason: Limit | None  # Why it is not
    # observed, expected: mean agreement of two votes on a subject, and what chance gives
    observed: float | None
    expected: float | None

    _JSON = (
        "value",
        "reason",
        "observed",
        "expected",
        "subjects",
        "left_out",
        "votes",
        (
            "coding",
            lambda kappa: CODING if kappa.categories == CATEGORIES else ", ".join(kappa.categories),
        ),
    )

    @property
    def subjects(self) -> int:
        """Subjects with at least two votes: those that count."""
        return sum(sum(row) >= 2 for row in self.counts)

    @property
    def left_out(self) -> int:
        return len(self.counts) - self.subjects

    @property
    def votes(self) -> int:
        return sum(sum(row) for row in self.counts if sum(row) >= 2)


def fleiss_kappa(
    counts: Iterable[Sequence[int]], categories: Sequence[str] = CATEGORIES
) -> FleissKappa:
    """Fleiss' kappa of `counts`, shape (subjects, categories), for unequal numbers of votes.

    Of the subjects i with n_i ≥ 2 votes, n_ij of them for category j,

        observed = mean_i Σ_j n_ij (n_ij - 1) / (n_i (n_i - 1)),
        expected = Σ_j (mean_i n_ij / n_i)²,
        kappa = (observed - expected) / (1 - expected).

    With equal n_i this is Fleiss (1971, Psychological Bulletin 76:378), else Gwet (2014, Handbook
    of Inter-Rater Reliability, 4th ed., ch. 2), but subjects with one vote count nowhere. Raises
    `UserError` if a row does not fit the categories or has a negative count.

    >>> round(fleiss_kappa([[4, 1], [0, 3], [2, 2], [5, 0]]).value, 4)
    0.4544
    >>> fleiss_kappa([[3, 0], [2, 0]]).reason.name
    'ONE_CATEGORY'
    """
    rows = tuple(tuple(int(n) for n in row) for row in counts)
    names = tuple(categories)
    for row in rows:
        if len(row) != len(names) or min(row, default=0) < 0:
            raise UserError(f"a row of counts needs {len(names)} counts of 0 or more")
    used = [row for row in rows if sum(row) >= 2]
    if not used:
        reason = Lack.NO_PAIR_OF_TWO_VOTES if rows else Lack.NO_VOTES
        return FleissKappa(rows, names, None, reason, None, None)
    value, observed, expected = measured(fleiss, used)
    if sum(map(any, zip(*used, strict=True))) < 2:
        return FleissKappa(rows, names, None, Lack.ONE_CATEGORY, observed, expected)
    return FleissKappa(rows, names, value, None, observed, expected)


def count_choices(votes: Iterable[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Votes for lower and higher EIC on each pair, ties left out.

    >>> count_choices([("p1", "lower"), ("p1", "higher"), ("p2", "tie"), ("p1", "lower")])
    {'p1': (2, 1), 'p2': (0, 0)}
    """
    counts: dict[str, tuple[int, int]] = {}
    for pair, choice in votes:
        low, high = counts.get(pair, (0, 0))
        counts[pair] = (low + (choice == "lower"), high + (choice == "higher"))
    return counts


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
