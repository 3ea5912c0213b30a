"""How a running study gets on, without its results; and its export."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from study.clock import Clock
from study.design import StudyStatus
from study.errors import NotFoundError, StudyError
from study.material import PairKind, Study
from study.store import InvitationKind, RaterRow, Store, Tx, VoteRow, saved_by_rater

if TYPE_CHECKING:
    from study.report.exported import StudyExport

SILENT_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class PairCount:
    """Votes on one pair: how many, never which."""

    pair_id: int
    name: str
    problem: str
    votes: int


@dataclass(frozen=True)
class LiveList:
    """How a study gets on.  Holds no result: no vote's direction enters it.

    Attributes
    ----------
    at : datetime
    status : StudyStatus
    invited : int
        Personal links plus the quotas of open links, revoked and unused ones left out.
    consented : int
        Withdrawn raters included.
    finished, withdrawn : int
    dropped_out : int
        Consented, not finished, and silent for a day (all unfinished ones once it is closed).
    active : int
        Unfinished and not silent.
    votes, votes_wanted : int
        On pairs; practice and attention checks left out.
    pairs : tuple of PairCount
    median_seconds : float or None
        Of all votes on pairs, active time; None before the first.
    attention_passed, attention_failed : int
    """

    at: datetime
    status: StudyStatus
    invited: int
    consented: int
    finished: int
    withdrawn: int
    dropped_out: int
    active: int
    votes: int
    votes_wanted: int
    pairs: tuple[PairCount, ...]
    median_seconds: float | None
    attention_passed: int
    attention_failed: int


class Monitor:
    """Reads a running or closed study; writes nothing."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def live(self, study_id: int) -> LiveList:
        """The live list of a study."""
        now = self._clock.now()
        with self._store.reading() as tx:
            study = _study(tx, study_id)
            votes = tx.votes.every(study_id)
            raters = tx.raters.every(study_id)
            pairs = [p for p in tx.materials.pairs(study_id, PairKind.MAIN) if p.in_study]
            invitations = tx.invitations.every(study_id)
            used = {r.id: tx.invitations.consents(r.id) + tx.invitations.withdrawals(r.id)
                    for r in invitations}
            withdrawn = tx.raters.withdrawals(study_id)
        main = [vote for vote in votes if vote.kind == PairKind.MAIN]
        on_pair = Counter(vote.pair_id for vote in main)
        finished, silent = _raters(study, raters, votes, now)
        checks = [v.chosen == "lower" for v in votes if v.kind == PairKind.ATTENTION]
        seconds = [max(0.0, v.seconds - v.idle_seconds) for v in main]
        return LiveList(
            at=now,
            status=study.status,
            invited=sum(
                used[row.id] if row.revoked_at else row.quota for row in invitations
            ),
            consented=len(raters) + withdrawn,
            finished=finished,
            withdrawn=withdrawn,
            dropped_out=silent,
            active=len(raters) - finished - silent,
            votes=len(main),
            votes_wanted=len(pairs) * study.design.votes_per_pair,
            pairs=tuple(
                PairCount(p.id, p.name, p.pair.problem, on_pair[p.id]) for p in pairs
            ),
            median_seconds=statistics.median(seconds) if seconds else None,
            attention_passed=sum(checks),
            attention_failed=len(checks) - sum(checks),
        )

    def export(self, study_id: int, *, even_if_open: bool = False) -> StudyExport:
        """The frozen configuration and every vote, for `study.report`.

        Raises
        ------
        StudyError
            If the study is a draft; or still open, unless `even_if_open`: who looks at results
            before the end is tempted to stop when they please.
        """
        from study.exporting import export_of

        with self._store.reading() as tx:
            study = _study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft has nothing to export")
            if study.status == StudyStatus.OPEN and not even_if_open:
                raise StudyError("this study is still open", hint="close it first")
            invited = sum(
                row.quota
                if row.kind == InvitationKind.PERSONAL
                else tx.invitations.consents(row.id) + tx.invitations.withdrawals(row.id)
                for row in tx.invitations.every(study_id)
            )
            raters = tx.raters.every(study_id)
            votes = tx.votes.every(study_id)
            return export_of(
                study,
                json.loads(tx.studies.configuration(study_id)),
                tx.materials.pairs(study_id),
                raters,
                votes,
                invited=invited,
                finished=_raters(study, raters, votes, self._clock.now())[0],
                withdrawn=tx.raters.withdrawals(study_id),
                at=self._clock.now(),
            )


def _study(tx: Tx, study_id: int) -> Study:
    study = tx.studies.get(study_id)
    if study is None:
        raise NotFoundError(f"there is no study {study_id}")
    return study


def _raters(
    study: Study, raters: tuple[RaterRow, ...], votes: tuple[VoteRow, ...], now: datetime
) -> tuple[int, int]:
    """How many have finished, and how many others have fallen silent."""
    saved = saved_by_rater(votes)
    last = {vote.rater_id: vote.voted_at for vote in votes}
    finished = silent = 0
    for rater in raters:
        if saved[rater.id] >= rater.total:
            finished += 1
        elif not study.takes_votes(now) or now - last.get(rater.id, rater.consented_at) > (
            SILENT_AFTER
        ):
            silent += 1
    return finished, silent
