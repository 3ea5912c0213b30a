"""`python -m eic_core generate --out DIR`: random formulas that keep their digits, with data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import JSON, SEED, whole_number
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.cli.progress import ProgressLine
from eic_core.corpora.generating import MEASURES, ROWS, THRESHOLD, GenerationPlan
from eic_core.corpora.recipes import RECIPES
from eic_core.corpora.stored import GenerationProgress, GenerationResult, write_dataset
from eic_core.errors import DataError


def run(options: Options) -> None:
    if options.seed < 0:
        raise DataError("a seed is 0 or more")
    plan = GenerationPlan(
        options.max_eic, options.points, options.measure, options.weights, options.recipe
    )
    line = ProgressLine(every=0.2)

    def progress(now: GenerationProgress) -> None:
        line.show(
            f"{now.stored:,} of {now.goal:,} formulas, {now.rate:,.0f} a second; "
            f"{now.new / max(now.proposed, 1):.0%} of {now.proposed:,} drawn were kept"
        )

    written = write_dataset(
        options.out, plan, options.count, seed=options.seed, jobs=options.jobs, progress=progress
    )
    line.end()
    print(_summary(written, options.out), file=sys.stderr)
    show(options, lambda: (), lambda: _document(written))


def _document(written: GenerationResult) -> dict[str, Any]:
    done = written.progress
    return {
        "wanted": done.goal,
        "kept": done.stored,
        "made": done.new,
        "proposed": done.proposed,
        "valid": done.valid,
        "seconds": done.seconds,
        "files": written.files,
        "interrupted": written.interrupted,
    }


def _summary(written: GenerationResult, folder: Path) -> str:
    done = written.progress
    files = wording.count(written.files, "file")
    text = f"{wording.count(done.stored, 'formula')} in {files} of {folder}"
    if done.new and not written.interrupted:
        text += (
            f"; of {done.proposed:,} drawn {done.valid / done.proposed:.0%} have a value at every "
            f"row; {done.rate:,.0f} a second"
        )
    if written.interrupted:
        text += "; interrupted: the same command goes on from there"
    return text


COMMAND = Command(
    "generate",
    "random formulas with data, for training: those that keep their digits",
    (
        OptionRow("--count", "N", "formulas, as in 1e6", default=10_000, kind=whole_number),
        OptionRow(
            "--max-eic",
            "T",
            "leave out formulas that lose more digits; inf: none",
            default=THRESHOLD,
        ),
        OptionRow(
            "--measure",
            help="what EIC is made of at a node: the mean of s² over the rows, or its 90 % "
            "quantile",
            default=MEASURES[0],
            choices=MEASURES,
        ),
        OptionRow(
            "--weights",
            help="leave out nothing: a column says what each formula weighs, 1 up to T and a tenth "
            "for each digit beyond",
        ),
        OptionRow(
            "--points",
            "N",
            "rows of X and y with each formula; 0: formulas alone",
            default=ROWS,
            kind=whole_number,
        ),
        OptionRow(
            "--recipe", help="whose operators, odds and data", default="e2esr", choices=RECIPES
        ),
        SEED,
        OptionRow("--jobs", "J", "processes; the files are the same for any number", default=1),
        OptionRow("--out", "DIR", "a folder", required=True),
        JSON,
    ),
    run,
    "Generate random formulas with data as Parquet files of 10,000 each; the same command goes on "
    "with a run that was stopped.",
)
