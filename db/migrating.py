"""Bringing a database to the newest schema, when it is opened."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from study.errors import StudyError

FOLDER = Path(__file__).resolve().parent / "migrations"


def configuration() -> Config:
    """Alembic's, without a file."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing, all in one transaction; processes wait for each other.

    Raises
    ------
    StudyError
        If the database was made by a newer version.
    """
    config = configuration()
    scripts = ScriptDirectory.from_config(config)
    newest = scripts.get_current_head()
    with engine.connect() as connection, connection.begin():
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    writers = engine.execution_options(eic_writer=True)
    with writers.connect() as connection, connection.begin():
        current = MigrationContext.configure(connection).get_current_revision()
        if current == newest:
            return
        known = {script.revision for script in scripts.walk_revisions()}
        if current is not None and current not in known:
            raise StudyError(
                "this database was made by a newer version of EIC Lab",
                hint="update the program, or restore a backup",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
