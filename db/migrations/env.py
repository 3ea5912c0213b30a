"""Alembic's entry: runs inside the transaction that `db.migrating.migrate` opened."""

from __future__ import annotations

from alembic import context

from db.tables import Base

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("run `python -m db migrate`, or just open the database")
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
context.run_migrations()
