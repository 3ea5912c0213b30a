"""Servers of the tests that begin where their imports end: a process has them, and divides itself.

A server spends three seconds of a processor on imports before it listens, and a run of the browser
tests starts some twenty.  `python -m tests.e2e.prepared_server SOCKET` imports what
`streamlit run app.py` does, once, has no thread, and on request becomes such a server in a child.
Where none is running, `start` is `streamlit run` itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]
PLACE = "EIC_LAB_PREPARED_SERVER"
"""The variable that holds the path of the socket."""


class Process(Protocol):
    """A server: the part of `subprocess.Popen` that tests use."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Child:
    """A process that somebody else started; its status, which only its parent sees, is 0."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def _ended(self, seconds: float) -> bool:
        return bool(select.select([self._handle], [], [], seconds)[0])

    def poll(self) -> int | None:
        return 0 if self._ended(0) else None

    def wait(self, timeout: float) -> int:
        if not self._ended(timeout):
            raise subprocess.TimeoutExpired(["streamlit"], timeout)
        return 0

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def __del__(self) -> None:
        os.close(self._handle)


def start(script: str, port: int, environment: Mapping[str, str], log: Any) -> Process:
    """`streamlit run` of a script, in a process of its own.

    Parameters
    ----------
    script : str
        Below the root of the repository.
    port : int
    environment : mapping
        All of it.
    log : open file
        Receives what the server prints.
    """
    arguments = ["run", script, "--server.port", str(port), "--server.headless", "true"]
    place = os.environ.get(PLACE)
    if not place:
        return subprocess.Popen(
            [sys.executable, "-m", "streamlit", *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    asked = json.dumps({"arguments": arguments, "environment": dict(environment)}).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(place)
        socket.send_fds(line, [len(asked).to_bytes(4, "big")], [log.fileno()])
        line.sendall(asked)
        return Child(int.from_bytes(_exactly(line, 4), "big"))


@contextlib.contextmanager
def prepared(place: Path) -> Any:
    """Have a prepared process at this path, for this process and those it starts."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(place))
        door.listen(64)
        door.set_inheritable(True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
        # Threads of libraries would not be there in a child.
        environment["OPENBLAS_NUM_THREADS"] = "1"
        environment["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.prepared_server", str(door.fileno())],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            env=environment,
            pass_fds=[door.fileno()],
        )
    os.environ[PLACE] = str(place)
    try:
        yield
    finally:
        del os.environ[PLACE]
        process.kill()
        process.communicate()


def _exactly(line: socket.socket, count: int) -> bytes:
    parts = b""
    while len(parts) < count:
        more = line.recv(count - len(parts))
        if not more:
            raise EOFError("the prepared process has ended")
        parts += more
    return parts


def serve(door: socket.socket) -> None:
    """Answer requests until whoever started this process ends."""
    import streamlit.web.cli as streamlit

    import pages.ui.server  # noqa: F401  (what app.py imports)
    from tests.kept import making_once

    assert len(os.listdir("/proc/self/task")) == 1, "a thread would not be there in the child"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children that end leave nothing
    while door in select.select([door, sys.stdin], [], [])[0]:
        line, _ = door.accept()
        size, (log, *_), _, _ = socket.recv_fds(line, 4, 1)
        asked = json.loads(_exactly(line, int.from_bytes(size, "big")))
        pid = os.fork()
        if pid:
            os.close(log)
            line.sendall(pid.to_bytes(4, "big"))
            line.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()  # its workers stand behind its pages then, and not behind every browser, too
        line.close()
        door.close()
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv = ["streamlit", *asked["arguments"]]
        with making_once():
            streamlit.main(prog_name="streamlit")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
