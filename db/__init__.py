"""Studies at rest: `open_database` gives the `study.store.Store` that the services take."""

from db.engine import DEFAULT_URL, DEMO_URL, SqlStore, open_database

__all__ = ["DEFAULT_URL", "DEMO_URL", "SqlStore", "open_database"]
