"""Volunteers without a browser, from the link to the thanks: HTTP as the page's script sends it."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from study.store import VoteRow

LOOK = 1.05
"""Least seconds that a volunteer looks at a ballot; the service refuses votes within one."""
BEAT = 15.0
"""Seconds between signs of life, as the script sends them."""
_BALLOT = re.compile(r'data-ballot="([^"]+)"')
_STAGE = re.compile(r'<main data-stage="([^"]+)"')
_HIDDEN = r'name="{}" value="([^"]*)"'
_ASSETS = re.compile(r'(?:href|src)="(/rate/static/[^"]+)"')


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes  # As sent
    size: int  # Bytes with the headers
    seconds: float  # From the request to its last byte

    @property
    def html(self) -> str:
        packed = self.body[:2] == b"\x1f\x8b"
        return (gzip.decompress(self.body) if packed else self.body).decode()


class Browser:
    """One connection that stays open, and what came through it."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()
        self.received = 0

    async def get(self, target: str, *, document: bool = False) -> Answer:
        return await self._ask("GET", target, b"", document)

    async def post(self, target: str, **form: str) -> Answer:
        return await self._ask("POST", target, urlencode(form).encode(), False)

    async def _ask(self, method: str, target: str, body: bytes, document: bool) -> Answer:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self._host}", "Accept-Encoding: gzip"]
        lines += [] if document else ["X-Requested-With: ballot", "Sec-Fetch-Site: same-origin"]
        if method == "POST":
            lines += [
                f"Origin: http://{self._host}",
                "Content-Type: application/x-www-form-urlencoded",
                f"Content-Length: {len(body)}",
            ]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        async with self._turn:
            started = time.perf_counter()
            try:
                status, size, content = await self._exchange(request)
            except (OSError, asyncio.IncompleteReadError):  # the server had closed it meanwhile
                await self.close()
                status, size, content = await self._exchange(request)
            self.received += size
            return Answer(status, content, size, time.perf_counter() - started)

    async def _exchange(self, request: bytes) -> tuple[int, int, bytes]:
        if self._streams is None:
            host, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(host, int(port), limit=2**20)
        reader, writer = self._streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = int(head[9:12]), 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line[15:])
            elif line.startswith(b"transfer-encoding:"):
                raise RuntimeError("an answer without a length")
        content = await reader.readexactly(length)
        return status, len(head) + length, content

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            with contextlib.suppress(OSError):
                await self._streams[1].wait_closed()
        self._streams = None


class Rater:
    """A volunteer: where a link leads, and what the page shows now."""

    def __init__(self, browser: Browser, link: str) -> None:
        self._browser, self._token = browser, link.partition("t=")[2]
        self.html = ""
        self.practice_bytes = 0  # What the practice ballot took, as sent

    @property
    def stage(self) -> str:
        return self._read(_STAGE)

    @property
    def ballot(self) -> str:
        return self._read(_BALLOT)

    def _read(self, pattern: re.Pattern[str]) -> str:
        match = pattern.search(self.html)
        return match[1] if match else ""

    def _show(self, answer: Answer) -> Answer:
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {answer.html[:300]}")
        self.html = answer.html
        return answer

    async def begin(self) -> Answer:
        """From the link to the first ballot that counts; the answer that the link got."""
        browser = self._browser
        address = f"/rate?t={self._token}"
        opened = self._show(await browser.get(address, document=True))
        for asset in _ASSETS.findall(self.html):
            await browser.get(asset, document=True)
        request = self._read(re.compile(_HIDDEN.format("request")))
        who = {"degree": "Doctorate", "field": "Load"}
        self._show(await browser.post("/rate/consent", t=self._token, request=request, **who))
        self.practice_bytes = self._show(await browser.get(address)).size
        if self.stage == "practice":
            await asyncio.sleep(LOOK)
            await self.vote("left", "")
            meant = urlencode({"t": self._token, "at": "practised", "chosen": "left"})
            self._show(await browser.get(f"/rate?{meant}&meant=yes"))
            self._show(await browser.get(address))
        return opened

    async def vote(self, choice: str, reason: str) -> Answer:
        report = "ms=1050;w=390;seen=1;plot=1;by=pointer"
        form = {"ballot": self.ballot, "choice": choice, "reason": reason, "report": report}
        return self._show(await self._browser.post("/rate/vote", t=self._token, **form))

    async def live(self) -> None:
        """Signs of life, as long as this task runs."""
        while True:
            await asyncio.sleep(BEAT)
            if self.ballot:
                await self._browser.post("/rate/beat", t=self._token, ballot=self.ballot)


@dataclass
class Log:
    """Seconds from a press to the complete next page, and bytes."""

    votes: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    first_bytes: list[int] = field(default_factory=list)  # From the link to the first ballot
    next_bytes: list[int] = field(default_factory=list)


async def rate(
    address: str, link: str, ballots: int, think: float, rng: random.Random, log: Log
) -> None:
    """One volunteer, from the link to the thanks."""
    browser = Browser(address)
    rater = Rater(browser, link)
    log.opening.append((await rater.begin()).seconds)
    log.first_bytes.append(browser.received)
    beats = asyncio.create_task(rater.live())
    try:
        for saved in range(ballots):
            assert f"saved {saved} of" in rater.html, rater.html[:2000]
            await asyncio.sleep(LOOK + rng.expovariate(1 / think))
            answer = await rater.vote(rng.choice(("left", "right")), rng.choice(("", "shorter")))
            log.votes.append(answer.seconds)
            log.next_bytes.append(answer.size)
        assert rater.stage == "finished", rater.html[:2000]
    finally:
        beats.cancel()
        await browser.close()


async def rate_all(
    addresses: Sequence[str], links: Iterable[str], ballots: int, think: float
) -> Log:
    """All volunteers, arriving within half a minute, in turn at the addresses."""
    log, links = Log(), list(links)

    async def one(number: int, link: str) -> None:
        rng = random.Random(number)
        await asyncio.sleep(rng.uniform(0, min(30.0, len(links) / 12)))
        try:
            await rate(addresses[number % len(addresses)], link, ballots, think, rng, log)
        except Exception as error:
            log.failed.append(f"rater {number}: {type(error).__name__}: {error}")

    await asyncio.gather(*(one(number, link) for number, link in enumerate(links)))
    return log


def problems_with(votes: Sequence[VoteRow], raters: int, ballots: int, pairs: int) -> list[str]:
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
