"""Why a statistic is missing, or not to be relied on: facts, without the sentences of a report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

Kind = Literal["rater", "pair", "problem"]
"""Whose votes go together."""


class Lack(Enum):
    """A limit that no number belongs to."""

    # of a rate
    NO_VALID_VOTES = auto()
    NOBODY_DECIDED = auto()
    UNANIMOUS = auto()  # All deciding votes agree: no spread can be measured
    BALANCED = auto()  # The votes balance so evenly that no spread shows
    # of agreement
    NO_VOTES = auto()
    NO_PAIR_OF_TWO_VOTES = auto()
    ONE_CATEGORY = auto()  # All votes are for one category
    RARE_CHOICE = auto()  # One pair or rater alone holds the rarer choice
    SAME_AGREEMENT = auto()  # All pairs show the same agreement
    # of the sign test
    NO_PAIR_WITH_VOTE = auto()
    ALL_SPLIT = auto()  # The votes on every pair are split evenly
    # of a regression
    NOTHING_TO_COMPARE = auto()
    SAME_CHOICE = auto()  # All votes are for one formula of the pair
    NO_CLUSTERS_DIFFER = auto()
    # of the rates by problem
    NO_PROBLEM_WITH_VOTE = auto()
    ONE_PROBLEM = auto()
    PAIR_OR_PROBLEM = auto()  # Each problem has votes on a single pair
    ALL_AGREE = auto()
    # of a model beside people
    NO_SCORED_PAIR = auto()
    NO_VOTE_ON_SCORED_PAIR = auto()
    TOO_FEW_PAIRS = auto()  # Too few pairs or problems for an interval
    FEW_PAIRS = auto()  # So few that the interval is not to be relied on
    NO_PAIRS_DIFFER = auto()


@dataclass(frozen=True)
class OneCluster:
    """All votes are of one rater, or on one pair or problem: no interval and no test."""

    kind: Kind


@dataclass(frozen=True)
class NearlyOneProblem:
    """Problems are a sample, and nearly all votes are on one of these."""

    problems: int


@dataclass(frozen=True)
class SinglePairs:
    """Each of these problems has a single pair, so pairs of one problem cannot be compared."""

    problems: int


@dataclass(frozen=True)
class FewClusters:
    kind: Kind
    clusters: int
    enough: int


@dataclass(frozen=True)
class FewSharedProblems:
    """Too few pairs share a problem."""

    pairs: int
    problems: int


@dataclass(frozen=True)
class FewProblems:
    problems: int
    effective: float  # How many of equal size tell as much, to a tenth
    largest: int  # Votes on the largest, in percent
    enough: int


@dataclass(frozen=True)
class FewDissenting:
    """Raters or pairs, whichever are fewer, that hold the rarer choice."""

    clusters: int
    enough: int


@dataclass(frozen=True)
class FewPairsOfRarerChoice:
    pairs: int
    enough: int


@dataclass(frozen=True)
class Constant:
    """Columns that are the same for all votes."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class FewVotes:
    """Not more votes than coefficients."""

    votes: int
    coefficients: int


@dataclass(frozen=True)
class Collinear:
    names: tuple[str, ...]


@dataclass(frozen=True)
class OneClusterTells:
    """Without the votes of one cluster there is no estimate for these columns."""

    names: tuple[str, ...]
    kind: Kind


@dataclass(frozen=True)
class Separated:
    """These columns tell the votes apart, so there is no finite estimate."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Unsettled:
    steps: int


Limit = (
    Lack
    | OneCluster
    | NearlyOneProblem
    | SinglePairs
    | FewClusters
    | FewSharedProblems
    | FewProblems
    | FewDissenting
    | FewPairsOfRarerChoice
    | Constant
    | FewVotes
    | Collinear
    | OneClusterTells
    | Separated
    | Unsettled
)
"""Why there is no value, interval or test, or why not to rely on it.

In the JSON form of a statistic it stands where a report puts its sentence.
"""
