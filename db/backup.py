"""Copies a live SQLite database into a backup file, and a backup back in its place."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from db.engine import BUSY_SECONDS, sqlite_path
from study.errors import StudyError

DEFAULT_FOLDER = Path("var") / "backups"


def backup(url: str, folder: Path = DEFAULT_FOLDER, *, now: datetime | None = None) -> Path:
    """Copy a live SQLite database to a new checked file named after the time (UTC).

    Raises `StudyError` if there is no database, or the copy is damaged (it is removed then).
    """
    source = sqlite_path(url)
    if not source.is_file():
        raise StudyError(f"there is no database {source}")
    stamp = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{source.stem}-{stamp}.sqlite3"
    partial = target.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    # Before a byte is written: the copy holds what raters declared.
    partial.touch(mode=0o600)
    try:
        _copy(source, partial)
        connection = sqlite3.connect(partial)
        try:
            connection.execute("PRAGMA journal_mode = DELETE")  # one file, no log beside it
        finally:
            connection.close()
        check(partial)
        _to_disk(partial)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    # Renamed last, so that a file of this name is always whole and checked.
    os.replace(partial, target)
    return target


def restore(url: str, file: Path, folder: Path = DEFAULT_FOLDER) -> Path | None:
    """Put a backup in the place of a database, and save what was there first.

    Returns the backup of the old state (or the damaged file, renamed); None without one. Raises
    `StudyError`, with nothing changed, if the file is no sound backup.
    """
    if not file.is_file():
        raise StudyError(f"there is no file {file}")
    check(file)
    target = sqlite_path(url)
    previous = None
    if target.is_file() and target.stat().st_size:
        previous = backup(url, folder) if _is_sound(target) else _put_aside(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        target.touch(mode=0o600)
    _copy(file, target)
    check(target)
    return previous


def _is_sound(file: Path) -> bool:
    try:
        check(file)
    except StudyError:
        return False
    return True


def _put_aside(file: Path) -> Path:
    """Rename a damaged database, with its log; an app that has it open goes on with it."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    # The log first: SQLite would replay an old log into a new database beside it.
    for end in ("-wal", "-shm", ""):
        beside = file.with_name(file.name + end)
        if beside.exists():
            os.replace(beside, aside.with_name(aside.name + end))
    return aside


def check(file: Path) -> None:
    connection = sqlite3.connect(f"file:{file}?mode=rw", uri=True, timeout=BUSY_SECONDS)
    try:
        complaints = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        # A sound SQLite file of another program has none of our tables.
        connection.execute("SELECT count(*) FROM vote").fetchone()
        connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise StudyError(f"{file} is no database of EIC Lab: {error}") from error
    finally:
        connection.close()
    if complaints != ["ok"] or orphans:
        raise StudyError(f"{file} is damaged: {(complaints + ['broken references'])[0]}")


def _copy(source: Path, target: Path) -> None:
    origin = sqlite3.connect(source, timeout=BUSY_SECONDS)
    destination = sqlite3.connect(target, timeout=BUSY_SECONDS)
    try:
        origin.backup(destination)
    except sqlite3.DatabaseError as error:
        raise StudyError(f"cannot copy {source}: {error}") from error
    finally:
        destination.close()
        origin.close()


def _to_disk(file: Path) -> None:
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
