"""Why a statistic is missing, or not to be relied on."""

from __future__ import annotations

from typing import Any, overload

from eic_core import wording
from eic_core.phrasing import Phrase, say, say_count
from study.statistics.limits import (
    Collinear,
    Constant,
    FewClusters,
    FewDissenting,
    FewPairsOfRarerChoice,
    FewProblems,
    FewSharedProblems,
    FewVotes,
    Kind,
    Lack,
    Limit,
    NearlyOneProblem,
    OneCluster,
    OneClusterTells,
    Separated,
    SinglePairs,
    Unsettled,
)


@overload
def limit(why: Limit) -> Phrase: ...
@overload
def limit(why: None) -> None: ...
@overload
def limit(why: Limit | None) -> Phrase | None: ...


def limit(why: Limit | None) -> Phrase | None:
    """A limit as a sentence; None for none.

    >>> print(limit(FewClusters("rater", 7, 10)))
    Only 7 raters: with fewer than 10 the spread between them cannot be measured well, so do not
    rely on the interval or the test.
    """
    match why:
        case None:
            return None
        case Lack():
            return _lack(why)
        case OneCluster(kind):
            return _one_cluster(kind)
        case NearlyOneProblem(problems):
            return say(
                "Nearly all votes are on one of the {problems} problems, so nothing can be said "
                "about other problems: there is no interval and no test.",
                problems=problems,
            )
        case SinglePairs(problems):
            return say(
                "Each of the {problems} problems has a single pair, so pairs of one problem "
                "cannot be compared: there is no interval and no test.",
                problems=problems,
            )
        case FewClusters(kind, clusters, enough):
            return say(
                "Only {clusters}: with fewer than {enough} the spread between them cannot be "
                "measured well, so do not rely on the interval or the test.",
                clusters=clusters_text(kind, clusters),
                enough=enough,
            )
        case FewSharedProblems(pairs, problems):
            return say(
                "Only {pairs} pairs on {problems} problems: too few pairs share a problem to "
                "measure how they differ, so do not rely on the interval or the test.",
                pairs=pairs,
                problems=problems,
            )
        case FewProblems(problems, effective, largest, enough):
            return say(
                "The votes on {problems} problems tell as much about other problems as those on "
                "{effective} problems of equal size (the largest holds {largest} % of them): with "
                "fewer than {enough} the spread between problems cannot be measured well, so do "
                "not rely on the interval or the test.",
                problems=problems,
                effective=wording.number(effective, 1),
                largest=largest,
                enough=enough,
            )
        case FewDissenting(clusters, enough):
            return say_count(
                "The rarer choice comes from one rater or pair only: with fewer than {enough} the "
                "spread cannot be measured well, so do not rely on the interval or the test.",
                "The rarer choice comes from {count} raters or pairs only: with fewer than "
                "{enough} the spread cannot be measured well, so do not rely on the interval or "
                "the test.",
                clusters,
                enough=enough,
            )
        case FewPairsOfRarerChoice(pairs, enough):
            return say_count(
                "Only one pair has a vote for the rarer choice: with fewer than {enough} the "
                "interval tends to be too narrow, so do not rely on it.",
                "Only {count} pairs have a vote for the rarer choice: with fewer than {enough} "
                "the interval tends to be too narrow, so do not rely on it.",
                pairs,
                enough=enough,
            )
        case Constant(names):
            return say_count(
                "{names} is the same for all votes.",
                "{names} are the same for all votes.",
                len(names),
                names=wording.capital(wording.join(names)),
            )
        case FewVotes(votes, coefficients):
            return say_count(
                "{count} vote cannot tell {coefficients} coefficients.",
                "{count} votes cannot tell {coefficients} coefficients.",
                votes,
                coefficients=coefficients,
            )
        case Collinear(names):
            return say(
                "The effects of {names} cannot be told apart in these votes.",
                names=wording.join(names),
            )
        case OneClusterTells(names, kind):
            return say(
                "What there is on {names} comes from the votes {where} alone, so nothing can be "
                "said about others.",
                names=wording.join(names),
                where={
                    "rater": say("of one rater"),
                    "pair": say("on one pair"),
                    "problem": say("on one problem"),
                }[kind],
            )
        case Separated(names):
            return say(
                "{names} would tell the votes apart almost or wholly without exception, so there "
                "is no finite estimate.",
                names=wording.capital(wording.join(names)),
            )
        case Unsettled(steps):
            return say(
                "The estimate had not settled after {steps} steps, so none is given.", steps=steps
            )


def _lack(why: Lack) -> Phrase:
    return {
        Lack.NO_VALID_VOTES: say("There are no valid votes."),
        Lack.NOBODY_DECIDED: say("Nobody decided for either formula."),
        Lack.UNANIMOUS: say(
            "All deciding votes agree, so their spread cannot be measured: "
            "the interval takes all votes that go together as a single vote."
        ),
        Lack.BALANCED: say(
            "The votes balance so evenly that no spread shows between raters or pairs: "
            "the interval takes all votes that go together as a single vote."
        ),
        Lack.NO_VOTES: say("There are no votes."),
        Lack.NO_PAIR_OF_TWO_VOTES: say("No pair has two votes."),
        Lack.ONE_CATEGORY: say(
            "All votes are for one category, so agreement beyond chance is not defined."
        ),
        Lack.RARE_CHOICE: say("Too few pairs hold the rarer choice to give an interval."),
        Lack.SAME_AGREEMENT: say(
            "All pairs show the same agreement, so their spread gives no interval."
        ),
        Lack.NO_PAIR_WITH_VOTE: say("No pair has a vote."),
        Lack.ALL_SPLIT: say("The votes on every pair are split evenly."),
        Lack.NOTHING_TO_COMPARE: say("There are no votes to compare."),
        Lack.SAME_CHOICE: say(
            "All votes are for the same formula of the pair, so nothing can depend on anything."
        ),
        Lack.NO_CLUSTERS_DIFFER: say(
            "The votes of no two clusters differ in this, so there is nothing to test it against."
        ),
        Lack.NO_PROBLEM_WITH_VOTE: say("There are no deciding votes on any problem."),
        Lack.ONE_PROBLEM: say("All votes are on one problem, so problems cannot be compared."),
        Lack.PAIR_OR_PROBLEM: say(
            "Each problem has votes on a single pair, so what is of the problem and what of the "
            "pair cannot be told apart."
        ),
        Lack.ALL_AGREE: say("All deciding votes agree, so the problems do not differ."),
        Lack.NO_SCORED_PAIR: say("No pair has an answer that decides in both orders."),
        Lack.NO_VOTE_ON_SCORED_PAIR: say("No vote is on a pair that has a score."),
        Lack.TOO_FEW_PAIRS: say(
            "There are too few pairs or problems to measure how they differ: no interval."
        ),
        Lack.FEW_PAIRS: say(
            "With so few pairs or problems their spread cannot be measured well: do not rely on it."
        ),
        Lack.NO_PAIRS_DIFFER: say("No two pairs differ, so their spread gives no interval."),
    }[why]


def _one_cluster(kind: Kind) -> Phrase:
    return {
        "rater": say(
            "All votes are of one rater, so nothing can be said about other raters: "
            "there is no interval and no test."
        ),
        "pair": say(
            "All votes are on one pair, so nothing can be said about other pairs: "
            "there is no interval and no test."
        ),
        "problem": say(
            "All votes are on one problem, so nothing can be said about other problems: "
            "there is no interval and no test."
        ),
    }[kind]


def clusters_text(kind: Kind, number: int) -> Phrase:
    """A number of clusters.

    >>> print(clusters_text("pair", 1200))
    1,200 pairs
    """
    return {
        "rater": say_count("{count} rater", "{count} raters", number),
        "pair": say_count("{count} pair", "{count} pairs", number),
        "problem": say_count("{count} problem", "{count} problems", number),
    }[kind]


LIMITS = {"reason", "too_small", "interval_reason", "warning"}
"""The keys of a statistic's JSON form that hold a limit."""


def in_words(value: Any) -> Any:
    """The JSON form of statistics with their limits as sentences, "" for none.

    >>> in_words({"rate": None, "reason": Lack.NO_VALID_VOTES, "too_small": None})
    {'rate': None, 'reason': 'There are no valid votes.', 'too_small': ''}
    """
    match value:
        case dict():
            return {
                key: "" if key in LIMITS and each is None else in_words(each)
                for key, each in value.items()
            }
        case list():
            return [in_words(each) for each in value]
        case str() | int() | float() | None:
            return value
        case _:
            return str(limit(value))
