"""What a ballot costs the server, and how it serves many raters.

First the processor time of a vote, which is one rerun: the click, the vote in the database, the
next ballot with its plot; in units of an empty page's rerun on the same machine.  Then volunteers
by the hundred, each from the link to the thanks: how long a click takes, how much memory the
server has, and whether every vote that a page acknowledged is in the database.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

from benchmarks.raters import (
    LOOK,
    ROOT,
    Tab,
    demo_server,
    free_port,
    open_study,
    problems_with,
    rate_all,
)
from benchmarks.timing import busy, verdict
from db import SqlStore
from study.clock import SystemChance, SystemClock
from study.material import PairKind
from study.organising import OrganiserService
from study.rating import RatingService

AIM = 4.0
"""Empty reruns that a ballot may cost."""
OTHERS = 20
HERE = Path(__file__).resolve().parent


def processor_seconds(process: int) -> float:
    """What a process has used so far, on all processors, in all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process: int, what: str = "VmRSS") -> float:
    """The memory of a process now (VmRSS), or at most so far (VmHWM)."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    return float("nan")


@contextlib.contextmanager
def empty_server() -> Iterator[tuple[str, int]]:
    """A server with an empty page, with this app's settings; its address and process."""
    port = free_port()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(HERE / "empty.py"),
            "--server.port",
            str(port),
            "--server.headless",
            "true",
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(480):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            time.sleep(0.25)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(20)


def stream(address: str) -> str:
    """Where the websocket of a server is."""
    return f"ws://{urlsplit(address).netloc}/_stcore/stream"


class Costs:
    """Votes and empty reruns in turns, each with what its server's process used meanwhile."""

    def __init__(self) -> None:
        self.empty: list[float] = []
        self.vote: list[float] = []

    async def measure(
        self, address: str, process: int, links: list[str], empty_address: str, empty: int
    ) -> None:
        """One rater after the other, ballot by ballot; between two votes as many empty reruns."""
        async with connect(
            stream(empty_address), subprotocols=["streamlit"], origin=empty_address, max_size=None
        ) as socket:
            page = Tab(socket, "", page="")
            for _ in range(20):
                await page.run()
            for link in links:
                await self._rate(address, process, link, page, empty)

    async def _rate(self, address: str, process: int, link: str, page: Tab, empty: int) -> None:
        query = urlencode({"t": link.partition("t=")[2]})
        async with connect(
            stream(address), subprotocols=["streamlit"], origin=address, max_size=None
        ) as socket:
            tab = Tab(socket, query)
            await tab.begin()
            while "Thank you!" not in tab.text:
                await asyncio.sleep(LOOK)
                began = processor_seconds(process)
                reason = WidgetState(id=tab.widget("reason-"), string_value="")
                await tab.press(random.choice(("choose-A", "choose-B")), reason)
                await asyncio.sleep(0.05)  # what the server does after its answer
                self.vote.append(processor_seconds(process) - began)
                began = processor_seconds(empty)
                for _ in range(5):
                    await page.run()
                await asyncio.sleep(0.05)
                self.empty.append((processor_seconds(empty) - began) / 5)


def measure_cost(
    store: SqlStore,
    organiser: OrganiserService,
    study: int,
    address: str,
    process: int,
    raters: int,
) -> bool:
    """Print what a ballot costs while others are at work; whether the aim is met."""
    service = RatingService(store, SystemClock(), SystemChance())
    for made in organiser.invitations.invite(study, ["other"] * OTHERS):
        token = made.link.partition("t=")[2]
        service.consent(token, degree="Doctorate", field="Load")
        service.next_ballot(token)
    links = [made.link for made in organiser.invitations.invite(study, ["cost"] * raters)]
    costs = Costs()
    with empty_server() as (empty_address, empty):
        asyncio.run(costs.measure(address, process, links, empty_address, empty))
    vote, rerun = statistics.fmean(costs.vote), statistics.fmean(costs.empty)
    ratio = vote / rerun
    print(
        f"processor time: an empty page's rerun {1e3 * rerun:.1f} ms, a ballot's "
        f"{1e3 * vote:.1f} ms ({len(costs.vote)} votes, {OTHERS} others at work): "
        f"{ratio:.1f} empty reruns, {verdict(ratio, AIM)}"
    )
    return ratio <= AIM


def measure_raters(
    store: SqlStore,
    organiser: OrganiserService,
    study: int,
    address: str,
    process: int,
    raters: int,
    ballots: int,
    think: float,
) -> list[str]:
    """A row of the table for so many raters; what is wrong."""
    before = {vote.id for vote in votes_of(store, study)}
    had = {rater.id for rater in organiser_raters(store, study)}
    links = [made.link for made in organiser.invitations.invite(study, ["load"] * raters)]
    began, started = processor_seconds(process), time.perf_counter()
    log = asyncio.run(rate_all(address, links, ballots, think))
    seconds, used = time.perf_counter() - started, processor_seconds(process) - began
    stored = [vote for vote in votes_of(store, study) if vote.id not in before]
    wrong = [*log.failed]
    if len(log.votes) != len(stored):
        wrong.append(f"{len(log.votes)} votes acknowledged, {len(stored)} stored")
    if not had:
        pairs = [pair.id for pair in organiser.pairs(study) if pair.in_study]
        wrong += problems_with(stored, raters, ballots, len(pairs))
    cuts = statistics.quantiles(log.votes, n=100, method="inclusive")
    print(
        f"| {raters} | {1e3 * cuts[49]:.0f} | {1e3 * cuts[94]:.0f} | {1e3 * cuts[98]:.0f} "
        f"| {len(stored) / seconds:.1f} | {1e3 * used / max(1, len(stored)):.0f} "
        f"| {megabytes(process):.0f} MB | {len(log.votes)} = {len(stored)} |",
        flush=True,
    )
    return wrong


def votes_of(store: SqlStore, study: int) -> list:  # type: ignore[type-arg]
    """All votes on pairs of a study."""
    with store.reading() as tx:
        return [vote for vote in tx.votes.every(study) if vote.kind == PairKind.MAIN]


def organiser_raters(store: SqlStore, study: int) -> tuple:  # type: ignore[type-arg]
    """All raters of a study."""
    with store.reading() as tx:
        return tx.raters.every(study)


def main(arguments: list[str]) -> int:
    """Print the cost and the table; 1 if a vote is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load ballots", description=__doc__)
    parser.add_argument("--raters", default="10,50,100,200,400", help="numbers of raters at once")
    parser.add_argument("--ballots", type=int, default=10)
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds on a ballot")
    parser.add_argument("--cost-of", type=int, default=6, help="raters to measure the cost on")
    given = parser.parse_args(arguments)
    counts = [int(each) for each in given.raters.split(",") if each]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, demo_server(Path(folder)) as server:
        organiser = OrganiserService(server.store, SystemClock(), SystemChance(), demo=True)
        study = open_study(organiser, given.ballots)
        if given.cost_of:
            measure_cost(
                server.store, organiser, study.id, server.address, server.process, given.cost_of
            )
        if counts:
            print(
                f"\nraters at once, {given.ballots} ballots each, {LOOK + given.think:.0f} s on "
                f"a ballot{busy()}; click to next ballot:\n\n"
                "| raters | p50, ms | p95, ms | p99, ms | votes a second | processor, ms a vote "
                "| memory | acknowledged = stored |\n|---|---|---|---|---|---|---|---|",
                flush=True,
            )
        for raters in counts:
            wrong += measure_raters(
                server.store,
                organiser,
                study.id,
                server.address,
                server.process,
                raters,
                given.ballots,
                given.think,
            )
    for line in wrong[:20]:
        print(f"WRONG: {line}")
    return 1 if wrong else 0
