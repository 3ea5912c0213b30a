"""Position bias: do raters click the left formula whatever it is, and does anybody always do so?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import between
from study.statistics.threats.common import (
    ALPHA,
    FINE,
    LOOK,
    RATE,
    UNKNOWN,
    Judgement,
    rate_json,
    rate_words,
    side_of_half,
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
    # everybody, without_them: the rate of preference with and without these raters
    everybody: ClusteredRate
    without_them: ClusteredRate
    level: float

    _JSON = (
        "left",
        "right",
        "candidates",
        "minimum",
        "expected",
        "p_value",
        ("without_them", lambda found: rate_json(found.without_them, found.level)),
        "sentence",
        "judgement",
    )

    @property
    def one_sided_count(self) -> int:
        return len(self.left) + len(self.right)

    @property
    def judgement(self) -> Judgement:
        if self.p_value is None:
            return UNKNOWN
        before, after = (
            side_of_half(rate.interval(self.level)) for rate in (self.everybody, self.without_them)
        )
        return LOOK if self.one_sided_count and (self.p_value < ALPHA or before != after) else FINE

    @property
    def sentence(self) -> str:
        if self.p_value is None:
            return (
                f"No rater has {self.minimum} deciding votes, so nobody can be said to click "
                "always on one side."
            )
        of = f"{wording.count(self.candidates, 'rater')} with {self.minimum} or more votes"
        few = f"about {self.expected:.1f}" if self.expected >= 0.05 else "hardly any"
        chance = f"chance would give {few}"
        if not self.one_sided_count:
            return f"None of {of} always chose the same side ({chance})."
        rest = (
            f"the rate is {rate_words(self.without_them, self.level)}"
            if self.without_them.votes
            else "no votes are left"
        )
        return (
            f"{self.one_sided_count} of {of} always chose the same side ({len(self.left)} left, "
            f"{len(self.right)} right); {chance} ({wording.p_clause(self.p_value)}). Without them "
            f"{rest}."
        )


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
        "sentence",
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
        if self.p_value is not None and self.p_value < ALPHA:
            return LOOK
        return UNKNOWN if self.p_value is None or self.clustered.too_small else FINE

    @property
    def sentence(self) -> str:
        found = self.clustered
        if found.rate is None:
            return found.reason
        votes = wording.count(found.votes, "vote")
        said = f"The formula on the left was chosen in {wording.percent(found.rate, 0)} of {votes}"
        if found.p_two_sided is None:
            return f"{said}. {found.reason}"
        said += f" ({between(found.interval(self.level))}; {wording.p_clause(found.p_two_sided)})"
        if found.p_two_sided >= ALPHA:
            return f"{said}{self._caution or ': no sign that raters favour a side.'}"
        side = "left" if found.rate > 0.5 else "right"
        shown = self.lower_on_left or 0.0
        effect = (
            "so sides balance, and this moves the rate of preference towards one half, not away "
            "from it."
            if abs(shown - 0.5) < BALANCED
            else "so sides do not balance, and this moves the rate of preference."
        )
        return (
            f"{said}: raters favour the {side}. The formula of lower EIC stood on the left in "
            f"{wording.percent(shown, 0)} of these votes, {effect}{self._caution[1:]}"
        )

    @property
    def _caution(self) -> str:
        return f". {self.clustered.too_small}" if self.clustered.too_small else ""


def sides(table: VoteArrays, *, level: float = 0.95) -> SideBias:
    """Position bias, tested with the clustered variance of the headline.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", position=1,
    ...               choice="higher" if p % 3 == 0 else "lower",
    ...               lower_side="left" if (p * r) % 5 < 2 else "right")
    ...          for p in range(12) for r in range(12)]
    >>> found = sides(VoteArrays.of(votes))
    >>> found.left, found.right, found.judgement
    (76, 68, 'no sign of a problem')
    """
    decided = table.decided()
    left = chose_left(decided)
    recoded = np.where(np.isnan(table.lower), np.nan, chose_left(table))
    by_side = clustered_rate(replace(table, lower=recoded))
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
        clustered_rate(table),
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
