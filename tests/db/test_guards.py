"""What the database itself refuses, whoever asks; and its migrations."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import threading
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from multiprocessing import get_context
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from db import open_database
from db.engine import _switch_log_on, make_engine
from db.repositories.statements import Statements
from db.tables import Base
from study.errors import StorageError, StudyError
from tests.rehearsal import Rehearsal

OF_A_VOTE = (
    "assignment_id, rater_id, pair_id, position, choice, lower_left, shown_at, voted_at,"
    " idle_seconds, reason"
)
SECOND = f"INSERT INTO vote (id, {OF_A_VOTE}) SELECT id + 100, {OF_A_VOTE} FROM vote LIMIT 1"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE vote SET choice = 'right'", "votes are append-only"),
        ("DELETE FROM vote", "votes are append-only"),
        ("INSERT OR REPLACE INTO vote SELECT * FROM vote", "append-only"),
        ("UPDATE audit SET detail = 'x'", "audit lines are append-only"),
        ("DELETE FROM audit", "audit lines are append-only"),
        ("UPDATE assignment SET shown_at = '2020-01-01 00:00:00.000000'", "does not change"),
        ("UPDATE assignment SET lower_left = 1 - lower_left", "does not change"),
        ("DELETE FROM assignment", "stays"),
        ("DELETE FROM rater", "by withdrawing only"),
        ("UPDATE study SET design = '{}'", "the study is frozen"),
        ("UPDATE study SET hash = ''", "the study is frozen"),
        ("UPDATE study SET rules = '{}'", "the study is frozen"),
        ("UPDATE study SET status = 'draft'", "only moves forward"),
        ("DELETE FROM study", "the study is frozen"),
        ("UPDATE problem SET csv = ''", "the study is frozen"),
        ("DELETE FROM pool", "the study is frozen"),
        ("UPDATE pair SET dropped = 'late'", "the study is frozen"),
        ("UPDATE member SET eic = 0", "the study is frozen"),
        ("UPDATE ballot SET content = ''", "the study is frozen"),
        ("DELETE FROM ballot", "the study is frozen"),
        ("INSERT INTO ballot VALUES (99, '')", "FOREIGN KEY|frozen"),
        (SECOND, "UNIQUE"),
    ],
)
def test_the_database_refuses(raw: sqlite3.Connection, statement: str, message: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=message):
        raw.execute(statement)


def test_no_vote_enters_a_closed_study(raw: sqlite3.Connection) -> None:
    raw.execute("UPDATE study SET status = 'closed'")
    with pytest.raises(sqlite3.IntegrityError, match="not open"):
        raw.execute(SECOND)
    with pytest.raises(sqlite3.IntegrityError, match="only moves forward"):
        raw.execute("UPDATE study SET status = 'open'")


def test_migrations_from_nothing_make_exactly_the_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'deep' / 'er' / 'x.sqlite3'}"
    store = open_database(url)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    store.dispose()
    open_database(url).dispose()


def test_a_database_from_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    open_database(url).dispose()
    connection = sqlite3.connect(tmp_path / "x.sqlite3")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(StudyError, match="newer version"):
        open_database(url)


def _open(url: str) -> bool:
    open_database(url).dispose()
    return True


def test_processes_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    with ProcessPoolExecutor(4, mp_context=get_context("fork")) as pool:
        assert all(pool.map(_open, [url] * 8))


def test_the_log_is_switched_on_as_soon_as_others_let_go(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    other = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    lets_go = threading.Timer(0.3, other.execute, ["ROLLBACK"])
    lets_go.start()
    impatient = sqlite3.connect(path, timeout=0)
    _switch_log_on(impatient)
    assert impatient.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    lets_go.join()
    impatient.close()
    other.close()


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    open_database(f"sqlite:///{path}").dispose()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "nonsense"])
def test_an_address_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(StudyError):
        make_engine(url)


def test_writers_really_begin_immediately(rehearsal: Rehearsal) -> None:
    other = sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"), timeout=0)
    with (
        rehearsal.store.writing(),
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("BEGIN IMMEDIATE")
    other.close()


def test_readers_cannot_write(rehearsal: Rehearsal) -> None:
    with (
        pytest.raises(OperationalError, match="readonly"),
        rehearsal.store.reading() as tx,
    ):
        tx.audit.add(rehearsal.clock.now(), "nobody", "wrote")


def test_an_exception_undoes_the_whole_unit_of_work(rehearsal: Rehearsal) -> None:
    with pytest.raises(RuntimeError), rehearsal.store.writing() as tx:
        tx.audit.add(rehearsal.clock.now(), "nobody", "wrote")
        raise RuntimeError
    with rehearsal.store.reading() as tx:
        assert tx.audit.every() == ()


def test_a_reader_sees_one_snapshot(rehearsal: Rehearsal) -> None:
    with rehearsal.store.reading() as before:
        assert before.audit.every() == ()
        with rehearsal.store.writing() as tx:
            tx.audit.add(rehearsal.clock.now(), "somebody", "wrote")
        assert before.audit.every() == ()
    with rehearsal.store.reading() as after:
        assert len(after.audit.every()) == 1


def test_what_goes_straight_to_sqlite_goes_through_sqlalchemy_elsewhere(
    rehearsal: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_driver = property(lambda _: None, lambda *_: None)
    monkeypatch.setattr(Statements, "_driver", no_driver, raising=False)
    rehearsal.rate(rehearsal.begun()[1], 2)
    assert [(vote.choice, vote.seconds) for vote in rehearsal.votes()] == [("left", 20.0)] * 2


def test_times_are_stored_in_utc(rehearsal: Rehearsal) -> None:
    local = datetime(2025, 7, 1, 14, 30, tzinfo=timezone(timedelta(hours=2)))
    with rehearsal.store.writing() as tx:
        tx.audit.add(local, "somebody", "wrote")
    with rehearsal.store.reading() as tx:
        (line,) = tx.audit.every()
    assert line.at == local and line.at.tzinfo == UTC
    connection = sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"))
    assert connection.execute("SELECT at FROM audit").fetchone()[0].startswith("2025-07-01 12:30")
    connection.close()


def test_a_time_without_zone_is_refused(rehearsal: Rehearsal) -> None:
    with pytest.raises(Exception, match="time zone"), rehearsal.store.writing() as tx:
        tx.audit.add(datetime(2025, 1, 1), "somebody", "wrote")


def test_a_full_disk_is_told_and_nothing_is_half_saved(rehearsal: Rehearsal) -> None:
    """SQLite's own limit of pages says what a full disk does (sqlite.org/pragma.html)."""
    study = rehearsal.opened()
    token = rehearsal.rater(study)
    rehearsal.rate(token)
    assert rehearsal.rating.next_ballot(token).ballot is not None
    full: list[object] = []

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {1 if full else 2**30}")

    rehearsal.store.dispose()
    event.listen(rehearsal.store.engine, "connect", limit)
    full.append(True)
    with pytest.raises(StorageError, match="the disk is full"), rehearsal.store.writing() as tx:
        for n in range(200):
            tx.audit.add(rehearsal.clock.now(), "rater", "filled", study.id, "x" * 1000 + str(n))
    full.clear()
    rehearsal.store.dispose()
    assert rehearsal.organiser.audit(study.id)[0].action != "filled"
    assert str(rehearsal.rating.open(token).progress) == "saved 1 of 10"


def test_a_database_that_is_junk_locked_or_in_no_folder_does_not_open(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    junk = tmp_path / "junk.sqlite3"
    junk.write_bytes(b"not a database at all" * 500)
    for url, said in (
        (f"sqlite:///{junk}", "is no database"),
        (f"sqlite:///{tmp_path}/junk.sqlite3/below.sqlite3", "cannot open the database"),
        ("sqlite:////proc/none/lab.sqlite3", "cannot open the database"),
    ):
        with pytest.raises(StorageError, match=said):
            open_database(url)
    with contextlib.closing(sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="busy"):
            open_database(rehearsal.url + "?timeout=1")
