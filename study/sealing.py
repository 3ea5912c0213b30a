"""Seals votes: a salted commitment to each, chained in the order cast; so is each undoing of one.

An export so shows whether a vote was changed, added, taken away or undone later. Withdrawal deletes
vote and salt; the commitment alone tells nothing. See docs/adr/0016-the-study-store.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from study.design import canonical_json


@dataclass(frozen=True)
class CastVote:
    """What is sealed of a vote: its columns in ``votes.csv`` that do not follow from others."""

    # vote, rater, pair: `pair` is "" on a practice ballot or an attention check
    vote: str
    rater: str
    pair: str
    kind: str  # "main", "practice" or "attention"
    choice: str  # "lower", "higher" or "tie"
    lower_side: str  # "left" or "right"
    position: int
    shown_at: datetime
    voted_at: datetime
    idle_seconds: float
    degree: str
    field: str
    reason: str
    rater_seconds: float | None
    viewport: str
    in_view: bool | None
    plot_in_view: bool | None
    page: int | None

    def commitment(self, salt: str) -> str:
        values = dict(vars(self))
        for name in ("shown_at", "voted_at"):
            stamp = values[name].astimezone(UTC)
            values[name] = stamp.isoformat(timespec="microseconds")
        for name in ("idle_seconds", "rater_seconds"):
            # As text: JSON writers differ in how they print a number.
            values[name] = repr(values[name])
        if self.page is None and self.plot_in_view is None:
            # Cast before these were kept.
            del values["page"], values["plot_in_view"]
        return _digest(canonical_json([salt, values]))


def undo_commitment(vote: str, undone_at: datetime, salt: str) -> str:
    """What is sealed when a vote is undone."""
    stamp = undone_at.astimezone(UTC).isoformat(timespec="microseconds")
    return _digest(canonical_json([salt, {"undone_at": stamp, "vote": vote}]))


@dataclass(frozen=True)
class Seal:
    number: int  # 1, 2, … in the order of what was done
    # vote, salt: "" if the rater has withdrawn
    vote: str
    salt: str
    commitment: str
    undo: bool = False  # Seals that the vote was undone, not that it was cast


def next_link(link: str, commitment: str) -> str:
    """The link after this one.

    >>> next_link("ab", "cd")[:12]
    '41b72d4bfcbe'
    """
    return _digest(f"{link}\n{commitment}")


def chain_of(study_hash: str, seals: Iterable[Seal]) -> str:
    """The last link of a chain; the study's hash without seals.

    >>> chain_of("ab", []), chain_of("ab", [Seal(1, "", "", "cd")]) == next_link("ab", "cd")
    ('ab', True)
    """
    # A chain made up anew ends in another link than was written down when the study was closed.
    link = study_hash
    for seal in seals:
        link = next_link(link, seal.commitment)
    return link


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
