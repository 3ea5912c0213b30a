"""`python -m eic_core report FORMULA`: one HTML page of an inspection."""

from __future__ import annotations

import sys

from eic_core.cli.arguments import INPUT, LIMITS
from eic_core.cli.command_table import Command, OptionRow, Options
from eic_core.cli.exits import refuse_page_on_terminal, write_out
from eic_core.cli.inspect_command import read_input
from eic_core.cli.progress import ProgressLine
from eic_core.cli.repair_command import KINDS
from eic_core.explain.budget import TOLERANCE
from eic_core.exports import json_text
from eic_core.formula.syntax import Reading
from eic_core.measure import Domain, Samples, inspect
from eic_core.measure.table import read_table
from eic_core.report import Provenance, investigate, render


def run(options: Options) -> None:
    if not options.json:
        refuse_page_on_terminal(options.out)
    reading, samples, mapping = read_input(options)
    line = ProgressLine(elsewhere=0)
    findings = investigate(
        inspect(reading.formula, samples, effort=options.effort),
        with_repair=not options.no_repair,
        branches=not options.no_branches,
        series=not options.no_series,
        with_triangulation=not options.no_triangulation,
        with_budget=not options.no_budget,
        tolerance=options.tolerance,
        seed=options.seed,
        effort=options.effort,
        seconds=options.seconds,
        progress=lambda share, task: line.show(f"{100 * share:3.0f} %  {task}", last=share >= 1),
    )
    if options.json:
        text = json_text(findings.to_json(), indent=None)
    else:
        text = render(findings, provenance_of(options, reading, samples, mapping))
    write_out(text, options.out)
    if options.out is not None:
        print(f"wrote {options.out}", file=sys.stderr)


def provenance_of(
    options: Options, reading: Reading, samples: Samples, mapping: dict[str, str]
) -> Provenance:
    """The source of the samples by the command line; a table is read once more for its digest."""
    if options.data is None:
        domains = tuple(Domain.parse(f"{name}={text}") for name, text in mapping.items())
        return Provenance(reading, domains, options.seed)
    table = read_table(options.data)
    left_out = table.rows - len(samples)
    notices = (
        (f"{left_out:,} of {table.rows:,} rows are left out: a cell that is used holds no number.",)
        if left_out
        else ()
    )
    return Provenance(
        reading,
        seed=options.seed,
        file_name=options.data.name,
        file_hash=table.digest,
        file_columns=table.names,
        mapping=mapping,
        target=samples.target_name,
        notices=notices,
    )


COMMAND = Command(
    "report",
    "one HTML page of an inspection, with all that is needed to reproduce it",
    (
        *INPUT,
        *LIMITS,
        OptionRow("--out", "FILE.html", "default: standard output, if that is not a terminal"),
        OptionRow("--no-repair", help="look for no better form"),
        *KINDS,
        OptionRow("--no-triangulation", help="do not measure in other ways"),
        OptionRow("--no-budget", help="do not shorten numbers"),
        OptionRow(
            "--tolerance",
            "T",
            "of the shortened output, in standard deviations",
            default=TOLERANCE,
        ),
    ),
    run,
    "Inspect, diagnose and repair one formula, as one self-contained HTML page.",
)
