"""Stores and loads invitations, raters, the ballots they were given, and votes."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import and_, case, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from db.tables import (
    AssignmentTable,
    InvitationTable,
    MemberTable,
    PairTable,
    ProblemTable,
    RaterTable,
    VoteTable,
    WithdrawalTable,
)
from study.assignment import PairLoad, RaterAtWork
from study.material import PairKind
from study.store import AssignmentRow, Choice, InvitationKind, InvitationRow, RaterRow, VoteRow


class SqlInvitations:
    """`study.store.Invitations`."""

    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(
        self, study_id: int, kind: InvitationKind, token_hash: str, label: str, quota: int,
        at: datetime,
    ) -> int:
        """A new link; its id."""
        row = InvitationTable(
            study_id=study_id, kind=str(kind), token_hash=token_hash, label=label, quota=quota,
            created_at=at,
        )
        self._db.add(row)
        self._db.flush()
        return row.id

    def by_token(self, token_hash: str) -> InvitationRow | None:
        """By the hash of its token."""
        row = self._db.scalar(
            select(InvitationTable).where(InvitationTable.token_hash == token_hash)
        )
        return None if row is None else _invitation(row)

    def get(self, invitation_id: int) -> InvitationRow | None:
        """By id."""
        row = self._db.get(InvitationTable, invitation_id)
        return None if row is None else _invitation(row)

    def every(self, study_id: int) -> tuple[InvitationRow, ...]:
        """Oldest first."""
        rows = self._db.scalars(
            select(InvitationTable)
            .where(InvitationTable.study_id == study_id)
            .order_by(InvitationTable.id)
        )
        return tuple(map(_invitation, rows))

    def revoke(self, invitation_id: int, at: datetime) -> None:
        """Take it back."""
        self._db.get_one(InvitationTable, invitation_id).revoked_at = at
        self._db.flush()

    def consents(self, invitation_id: int) -> int:
        """Raters that came through it and have not withdrawn."""
        count = select(func.count()).where(RaterTable.invitation_id == invitation_id)
        return self._db.scalar(count) or 0

    def withdrawals(self, invitation_id: int) -> int:
        """Raters that came through it and withdrew."""
        count = select(func.count()).where(WithdrawalTable.invitation_id == invitation_id)
        return self._db.scalar(count) or 0


def _invitation(row: InvitationTable) -> InvitationRow:
    return InvitationRow(
        row.id, row.study_id, InvitationKind(row.kind), row.label, row.quota, row.created_at,
        row.revoked_at,
    )


class SqlRaters:
    """`study.store.Raters`."""

    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(
        self, study_id: int, invitation_id: int, *, token_hash: str, code: str, degree: str,
        field: str, at: datetime, total: int, seed: int,
    ) -> RaterRow:
        """Somebody has consented."""
        row = RaterTable(
            study_id=study_id, invitation_id=invitation_id, token_hash=token_hash, code=code,
            degree=degree, field=field, consented_at=at, total=total, seed=seed,
            withdrawing=False,
        )
        self._db.add(row)
        self._db.flush()
        return _rater(row)

    def by_token(self, token_hash: str) -> RaterRow | None:
        """By the hash of their own link's token."""
        row = self._db.scalar(select(RaterTable).where(RaterTable.token_hash == token_hash))
        return None if row is None else _rater(row)

    def every(self, study_id: int) -> tuple[RaterRow, ...]:
        """All raters of a study, in order of consent."""
        rows = self._db.scalars(
            select(RaterTable).where(RaterTable.study_id == study_id).order_by(RaterTable.id)
        )
        return tuple(map(_rater, rows))

    def set_total(self, rater_id: int, total: int) -> None:
        """Fewer ballots than promised can be given."""
        self._db.get_one(RaterTable, rater_id).total = total
        self._db.flush()

    def set_paused(self, rater_id: int, at: datetime | None) -> None:
        """Begin or end a pause."""
        self._db.get_one(RaterTable, rater_id).paused_at = at
        self._db.flush()

    def withdraw(self, rater_id: int, at: datetime) -> None:
        """Delete the rater with ballots and votes; keep that the link is spent."""
        row = self._db.get_one(RaterTable, rater_id)
        self._db.add(
            WithdrawalTable(study_id=row.study_id, invitation_id=row.invitation_id, at=at)
        )
        row.withdrawing = True
        self._db.flush()
        for table in (VoteTable, AssignmentTable):
            self._db.execute(delete(table).where(table.rater_id == rater_id))
        self._db.delete(row)
        self._db.flush()

    def withdrawals(self, study_id: int) -> int:
        """How many have withdrawn."""
        count = select(func.count()).where(WithdrawalTable.study_id == study_id)
        return self._db.scalar(count) or 0


def _rater(row: RaterTable) -> RaterRow:
    return RaterRow(
        row.id, row.study_id, row.invitation_id, row.code, row.degree, row.field,
        row.consented_at, row.total, row.seed, row.paused_at,
    )


class SqlAssignments:
    """`study.store.Assignments`."""

    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(
        self, rater: RaterRow, pair_id: int, kind: PairKind, *, token: str, position: int,
        lower_left: bool, at: datetime, reserved_until: datetime,
    ) -> AssignmentRow:
        """Give a ballot out and stamp it as shown."""
        row = AssignmentTable(
            rater_id=rater.id, pair_id=pair_id, token=token, position=position,
            lower_left=lower_left, shown_at=at, reserved_until=reserved_until, seen_at=at,
            idle_seconds=0.0, beats=False,
        )
        self._db.add(row)
        self._db.flush()
        return _assignment(row, str(kind), None)

    def of_rater(self, rater_id: int) -> tuple[AssignmentRow, ...]:
        """A rater's ballots, in order."""
        return self._find(AssignmentTable.rater_id == rater_id)

    def by_token(self, rater_id: int, token: str) -> AssignmentRow | None:
        """A rater's ballot by its token."""
        mine = and_(AssignmentTable.rater_id == rater_id, AssignmentTable.token == token)
        return next(iter(self._find(mine)), None)

    def _find(self, condition: object) -> tuple[AssignmentRow, ...]:
        rows = self._db.execute(
            select(AssignmentTable, PairTable.kind, VoteTable.id)
            .join(PairTable, PairTable.id == AssignmentTable.pair_id)
            .outerjoin(VoteTable, VoteTable.assignment_id == AssignmentTable.id)
            .where(condition)  # type: ignore[arg-type]
            .order_by(AssignmentTable.position)
        )
        return tuple(_assignment(row, kind, vote) for row, kind, vote in rows)

    def keep_alive(
        self, assignment_id: int, *, seen_at: datetime, reserved_until: datetime,
        idle_seconds: float, beats: bool,
    ) -> None:
        """A sign of life."""
        self._db.execute(
            update(AssignmentTable)
            .where(AssignmentTable.id == assignment_id)
            .values(
                seen_at=seen_at, reserved_until=reserved_until, idle_seconds=idle_seconds,
                beats=beats,
            )
        )

    def mark_hasty(self, assignment_id: int, at: datetime) -> None:
        """A vote came too soon to be meant."""
        self._db.execute(
            update(AssignmentTable).where(AssignmentTable.id == assignment_id).values(hasty_at=at)
        )

    def loads(self, study_id: int, now: datetime) -> tuple[PairLoad, ...]:
        """Votes and live reservations of every pair that raters may get, from rows."""
        live = and_(VoteTable.id.is_(None), AssignmentTable.reserved_until > now)
        counted = or_(VoteTable.id.is_not(None), live)
        counts = (
            select(
                AssignmentTable.pair_id,
                func.count(VoteTable.id),
                func.sum(case((live, 1), else_=0)),
                func.sum(case((and_(counted, AssignmentTable.lower_left), 1), else_=0)),
            )
            .join(RaterTable, RaterTable.id == AssignmentTable.rater_id)
            .outerjoin(VoteTable, VoteTable.assignment_id == AssignmentTable.id)
            .where(RaterTable.study_id == study_id)
            .group_by(AssignmentTable.pair_id)
        )
        given = {row[0]: row[1:] for row in self._db.execute(counts)}
        pairs = (
            select(PairTable.id, ProblemTable.name, MemberTable.formula_key)
            .join(ProblemTable, ProblemTable.id == PairTable.problem_id)
            .join(MemberTable, MemberTable.pair_id == PairTable.id)
            .where(
                PairTable.study_id == study_id,
                PairTable.kind == str(PairKind.MAIN),
                PairTable.dropped == "",
            )
            .order_by(PairTable.number)
        )
        formulas: dict[tuple[int, str], list[str]] = {}
        for pair_id, problem, key in self._db.execute(pairs):
            formulas.setdefault((pair_id, problem), []).append(f"{problem}\0{key}")
        loads = []
        for (pair_id, problem), keys in formulas.items():
            completed, reserved, left = given.get(pair_id, (0, 0, 0))
            loads.append(
                PairLoad(pair_id, problem, frozenset(keys), completed, int(reserved), int(left))
            )
        return tuple(loads)


    def underway(self, study_id: int, now: datetime) -> tuple[RaterAtWork, ...]:
        """Raters with a ballot, voted or not, whose reservation would still be live."""
        rows = self._db.execute(
            select(
                AssignmentTable.rater_id,
                AssignmentTable.pair_id,
                AssignmentTable.reserved_until,
                PairTable.kind,
                RaterTable.total,
            )
            .join(PairTable, PairTable.id == AssignmentTable.pair_id)
            .join(RaterTable, RaterTable.id == AssignmentTable.rater_id)
            .where(RaterTable.study_id == study_id)
        )
        live: set[int] = set()
        had: dict[int, set[int]] = {}
        remaining: dict[int, int] = {}
        for rater_id, pair_id, until, kind, total in rows:
            if until > now:
                live.add(rater_id)
            left = remaining.setdefault(rater_id, total)
            if kind != PairKind.PRACTICE:
                remaining[rater_id] = left - 1
            if kind == PairKind.MAIN:
                had.setdefault(rater_id, set()).add(pair_id)
        return tuple(
            RaterAtWork(rater_id, frozenset(had.get(rater_id, ())), remaining[rater_id])
            for rater_id in sorted(live)
            if remaining[rater_id] > 0
        )


def _assignment(row: AssignmentTable, kind: str, vote_id: int | None) -> AssignmentRow:
    return AssignmentRow(
        id=row.id,
        rater_id=row.rater_id,
        pair_id=row.pair_id,
        kind=PairKind(kind),
        token=row.token,
        position=row.position,
        lower_left=row.lower_left,
        shown_at=row.shown_at,
        reserved_until=row.reserved_until,
        seen_at=row.seen_at,
        idle_seconds=row.idle_seconds,
        beats=row.beats,
        hasty_at=row.hasty_at,
        voted=vote_id is not None,
    )


class SqlVotes:
    """`study.store.Votes`."""

    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(
        self, assignment: AssignmentRow, *, choice: Choice, reason: str, at: datetime,
        idle_seconds: float,
    ) -> None:
        """Cast a vote."""
        self._db.execute(
            insert(VoteTable).values(
                assignment_id=assignment.id,
                rater_id=assignment.rater_id,
                pair_id=assignment.pair_id,
                position=assignment.position,
                choice=choice,
                lower_left=assignment.lower_left,
                shown_at=assignment.shown_at,
                voted_at=at,
                idle_seconds=idle_seconds,
                reason=reason,
            )
        )

    def every(self, study_id: int) -> tuple[VoteRow, ...]:
        """All votes of a study, in the order cast."""
        rows = self._db.execute(
            select(VoteTable, PairTable.kind, RaterTable.code)
            .join(PairTable, PairTable.id == VoteTable.pair_id)
            .join(RaterTable, RaterTable.id == VoteTable.rater_id)
            .where(PairTable.study_id == study_id)
            .order_by(VoteTable.id)
        )
        return tuple(
            VoteRow(
                id=row.id,
                rater_id=row.rater_id,
                pair_id=row.pair_id,
                assignment_id=row.assignment_id,
                kind=PairKind(kind),
                rater_code=code,
                position=row.position,
                choice=cast(Choice, row.choice),
                lower_left=row.lower_left,
                shown_at=row.shown_at,
                voted_at=row.voted_at,
                idle_seconds=row.idle_seconds,
                reason=row.reason,
            )
            for row, kind, code in rows
        )
