"""The preference in subgroups of raters that were declared before the first vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eic_core.exports import PlainAtLevel, keys_within
from study.statistics.clusters import Clustering
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.regression import LogisticFit, logistic
from study.statistics.threats.common import RATE
from study.statistics.votes import VoteArrays

FEWEST = 5
"""Raters of a group that stands for itself; smaller ones are taken together."""
OTHERS = "all others"


@dataclass(frozen=True)
class SubgroupRate(PlainAtLevel):
    name: str
    # raters, votes: raters with a valid vote, and their valid votes, ties included
    raters: int
    votes: int
    rate: ClusteredRate

    _JSON = ("name", "raters", "valid=votes", *keys_within("rate", RATE))


@dataclass(frozen=True)
class Subgroups(PlainAtLevel):
    what: str  # "degree" or "field"
    # By number of raters, the largest first; those taken together last
    groups: tuple[SubgroupRate, ...]
    fit: LogisticFit  # Log odds of a vote for the lower EIC on each group but the first
    level: float

    _JSON = ("what", "groups", "p_value", "level")

    @property
    def p_value(self) -> float | None:
        return self.fit.p_value


def subgroups(
    table: VoteArrays, answers: Mapping[str, str], what: str, *, level: float = 0.95
) -> Subgroups:
    """Rates by an answer of the raters to the question `what`; case and spaces make no difference.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater=f"r{r:02}", pair=f"p{p}", problem="q", lower_side="left",
    ...               position=p + 1, choice="higher" if (p * r) % 5 == 0 else "lower")
    ...          for p in range(12) for r in range(12)]
    >>> fields = {f"r{r:02}": "Physics" if r < 6 else " art" if r < 11 else "Law"
    ...           for r in range(12)}
    >>> found = subgroups(VoteArrays.of(votes), fields, "field")
    >>> [(each.name, each.raters, each.votes) for each in found.groups]
    [('physics', 6, 72), ('art', 5, 60), ('all others', 1, 12)]
    """
    told = [" ".join(answers.get(name, "").casefold().split()) for name in table.raters]
    here = sorted(set(table.rater.tolist()))
    sizes = Counter(told[rater] for rater in here)
    named = sorted(
        (name for name in sizes if sizes[name] >= FEWEST and name),
        key=lambda name: (-sizes[name], name),
    )
    group = np.array([name if name in named else OTHERS for name in told], dtype=object)
    of_vote = group[table.rater] if len(table) else np.array([], dtype=object)
    order = [*named, *([OTHERS] if (of_vote == OTHERS).any() else [])]
    groups = tuple(
        SubgroupRate(name, len(set(chosen.rater.tolist())), len(chosen), clustered_rate(chosen))
        for name in order
        for chosen in (table.select(of_vote == name),)
    )
    decides = ~np.isnan(table.lower)
    decided, where = table.select(decides), of_vote[decides]
    columns = np.array([where == name for name in order[1:]], dtype=np.float64)
    matrix = columns.reshape(max(0, len(order) - 1), len(decided)).T
    fit = logistic(decided.lower, matrix, order[1:], Clustering.of(decided))
    return Subgroups(what, groups, fit, level)
