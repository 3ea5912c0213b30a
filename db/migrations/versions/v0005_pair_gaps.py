"""How far a pair's gap in EIC hangs on single rows; two columns are added and nothing else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From 0004; of pairs that were matched before it is not known."""
    op.add_column("pair", sa.Column("gap_share", sa.Double(), nullable=True))
    op.add_column("pair", sa.Column("gap_without_worst_row", sa.Double(), nullable=True))
