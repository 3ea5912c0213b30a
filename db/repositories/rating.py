"""Stores and loads invitations, raters, the ballots they were given, and votes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Executable,
    Table,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from db.repositories.statements import Statements
from db.repositories.studies import STUDY_COLUMNS, study_of
from db.tables import (
    AssignmentTable,
    Base,
    InvitationTable,
    MemberTable,
    PairTable,
    ProblemTable,
    RaterTable,
    SealTable,
    StudyTable,
    VoteTable,
    WithdrawalTable,
)
from study.assignment import PairToGive
from study.balance import Changes, ReadMark, StoredBallot
from study.material import PairKind, Study
from study.rating_types import UNREPORTED, BrowserReport
from study.sealing import Seal
from study.store import (
    AssignmentRow,
    Choice,
    InvitationKind,
    InvitationRow,
    RaterRow,
    StandingVote,
    VoteRow,
)


def _table(mapped: type[Base]) -> Table:
    table = mapped.__table__
    assert isinstance(table, Table)
    return table


INVITATIONS, RATERS, ASSIGNMENTS, VOTES, PAIRS, MEMBERS, PROBLEMS, WITHDRAWALS, SEALS = map(
    _table,
    (
        InvitationTable,
        RaterTable,
        AssignmentTable,
        VoteTable,
        PairTable,
        MemberTable,
        ProblemTable,
        WithdrawalTable,
        SealTable,
    ),
)
INVITATION, RATER, ASSIGNMENT, VOTE = INVITATIONS.c, RATERS.c, ASSIGNMENTS.c, VOTES.c
PAIR, MEMBER, PROBLEM, WITHDRAWAL = PAIRS.c, MEMBERS.c, PROBLEMS.c, WITHDRAWALS.c
SEAL = SEALS.c
STUDIES = _table(StudyTable)


_INVITATIONS = select(
    INVITATION.id,
    INVITATION.study_id,
    INVITATION.kind,
    INVITATION.label,
    INVITATION.quota,
    INVITATION.created_at,
    INVITATION.revoked_at,
)
_INVITATION_BY_TOKEN = _INVITATIONS.where(INVITATION.token_hash == bindparam("token_hash"))
_INVITATION_BY_ID = _INVITATIONS.where(INVITATION.id == bindparam("id"))
_INVITATIONS_OF_STUDY = _INVITATIONS.where(INVITATION.study_id == bindparam("study_id")).order_by(
    INVITATION.id
)
_ADD_INVITATION = insert(INVITATIONS)
_REVOKE = (
    update(INVITATIONS)
    .where(INVITATION.id == bindparam("invitation_id"))
    .values(revoked_at=bindparam("at"))
)
_CLEAR_LABEL = (
    update(INVITATIONS).where(INVITATION.id == bindparam("invitation_id")).values(label="")
)
_TOKEN_OF_LINK = select(INVITATION.token_hash).where(INVITATION.id == bindparam("id"))
_REPLACE_TOKEN = (
    update(INVITATIONS)
    .where(
        INVITATION.id == bindparam("of_link"),
        INVITATION.token_hash == bindparam("old_hash"),
    )
    .values(token_hash=bindparam("new_hash")),
    update(RATERS)
    .where(
        RATER.invitation_id == bindparam("of_link"),
        RATER.token_hash == bindparam("old_hash"),
    )
    .values(token_hash=bindparam("new_hash")),
)
_CONSENTS = select(func.count()).where(RATER.invitation_id == bindparam("id"))
_WITHDRAWALS_OF_LINK = select(func.count()).where(WITHDRAWAL.invitation_id == bindparam("id"))


class SqlInvitations(Statements):
    def add(
        self,
        study_id: int,
        kind: InvitationKind,
        token_hash: str,
        label: str,
        quota: int,
        at: datetime,
    ) -> int:
        added = self._add(
            _ADD_INVITATION,
            study_id=study_id,
            kind=str(kind),
            token_hash=token_hash,
            label=label,
            quota=quota,
            created_at=at,
        )
        return added

    def by_token(self, token_hash: str) -> InvitationRow | None:
        row = self._first(_INVITATION_BY_TOKEN, token_hash=token_hash)
        return None if row is None else _invitation(row)

    def get(self, invitation_id: int) -> InvitationRow | None:
        row = self._first(_INVITATION_BY_ID, id=invitation_id)
        return None if row is None else _invitation(row)

    def every(self, study_id: int) -> tuple[InvitationRow, ...]:
        return tuple(map(_invitation, self._rows(_INVITATIONS_OF_STUDY, study_id=study_id)))

    def revoke(self, invitation_id: int, at: datetime) -> None:
        self._run(_REVOKE, invitation_id=invitation_id, at=at)

    def clear_label(self, invitation_id: int) -> None:
        self._run(_CLEAR_LABEL, invitation_id=invitation_id)

    def replace_token(self, invitation_id: int, old_hash: str, new_hash: str) -> None:
        """Give a link and its rater another token; the old one leads nowhere from now on."""
        for statement in _REPLACE_TOKEN:
            self._run(statement, of_link=invitation_id, old_hash=old_hash, new_hash=new_hash)

    def token_hash_of(self, invitation_id: int) -> str:
        return str(self._rows(_TOKEN_OF_LINK, id=invitation_id)[0][0])

    def consents(self, invitation_id: int) -> int:
        return self._count(_CONSENTS, id=invitation_id)

    def withdrawals(self, invitation_id: int) -> int:
        return self._count(_WITHDRAWALS_OF_LINK, id=invitation_id)


def _invitation(row: Sequence[Any]) -> InvitationRow:
    link, study, kind, label, quota, created_at, revoked_at = row
    return InvitationRow(link, study, InvitationKind(kind), label, quota, created_at, revoked_at)


_RATERS = select(
    RATER.id,
    RATER.study_id,
    RATER.invitation_id,
    RATER.code,
    RATER.degree,
    RATER.field,
    RATER.consented_at,
    RATER.total,
    RATER.seed,
    RATER.paused_at,
)
_RATER_BY_TOKEN = _RATERS.where(RATER.token_hash == bindparam("token_hash"))
_RATER_BY_ID = _RATERS.where(RATER.id == bindparam("id"))
_RATERS_OF_STUDY = _RATERS.where(RATER.study_id == bindparam("study_id")).order_by(RATER.id)
_HOLDER = (
    select(*STUDY_COLUMNS, *_INVITATIONS.selected_columns, *_RATERS.selected_columns)
    .select_from(RATERS)
    .join(INVITATIONS, INVITATION.id == RATER.invitation_id)
    .join(STUDIES, STUDIES.c.id == RATER.study_id)
    .where(RATER.token_hash == bindparam("token_hash"))
)
_ADD_RATER = insert(RATERS)
_CHANGE_RATER = update(RATERS).where(RATER.id == bindparam("rater_id"))
_SET_TOTAL = _CHANGE_RATER.values(total=bindparam("value"))
_SET_PAUSED = _CHANGE_RATER.values(paused_at=bindparam("value"))
_SET_WITHDRAWING = _CHANGE_RATER.values(withdrawing=True)
_OF_RATER = select(VOTE.id).where(VOTE.rater_id == bindparam("of_rater"))
_EMPTY_SEALS = tuple(
    update(SEALS).where(column.in_(_OF_RATER)).values(salt="", vote_id=None, undone_id=None)
    for column in (SEAL.vote_id, SEAL.undone_id)
)
_DELETE_OF_RATER = tuple(
    delete(table).where(column == bindparam("rater_id"))
    for table, column in (
        (VOTES, VOTE.rater_id),
        (ASSIGNMENTS, ASSIGNMENT.rater_id),
        (RATERS, RATER.id),
    )
)
_ADD_WITHDRAWAL = insert(WITHDRAWALS)
_WITHDRAWALS_OF_STUDY = select(func.count()).where(WITHDRAWAL.study_id == bindparam("study_id"))


class SqlRaters(Statements):
    def add(
        self,
        study_id: int,
        invitation_id: int,
        *,
        token_hash: str,
        code: str,
        degree: str,
        field: str,
        at: datetime,
        total: int,
        seed: int,
    ) -> RaterRow:
        added = self._add(
            _ADD_RATER,
            study_id=study_id,
            invitation_id=invitation_id,
            token_hash=token_hash,
            code=code,
            degree=degree,
            field=field,
            consented_at=at,
            total=total,
            seed=seed,
            withdrawing=False,
            revision=0,
        )
        return RaterRow(added, study_id, invitation_id, code, degree, field, at, total, seed, None)

    def by_token(self, token_hash: str) -> RaterRow | None:
        row = self._first(_RATER_BY_TOKEN, token_hash=token_hash)
        return None if row is None else RaterRow(*row)

    def holder(self, token_hash: str) -> tuple[Study, InvitationRow, RaterRow] | None:
        """The rater of a token, with invitation and study."""
        row = self._first(_HOLDER, token_hash=token_hash)
        if row is None:
            return None
        ends = len(STUDY_COLUMNS), -len(_RATERS.selected_columns)
        return (
            study_of(*row[: ends[0]]),
            _invitation(row[ends[0] : ends[1]]),
            RaterRow(*row[ends[1] :]),
        )

    def every(self, study_id: int) -> tuple[RaterRow, ...]:
        return tuple(RaterRow(*row) for row in self._rows(_RATERS_OF_STUDY, study_id=study_id))

    def set_total(self, rater_id: int, total: int) -> None:
        self._run(_SET_TOTAL, rater_id=rater_id, value=total)

    def set_paused(self, rater_id: int, at: datetime | None) -> None:
        self._run(_SET_PAUSED, rater_id=rater_id, value=at)

    def withdraw(self, rater_id: int, at: datetime) -> None:
        """Delete the rater with ballots and votes; the link stays spent, the commitments stay."""
        rater = RaterRow(*self._rows(_RATER_BY_ID, id=rater_id)[0])
        self._run(
            _ADD_WITHDRAWAL, study_id=rater.study_id, invitation_id=rater.invitation_id, at=at
        )
        # The triggers let votes and seals change only while their rater is marked as withdrawing.
        self._run(_SET_WITHDRAWING, rater_id=rater_id)
        for emptying in _EMPTY_SEALS:
            self._run(emptying, of_rater=rater_id)
        for statement in _DELETE_OF_RATER:
            self._run(statement, rater_id=rater_id)

    def withdrawals(self, study_id: int) -> int:
        return self._count(_WITHDRAWALS_OF_STUDY, study_id=study_id)


_STANDING_VOTE = and_(VOTE.assignment_id == ASSIGNMENT.id, VOTE.undone_at.is_(None))
_ASSIGNMENTS = (
    select(
        ASSIGNMENT.id,
        ASSIGNMENT.rater_id,
        ASSIGNMENT.pair_id,
        PAIR.kind,
        ASSIGNMENT.token,
        ASSIGNMENT.position,
        ASSIGNMENT.lower_left,
        ASSIGNMENT.shown_at,
        ASSIGNMENT.reserved_until,
        ASSIGNMENT.seen_at,
        ASSIGNMENT.idle_seconds,
        ASSIGNMENT.beats,
        ASSIGNMENT.hasty_at,
        VOTE.id,
        VOTE.choice,
        VOTE.voted_at,
        VOTE.idle_seconds,
    )
    .join_from(ASSIGNMENTS, PAIRS, PAIR.id == ASSIGNMENT.pair_id)
    .outerjoin(VOTES, _STANDING_VOTE)
    .where(ASSIGNMENT.rater_id == bindparam("rater_id"))
    .order_by(ASSIGNMENT.position)
)
_ADD_ASSIGNMENT = insert(ASSIGNMENTS)
_CHANGE_ASSIGNMENT = update(ASSIGNMENTS).where(ASSIGNMENT.id == bindparam("assignment_id"))
_KEEP_ALIVE = _CHANGE_ASSIGNMENT.values(
    {
        name: bindparam(f"new_{name}")
        for name in ("seen_at", "reserved_until", "idle_seconds", "beats")
    }
)
_MARK_HASTY = _CHANGE_ASSIGNMENT.values(hasty_at=bindparam("at"))

_PAIRS_TO_GIVE = (
    select(PAIR.id, PROBLEM.name, MEMBER.formula_key)
    .join_from(PAIRS, PROBLEMS, PROBLEM.id == PAIR.problem_id)
    .join(MEMBERS, MEMBER.pair_id == PAIR.id)
    .where(
        PAIR.study_id == bindparam("study_id"),
        PAIR.kind == str(PairKind.MAIN),
        PAIR.dropped == "",
    )
    .order_by(PAIR.number)
)
_LAST_WITHDRAWAL = (
    select(func.coalesce(func.max(WITHDRAWAL.id), 0))
    .where(WITHDRAWAL.study_id == bindparam("study_id"))
    .scalar_subquery()
)
_CHANGES = (
    select(
        _LAST_WITHDRAWAL,
        RATER.id,
        RATER.revision,
        RATER.total,
        ASSIGNMENT.pair_id,
        PAIR.kind,
        ASSIGNMENT.lower_left,
        ASSIGNMENT.reserved_until,
        VOTE.id,
    )
    .select_from(STUDIES)
    .outerjoin(RATERS, and_(RATER.study_id == STUDIES.c.id, RATER.revision > bindparam("revision")))
    .outerjoin(ASSIGNMENTS, ASSIGNMENT.rater_id == RATER.id)
    .outerjoin(PAIRS, PAIR.id == ASSIGNMENT.pair_id)
    .outerjoin(VOTES, _STANDING_VOTE)
    .where(STUDIES.c.id == bindparam("study_id"))
)
"""At least one row, with the last withdrawal."""
_KINDS = {str(kind): kind for kind in PairKind}


class SqlAssignments(Statements):
    def add(
        self,
        rater: RaterRow,
        pair_id: int,
        kind: PairKind,
        *,
        token: str,
        position: int,
        lower_left: bool,
        at: datetime,
        reserved_until: datetime,
    ) -> AssignmentRow:
        added = self._add(
            _ADD_ASSIGNMENT,
            rater_id=rater.id,
            pair_id=pair_id,
            token=token,
            position=position,
            lower_left=lower_left,
            shown_at=at,
            reserved_until=reserved_until,
            seen_at=at,
            idle_seconds=0.0,
            beats=False,
        )
        return AssignmentRow(
            id=added,
            rater_id=rater.id,
            pair_id=pair_id,
            kind=kind,
            token=token,
            position=position,
            lower_left=lower_left,
            shown_at=at,
            reserved_until=reserved_until,
            seen_at=at,
            idle_seconds=0.0,
            beats=False,
            hasty_at=None,
        )

    def of_rater(self, rater_id: int) -> tuple[AssignmentRow, ...]:
        return tuple(map(_assignment, self._rows(_ASSIGNMENTS, rater_id=rater_id)))

    def keep_alive(
        self,
        assignment_id: int,
        *,
        seen_at: datetime,
        reserved_until: datetime,
        idle_seconds: float,
        beats: bool,
    ) -> None:
        self._run(
            _KEEP_ALIVE,
            assignment_id=assignment_id,
            new_seen_at=seen_at,
            new_reserved_until=reserved_until,
            new_idle_seconds=idle_seconds,
            new_beats=beats,
        )

    def mark_hasty(self, assignment_id: int, at: datetime) -> None:
        self._run(_MARK_HASTY, assignment_id=assignment_id, at=at)

    def pairs_to_give(self, study_id: int) -> tuple[PairToGive, ...]:
        """Every pair that raters may get, in the order of their numbers."""
        formulas: dict[tuple[int, str], list[str]] = {}
        for pair_id, problem, key in self._rows(_PAIRS_TO_GIVE, study_id=study_id):
            # The problem is part of the key: a formula may serve in two problems.
            formulas.setdefault((pair_id, problem), []).append(f"{problem}\0{key}")
        return tuple(
            PairToGive(pair_id, problem, frozenset(keys))
            for (pair_id, problem), keys in formulas.items()
        )

    def changes(self, study_id: int, since: ReadMark) -> Changes:
        """Raters with rows that are new since `since`; everybody after a withdrawal."""
        rows = self._rows(_CHANGES, study_id=study_id, revision=since.revision)
        withdrawal, revision = rows[0][0], since.revision
        everybody = withdrawal != since.withdrawal
        if everybody:
            revision = ReadMark().revision
            rows = self._rows(_CHANGES, study_id=study_id, revision=revision)
        raters: dict[int, tuple[int, list[StoredBallot]]] = {}
        for _, rater_id, changed, total, pair_id, kind, lower_left, until, vote in rows:
            if pair_id is None:
                continue
            ballots = raters.setdefault(rater_id, (total, []))[1]
            ballots.append(StoredBallot(pair_id, _KINDS[kind], lower_left, until, vote is not None))
            revision = max(revision, changed)
        return Changes(ReadMark(revision, withdrawal), everybody, raters)


def _assignment(row: Sequence[Any]) -> AssignmentRow:
    assignment, rater, pair, kind, *rest = row
    *rest, vote, choice, voted_at, idle_seconds = rest
    rest.append(None if vote is None else StandingVote(vote, choice, voted_at, idle_seconds))
    return AssignmentRow(assignment, rater, pair, _KINDS[kind], *rest)


_ADD_VOTE = insert(VOTES)
_VOTES = (
    select(
        VOTE.id,
        VOTE.rater_id,
        VOTE.pair_id,
        VOTE.assignment_id,
        PAIR.kind,
        RATER.code,
        VOTE.position,
        VOTE.choice,
        VOTE.lower_left,
        VOTE.shown_at,
        VOTE.voted_at,
        VOTE.idle_seconds,
        VOTE.reason,
        VOTE.rater_seconds,
        func.coalesce(VOTE.viewport, ""),
        VOTE.in_view,
        VOTE.plot_in_view,
        VOTE.page,
        VOTE.undone_at,
    )
    .join_from(VOTES, PAIRS, PAIR.id == VOTE.pair_id)
    .join(RATERS, RATER.id == VOTE.rater_id)
    .where(PAIR.study_id == bindparam("study_id"))
    .order_by(VOTE.id)
)
_STANDING_VOTES = _VOTES.where(VOTE.undone_at.is_(None))
_UNDONE_VOTES = _VOTES.where(VOTE.undone_at.is_not(None))
_UNDO = update(VOTES).where(VOTE.id == bindparam("vote_id")).values(undone_at=bindparam("at"))
_UNDONE_ON = select(func.count()).where(
    # The pair, too: it has an index, and undone votes have no other.
    VOTE.pair_id == bindparam("pair_id"),
    VOTE.assignment_id == bindparam("assignment_id"),
    VOTE.undone_at.is_not(None),
)


class SqlVotes(Statements):
    def add(
        self,
        assignment: AssignmentRow,
        *,
        choice: Choice,
        reason: str,
        at: datetime,
        idle_seconds: float,
        browser: BrowserReport = UNREPORTED,
    ) -> int:
        added = self._add(
            _ADD_VOTE,
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
            rater_seconds=browser.seconds,
            viewport=browser.viewport or None,
            in_view=browser.in_view,
            plot_in_view=browser.plot_in_view,
            page=browser.page,
        )
        return added

    def undo(self, vote_id: int, at: datetime) -> None:
        self._run(_UNDO, vote_id=vote_id, at=at)

    def undone_on(self, assignment: AssignmentRow) -> int:
        """How many votes on a ballot were undone."""
        return self._count(_UNDONE_ON, pair_id=assignment.pair_id, assignment_id=assignment.id)

    def every(self, study_id: int) -> tuple[VoteRow, ...]:
        return self._votes(_STANDING_VOTES, study_id)

    def undone(self, study_id: int) -> tuple[VoteRow, ...]:
        return self._votes(_UNDONE_VOTES, study_id)

    def _votes(self, statement: Executable, study_id: int) -> tuple[VoteRow, ...]:
        return tuple(
            VoteRow(number, rater, pair, assignment, PairKind(kind), *rest)
            for number, rater, pair, assignment, kind, *rest in self._rows(
                statement, study_id=study_id
            )
        )


_ADD_SEAL = insert(SEALS)
_LAST_SEAL = (
    select(SEAL.number, SEAL.link)
    .where(SEAL.study_id == bindparam("study_id"))
    .order_by(SEAL.number.desc())
    .limit(1)
)
_SEALS_OF_STUDY = (
    select(
        SEAL.number,
        func.coalesce(SEAL.vote_id, SEAL.undone_id),
        SEAL.salt,
        SEAL.commitment,
        SEAL.undo,
    )
    .where(SEAL.study_id == bindparam("study_id"))
    .order_by(SEAL.number)
)
_PAIR_NUMBER = select(PAIR.number).where(PAIR.id == bindparam("pair_id"))


class SqlSeals(Statements):
    def last(self, study_id: int) -> tuple[int, str]:
        """Number and link of the newest seal; (0, "") without one."""
        row = self._first(_LAST_SEAL, study_id=study_id)
        return (0, "") if row is None else (int(row[0]), str(row[1]))

    def add(
        self,
        study_id: int,
        vote_id: int,
        number: int,
        *,
        salt: str,
        commitment: str,
        link: str,
        undo: bool = False,
    ) -> None:
        self._run(
            _ADD_SEAL,
            study_id=study_id,
            vote_id=None if undo else vote_id,
            undone_id=vote_id if undo else None,
            undo=undo,
            number=number,
            salt=salt,
            commitment=commitment,
            link=link,
        )

    def pair_number(self, pair_id: int) -> int:
        return self._count(_PAIR_NUMBER, pair_id=pair_id)

    def every(self, study_id: int) -> tuple[Seal, ...]:
        return tuple(
            Seal(number, f"v{vote}" if vote else "", salt, commitment, undo)
            for number, vote, salt, commitment, undo in self._rows(
                _SEALS_OF_STUDY, study_id=study_id
            )
        )
