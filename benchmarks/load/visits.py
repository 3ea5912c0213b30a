"""What the server keeps of visits that have ended: `python -m benchmarks.load.visits`.

One visitor after the other changes the formula some times, with the questions in turn, and leaves;
every change has a seed of its own, so that nothing is in a cache.  It prints the memory of the
server's own process, without its workers: at the start, while the visits go on, and when Streamlit
has let go of the last one.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load.server import Server, inspector
from benchmarks.load.visitors import HeavyVisitor, open_tab
from eic_core.corpora.laws import load
from pages.ui.kit.visit import ASKS

LINGERS = 150.0
"""Seconds after which a visit has ended: Streamlit lets a browser come back for two minutes."""


def changes() -> Iterator[dict[str, str]]:
    """Formulas with their ranges and a question, each time with another seed."""
    laws = load("feynman").laws
    for seed in itertools.count():
        law = laws[seed % len(laws)]
        ranges = {name: str(domain) for name, domain in law.domains.items()}
        yield {**ranges, "formula": law.formula, "seed": str(seed), "ask": ASKS[seed % len(ASKS)]}


async def visit(address: str, given: Iterator[dict[str, str]], count: int) -> None:
    """One tab that is closed after so many changes."""
    async with open_tab(address) as socket:
        visitor = HeavyVisitor(socket)
        for change in itertools.islice(given, count):
            formula, seed = change.pop("formula"), change.pop("seed")
            await visitor.show(formula, int(seed), **change)


async def drive(server: Server, visits: int, each: int) -> None:
    given = changes()
    for number in range(visits):
        if number % max(1, visits // 5) == 0:
            print(f"after {number:>4} visits {server.megabytes():>7.0f} MB", flush=True)
        await visit(server.address, given, each)


def main(arguments: list[str] | None = None) -> int:
    """Run, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.visits", description=__doc__)
    parser.add_argument("--visits", type=int, default=50)
    parser.add_argument("--changes", type=int, default=700, help="of all visits together")
    given = parser.parse_args(arguments)
    each = max(1, given.changes // given.visits)
    with tempfile.TemporaryDirectory() as folder, inspector(Path(folder)) as server:
        asyncio.run(visit(server.address, iter([{"formula": "x", "seed": "0"}]), 1))
        before = server.megabytes()
        asyncio.run(drive(server, given.visits, each))
        end = server.megabytes()
        time.sleep(LINGERS)
        after = server.megabytes()
    print(
        f"\n{given.visits} visits with {each} changes each: {before:.0f} MB before, {end:.0f} at "
        f"the end, {after:.0f} when the visits have ended"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
