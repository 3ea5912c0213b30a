"""The processes of the worker pool; `WorkerPool` starts this as a program."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from eic_core.errors import UserError
from pages.ui.kit.packing import Channel, Pickled, pack, unpack

_NICE = 10
"""Niceness: a worker that shares a processor with the pages gets about a tenth of it."""

_PROGRESS_EVERY = 0.05
"""Least seconds between two messages of progress."""


def parts_of(one: object) -> tuple[object, ...]:
    """An object and those parts of it that answers are likely to refer to."""
    more: Callable[[], tuple[object, ...]] | None = getattr(one, "shared_parts", None)
    return (one, *more()) if callable(more) else (one,)


def shared_objects(args: Sequence[object]) -> list[object]:
    """The objects of a task's arguments that its answer need not bring back."""
    return [part for argument in args for part in parts_of(argument)]


def nursery(control: Channel) -> None:
    """Fork a worker for each socket that comes; never returns."""
    while True:
        try:
            kind, *more = control.receive()
        except EOFError:
            os._exit(0)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if kind != "start":
            continue
        end, limit = more
        pid = os.fork()  # safe: the nursery has imported everything and has no thread
        if pid == 0:
            control.close()
            work(Channel(end), limit)
        control.send(pid)
        end.close()


def work(channel: Channel, limit: int) -> None:
    """Do one task after the other until the other side is gone; never returns."""
    _settle(limit)
    threading.Thread(target=_end_with, args=(channel.socket,), daemon=True).start()
    channel.socket.settimeout(None)
    objects: dict[int, object] = {}
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionError):
        channel.send("ready")
        while True:
            kind, *more = channel.receive()
            if kind == "keep":
                objects[more[0]] = unpack(more[1])
            elif kind == "forget":
                objects.pop(more[0], None)
            else:
                _do(channel, objects, *more)
    os._exit(0)


def _do(
    channel: Channel,
    objects: dict[int, object],
    keys: Sequence[int],
    packed: Pickled,
    keep_as: int | None,
    watched: bool,
) -> None:
    """Do one task: send its answer, the user's mistake, or the fault."""
    last = 0.0

    def progress(*done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _PROGRESS_EVERY:
            last = now
            channel.send("progress", done)

    try:
        function, args, more = unpack(packed, shared_objects([objects[key] for key in keys]))
        if watched:
            more["progress"] = progress
        answer = function(*args, **more)
        if keep_as is not None:
            objects[keep_as] = answer
        sent = pack(answer, [] if keep_as is not None else shared_objects(args))
        channel.send("done", sent, _resident())
    except UserError as error:
        channel.send("error", pack(error), _resident())
    except MemoryError:
        channel.send("memory", "", 1 << 60)
    except (BrokenPipeError, ConnectionError):
        raise
    except Exception:
        channel.send("fault", traceback.format_exc(), _resident())


def _lower_priority() -> None:
    with contextlib.suppress(OSError):
        # Where the kernel groups processes by session (sched(7), "The autogroup feature") a nice
        # value counts only within a session: the nursery stays in that of the pages.
        os.nice(_NICE)


def _settle(limit: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # First to go where memory is short.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("600")
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit:  # the limit is on its own memory: shared memory does not count
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _end_with(end: socket.socket) -> None:
    """End this process when the other side of its socket is closed, whatever it is doing."""
    # A worker ends with the server, in the middle of its work if need be.
    poll = select.poll()
    poll.register(end, 0)  # an empty mask still reports hanging up
    while True:
        if poll.poll():
            os._exit(0)


def _resident() -> int:
    """Bytes of memory that are this process's own; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as statm:
            _, resident, shared, *_ = statm.read().split()
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def main(arguments: Sequence[str]) -> None:
    number, *modules = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = Channel(socket.socket(fileno=int(number)))
    control.socket.settimeout(None)
    for module in modules:
        name, _, function = module.partition(":")
        imported: Any = importlib.import_module(name)
        if function:
            getattr(imported, function)()
    gc.collect()
    gc.freeze()  # a collection would write to, and so copy, the memory that all workers share
    _lower_priority()
    control.send("warm")
    nursery(control)


if __name__ == "__main__":
    main(sys.argv[1:])
