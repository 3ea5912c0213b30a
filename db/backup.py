"""Copies a live SQLite database into a backup file, and a backup back in its place.

Both directions use SQLite's online backup: the app may run on meanwhile.  PostgreSQL has
``pg_dump`` and ``pg_restore`` for this.
"""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from db.engine import BUSY_SECONDS, sqlite_path
from study.errors import StudyError

DEFAULT_FOLDER = Path("var") / "backups"


def backup(url: str, folder: Path = DEFAULT_FOLDER, *, now: datetime | None = None) -> Path:
    """Copy a live database to a new file with the time (UTC) in its name, and check the copy.

    - `url`: SQLite's.
    - `folder`: made if need be.
    - `now`: for the name; default: the present.

    Returns the copy: one file, readable by its owner only, that has passed ``integrity_check``.
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
    os.replace(partial, target)
    return target


def restore(url: str, file: Path, folder: Path = DEFAULT_FOLDER) -> Path | None:
    """Put a backup in the place of a database, and keep what was there as another backup.

    - `url`: SQLite's; the file need not exist.
    - `file`: from `backup`.
    - `folder`: where the present state is saved first.

    Returns the backup of what was there, or the damaged file itself under another name beside it;
    None if there was nothing.
    Raises `StudyError` if the file is missing or damaged, or holds no studies; nothing is changed
    then.
    """
    if not file.is_file():
        raise StudyError(f"there is no file {file}")
    check(file)
    target = sqlite_path(url)
    kept = None
    if target.is_file() and target.stat().st_size:
        kept = backup(url, folder) if _is_sound(target) else _put_aside(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        target.touch(mode=0o600)
    _copy(file, target)
    check(target)
    return kept


def _is_sound(file: Path) -> bool:
    try:
        check(file)
    except StudyError:
        return False
    return True


def _put_aside(file: Path) -> Path:
    """Rename a damaged database, with the log beside it; its new name.

    An app that has it open goes on with the damaged file until it is started again.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    for end in ("-wal", "-shm", ""):
        beside = file.with_name(file.name + end)
        if beside.exists():
            os.replace(beside, aside.with_name(aside.name + end))
    return aside


def check(file: Path) -> None:
    """Raise `StudyError` unless a file is a sound database of this program."""
    connection = sqlite3.connect(f"file:{file}?mode=rw", uri=True, timeout=BUSY_SECONDS)
    try:
        said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        connection.execute("SELECT count(*) FROM vote").fetchone()
        connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise StudyError(f"{file} is no database of EIC Lab: {error}") from error
    finally:
        connection.close()
    if said != ["ok"] or orphans:
        raise StudyError(f"{file} is damaged: {(said + ['broken references'])[0]}")


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
