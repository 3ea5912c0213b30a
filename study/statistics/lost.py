"""How many of the votes that are lost would undo the verdict, had they been for the other side?
Votes may be lost by choice: with 15 % of one side's lost, the headline's 5 % test rejects 10.5 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp

from eic_core.exports import Plain
from study.statistics.inference import ClusteredRate, Finding


@dataclass(frozen=True)
class LostVotes(Plain):
    """Votes that are lost, and the bound. Those that were cast are known, the others are not."""

    finding: Finding  # The verdict: which formula was preferred
    # The least number of further votes for the other formula, all else as it is, with which the
    # interval reaches one half; None where no verdict is to be undone, or no spread shows
    needed: int | None
    # left_out, undone: votes that do not count, and answers that were undone and not given again
    left_out: int
    undone: int
    unfinished: int  # Never cast, by raters who stopped early
    withdrawn: int  # Of people who withdrew, if each would have voted on all pairs of a session
    # lower, higher: what the votes left out and undone chose
    lower: int
    higher: int

    _JSON = (
        "finding",
        "needed",
        "lost",
        "left_out",
        "undone",
        "unfinished",
        "withdrawn",
        "lower",
        "higher",
        "stands",
    )

    @property
    def lost(self) -> int:
        return self.left_out + self.undone + self.unfinished + self.withdrawn

    @property
    def stands(self) -> bool | None:
        """Whether the verdict stands even if all lost votes were for the other formula; None
        without a verdict.
        """
        return None if self.needed is None else self.lost < self.needed


def lost_votes(
    rate: ClusteredRate,
    *,
    left_out: Iterable[str] = (),
    undone: Iterable[str] = (),
    unfinished: int = 0,
    withdrawn: int = 0,
    level: float = 0.95,
    one_sided: bool = False,
) -> LostVotes:
    """The bound for a headline's `finding`; `left_out` and `undone` are choices. The lost votes are
    taken to be spread like the others, so that the standard error of the log odds stays: on one
    problem fewer may do.

    >>> from types import SimpleNamespace as Vote
    >>> from study.statistics.inference import clustered_rate
    >>> from study.statistics.votes import VoteArrays
    >>> votes = [Vote(rater=f"r{r}", pair=f"p{p}", problem="q", lower_side="left", position=1,
    ...               choice="higher" if (p * p + r) % 7 < p % 3 else "lower")
    ...          for p in range(40) for r in range(11)]
    >>> rate = clustered_rate(VoteArrays.of(votes))
    >>> bound = lost_votes(rate, left_out=["higher"] * 30, unfinished=60)
    >>> rate.lower, rate.votes, bound.needed, bound.lost, bound.stands
    (385, 440, 160, 90, True)
    """
    finding = rate.finding(level, one_sided=one_sided)
    left_out, undone = list(left_out), list(undone)
    choices = Counter([*left_out, *undone])
    return LostVotes(
        finding,
        _needed(rate, finding, level, one_sided=one_sided),
        len(left_out),
        len(undone),
        unfinished,
        withdrawn,
        choices["lower"],
        choices["higher"],
    )


def _needed(rate: ClusteredRate, finding: Finding, level: float, *, one_sided: bool) -> int | None:
    odds = rate.log_odds
    if finding not in ("lower", "higher") or odds is None:
        return None
    leading = rate.lower if finding == "lower" else rate.votes - rate.lower
    share = level if one_sided else (1 + level) / 2
    return ceil(leading * exp(-odds.reach(share))) - (rate.votes - leading)
