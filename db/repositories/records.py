"""Stores and loads the audit trail, and what guards the organiser's login."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from db.tables import AttemptTable, AuditTable, LoginTable, OrganiserTable, SetupTable
from study.store import AuditLine


class SqlAudit:
    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(
        self, at: datetime, actor: str, action: str, study_id: int | None = None, detail: str = ""
    ) -> None:
        self._db.execute(
            insert(AuditTable).values(
                at=at, actor=actor, action=action, study_id=study_id, detail=detail
            )
        )

    def every(self, study_id: int | None = None) -> tuple[AuditLine, ...]:
        query = select(AuditTable).order_by(AuditTable.id.desc())
        if study_id is not None:
            query = query.where(AuditTable.study_id == study_id)
        return tuple(
            AuditLine(row.id, row.at, row.actor, row.action, row.study_id, row.detail)
            for row in self._db.scalars(query)
        )


class SqlAccess:
    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def passphrase_hash(self) -> str | None:
        return self._db.scalar(select(OrganiserTable.passphrase_hash))

    def set_passphrase_hash(self, hash: str, at: datetime) -> None:
        self._db.execute(delete(OrganiserTable))
        self._db.execute(insert(OrganiserTable).values(id=1, passphrase_hash=hash, changed_at=at))

    def set_setup_token(self, token_hash: str, expires_at: datetime) -> None:
        self._db.execute(delete(SetupTable))
        self._db.execute(
            insert(SetupTable).values(id=1, token_hash=token_hash, expires_at=expires_at)
        )

    def use_setup_token(self, token_hash: str, now: datetime) -> bool:
        """Burn the set-up link; returns whether it was good."""
        good = select(SetupTable.id).where(
            SetupTable.token_hash == token_hash, SetupTable.expires_at > now
        )
        if self._db.scalar(good) is None:
            return False
        self._db.execute(delete(SetupTable))
        return True

    def add_attempt(self, origin: str, at: datetime) -> int:
        row = AttemptTable(origin=origin, at=at, forgiven=False)
        self._db.add(row)
        self._db.flush()
        return row.id

    def forgive(self, attempt_id: int) -> None:
        self._db.execute(
            update(AttemptTable).where(AttemptTable.id == attempt_id).values(forgiven=True)
        )

    def failures(self, since: datetime, origin: str | None = None) -> Iterable[datetime]:
        query = select(AttemptTable.at).where(AttemptTable.at > since, ~AttemptTable.forgiven)
        if origin is not None:
            query = query.where(AttemptTable.origin == origin)
        return self._db.scalars(query).all()

    def add_login(self, token_hash: str, at: datetime, expires_at: datetime) -> None:
        # Expired logins go here, so that the table needs no job that cleans it.
        self._db.execute(delete(LoginTable).where(LoginTable.expires_at <= at))
        self._db.execute(
            insert(LoginTable).values(token_hash=token_hash, created_at=at, expires_at=expires_at)
        )

    def login_expiry(self, token_hash: str, now: datetime) -> datetime | None:
        return self._db.scalar(
            select(LoginTable.expires_at).where(
                LoginTable.token_hash == token_hash,
                LoginTable.expires_at > now,
                LoginTable.ended_at.is_(None),
            )
        )

    def end_login(self, token_hash: str, at: datetime) -> None:
        self._db.execute(
            update(LoginTable)
            .where(LoginTable.token_hash == token_hash, LoginTable.ended_at.is_(None))
            .values(ended_at=at)
        )

    def end_logins(self, at: datetime) -> None:
        self._db.execute(
            update(LoginTable).where(LoginTable.ended_at.is_(None)).values(ended_at=at)
        )
