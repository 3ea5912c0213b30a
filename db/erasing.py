"""Empties SQLite's log, in which what was deleted can be read until then."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event, Lock, Thread

TRY_SECONDS = 0.25
"""How long one try waits for readers; writers wait for it."""
PAUSE_SECONDS = 1.0
"""From one try to the next."""


class LogEraser:
    """Empties the log of a file: at once, or in the background once no other process reads."""

    def __init__(self, file: Path, writers: Lock) -> None:
        self._file, self._writers = file, writers
        self._lock, self._ended = Lock(), Event()
        self._requests = self._granted = 0
        self._goes_on = False

    @property
    def pending(self) -> bool:
        return self._granted < self._requests

    def ask(self) -> None:
        """Empty the log of what has been committed; returns within half a second."""
        with self._lock:
            self._requests += 1
        self._try()
        with self._lock:
            if self.pending and not self._goes_on:
                self._goes_on = True
                Thread(target=self._go_on, daemon=True, name="emptying the log").start()

    def end(self) -> None:
        """Try a last time."""
        self._ended.set()
        self._try()

    def _go_on(self) -> None:
        while True:
            self._ended.wait(PAUSE_SECONDS)
            self._try()
            with self._lock:
                if not self.pending or self._ended.is_set():
                    self._goes_on = False
                    return

    def _try(self) -> None:
        requests = self._requests
        # Threads queue up for their turn to write; SQLite has other processes poll.
        if not self._writers.acquire(timeout=TRY_SECONDS):
            return
        try:
            emptied = _empty_log(self._file)
        finally:
            self._writers.release()
        if emptied:
            with self._lock:
                self._granted = max(self._granted, requests)


def _empty_log(file: Path) -> bool:
    """False while somebody else reads or writes, or where the disk does not take it."""
    try:
        address = f"{file.absolute().as_uri()}?mode=rw"  # a file that is gone is not made again
        with closing(sqlite3.connect(address, uri=True, timeout=TRY_SECONDS)) as connection:
            # Most of the work, while others write.
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not busy
