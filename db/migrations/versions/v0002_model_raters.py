"""Models that are asked what raters are asked: their runs and answers, both append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OF_RUN = "(SELECT study_id FROM model_run WHERE id = NEW.run_id)"
OF_PAIR = "(SELECT study_id FROM pair WHERE id = NEW.pair_id)"
GUARDS = (
    (
        "model_run",
        "INSERT",
        "(SELECT status FROM study WHERE id = NEW.study_id) = 'draft'",
        "a draft has nothing to ask about",
    ),
    ("model_run", "UPDATE", "", "what models were asked is append-only"),
    ("model_run", "DELETE", "", "what models were asked is append-only"),
    ("model_answer", "INSERT", f"{OF_RUN} <> {OF_PAIR}", "the pair is of another study"),
    ("model_answer", "UPDATE", "", "what models answered is append-only"),
    ("model_answer", "DELETE", "", "what models answered is append-only"),
)
"""Triggers: table, event, condition ("" is always), message."""


def guard(table: str, event: str, condition: str, message: str) -> None:
    """One trigger, in the dialect of the database."""
    name = f"guard_{table}_{event.lower()}"
    if op.get_bind().dialect.name == "sqlite":
        when = f"WHEN {condition} " if condition else ""
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW {when}"
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
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def upgrade() -> None:
    """Two tables, and the triggers that guard them."""
    op.create_table(
        "model_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("temperature", sa.Double(), nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("prompt_sha256", sa.String(length=64), nullable=False),
        sa.Column("begun_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("repeats % 2 = 0", name=op.f("ck_model_run_repeats")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_model_run_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_run")),
        sa.UniqueConstraint("study_id", "label", name=op.f("uq_model_run_study_id_label")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "model_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("lower_first", sa.Boolean(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=10), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=200), nullable=False),
        sa.Column("finish_reason", sa.String(length=40), nullable=False),
        sa.Column("structured", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("latency_seconds", sa.Double(), nullable=False),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('first', 'second', 'tie', 'refused', 'unparsable')",
            name=op.f("ck_model_answer_outcome"),
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_model_answer_pair_id")),
        sa.ForeignKeyConstraint(["run_id"], ["model_run.id"], name=op.f("fk_model_answer_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_answer")),
        sa.UniqueConstraint(
            "run_id",
            "pair_id",
            "lower_first",
            "repeat",
            name=op.f("uq_model_answer_run_id_pair_id_lower_first_repeat"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_model_answer_pair_id"), "model_answer", ["pair_id"], unique=False)
    for table, event, condition, message in GUARDS:
        guard(table, event, condition, message)
