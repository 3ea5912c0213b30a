"""What a rater leaves that can be found again in files, and somebody else who reads them."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.rehearsal import Rehearsal, token_of

MARKS = (b"Palaeoclimatology", b"Ada Example", b"because of the seventh term")
"""A rater's field, the note beside the link, and a reason."""
READER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN")
print(database.execute("SELECT count(*) FROM rater").fetchone(), flush=True)
sys.stdin.read()
"""
CONTENT = """
import pathlib, sys
file = pathlib.Path(sys.argv[1])
sys.stdout.buffer.write(file.read_bytes() if file.exists() else b"")
"""


def connected(file: Path) -> sqlite3.Connection:
    """A connection without our repositories that obeys all that the file itself demands."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    return connection


@contextlib.contextmanager
def reading(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process, in a transaction that reads until the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None and process.stdout.readline()
        yield process


def held(file: Path, marks: tuple[bytes, ...] = MARKS) -> set[tuple[str, bytes]]:
    """Which marks the files of a database hold, and where."""
    files = [file.with_name(file.name + end) for end in ("", "-wal", "-shm")]
    return {
        (each.name.removeprefix(file.name), mark)
        for each in files
        for content in [_content(each)]
        for mark in marks
        if mark in content
    }


def _content(file: Path) -> bytes:
    """By another process: this one would lose SQLite's locks when it closes the file."""
    return subprocess.run(
        [sys.executable, "-S", "-c", CONTENT, str(file)], stdout=subprocess.PIPE, check=True
    ).stdout


def marked_rater(rehearsal: Rehearsal) -> str:
    """The token of somebody who has left all `MARKS`."""
    study = rehearsal.opened(ask_reason=True)
    token = token_of(rehearsal.organiser.invitations.invite(study.id, [MARKS[1].decode()])[0])
    rehearsal.rating.consent(token, degree="Doctorate", field=MARKS[0].decode())
    for _ in range(3):
        ballot = rehearsal.rating.next_ballot(token).ballot
        assert ballot is not None
        rehearsal.clock.advance(20)
        rehearsal.rating.vote(token, ballot.token, "left", MARKS[2].decode())
    return token
