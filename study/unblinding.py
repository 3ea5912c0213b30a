"""Lets an organiser see the results of an open study early: logged, and printed in the report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from study.clock import Clock
from study.design import StudyStatus
from study.errors import StudyError
from study.material import PairKind
from study.store import AuditLine, Store, VoteRow, require_study

ACTION = "looked at the results before the end"
COST = (
    "The test and the intervals of a report hold if nobody looked before the end. Whoever looks "
    "early may stop when the result is to their liking, and then finds a preference where there "
    "is none more often than the report says: with one such look halfway, a 5 % test is wrong "
    "8 % of the time; with four, 14 % (Armitage, McPherson & Rowe, 1969)."
)
_DETAIL = re.compile(r"(\d+) votes on pairs, up to v(\d+)")


@dataclass(frozen=True)
class EarlyLook:
    """One look at the results of an open study.

    >>> from datetime import UTC
    >>> look = EarlyLook(datetime(2025, 3, 1, tzinfo=UTC), "organiser", 312, 345)
    >>> look.detail
    '312 votes on pairs, up to v345'
    """

    at: datetime  # UTC
    actor: str  # Who confirmed it
    votes: int  # Votes on pairs that stood by then
    last_vote: int  # The newest vote's id, undone or not; 0 without votes

    @property
    def detail(self) -> str:
        return f"{self.votes} votes on pairs, up to v{self.last_vote}"

    def covers(self, vote: VoteRow) -> bool:
        return vote.id <= self.last_vote and vote.voted_at <= self.at


def early_looks(lines: Iterable[AuditLine]) -> tuple[EarlyLook, ...]:
    """The looks among a study's audit lines, oldest first.

    >>> from datetime import UTC
    >>> at = datetime(2025, 3, 1, tzinfo=UTC)
    >>> line = AuditLine(7, at, "organiser", ACTION, 1, "312 votes on pairs, up to v345")
    >>> [look.votes for look in early_looks([line, AuditLine(8, at, "organiser", "closed", 1, "")])]
    [312]
    """
    looks = []
    for line in sorted(lines, key=lambda line: line.id):
        if line.action == ACTION and (match := _DETAIL.fullmatch(line.detail)):
            looks.append(EarlyLook(line.at, line.actor, int(match[1]), int(match[2])))
    return tuple(looks)


class EarlyLooks:
    """Confirms, logs and lists looks.

    Parameters
    ----------
    store
    clock
    actor
        Where looks are logged, what time it is, and who looks.
    """

    def __init__(self, store: Store, clock: Clock, *, actor: str) -> None:
        self._store = store
        self._clock = clock
        self._actor = actor

    def of(self, study_id: int) -> tuple[EarlyLook, ...]:
        """The looks so far.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[EarlyLook, ...]
            Oldest first.
        """
        with self._store.reading() as tx:
            return early_looks(tx.audit.every(study_id))

    def look(self, study_id: int, *, confirmed: str, after: int) -> EarlyLook:
        """Look at the votes cast until now, once.

        Parameters
        ----------
        study_id
            Of an open study.
        confirmed
            The study's name, as typed by whoever knows what it costs.
        after
            The number of looks that the organiser had seen. With more by now, or no vote since
            the last one, that one is given and nothing is logged.

        Returns
        -------
        EarlyLook
            Made now, or the last one.

        Raises
        ------
        StudyError
            If the name is not the study's, or the study is not open.
        """
        with self._store.writing() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft has no results")
            if study.status == StudyStatus.CLOSED:
                raise StudyError("this study is closed", hint="its report is open to organisers")
            if confirmed.strip() != study.name:
                raise StudyError(
                    "this is not the study's name", hint=f"type `{study.name}` to confirm"
                )
            past = early_looks(tx.audit.every(study_id))
            votes = tx.votes.every(study_id)
            # A reload, or a second organiser who sees the same votes, is no further look.
            if past and (len(past) > after or all(past[-1].covers(vote) for vote in votes)):
                return past[-1]
            # Votes are stamped before they wait for their turn to write: none is later than this.
            now = self._clock.now()
            cast = (*votes, *tx.votes.undone(study_id))
            look = EarlyLook(now, self._actor, 0, max((vote.id for vote in cast), default=0))
            on_pairs = sum(v.kind == PairKind.MAIN for v in votes if look.covers(v))
            look = replace(look, votes=on_pairs)
            tx.audit.add(now, self._actor, ACTION, study_id, look.detail)
            return look
