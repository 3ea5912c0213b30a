"""The first schema: tables, and the triggers that guard what may never change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

FROZEN = "(SELECT status FROM study WHERE id = {id}) <> 'draft'"
OF_PAIR = "(SELECT study_id FROM pair WHERE id = {row}.pair_id)"
STAYING = "NOT COALESCE((SELECT withdrawing FROM rater WHERE id = OLD.rater_id), {no})"
STUDY_COLUMNS = "name, design, rules, configuration, hash, created_at, frozen_at"
BALLOT_COLUMNS = "rater_id, pair_id, token, position, lower_left, shown_at"


def guards() -> list[tuple[str, str, str, str]]:
    """Triggers: table, event, condition ("" is always), message."""
    no = "0" if op.get_bind().dialect.name == "sqlite" else "FALSE"
    staying = STAYING.format(no=no)
    rules = [
        ("vote", "UPDATE", "", "votes are append-only"),
        ("vote", "DELETE", staying, "votes are append-only"),
        (
            "vote",
            "INSERT",
            f"(SELECT status FROM study WHERE id = {OF_PAIR.format(row='NEW')}) <> 'open'",
            "the study is not open",
        ),
        ("audit", "UPDATE", "", "audit lines are append-only"),
        ("audit", "DELETE", "", "audit lines are append-only"),
        ("withdrawal", "UPDATE", "", "withdrawals are append-only"),
        ("withdrawal", "DELETE", "", "withdrawals are append-only"),
        (
            "assignment",
            f"UPDATE OF {BALLOT_COLUMNS}",
            "",
            "a ballot that was given out does not change",
        ),
        ("assignment", "DELETE", staying, "a ballot that was given out stays"),
        ("rater", "DELETE", "NOT OLD.withdrawing", "a rater goes by withdrawing only"),
        ("study", f"UPDATE OF {STUDY_COLUMNS}", "OLD.status <> 'draft'", "the study is frozen"),
        (
            "study",
            "UPDATE OF status",
            "NEW.status <> OLD.status AND (OLD.status || NEW.status) "
            "NOT IN ('draftopen', 'openclosed')",
            "a study only moves forward",
        ),
        ("study", "DELETE", "OLD.status <> 'draft'", "the study is frozen"),
    ]
    for table in ("problem", "pool", "pair", "member", "ballot"):
        for event in ("INSERT", "UPDATE", "DELETE"):
            rows = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}[event]
            direct = table in ("problem", "pool", "pair")
            studies = [f"{r}.study_id" if direct else OF_PAIR.format(row=r) for r in rows]
            condition = " OR ".join(FROZEN.format(id=study) for study in studies)
            rules.append((table, event, condition, "the study is frozen"))
    return rules


def guard(number: int, table: str, event: str, condition: str, message: str) -> None:
    """One trigger, in the dialect of the database."""
    name = f"guard_{table}_{event.split()[0].lower()}_{number}"
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
    """From nothing."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=100), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_study_id"), "audit", ["study_id"], unique=False)
    op.create_table(
        "login",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_login")),
    )
    op.create_table(
        "login_attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("forgiven", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_attempt")),
    )
    op.create_index("ix_login_attempt_at", "login_attempt", ["at"], unique=False)
    op.create_table(
        "organiser",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("passphrase_hash", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organiser")),
    )
    op.create_table(
        "setup_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setup_link")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("design", sa.Text(), nullable=False),
        sa.Column("public_base_url", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("configuration", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(), nullable=True),
        sa.Column("closed_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("status IN ('draft', 'open', 'closed')", name=op.f("ck_study_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("name", name=op.f("uq_study_name")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("quota", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("kind IN ('personal', 'open')", name=op.f("ck_invitation_kind")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_invitation_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_index(op.f("ix_invitation_study_id"), "invitation", ["study_id"], unique=False)
    op.create_table(
        "pool",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_pool_study_id")),
        sa.PrimaryKeyConstraint("study_id", name=op.f("pk_pool")),
    )
    op.create_table(
        "problem",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("special", sa.Boolean(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("columns", sa.Text(), nullable=False),
        sa.Column("csv", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_problem_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problem")),
        sa.UniqueConstraint(
            "study_id", "special", "name", name=op.f("uq_problem_study_id_special_name")
        ),
    )
    op.create_index(op.f("ix_problem_study_id"), "problem", ["study_id"], unique=False)
    op.create_table(
        "pair",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("loss", sa.Double(), nullable=True),
        sa.Column("same_function", sa.Boolean(), nullable=False),
        sa.Column("dropped", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('main', 'practice', 'attention')", name=op.f("ck_pair_kind")),
        sa.ForeignKeyConstraint(["problem_id"], ["problem.id"], name=op.f("fk_pair_problem_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_pair_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair")),
        sa.UniqueConstraint(
            "study_id", "kind", "number", name=op.f("uq_pair_study_id_kind_number")
        ),
    )
    op.create_index(op.f("ix_pair_study_id"), "pair", ["study_id"], unique=False)
    op.create_table(
        "rater",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("code", sa.String(length=22), nullable=False),
        sa.Column("degree", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("consented_at", sa.DateTime(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("paused_at", sa.DateTime(), nullable=True),
        sa.Column("withdrawing", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["invitation_id"], ["invitation.id"], name=op.f("fk_rater_invitation_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_rater_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rater")),
        sa.UniqueConstraint("code", name=op.f("uq_rater_code")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_rater_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_rater_invitation_id"), "rater", ["invitation_id"], unique=False)
    op.create_index(op.f("ix_rater_study_id"), "rater", ["study_id"], unique=False)
    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["invitation_id"], ["invitation.id"], name=op.f("fk_withdrawal_invitation_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_withdrawal_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawal")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_withdrawal_invitation_id"), "withdrawal", ["invitation_id"], unique=False
    )
    op.create_index(op.f("ix_withdrawal_study_id"), "withdrawal", ["study_id"], unique=False)
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=22), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("lower_left", sa.Boolean(), nullable=False),
        sa.Column("shown_at", sa.DateTime(), nullable=False),
        sa.Column("reserved_until", sa.DateTime(), nullable=False),
        sa.Column("seen_at", sa.DateTime(), nullable=False),
        sa.Column("idle_seconds", sa.Double(), nullable=False),
        sa.Column("beats", sa.Boolean(), nullable=False),
        sa.Column("hasty_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_assignment_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_assignment_rater_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("rater_id", "pair_id", name=op.f("uq_assignment_rater_id_pair_id")),
        sa.UniqueConstraint("rater_id", "position", name=op.f("uq_assignment_rater_id_position")),
        sa.UniqueConstraint("token", name=op.f("uq_assignment_token")),
    )
    op.create_index(op.f("ix_assignment_pair_id"), "assignment", ["pair_id"], unique=False)
    op.create_table(
        "ballot",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_ballot_pair_id")),
        sa.PrimaryKeyConstraint("pair_id", name=op.f("pk_ballot")),
    )
    op.create_table(
        "member",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.String(length=6), nullable=False),
        sa.Column("formula_key", sa.String(length=16), nullable=False),
        sa.Column("formula", sa.Text(), nullable=False),
        sa.Column("syntax", sa.String(length=40), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("row", sa.Integer(), nullable=True),
        sa.Column("index_base", sa.Integer(), nullable=True),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("eic", sa.Double(), nullable=True),
        sa.Column("r2", sa.Double(), nullable=True),
        sa.Column("complexity", sa.Integer(), nullable=False),
        sa.CheckConstraint("slot IN ('lower', 'higher')", name=op.f("ck_member_slot")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_member_pair_id")),
        sa.PrimaryKeyConstraint("pair_id", "slot", name=op.f("pk_member")),
    )
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
        sa.CheckConstraint("choice IN ('left', 'right', 'tie')", name=op.f("ck_vote_choice")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_vote_assignment_id")
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_vote_pair_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_vote_rater_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vote")),
        sa.UniqueConstraint("assignment_id", name=op.f("uq_vote_assignment_id")),
        sa.UniqueConstraint("rater_id", "pair_id", name=op.f("uq_vote_rater_id_pair_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_vote_pair_id"), "vote", ["pair_id"], unique=False)
    for number, (table, event, condition, message) in enumerate(guards()):
        guard(number, table, event, condition, message)
