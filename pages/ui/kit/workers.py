"""Heavy work beside the pages, in a few processes that are killed when they must be."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, Lock
from typing import Any, Protocol, TypeVar

from eic_core import wording
from eic_core.errors import DataError, UserError
from pages.ui.kit.packing import Channel, Pickled, pack, unpack
from pages.ui.kit.worker_process import parts_of, shared_objects

ROOT = Path(__file__).resolve().parents[3]

LONGEST = 120.0
"""Seconds of work after which a worker is killed, unless the task says otherwise: ten times what an
inspection or an answer takes on a quiet machine."""

UNHURRIED = 3600.0
"""The same for work that a visitor wants to its end."""

MEMORY = 1 << 30
"""Bytes that a worker may have of its own."""

MOST_WAITING, MOST_OF_ONE = 200, 20
"""Tasks that may wait at once, of all visitors and of one."""

_REPLACED_ABOVE = 400 << 20
"""Bytes of its own above which a worker is replaced after its task."""

_HELD, _HELD_BYTES = 24, 256 << 20
"""Results and tables that a worker holds, by number and in bytes."""

_POLL_EVERY = 0.25
"""Seconds between two calls of `wait`, which ends the work of a visitor who has left."""

_START_SECONDS = 120.0
"""Seconds that the imports may take."""

T = TypeVar("T")
log = logging.getLogger(__name__)

current_visitor: ContextVar[str] = ContextVar("current_visitor", default="")
"""The visitor for whom this thread works; the thread of a job inherits it."""


class WorkStopped(DataError):
    """Work that ended before it was done; `again` says whether a second attempt may succeed."""

    def __init__(self, message: str, *, hint: str, again: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.again = again


def _lost() -> WorkStopped:
    return WorkStopped(
        "the process that worked on this ended before it was done", hint="try again", again=True
    )


def _fault() -> WorkStopped:
    return WorkStopped("this failed for a reason of ours", hint="the log has it")


def _crowded() -> WorkStopped:
    return WorkStopped(
        "too much is waiting to be computed here, so this was not begun",
        hint="try again in a minute",
        again=True,
    )


class Workers(Protocol):
    """A place for heavy work."""

    @property
    def beside(self) -> bool:
        """Whether it is outside this process."""

    def run(
        self,
        function: Callable[..., T],
        *args: object,
        progress: Callable[..., None] | None = None,
        wait: Callable[[], None] | None = None,
        seconds: float = LONGEST,
        long: bool = False,
        keep: bool = False,
        **more: object,
    ) -> T:
        """Call a function of a module and wait for its answer; all must be picklable.

        - `progress`: called with what the function reports; an exception of it ends the work.
        - `wait`: called now and then in between; an exception of it ends the work.
        - `seconds`: until the work is killed.
        - `long`: may take minutes: leaves a worker to quick tasks.
        - `keep`: whether later tasks will have the answer as an argument.

        Raises `UserError` of the function, and `WorkStopped` if it could not finish.
        """


def repeat_progress(
    step: Callable[..., None], *first: float
) -> tuple[Callable[..., None], Callable[[], None]]:
    """`progress` and `wait` of a job's step: `wait` repeats the last progress.

    >>> progress, wait = repeat_progress(print, 0, 10)
    >>> wait(), progress(3, 10), wait()
    0 10
    3 10
    3 10
    (None, None, None)
    """
    last = first

    def progress(*done: float) -> None:
        nonlocal last
        last = done
        step(*done)

    return progress, lambda: step(*last)


class InThread:
    """Does the work at once, in the thread that asks; only its own limits end it.

    >>> InThread().run(max, 1, 2)
    2
    """

    beside = False

    def run(
        self,
        function: Callable[..., T],
        *args: object,
        progress: Callable[..., None] | None = None,
        wait: Callable[[], None] | None = None,
        seconds: float = LONGEST,
        long: bool = False,
        keep: bool = False,
        **more: object,
    ) -> T:
        if progress is not None:
            more["progress"] = progress
        return function(*args, **more)


@dataclass(eq=False)
class _Worker:
    pid: int
    channel: Channel
    handle: int | None
    has: OrderedDict[int, int] = field(default_factory=OrderedDict)

    def kill(self) -> None:
        """End it now: hanging up does not end code that holds the interpreter."""
        with contextlib.suppress(OSError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        self.channel.close()
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


@dataclass(eq=False)
class _Ticket:
    """A task that waits for its turn."""

    visitor: str
    long: bool
    worker: _Worker | None = None


@dataclass(frozen=True)
class _Shared:
    """An object that each worker gets once."""

    key: int
    packed: Pickled


class _Turns:
    """The order of tasks: visitors in turn, each one's in the order of asking."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[_Ticket]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def add(self, ticket: _Ticket) -> None:
        """Stand in line, unless the line is too long."""
        line = self._lines.get(ticket.visitor, ())
        if len(line) >= MOST_OF_ONE or len(self) >= MOST_WAITING:
            raise _crowded()
        self._lines.setdefault(ticket.visitor, deque()).append(ticket)

    def leave(self, ticket: _Ticket) -> None:
        line = self._lines.get(ticket.visitor)
        if line is not None and ticket in line:
            line.remove(ticket)
            if not line:
                del self._lines[ticket.visitor]

    def take(self, allowed: Callable[[_Ticket], bool]) -> _Ticket | None:
        """The next ticket that is allowed; its visitor goes to the end."""
        for visitor, line in self._lines.items():
            for ticket in line:
                if allowed(ticket):
                    # Who asks often waits behind those who ask seldom.
                    self.leave(ticket)
                    if visitor in self._lines:
                        self._lines.move_to_end(visitor)
                    return ticket
        return None


class WorkerPool:
    """A few processes, at least two, one task each at a time; `OSError` if none can be started."""

    beside = True

    def __init__(self, count: int, memory: int = MEMORY, modules: Sequence[str] = ()) -> None:
        if not hasattr(os, "fork") or not hasattr(socket, "send_fds"):
            raise OSError("this system does not fork")
        self.count = max(2, count)  # one is left to quick tasks and other visitors
        self._memory, self._modules = memory, tuple(modules)
        self._changed = Condition()
        self._turns = _Turns()
        self._idle: list[_Worker] = []
        self._busy: dict[_Worker, _Ticket] = {}
        self._missing = 0
        self._ended = Event()
        self._starting = Lock()
        self._keys = itertools.count(1)
        self._shared: dict[int, _Shared] = {}
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: Channel | None = None
        try:
            self._idle = [self._start_worker() for _ in range(self.count)]
        except OSError:
            self.close()
            raise

    # --- processes ---

    @property
    def pids(self) -> tuple[int, ...]:
        """The workers' process ids, those at work first."""
        with self._changed:
            return tuple([w.pid for w in (*self._busy, *self._idle)])

    def close(self) -> None:
        with self._changed:
            self._ended.set()
            workers = [*self._idle, *self._busy]
            self._idle = []
            self._changed.notify_all()
        for worker in workers:
            worker.kill()
        with self._starting:
            self._end_nursery()

    def _end_nursery(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._nursery is not None:
            with contextlib.suppress(OSError):
                self._nursery.kill()
            self._nursery.wait()
        self._control = self._nursery = None

    def _start_nursery(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._nursery = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "pages.ui.kit.worker_process",
                    str(theirs.fileno()),
                    *self._modules,
                ],
                cwd=ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the pages; the session stays theirs (priorities)
                env={**os.environ, **_SINGLE_THREADED},
            )
        self._control = Channel(ours)
        try:
            if not self._control.waiting(_START_SECONDS):
                raise OSError("the worker processes do not start")
            self._control.receive()
        except EOFError:
            raise OSError("the worker processes do not start") from None

    def _start_worker(self) -> _Worker:
        """Have the nursery fork one; a nursery that is gone is started anew."""
        with self._starting:
            for attempt in (0, 1):
                if self._nursery is None or self._nursery.poll() is not None:
                    self._end_nursery()
                    self._start_nursery()
                assert self._control is not None
                ours, theirs = socket.socketpair()
                try:
                    with theirs:
                        self._control.send("start", theirs, self._memory)
                        (pid,) = self._control.receive()
                except (OSError, EOFError) as error:
                    ours.close()
                    self._end_nursery()
                    if attempt:
                        raise OSError("the worker processes do not start") from error
                    continue
                handle = None
                with contextlib.suppress(OSError, AttributeError):
                    handle = os.pidfd_open(pid)
                worker = _Worker(pid, Channel(ours), handle)
                try:
                    worker.channel.receive()
                except EOFError:
                    worker.kill()
                    if attempt:
                        raise OSError("the worker processes do not start") from None
                    continue
                return worker
        raise AssertionError("not reached")

    def _replace(self, worker: _Worker) -> None:
        worker.kill()
        with self._changed:
            self._busy.pop(worker, None)
            self._missing += 1
        self._fill()

    def _fill(self) -> None:
        """Start missing workers; the next task tries again if one cannot be started now."""
        while True:
            with self._changed:
                if not self._missing or self._ended.is_set():
                    return
                self._missing -= 1
            try:
                worker = self._start_worker()
            except OSError:
                log.exception("a worker process could not be started")
                with self._changed:
                    self._missing += 1
                return
            with self._changed:
                if self._ended.is_set():
                    worker.kill()
                    return
                self._idle.append(worker)
                self._deal()

    # --- turns ---

    def _deal(self) -> None:
        """Give idle workers to those whose turn it is; the caller holds the lock."""
        while self._idle:
            long = sum(ticket.long for ticket in self._busy.values())
            of = [ticket.visitor for ticket in self._busy.values()]
            most = self.count - 1  # one is left to those who are quick, and to other visitors

            def allowed(
                ticket: _Ticket, long: int = long, of: list[str] = of, most: int = most
            ) -> bool:
                return (not ticket.long or long < most) and of.count(ticket.visitor) < most

            ticket = self._turns.take(allowed)
            if ticket is None:
                return
            ticket.worker = self._idle.pop()
            self._busy[ticket.worker] = ticket
            self._changed.notify_all()

    def _take_turn(self, ticket: _Ticket, wait: Callable[[], None] | None) -> _Worker:
        with self._changed:
            self._turns.add(ticket)
            self._deal()
        self._fill()
        try:
            while True:
                with self._changed:
                    if self._ended.is_set():
                        raise _lost()
                    if ticket.worker is None:
                        if not (self._idle or self._busy or self._missing < self.count):
                            raise _lost()
                        self._changed.wait(_POLL_EVERY)
                    if ticket.worker is not None:
                        return ticket.worker
                if wait is not None:
                    wait()
        except BaseException:
            with self._changed:
                self._turns.leave(ticket)
                worker = ticket.worker
            if worker is not None:
                self._release(worker)
            raise

    def _release(self, worker: _Worker) -> None:
        with self._changed:
            if self._busy.pop(worker, None) is not None and not self._ended.is_set():
                self._idle.append(worker)
                self._deal()

    # --- tasks ---

    def run(
        self,
        function: Callable[..., T],
        *args: object,
        progress: Callable[..., None] | None = None,
        wait: Callable[[], None] | None = None,
        seconds: float = LONGEST,
        long: bool = False,
        keep: bool = False,
        **more: object,
    ) -> T:
        worker = self._take_turn(_Ticket(current_visitor.get(), long), wait)
        fit = False
        try:
            answer, error, fit = self._do(
                worker, function, args, more, progress, wait, seconds, keep
            )
        except (EOFError, BrokenPipeError, ConnectionError):
            raise _lost() from None
        finally:
            if fit:
                self._release(worker)
            else:
                self._replace(worker)
        if error is not None:
            raise error
        return answer

    def _do(
        self,
        worker: _Worker,
        function: Callable[..., T],
        args: tuple[object, ...],
        more: dict[str, object],
        progress: Callable[..., None] | None,
        wait: Callable[[], None] | None,
        seconds: float,
        keep: bool,
    ) -> tuple[Any, UserError | None, bool]:
        """A worker's answer, or an error; and whether the worker is fit for another task."""
        shared = [(a, s) for a in args if (s := self._share(a)) is not None]
        objects = [part for argument, _ in shared for part in parts_of(argument)]
        packed = pack((function, args, more), objects)
        key = next(self._keys) if keep else None
        ends = time.monotonic() + seconds
        for _, one in shared:
            self._hand_over(worker, one)
        keys = [one.key for _, one in shared]
        worker.channel.send("do", keys, packed, key, progress is not None)
        message = self._await_answer(worker, progress, wait, ends)
        if message is None:
            return None, _too_long(seconds), False
        kind, *content = message
        if kind == "memory":
            return None, _too_large(self._memory), False
        if kind == "fault":
            log.error("a worker failed:\n%s", content[0])
            return None, _fault(), False
        fit = content[1] < _REPLACED_ABOVE
        if kind == "error":
            return None, unpack(content[0]), fit
        answer = unpack(content[0], [] if keep else shared_objects(args))
        if key is not None:
            self._remember(answer, _Shared(key, content[0]))
            worker.has[key] = content[0].size
        return answer, None, fit

    def _await_answer(
        self,
        worker: _Worker,
        progress: Callable[..., None] | None,
        wait: Callable[[], None] | None,
        ends: float,
    ) -> list[Any] | None:
        """The first message that is no progress; None if it does not come before `ends`."""
        while (rest := ends - time.monotonic()) > 0:
            if not worker.channel.waiting(min(rest, _POLL_EVERY)):
                if wait is not None:
                    wait()
                continue
            message = worker.channel.receive()
            if message[0] != "progress":
                return message
            if progress is not None:
                progress(*message[1])
        return None

    # --- objects that workers get once ---

    def _share(self, one: object) -> _Shared | None:
        """The number and content of a large argument; None if it goes with the task."""
        if not getattr(one, "shared_between_processes", False):
            return None
        with self._changed:
            shared = self._shared.get(id(one))
        if shared is None:
            shared = _Shared(next(self._keys), pack(one))
            self._remember(one, shared)
        return shared

    def _remember(self, one: object, shared: _Shared) -> None:
        if not getattr(one, "shared_between_processes", False):
            return
        with self._changed:
            self._shared[id(one)] = shared
        weakref.finalize(one, self._shared.pop, id(one), None).atexit = False

    def _hand_over(self, worker: _Worker, shared: _Shared) -> None:
        if shared.key in worker.has:
            worker.has.move_to_end(shared.key)
            return
        while worker.has and (
            len(worker.has) >= _HELD or sum(worker.has.values()) + shared.packed.size > _HELD_BYTES
        ):
            old, _ = worker.has.popitem(last=False)
            worker.channel.send("forget", old)
        worker.channel.send("keep", shared.key, shared.packed)
        worker.has[shared.key] = shared.packed.size


_SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _too_long(seconds: float) -> WorkStopped:
    return WorkStopped(
        f"this was stopped after {wording.count(round(seconds), 'second', 'seconds')}, "
        "before it was done",
        hint="fewer samples, or a shorter text, take less time",
    )


def _too_large(memory: int) -> WorkStopped:
    return WorkStopped(
        f"this needs more memory than the {memory >> 20:,} MB that one computation may have here",
        hint="fewer samples, or a shorter text, take less",
    )
