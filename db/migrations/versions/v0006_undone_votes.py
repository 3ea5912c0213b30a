"""Votes that were undone, which page showed their ballot, whether its plot was in view.

A ballot has one vote that stands; the database lets a vote be marked as undone, once, while its
study is open, and changes nothing else of it. SQLite cannot take a table's UNIQUE away: the table
is made anew, with the same rows and ids.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = (
    "id",
    "assignment_id",
    "rater_id",
    "pair_id",
    "position",
    "choice",
    "lower_left",
    "shown_at",
    "voted_at",
    "idle_seconds",
    "reason",
    "rater_seconds",
    "viewport",
    "in_view",
)
ADDED = ("plot_in_view", "page")
KEPT_OF_SEAL = ("id", "study_id", "number", "commitment", "link", "undo")
STANDS = "undone_at IS NULL"
UNIQUE = {
    "uq_vote_assignment_id": ["assignment_id"],
    "uq_vote_rater_id_pair_id": ["rater_id", "pair_id"],
}
STATUS = "(SELECT status FROM study WHERE id = (SELECT study_id FROM pair WHERE id = {pair}))"
STAYING = "NOT COALESCE((SELECT withdrawing FROM rater WHERE id = OLD.rater_id), {no})"


def is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def same(columns: tuple[str, ...]) -> str:
    # NULL is the same as NULL.
    equal = "IS" if is_sqlite() else "IS NOT DISTINCT FROM"
    return " AND ".join(f"NEW.{name} {equal} OLD.{name}" for name in columns)


def vote_guards() -> list[tuple[str, str, str, str]]:
    """Triggers of votes: name, event, condition ("" is always), message."""
    undone = (
        f"OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL AND {same((*COLUMNS, *ADDED))} "
        f"AND {STATUS.format(pair='OLD.pair_id')} = 'open'"
    )
    rules = [("guard_vote_update_0", "UPDATE", f"NOT ({undone})", "votes are append-only")]
    if is_sqlite():  # the others went with the table
        closed = f"{STATUS.format(pair='NEW.pair_id')} <> 'open'"
        rules += [
            ("guard_vote_delete_1", "DELETE", STAYING.format(no="0"), "votes are append-only"),
            ("guard_vote_insert_2", "INSERT", closed, "the study is not open"),
        ]
    return rules


def seal_guard() -> tuple[str, str, str, str]:
    """A seal loses its salt and its vote when the rater withdraws, and changes in no other way."""
    no = "0" if is_sqlite() else "FALSE"
    vote = "COALESCE(OLD.vote_id, OLD.undone_id)"
    rater = f"(SELECT rater_id FROM vote WHERE id = {vote})"
    emptied = (
        f"{same(KEPT_OF_SEAL)} AND NEW.salt = '' AND NEW.vote_id IS NULL AND NEW.undone_id IS NULL "
        f"AND COALESCE((SELECT withdrawing FROM rater WHERE id = {rater}), {no})"
    )
    return "guard_seal_update_1", "UPDATE", f"NOT ({emptied})", "seals are append-only"


def guard(table: str, name: str, event: str, condition: str, message: str) -> None:
    """One trigger, in the dialect of the database, in the place of the one of that name."""
    if is_sqlite():
        when = f"WHEN {condition} " if condition else ""
        op.execute(f"DROP TRIGGER IF EXISTS {name}")
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW {when}"
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
        return
    # The trigger stays; what it calls is another.
    op.execute(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {condition or 'TRUE'} THEN RAISE EXCEPTION '{message}'; END IF; RETURN NEW; END $$"
    )


def make_anew() -> None:
    """SQLite: the rows wait in another table, since foreign keys follow a table that is renamed."""
    names = ", ".join(COLUMNS)
    highest = "SELECT seq FROM sqlite_sequence WHERE name = 'vote'"
    last = op.get_bind().exec_driver_sql(highest).scalar()
    # Seals point to votes while there are none: checked when the migration is committed.
    op.execute("PRAGMA defer_foreign_keys = ON")
    op.execute(f"CREATE TABLE vote_before AS SELECT {names} FROM vote")
    op.drop_table("vote")
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("choice", sa.String(length=5), nullable=False),
        sa.Column("lower_left", sa.Boolean(), nullable=False),
        sa.Column("shown_at", sa.DateTime(), nullable=False),
        sa.Column("voted_at", sa.DateTime(), nullable=False),
        sa.Column("idle_seconds", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("rater_seconds", sa.Double(), nullable=True),
        sa.Column("viewport", sa.String(length=6), nullable=True),
        sa.Column("in_view", sa.Boolean(), nullable=True),
        sa.Column("plot_in_view", sa.Boolean(), nullable=True),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("undone_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("choice IN ('left', 'right', 'tie')", name=op.f("ck_vote_choice")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_vote_assignment_id")
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_vote_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_vote_rater_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vote")),
        sqlite_autoincrement=True,
    )
    op.execute(f"INSERT INTO vote ({names}) SELECT {names} FROM vote_before ORDER BY id")
    op.drop_table("vote_before")
    # Votes of raters who have withdrawn are gone: their numbers are not given out again.
    op.execute("DELETE FROM sqlite_sequence WHERE name = 'vote'")
    op.execute(f"INSERT INTO sqlite_sequence (name, seq) VALUES ('vote', {int(last or 0)})")
    op.create_index(op.f("ix_vote_pair_id"), "vote", ["pair_id"], unique=False)


def upgrade() -> None:
    """From 0005; all votes that were cast before stand."""
    if is_sqlite():
        make_anew()
    else:
        for name in UNIQUE:
            op.drop_constraint(op.f(name), "vote", type_="unique")
        op.add_column("vote", sa.Column("plot_in_view", sa.Boolean(), nullable=True))
        op.add_column("vote", sa.Column("page", sa.Integer(), nullable=True))
        op.add_column("vote", sa.Column("undone_at", sa.DateTime(), nullable=True))
    for name, columns in UNIQUE.items():
        where = sa.text(STANDS)
        op.create_index(
            op.f(name), "vote", columns, unique=True, sqlite_where=where, postgresql_where=where
        )
    op.add_column(
        "seal", sa.Column("undo", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.execute(
        "ALTER TABLE seal ADD COLUMN undone_id INTEGER "
        "CONSTRAINT fk_seal_undone_id REFERENCES vote (id)"
    )
    op.create_index(op.f("ix_seal_undone_id"), "seal", ["undone_id"], unique=False)
    for rule in vote_guards():
        guard("vote", *rule)
    guard("seal", *seal_guard())
