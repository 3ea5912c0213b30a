"""Many volunteers at once, each from the link to the thanks, on a real server.

``python -m benchmarks.raters [--raters 108] [--ballots 10]`` starts the app as a demo on a database
of its own, invites the raters, and lets each of them rate through a Streamlit websocket session:
consent, practice, every ballot, thanks.  It then counts what the database holds.  The exit status
is 1 if a vote is missing or the ballots are not balanced.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from db import SqlStore, open_database
from study.clock import SystemChance, SystemClock
from study.design import StudyDesign
from study.material import PairKind, Study
from study.organising import OrganiserService
from study.store import VoteRow

ROOT = Path(__file__).resolve().parents[1]
DEMO = "Demo study"
LOOK = 1.05
"""Least seconds that a volunteer looks at a ballot; the service refuses votes within one."""


class Tab:
    """A browser tab without a browser: speaks Streamlit's protocol, remembers the widgets."""

    def __init__(self, socket: ClientConnection, query: str, page: str = "rate") -> None:
        self._socket = socket
        self._query = query
        self._page = page
        self.widgets: dict[str, str] = {}
        self.text = ""

    async def run(self, *states: WidgetState) -> None:
        """Ask for a run with these widgets' values; returns when the page is complete."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._page
        message.rerun_script.widget_states.widgets.extend(states)
        self.widgets, texts = {}, []
        await self._socket.send(message.SerializeToString())
        while True:
            payload = await self._socket.recv()
            assert isinstance(payload, bytes)
            answer = ForwardMsg()
            answer.ParseFromString(payload)
            kind = answer.WhichOneof("type")
            if kind == "page_info_changed":
                self._query = answer.page_info_changed.query_string
            elif kind == "delta":
                texts.append(self._note(answer))
            elif kind == "script_finished":
                if answer.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                self.text = "\n".join(texts)
                return

    def _note(self, message: ForwardMsg) -> str:
        """Remember a widget by its key; the text of what is no widget."""
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind in ("button", "text_input", "selectbox"):
            identity = getattr(element, kind).id
            self.widgets[identity.split("-", 2)[-1]] = identity
        return element.html.body if kind == "html" else ""

    def widget(self, start: str) -> str:
        """The id of the widget whose key begins so."""
        for key, identity in self.widgets.items():
            if key.startswith(start):
                return identity
        raise RuntimeError(f"no {start!r} among {list(self.widgets)}: {self.text[-500:]}")

    async def begin(self) -> None:
        """From the link to the first ballot that counts."""
        if "consent-degree" not in self.widgets:
            await self.run()
        degree, field_ = self.widget("consent-degree"), self.widget("consent-field")
        await self.press(
            "consent-agree",
            WidgetState(id=degree, string_value="Doctorate"),
            WidgetState(id=field_, string_value="Load"),
        )
        await self.press("welcome-start")
        if "Practice ballot" in self.text:
            await asyncio.sleep(LOOK)
            await self.press("choose-A")
            await self.press("feedback-start")

    async def press(self, start: str, *states: WidgetState) -> None:
        """Press the button whose key begins so, with values of other widgets."""
        await self.run(*states, WidgetState(id=self.widget(start), trigger_value=True))


@dataclass
class Log:
    """Seconds from a click to the complete next page."""

    votes: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


async def rate(
    address: str,
    link: str,
    ballots: int,
    think: float,
    rng: random.Random,
    log: Log,
) -> None:
    """One volunteer, from the link to the thanks."""
    query = urlencode({"t": link.partition("t=")[2]})
    stream = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    async with connect(stream, subprotocols=["streamlit"], origin=address, max_size=None) as socket:
        tab = Tab(socket, query)
        log.opening.append(await _timed(tab.run()))
        await tab.begin()
        for saved in range(ballots):
            assert f"saved {saved} of" in tab.text, tab.text[-500:]
            await asyncio.sleep(LOOK + rng.expovariate(1 / think))
            reason = WidgetState(id=tab.widget("reason-"), string_value=rng.choice(("", "shorter")))
            log.votes.append(await _timed(tab.press(rng.choice(("choose-A", "choose-B")), reason)))
        assert "Thank you!" in tab.text, tab.text[-500:]


async def _timed(work) -> float:  # type: ignore[no-untyped-def]
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def rate_all(address: str, links: list[str], ballots: int, think: float) -> Log:
    """All volunteers, arriving within a few seconds of each other."""
    log = Log()

    async def one(number: int, link: str) -> None:
        rng = random.Random(number)
        await asyncio.sleep(rng.uniform(0, len(links) / 12))
        try:
            await rate(address, link, ballots, think, rng, log)
        except Exception as error:
            log.failed.append(f"rater {number}: {type(error).__name__}: {error}")

    await asyncio.gather(*(one(number, link) for number, link in enumerate(links)))
    return log


def free_port() -> int:
    """One that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass(frozen=True)
class DemoServer:
    """Where a demo is served, its database, and the number of its process."""

    address: str
    store: SqlStore
    process: int


@contextlib.contextmanager
def demo_server(folder: Path) -> Iterator[DemoServer]:
    """The app as a demo with a fresh database."""
    port = free_port()
    url, address = f"sqlite:///{folder / 'raters.sqlite3'}", f"http://127.0.0.1:{port}"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                "app.py",
                "--server.port",
                str(port),
                "--server.headless",
                "true",
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment | {"EIC_LAB_DEMO_DATABASE_URL": url, "EIC_LAB_DEMO": "1"},
        )
        try:
            for _ in range(480):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}/healthz", timeout=2).close()
                    break
                if process.poll() is not None:
                    raise RuntimeError((folder / "server.log").read_text()[-2000:])
                time.sleep(0.25)
            store = open_database(url)
            yield DemoServer(address, store, process.pid)
            store.dispose()
        finally:
            process.terminate()
            process.wait(20)


def open_study(organiser: OrganiserService, ballots: int) -> Study:
    """The demo's open study, or one like it with another number of ballots."""
    demo = next(study for study in organiser.studies() if study.name == DEMO)
    if demo.design.ballots_per_rater == ballots:
        return demo
    design: StudyDesign = replace(demo.design, ballots_per_rater=ballots)
    study = organiser.create("Load", design)
    organiser.set_problems(study.id, organiser.problems(demo.id))
    organiser.set_pairs(study.id, [p.pair for p in organiser.pairs(demo.id) if p.in_study])
    return organiser.freeze(study.id)


def problems_with(votes: list[VoteRow], raters: int, ballots: int, pairs: int) -> list[str]:
    """What is wrong with the votes that were saved."""
    wrong = []
    if len(votes) != raters * ballots:
        wrong.append(f"{len(votes)} votes instead of {raters * ballots}")
    if len({(vote.rater_id, vote.pair_id) for vote in votes}) != len(votes):
        wrong.append("a rater voted twice on a pair")
    on_pair = Counter(vote.pair_id for vote in votes)
    counts = [*on_pair.values(), *[0] * (pairs - len(on_pair))]
    if max(counts) - min(counts) > 2:
        wrong.append(f"from {min(counts)} to {max(counts)} votes on a pair")
    for rater, total in Counter(vote.rater_id for vote in votes).items():
        left = sum(vote.lower_left for vote in votes if vote.rater_id == rater)
        if abs(2 * left - total) > 2:
            wrong.append(f"rater {rater} had {left} of {total} on one side")
    return wrong


def main() -> int:
    """Run, count, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.raters", description=__doc__)
    parser.add_argument("--raters", type=int, default=108)
    parser.add_argument("--ballots", type=int, default=10)
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds on a ballot")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, demo_server(Path(folder)) as server:
        address, store = server.address, server.store
        organiser = OrganiserService(store, SystemClock(), SystemChance(), demo=True)
        study = open_study(organiser, given.ballots)
        labels = [f"rater {number}" for number in range(given.raters)]
        links = [made.link for made in organiser.invitations.invite(study.id, labels)]
        started = time.perf_counter()
        log = asyncio.run(rate_all(address, links, given.ballots, given.think))
        seconds = time.perf_counter() - started
        with store.reading() as tx:
            votes = [vote for vote in tx.votes.every(study.id) if vote.kind == PairKind.MAIN]
        pairs = [pair.id for pair in organiser.pairs(study.id) if pair.in_study]
    wrong = [*log.failed, *problems_with(votes, given.raters, given.ballots, len(pairs))]
    on_pair = Counter(vote.pair_id for vote in votes)
    print(
        f"{given.raters} raters x {given.ballots} ballots in {seconds:.0f} s: "
        f"{len(votes)} of {given.raters * given.ballots} votes in the database"
    )
    print(f"votes on a pair, of {len(pairs)}: {sorted(Counter(on_pair.values()).items())}")
    left = sum(vote.lower_left for vote in votes)
    print(f"formula of lower EIC on the left: {left} of {len(votes)}")
    for name, times in (("click to next ballot", log.votes), ("opening the link", log.opening)):
        if len(times) > 1:
            cut = statistics.quantiles(times, n=20, method="inclusive")
            print(
                f"{name}: p50 {1000 * statistics.median(times):.0f} ms, "
                f"p95 {1000 * cut[18]:.0f} ms, worst {1000 * max(times):.0f} ms"
            )
    for line in wrong[:20]:
        print(f"WRONG: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
