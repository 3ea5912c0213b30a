"""Which raters' rows are new: a revision, kept by triggers; a column is added and nothing else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

CHANGES = (
    ("assignment", "INSERT", "rater_id"),
    ("assignment", "UPDATE OF reserved_until", "rater_id"),
    ("vote", "INSERT", "rater_id"),
    ("vote", "UPDATE", "rater_id"),
    ("rater", "UPDATE OF total", "id"),
)
"""Table, event, and the column with the rater. Whoever withdraws leaves a row in `withdrawal`."""


def follow(number: int, table: str, event: str, column: str) -> None:
    """One trigger, in the dialect of the database."""
    name = f"revise_{table}_{event.split()[0].lower()}_{number}"
    revise = (
        "UPDATE rater SET revision = (SELECT MAX(other.revision) + 1 FROM rater AS other "
        f"WHERE other.study_id = rater.study_id) WHERE id = NEW.{column}"
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW BEGIN {revise}; END"
        )
        return
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"{revise}; RETURN NEW; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


def upgrade() -> None:
    """From 0006."""
    op.add_column("rater", sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_rater_study_id_revision", "rater", ["study_id", "revision"])
    for number, change in enumerate(CHANGES, start=1):
        follow(number, *change)
