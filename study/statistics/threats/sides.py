"""Position bias: do raters click the left formula whatever it is, and does anybody always do so?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, Literal

import numpy as np

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate, clustered_rate, rate_of
from study.statistics.threats.common import (
    ALPHA,
    LOOK,
    RATE,
    Judgement,
    judged,
    rate_json,
)
from study.statistics.votes import VoteArrays

ENOUGH_VOTES = 5
BALANCED = 0.05


@dataclass(frozen=True)
class OneSided(PlainAtLevel):
    # left, right: raters with `minimum` deciding votes or more, all of them for that side
    left: tuple[str, ...]
    right: tuple[str, ...]
    candidates: int  # Raters with so many votes
    minimum: int
    # How many one-sided raters chance gives: for each candidate the share of the ways to deal their
    # ballots' sides, as many to the left as there were, that puts all their choices on one side
    expected: float
    p_value: float | None  # Probability of as many or more by chance; None without candidates
    without_them: ClusteredRate  # The rate of preference without these raters
    level: float

    _JSON = (
        "left",
        "right",
        "candidates",
        "minimum",
        "expected",
        "p_value",
        ("without_them", lambda found: rate_json(found.without_them, found.level)),
        "judgement",
    )

    @property
    def one_sided_count(self) -> int:
        return len(self.left) + len(self.right)

    @property
    def judgement(self) -> Judgement:
        return judged(self.p_value)


@dataclass(frozen=True)
class SideBias(PlainAtLevel):
    # left, right, ties: votes
    left: int
    right: int
    ties: int
    # Share of the deciding votes with the lower EIC on the left: one half if sides balance
    lower_on_left: float | None
    clustered: ClusteredRate  # Rate of left choices: its `lower` counts votes for the left
    one_sided: OneSided
    level: float

    _JSON = (
        "left",
        "right",
        "ties",
        "lower_on_left",
        *keys_within("clustered", RATE),
        "one_sided",
        "judgement",
    )

    @property
    def share(self) -> float | None:
        """Share of the deciding votes for the left; None without any."""
        return self.clustered.rate

    @property
    def p_value(self) -> float | None:
        """Two-sided clustered test of "left as often as right"."""
        return self.clustered.p_two_sided

    @property
    def judgement(self) -> Judgement:
        return LOOK if self.favoured else judged(self.p_value, self.clustered.too_small)

    @property
    def favoured(self) -> Literal["left", "right", ""]:
        """The side that raters favour, if a test shows it."""
        if self.share is None or self.p_value is None or self.p_value >= ALPHA:
            return ""
        return "left" if self.share > 0.5 else "right"

    @property
    def balanced(self) -> bool:
        """Whether the lower EIC stood on the left in about half of the votes."""
        return abs((self.lower_on_left or 0.0) - 0.5) < BALANCED


def sides(table: VoteArrays, *, level: float = 0.95) -> SideBias:
    """Position bias, tested by pair and rater whatever the design samples: sides are dealt to both.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", position=1,
    ...               choice="higher" if p % 3 == 0 else "lower",
    ...               lower_side="left" if (p * r) % 5 < 2 else "right")
    ...          for p in range(12) for r in range(12)]
    >>> found = sides(VoteArrays.of(votes))
    >>> found.left, found.right, found.judgement
    (76, 68, 'not flagged')
    """
    decided = table.decided()
    left = chose_left(decided)
    recoded = np.where(np.isnan(table.lower), np.nan, chose_left(table))
    by_side = rate_of(Clustering.crossed(replace(table, lower=recoded)), len(table))
    share = float(decided.on_left.mean()) if len(decided) else None
    return SideBias(
        int(left.sum()),
        int((~left).sum()),
        table.ties,
        share,
        by_side,
        one_sided_raters(table, level=level),
        level,
    )


def one_sided_raters(
    table: VoteArrays, *, minimum: int = ENOUGH_VOTES, level: float = 0.95
) -> OneSided:
    """Raters with `minimum` (1 or more) deciding votes or more who always chose one side. In half
    of a rater's ballots the lower EIC stands on the left. A rater of n votes, k of them with it on
    the left, who looks only at the formulas and chooses it L times, is all left with probability
    1/C(n, k) if L = k, and all right with the same if L = n - k.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", position=p + 1,
    ...               lower_side="left" if (p + r) % 2 else "right",
    ...               choice="lower" if r or p % 2 else "higher")
    ...          for r in range(3) for p in range(8)]
    >>> found = one_sided_raters(VoteArrays.of(votes))
    >>> found.left, found.right, found.candidates
    (('r0',), (), 3)
    """
    decided = table.decided()
    left = chose_left(decided)
    votes = np.bincount(decided.rater, minlength=len(table.raters))
    lefts = np.bincount(decided.rater, left, minlength=len(table.raters))
    shown = np.bincount(decided.rater, decided.on_left, minlength=len(table.raters))
    lower = np.bincount(decided.rater, decided.lower, minlength=len(table.raters))
    enough = np.flatnonzero(votes >= minimum)
    chances = [
        (int(lower[r] == shown[r]) + int(votes[r] - lower[r] == shown[r]))
        / comb(int(votes[r]), int(shown[r]))
        for r in enough
    ]
    all_left = [r for r in enough if lefts[r] == votes[r]]
    all_right = [r for r in enough if lefts[r] == 0]
    rest = table.select(~np.isin(table.rater, [*all_left, *all_right]))
    found = len(all_left) + len(all_right)
    return OneSided(
        tuple(table.raters[r] for r in all_left),
        tuple(table.raters[r] for r in all_right),
        len(enough),
        minimum,
        float(sum(chances)),
        _tail_probability(found, chances) if len(enough) else None,
        clustered_rate(rest),
        level,
    )


def chose_left(decided: VoteArrays) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return (decided.lower == 1) == decided.on_left


def _tail_probability(found: int, chances: list[float]) -> float:
    """P(X ≥ found) for a sum of independent events of these chances."""
    counts = np.ones(1)
    for chance in chances:
        chance = min(chance, 1.0)
        counts = np.convolve(counts, [1 - chance, chance])
    return float(min(1.0, counts[found:].sum()))
