"""How many formulas of other tools are read, by method, and what is refused.

Run it as ``python -m benchmarks.read_share [DIR]``; DIR (default: ``shared/data`` beside the
checkout) holds ``syntax_samples.csv`` and ``pools/*.csv.gz``.
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from eic_core.errors import FormulaError
from eic_core.formula.syntax import read

RUNS = 5
DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass
class Share:
    """Counts for one method."""

    total: int = 0
    read: int = 0
    noted: int = 0
    seconds: float = 0.0
    refused: list[tuple[str, str]] = field(default_factory=list)


def rows(table: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, compressed or not."""
    opener = gzip.open if table.suffix == ".gz" else open
    with opener(table, "rt", encoding="utf-8") as handle:
        yield from csv.DictReader(handle)


def theta(row: dict[str, str]) -> dict[str, str]:
    """The parameters in a pool's `extra` column: ``theta=v0;v1`` as t0, t1."""
    values = (row.get("extra") or "").partition("theta=")[2]
    return {f"t{i}": value for i, value in enumerate(values.split(";")) if value}


def measure(table: Path, *, hinted: bool = True) -> dict[str, Share]:
    """Shares by method, with the table's `syntax` as hint or without."""
    shares: dict[str, Share] = {}
    for row in rows(table):
        share = shares.setdefault(row["method"], Share())
        share.total += 1
        started = time.process_time()
        try:
            reading = read(
                row["formula"],
                syntax=row["syntax"] if hinted else "auto",
                parameters=theta(row),
            )
            share.read += 1
            share.noted += bool(reading.notes)
        except FormulaError as error:
            share.refused.append((row["formula"], str(error)))
        share.seconds += time.process_time() - started
    return shares


def show(table: Path) -> None:
    """Print the shares of one table, the processor's time a formula, and each refusal.

    The time is the median of several runs that alternate between the two ways.
    """
    ways = (True, False)
    runs = [{hinted: measure(table, hinted=hinted) for hinted in ways} for _ in range(RUNS)]
    for hinted in ways:
        shares = runs[0][hinted]
        for method, share in shares.items():
            share.seconds = median([run[hinted][method].seconds for run in runs])
        total = sum(share.total for share in shares.values())
        got = sum(share.read for share in shares.values())
        seconds = sum(share.seconds for share in shares.values())
        how = "by hint" if hinted else "detected"
        print(
            f"{table.name}, {how}: {got} of {total} read ({got / total:.2%}),"
            f" {1e6 * seconds / total:.0f} µs each"
        )
        for method, share in sorted(shares.items()):
            if hinted:
                noted = f", {share.noted} with a note" if share.noted else ""
                each = 1e6 * share.seconds / share.total
                print(f"  {method:22}{share.read:5} of {share.total:5}, {each:.0f} µs each{noted}")
            for text, why in share.refused:
                print(f"    {method} refused: {text[:80]}\n      {why}")


def main(arguments: list[str]) -> int:
    """Print the shares of all tables in the folder."""
    folder = Path(arguments[0]) if arguments else DEFAULT
    tables = [folder / "syntax_samples.csv", *sorted((folder / "pools").glob("*.csv.gz"))]
    found = [table for table in tables if table.exists()]
    if not found and not arguments:  # in `make bench` of a checkout with no data beside it
        print(f"read_share: skipped, there are no tables in {folder}")
        return 0
    if not found:
        print(f"no tables in {folder}", file=sys.stderr)
        return 2
    for table in found:
        show(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
