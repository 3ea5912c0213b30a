"""Work for the worker pool's tests: slow, greedy, faulty and fatal, as asked."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from eic_core.errors import FormulaError


class Gate:
    """Shut until it is opened: a lock on a file, which other processes can wait for."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._file = path.open("w")
        self.shut()

    def shut(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def open(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)


def held(gate: str) -> int:
    """Wait until the gate is open; the process that did."""
    with open(gate) as file:
        fcntl.flock(file, fcntl.LOCK_SH)
    return os.getpid()


def advance(gate: str, progress: Callable[[float], None]) -> int:
    """Be busy without a pause, and tell of it, until the gate is open; the process that was."""
    done = 0.0
    with open(gate) as file:
        while True:
            progress(done := done + 1)
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            return os.getpid()


def end(number: int) -> None:
    """End this process; by no signal, stay for good."""
    os.kill(os.getpid(), number)
    signal.pause()


def swell(megabytes: int) -> int:
    """Take so much memory."""
    return len(np.ones(megabytes << 17).tobytes())


def doubled(array: np.ndarray) -> np.ndarray:
    """Twice an array."""
    return 2 * array


def refuse(text: str) -> None:
    """A mistake with its place."""
    raise FormulaError("no", source=text, span=(0, 1), hint="yes", replacement="x")


def fail() -> None:
    """A fault of ours."""
    raise ZeroDivisionError


def where_it_is(one: Any) -> tuple[int, int]:
    """The process, and where the object is in its memory."""
    return os.getpid(), id(one)
