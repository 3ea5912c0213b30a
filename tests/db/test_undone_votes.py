"""Revision 0006: a vote may be marked as undone, and nothing that was stored before is lost."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from db import open_database
from db.backup import check
from db.engine import configuration, make_engine
from db.tables import Base
from study.clock import SystemChance
from study.organising import OrganiserService
from study.rating import RatingService
from tests.rehearsal import Rehearsal

OF_BEFORE = (
    "id, assignment_id, rater_id, pair_id, position, choice, lower_left, shown_at, voted_at,"
    " idle_seconds, reason, rater_seconds, viewport, in_view"
)
OF_SEALS = "id, study_id, number, vote_id, salt, commitment, link"
OTHERS = ("study", "problem", "pool", "pair", "member", "ballot", "invitation", "rater")


def _rows(connection: sqlite3.Connection, columns: str, table: str) -> list[Any]:
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()


def _at_revision_5(path: Path, source: Rehearsal) -> None:
    """A file as the version before has it, with the rows of a rehearsal."""
    engine = make_engine(f"sqlite:///{path}").execution_options(eic_writer=True)
    config = configuration()
    with engine.connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
    engine.dispose()
    source.store.dispose()
    with contextlib.closing(sqlite3.connect(path)) as here:
        triggers = here.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        guards = dict(triggers.fetchall())
        for name in guards:
            here.execute(f"DROP TRIGGER {name}")
        here.execute("ATTACH ? AS other", (source.url.removeprefix("sqlite:///"),))
        for table in (*OTHERS, "assignment", "withdrawal", "audit"):
            names = [row[1] for row in here.execute(f"PRAGMA main.table_info({table})")]
            columns = ", ".join(names)  # those of then: later revisions have more
            here.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM other.{table}")
        here.execute(f"INSERT INTO vote ({OF_BEFORE}) SELECT {OF_BEFORE} FROM other.vote")
        here.execute(f"INSERT INTO seal ({OF_SEALS}) SELECT {OF_SEALS} FROM other.seal")
        here.execute(
            "UPDATE sqlite_sequence AS mine SET seq ="
            " (SELECT seq FROM other.sqlite_sequence AS its WHERE its.name = mine.name)"
        )
        for sql in guards.values():
            here.execute(sql)
        here.commit()


def test_a_file_of_revision_5_keeps_rows_ids_seals_and_guards(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    study = rehearsal.opened(ballots_per_rater=4)
    stays, goes = rehearsal.rater(study), rehearsal.rater(study)
    rehearsal.rate(stays, 3)
    rehearsal.rate(goes, 2)
    rehearsal.rating.withdraw(goes)  # the newest votes are gone, and their numbers are spent
    path = tmp_path / "before.sqlite3"
    _at_revision_5(path, rehearsal)
    with contextlib.closing(sqlite3.connect(path)) as here:
        before = _rows(here, OF_BEFORE, "vote"), _rows(here, OF_SEALS, "seal")
        named = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard%'"
        guards = {*here.execute(named)}
    store = open_database(f"sqlite:///{path}")
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    check(path)
    with contextlib.closing(sqlite3.connect(path)) as here:
        assert before == (_rows(here, OF_BEFORE, "vote"), _rows(here, OF_SEALS, "seal"))
        assert guards == {*here.execute(named)} and len(before[0]) == 3
        assert {*_rows(here, "plot_in_view, page, undone_at", "vote")} == {(None, None, None)}
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            here.execute(f"INSERT INTO vote {_again()}")
        here.execute("PRAGMA foreign_keys = ON")
        for statement in ("DELETE FROM vote", "DELETE FROM seal", "UPDATE seal SET salt = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                here.execute(statement)
    clock, chance = rehearsal.clock, SystemChance()
    moved = replace(
        rehearsal,
        store=store,
        organiser=OrganiserService(store, clock, chance),
        rating=RatingService(store, clock, chance, min_view_seconds=0),
    )
    moved.rate(stays, 1)
    with store.reading() as tx:
        votes = tx.votes.every(study.id)
    assert [vote.id for vote in votes] == [1, 2, 3, 6]
    assert [vote.page for vote in votes] == [None, None, None, 3]
    moved.rating.withdraw(stays)
    assert moved.organiser.verify(study.id)
    store.dispose()


def _again() -> str:
    columns = OF_BEFORE.removeprefix("id, ")
    return f"({columns}) SELECT {columns} FROM vote LIMIT 1"


def test_one_change_is_let_through(raw: sqlite3.Connection) -> None:
    raw.execute("UPDATE vote SET undone_at = '2025-03-01 12:00:00.000000' WHERE id = 1")
    raw.execute(f"INSERT INTO vote {_again()}")  # the ballot has no vote that stands
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        raw.execute(f"INSERT INTO vote {_again()}")


@pytest.mark.parametrize(
    "change",
    [
        "undone_at = NULL",
        "undone_at = '2025-03-01 12:00:00.000000', choice = 'tie'",
        "undone_at = '2025-03-01 12:00:00.000000', rater_seconds = 1",
        "undone_at = '2025-03-01 12:00:00.000000', plot_in_view = 1",
        "undone_at = '2025-03-01 12:00:00.000000', page = NULL",
        "undone_at = '2025-03-01 12:00:00.000000', id = 77",
        "page = 1",
    ],
)
def test_nothing_else_of_a_vote_changes(raw: sqlite3.Connection, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw.execute(f"UPDATE vote SET {change} WHERE id = 2")


def test_an_undone_vote_stays_undone_and_a_closed_study_as_it_is(raw: sqlite3.Connection) -> None:
    raw.execute("UPDATE vote SET undone_at = '2025-03-01 12:00:00.000000' WHERE id = 1")
    for value in ("NULL", "'2025-03-01 12:00:01.000000'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute(f"UPDATE vote SET undone_at = {value} WHERE id = 1")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw.execute("DELETE FROM vote WHERE id = 1")
    raw.execute("UPDATE study SET status = 'closed'")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw.execute("UPDATE vote SET undone_at = '2025-03-01 12:00:00.000000' WHERE id = 2")


def test_the_statements_of_a_vote_use_the_indexes(raw: sqlite3.Connection) -> None:
    plan = raw.execute(
        "EXPLAIN QUERY PLAN SELECT vote.id FROM assignment LEFT OUTER JOIN vote"
        " ON vote.assignment_id = assignment.id AND vote.undone_at IS NULL"
        " WHERE assignment.rater_id = 1"
    ).fetchall()
    assert any("uq_vote_assignment_id" in row[3] for row in plan), plan
