"""A study on a real SQLite file."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.db.traces import connected
from tests.rehearsal import Rehearsal


@pytest.fixture
def rehearsal(tmp_path: Path) -> Iterator[Rehearsal]:
    """Services on a fresh file."""
    made = Rehearsal.at(tmp_path)
    yield made
    made.store.dispose()


@pytest.fixture
def raw(rehearsal: Rehearsal) -> Iterator[sqlite3.Connection]:
    """A connection that knows nothing of our repositories, to a study with votes."""
    study = rehearsal.opened(ballots_per_rater=3, problems=2, pairs=2)
    rehearsal.rate(rehearsal.rater(study), 3)
    file = Path(rehearsal.url.removeprefix("sqlite:///"))
    with contextlib.closing(connected(file)) as connection:
        yield connection
