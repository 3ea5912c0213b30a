"""Runs the validation of all statistics: `python -m study.statistics.validation`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from eic_core.errors import UserError
from study.statistics.validation.alarms import SITUATIONS, STUDIES, alarms
from study.statistics.validation.running import validate
from study.statistics.validation.scenarios import SCENARIOS
from study.statistics.validation.verdicts import csv_table, report, verdicts


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; 1 if an aim is missed, 2 for a user's mistake."""
    parser = argparse.ArgumentParser(
        prog="python -m study.statistics.validation", description=__doc__
    )
    parser.add_argument(
        "--studies",
        type=int,
        default=500,
        help="simulated studies of each scenario; of whole reports four in ten",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="designs and situations with TEXT in their name"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write every row to FILE")
    parser.add_argument(
        "--defects",
        type=int,
        default=STUDIES,
        metavar="N",
        help="studies of each planted defect, and of each kind without a fault; of those asked for "
        f"one answer alone twice as many; default: {STUDIES}",
    )
    options = parser.parse_args(arguments)
    scenarios = [scenario for scenario in SCENARIOS if options.only in scenario.group]
    situations = [each for each in SITUATIONS if options.only in each.name and options.defects > 0]
    start = perf_counter()
    try:
        if not scenarios and not situations:
            groups = "; ".join(dict.fromkeys(scenario.group for scenario in SCENARIOS))
            raise UserError(
                f"no design or situation has `{options.only}` in its name",
                hint=f"designs are {groups}",
            )
        rows = validate(
            scenarios,
            studies=options.studies,
            seed=options.seed,
            processes=options.processes,
            progress=_progress("blocks of studies"),
        )
        alarming = alarms(
            options.defects,
            seed=options.seed,
            processes=options.processes,
            situations=situations,
            progress=_progress("blocks of studies with and without a defect"),
        )
        found = verdicts(rows, alarming)
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
                    "alarms": [each.to_json() for each in alarming],
                },
                indent=1,
                allow_nan=False,
            )
        )
    else:
        print(report(rows, alarming, found))
        minutes = (perf_counter() - start) / 60
        print(
            f"\n{options.studies} studies of a design, {options.defects} of a situation, seed "
            f"{options.seed}, {minutes:.1f} minutes"
        )
    return int(any(verdict.binding and not verdict.holds for verdict in found))


def _progress(what: str) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        if done % 10 == 0 or done == total:
            end = "\n" if done == total else "\r"
            print(f"{100 * done // total:3d} % of {total} {what}", end=end, file=sys.stderr)

    return show


if __name__ == "__main__":
    sys.exit(main())
