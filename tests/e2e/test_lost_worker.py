"""A real server whose worker is killed: one visitor is told so, nobody outlives the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from benchmarks.load.visitors import HeavyVisitor, stream_of
from tests.e2e.browser import running_server

HEAVY = "+".join(f"(x-x*{1 + k * 1e-16!r})" for k in range(1, 100))


def descendants(pid: int) -> list[int]:
    """The processes below one, those that were started first before the others."""
    below: list[int] = []
    with contextlib.suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            below += map(int, (task / "children").read_text().split())
    return [*below, *(p for child in below for p in descendants(child))]


def busy(pid: int) -> bool:
    """Whether a process is running rather than waiting."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    return False


async def killed_while_at_work(address: str, server: int) -> tuple[str, str]:
    """What the page says when its worker is killed, and after another try of something else."""
    async with connect(
        stream_of(address), subprotocols=["streamlit"], origin=address, max_size=None
    ) as stream:
        visitor = HeavyVisitor(stream)
        page = asyncio.create_task(visitor.show(HEAVY, 1))
        assert len(descendants(server)) >= 3
        while not page.done():  # also one that still imports may be busy: the next is at work then
            await asyncio.sleep(0.3)
            for pid in filter(busy, descendants(server)[1:]):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        await page
        lost = visitor.text
        await visitor.show("10000*x - 9999*x", 1)
        return lost, visitor.text


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc")
def test_a_killed_worker_is_told_in_a_sentence_and_none_outlives_the_server() -> None:
    processes: list[int] = []
    with running_server(processes=processes) as address:
        (server,) = processes
        with ThreadPoolExecutor(1) as aside:  # beside the browser's own loop
            work = killed_while_at_work(address, server)
            lost, after = aside.submit(asyncio.run, work).result()
        below = descendants(server)
        os.kill(server, signal.SIGKILL)
    assert "the process that worked on this ended before it was done" in lost
    assert "[Try again]" in lost
    assert "4.4" in after and "ended before it was done" not in after
    ends = time.monotonic() + 30
    while time.monotonic() < ends and any(_there(pid) for pid in below):
        time.sleep(0.02)
    assert below and not any(_there(pid) for pid in below)


def _there(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
