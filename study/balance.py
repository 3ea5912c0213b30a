"""What has been given out in a study, counted pair by pair and kept by rater.

Whoever gives out a ballot asks for it at each vote: a change costs the rows of one rater, and not
those of the study. The rows decide; `study.store.Assignments.changes` reads those that are new.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from study.assignment import PairIndex, RaterAtWork, Standing
from study.material import PairKind


class GivenBallot(Protocol):
    @property
    def pair_id(self) -> int: ...
    @property
    def kind(self) -> PairKind: ...
    @property
    def lower_left(self) -> bool: ...
    @property
    def reserved_until(self) -> datetime: ...
    @property
    def voted(self) -> bool: ...


class StoredBallot(NamedTuple):
    pair_id: int
    kind: PairKind
    lower_left: bool
    reserved_until: datetime
    voted: bool


class ReadMark(NamedTuple):
    """Up to where a study's rows have been read: nothing before it changes, but for withdrawals."""

    revision: int = -1
    withdrawal: int = 0


@dataclass(frozen=True)
class Changes:
    """Raters whose rows are new since a mark; all of the study where somebody has withdrawn."""

    mark: ReadMark
    everybody: bool
    raters: dict[int, tuple[int, list[StoredBallot]]]  # By id: promised ballots, and those given


class _Part(NamedTuple):
    """What one rater adds to the counts at a moment."""

    places: npt.NDArray[np.int_]  # Of pairs with a vote or a live reservation
    lower_left: npt.NDArray[np.int_]  # 1 where the formula of lower EIC is on the left, else 0
    had: tuple[int, ...]  # Places of all pairs
    remaining: int  # Ballots still to come; 0 for who is not at work
    until: datetime | None  # When this changes, if the rater does nothing


class _AtWork:
    """Raters at work with as many ballots to come and as many pairs had."""

    def __init__(self, remaining: int, had: int, pairs: int) -> None:
        self.remaining = remaining
        self.share = min(1.0, remaining / (pairs - had)) if had < pairs else 0.0
        self.count = 0
        self.had = np.zeros(pairs, int)  # How many of them have had each pair


class Balance:
    """A study's counts, of whole numbers: adding and taking away leaves no rounding behind."""

    def __init__(self, pairs: PairIndex) -> None:
        self.pairs, self.mark = pairs, ReadMark()
        self._clear()

    def _clear(self) -> None:
        self._load = np.zeros(len(self.pairs), int)
        self._lower_left = np.zeros(len(self.pairs), int)
        self._rows: dict[int, tuple[int, Sequence[GivenBallot]]] = {}
        self._parts: dict[int, _Part] = {}
        self._at_work: dict[tuple[int, int], _AtWork] = {}
        self._ends: list[tuple[datetime, int]] = []  # A heap: when to look at which rater again
        self._now: datetime | None = None

    def follow(self, changes: Changes, now: datetime) -> None:
        """Take in what others have stored, and let reservations end."""
        if changes.everybody:
            self._clear()
        rows: dict[int, tuple[int, Sequence[GivenBallot]]] = {**changes.raters}
        if self._now is not None and now < self._now:  # the clock was set back
            rows = self._rows | rows
            self._clear()
        for rater, (total, ballots) in rows.items():
            self._put(rater, total, ballots, now)
        while self._ends and self._ends[0][0] <= now:
            rater = heapq.heappop(self._ends)[1]
            if rater in self._rows:
                self._put(rater, *self._rows[rater], now)
        self.mark, self._now = changes.mark, now

    def _put(self, rater: int, total: int, ballots: Sequence[GivenBallot], now: datetime) -> None:
        before, part = self._parts.get(rater), self._part(total, ballots, now)
        if before is not None:
            self._count(before, -1)
        self._count(part, 1)
        self._rows[rater], self._parts[rater] = (total, ballots), part
        if part.until is not None and (before is None or before.until != part.until):
            heapq.heappush(self._ends, (part.until, rater))

    def _part(self, total: int, ballots: Sequence[GivenBallot], now: datetime) -> _Part:
        place = self.pairs.place
        main = [b for b in ballots if b.kind == PairKind.MAIN and b.pair_id in place]
        counted = [b for b in main if b.voted or b.reserved_until > now]
        to_come = total - sum(b.kind != PairKind.PRACTICE for b in ballots)
        ends = [b.reserved_until for b in ballots if b.reserved_until > now]
        remaining = max(0, to_come) if ends else 0
        return _Part(
            np.array([place[b.pair_id] for b in counted], int),
            np.array([b.lower_left for b in counted], int),
            tuple(place[b.pair_id] for b in main),
            remaining,
            min(ends, default=None),
        )

    def _count(self, part: _Part, sign: int) -> None:
        self._load[part.places] += sign
        self._lower_left[part.places] += sign * part.lower_left
        if part.remaining:
            key = (part.remaining, len(part.had))
            group = self._at_work.get(key)
            if group is None:
                group = self._at_work[key] = _AtWork(*key, len(self.pairs))
            group.count += sign
            group.had[list(part.had)] += sign
            if not group.count:
                del self._at_work[key]

    def standing(self, rater: int, ballots: Sequence[GivenBallot], now: datetime) -> Standing:
        """The counts as this rater sees them, whose ballots may be newer than what was followed."""
        load, lower_left = self._load.copy(), self._lower_left.copy()
        old, own = self._parts.get(rater), self._part(0, ballots, now)
        for part, sign in ((old, -1), (own, 1)):
            if part is not None:
                load[part.places] += sign
                lower_left[part.places] += sign * part.lower_left
        groups = self._at_work.values()
        everywhere = sum(group.share * group.count for group in groups)
        coming = np.full(len(load), everywhere)
        for group in groups:
            coming -= group.share * group.had
        ahead = sum(group.remaining * group.count for group in groups)
        if old is not None and old.remaining:
            share = self._at_work[old.remaining, len(old.had)].share
            ahead -= old.remaining
            coming -= share
            coming[list(old.had)] += share

        def others() -> list[RaterAtWork]:
            return [
                RaterAtWork(part.had, part.remaining)
                for other, part in self._parts.items()
                if part.remaining and other != rater
            ]

        return Standing(self.pairs, load, lower_left, coming, ahead, others)
