"""The processor time that is spent on a case: of this process, and of the child that runs SymPy."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

_CHILDREN = Path("/proc/self/task")

_ANEW = 0.02
"""Seconds after which the children are asked again: a look takes 0.1 ms, a clock is often read."""


class ProcessorClock:
    """Gives the seconds of this process and of its children, those that still run among them where
    the system tells them (Linux).
    """

    def __init__(self) -> None:
        self._children, self._asked = 0.0, -1.0

    def __call__(self) -> float:
        now = time.monotonic()
        if now - self._asked > _ANEW:
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = ended.ru_utime + ended.ru_stime + sum(_running_children())
            # One that ends while it is asked counts the next time
            self._children, self._asked = max(self._children, spent), now
        return time.process_time() + self._children


def _running_children() -> Iterator[float]:
    ticks = os.sysconf("SC_CLK_TCK")
    for children in _CHILDREN.glob("*/children"):
        try:
            for number in children.read_text().split():
                fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
                yield (int(fields[11]) + int(fields[12])) / ticks
        except OSError:  # It has just ended, and counts with those that have
            continue
