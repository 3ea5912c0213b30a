"""How far `repair` comes on collected cases: `make bench-repair`.

`python -m benchmarks.repairs --help` lists what can be asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import POOL, SHARED
from benchmarks.repairs import (
    hamming,
    kinds,
    kinds_k6,
    kinds_letters,
    kinds_tails,
    library,
    textbook,
)
from benchmarks.repairs.cases import Case
from benchmarks.repairs.checking import checking_lines
from benchmarks.repairs.pool import cases_of_pool
from benchmarks.repairs.printing import (
    CASE_HEADER,
    FIX_HEADER,
    HERBIE,
    SUITE_HEADER,
    case_line,
    fix_rows,
    form_lines,
    markdown_lines,
    remains_rows,
    suite_cells,
    suite_lines,
)
from benchmarks.repairs.running import Outcome, run
from benchmarks.repairs.shared import HAMMING, hamming_cases, herbie_cases
from benchmarks.repairs.shared import HERBIE as HERBIE_28
from benchmarks.repairs.variants import variant

MARK = "<!-- Below: printed by the command above. -->"
"""In a page of docs: what stands behind it is replaced."""


@dataclass(frozen=True)
class Suite:
    """Where cases come from; `file` is what it needs of the folder beside the repository."""

    cases: Callable[[Path], Sequence[Case]]
    file: Path | str | None = None


SUITES = {
    "library": Suite(lambda _: library.CASES),
    "textbook": Suite(lambda _: textbook.CASES),
    "kinds": Suite(
        lambda _: kinds.CASES + kinds_k6.CASES + kinds_letters.CASES + kinds_tails.CASES
    ),
    "hamming28": Suite(lambda _: hamming.CASES),
    "hamming": Suite(hamming_cases, HAMMING),
    "herbie28": Suite(herbie_cases, HERBIE_28),
    "pool": Suite(cases_of_pool, POOL),
}


def parser() -> argparse.ArgumentParser:
    """What can be asked."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.repairs", description=(__doc__ or "").partition("\n")[0]
    )
    options.add_argument(
        "--suite",
        action="append",
        choices=[*SUITES, "checking"],
        help="may be given several times; default: all",
    )
    options.add_argument("--cases", metavar="N", type=int, help="evenly spaced in each suite")
    options.add_argument("--name", metavar="TEXT", default="", help="cases whose name holds it")
    options.add_argument("--forms", action="store_true", help="print the forms of each case")
    options.add_argument(
        "--misses", action="store_true", help="print only cases that miss the best known form"
    )
    options.add_argument(
        "--variants", metavar="SEED", type=int, help="write each formula otherwise, by this seed"
    )
    options.add_argument("--markdown", action="store_true", help="print tables for docs")
    options.add_argument(
        "--write", metavar="PAGE", type=Path, help="replace the tables of a page of docs"
    )
    options.add_argument(
        "--shared", metavar="DIR", type=Path, default=SHARED, help="default: %(default)s"
    )
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked, suite by suite."""
    options = parser().parse_args(arguments)
    chosen = options.suite or [*SUITES, "checking"]
    outcomes: dict[str, list[Outcome]] = {}
    for name in chosen:
        if name == "checking":
            continue
        suite = SUITES[name]
        if suite.file is not None and not (options.shared / suite.file).is_file():
            print(f"{name}: skipped, there is no {options.shared / suite.file}")
            continue
        cases = suite.cases(options.shared)
        if options.variants is not None:
            cases = [v for case in cases if (v := variant(case, options.variants)) is not None]
        cases = _chosen(cases, options.name, options.cases)
        outcomes[name] = _run(name, cases, options)
    if options.write is not None:
        head = options.write.read_text(encoding="utf-8").partition(MARK)[0]
        tables = "\n".join(_tables(outcomes))
        options.write.write_text(f"{head}{MARK}\n\n{tables}\n", encoding="utf-8")
    if options.markdown:
        print("\n".join(_tables(outcomes)))
    else:
        lines = [line for name in outcomes for line in suite_lines(name, outcomes[name])]
        print("\n".join(["", *lines, *HERBIE]))
    if "checking" in chosen:
        print("\n".join(checking_lines()))
    return 0


def _tables(outcomes: dict[str, list[Outcome]]) -> Iterator[str]:
    rows = [suite_cells(name, of_suite) for name, of_suite in outcomes.items()]
    yield from ["## Suites", "", *markdown_lines(SUITE_HEADER, rows)]
    remains = remains_rows(outcomes)
    if remains:
        table = markdown_lines(("needs", "suite", "cases"), remains)
        yield from ["", "## What remains", "", *table]
    if "library" in outcomes:
        by_name = {outcome.case.name: outcome for outcome in outcomes["library"]}
        for field, cases in library.FIELDS.items():
            of_field = [by_name[case.name] for case in cases if case.name in by_name]
            if of_field:
                title = f"## {field.capitalize()}"
                yield from ["", title, "", *markdown_lines(FIX_HEADER, fix_rows(of_field))]


def _chosen(cases: Sequence[Case], name: str, count: int | None) -> list[Case]:
    named = [case for case in cases if name.casefold() in case.name.casefold()]
    if count is None or count >= len(named):
        return named
    return [named[i * len(named) // count] for i in range(count)]


def _run(name: str, cases: Sequence[Case], options: argparse.Namespace) -> list[Outcome]:
    if not options.markdown:
        print(f"\n{name}: mean bits of error at held-out points\n{CASE_HEADER}")
    outcomes = []
    for case in cases:
        outcome = run(case)
        outcomes.append(outcome)
        if options.markdown or (options.misses and outcome.reached is not False):
            continue
        print("\n".join([case_line(outcome), *(form_lines(outcome) if options.forms else ())]))
        sys.stdout.flush()
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
