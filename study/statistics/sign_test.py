"""The sign test: on how many pairs did most raters prefer the formula of lower EIC? It ignores the
size of a majority, and takes pairs as independent, though raters and problems are shared.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.stats import binomtest

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.limits import Lack, Limit
from study.statistics.votes import VoteArrays


@dataclass(frozen=True)
class SignTest(PlainAtLevel):
    """Pairs by what most of their deciding votes chose.

    >>> test = SignTest(9, 1, 2)
    >>> test.p_value == 11 / 1024
    True
    """

    # lower, higher: pairs with a majority for the formula of lower, and of higher EIC
    lower: int
    higher: int
    split: int = 0  # Pairs with as many votes for either: they decide nothing

    _JSON = ("lower", "higher", "split", "pairs", "rate", "p_value", "reason")

    def __post_init__(self) -> None:
        if min(self.lower, self.higher, self.split) < 0:
            raise UserError("a count of pairs cannot be negative")

    @property
    def pairs(self) -> int:
        return self.lower + self.higher

    @property
    def rate(self) -> float | None:
        """Share of them whose majority is for the lower EIC; None without any."""
        return self.lower / self.pairs if self.pairs else None

    @property
    def reason(self) -> Limit | None:
        if self.pairs:
            return None
        return Lack.ALL_SPLIT if self.split else Lack.NO_PAIR_WITH_VOTE

    @property
    def p_value(self) -> float | None:
        """Exact one-sided binomial test (`scipy.stats.binomtest`) of "as many pairs either way"."""
        if not self.pairs:
            return None
        return float(binomtest(self.lower, self.pairs, 0.5, alternative="greater").pvalue)


def sign_test(table: VoteArrays) -> SignTest:
    """Count pairs by their majority; ties are no votes, and pairs without a vote do not count.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=rater, pair=pair, problem="q", choice=choice, lower_side="left",
    ...               position=1)
    ...          for pair, row in (("p", "lower lower higher"), ("q", "tie higher lower"))
    ...          for rater, choice in zip("abc", row.split())]
    >>> sign_test(VoteArrays.of(votes))
    SignTest(lower=1, higher=0, split=1)
    """
    counts = table.counts()
    lower, higher = counts[:, 0], counts[:, 1]
    return SignTest(
        int((lower > higher).sum()),
        int((lower < higher).sum()),
        int(((lower == higher) & (lower > 0)).sum()),
    )
