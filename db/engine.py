"""Opens a database, brings it to the newest schema, and gives its units of work."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from db.erasing import LogEraser
from db.faults import fault_of, faults_in_words
from db.repositories.models import SqlModels
from db.repositories.rating import SqlAssignments, SqlInvitations, SqlRaters, SqlSeals, SqlVotes
from db.repositories.records import SqlAccess, SqlAudit
from db.repositories.studies import SqlMaterials, SqlStudies
from study.errors import BusyError, StorageError, StudyError
from study.store import Tx

FOLDER = Path(__file__).resolve().parent / "migrations"


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return config


def migrate(engine: Engine) -> None:
    """Run the missing migrations; raises `StudyError` if a newer version made the database."""
    config = configuration()
    scripts = ScriptDirectory.from_config(config)
    newest = scripts.get_current_head()
    with engine.connect() as connection, connection.begin():
        # Most starts find the newest schema, and need not queue for the writer's lock.
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    writers = engine.execution_options(eic_writer=True)
    with writers.connect() as connection, connection.begin():
        current = MigrationContext.configure(connection).get_current_revision()
        if current == newest:
            return
        revisions = {script.revision for script in scripts.walk_revisions()}
        if current is not None and current not in revisions:
            raise StudyError(
                "this database was made by a newer version of EIC Lab",
                hint="update the program, or restore a backup",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


DEFAULT_URL = "sqlite:///var/eic_lab.sqlite3"
DEMO_URL = "sqlite:///var/eic_lab_demo.sqlite3"
BUSY_SECONDS = 30
_ADVISORY_LOCK = 5127


class SqlTx:
    def __init__(self, connection: Connection, *, autoflush: bool) -> None:
        self._connection, self._autoflush = connection, autoflush

    @cached_property
    def _db(self) -> Session:
        """Of the connection's transaction: volunteers' statements need no session."""
        return Session(self._connection, autoflush=self._autoflush)

    def finish(self) -> None:
        """Write what a session still holds back; the transaction is not its own."""
        if "_db" in vars(self):
            self._db.flush()
            self._db.close()

    @cached_property
    def studies(self) -> SqlStudies:
        return SqlStudies(self._db)

    @cached_property
    def materials(self) -> SqlMaterials:
        return SqlMaterials(self._db)

    @cached_property
    def invitations(self) -> SqlInvitations:
        return SqlInvitations(self._connection)

    @cached_property
    def raters(self) -> SqlRaters:
        return SqlRaters(self._connection)

    @cached_property
    def assignments(self) -> SqlAssignments:
        return SqlAssignments(self._connection)

    @cached_property
    def votes(self) -> SqlVotes:
        return SqlVotes(self._connection)

    @cached_property
    def models(self) -> SqlModels:
        return SqlModels(self._db)

    @cached_property
    def seals(self) -> SqlSeals:
        return SqlSeals(self._connection)

    @cached_property
    def audit(self) -> SqlAudit:
        return SqlAudit(self._db)

    @cached_property
    def access(self) -> SqlAccess:
        return SqlAccess(self._db)


class SqlStore:
    """A database: `study.store.Store`. One for a process, shared by its threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._patience = busy_seconds(engine.url)
        self._writers = engine.execution_options(eic_writer=True)
        # SQLite lets one writer in at a time and has the others poll; threads queue up here.
        self._turn = threading.Lock()
        self._log = None
        if engine.dialect.name == "sqlite":
            self._log = LogEraser(Path(str(engine.url.database)), self._turn)

    def reading(self) -> AbstractContextManager[Tx]:
        return self._reading()

    def writing(self, *, erasing: bool = False) -> AbstractContextManager[Tx]:
        """Raises `BusyError` after half a minute of waiting, `StorageError` if it cannot write."""
        return self._erasing() if erasing else self._writing()

    @property
    def traces(self) -> bool:
        """Of PostgreSQL's files nobody here knows: it is taken to hold some."""
        return self._log is None or self._log.pending

    def erase(self) -> None:
        if self._log is not None:
            self._log.ask()

    @contextmanager
    def _erasing(self) -> Iterator[Tx]:
        with self._writing() as tx:
            yield tx
        self.erase()

    def alone(self, name: str) -> AbstractContextManager[bool]:
        """A lock that a killed process loses: on a file beside SQLite's, or PostgreSQL's own."""
        short = hashlib.sha256(name.encode()).digest()[:4]
        if self.engine.dialect.name == "sqlite":
            return _alone_by_file(Path(f"{self.engine.url.database}.{short.hex()}.lock"))
        return self._alone_by_server(int.from_bytes(short, "big", signed=True))

    @contextmanager
    def _alone_by_server(self, number: int) -> Iterator[bool]:
        if self.engine.dialect.name != "postgresql":
            yield True
            return
        names = {"kind": _ADVISORY_LOCK, "number": number}
        with self.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            lock = text("SELECT pg_try_advisory_lock(:kind, :number)")
            free = bool(connection.execute(lock, names).scalar())
            try:
                yield free
            finally:
                if free:
                    connection.execute(text("SELECT pg_advisory_unlock(:kind, :number)"), names)

    @contextmanager
    def _reading(self) -> Iterator[Tx]:
        with (
            faults_in_words(reading=True),
            self.engine.connect() as connection,
            connection.begin(),
        ):
            tx = SqlTx(connection, autoflush=False)
            yield tx
            tx.finish()

    @contextmanager
    def _writing(self) -> Iterator[Tx]:
        if not self._turn.acquire(timeout=self._patience):
            raise BusyError()
        try:
            with (
                faults_in_words(),
                self._writers.connect() as connection,
                connection.begin(),
            ):
                tx = SqlTx(connection, autoflush=True)
                yield tx
                tx.finish()
        finally:
            self._turn.release()

    def dispose(self) -> None:
        self.engine.dispose()
        if self._log is not None:
            self._log.end()


@contextmanager
def _alone_by_file(path: Path) -> Iterator[bool]:
    try:
        import fcntl
    except ImportError:  # where there are no such locks, nobody looks
        yield True
        return
    while True:
        with path.open("ab") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            if not _is(held.fileno(), path):
                continue  # whoever held it before has just taken it away
            try:
                yield True
            finally:
                path.unlink(missing_ok=True)
            return


def _is(number: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), path.stat())
    except FileNotFoundError:
        return False


def open_database(url: str = DEFAULT_URL) -> SqlStore:
    """Open a database, made and migrated if need be; raises `StudyError` if it cannot."""
    engine = make_engine(url)
    failure = f"cannot open the database {_without_password(engine.url)}"
    try:
        if engine.dialect.name == "sqlite":
            _prepare_file(engine)
        migrate(engine)
        if engine.dialect.name == "sqlite":
            _check_file(engine)
    except (DBAPIError, sqlite3.Error) as error:
        engine.dispose()
        fault = fault_of(error)
        if fault is None:
            reason = error.orig if isinstance(error, DBAPIError) else error
            raise StudyError(f"{failure}: {reason}") from error
        raise StorageError(f"{failure}: {fault.message}", hint=fault.hint) from error
    except OSError as error:
        engine.dispose()
        raise StorageError(f"{failure}: {error.strerror or error}") from error
    store = SqlStore(engine)
    store.erase()  # what a process that was killed has left
    return store


def make_engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StudyError(
            "the database address cannot be read", hint=f"write something like {DEFAULT_URL}"
        ) from error
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, pool_pre_ping=True)
        event.listen(engine, "begin", _begin_elsewhere)
        return engine
    sqlite_path(url)
    engine = create_engine(
        parsed.difference_update_query(["timeout"]),
        pool_size=8,
        max_overflow=120,
        connect_args={"timeout": busy_seconds(parsed)},
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def busy_seconds(url: URL) -> float:
    """How long a writer waits for others: `timeout` of an address, else `BUSY_SECONDS`.

    >>> busy_seconds(make_url("sqlite:///a.sqlite3?timeout=5")), busy_seconds(make_url(DEFAULT_URL))
    (5.0, 30.0)
    """
    seconds = url.query.get("timeout", "")
    return (
        float(seconds) if isinstance(seconds, str) and seconds.isdecimal() else float(BUSY_SECONDS)
    )


def sqlite_path(url: str) -> Path:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise StudyError(
            f"{_without_password(parsed)} is no SQLite file",
            hint=f"write something like {DEFAULT_URL}",
        )
    assert parsed.database is not None
    return Path(parsed.database)


def _without_password(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _prepare_file(engine: Engine) -> None:
    path = Path(str(engine.url.database))
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        _switch_log_on(connection)
    finally:
        connection.close()


def _check_file(engine: Engine) -> None:
    """Raise `StorageError` unless the file is sound and may be written: before the first vote."""
    with engine.execution_options(eic_writer=True).connect() as connection, connection.begin():
        verdict = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if verdict != "ok":
        path = Path(str(engine.url.database))
        raise StorageError(
            f"the database {path} is damaged",
            hint="put a backup in its place: make restore FILE=var/backups/…; "
            "the damaged file is kept",
        )


def _switch_log_on(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for the lock that the switch takes: where waiting could mean a deadlock,
    # it does not call the busy handler (https://sqlite.org/rescode.html#busy).
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > give_up:
                raise
        time.sleep(0.02)


def _on_connect(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: the driver would begin late
    # SQLite forgets all of these when a connection closes: hence at each connect.
    for pragma in (
        "foreign_keys = ON",
        "synchronous = FULL",  # what is committed survives a power cut
        "recursive_triggers = ON",  # REPLACE fires delete triggers, too
        "secure_delete = ON",  # what is deleted is overwritten, in the file: see `LogEraser`
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writer = connection.get_execution_options().get("eic_writer", False)
    driver: Any = connection.connection.driver_connection
    driver.execute(f"PRAGMA query_only = {'OFF' if writer else 'ON'}")
    # IMMEDIATE: what a writer reads must still be true when it writes.
    driver.execute("BEGIN IMMEDIATE" if writer else "BEGIN")


def _begin_elsewhere(connection: Connection) -> None:
    """PostgreSQL: an advisory lock lets one writer in at a time; readers see one snapshot."""
    if connection.dialect.name != "postgresql":
        return
    if connection.get_execution_options().get("eic_writer", False):
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
    else:
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
