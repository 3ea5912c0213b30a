"""Times by the rater's own clock, the class of their window, and when a study stopped inviting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From 0002; votes that were cast before have the server's times alone."""
    op.add_column("vote", sa.Column("rater_seconds", sa.Double(), nullable=True))
    op.add_column("vote", sa.Column("viewport", sa.String(length=6), nullable=True))
    op.add_column("vote", sa.Column("in_view", sa.Boolean(), nullable=True))
    op.add_column("study", sa.Column("admission_ended_at", sa.DateTime(), nullable=True))
