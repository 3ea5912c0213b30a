"""The tables and their column types; triggers (see the migrations) guard what may never change."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[datetime]):
    # Naive UTC: SQLite has no type for times with a zone.
    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            # A mistake of ours: a naive time would be stored in whatever zone the machine is in.
            raise ValueError("a stored time needs a time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class Number(TypeDecorator[float]):
    """A double; nan is stored as NULL, as SQLite would do anyway."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:
        return None if value is None or math.isnan(value) else float(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> float:
        return math.nan if value is None else float(value)


NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {datetime: UtcTime(), float: Number()}


class StudyTable(Base):
    """A study; `design` leaves out the public address, which alone may change later."""

    __tablename__ = "study"
    __table_args__ = (CheckConstraint("status IN ('draft', 'open', 'closed')", name="status"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    status: Mapped[str] = mapped_column(String(10))
    design: Mapped[str] = mapped_column(Text)
    public_base_url: Mapped[str] = mapped_column(Text)
    rules: Mapped[str] = mapped_column(Text)
    configuration: Mapped[str] = mapped_column(Text, default="")
    hash: Mapped[str] = mapped_column(String(64), default="")
    created_at: Mapped[datetime]
    frozen_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    admission_ended_at: Mapped[datetime | None]


class ProblemTable(Base):
    __tablename__ = "problem"
    __table_args__ = (UniqueConstraint("study_id", "special", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    position: Mapped[int]
    special: Mapped[bool]
    name: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    columns: Mapped[str] = mapped_column(Text)
    csv: Mapped[str] = mapped_column(Text)


class PoolTable(Base):
    __tablename__ = "pool"

    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    rows: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)


class PairTable(Base):
    __tablename__ = "pair"
    __table_args__ = (
        UniqueConstraint("study_id", "kind", "number"),
        CheckConstraint("kind IN ('main', 'practice', 'attention')", name="kind"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    number: Mapped[int]
    problem_id: Mapped[int] = mapped_column(ForeignKey("problem.id"))
    loss: Mapped[float | None]
    same_function: Mapped[bool]
    gap_share: Mapped[float | None] = mapped_column(Double)
    gap_without_worst_row: Mapped[float | None] = mapped_column(Double)
    dropped: Mapped[str] = mapped_column(Text, default="")


class MemberTable(Base):
    __tablename__ = "member"
    __table_args__ = (CheckConstraint("slot IN ('lower', 'higher')", name="slot"),)

    pair_id: Mapped[int] = mapped_column(ForeignKey("pair.id"), primary_key=True)
    slot: Mapped[str] = mapped_column(String(6), primary_key=True)
    formula_key: Mapped[str] = mapped_column(String(16))
    formula: Mapped[str] = mapped_column(Text)
    syntax: Mapped[str] = mapped_column(String(40))
    method: Mapped[str] = mapped_column(Text)
    row: Mapped[int | None]
    index_base: Mapped[int | None]
    parameters: Mapped[str] = mapped_column(Text)
    eic: Mapped[float | None]
    r2: Mapped[float | None]
    complexity: Mapped[int]


class BallotTable(Base):
    __tablename__ = "ballot"

    pair_id: Mapped[int] = mapped_column(ForeignKey("pair.id"), primary_key=True)
    content: Mapped[str] = mapped_column(Text)


class InvitationTable(Base):
    """A link; the token itself is nowhere."""

    __tablename__ = "invitation"
    __table_args__ = (CheckConstraint("kind IN ('personal', 'open')", name="kind"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    label: Mapped[str] = mapped_column(Text)
    quota: Mapped[int]
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class WithdrawalTable(Base):
    """That somebody withdrew: so that a spent link stays spent. Says nothing of whom."""

    __tablename__ = "withdrawal"
    __table_args__ = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    invitation_id: Mapped[int] = mapped_column(ForeignKey("invitation.id"), index=True)
    at: Mapped[datetime]


class RaterTable(Base):
    """Somebody who consented; `withdrawing` lets the row and its votes be deleted.

    A trigger gives the row the study's next `revision` whenever a ballot, a vote or a reservation
    of this rater is stored: who counts them reads what is new.
    """

    __tablename__ = "rater"
    __table_args__ = (
        Index("ix_rater_study_id_revision", "study_id", "revision"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"), index=True)
    invitation_id: Mapped[int] = mapped_column(ForeignKey("invitation.id"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    code: Mapped[str] = mapped_column(String(22), unique=True)
    degree: Mapped[str] = mapped_column(Text)
    field: Mapped[str] = mapped_column(Text)
    consented_at: Mapped[datetime]
    total: Mapped[int]
    seed: Mapped[int]
    paused_at: Mapped[datetime | None]
    withdrawing: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(default=0)


class AssignmentTable(Base):
    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("rater_id", "pair_id"),
        UniqueConstraint("rater_id", "position"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    rater_id: Mapped[int] = mapped_column(ForeignKey("rater.id"))
    pair_id: Mapped[int] = mapped_column(ForeignKey("pair.id"), index=True)
    token: Mapped[str] = mapped_column(String(22), unique=True)
    position: Mapped[int]
    lower_left: Mapped[bool]
    shown_at: Mapped[datetime]
    reserved_until: Mapped[datetime]
    seen_at: Mapped[datetime]
    idle_seconds: Mapped[float] = mapped_column(nullable=False)
    beats: Mapped[bool]
    hasty_at: Mapped[datetime | None]


def _standing(name: str, *columns: str) -> Index:
    """Of votes that are not undone: a ballot has one at most."""
    stands = text("undone_at IS NULL")
    return Index(name, *columns, unique=True, sqlite_where=stands, postgresql_where=stands)


class VoteTable(Base):
    """A vote, whole in itself; append-only, but that it may be undone once."""

    __tablename__ = "vote"
    __table_args__ = (
        _standing("uq_vote_assignment_id", "assignment_id"),
        _standing("uq_vote_rater_id_pair_id", "rater_id", "pair_id"),
        CheckConstraint("choice IN ('left', 'right', 'tie')", name="choice"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    rater_id: Mapped[int] = mapped_column(ForeignKey("rater.id"))
    pair_id: Mapped[int] = mapped_column(ForeignKey("pair.id"), index=True)
    position: Mapped[int]
    choice: Mapped[str] = mapped_column(String(5))
    lower_left: Mapped[bool]
    shown_at: Mapped[datetime]
    voted_at: Mapped[datetime]
    idle_seconds: Mapped[float] = mapped_column(nullable=False)
    reason: Mapped[str] = mapped_column(Text)
    rater_seconds: Mapped[float | None] = mapped_column(Double)
    viewport: Mapped[str | None] = mapped_column(String(6))
    in_view: Mapped[bool | None]
    plot_in_view: Mapped[bool | None]
    page: Mapped[int | None]
    undone_at: Mapped[datetime | None]


class ModelRunTable(Base):
    """A model asked about a study; append-only."""

    __tablename__ = "model_run"
    __table_args__ = (
        UniqueConstraint("study_id", "label"),
        CheckConstraint("repeats % 2 = 0", name="repeats"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    label: Mapped[str] = mapped_column(String(200))
    model: Mapped[str] = mapped_column(String(200))
    base_url: Mapped[str] = mapped_column(Text)
    temperature: Mapped[float] = mapped_column(nullable=False)
    repeats: Mapped[int]
    prompt: Mapped[str] = mapped_column(Text)
    prompt_sha256: Mapped[str] = mapped_column(String(64))
    begun_at: Mapped[datetime]


class ModelAnswerTable(Base):
    """One answer of a model, whole in itself; append-only."""

    __tablename__ = "model_answer"
    __table_args__ = (
        UniqueConstraint("run_id", "pair_id", "lower_first", "repeat"),
        CheckConstraint(
            "outcome IN ('first', 'second', 'tie', 'refused', 'unparsable')", name="outcome"
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("model_run.id"))
    pair_id: Mapped[int] = mapped_column(ForeignKey("pair.id"), index=True)
    lower_first: Mapped[bool]
    repeat: Mapped[int]
    outcome: Mapped[str] = mapped_column(String(10))
    raw: Mapped[str] = mapped_column(Text)
    snapshot: Mapped[str] = mapped_column(String(200))
    fingerprint: Mapped[str] = mapped_column(String(200))
    finish_reason: Mapped[str] = mapped_column(String(40))
    structured: Mapped[bool]
    seed: Mapped[int | None]
    prompt_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    latency_seconds: Mapped[float] = mapped_column(nullable=False)
    asked_at: Mapped[datetime]


class SealTable(Base):
    """A commitment in its study's chain: to a vote (`vote_id`), or to its undoing (`undone_id`).

    It outlives the vote; the salt does not.
    """

    __tablename__ = "seal"
    __table_args__ = (UniqueConstraint("study_id", "number"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    number: Mapped[int]
    vote_id: Mapped[int | None] = mapped_column(ForeignKey("vote.id"), unique=True)
    salt: Mapped[str] = mapped_column(String(64))
    commitment: Mapped[str] = mapped_column(String(64))
    link: Mapped[str] = mapped_column(String(64))
    undo: Mapped[bool] = mapped_column(server_default=false())
    undone_id: Mapped[int | None] = mapped_column(ForeignKey("vote.id"), index=True)


class AuditTable(Base):
    __tablename__ = "audit"
    __table_args__ = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(String(100))
    action: Mapped[str] = mapped_column(String(100))
    study_id: Mapped[int | None] = mapped_column(index=True)
    detail: Mapped[str] = mapped_column(Text)


class OrganiserTable(Base):
    __tablename__ = "organiser"

    id: Mapped[int] = mapped_column(primary_key=True)
    passphrase_hash: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime]


class SetupTable(Base):
    __tablename__ = "setup_link"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[datetime]


class AttemptTable(Base):
    """An attempt to log in; `forgiven` if it was right."""

    __tablename__ = "login_attempt"
    __table_args__ = (Index("ix_login_attempt_at", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    origin: Mapped[str] = mapped_column(String(32))
    at: Mapped[datetime]
    forgiven: Mapped[bool]


class LoginTable(Base):
    __tablename__ = "login"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
