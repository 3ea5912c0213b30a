"""Long work that outlives its page, shows progress and can be ended; without Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock, Semaphore, Thread
from typing import Any

from eic_core.errors import UserError

Step = Callable[[int, int], None]
"""Takes (done, total); raises `Cancelled` once the job was told to end."""


MOST_ENDED = 100
"""Jobs that have ended and are kept for whoever asks."""


class Cancelled(Exception):
    """The job was told to end."""


@dataclass
class Job:
    title: str
    done: int = 0
    total: int = 0
    result: Any = None  # None until the work has returned
    error: UserError | None = None
    about: Any = None  # for whoever began it
    _ended: Event = field(default_factory=Event)
    _cancel: Event = field(default_factory=Event)

    @property
    def running(self) -> bool:
        return not self._ended.is_set()

    @property
    def cancelled(self) -> bool:
        """Whether it was told to end, or has ended for that reason."""
        return self._cancel.is_set()

    def cancel(self) -> None:
        """Tell it to end at its next step."""
        self._cancel.set()

    def step(self, done: int, total: int) -> None:
        if self._cancel.is_set():
            raise Cancelled
        self.done, self.total = done, total

    def wait(self, seconds: float) -> bool:
        """Wait for its end; whether it came."""
        return self._ended.wait(seconds)


@contextmanager
def holding(slots: Semaphore, wait: Callable[[], None]) -> Iterator[None]:
    """Hold one of a few slots; `wait` is called every half second before, and may raise."""
    while not slots.acquire(timeout=0.5):
        wait()
    try:
        yield
    finally:
        slots.release()


class Jobs:
    """One job at a time for each key.

    >>> jobs = Jobs()
    >>> job = jobs.start("a", "counting", lambda step: step(1, 1) or "counted")
    >>> job.wait(10), job.result, jobs.get("a") is job
    (True, 'counted', True)
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = Lock()

    def get(self, key: str) -> Job | None:
        return self._jobs.get(key)

    def under(self, prefix: str) -> tuple[Job, ...]:
        """All jobs whose key has this prefix, oldest first."""
        with self._lock:
            return tuple(job for key, job in self._jobs.items() if key.startswith(prefix))

    def start(self, key: str, title: str, work: Callable[[Step], Any], about: Any = None) -> Job:
        """Begin; if one is running under this key, that one is returned instead."""
        with self._lock:
            old = self._jobs.get(key)
            if old is not None and old.running:
                return old
            job = self._jobs[key] = Job(title, about=about)
            for ended in [each for each in self._jobs if not self._jobs[each].running][
                :-MOST_ENDED
            ]:
                del self._jobs[ended]
        context = copy_context()  # the thread works for the same visitor (`current_visitor`)
        Thread(
            target=context.run, args=(self._run, job, work), daemon=True, name=f"job {key}"
        ).start()
        return job

    def forget(self, key: str) -> None:
        """Forget a job that has ended."""
        with self._lock:
            if (job := self._jobs.get(key)) is not None and not job.running:
                del self._jobs[key]

    def _run(self, job: Job, work: Callable[[Step], Any]) -> None:
        try:
            job.result = work(job.step)
        except Cancelled:
            job.cancel()
        except UserError as error:
            job.error = error
        except Exception:
            job.error = UserError("this failed for a reason of ours", hint="the log has it")
            raise
        finally:
            job._ended.set()
