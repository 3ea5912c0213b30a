"""Alembic's entry: runs inside the transaction that `db.engine.migrate` opened."""

from __future__ import annotations

from alembic import context

from db.tables import Base

_CONFIG = getattr(context, "config", None)  # absent where the file is merely imported

if _CONFIG is not None:
    connection = _CONFIG.attributes.get("connection")
    if connection is None:
        raise SystemExit("run `python -m db migrate`, or just open the database")
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    context.run_migrations()
