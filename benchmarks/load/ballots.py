"""What a ballot costs the server, and how it serves many raters.

First the bytes of a ballot, and the processor time of a vote: the press, the vote in the database,
the next ballot; in units of an empty Streamlit page's rerun on the same machine.  The same with two
processes on one database.  Then volunteers by the hundred, each from the link to the thanks: how
long a press takes, how much memory the server has, and whether every vote that a page acknowledged
is in the database.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.load.raters import LOOK, Browser, Rater, problems_with, rate_all
from benchmarks.load.server import Demo, Server, demo, empty_app
from benchmarks.load.visitors import HeavyVisitor, open_tab
from benchmarks.timing import busy, verdict
from study.clock import SystemChance, SystemClock
from study.material import PairKind
from study.rating import RatingService
from study.store import VoteRow

COST_AIM = 1.0
"""Empty reruns that a vote may cost."""
TWO_AIM = 1.15
"""The same with two processes on one database, in units of one process."""
P95_AIMS = {200: 200.0, 1000: 1000.0}
"""Milliseconds of the 95th percentile, by raters at once."""
BYTES_AIM, NEXT_BYTES_AIM = 200_000, 45_000
OTHERS = 20


@dataclass
class Cost:
    """What votes and, measured in turns with them, empty reruns take of the processor."""

    vote: float  # Seconds
    rerun: float
    votes: int
    first_bytes: list[int] = field(default_factory=list)
    next_bytes: list[int] = field(default_factory=list)


async def measure_cost(
    servers: Sequence[Server], links: Sequence[str], ballots: int, empty: Server
) -> Cost:
    """Volunteers in step: all look at a ballot, all vote; between two votes the empty page runs."""
    spent = reruns = 0.0
    votes = runs = 0
    cost = Cost(0.0, 0.0, 0)
    async with open_tab(empty.address) as socket:
        page = HeavyVisitor(socket)
        for _ in range(20):
            await page.run("")
        browsers = [Browser(servers[n % len(servers)].address) for n in range(len(links))]
        raters = [Rater(*each) for each in zip(browsers, links, strict=True)]
        for rater, browser in zip(raters, browsers, strict=True):
            await rater.begin()
            cost.first_bytes.append(browser.received)
        for _ in range(ballots):
            await asyncio.sleep(LOOK)
            began = sum(server.processor_seconds() for server in servers)
            answers = [await rater.vote("left", "shorter") for rater in raters]
            await asyncio.sleep(0.05)  # what a server does after its answer
            spent += sum(server.processor_seconds() for server in servers) - began
            votes += len(raters)
            cost.next_bytes += [answer.size for answer in answers]
            began = empty.processor_seconds()
            for _ in range(len(raters)):
                await page.run("")
            await asyncio.sleep(0.05)
            reruns += empty.processor_seconds() - began
            runs += len(raters)
        for browser in browsers:
            await browser.close()
    cost.vote, cost.rerun, cost.votes = spent / votes, reruns / runs, votes
    return cost


def let_others_in(given: Demo) -> None:
    """Raters at work, who do nothing more: a ballot is chosen with an eye on them."""
    service = RatingService(given.store, SystemClock(), SystemChance())
    for link in given.links(OTHERS):
        token = link.partition("t=")[2]
        service.consent(token, degree="Doctorate", field="Load")
        service.next_ballot(token)


def print_costs(given: Demo, raters: int, ballots: int, repeats: int) -> None:
    let_others_in(given)
    one: list[Cost] = []
    two: list[Cost] = []
    with empty_app() as empty, given.second() as second:
        for _ in range(repeats):
            for servers, costs in (([given.server], one), ([given.server, second], two)):
                links = given.links(raters)
                costs.append(asyncio.run(measure_cost(servers, links, ballots, empty)))
    first = statistics.fmean(size for cost in one for size in cost.first_bytes)
    following = [size for cost in one for size in cost.next_bytes]
    print(
        f"bytes as sent, with headers: link to first ballot {first:,.0f}, "
        f"{verdict(round(first), BYTES_AIM)}; next ballot, the largest {max(following):,} "
        f"(median {statistics.median(following):,.0f}), {verdict(max(following), NEXT_BYTES_AIM)}"
    )
    vote, rerun = (
        statistics.fmean(getattr(cost, name) for cost in one) for name in ("vote", "rerun")
    )
    print(
        f"processor time: an empty page's rerun {1e3 * rerun:.1f} ms, a vote with the next ballot "
        f"{1e3 * vote:.1f} ms ({sum(cost.votes for cost in one)} votes, {OTHERS} others at work): "
        f"{vote / rerun:.2f} empty reruns, {verdict(vote / rerun, COST_AIM)}{busy()}"
    )
    ratios = [(b.vote / b.rerun) / (a.vote / a.rerun) for a, b in zip(one, two, strict=True)]
    ratio = statistics.median(ratios)
    print(
        f"two processes on one database, in turns with one: {ratio:.2f} times the processor time "
        f"a vote, {verdict(ratio, TWO_AIM)}"
    )


def print_raters(given: Demo, raters: int, ballots: int, think: float) -> list[str]:
    """A row of the table for so many raters; what is wrong."""
    server = given.server
    before = {vote.id for vote in votes_of(given)}
    with given.store.reading() as tx:
        had = len(tx.raters.every(given.study.id))
    links = given.links(raters)
    began, started = server.processor_seconds(), time.perf_counter()
    log = asyncio.run(rate_all([server.address], links, ballots, think))
    seconds, used = time.perf_counter() - started, server.processor_seconds() - began
    stored = [vote for vote in votes_of(given) if vote.id not in before]
    wrong = [*log.failed]
    if len(log.votes) != len(stored):
        wrong.append(f"{len(log.votes)} votes acknowledged, {len(stored)} stored")
    if not had:
        pairs = [pair.id for pair in given.organiser.pairs(given.study.id) if pair.in_study]
        wrong += problems_with(stored, raters, ballots, len(pairs))
    p50, p95, p99 = (1e3 * quantile(log.votes, share) for share in (0.5, 0.95, 0.99))
    aim = f"p95 {verdict(p95, P95_AIMS[raters])}" if raters in P95_AIMS else ""
    print(
        f"| {raters} | {p50:.0f} | {p95:.0f} | {p99:.0f} | {len(stored) / seconds:.1f} "
        f"| {1e3 * used / max(1, len(stored)):.1f} | {server.megabytes():.0f} MB "
        f"| {len(log.votes)} = {len(stored)} | {aim} |",
        flush=True,
    )
    return wrong


def quantile(values: Sequence[float], share: float) -> float:
    """Of the sorted values, the one that so many lie below."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def votes_of(given: Demo) -> list[VoteRow]:
    """All votes on pairs of the study."""
    with given.store.reading() as tx:
        return [vote for vote in tx.votes.every(given.study.id) if vote.kind == PairKind.MAIN]


def main(arguments: list[str]) -> int:
    """Print the cost and the table; 1 if a vote is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load ballots", description=__doc__)
    parser.add_argument("--raters", default="10,50,100,200,400,1000", help="numbers at once")
    parser.add_argument("--ballots", type=int, default=10)
    parser.add_argument("--think", type=float, default=4.0, help="mean seconds on a ballot")
    parser.add_argument("--cost-of", type=int, default=6, help="raters to measure the cost on")
    parser.add_argument("--repeats", type=int, default=3, help="of measuring the cost")
    given = parser.parse_args(arguments)
    counts = [int(each) for each in given.raters.split(",") if each]
    wrong: list[str] = []
    with contextlib.ExitStack() as stack:
        served = stack.enter_context(demo(given.ballots))
        if counts:
            print(
                f"raters at once, {given.ballots} ballots each, {LOOK + given.think:.0f} s on a "
                f"ballot{busy()}; press to next ballot:\n\n"
                "| raters | p50, ms | p95, ms | p99, ms | votes a second | processor, ms a vote "
                "| memory | acknowledged = stored | aim |\n|---|---|---|---|---|---|---|---|---|",
                flush=True,
            )
        for raters in counts:
            wrong += print_raters(served, raters, given.ballots, given.think)
        if given.cost_of:
            print_costs(served, given.cost_of, given.ballots, given.repeats)
    for line in wrong[:20]:
        print(f"WRONG: {line}")
    return 1 if wrong else 0
