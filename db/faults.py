"""Says in words what is wrong with a database: full, damaged, locked, not to be written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from study.errors import BusyError, StorageError

_DAMAGED = (
    "the database is damaged",
    "put a backup in its place: make restore FILE=var/backups/…; the damaged file is kept",
)
# The machine's faults alone: a guard that a trigger holds, or a mistake of ours, stays what it is.
_FAULTS = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "free some space: what was saved is safe, and nothing is half saved",
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: (
        "the file is no database",
        "name another with DATABASE_URL, or put a backup in its place",
    ),
    sqlite3.SQLITE_READONLY: (
        "the database cannot be written",
        "look at who may write the file and its folder",
    ),
    sqlite3.SQLITE_PERM: ("the database may not be opened", "look at who may read the file"),
    sqlite3.SQLITE_CANTOPEN: (
        "the database cannot be opened",
        "look at whether its folder is there and may be written",
    ),
    sqlite3.SQLITE_IOERR: ("the disk does not read or write", "look at the disk and its space"),
}
"""By SQLite's primary result code (https://sqlite.org/rescode.html)."""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def fault_of(error: BaseException) -> StorageError | None:
    """The machine's fault behind a database error; None if it is something else.

    >>> error = sqlite3.OperationalError("database or disk is full")
    >>> error.sqlite_errorcode = sqlite3.SQLITE_FULL
    >>> fault_of(error).message
    'the disk is full'
    >>> fault_of(sqlite3.IntegrityError("votes are append-only")) is None
    True
    """
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        # The low byte is the primary code; the rest is its kind, such as SQLITE_BUSY_SNAPSHOT.
        code = getattr(cause, "sqlite_errorcode", -1) & 0xFF
        if code in _BUSY:
            return BusyError()
        words = _FAULTS.get(code)
        return None if words is None else StorageError(words[0], hint=words[1])
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return StorageError("the database cannot be reached", hint="try again in a moment")
    return None


@contextmanager
def faults_in_words(*, reading: bool = False) -> Iterator[None]:
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        # A reader that is refused a write has made a mistake of ours: no fault.
        refused = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY
        fault = None if reading and refused else fault_of(error)
        if fault is None:
            raise
        raise fault from error
