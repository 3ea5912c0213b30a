"""Runs the validation of all statistics: `python -m study.statistics.validation`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from eic_core.errors import UserError
from study.statistics.validation.running import validate
from study.statistics.validation.scenarios import SCENARIOS
from study.statistics.validation.unthreatened import STUDIES, null_threats
from study.statistics.validation.verdicts import csv_table, problems_table, report, verdicts


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 if the headline misses an aim, 2 for a user's mistake."""
    parser = argparse.ArgumentParser(
        prog="python -m study.statistics.validation", description=__doc__
    )
    parser.add_argument(
        "--studies", type=int, default=1000, help="simulated studies of each scenario"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", metavar="TEXT", help="groups of scenarios with TEXT")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write every row to FILE")
    parser.add_argument(
        "--null-studies",
        type=int,
        default=None,
        metavar="N",
        help="simulated studies without a fault, whose threats are counted; "
        "default: 60, none with --only",
    )
    options = parser.parse_args(arguments)
    nulls = options.null_studies
    if nulls is None:
        nulls = 0 if options.only else STUDIES
    scenarios = [scenario for scenario in SCENARIOS if options.only in scenario.group]
    try:
        if not scenarios:
            groups = "; ".join(dict.fromkeys(scenario.group for scenario in SCENARIOS))
            raise UserError(
                f"no group of scenarios has `{options.only}`", hint=f"there are {groups}"
            )
        rows = validate(
            scenarios,
            studies=options.studies,
            seed=options.seed,
            processes=options.processes,
            progress=_progress,
        )
        found = verdicts(rows)
        unthreatened = null_threats(nulls, seed=options.seed) if nulls > 0 else None
        if options.csv:
            options.csv.write_text(csv_table(rows), encoding="utf-8")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {options.csv} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    if options.json:
        print(
            json.dumps(
                {
                    "seed": options.seed,
                    "studies": options.studies,
                    "versions": {name: version(name) for name in ("numpy", "scipy")},
                    "rows": [row.to_json() for row in rows],
                    "verdicts": [verdict.to_json() for verdict in found],
                    "null_threats": asdict(unthreatened) if unthreatened else None,
                },
                indent=1,
                allow_nan=False,
            )
        )
    else:
        print(report(rows, found))
        if table := problems_table(rows):
            print(f"\n{table}")
        if unthreatened:
            print(f"\n{unthreatened.sentence}")
        print(f"\n{options.studies} studies a row, seed {options.seed}")
    return int(any(verdict.binding and not verdict.holds for verdict in found))


def _progress(done: int, total: int) -> None:
    if done % 10 == 0 or done == total:
        end = "\n" if done == total else "\r"
        print(f"{100 * done // total:3d} % of {total} blocks of studies", end=end, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
