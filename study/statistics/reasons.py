"""What raters wrote as reasons: how many touch on which simple subject, by their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from eic_core.exports import Plain

SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "length and simplicity": ("short", "long", "simpl", "compl", "compact", "few", "less", "terms"),
    "functions": ("sin", "cos", "tan", "exp", "log", "ln", "root", "sqrt", "func", "power"),
    "nesting and brackets": ("nest", "bracket", "parenthes", "inside", "fraction", "depth"),
    "numbers in it": ("number", "digit", "decimal", "constant", "coeffic", "large", "huge"),
    "subtraction and rounding": ("subtract", "minus", "differenc", "cancel", "round", "precis"),
    "known laws": ("know", "known", "law", "physic", "school", "famil", "textbook", "recogni"),
    "the fit": ("fit", "curve", "plot", "data", "accura", "extrapol"),
}
"""Beginnings of English words by subject; a reason may touch on several."""
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(
    "a an and are as at be because but by for from has have i in is it its just me more of on one "
    "or so than that the them there this to too two was which with you".split()
)


class ReasonedVote(Protocol):
    @property
    def rater(self) -> str: ...
    @property
    def choice(self) -> str: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class Subject(Plain):
    """Reasons that touch on a subject, by what their votes chose."""

    name: str
    reasons: int
    raters: int
    lower: int
    higher: int

    _JSON = ("name", "reasons", "raters", "lower", "higher")


@dataclass(frozen=True)
class Reasons(Plain):
    # votes, given, raters: valid votes, those with a reason, and whose they are
    votes: int
    given: int
    raters: int
    # Those that occur, the most frequent first; last what touches on none of them
    subjects: tuple[Subject, ...]
    # The words that most reasons have, and how many do; small words left out
    words: tuple[tuple[str, int], ...]

    _JSON = ("votes", "given", "raters", "subjects", ("words", lambda found: dict(found.words)))


NONE_OF_THESE = "none of these"
MOST_WORDS = 10


def reasons_of(votes: Sequence[ReasonedVote]) -> Reasons:
    """Count what raters wrote with valid votes: a word with one of these beginnings is the subject.

    >>> from types import SimpleNamespace as Vote
    >>> votes = [Vote(rater="a", choice="lower", reason="Shorter, no nested exp"),
    ...          Vote(rater="a", choice="higher", reason="hm"),
    ...          Vote(rater="b", choice="lower", reason="")]
    >>> found = reasons_of(votes)
    >>> found.given, [(each.name, each.reasons) for each in found.subjects]
    (2, [('functions', 1), ('length and simplicity', 1), ('nesting and brackets', 1),
     ('none of these', 1)])
    >>> found.words[:3]
    (('exp', 1), ('hm', 1), ('nested', 1))
    """
    given = [(vote, _WORD.findall(vote.reason.casefold())) for vote in votes]
    given = [(vote, words) for vote, words in given if vote.reason.strip()]
    touched: dict[str, list[ReasonedVote]] = {}
    for vote, words in given:
        found = [
            name
            for name, starts in SUBJECTS.items()
            if any(word.startswith(starts) for word in words)
        ]
        for name in found or [NONE_OF_THESE]:
            touched.setdefault(name, []).append(vote)
    subjects = [
        Subject(
            name,
            len(some),
            len({vote.rater for vote in some}),
            sum(vote.choice == "lower" for vote in some),
            sum(vote.choice == "higher" for vote in some),
        )
        for name, some in touched.items()
    ]
    subjects.sort(key=lambda each: (each.name == NONE_OF_THESE, -each.reasons, each.name))
    counted = Counter(word for _, words in given for word in set(words) - _SMALL)
    often = sorted(counted.items(), key=lambda found: (-found[1], found[0]))[:MOST_WORDS]
    return Reasons(
        len(votes),
        len(given),
        len({vote.rater for vote, _ in given}),
        tuple(subjects),
        tuple(often),
    )
