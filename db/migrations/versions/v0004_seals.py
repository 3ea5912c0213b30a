"""Seals of votes: a table of its own, and the triggers that guard it; no other table is touched."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

KEPT = " AND ".join(
    f"NEW.{name} = OLD.{name}" for name in ("id", "study_id", "number", "commitment", "link")
)
OF_VOTE = "(SELECT rater_id FROM vote WHERE id = OLD.vote_id)"


def guards() -> list[tuple[str, str, str]]:
    """Triggers: event, condition ("" is always), message."""
    no = "0" if op.get_bind().dialect.name == "sqlite" else "FALSE"
    withdrawing = f"COALESCE((SELECT withdrawing FROM rater WHERE id = {OF_VOTE}), {no})"
    emptied = f"{KEPT} AND NEW.salt = '' AND NEW.vote_id IS NULL AND {withdrawing}"
    return [
        ("UPDATE", f"NOT ({emptied})", "seals are append-only"),
        ("DELETE", "", "seals are append-only"),
        (
            "INSERT",
            "(SELECT status FROM study WHERE id = NEW.study_id) <> 'open'",
            "the study is not open",
        ),
    ]


def guard(number: int, event: str, condition: str, message: str) -> None:
    """One trigger, in the dialect of the database."""
    name = f"guard_seal_{event.lower()}_{number}"
    if op.get_bind().dialect.name == "sqlite":
        when = f"WHEN {condition} " if condition else ""
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON seal FOR EACH ROW {when}"
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
        return
    kept = "OLD" if event == "DELETE" else "NEW"
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {condition or 'TRUE'} THEN RAISE EXCEPTION '{message}'; END IF; "
        f"RETURN {kept}; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {event} ON seal FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def upgrade() -> None:
    """Votes that were cast before stay without a seal."""
    op.create_table(
        "seal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("vote_id", sa.Integer(), nullable=True),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_seal_study_id")),
        sa.ForeignKeyConstraint(["vote_id"], ["vote.id"], name=op.f("fk_seal_vote_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seal")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_seal_study_id_number")),
        sa.UniqueConstraint("vote_id", name=op.f("uq_seal_vote_id")),
        sqlite_autoincrement=True,
    )
    for number, rule in enumerate(guards(), start=1):
        guard(number, *rule)
