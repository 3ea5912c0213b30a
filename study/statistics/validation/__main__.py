"""Runs the validation of all statistics: `python -m study.statistics.validation`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from eic_core.errors import UserError
from study.statistics.validation.alarms import STUDIES, alarms
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
    parser.add_argument("--only", default="", metavar="TEXT", help="groups of scenarios with TEXT")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write every row to FILE")
    parser.add_argument(
        "--defects",
        type=int,
        default=None,
        metavar="N",
        help="studies of each planted defect, and of each kind without a fault; "
        f"default: {STUDIES}, none with --only",
    )
    options = parser.parse_args(arguments)
    defects = options.defects
    if defects is None:
        defects = 0 if options.only else STUDIES
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
            progress=_progress("blocks of studies"),
        )
        alarming = (
            alarms(
                defects,
                seed=options.seed,
                processes=options.processes,
                progress=_progress("blocks of studies with and without a defect"),
            )
            if defects > 0
            else []
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
        print(f"\n{options.studies} studies a row, seed {options.seed}")
    return int(any(verdict.binding and not verdict.holds for verdict in found))


def _progress(what: str) -> Callable[[int, int], None]:
    def show(done: int, total: int) -> None:
        if done % 10 == 0 or done == total:
            end = "\n" if done == total else "\r"
            print(f"{100 * done // total:3d} % of {total} {what}", end=end, file=sys.stderr)

    return show


if __name__ == "__main__":
    sys.exit(main())
