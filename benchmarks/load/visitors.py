"""Three visitors with the worst formulas, while raters vote and /healthz is polled.

``python -m benchmarks.load.visitors [--raters 10]`` starts the app as a demo, lets
raters vote for a while alone, then beside three visitors who paste one formula of `WORST` after the
other, each time with a seed of its own so that nothing is in a cache.  It prints the raters' click
to next ballot and what /healthz took, calm and loaded.  The exit status is 1 if a vote was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import itertools
import multiprocessing
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from benchmarks.load.raters import Log, rate
from benchmarks.load.server import demo

HEALTH_AIM, RATER_AIM = 0.250, 1.5

WORST = (
    "+".join(f"(x-x*{1 + k * 1e-16!r})" for k in range(1, 100)),
    "x^x^x^x^x-x^x^x^x^x",
    "+".join(f"sin({k}*x)*exp(y/{k + 1})" for k in range(900)),
    "log(exp(x))*1e308*1e308/(x-x*1.0000000000000002)",
    "(" * 800 + "x" + "+1)*(y-0.5)" * 800,
    "-".join(f"sqrt(x+{k})*tan(x^{k}/y)" for k in range(1, 60)),
    "exp(exp(exp(x)))-exp(exp(exp(x*1.000000000000001)))",
)
"""Long, deep, and such as need exact arithmetic at every sample."""


class HeavyVisitor:
    """A visitor of the inspector without a browser: speaks Streamlit's protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.text = ""

    async def show(self, formula: str, seed: int, **more: str) -> float:
        """Open the inspector on a formula; the seconds until the page is complete."""
        return await self.run(urlencode({"formula": formula, "seed": seed, **more}))

    async def run(self, query: str) -> float:
        """Run the page once with this query."""
        message = BackMsg()
        message.rerun_script.query_string = query
        started, texts = time.perf_counter(), []
        await self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(bytes(await self._socket.recv()))  # type: ignore[arg-type]
            kind = answer.WhichOneof("type")
            if kind == "delta":
                element = answer.delta.new_element
                if element.WhichOneof("type") == "html":
                    texts.append(element.html.body)
                elif element.WhichOneof("type") == "button":
                    texts.append(f"[{element.button.label}]")
            elif kind == "script_finished":
                if answer.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                self.text = "\n".join(texts)
                return time.perf_counter() - started


def stream_of(address: str) -> str:
    """Where a tab's websocket is."""
    return f"ws://{urlsplit(address).netloc}/_stcore/stream"


def open_tab(address: str) -> connect:
    """A websocket as a browser's tab opens it."""
    streamlit = Subprotocol("streamlit")
    return connect(
        stream_of(address), subprotocols=[streamlit], origin=Origin(address), max_size=None
    )


async def paste_for(address: str, number: int, ends: float, pages: list[float]) -> None:
    """One visitor who pastes one formula after the other."""
    async with open_tab(address) as socket:
        visitor = HeavyVisitor(socket)
        for turn in itertools.count():
            if time.perf_counter() > ends:
                return
            formula = WORST[(number + turn) % len(WORST)]
            pages.append(await visitor.show(formula, 1000 * number + turn))


def poll_health(address: str, stop: Event, out: multiprocessing.Queue[list[float]]) -> None:
    """Seconds that /healthz takes, every tenth of one, measured in a process of its own."""
    found: list[float] = []
    host = urlsplit(address).netloc
    while not stop.is_set():
        started = time.perf_counter()
        connection = http.client.HTTPConnection(host, timeout=30)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/healthz")
            connection.getresponse().read()
        connection.close()
        found.append(time.perf_counter() - started)
        time.sleep(0.1)
    out.put(found)


@dataclass
class Phase:
    """What was measured, calm or loaded."""

    name: str
    log: Log = field(default_factory=Log)
    health: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)

    @property
    def p95(self) -> float:
        """Of a rater's clicks."""
        return statistics.quantiles(self.log.votes, n=20, method="inclusive")[18]


async def run_phase(
    phase: Phase, address: str, links: list[str], ballots: int, think: float, visitors: int
) -> None:
    """Let raters rate, beside so many heavy visitors.

    Parameters
    ----------
    phase : Phase
        Where the seconds go.
    address : str
    links : list of str
        One for each rater.
    ballots : int
    think : float
        Mean seconds that a rater looks at a ballot.
    visitors : int
    """
    stop = multiprocessing.get_context("spawn").Event()
    out: multiprocessing.Queue[list[float]] = multiprocessing.get_context("spawn").Queue()
    poller = multiprocessing.get_context("spawn").Process(
        target=poll_health, args=(address, stop, out)
    )
    rng = random.Random(5)
    heavy = [
        asyncio.create_task(paste_for(address, n, time.perf_counter() + 3600, phase.pages))
        for n in range(visitors)
    ]
    await asyncio.sleep(3.0 if visitors else 0.0)
    poller.start()
    try:
        await asyncio.gather(
            *(rate(address, link, ballots, think, rng, phase.log) for link in links)
        )
        await asyncio.sleep(1.0)
    finally:
        stop.set()
        for task in heavy:
            task.cancel()
        await asyncio.gather(*heavy, return_exceptions=True)
        phase.health = await asyncio.to_thread(out.get, True, 60)
        poller.join(20)


def main(arguments: list[str] | None = None) -> int:
    """Run, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.visitors", description=__doc__)
    parser.add_argument("--raters", type=int, default=10)
    parser.add_argument("--ballots", type=int, default=10)
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds on a ballot")
    parser.add_argument("--visitors", type=int, default=3)
    given = parser.parse_args(arguments)
    calm, loaded = Phase("calm"), Phase(f"{given.visitors} heavy visitors")
    with demo(given.ballots) as served:
        for phase, visitors in ((calm, 0), (loaded, given.visitors)):
            links = served.links(given.raters)
            asyncio.run(
                run_phase(phase, served.server.address, links, given.ballots, given.think, visitors)
            )
    print(
        f"{given.raters} raters, {given.ballots} ballots each; visitors paste "
        f"{len(WORST)} formulas in turn\n"
    )
    print(
        f"{'':<18}{'rater p50':>10}{'p95':>8}{'worst':>8}{'/healthz p50':>14}{'p95':>8}"
        f"{'worst':>8}{'pages':>7}"
    )
    for phase in (calm, loaded):
        votes, health = phase.log.votes, phase.health
        print(
            f"{phase.name:<18}{1e3 * statistics.median(votes):>7.0f} ms{1e3 * phase.p95:>8.0f}"
            f"{1e3 * max(votes):>8.0f}{1e3 * statistics.median(health):>11.0f} ms"
            f"{1e3 * statistics.quantiles(health, n=20)[18]:>8.0f}{1e3 * max(health):>8.0f}"
            f"{len(phase.pages):>7}"
        )
    ratio = loaded.p95 / calm.p95
    print(
        f"\na rater's p95 under load / calm: {ratio:.2f}, aim {RATER_AIM}: "
        f"{'met' if ratio <= RATER_AIM else 'MISSED'}"
    )
    worst = max(loaded.health)
    print(
        f"/healthz, the worst under load: {1e3 * worst:.0f} ms, aim {1e3 * HEALTH_AIM:.0f}: "
        f"{'met' if worst <= HEALTH_AIM else 'MISSED'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
