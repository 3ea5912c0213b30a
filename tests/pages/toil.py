"""Work for the worker pool's tests: slow, greedy, faulty and fatal, as asked."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from eic_core.errors import FormulaError


def spin(seconds: float, progress: Callable[[float], None] | None = None) -> int:
    """Be busy without a pause; the process that was."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        if progress is not None:
            progress(1 - left / seconds)
    return os.getpid()


def rest(seconds: float) -> int:
    """Wait; the process that did."""
    time.sleep(seconds)
    return os.getpid()


def end(number: int = signal.SIGKILL) -> None:
    """End this process."""
    os.kill(os.getpid(), number)
    time.sleep(60)


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
