"""How pieces of work are compared: in turns, by the processor's time, by medians."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Work = Callable[[], object]


def medians(work: dict[str, Work], rounds: int) -> dict[str, float]:
    """Median seconds of this thread's processor time, the pieces taken in turns.

    Parameters
    ----------
    work : dict of name to callable
    rounds : int
        How often each is called, after once to warm up.
    """
    times: dict[str, list[float]] = {name: [] for name in work}
    for call in work.values():
        call()
    for _ in range(rounds):
        for name, call in work.items():
            started = time.thread_time()
            call()
            times[name].append(time.thread_time() - started)
    return {name: statistics.median(each) for name, each in times.items()}


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


@dataclass(frozen=True)
class Spent:
    """What a command took: seconds of all processors, seconds on the clock, megabytes at most."""

    processor: float
    clock: float
    megabytes: float


def command(arguments: Sequence[str]) -> Spent:
    """Run a module of this Python, quietly.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    started = time.perf_counter()
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-m", *arguments], stdout=nowhere, stderr=nowhere)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python -m {' '.join(arguments)} failed")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Spent(
        usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / unit
    )


def busy() -> str:
    """What to say of the machine where the clock is read; "" if nothing else is running."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f" (the machine is busy: load {load:.1f} on {cores} cores)" if load > 0.3 * cores else ""


def verdict(measured: float, aim: float, *, least: bool = False) -> str:
    """Whether an aim is met: `aim` is the most, or the least, that is wanted."""
    met = measured >= aim if least else measured <= aim
    return f"{'>=' if least else '<='} {aim:g} {'met' if met else 'MISSED'}"
